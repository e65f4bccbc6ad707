"""Growing trees that isolate rows: random cuts of raw values, without a target or bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.native import _engine
from coterie.native.bins import addressable
from coterie.native.forest import NODE, Forest
from coterie.native.growth import Effort
from coterie.native.interrupts import in_main_thread, stop_flag
from coterie.tags import tagged


@dataclass(frozen=True)
class IsolationSamples:
    """What isolation trees are grown from.

    Parameters
    ----------
    rows : int64 array of shape (n_trees, n_draws)
        The rows of each tree; a row may be there more than once.
    columns : int32 array of shape (n_trees, n_columns)
        The columns each tree may split.
    seeds : int64 array of shape (n_trees,)
        0 to 2**63 - 1; a tree depends on its seed, and not on the order of its rows.
    max_depth : int
        Most cuts on a path.
    path : float64 array of shape (n_draws + 1,)
        What a leaf of as many rows adds to its depth.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int32]
    seeds: NDArray[np.int64]
    max_depth: int
    path: NDArray[np.float64]

    def arrays(self) -> _engine.IsolationSamples:
        """Return the arrays as the engine takes them."""
        return _engine.IsolationSamples(
            np.ascontiguousarray(self.rows, dtype=np.int64),
            np.ascontiguousarray(self.columns, dtype=np.int32),
            self.seeds.astype(np.uint64),
            self.max_depth,
            np.ascontiguousarray(self.path, dtype=np.float64),
        )


def grow_isolation(
    X: NDArray[Any],
    samples: IsolationSamples,
    *,
    levels: NDArray[np.uint32] | None = None,
    effort: Effort | None = None,
) -> Forest:
    """Grow trees by random cuts along the axes; their values are lengths of paths.

    Parameters
    ----------
    X : float32 or float64 array of shape (n, d)
        Raw rows; NaN is missing, and goes to a side that every cut draws.
    samples : IsolationSamples
        What each tree is grown from.
    levels : uint32 array of shape (d,), optional
        How many categories each column has, 0 for numbers. Categories are cut into random sets.
    effort : Effort, optional
        Threads, and a flag that ends the growth.

    Examples
    --------
    A row far from the others is alone after fewer cuts:

    >>> import numpy as np
    >>> X, seeds = np.array([[0.0], [1.0], [10.0]]), np.arange(1000)
    >>> rows, columns = np.tile([0, 1, 2], (1000, 1)), np.zeros((1000, 1))
    >>> samples = IsolationSamples(rows, columns, seeds, 2, np.array([0.0, 0.0, 1.0, 1.2]))
    >>> (grow_isolation(X, samples).predict(X).ravel() / 1000).round(1)
    array([1.9, 2. , 1.1])
    """
    effort = effort or Effort()
    levels = np.zeros(X.shape[1], dtype=np.uint32) if levels is None else levels
    grown = _engine.grow_isolation(
        addressable(X),
        np.ascontiguousarray(levels, dtype=np.uint32),
        samples.arrays(),
        effort.n_threads,
        stop_flag(effort.stop),
        in_main_thread(),
    )
    nodes, n_samples, weight, values, node_offsets, leaf_offsets, category_offsets, words = grown
    return Forest(
        nodes.view(NODE),
        n_samples,
        weight.astype(np.float32),
        np.zeros(len(weight), dtype=np.float32),
        values.reshape(-1, 1),
        node_offsets,
        leaf_offsets,
        category_offsets,
        words,
        X.shape[1],
    )


