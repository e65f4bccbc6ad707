"""Isolation forests: rows that random cuts separate early are strange."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.base import Admitted, LazyMembers, thread_count
from coterie.base.bagged import warn_no_more
from coterie.base.same_data import check_same_data
from coterie.core import (
    Allowed,
    Bags,
    Bootstrap,
    Columns,
    Pool,
    RowAxis,
    Subsample,
    at_least,
    draw_entropy,
    fraction,
    member_seeds,
    one_of,
    split_weight,
)
from coterie.core.axis import cell_order
from coterie.core.seeds import shaking_stream
from coterie.data import DataError, Table, Target
from coterie.native import (
    Effort,
    Forest,
    IsolationSamples,
    SlantedForest,
    grow_isolation,
    grow_slanted,
)
from coterie.native.elementary import exp, log
from coterie.outliers.detector import (
    Contaminated,
    OutlierDetector,
    dense_rows,
    refuse_categories,
)
from coterie.trees import ExtraTreeRegressor

Array = NDArray[np.float64]
Path = Literal["approximate", "exact"]

_TRUTH = one_of(True, False)
_CELLS = 1 << 23  # of the rows that some trees are grown from, when a table is sparse
_SHARED = ("schema_", "n_features_in_", "feature_names_in_")


def average_path(n_rows: ArrayLike, path: Path = "approximate") -> Array:
    r"""Mean path length to a row in a random tree of a given number of rows.

    .. math:: c(m) = 2 H_{m-1} - 2 (m - 1) / m

    Parameters
    ----------
    n_rows : array-like of int
        The numbers m.
    path : {"approximate", "exact"}, default="approximate"
        Whether the harmonic number :math:`H_{m-1}` is :math:`\ln (m - 1) + \gamma` for m > 2, as in
        scikit-learn, or the sum itself.

    Returns
    -------
    ndarray
        0 for one row, 1 for two.

    Examples
    --------
    >>> average_path([1, 2, 3, 256]).round(6)
    array([ 0.      ,  1.      ,  1.207392, 10.244771])
    >>> average_path([1, 2, 3, 256], path="exact").round(6)
    array([ 0.      ,  1.      ,  1.666667, 10.24869 ])
    """
    sizes = np.asarray(n_rows, dtype=np.int64)
    many = np.maximum(sizes, 2).astype(np.float64)
    if path == "exact":
        steps = np.arange(1, max(int(sizes.max(initial=1)), 2), dtype=np.float64)
        harmonic = np.cumsum(1.0 / steps)[np.maximum(sizes, 2) - 2]
    else:
        harmonic = np.where(sizes > 2, log(many - 1.0) + np.euler_gamma, 1.0)
    return np.where(sizes > 1, 2.0 * harmonic - 2.0 * (many - 1.0) / many, 0.0)


def isolation_score(path_length: ArrayLike, n_rows: int, path: Path = "approximate") -> Array:
    r"""Anomaly score :math:`2^{-h / c(\psi)}`: near 1 for rows that are isolated early.

    Parameters
    ----------
    path_length : array-like
        Mean lengths h of the rows' paths.
    n_rows : int
        Rows :math:`\psi` that a tree was grown from.
    path : {"approximate", "exact"}, default="approximate"
        See `average_path`.

    Returns
    -------
    ndarray
        0.5 when trees were grown from one row.

    Examples
    --------
    >>> isolation_score([1.9, 2.0, 1.1], 3).round(3)
    array([0.336, 0.317, 0.532])
    """
    lengths = np.asarray(path_length, dtype=np.float64)
    scale = float(average_path(n_rows, path))
    powers = lengths / scale if scale > 0 else np.ones_like(lengths)
    # The mean of equal lengths is rounded, and the power of 1 must be 0.5, the usual threshold.
    powers = np.where(np.abs(powers - 1.0) < 1e-12, 1.0, powers)
    whole = np.floor(np.nan_to_num(powers))
    part = exp(-np.log(2.0) * (powers - whole))
    return np.asarray(np.ldexp(part, -whole.astype(np.int32)))


@dataclass(eq=False, repr=False, kw_only=True)
class IsolationTrees(Contaminated, OutlierDetector):
    """What isolation forests share.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_samples : "auto", int or float, default="auto"
        Number of rows per tree: "auto" is at most 256; or a number, or a share of the rows.
    contamination : "auto" or float, default="auto"
        Share of outliers among the training rows, in (0, 0.5]; with "auto", rows with a score above
        0.5 are outliers, as in the paper.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement.
    verbose : int, default=0
        Has no effect, because growing the trees takes little time.
    warm_start : bool, default=False
        Whether `fit` adds trees to those of the last fit.
    path : {"approximate", "exact"}, default="approximate"
        How the path length of several rows in a leaf is estimated; see `average_path`.
    """

    allowed: ClassVar[dict[str, Allowed]] = {
        "n_estimators": at_least(1),
        "max_samples": one_of("auto") | at_least(1) | fraction(),
        "contamination": one_of("auto") | Contaminated.allowed["contamination"],
        "bootstrap": _TRUTH,
        "verbose": at_least(0) | _TRUTH,
        "warm_start": _TRUTH,
        "path": one_of("approximate", "exact"),
    }

    n_estimators: int = 100
    max_samples: Any = "auto"
    contamination: Any = "auto"
    bootstrap: bool = False
    n_jobs: int | None = None
    verbose: int = 0
    warm_start: bool = False
    path: Path = "approximate"

    def _grow(self, table: Table, samples: IsolationSamples, draft: Self) -> None:
        """Grow trees and set them on the draft, behind those it has."""
        raise NotImplementedError

    def _path_lengths(self, table: Table) -> Array:
        """Sum of the lengths of all paths of each row."""
        raise NotImplementedError

    def _column_choice(self, n_columns: int) -> Columns | None:
        """How the columns of a tree are drawn; None when it may cut all."""
        return None

    def _keep(self, draft: Self) -> None:
        """Give the draft the trees of the last fit, for a warm start."""
        raise NotImplementedError

    def _learn(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table = admitted.table
        repeats, importance = split_weight(admitted.weight)
        order = cell_order(table, importance, thread_count(self.n_jobs))
        axis = RowAxis.lay(order, importance if repeats is None else repeats)
        draft.max_samples_ = size = _sample_size(self.max_samples, axis.length)
        draw = Bootstrap(axis, size) if self.bootstrap else Subsample(axis, size)
        n_before = self._recall(draft)
        seeds = member_seeds(draw_entropy(self.random_state), n_before, self.n_estimators)
        choice = self._column_choice(table.n_columns)
        bags = Bags(seeds, draw, n_samples, admitted.kept, choice)
        draft.bags_ = bags if n_before == 0 else bags.after(draft.bags_)
        if not len(seeds):
            warn_no_more()
            return
        samples = IsolationSamples(
            np.stack([draw.picks(shaking_stream(int(seed))) for seed in seeds]),
            _columns_of(bags, table.n_columns),
            seeds,
            (max(size, 2) - 1).bit_length(),
            average_path(np.arange(size + 1), self.path),
        )
        self._grow(table, samples, draft)

    def _recall(self, draft: Self) -> int:
        """How many trees a warm start begins with."""
        if not self.warm_start or not hasattr(self, "bags_"):
            return 0
        check_same_data(
            self,
            draft,
            "A warm start keeps the old members, so the data must match; otherwise "
            "fit with warm_start=False.",
        )
        draft.bags_ = self.bags_
        self._keep(draft)
        if len(self.bags_) > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={len(self.bags_)} when warm_start==True"
            )
        return len(self.bags_)

    def _set_offset(self, draft: Self, admitted: Admitted) -> None:
        if self.contamination == "auto":
            draft.offset_ = -0.5
        else:
            super()._set_offset(draft, admitted)

    def _normality(self, table: Table) -> Array:
        return self._score(self._path_lengths(table) / len(self.bags_))

    def _score(self, lengths: Array) -> Array:
        return -isolation_score(lengths, self.max_samples_, self.path)

    def _effort(self) -> Effort:
        return Effort(thread_count(self.n_jobs))

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows each tree was grown from, drawn again."""
        return list(self._settled().bags_.samples())


