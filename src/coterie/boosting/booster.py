"""What all boosters share: from parameters to a boosted pool."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from coterie.base import Admitted, ClassifierTask, Committee, split_outputs, thread_count
from coterie.base.scoring import (
    Answers,
    Measures,
    Scoring,
    Validation,
    a_scoring,
    admit_validation,
    hold_out,
    hold_out_seed,
    read_scoring,
    stops_early,
)
from coterie.boosting.booster_members import Members
from coterie.boosting.chosen import Rows, choose
from coterie.boosting.learner import class_depth, member_bins, member_learner
from coterie.boosting.predictions import StagedClasses
from coterie.core import (
    Allowed,
    ParameterError,
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
from coterie.core.watch import NoImprovement, Patience, Progress, RoundWatch, TimeBudget
from coterie.data import Table, Target
from coterie.learners import takes_weight
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.trees.growth import SHAPE
from coterie.trees.single import is_native

BOOSTER: dict[str, Allowed] = {
    "estimator": has("fit", "predict", "get_params") | one_of(None),
    "n_estimators": at_least(1),
    "learning_rate": between(0.0, np.inf, closed="neither"),
    "random_state": a_random_state,
    "weighting": one_of("auto", "reweight", "resample"),
    "subsample": fraction(),
    "max_restarts": at_least(0),
    "early_stopping": one_of("auto", True, False),
    "scoring": a_scoring("error"),
    "metrics": a_scoring("error"),
    "validation_fraction": fraction("neither") | at_least(1) | one_of(None),
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
        The base learner; by default a tree with one split or, of algorithms whose members must tell
        three or more classes apart, a tree deep enough for a leaf per class, with a level to spare
        (not of `AdaBoostClassifier`, which follows scikit-learn). Native trees share one binned
        table and need no predictions on the training rows; other estimators are cloned and receive
        the rows in their original form.
    n_estimators : int, default=50
        Maximum number of rounds.
    learning_rate : float, default=1.0
        Factor that multiplies the weight of every member.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    weighting : {"auto", "reweight", "resample"}, default="auto"
        Fit members with weights or on rows resampled by weight; "auto" uses weights if members
        accept them.
    subsample : float, default=1.0
        Share of the rows drawn each round.
    max_restarts : int, default=0
        How many times in a row a useless member is discarded and redrawn; useful with resampling.
    early_stopping : "auto" or bool, default=False
        Stop when `scoring` no longer improves on held-out rows, and keep the best round. "auto"
        does so with more than 10,000 rows, or when `X_val` is given.
    scoring : str, callable, None or list, default="error"
        The score on held-out rows: "error", the share of mistakes or the mean absolute error; the
        name of a scikit-learn scorer, such as "roc_auc", where larger is better, or such as
        "log_loss", where smaller is, as the scorer's name begins with ``neg_``; a function
        ``(estimator, X, y)`` as returned by `sklearn.metrics.make_scorer`, where larger is better;
        or None, the accuracy or R². If it is a list, the first one decides, and ``trace_`` records
        all of them by round, as "validation_error" and so on. All are computed from scores that are
        already known, without new predictions.
    metrics : str, callable or list, default=None
        Deprecated: the former name of `scoring`.
    validation_fraction : float, int or None, default=0.1
        Share or number of rows to hold out; None monitors the training rows.
    n_iter_no_change : int, default=10
        Number of rounds without improvement before stopping.
    tol : float, default=0.0
        Smallest improvement that counts.
    max_time : float, default=None
        Maximum time for all rounds, in seconds.
    trace : {"weights"} or None, default=None
        "weights" records the row weights before every round in ``trace_.weights``.
    warm_start : bool, default=False
        Keep the members of the last fit and add more.
    verbose : int, default=0
        Report progress.
    n_jobs : int, default=None
        Number of threads within native trees and for prediction.
    max_bins : int, default=255
        Maximum number of bins per column in native trees; may be set on the tree instead.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.
    """

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 50
    learning_rate: float = 1.0
    random_state: RandomLike = None
    weighting: Literal["auto", "reweight", "resample"] = "auto"
    subsample: float = 1.0
    max_restarts: int = 0
    early_stopping: bool | Literal["auto"] = False
    scoring: Any = "error"
    metrics: Any = None
    validation_fraction: float | None = 0.1
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

    @property
    def _members_read(self) -> bool:
        return getattr(self, "estimator", None) is not None and not is_native(self.estimator)

    def _tag_members(self) -> list[Any]:
        return [self.estimator]

    def _member(self, gives: str, target: Target) -> Any:
        """The estimator to boost."""
        if self.estimator is not None:
            return self.estimator
        tree = DecisionTreeRegressor if gives == "score" else DecisionTreeClassifier
        return tree(max_depth=self._depth(target))

    def _depth(self, target: Target) -> int:
        """Of the trees that are boosted unless the user names another member."""
        if target.kind != "labels":
            return 1
        return class_depth(int(target.n_classes[0]), self._rule().spare_levels)

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
            Weights >= 0; a row with weight 0 is ignored.
        X_val, y_val, sample_weight_val : array-likes, optional
            Validation rows that are evaluated after every round, instead of a part of the training
            rows. They are evaluated without `early_stopping` as well.

        Returns
        -------
        self
        """
        validation = Validation.of(X_val, y_val, sample_weight_val)
        return self._fit(X, y, sample_weight, validation=validation)

    def _train(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        *,
        validation: Validation | None = None,
    ) -> None:
        earlier = self._earlier()
        entropy = self.entropy_ if earlier is not None else draw_entropy(self.random_state)
        learn, watch = self._hold_out(admitted, entropy, validation)
        rows = Rows(*learn[:3])
        rule = self._settle(self._rule().for_target(rows.target), rows, entropy, earlier)
        held = self._measures(rule, learn, watch)
        boosted = self._boost(
            rule, self._member(rule.gives, rows.target), rows, held, entropy, earlier
        )
        draft.entropy_, draft.rule_ = entropy, rule
        self._publish(draft, boosted)

    def _settle(self, rule: Rule, rows: Rows, entropy: int, earlier: Boosted | None) -> Rule:
        """The rule with what it leaves to the rows."""
        return rule

    def _boost(
        self,
        rule: Rule,
        member: Any,
        rows: tuple[Table, Target, Array | None],
        held: Measures | None,
        entropy: int,
        earlier: Boosted | None,
    ) -> Boosted:
        """The members that the rule asks for, fitted on the rows one after the other."""
        table, target, weight = rows
        if is_native(member):
            bins = member_bins(type(self).__name__, self.max_bins, member)
            table = table.bin(weight=weight, max_bins=bins, n_threads=thread_count(self.n_jobs))
        boosted = boost(
            rule,
            self._learner(member, rule, (table, target, weight)),
            table,
            target,
            weight,
            seeds=member_seeds(entropy, 0, self.n_estimators),
            settings=self._settings(member, rule, held),
            earlier=earlier,
        )
        return up_to_best(boosted, held)

    def _learner(
        self, member: Any, rule: Rule, rows: tuple[Table, Target, Array | None]
    ) -> Trainer:
        """What fits the members."""
        table, target, _ = rows
        threads = thread_count(self.n_jobs)
        return member_learner(type(self).__name__, member, rule.gives, table, target, threads)

    def _settings(self, member: Any, rule: Rule, held: Measures | None) -> Settings:
        watches: list[RoundWatch] = []
        if held is not None and self.early_stopping:
            watches.append(self._patience(held))
        if self.max_time is not None:
            watches.append(TimeBudget(self.max_time))
        if self.verbose:
            watches.append(Progress(self.n_estimators))
        return Settings(
            rows=self._rows(member),
            restarts=self.max_restarts,
            watches=watches,
            monitors=[] if held is None else [Monitor(held.rows.table, held)],
            keep_weights=self.trace == "weights",
        )

    def _patience(self, held: Measures) -> RoundWatch:
        """Ends boosting when the score that decides no longer improves."""
        first = held.scorings[0]
        patience = Patience(self.n_iter_no_change, self._least_gain)
        return NoImprovement(held.fact(first), patience, first.larger)

    @property
    def _least_gain(self) -> float:
        """Smallest improvement that early stopping counts."""
        return self.tol

    def _rows(self, member: Any) -> RowSampler:
        native = is_native(member)
        resample = self.weighting == "resample"
        if self.weighting == "reweight" and not native and not takes_weight(member):
            raise ValueError(
                "weighting='reweight' needs members whose fit accepts sample_weight, but "
                f"{type(member).__name__}.fit does not. Use weighting='auto' or 'resample'."
            )
        if resample or not (native or takes_weight(member)):
            return Resample(self.subsample)
        return every_row if self.subsample == 1.0 else Fraction(self.subsample)

    def _hold_out(
        self, admitted: Admitted, entropy: int, validation: Validation | None
    ) -> tuple[Admitted, Admitted | None]:
        """The rows to learn from, and those to measure; they may be the same."""
        if self.metrics is not None:
            warnings.warn(
                f"{type(self).__name__}: metrics is deprecated; use scoring={self.metrics!r}.",
                FutureWarning,
                stacklevel=6,  # where fit was called
            )
        target = admitted.target
        if validation is not None:
            schema = admitted.table.schema
            return admitted, admit_validation(type(self).__name__, schema, target, validation)
        if not stops_early(self.early_stopping, None, target.n_rows):
            return admitted, None
        if self.validation_fraction is None:
            return admitted, admitted
        learn, held = hold_out(target, self.validation_fraction, hold_out_seed(entropy))
        return admitted.take(learn), admitted.take(held)

    def _measures(self, rule: Rule, learn: Admitted, watch: Admitted | None) -> Measures | None:
        """What is measured after every round, if anything is."""
        if watch is None:
            return None
        answers = self._answers(rule, watch.target)
        where: Literal["train", "validation"] = "train" if watch is learn else "validation"
        return Measures(self._scorings(watch.target), answers, watch, where=where)

    def _scorings(self, target: Target) -> tuple[Scoring, ...]:
        if self.metrics is None:
            return read_scoring(self.scoring, target.kind)
        if self.scoring != "error":
            raise ParameterError("metrics is the former name of scoring; set only scoring.")
        return read_scoring(self.metrics, target.kind)

    def _answers(self, rule: Rule, target: Target) -> Answers:
        """How scores become predictions."""
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
        trace, weights = boosted.trace, np.array(boosted.alphas)
        draft.pool_ = Pool.of(boosted.members, weights, cast=draft.rule_.vote)
        if boosted.stages:
            draft.pool_ = StagedPool.staged(draft.pool_, boosted.stages)
        draft.start_ = boosted.start
        draft.trace_, draft.stop_reason_ = trace, trace.reason
        draft.n_rounds_ = len(boosted.members)
        draft.estimator_ = clone(self._member(draft.rule_.gives, draft.target_))

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
        """The fitted members, created on access."""
        return Members(self._settled())

    @property
    def feature_importances_(self) -> Array:
        """Each column's share in the decrease of impurity, weighted by member weight."""
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

    def _answers(self, rule: Rule, target: Target) -> Answers:
        return rule_answers(rule, target)

    def _best_rule(self, rules: Sequence[Rule], rows: Rows, entropy: int) -> Rule:
        """The rule of fewest mistakes on held-out rows; among equals, the first."""
        # Whatever number of rounds is asked for: a longer fit goes on where a shorter one ended.
        twin = self._copy()
        twin.n_estimators, twin.early_stopping, twin.verbose, twin.trace = _TRIED, False, 0, None

        def mistakes(rule: Rule, learn: Rows, held: Rows) -> NDArray[np.bool_]:
            member = twin._member(rule.gives, learn.target)
            boosted = twin._boost(rule, member, learn, None, entropy, None)
            pool = Pool.of(boosted.members, np.array(boosted.alphas), cast=rule.vote)
            raw = np.repeat(boosted.start[None, :], held.table.n_rows, axis=0)
            raw = raw + pool.raw(held.table) if boosted.members else raw
            return np.asarray(rule.decide(raw) != held.target.codes[:, 0])

        return choose(rules, mistakes, rows)


