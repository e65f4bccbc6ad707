"""What all boosters share: from parameters to a boosted pool, and from scores to answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from coterie.base import Admitted, ClassifierTask, Committee, thread_count
from coterie.boosting.members import Members
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    a_random_state,
    at_least,
    between,
    draw_entropy,
    fraction,
    has,
    instance_of,
    member_seeds,
    one_of,
)
from coterie.core.boost import Boosted, Monitor, Settings, boost
from coterie.core.rows import Fraction, Resample, RowSampler, every_row
from coterie.core.rule import Array, Rule
from coterie.core.trace import Trace
from coterie.core.train import Trainer
from coterie.core.watch import NoImprovement, Progress, RoundWatch, TimeBudget
from coterie.data import Table, Target
from coterie.learners import ForeignLearner, TreeLearner, takes_weight
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.trees.growth import SHAPE, resolve_growth
from coterie.trees.single import SingleTree

BOOSTER: dict[str, Allowed] = {
    "estimator": has("fit", "predict", "get_params") | one_of(None),
    "n_estimators": at_least(1),
    "learning_rate": between(0.0, np.inf, closed="neither"),
    "random_state": a_random_state,
    "weighting": one_of("auto", "reweight", "resample"),
    "subsample": fraction(),
    "max_restarts": at_least(0),
    "early_stopping": one_of(True, False),
    "validation_fraction": fraction("neither"),
    "n_iter_no_change": at_least(1),
    "tol": at_least(0.0),
    "max_time": between(0.0, np.inf, closed="right") | one_of(None),
    "trace": one_of("weights", None),
    "warm_start": one_of(True, False),
    "verbose": at_least(0) | instance_of(bool),
    **{name: SHAPE[name] for name in ("n_jobs", "max_bins", "categorical_features")},
}


@dataclass(eq=False, repr=False)
class Booster(Committee):
    """Fits members one after the other, as its rule says.

    Parameters
    ----------
    estimator : estimator, default=None
        What to boost; by default a tree of one split. Native trees are binned once and never
        walked in training; other estimators are cloned and see the rows as they were given.
    n_estimators : int, default=50
        Rounds at most.
    learning_rate : float, default=1.0
        Factor of every member's weight.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    weighting : {"auto", "reweight", "resample"}, default="auto"
        Fit members under weights or on rows drawn by them; "auto" weights where members can.
    subsample : float, default=1.0
        Share of the rows drawn each round.
    max_restarts : int, default=0
        How often in a row a useless member is thrown away and another one drawn; of use with
        re-sampling.
    early_stopping : bool, default=False
        End when the error on held-out rows no longer falls, and keep the best round.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    n_iter_no_change : int, default=10
        Rounds without improvement that are borne.
    tol : float, default=0.0
        Smallest decrease that counts as an improvement.
    max_time : float, default=None
        Seconds the rounds may take.
    trace : {"weights"} or None, default=None
        "weights" keeps the distribution before every round in ``trace_.weights``.
    warm_start : bool, default=False
        Keep the members of the last fit and add to them.
    verbose : int, default=0
        Report progress.
    n_jobs : int, default=None
        Threads within native trees, and of prediction.
    max_bins : int, default=255
        Groups a column is cut into for native trees.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns of numbers to be taken as categories, besides those of text or a categorical type.
    """

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 50
    learning_rate: float = 1.0
    random_state: RandomLike = None
    weighting: Literal["auto", "reweight", "resample"] = "auto"
    subsample: float = 1.0
    max_restarts: int = 0
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    tol: float = 0.0
    max_time: float | None = None
    trace: Literal["weights"] | None = None
    warm_start: bool = False
    verbose: int = 0
    n_jobs: int | None = None
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    allowed: ClassVar[Mapping[str, Allowed]] = BOOSTER
    multi_output: ClassVar[bool] = False

    def _rule(self) -> Rule:
        """The algorithm with this estimator's parameters."""
        raise NotImplementedError

    def _member(self, gives: str) -> Any:
        """The estimator to boost."""
        if self.estimator is not None:
            return self.estimator
        tree = DecisionTreeRegressor if gives == "score" else DecisionTreeClassifier
        return tree(max_depth=1)

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        earlier = self._earlier()
        entropy = self.entropy_ if earlier is not None else draw_entropy(self.random_state)
        (table, target, weight), held = self._hold_out(admitted, entropy)
        rule = self._rule()
        member = self._member(rule.gives)
        if isinstance(member, SingleTree):
            threads = thread_count(self.n_jobs)
            table = table.bin(weight=weight, max_bins=self.max_bins, n_threads=threads)
        boosted = boost(
            rule,
            self._learner(member, rule, table, target),
            table,
            target,
            weight,
            seeds=member_seeds(entropy, 0, self.n_estimators),
            settings=self._settings(member, rule, held),
            earlier=earlier,
        )
        draft.entropy_, draft.rule_ = entropy, rule
        self._publish(draft, boosted)

    def _learner(self, member: Any, rule: Rule, table: Table, target: Target) -> Trainer:
        """Native trees grow on the binned table; anything else is cloned and fitted."""
        if not isinstance(member, SingleTree):
            if rule.gives == "proba" and not hasattr(member, "predict_proba"):
                raise ValueError(
                    f"{type(self).__name__} needs members with predict_proba, but "
                    f"{type(member).__name__} has none. Wrap it, for example in "
                    "sklearn.calibration.CalibratedClassifierCV."
                )
            return ForeignLearner(member, rule.gives)
        regression = rule.gives == "score" or target.kind == "values"
        if (member.task == "regression") != regression:
            tree = DecisionTreeRegressor if regression else DecisionTreeClassifier
            raise ValueError(
                f"{type(self).__name__} cannot boost a {type(member).__name__}: its members "
                f"predict {'numbers' if regression else 'classes'}. Give a {tree.__name__}."
            )
        shape = Target("values", target.encoded) if regression else target
        growth = resolve_growth(member, table, shape, random_thresholds=member.splitter == "random")
        threads = thread_count(self.n_jobs)
        return TreeLearner(
            growth, member.min_weight_fraction_leaf, float(member.ccp_alpha), n_threads=threads
        )

    def _settings(self, member: Any, rule: Rule, held: Monitor | None) -> Settings:
        watches: list[RoundWatch] = []
        if held is not None:
            watches.append(NoImprovement("validation_error", self.n_iter_no_change, self.tol))
        if self.max_time is not None:
            watches.append(TimeBudget(self.max_time))
        if self.verbose:
            watches.append(Progress(self.n_estimators))
        return Settings(
            rows=self._rows(member),
            restarts=self.max_restarts,
            watches=watches,
            monitors=[] if held is None else [held],
            keep_weights=self.trace == "weights",
        )

    def _rows(self, member: Any) -> RowSampler:
        native = isinstance(member, SingleTree)
        resample = self.weighting == "resample"
        if self.weighting == "reweight" and not native and not takes_weight(member):
            raise ValueError(
                f"weighting='reweight' needs members whose fit takes sample_weight, but that of "
                f"{type(member).__name__} does not. Use weighting='auto' or 'resample'."
            )
        if resample or not (native or takes_weight(member)):
            return Resample(self.subsample)
        return every_row if self.subsample == 1.0 else Fraction(self.subsample)

    def _hold_out(
        self, admitted: Admitted, entropy: int
    ) -> tuple[tuple[Table, Target, Array | None], Monitor | None]:
        """The rows to learn from, and those to watch."""
        table, target, weight, _ = admitted
        if not self.early_stopping:
            return (table, target, weight), None
        seed = np.random.SeedSequence(entropy, spawn_key=(2**31,)).generate_state(1)[0]
        strata = target.encoded[:, 0] if target.kind == "labels" else None
        learn, watch = train_test_split(
            np.arange(table.n_rows),
            test_size=self.validation_fraction,
            random_state=int(seed),
            stratify=strata,
        )
        learn, watch = np.sort(learn), np.sort(watch)
        loss = partial(self._watch_loss, None if weight is None else weight[watch])
        monitor = Monitor(table.take(watch), target.take(watch), loss)
        kept = None if weight is None else weight[learn]
        return (table.take(learn), target.take(learn), kept), monitor

    def _watch_loss(self, weight: Array | None, raw: Array, target: Target) -> dict[str, float]:
        """What early stopping watches."""
        raise NotImplementedError

    def _earlier(self) -> Boosted | None:
        """The members of the last fit, if they are to be kept."""
        if not self.warm_start or not hasattr(self, "pool_"):
            return None
        if self.n_estimators < len(self.pool_):
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={len(self.pool_)} when warm_start==True"
            )
        members = [self.pool_.member(t) for t in range(len(self.pool_))]
        return Boosted(members, list(self.pool_.weights), self.start_, None, self.trace_)

    def _publish(self, draft: Self, boosted: Boosted) -> None:
        size = len(boosted.members)
        if boosted.trace.reason == "early_stopping":
            size = int(np.argmin(boosted.trace["validation_error"])) + 1
        trace = Trace(boosted.trace.rounds[:size], boosted.trace.weights[:size])
        trace.reason = boosted.trace.reason
        weights = np.array(boosted.alphas[:size])
        draft.pool_ = Pool.of(boosted.members[:size], weights, cast=draft.rule_.vote)
        draft.start_ = boosted.start
        draft.trace_, draft.stop_reason_, draft.n_rounds_ = trace, trace.reason, size
        draft.estimator_ = clone(self._member(draft.rule_.gives))

    @property
    def estimator_weights_(self) -> Array:
        """Weight of each member."""
        return self._settled().pool_.weights

    @property
    def estimator_errors_(self) -> Array:
        """Weighted error of each member in its round."""
        return self._settled().trace_["error"]

    @property
    def estimators_(self) -> Members:
        """The fitted members, made when asked for."""
        return Members(self._settled())

    @property
    def feature_importances_(self) -> Array:
        """Shares of the columns in the decrease of impurity, by member weight."""
        pool = self._settled().pool_
        each = pool.forest.importances()
        totals = each.sum(axis=1, keepdims=True)
        shares = np.divide(each, totals, out=np.zeros_like(each), where=totals > 0)
        weights = np.repeat(np.abs(pool.weights), pool.width)
        return np.asarray(np.average(shares, axis=0, weights=weights))

    def _raw(self, X: Any) -> Array:
        """The score of every row, shape (n_samples, n_scores)."""
        table = self._admit(X)
        if not len(self.pool_):
            return np.repeat(self.start_[None, :], table.n_rows, axis=0)
        raw = self.start_ + self.pool_.raw(table, n_threads=thread_count(self.n_jobs))
        return self.rule_.settle(raw)

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        """The score of every row after each round."""
        table = self._admit(X)
        raw = np.repeat(self.start_[None, :], table.n_rows, axis=0)
        for t in range(len(self.pool_)):
            raw = raw + self.pool_[t : t + 1].raw(table, n_threads=thread_count(self.n_jobs))
            yield self.rule_.settle(raw)


