"""Forests of trees that split by the log-rank test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.base import Admitted, JoblibExecutor, thread_count
from coterie.base.bagged import Plan
from coterie.base.oob_votes import OobJudge
from coterie.core import Allowed, View, at_least, one_of, untouched
from coterie.core.axis import split_weight
from coterie.core.seeds import shaking_stream
from coterie.data import Table, Target
from coterie.forests.forest import FOREST
from coterie.forests.many import ManyTrees
from coterie.learners import TreeLearner
from coterie.learners.tree import find_leaves
from coterie.native import Forest
from coterie.survival.concordance import compare_pairs
from coterie.survival.leaf_hazards import LeafHazards
from coterie.survival.outcomes import check_entries, entry_numbers, signed_times
from coterie.survival.survival_task import SurvivalTask
from coterie.trees.single import DecisionTreeRegressor

Array = NDArray[np.float64]


_NOT_HERE = ("ccp_alpha", "monotonic_cst", "min_impurity_decrease", "oob_patience", "tol")


@dataclass(frozen=True)
class SurvivalTreeLearner(TreeLearner):
    """Grows a tree by a log-rank test; its leaves hold mortalities.

    Parameters
    ----------
    event_times : ndarray
        Different times of events, ascending, over which hazards are added up.
    """

    event_times: Array = field(default_factory=lambda: np.empty(0), compare=False, repr=False)

    def fit(self, table: Table, target: Target, weight: Array | None, rng: Generator) -> Forest:
        """A forest of one tree."""
        leaves = np.full(table.n_rows, -1, dtype=np.int32)
        tree = self._grow(table, target, weight, rng, leaves)
        signed, entry = _times(target)
        hazards = LeafHazards.of(leaves, signed, weight, len(tree.values), entry)
        return tree.with_values(hazards.mortality(self.event_times)[:, None])


@dataclass(eq=False, repr=False, kw_only=True)
class RandomSurvivalForest(SurvivalTask, ManyTrees):
    r"""A random forest for censored survival times.

    Every tree is grown on a bootstrap sample of the rows. A node is split where a log-rank test
    separates its sides best. Each row is labelled with its martingale residual in the node,
    :math:`r_i = \delta_i - H(t_i)`, one for an event less the hazard that the node has seen up to
    then: their sum on one side is the numerator U of the test. With ``split="logrank_score"`` the
    variance is that of a permutation, :math:`n_L n_R \sum r^2 / (n (n - 1))`, and the split that of
    least squared error in r. With ``split="logrank"`` it is the test's own, :math:`V = \sum_s
    \frac{Y_{Ls}}{Y_s} (1 - \frac{Y_{Ls}}{Y_s}) \frac{Y_s - d_s}{Y_s - 1} d_s`, for the `recheck`
    cuts of a node that are best by the score. They differ most if one side has few rows, or is
    observed only briefly: the score gives less credit to such splits.

    A leaf stores the Nelson-Aalen hazard of its rows, and the hazard of a row is the mean over its
    leaves. `predict` returns the mortality: that hazard summed over the distinct event times of the
    training rows.

    Parameters
    ----------
    min_samples_leaf : int or float, default=15
        Minimum number of rows in a leaf.
    max_depth, min_samples_split, min_weight_fraction_leaf, max_leaf_nodes : int or float
        More limits of every tree, see `DecisionTreeRegressor`.
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default="sqrt"
        Columns drawn per node.
    min_events_leaf : int, default=1
        Minimum number of rows with an event in a leaf.
    split : {"logrank_score", "logrank"}, default="logrank_score"
        The test by which nodes are split.
    recheck : int or None, default=10
        With ``split="logrank"``, the number of splits of a node that are tested; None tests all of
        them. In both cases, categories are split in the order of their mean residuals.
    oob_score : bool, default=False
        Whether to evaluate the forest on out-of-bag rows, with Harrell's concordance index.
    survival : {"hazard", "km"}, default="hazard"
        Survival curves are :math:`e^{-H}` of the mean hazard, or the mean of the leaves' Kaplan &
        Meier curves.

    Attributes
    ----------
    times_ : ndarray
        The default times of the curves.
    event_times_ : ndarray
        Distinct event times of the training rows.
    hazards_ : LeafHazards
        The hazards of all leaves.
    estimators_, estimators_samples_, pool_, feature_importances_ : see RandomForestRegressor
        The same as there; the trees predict mortalities.
    oob_score_, oob_coverage_ : float
        Concordance of the out-of-bag mortalities, and the share of rows that have one.
    oob_prediction_ : ndarray of shape (n_samples,)
        Out-of-bag mortalities, NaN for rows without a vote or of weight zero.

    References
    ----------
    .. [1] Ishwaran, Kogalur, Blackstone & Lauer, "Random survival forests", Ann. Appl. Stat. 2
       (2008).
    .. [2] Segal, "Regression trees for censored data", Biometrics 44 (1988): the log-rank test as a
       criterion of splits.
    .. [3] Hothorn & Lausen, "On the exact distribution of maximally selected rank statistics",
       Comput. Stat. Data Anal. 43 (2003).

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> time, limit = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, size=400)
    >>> y = make_outcomes(time <= limit, np.minimum(time, limit))
    >>> forest = RandomSurvivalForest(oob_score=True, random_state=0).fit(X, y)
    >>> 0.65 < forest.oob_score_ < 0.8
    True
    >>> forest.predict_survival_function([[2.0, 0, 0], [-2.0, 0, 0]], times=[0.5]).round(1)
    array([[0.1],
           [0.9]])
    """

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **{name: word for name, word in FOREST.items() if name not in _NOT_HERE},
        "oob_score": one_of(True, False),
        "survival": one_of("hazard", "km"),
        "split": one_of("logrank_score", "logrank"),
        "recheck": at_least(1) | one_of(None),
        "min_events_leaf": at_least(0),
    }
    member_class: ClassVar[type] = DecisionTreeRegressor

    min_samples_leaf: float = 15
    max_features: float | str | None = "sqrt"
    survival: Literal["hazard", "km"] = "hazard"
    split: Literal["logrank_score", "logrank"] = "logrank_score"
    recheck: int | None = 10
    min_events_leaf: int = 1
    # What forests of numbers have, and times do not allow.
    criterion: str = field(default="squared_error", init=False)
    ccp_alpha: float = field(default=0.0, init=False)
    monotonic_cst: Any = field(default=None, init=False)
    min_impurity_decrease: float = field(default=0.0, init=False)
    oob_patience: int | None = field(default=None, init=False)
    tol: float = field(default=0.0, init=False)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        *,
        event: Any = None,
        entry: Any = None,
    ) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : structured array, frame, array-like of shape (n_samples, 2) or (n_samples,), or pair
            Times and events: a structured array of an event and a time, as scikit-survival has;
            two columns, time and event; a pair (event, time); or times alone.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row with weight 0 is ignored.
        groups : array-like of shape (n_samples,), optional
            Rows of one group are in a bag together or not at all.
        event : array-like of shape (n_samples,), optional
            Events, if `y` contains only times; by default all rows are events.
        entry : array-like of shape (n_samples,), optional
            Times at which rows came under observation (left truncation): at time s, rows with entry
            < s are at risk. By default all rows are observed from the start.

        Returns
        -------
        self
        """
        outcomes = signed_times(y, event)
        if entry is not None and outcomes is not None:
            since = entry_numbers(entry, len(outcomes))
            # Bags are drawn by what rows hold: a column of zeros would change them for nothing.
            outcomes = np.column_stack([outcomes, since]) if since.any() else outcomes
        return self._fit(X, outcomes, sample_weight, groups=groups)

    def _encode(self, y: Any) -> Any:
        return y

    def _check_target(self, admitted: Admitted) -> None:
        super()._check_target(admitted)
        signed, entry = _times(admitted.target)
        if entry is not None:
            check_entries(entry, np.abs(signed))

    def _describe_target(self, draft: Self, admitted: Admitted) -> None:
        super()._describe_target(draft, _of_times(admitted))

    def _plan(
        self,
        admitted: Admitted,
        groups: NDArray[np.int32] | None,
        n_members: int,
        executor: JoblibExecutor,
    ) -> Plan:
        plan = super()._plan(admitted, groups, n_members, executor)
        grown = plan.learner
        assert isinstance(grown, TreeLearner)
        learner = SurvivalTreeLearner(
            replace(
                grown.growth,
                criterion="log_rank" if self.split == "logrank" else "log_rank_score",
                recheck=self.recheck,
                min_events_leaf=int(self.min_events_leaf),
            ),
            grown.min_weight_fraction,
            n_threads=grown.n_threads,
            stop=grown.stop,
            event_times=_event_times(admitted.target),
        )
        return replace(plan, learner=learner)

    def _grow(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        earlier: Self | None,
        groups: NDArray[np.int32] | None,
    ) -> OobJudge | None:
        judge = super()._grow(draft, admitted, n_samples, earlier, groups)
        draft.event_times_ = _event_times(admitted.target)
        target, weight = admitted.target, admitted.weight
        draw, sampler = draft.bags_.draw, self._sampler()
        if draw is not None and sampler is not None and groups is None:
            # What is drawn by weight, or repeated by it, has it already, see `lay_bags`.
            weight = None if sampler.by_weight else split_weight(weight)[1]
        view = View(admitted.table, target, weight)
        first = 0 if earlier is None else len(earlier.pool_)
        (signed, entry), forest = _times(target), draft.pool_.forest

        def hazards_of(number: int) -> LeafHazards:
            bag = (draw or untouched)(view, shaking_stream(draft.bags_.seed(number)))
            tree = forest[number]
            leaves = find_leaves(tree, admitted.table)
            return LeafHazards.of(leaves, signed, bag.weight, len(tree.values), entry)

        parts = JoblibExecutor(self.n_jobs).map(hazards_of, range(first, len(forest)))
        hazards = LeafHazards.joined(list(parts))
        draft.hazards_ = hazards if earlier is None else earlier.hazards_ + hazards
        return judge

    def _judge(self, draft: Self, admitted: Admitted, judge: OobJudge | None) -> None:
        super()._judge(draft, _of_times(admitted), judge)
        del draft.oob_curve_  # of squared errors
        rows = slice(None) if admitted.kept is None else admitted.kept
        risk, (signed, entry) = draft.oob_prediction_[rows], _times(admitted.target)
        some = ~np.isnan(risk)
        weight, since = (None if a is None else a[some] for a in (admitted.weight, entry))
        event, times = signed[some] > 0, np.abs(signed[some])
        draft.oob_score_ = compare_pairs(event, times, risk[some], weight, entry=since).share

    def _publish_oob(self, draft: Any, mean: Array) -> None:
        draft.oob_prediction_ = mean[:, 0]

    def predict(self, X: Any) -> Array:
        """Mortality: the hazard summed over the event times of the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._settled()._mean_vote(X)[:, 0]

    # The task has its docstring.
    def predict_cumulative_hazard_function(self, X: Any, times: Any = None) -> Array:  # noqa: D102
        this = self._settled()
        return this._mean_curves(X, this._moments(times), lambda leaf: leaf)

    # The task has its docstring.
    def predict_survival_function(self, X: Any, times: Any = None) -> Array:  # noqa: D102
        this = self._settled()
        moments = this._moments(times)
        if this.survival == "km":
            return this._mean_curves(X, moments, lambda leaf: np.exp(-leaf), product=True)
        return np.asarray(np.exp(-this._mean_curves(X, moments, lambda leaf: leaf)))

    def _mean_curves(self, X: Any, times: Array, make: Any, *, product: bool = False) -> Array:
        """The mean over trees of what is made of the hazards of leaves, (n_rows, n_times)."""
        moments, back = np.unique(times, return_inverse=True)
        forest, table = self.pool_.forest, self._admit(X)
        offsets, threads = forest.leaf_offsets - forest.leaf_offsets[0], thread_count(self.n_jobs)
        starts = forest.node_offsets - forest.node_offsets[0]
        total = np.zeros((table.n_rows, len(moments)))
        for rows, values in table.walks():
            nodes = forest.apply(values, n_threads=threads)
            for t in range(len(forest)):
                leaf = make(
                    self.hazards_.curves(offsets[t], offsets[t + 1], moments, product=product)
                )
                total[rows] += leaf[~forest.nodes["left"][starts[t] + nodes[:, t]]]
        return np.asarray(total[:, back] / len(forest))


def _times(target: Target) -> tuple[Array, Array | None]:
    """Signed times, and when rows came under observation, if that is known."""
    values = target.values
    return values[:, 0], values[:, 1] if values.shape[1] > 1 else None


def _of_times(admitted: Admitted) -> Admitted:
    """The same rows without their entries."""
    return admitted._replace(target=Target("values", admitted.target.values[:, :1].copy()))


def _event_times(target: Target) -> Array:
    signed = target.values[:, 0]
    return np.unique(signed[signed > 0])
