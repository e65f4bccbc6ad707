"""Growing one tree on slopes: the first and second derivatives of a loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.native import _engine
from coterie.native.forest import Forest
from coterie.native.growth import NO_LIMIT, Effort, _optional
from coterie.native.interrupts import in_main_thread, stop_flag

Bundles = tuple[
    NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]
]  # home, first, usual, sizes

if TYPE_CHECKING:
    from coterie.native.bins import Bins, Codes
    from coterie.native.sparse_codes import SparseCodes


@dataclass(frozen=True)
class Slopes:
    """Derivatives of the loss by the raw score, weights included.

    Parameters
    ----------
    gradient : float32 or float64 array of shape (n,)
        First derivatives.
    hessian : array of the same type and shape, optional
        Second derivatives, none negative; by default 1 for every row.
    rows : int32 array, optional
        The rows to learn from, ascending; by default all.
    """

    gradient: NDArray[Any]
    hessian: NDArray[Any] | None = None
    rows: NDArray[np.int32] | None = None

    def arrays(self) -> _engine.NewtonSlopes:
        """Return the slopes as the engine takes them."""
        rows = _optional(self.rows, np.int32)
        return _engine.NewtonSlopes(gradient=self.gradient, hessian=self.hessian, rows=rows)


@dataclass(frozen=True)
class NewtonGrowth:
    r"""How a tree is grown on slopes.

    A leaf is :math:`-S_\alpha(G) / (H + \lambda)`, a split gains
    :math:`S_\alpha(G)^2 / (H + \lambda)` of its sides less that of the node.

    Parameters
    ----------
    max_leaf_nodes, max_depth : int, optional
        Limits.
    level_wise : bool, default=False
        Split level by level instead of the best leaf first.
    symmetric : bool, default=False
        Split all nodes of a level alike. A node that would be left with too little on a side stays
        whole, and goes on to the next level as it is.
    in_middle : bool, default=False
        Set thresholds midway between the values that the node has on both sides, as CART does,
        not at the border of two bins of the whole table. Symmetric trees do not.
    min_samples_split, min_samples_leaf : int, default=2 and 1
        Fewest rows in a node that is split, and in a leaf.
    min_child_weight : float, default=0.0
        Least sum of second derivatives in a leaf.
    l1, l2 : float, default=0.0
        :math:`\alpha` and :math:`\lambda`.
    min_gain : float, default=0.0
        A split must gain more than this: :math:`\gamma`, compared with the gain that is not halved.
    max_delta_step : float, default=0.0
        Largest leaf value; 0 sets no limit.
    level_features, max_features : int, optional
        Columns drawn per level, and per node among those of its level.
    monotone, interactions, columns : arrays, optional
        As in :class:`Growth`; `columns` are those of this tree, ascending.
    precision : {"auto", "packed", "exact"}, default="auto"
        How slopes are summed: rounded at random to a few thousand levels and packed in one
        integer, or in exact doubles. By default the former for large tables whose slopes it does
        justice to.
    """

    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    level_wise: bool = False
    symmetric: bool = False
    in_middle: bool = False
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_child_weight: float = 0.0
    l1: float = 0.0
    l2: float = 0.0
    min_gain: float = 0.0
    max_delta_step: float = 0.0
    level_features: int | None = None
    max_features: int | None = None
    monotone: NDArray[np.int8] | None = None
    interactions: NDArray[np.bool_] | None = None
    columns: NDArray[np.int32] | None = None
    precision: Literal["auto", "packed", "exact"] = "auto"

    def settings(self) -> _engine.NewtonGrowth:
        """Return the plain numbers as the engine takes them."""
        settings = _engine.NewtonGrowth()
        settings.max_leaf_nodes = NO_LIMIT if self.max_leaf_nodes is None else self.max_leaf_nodes
        settings.max_depth = NO_LIMIT if self.max_depth is None else self.max_depth
        settings.level_wise, settings.symmetric = self.level_wise, self.symmetric
        settings.in_middle = self.in_middle
        settings.min_samples_split = self.min_samples_split
        settings.min_samples_leaf = self.min_samples_leaf
        settings.min_child_weight = self.min_child_weight
        settings.l1, settings.l2 = self.l1, self.l2
        settings.min_gain = self.min_gain
        settings.max_delta_step = self.max_delta_step
        settings.level_features = self.level_features or 0
        settings.max_features = self.max_features or 0
        settings.precision = ("auto", "packed", "exact").index(self.precision)
        return settings

    def arrays(self, n_columns: int) -> _engine.NewtonPlan:
        """Return all of it as the engine takes it, for a table of so many columns."""
        columns = np.arange(n_columns) if self.columns is None else self.columns
        return _engine.NewtonPlan(
            settings=self.settings(),
            monotone=_optional(self.monotone, np.int8),
            interactions=_optional(self.interactions, np.uint8),
            columns=np.ascontiguousarray(columns, dtype=np.int32),
        )


@dataclass(frozen=True)
class NewtonTable:
    """A binned table, laid out once for growing many trees on slopes.

    Parameters
    ----------
    codes : uint8 or uint16 array of shape (n, bundles), or SparseCodes
        What is counted: the bins, or bundles of columns that are never unusual together.
    by_column : array of the same shape, or SparseCodes
        The same in column-major order, which parting rows reads.
    bins : Bins
        How the columns were cut.
    bundles : tuple of four int32 arrays, or None
        What lies where in `codes`.
    unusual : Unusual, optional
        The codes that are not the usual ones of their columns: where they are few, they are
        counted instead of `codes`.
    joint : Joint, optional
        Columns of few codes that are counted as one in large nodes.
    workspace : Workspace
        Memory that one tree leaves to the next; they must therefore grow one after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.native import NewtonTable, encode, find_bins
    >>> flags = np.eye(8)
    >>> bins = find_bins(flags)
    >>> NewtonTable.of(encode(flags, bins), bins).codes.shape
    (8, 1)
    """

    codes: Codes | SparseCodes
    by_column: Codes | SparseCodes
    bins: Bins
    bundles: Bundles | None = None
    unusual: _engine.Unusual | None = None
    joint: _engine.Joint | None = None
    workspace: _engine.Workspace = field(default_factory=_engine.Workspace, compare=False)

    @classmethod
    def of(
        cls,
        codes: Codes | SparseCodes,
        bins: Bins,
        *,
        compact: bool = False,
        n_threads: int = 1,
    ) -> NewtonTable:
        """Lay out the codes of a table; if `compact`, without a copy by columns.

        Parting rows takes longer then, a fit by about a quarter.
        """
        if not isinstance(codes, np.ndarray):
            few = _engine.Unusual(codes.checked(bins), *bins.arrays())
            return cls(codes, codes, bins, unusual=few)
        by_column = codes if compact else _laid_out(codes, "F", n_threads)
        if codes.dtype != np.uint8 or codes.shape[1] < 2:
            return cls(np.ascontiguousarray(codes), by_column, bins)
        found = _engine.find_bundles(by_column, *bins.arrays(), n_threads)
        bundles, unusual = found[:4], found[4]
        usual, sizes = bundles[2:]
        # Looking a cell up costs about twice as much as reckoning it.
        if 2 * unusual.sum() < len(codes) * len(sizes):
            few = _engine.Unusual(by_column, *bins.arrays(), usual)
            return cls(by_column, by_column, bins, unusual=few)
        if len(sizes) == codes.shape[1]:
            counted = _laid_out(codes, "C", n_threads)
            joint = _engine.join_columns(counted, n_threads)
            return cls(counted, by_column, bins, joint=joint)
        shape = len(codes), len(sizes)
        bundled = np.empty(shape, dtype=np.uint8, order="C" if compact else "F")
        _engine.encode_bundles(by_column, *bundles, bundled, n_threads)
        counted = _laid_out(bundled, "C", n_threads)
        joint = _engine.join_columns(counted, n_threads)
        return cls(counted, bundled, bins, bundles, joint=joint)

    @property
    def n_columns(self) -> int:
        """Columns that trees split by, bundled or not."""
        return len(self.bins.categorical)

    def arrays(self) -> _engine.NewtonTable:
        """Return the table as the engine takes it."""
        return self._arrays

    @cached_property
    def _arrays(self) -> _engine.NewtonTable:
        names = "offsets", "lower", "upper", "categorical"
        bins: dict[str, Any] = dict(zip(names, self.bins.arrays(), strict=True))
        if not isinstance(self.codes, np.ndarray):
            cells = self.codes.checked(self.bins)
            return _engine.NewtonTable(codes=cells, unusual=self.unusual, **bins)
        assert isinstance(self.by_column, np.ndarray)
        return _engine.NewtonTable(
            codes=self.codes,
            by_column=self.by_column,
            bundles=self.bundles,
            unusual=self.unusual,
            joint=self.joint,
            **bins,
        )


def _laid_out(codes: Codes, order: Literal["C", "F"], n_threads: int) -> Codes:
    """Codes in C or Fortran order; the array itself if it is so already."""
    if codes.dtype != np.uint8 or codes.flags[order]:
        return np.asarray(codes, order=order)
    out = np.empty(codes.shape, dtype=np.uint8, order=order)
    _engine.copy_codes(codes, out, n_threads)
    return out


def grow_newton(
    table: NewtonTable,
    slopes: Slopes,
    growth: NewtonGrowth | _engine.NewtonPlan,
    *,
    seed: int = 0,
    leaves: NDArray[np.int32],
    effort: Effort | None = None,
) -> Forest:
    """Grow one tree on slopes and return it as a forest of one.

    Parameters
    ----------
    table : NewtonTable
        The binned table.
    slopes : Slopes
        What to fit.
    growth : NewtonGrowth, or what its `arrays` made of it
        How to grow; who grows many trees alike makes the arrays once.
    seed : int, default=0
        Of columns drawn and of roundings.
    leaves : int32 array of shape (n,)
        Receives the leaf of every row of the table: its row in the tree's ``values``.
    effort : Effort, optional
        Threads, and a flag that ends the growth.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.native import NewtonGrowth, NewtonTable, Slopes, encode, find_bins
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> bins, leaves = find_bins(X), np.empty(4, dtype=np.int32)
    >>> table = NewtonTable.of(encode(X, bins), bins)
    >>> slopes = Slopes(np.array([0.0, 0.0, -1.0, -3.0]))
    >>> tree = grow_newton(table, slopes, NewtonGrowth(l2=1.0), leaves=leaves)
    >>> tree.values[leaves].ravel().round(6)
    array([0.      , 0.      , 1.333333, 1.333333])
    """
    effort = effort or Effort()
    d = table.n_columns
    grown = _engine.grow_newton(
        table.arrays(),
        slopes.arrays(),
        growth.arrays(d) if isinstance(growth, NewtonGrowth) else growth,
        seed=seed,
        n_threads=effort.n_threads,
        workspace=table.workspace,
        leaves=leaves,
        stop=stop_flag(effort.stop),
        signals=in_main_thread(),
    )
    return Forest.of_tree(grown, n_features=d, n_outputs=1)


@dataclass(frozen=True)
class Scores:
    """What the trees of a round fit, one tree per score, and where their votes go.

    Parameters
    ----------
    slopes : Slopes
        Derivatives of shape (n, scores), column-major.
    raw : float64 array of shape (n, scores)
        Scores, to which votes are added.
    rate : float
        What votes are multiplied by.
    longest : float
        No leaf is larger than this.
    """

    slopes: Slopes
    raw: NDArray[np.float64]
    rate: float = 1.0
    longest: float = np.inf


def grow_scores(
    table: NewtonTable,
    scores: Scores,
    growth: NewtonGrowth | _engine.NewtonPlan,
    *,
    seeds: NDArray[np.uint64],
    leaves: NDArray[np.int32],
    effort: Effort | None = None,
) -> Forest:
    """Grow a tree for every score, and add its votes: :func:`grow_newton` many times in one call.

    Parameters
    ----------
    table, growth, leaves, effort
        As of :func:`grow_newton`; `leaves` are those of the last tree in the end.
    scores : Scores
        What to fit.
    seeds : uint64 array of shape (scores,)
        One per tree.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.native import NewtonGrowth, NewtonTable, Scores, Slopes, encode, find_bins
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> bins, leaves = find_bins(X), np.empty(4, dtype=np.int32)
    >>> table = NewtonTable.of(encode(X, bins), bins)
    >>> raw = np.zeros((4, 2), order="F")
    >>> slopes = Slopes(np.asfortranarray([[0.0, 1.0], [0.0, 1.0], [-1.0, 1.0], [-3.0, -3.0]]))
    >>> seeds = np.zeros(2, dtype=np.uint64)
    >>> len(grow_scores(table, Scores(slopes, raw), NewtonGrowth(), seeds=seeds, leaves=leaves))
    2
    >>> raw.T
    array([[ 0.,  0.,  1.,  3.],
           [-1., -1., -1.,  3.]])
    """
    slopes = scores.slopes
    given = _engine.NewtonScores(
        gradient=slopes.gradient,
        hessian=slopes.hessian,
        rows=_optional(slopes.rows, np.int32),
        seeds=seeds,
        raw=scores.raw,
        rate=scores.rate,
        longest=scores.longest,
    )
    return _grow_all(_engine.grow_scores, table, given, growth, leaves, effort)


def _grow_all(
    grow: Callable[..., Any],
    table: NewtonTable,
    given: _engine.NewtonScores | _engine.NewtonClasses,
    growth: NewtonGrowth | _engine.NewtonPlan,
    leaves: NDArray[np.int32],
    effort: Effort | None,
) -> Forest:
    """Grow the trees of a round by one of the engine's functions."""
    effort, d = effort or Effort(), table.n_columns
    grown = grow(
        table.arrays(),
        given,
        growth.arrays(d) if isinstance(growth, NewtonGrowth) else growth,
        n_threads=effort.n_threads,
        workspace=table.workspace,
        leaves=leaves,
        stop=stop_flag(effort.stop),
        signals=in_main_thread(),
    )
    return Forest.of_trees(grown, n_features=d)


