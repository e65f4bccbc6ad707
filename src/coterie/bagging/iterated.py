"""Iterated bagging: bag, then bag what the out-of-bag predictions left over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from coterie.bagging.bag import BAG, TreeEffort, tree_learner
from coterie.bagging.bag_members import MembersShown
from coterie.base import (
    Admitted,
    Committee,
    JoblibExecutor,
    RegressorTask,
    thread_count,
    worker_count,
)
from coterie.base.oob_votes import collect_votes
from coterie.core import (
    Allowed,
    Bags,
    Bootstrap,
    Learner,
    Pool,
    RandomLike,
    RowAxis,
    View,
    at_least,
    draw_entropy,
    gather,
    member_seeds,
    shaking_stream,
)
from coterie.learners import ForeignLearner
from coterie.trees import DecisionTreeRegressor
from coterie.trees.single import is_native

Array = NDArray[np.float64]

_ROUNDING = 1e-12  # of the largest number: what is left below that is nothing


@dataclass(eq=False, repr=False)
class IteratedBaggingRegressor(MembersShown, RegressorTask, Committee):
    r"""Iterated bagging of residuals, which reduces bias as well as variance.

    Stage j bags members on the target :math:`y^{(j)}`, which is y at first. Every row is predicted
    by the members that did not see it, and the next stage gets the residuals: :math:`y^{(j+1)}_i =
    y^{(j)}_i - \text{oob}^{(j)}_i`. Out-of-bag residuals are like those of new rows, so a stage
    does not fit the noise that the previous one has memorised; a row with a copy in the bag does
    not count as new. It stops as soon as the mean square :math:`m_j` of the residuals exceeds
    `tolerance` times the smallest so far. The prediction is the sum of all stages up to the
    smallest.

    Without such copies :math:`m_1` is the out-of-bag error of plain bagging, and with one stage it
    is plain bagging. Gains are largest for small, biased members.

    Parameters
    ----------
    estimator : regressor, default=None
        The base estimator; by default a fully grown native tree.
    n_members : int, default=50
        Number of members per stage; with few, some rows have no out-of-bag prediction.
    n_stages : int, default=10
        Maximum number of stages.
    tolerance : float, default=1.1
        Factor by which the error may exceed the smallest so far before stopping.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness. The first stage has the bags of a `BaggingRegressor` with the same.
    n_jobs : int, default=None
        Number of members fitted in parallel.
    verbose : int, default=0
        Progress messages.
    max_bins : int, default=65535
        Maximum number of bins per column in native trees.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.

    Attributes
    ----------
    stage_errors_ : ndarray of shape (n_fitted,)
        Out-of-bag mean squared error after each stage, including discarded ones. It is slightly
        pessimistic, as only about a third of the members predict each row.
    n_stages_ : int
        Number of stages that were kept.
    estimators_ : sequence of regressors
        The members of all stages that were kept, `n_members` for each.
    pool_ : Pool
        The same, each of weight 1 / `n_members`.

    References
    ----------
    .. [1] Breiman, "Using iterated bagging to debias regressions", Machine Learning 45 (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> stump = DecisionTreeRegressor(max_depth=1)
    >>> model = IteratedBaggingRegressor(stump, random_state=0).fit(X, y)
    >>> model.n_stages_ > 1, bool(model.stage_errors_.min() < model.stage_errors_[0])
    (True, True)
    """

    answers_by = "sum"

    estimator: Any = None
    _: KW_ONLY
    n_members: int = 50
    n_stages: int = 10
    tolerance: float = 1.1
    random_state: RandomLike = None
    n_jobs: int | None = None
    verbose: int = 0
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **{name: BAG[name] for name in ("estimator", "random_state", "n_jobs", "verbose")},
        **{name: BAG[name] for name in ("max_bins", "categorical_features")},
        "n_members": at_least(1),
        "n_stages": at_least(1),
        "tolerance": at_least(1.0),
    }

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table, target, weight, kept = admitted
        threads = thread_count(self.n_jobs)
        table = table.bin(weight=weight, max_bins=self.max_bins, n_threads=threads)
        axis, importance = RowAxis.of(table, target, weight)
        view, draw = View(table, target, importance), Bootstrap(axis, axis.length)
        alike = _equal_rows(view, axis)
        executor = JoblibExecutor(self.n_jobs, self.verbose)
        learner = self._learner(view, executor.stop)
        entropy = draw_entropy(self.random_state)
        nothing = (_ROUNDING * np.abs(target.values).max()) ** 2
        pools: list[Pool] = []
        errors: list[float] = []
        for stage in range(self.n_stages):
            seeds = member_seeds(entropy, stage * self.n_members, (stage + 1) * self.n_members)
            members = gather(learner, view, seeds=seeds, shake=draw, executor=executor)
            pool = Pool.taking(members)
            pools.append(replace(pool, weights=np.full(len(pool), 1 / self.n_members)))
            drawn = map(draw.counts, map(shaking_stream, seeds.tolist()))
            bags = (_with_equals(counts, alike) for counts in drawn)
            left, error = _remainder(pools[-1], view, bags, weight)
            errors.append(error)
            if not nothing < error <= self.tolerance * np.nanmin(errors, initial=np.inf):
                break
            view = replace(view, target=replace(target, encoded=left))
        draft.stage_errors_ = np.array(errors)
        draft.n_stages_ = 1 if np.isnan(errors[0]) else int(np.nanargmin(errors)) + 1
        draft.pool_ = pools[0]
        for pool in pools[1 : draft.n_stages_]:
            draft.pool_ = draft.pool_ + pool
        seeds = member_seeds(entropy, 0, len(draft.pool_))
        draft.bags_ = Bags(seeds, draw, n_samples, kept)

    def _learner(self, view: View, stop: Any) -> Learner:
        member = self._member()
        if not is_native(member):
            return ForeignLearner(member)
        threads = min(thread_count(self.n_jobs), worker_count(self.n_jobs))
        effort = TreeEffort(max(1, threads // self.n_members), stop)
        return tree_learner(self, member, view, None, effort)

    def _member(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def _mean_vote(self, X: Any) -> Array:
        # Members of a stage weigh one together, and stages are added.
        return self.pool_.raw(self._admit(X), n_threads=thread_count(self.n_jobs))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each stage that was kept.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        this = self._settled()
        table, size = this._admit(X), len(this.pool_) // this.n_stages_
        total: Any = 0.0
        for start in range(0, len(this.pool_), size):
            total = total + this.pool_[start : start + size].raw(table)
            yield total[:, 0].copy() if this.n_outputs_ == 1 else total.copy()


def _equal_rows(view: View, axis: RowAxis) -> NDArray[np.intp]:
    """A number for every row, the same for rows that hold the same."""
    assert view.table.codes is not None
    codes, values = view.table.codes, view.target.values[axis.order]
    if isinstance(codes, np.ndarray):
        same = (codes[axis.order[1:]] == codes[axis.order[:-1]]).all(axis=1)
    else:
        same = codes.like_before(axis.order)
    same &= (values[1:] == values[:-1]).all(axis=1)
    numbers = np.empty(len(codes), dtype=np.intp)
    numbers[axis.order] = np.cumsum(np.append(False, ~same))
    return numbers


def _with_equals(counts: NDArray[np.int64], alike: NDArray[np.intp]) -> NDArray[np.int64]:
    """How often a row or one that holds the same is in a bag."""
    return np.bincount(alike, counts)[alike].astype(np.int64)


def _remainder(
    pool: Pool, view: View, bags: Iterable[NDArray[np.int64]], weight: Array | None
) -> tuple[Array, float]:
    """What out-of-bag predictions leave of the target, and its mean square.

    A row that every member saw has no such prediction. It is predicted by all of them, and does
    not count in the error.
    """
    votes = collect_votes(pool, view.table, view.target, bags, weight=weight)
    guess = votes.mean
    if not votes.covered.all():
        unseen = np.flatnonzero(~votes.covered)
        guess[unseen] = pool.raw(view.table.take(unseen))
    return np.ascontiguousarray(view.target.values - guess), float(votes.curve.error[-1])
