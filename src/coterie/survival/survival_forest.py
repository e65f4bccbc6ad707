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
from coterie.core import Allowed, View, one_of, untouched
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
from coterie.survival.outcomes import signed_times
from coterie.survival.survival_task import SurvivalTask
from coterie.trees.single import DecisionTreeRegressor

Array = NDArray[np.float64]


_NOT_HERE = ("ccp_alpha", "monotonic_cst", "min_impurity_decrease", "oob_patience", "tol")


@dataclass(frozen=True)
class SurvivalTreeLearner(TreeLearner):
    """Grows a tree by the log-rank score test; its leaves hold mortalities.

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
        hazards = LeafHazards.of(leaves, target.values[:, 0], weight, len(tree.values))
        return tree.with_values(hazards.mortality(self.event_times)[:, None])


@dataclass(eq=False, repr=False, kw_only=True)
class RandomSurvivalForest(SurvivalTask, ManyTrees):
    r"""A random forest for censored survival times.

    Every tree is grown on a bootstrap sample of the rows. A node is split where the log-rank score
    test separates its sides best: each row is labelled with its martingale residual in the node,
    :math:`r_i = \delta_i - H(t_i)`, one for an event less the hazard that the node has seen up to
    then, and the split maximises the difference in their means by squared error. The sum of the
    residuals on one side is the numerator U of the log-rank test exactly; its variance is that of a
    permutation, which trusts a cut of very few rows less than the test's own formula.

    A leaf has the hazard of its rows by Nelson & Aalen, and a row the mean of the hazards of its
    leaves. `predict` gives the mortality: that hazard added up over the different times of events
    in training.

    Parameters
    ----------
    min_samples_leaf : int or float, default=15
        Minimum number of rows in a leaf.
    max_depth, min_samples_split, min_weight_fraction_leaf, max_leaf_nodes : int or float
        More limits of every tree, see `DecisionTreeRegressor`.
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default="sqrt"
        Columns drawn per node.
    oob_score : bool, default=False
        Whether to evaluate the forest on out-of-bag rows, with Harrell's concordance index.
    survival : {"hazard", "km"}, default="hazard"
        Survival curves are :math:`e^{-H}` of the mean hazard, or the mean of the leaves' Kaplan &
        Meier curves.

    Attributes
    ----------
    times_ : ndarray
        The times at which curves are given by default.
    event_times_ : ndarray
        Different times of events in training.
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
    .. [2] Hothorn & Lausen, "On the exact distribution of maximally selected rank statistics",
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
    }
    member_class: ClassVar[type] = DecisionTreeRegressor

    min_samples_leaf: float = 15
    max_features: float | str | None = "sqrt"
    survival: Literal["hazard", "km"] = "hazard"
    # What forests of numbers have, and times do not allow.
    criterion: str = field(default="squared_error", init=False)
    ccp_alpha: float = field(default=0.0, init=False)
    monotonic_cst: Any = field(default=None, init=False)
    min_impurity_decrease: float = field(default=0.0, init=False)
    oob_patience: int | None = field(default=None, init=False)
    tol: float = field(default=0.0, init=False)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, *, event: Any = None
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
            Weights >= 0; a row of weight 0 is as good as absent.
        groups : array-like of shape (n_samples,), optional
            Rows of one group are in a bag together or not at all.
        event : array-like of shape (n_samples,), optional
            Events, if `y` holds times alone; without it all rows are events.

        Returns
        -------
        self
        """
        return self._fit(X, signed_times(y, event), sample_weight, groups=groups)

    def _encode(self, y: Any) -> Any:
        return y

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
            replace(grown.growth, criterion="log_rank"),
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
        signed, forest = target.values[:, 0], draft.pool_.forest

        def hazards_of(number: int) -> LeafHazards:
            bag = (draw or untouched)(view, shaking_stream(draft.bags_.seed(number)))
            tree = forest[number]
            return LeafHazards.of(
                find_leaves(tree, admitted.table), signed, bag.weight, len(tree.values)
            )

        parts = JoblibExecutor(self.n_jobs).map(hazards_of, range(first, len(forest)))
        hazards = LeafHazards.joined(list(parts))
        draft.hazards_ = hazards if earlier is None else earlier.hazards_ + hazards
        return judge

    def _judge(self, draft: Self, admitted: Admitted, judge: OobJudge | None) -> None:
        super()._judge(draft, admitted, judge)
        del draft.oob_curve_  # of squared errors
        rows = slice(None) if admitted.kept is None else admitted.kept
        risk, signed = draft.oob_prediction_[rows], admitted.target.values[:, 0]
        some = ~np.isnan(risk)
        weight = None if admitted.weight is None else admitted.weight[some]
        times = np.abs(signed[some])
        draft.oob_score_ = compare_pairs(signed[some] > 0, times, risk[some], weight).share

    def _publish_oob(self, draft: Any, mean: Array) -> None:
        draft.oob_prediction_ = mean[:, 0]

    def predict(self, X: Any) -> Array:
        """Mortality: the hazard added up over the times of events in training.

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


def _event_times(target: Target) -> Array:
    signed = target.values[:, 0]
    return np.unique(signed[signed > 0])