@dataclass(frozen=True)
class Classes:
    """What the trees of a round fit, one tree per class, and where their votes go.

    The slopes are those of :func:`softmax_slopes`, made for one class at a time: with many rows,
    those of all classes would take more memory than all else.

    Parameters
    ----------
    y, weight
        As of :func:`softmax_slopes`.
    raw, rate, longest
        As of :class:`Scores`.
    room : array of shape (2, n), float32 or float64
        Receives the slopes of one class after the other.
    norms : float64 array of shape (2, n)
        Receives what the slopes of all classes have in common.
    """

    y: NDArray[np.int32]
    weight: NDArray[np.float64] | None
    raw: NDArray[np.float64]
    room: NDArray[Any]
    norms: NDArray[np.float64]
    rate: float = 1.0
    longest: float = np.inf


def grow_classes(
    table: NewtonTable,
    classes: Classes,
    growth: NewtonGrowth | _engine.NewtonPlan,
    *,
    seeds: NDArray[np.uint64],
    leaves: NDArray[np.int32],
    effort: Effort | None = None,
) -> Forest:
    """Grow a tree for every class, and add its votes: as :func:`grow_scores` does, in less memory.

    Parameters
    ----------
    table, growth, seeds, leaves, effort
        As of :func:`grow_scores`.
    classes : Classes
        What to fit.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.native import Classes, NewtonGrowth, NewtonTable, encode, find_bins
    >>> from coterie.native import grow_classes
    >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 2], dtype=np.int32)
    >>> bins, leaves = find_bins(X), np.empty(3, dtype=np.int32)
    >>> table, raw = NewtonTable.of(encode(X, bins), bins), np.zeros((3, 3), order="F")
    >>> classes = Classes(y, None, raw, np.empty((2, 3)), np.empty((2, 3)))
    >>> seeds = np.zeros(3, dtype=np.uint64)
    >>> forest = grow_classes(table, classes, NewtonGrowth(), seeds=seeds, leaves=leaves)
    >>> raw.round(6)
    array([[ 3. , -1.5, -1.5],
           [-1.5,  3. , -1.5],
           [-1.5, -1.5,  3. ]])
    """
    given = _engine.NewtonClasses(
        gradient=classes.room[0],
        hessian=classes.room[1],
        most=classes.norms[0],
        shares=classes.norms[1],
        y=classes.y,
        weight=classes.weight,
        seeds=seeds,
        raw=classes.raw,
        rate=classes.rate,
        longest=classes.longest,
    )
    return _grow_all(_engine.grow_classes, table, given, growth, leaves, effort)