@dataclass(eq=False, repr=False)
class BoostedClassifier(ClassifierTask, Booster):
    """Scores are turned into classes and probabilities by the rule."""

    def _watch_loss(self, weight: Array | None, raw: Array, target: Target) -> dict[str, float]:
        wrong = self._rule().decide(raw) != target.codes[:, 0]
        return {"validation_error": float(np.average(wrong, weights=weight))}

    def decision_function(self, X: Any) -> Array:
        """The score: positive for the second of two classes; of many, one column per class.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        raw = self._settled()._raw(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest score.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        return this._decode(this._raw(X))

    def predict_proba(self, X: Any) -> Array:
        """Class probabilities by the link of the rule.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        this = self._settled()
        return this._link(this._raw(X))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """`decision_function` after each round."""
        for raw in self._settled()._staged_raw(X):
            yield raw[:, 0] if raw.shape[1] == 1 else raw

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """`predict` after each round."""
        this = self._settled()
        yield from (this._decode(raw) for raw in this._staged_raw(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """`predict_proba` after each round."""
        this = self._settled()
        yield from (this._link(raw) for raw in this._staged_raw(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round."""
        for predicted in self.staged_predict(X):
            yield float(np.average(predicted == np.asarray(y), weights=sample_weight))

    def _decode(self, raw: Array) -> NDArray[Any]:
        return self.target_.decode(self.rule_.decide(raw))

    def _link(self, raw: Array) -> Array:
        if self.n_classes_ == 1:
            return np.ones((len(raw), 1))
        return self.rule_.link(raw)