@dataclass(eq=False, repr=False, kw_only=True)
class IsolationForest(IsolationTrees):
    r"""An isolation forest, a drop-in replacement for ``sklearn.ensemble.IsolationForest``.

    A tree splits a random column at a random value between the minimum and the maximum of its node,
    until rows are isolated. With :math:`h(x)` the mean depth over all trees at which row x is
    isolated, and :math:`c(\psi)` its expected value for :math:`\psi` rows (`average_path`), the
    score is

    .. math:: s(x) = 2^{-h(x) / c(\psi)}

    and ``score_samples`` is its negative. Trees are grown on raw values: in quantile bins all gaps
    would be equal, and gaps are the signal.

    Every split sends missing values to a random side and divides categories into random sets. An
    integer weight k stands for k identical rows; other weights are sampling probabilities. The same
    seed gives the same forest whatever the order of the rows and whatever `n_jobs`.

    Parameters
    ----------
    max_features : int or float, default=1.0
        Columns that each tree may split: a number, or a share of them.

    Attributes
    ----------
    offset_ : float
        What `decision_function` subtracts: -0.5 by default.
    max_samples_ : int
        Rows that each tree was grown from.
    estimators_, estimators_samples_, estimators_features_ : sequences
        The trees, their rows and their columns; all created on access.
    pool_ : Pool
        All trees in one flat forest, whose values are path lengths.

    References
    ----------
    .. [1] Liu, Ting & Zhou, "Isolation forest", ICDM (2008).

    Examples
    --------
    >>> X = [[-1.1], [0.3], [0.5], [100.0]]
    >>> IsolationForest(random_state=0).fit_predict(X)
    array([ 1,  1,  1, -1])
    """

    allowed: ClassVar[dict[str, Allowed]] = IsolationTrees.allowed | {
        "max_features": at_least(1) | fraction()
    }

    max_features: float = 1.0

    def _column_choice(self, n_columns: int) -> Columns | None:
        wanted = self.max_features
        if not isinstance(wanted, float | np.floating):
            if wanted > n_columns:
                raise ValueError(
                    f"max_features={wanted} must be at most {n_columns}, the number of columns."
                )
            n_drawn = int(wanted)
        else:
            n_drawn = max(1, int(wanted * n_columns))
        return None if n_drawn == n_columns else Columns(n_columns, n_drawn)

    def _keep(self, draft: Self) -> None:
        draft.pool_ = self.pool_

    def _grow(self, table: Table, samples: IsolationSamples, draft: Self) -> None:
        forest = grow_axis_trees(table, samples, self._effort())
        pool = Pool(forest, np.ones(len(forest)))
        draft.pool_ = draft.pool_ + pool if hasattr(draft, "pool_") else pool

    def _path_lengths(self, table: Table) -> Array:
        return self.pool_.raw(table, n_threads=thread_count(self.n_jobs))[:, 0]

    def oob_score_samples(self, X: Any) -> Array:
        """Scores of the training rows by the trees that were grown without them.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The training rows, in the order of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            NaN for rows that all trees were grown from.
        """
        this = self._settled()
        table = this._admit(X)
        if table.n_rows != this.bags_.n_rows:
            raise DataError(
                f"X has {table.n_rows} rows, but the forest was fitted to {this.bags_.n_rows}: "
                "pass the training data again."
            )
        total, n_trees = this._path_lengths(table), np.full(table.n_rows, float(len(this.bags_)))
        for number in range(len(this.bags_)):
            seen = np.flatnonzero(this.bags_.counts(number))
            one = this.pool_[number : number + 1]
            total[seen] -= one.raw(table.take(seen))[:, 0]
            n_trees[seen] -= 1.0
        lengths = np.divide(total, n_trees, out=np.full_like(total, np.nan), where=n_trees > 0.5)
        return this._score(lengths)

    @property
    def estimators_(self) -> IsolationMembers:
        """The fitted trees, created on access; they predict path lengths."""
        return IsolationMembers(self._settled())

    @property
    def estimator_(self) -> ExtraTreeRegressor:
        """An unfitted tree of the kind that `estimators_` shows."""
        return ExtraTreeRegressor(max_features=1, splitter="random")

    @property
    def estimators_features_(self) -> list[NDArray[np.intp]]:
        """The columns each tree may split."""
        this = self._settled()
        every = np.arange(this.n_features_in_)
        chosen = [this.bags_.columns(number) for number in range(len(this.bags_))]
        return [every if columns is None else columns for columns in chosen]