def add_votes(
    raw: NDArray[np.float64],
    leaves: NDArray[np.int32],
    values: NDArray[np.float64],
    *,
    n_threads: int = 1,
) -> None:
    """Add to every row's score the value of its leaf, in place.

    Parameters
    ----------
    raw : float64 array of shape (n,)
        Scores; a column of a larger array will do.
    leaves : int32 array of shape (n,)
        Leaf of every row.
    values : float64 array of shape (n_leaves,)
        Value of every leaf.
    n_threads : int, default=1
        Threads to use.
    """
    _engine.add_votes(raw, leaves, np.ascontiguousarray(values), n_threads)


def logistic_slopes(
    raw: NDArray[np.float64],
    y: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    gradient: NDArray[Any],
    hessian: NDArray[Any],
    *,
    n_threads: int = 1,
) -> None:
    """Write the slopes of the logistic loss: ``w (p - y)`` and ``w p (1 - p)``.

    Parameters
    ----------
    raw, y : float64 arrays of shape (n,)
        Log-odds, and 0 or 1.
    weight : float64 array of shape (n,) or None
        Weights of the rows.
    gradient, hessian : float32 or float64 arrays of shape (n,)
        Receive the slopes.
    n_threads : int, default=1
        Threads to use.
    """
    _engine.logistic_slopes(raw, y, weight, gradient, hessian, n_threads)


