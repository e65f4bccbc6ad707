"""What all boosters share: from parameters to a boosted pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from coterie.base import Admitted, ClassifierTask, Committee, thread_count
from coterie.boosting.booster_members import Members
from coterie.boosting.chosen import Rows, choose
from coterie.boosting.held_out import Validation, admit_validation, split, watch_seed
from coterie.boosting.learner import member_bins, member_learner
from coterie.boosting.metrics import Measures, read_metrics, some_metrics
from coterie.boosting.predictions import StagedClasses
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
from coterie.core.stages import StagedPool
from coterie.core.trace import Trace
from coterie.core.train import Trainer
from coterie.core.watch import NoImprovement, Progress, RoundWatch, TimeBudget, Unanimous
from coterie.data import Table, Target
from coterie.learners import takes_weight
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.trees.growth import SHAPE
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
    "metrics": some_metrics,
    "validation_fraction": fraction("neither"),
    "n_iter_no_change": at_least(1),
    "tol": at_least(0.0),
    "max_time": between(0.0, np.inf, closed="right") | one_of(None),
    "trace": one_of("weights", None),
    "warm_start": one_of(True, False),
    "verbose": at_least(0) | instance_of(bool),
    **{name: SHAPE[name] for name in ("n_jobs", "max_bins", "categorical_features")},
}


_TRIED = 50  # rounds that rules are compared by


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
        End when none of `metrics` improves any longer on rows held out, and keep the round that is
        best by the first of them.
    metrics : str, function or list of them, default=None
        What is measured on rows held out: "error", the share of mistakes or the mean absolute
        error, as by default; the name of a scikit-learn scorer, such as "roc_auc" or
        "balanced_accuracy", where larger is better, or such as "log_loss", where smaller is, as
        the scorer's name begins with ``neg_``; or a function ``(estimator, X, y)`` as
        `sklearn.metrics.make_scorer` makes, larger is better. ``trace_`` has each of them by
        round, as "validation_error" and so on. All are computed from scores that are known: no
        member is asked again.
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
        Groups a column is cut into for native trees; may be given to the tree instead.
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
    metrics: Any = None
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

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row of weight 0 is as good as absent.
        X_val, y_val, sample_weight_val : array-likes, optional
            Rows to measure after every round, instead of a part of the training rows. They are
            measured without `early_stopping` as well.

        Returns
        -------
        self
        """
        if X_val is None and y_val is None:
            return super().fit(X, y, sample_weight)
        twin = self._copy()
        twin._given = Validation(X_val, y_val, sample_weight_val)
        Committee.fit(twin, X, y, sample_weight)
        del twin._given
        self.__dict__ = twin.__dict__
        return self

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        earlier = self._earlier()
        entropy = self.entropy_ if earlier is not None else draw_entropy(self.random_state)
        rows, held = self._hold_out(admitted, entropy)
        rule = self._settle(self._rule().for_target(rows[1]), rows, entropy, earlier)
        boosted = self._boost(rule, self._member(rule.gives), rows, held, entropy, earlier)
        draft.entropy_, draft.rule_ = entropy, rule
        self._publish(draft, boosted)

    def _settle(self, rule: Rule, rows: Rows, entropy: int, earlier: Boosted | None) -> Rule:
        """The rule with what it leaves to the rows."""
        return rule

    def _boost(
        self,
        rule: Rule,
        member: Any,
        rows: Rows,
        held: Monitor | None,
        entropy: int,
        earlier: Boosted | None,
    ) -> Boosted:
        """The members that the rule asks for, fitted on the rows one after the other."""
        table, target, weight = rows
        if isinstance(member, SingleTree):
            bins = member_bins(type(self).__name__, self.max_bins, member)
            table = table.bin(weight=weight, max_bins=bins, n_threads=thread_count(self.n_jobs))
        return boost(
            rule,
            self._learner(member, rule, table, target),
            table,
            target,
            weight,
            seeds=member_seeds(entropy, 0, self.n_estimators),
            settings=self._settings(member, rule, held),
            earlier=earlier,
        )

    def _learner(self, member: Any, rule: Rule, table: Table, target: Target) -> Trainer:
        """What fits the members."""
        threads = thread_count(self.n_jobs)
        return member_learner(type(self).__name__, member, rule.gives, table, target, threads)

    def _settings(self, member: Any, rule: Rule, held: Monitor | None) -> Settings:
        watches: list[RoundWatch] = []
        if held is not None and self.early_stopping:
            watches.append(self._patience())
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

    def _patience(self) -> RoundWatch:
        """Ends boosting when none of the metrics improves."""
        return Unanimous(
            [
                NoImprovement(metric.fact, self.n_iter_no_change, self.tol, metric.larger)
                for metric in read_metrics(self.metrics)
            ]
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

    def _hold_out(self, admitted: Admitted, entropy: int) -> tuple[Rows, Monitor | None]:
        """The rows to learn from, and those to watch."""
        given = getattr(self, "_given", None)
        if given is None and not self.early_stopping:
            return Rows(*admitted[:3]), None
        if given is not None:
            learn, watch = admitted, admit_validation(type(self).__name__, admitted, given)
        else:
            learn, watch = split(admitted, self.validation_fraction, watch_seed(entropy))
        metrics, rows = read_metrics(self.metrics), watch.table.given()
        rule = self._rule().for_target(watch.target)
        measures = Measures(metrics, self._held_error, rule, rows, watch.weight)
        return Rows(*learn[:3]), Monitor(watch.table, watch.target, measures)

    def _held_error(self, raw: Array, target: Target, weight: Array | None) -> float:
        """The error on rows held out, from their scores."""
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
            first = read_metrics(self.metrics)[0]
            size = first.best(boosted.trace[first.fact]) + 1
        trace = Trace(boosted.trace.rounds[:size], boosted.trace.weights[:size])
        trace.reason = boosted.trace.reason
        weights = np.array(boosted.alphas[:size])
        draft.pool_ = Pool.of(boosted.members[:size], weights, cast=draft.rule_.vote)
        if boosted.stages:
            draft.pool_ = StagedPool.staged(draft.pool_, boosted.stages[:size])
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


@dataclass(eq=False, repr=False)
class BoostedClassifier(StagedClasses, ClassifierTask, Booster):
    """Scores are turned into classes and probabilities by the rule."""

    answers_by: ClassVar[str | None] = "rule"

    def _held_error(self, raw: Array, target: Target, weight: Array | None) -> float:
        decided = self._rule().for_target(target).decide(raw)
        wrong = decided.reshape(target.codes.shape) != target.codes
        return float(np.average(wrong.mean(axis=1), weights=weight))

    def _best_rule(self, rules: Sequence[Rule], rows: Rows, entropy: int) -> Rule:
        """The rule of fewest mistakes on rows held out; among equals, the first."""
        # Whatever number of rounds is asked for: a longer fit goes on where a shorter one ended.
        twin = self._copy()
        twin.n_estimators, twin.early_stopping, twin.verbose, twin.trace = _TRIED, False, 0, None

        def mistakes(rule: Rule, learn: Rows, held: Rows) -> NDArray[np.bool_]:
            boosted = twin._boost(rule, twin._member(rule.gives), learn, None, entropy, None)
            pool = Pool.of(boosted.members, np.array(boosted.alphas), cast=rule.vote)
            raw = np.repeat(boosted.start[None, :], held.table.n_rows, axis=0)
            raw = raw + pool.raw(held.table) if boosted.members else raw
            return np.asarray(rule.decide(raw) != held.target.codes[:, 0])

        return choose(rules, mistakes, rows)