@tagged
@dataclass(frozen=True, eq=False)
class SlantedForest:
    """Trees with slanted cuts, end to end.

    Parameters
    ----------
    left : int32 array of shape (total_nodes,)
        The left child, counted from the root of its tree; the right one is next to it. -1 in
        leaves.
    offsets : float64 array of shape (total_nodes,)
        A row goes left if the sum of its products is not above it; in leaves the length of the
        path.
    columns, slants : int32 and float64 arrays of shape (total_inner_nodes, width)
        What is multiplied, and by how much; the cut whose children are at 2i + 1 and 2i + 2 is
        number i of its tree.
    starts : int64 array of shape (n_trees + 1,)
        Where each tree begins among the nodes.
    n_features : int
        Number of columns of the tables it walks.
    """

    left: NDArray[np.int32]
    offsets: NDArray[np.float64]
    columns: NDArray[np.int32]
    slants: NDArray[np.float64]
    starts: NDArray[np.int64]
    n_features: int

    def _arrays(self) -> _engine.SlantedArrays:
        """Return the arrays as the engine takes them, which refuses damaged ones."""
        if self.columns.ndim != 2 or self.columns.shape != self.slants.shape:
            raise ValueError("damaged forest: columns and slants differ in shape")
        return _engine.SlantedArrays(
            np.ascontiguousarray(self.left),
            np.ascontiguousarray(self.offsets),
            np.ascontiguousarray(self.columns).reshape(-1),
            np.ascontiguousarray(self.slants).reshape(-1),
            np.ascontiguousarray(self.starts),
            self.columns.shape[1],
            self.n_features,
        )

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self.starts) - 1

    def __getitem__(self, which: slice) -> SlantedForest:
        """Return a forest of some trees in a row."""
        start, stop, step = which.indices(len(self))
        if step != 1:
            raise ValueError("slanted trees are taken in a row")
        stop = max(start, stop)
        first, last = self.starts[start], self.starts[stop]
        cuts = slice((first - start) // 2, (last - stop) // 2)
        return SlantedForest(
            self.left[first:last],
            self.offsets[first:last],
            self.columns[cuts],
            self.slants[cuts],
            self.starts[start : stop + 1] - first,
            self.n_features,
        )

    def __add__(self, other: SlantedForest) -> SlantedForest:
        """Return the trees of both, these first."""
        return SlantedForest(
            np.concatenate([self.left, other.left]),
            np.concatenate([self.offsets, other.offsets]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.slants, other.slants]),
            np.append(self.starts, other.starts[1:] + self.starts[-1]),
            self.n_features,
        )

    def predict(self, X: NDArray[np.float64], *, n_threads: int = 1) -> NDArray[np.float64]:
        """Return the sum over trees of the lengths of each row's paths, shape (n,)."""
        out = np.zeros(len(X))
        rows = np.ascontiguousarray(X, dtype=np.float64)
        _engine.slanted_paths(self._arrays(), rows, out, n_threads, in_main_thread())
        return out


def grow_slanted(
    X: NDArray[np.float64],
    samples: IsolationSamples,
    *,
    width: int,
    redraw: int = 10,
    effort: Effort | None = None,
) -> SlantedForest:
    """Grow trees by random slanted cuts.

    Parameters
    ----------
    X : float64 array of shape (n, d)
        Raw rows without missing values.
    samples : IsolationSamples
        What each tree is grown from; all its columns may be cut.
    width : int
        Columns that a cut takes part in.
    redraw : int, default=10
        How often a cut that leaves a side empty is drawn again.
    effort : Effort, optional
        Threads, and a flag that ends the growth.
    """
    effort = effort or Effort()
    left, offsets, columns, slants, starts = _engine.grow_slanted(
        np.ascontiguousarray(X, dtype=np.float64),
        samples.arrays(),
        width,
        redraw,
        effort.n_threads,
        stop_flag(effort.stop),
        in_main_thread(),
    )
    shape = (-1, width)
    return SlantedForest(
        left, offsets, columns.reshape(shape), slants.reshape(shape), starts, X.shape[1]
    )


def cell_hashes(X: NDArray[Any], *, n_threads: int = 1) -> NDArray[np.uint64]:
    """Return a hash of what each row holds, the same for equal numbers of either type.

    Examples
    --------
    >>> X = np.array([[0.0, np.nan], [-0.0, np.nan], [1.0, 2.0]])
    >>> first, second, third = cell_hashes(X)
    >>> first == second, first == third, third == cell_hashes(X.astype(np.float32))[2]
    (np.True_, np.False_, np.True_)
    """
    hashes = np.zeros(len(X), dtype=np.uint64)
    _engine.cell_hashes(addressable(X), hashes, n_threads)
    return hashes