class IsolationMembers(LazyMembers[ExtraTreeRegressor]):
    """The trees of an isolation forest one by one."""

    def _make(self, number: int) -> ExtraTreeRegressor:
        forest = self._owner
        tree: ExtraTreeRegressor = forest.estimator_
        tree.max_depth = (max(forest.max_samples_, 2) - 1).bit_length()
        tree.random_state = forest.bags_.seed(number)
        self._share(tree, _SHARED)
        tree.target_ = Target.numbers([0.0]).empty()
        tree.n_outputs_ = tree.max_features_ = 1
        tree.pool_ = forest.pool_[number : number + 1]
        return tree


@dataclass(eq=False, repr=False, kw_only=True)
class ExtendedIsolationForest(IsolationTrees):
    r"""An isolation forest with oblique splits.

    Axis-parallel splits make rows beside a cluster look normal if they share its range in one
    column. Here a split is a hyperplane with a random normal n through a random point p of the
    node's bounding box; rows with :math:`(x - p) \cdot n \le 0` go left. Everything else is as in
    `IsolationForest`.

    Parameters
    ----------
    extension_level : "full" or int, default="full"
        Number of columns involved in a split, minus one: 0 gives axis-parallel splits, which
        support missing values and categories; "full" uses all columns.
    standardize : bool, default=True
        Whether columns are standardised first, because the bounding box depends on the units.
    redraw : int, default=10
        How often a split that leaves one side empty is redrawn. If all attempts fail, it is kept
        and makes the paths longer, as in the authors' program.

    Attributes
    ----------
    offset_, max_samples_ : float, int
        See `IsolationForest`.
    forest_ : Forest or SlantedForest
        The trees.
    extension_level_ : int
        The level as a number.

    References
    ----------
    .. [1] Hariri, Carrasco Kind & Brunner, "Extended isolation forest", IEEE Transactions on
       Knowledge and Data Engineering 33 (2019).

    Examples
    --------
    >>> angle = np.linspace(0.0, 6.28, 200)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> forest = ExtendedIsolationForest(random_state=0).fit(ring)
    >>> bool(forest.score_samples([[0.0, 3.0]]) < forest.score_samples(ring).min())
    True
    """

    allowed: ClassVar[dict[str, Allowed]] = IsolationTrees.allowed | {
        "extension_level": one_of("full") | at_least(0),
        "standardize": _TRUTH,
        "redraw": at_least(0),
    }

    extension_level: Any = "full"
    standardize: bool = True
    redraw: int = 10

    def _learn(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        most = admitted.table.n_columns - 1
        level = most if self.extension_level == "full" else int(self.extension_level)
        if level > most:
            raise ValueError(
                f"extension_level={level} must be at most {most}, one less than the number of "
                "columns."
            )
        draft.extension_level_ = level
        if level > 0:
            rows = _complete_numbers(admitted.table)
            draft.centre_, draft.scale_ = _moments(rows, admitted.weight, self.standardize)
        super()._learn(draft, admitted, n_samples)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.extension_level == 0
        return tags

    def _keep(self, draft: Self) -> None:
        draft.forest_ = self.forest_

    def _grow(self, table: Table, samples: IsolationSamples, draft: Self) -> None:
        if draft.extension_level_ == 0:
            forest: Any = grow_axis_trees(table, samples, self._effort())
            if hasattr(draft, "forest_"):
                forest = Forest.concatenate([draft.forest_, forest])
        else:
            forest = grow_slanted(
                draft._scaled(table),
                samples,
                width=draft.extension_level_ + 1,
                redraw=self.redraw,
                effort=self._effort(),
            )
            forest = draft.forest_ + forest if hasattr(draft, "forest_") else forest
        draft.forest_ = forest

    def _scaled(self, table: Table) -> Array:
        return np.asarray((_complete_numbers(table) - self.centre_) / self.scale_)

    def _path_lengths(self, table: Table) -> Array:
        threads = thread_count(self.n_jobs)
        if isinstance(self.forest_, SlantedForest):
            return self.forest_.predict(self._scaled(table), n_threads=threads)
        return Pool(self.forest_, np.ones(len(self.forest_))).raw(table, n_threads=threads)[:, 0]


def grow_axis_trees(table: Table, samples: IsolationSamples, effort: Effort) -> Forest:
    """Trees that cut along the axes; of a sparse table only the rows of some trees are unfolded.

    Parameters
    ----------
    table : Table
        The rows.
    samples : IsolationSamples
        What each tree is grown from.
    effort : Effort
        Threads.
    """
    counts = [0 if labels is None else len(labels) for labels in table.categories]
    levels = np.array(counts, dtype=np.uint32)
    if table.values is not None:
        return grow_isolation(table.values, samples, levels=levels, effort=effort)
    n_trees, n_rows = samples.rows.shape
    step = max(1, _CELLS // (n_rows * table.n_columns))
    parts = []
    for start in range(0, n_trees, step):
        some = slice(start, start + step)
        rows, places = np.unique(samples.rows[some], return_inverse=True)
        part = IsolationSamples(
            places.reshape(-1, n_rows),
            samples.columns[some],
            samples.seeds[some],
            samples.max_depth,
            samples.path,
        )
        dense = dense_rows(table.take(rows))
        parts.append(grow_isolation(dense, part, levels=levels, effort=effort))
    return Forest.assemble(parts)


def _sample_size(max_samples: Any, n_rows: int) -> int:
    if max_samples == "auto":
        return min(256, n_rows)
    if isinstance(max_samples, float | np.floating):
        return max(1, int(max_samples * n_rows))
    if max_samples > n_rows:
        warnings.warn(
            f"max_samples ({max_samples}) is greater than the total number of samples ({n_rows}). "
            "max_samples will be set to n_samples for estimation.",
            UserWarning,
            stacklevel=2,
        )
    return int(min(max_samples, n_rows))


def _columns_of(bags: Bags, n_columns: int) -> NDArray[np.int32]:
    """The columns of the newest trees, shape (n_trees, n_drawn)."""
    if bags.choice is None:
        return np.tile(np.arange(n_columns, dtype=np.int32), (len(bags.seeds), 1))
    chosen = [bags.columns(number) for number in range(len(bags.seeds))]
    return np.stack([np.asarray(columns, dtype=np.int32) for columns in chosen])


def _complete_numbers(table: Table) -> Array:
    """The cells as float64; slanted cuts can do nothing with other ones."""
    refuse_categories(table, "Oblique splits", "Use extension_level=0.")
    names = table.names or range(table.n_columns)
    cells = dense_rows(table).astype(np.float64, copy=False)
    missing = np.isnan(cells).any(axis=0)
    if missing.any():
        name = list(names)[int(np.argmax(missing))]
        raise DataError(
            f"Oblique splits do not support missing values, but column {name!r} contains NaN. "
            "Use extension_level=0."
        )
    return cells


def _moments(rows: Array, weight: Array | None, standardize: bool) -> tuple[Array, Array]:
    """Means and deviations of the columns; 0 and 1 if they are to be left alone."""
    if not standardize:
        return np.zeros(rows.shape[1]), np.ones(rows.shape[1])
    centre = np.average(rows, axis=0, weights=weight)
    scale = np.sqrt(np.average((rows - centre) ** 2, axis=0, weights=weight))
    return centre, np.where(scale > 0, scale, 1.0)