def softmax_slopes(
    raw: NDArray[np.float64],
    y: NDArray[np.int32],
    weight: NDArray[np.float64] | None,
    gradient: NDArray[Any],
    hessian: NDArray[Any],
    *,
    n_threads: int = 1,
) -> None:
    """Write the slopes of the multinomial loss: ``w (p_k - [y = k])`` and ``w p_k (1 - p_k)``.

    Parameters
    ----------
    raw : float64 array of shape (n, n_classes)
        Scores.
    y : int32 array of shape (n,)
        Class codes.
    weight : float64 array of shape (n,) or None
        Weights of the rows.
    gradient, hessian : float32 or float64 arrays of shape (n_classes, n)
        Receive the slopes, a row per class; its numbers must lie side by side.
    n_threads : int, default=1
        Threads to use.
    """
    _engine.softmax_slopes(raw, y, weight, gradient, hessian, n_threads)


def squared_slopes(
    raw: NDArray[np.float64],
    y: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    gradient: NDArray[Any],
    *,
    n_threads: int = 1,
) -> None:
    """Write the gradient of half the squared error: ``w (raw - y)``; its Hessian is ``w``.

    Parameters
    ----------
    raw, y : float64 arrays of shape (n,)
        Scores and numbers to fit.
    weight : float64 array of shape (n,) or None
        Weights of the rows.
    gradient : float32 or float64 array of shape (n,)
        Receives the slopes.
    n_threads : int, default=1
        Threads to use.
    """
    _engine.squared_slopes(raw, y, weight, gradient, n_threads)