def rule_answers(rule: Rule, target: Target) -> Answers:
    """How a rule turns scores into classes and probabilities."""
    single = target.n_outputs == 1

    def predict(raw: Array) -> NDArray[Any]:
        return target.decode(rule.decide(rule.settle(raw)))

    def predict_proba(raw: Array) -> Any:
        chance = rule.link(rule.settle(raw))
        return chance if single else split_outputs(target, chance)

    def decision_function(raw: Array) -> Array:
        settled = rule.settle(raw)
        return settled[:, 0] if settled.shape[1] == 1 else settled

    classes = target.classes[0] if single else list(target.classes)
    return Answers(predict, predict_proba, decision_function, classes)


def up_to_best(boosted: Boosted, held: Measures | None) -> Boosted:
    """The rounds up to the best one, if early stopping ended them; otherwise all."""
    if held is None or boosted.trace.reason != "early_stopping":
        return boosted
    first = held.scorings[0]
    size = first.best(boosted.trace[held.fact(first)]) + 1
    trace = Trace(boosted.trace.rounds[:size], boosted.trace.weights[:size], "early_stopping")
    return replace(
        boosted,
        members=boosted.members[:size],
        alphas=boosted.alphas[:size],
        stages=boosted.stages[:size],
        trace=trace,
    )
