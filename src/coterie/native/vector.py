"""Growing one tree whose leaves hold a step for each of several scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coterie.native import _engine
from coterie.native.forest import Forest
from coterie.native.growth import NO_LIMIT, Effort, _optional
from coterie.native.interrupts import in_main_thread, stop_flag
from coterie.native.newton import NewtonGrowth, Slopes

if TYPE_CHECKING:
    from coterie.native.bins import Bins, Codes
    from coterie.native.sparse_codes import SparseCodes

_PRECISION = {"auto": 0, "packed": 1, "exact": 2}


def grow_vector(
    codes: Codes | SparseCodes,
    bins: Bins,
    slopes: Slopes,
    growth: NewtonGrowth,
    *,
    seed: int = 0,
    leaves: NDArray[np.int32] | None = None,
    effort: Effort | None = None,
) -> Forest:
    r"""Grow one tree for all scores, best first, and return it as a forest of one.

    With :math:`H` the sum of the mean Hessians of rows, a side of a split is worth :math:`\sum_k
    G_k^2 / (H + \lambda)`; leaves get the Newton step of each score by itself.

    Parameters
    ----------
    codes : uint8 or uint16 array of shape (n, d), or SparseCodes
        Bin numbers, from :func:`encode` or :func:`encode_sparse`.
    bins : Bins
        How the columns were cut.
    slopes : Slopes
        With gradients, and Hessians if there are any, of shape (n, n_scores).
    growth : NewtonGrowth
        How to grow: limits of size, `l2`, `min_gain`, `min_child_weight`, columns and
        interactions; what else it says is not looked at.
    seed : int, default=0
        0 to 2**63 - 1.
    leaves : int32 array of shape (n,), optional
        Receives the leaf of every row that is learnt from.
    effort : Effort, optional
        Threads, and a flag that ends the growth.

    Examples
    --------
    >>> from coterie.native import encode, find_bins
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> bins = find_bins(X)
    >>> gradient = np.array([[1.0, -2.0], [1.0, -2.0], [-1.0, 4.0], [-1.0, 4.0]])
    >>> tree = grow_vector(encode(X, bins), bins, Slopes(gradient), NewtonGrowth())
    >>> tree.predict(np.array([[1.4], [1.6]]))
    array([[-1.,  2.],
           [ 1., -4.]])
    """
    effort = effort or Effort()
    n, d = codes.shape
    offsets, lower, upper, categorical = bins.arrays()
    columns = np.arange(d, dtype=np.int32) if growth.columns is None else growth.columns
    arrays = _engine.VectorArrays(
        offsets=offsets,
        lower=lower,
        upper=upper,
        categorical=categorical,
        rows=_optional(slopes.rows, np.int32),
        interactions=_optional(growth.interactions, np.uint8),
        columns=np.ascontiguousarray(columns, dtype=np.int32),
    )
    grown = _engine.grow_vector(
        codes if isinstance(codes, np.ndarray) else codes.checked(bins),
        arrays,
        slopes.gradient,
        slopes.hessian,
        _numbers(growth),
        seed,
        effort.n_threads,
        np.empty(n, dtype=np.int32) if leaves is None else leaves,
        stop_flag(effort.stop),
        in_main_thread(),
    )
    return Forest.of_tree(grown, n_features=d, n_outputs=slopes.gradient.shape[1])


def _numbers(growth: NewtonGrowth) -> _engine.VectorGrowth:
    """The plain numbers as the engine takes them."""
    numbers = _engine.VectorGrowth()
    numbers.max_depth = NO_LIMIT if growth.max_depth is None else growth.max_depth
    numbers.max_leaf_nodes = NO_LIMIT if growth.max_leaf_nodes is None else growth.max_leaf_nodes
    numbers.min_samples_leaf = growth.min_samples_leaf
    numbers.min_child_weight = growth.min_child_weight
    numbers.l2 = growth.l2
    numbers.min_gain = growth.min_gain
    numbers.max_features = growth.max_features or 0
    numbers.precision = _PRECISION[growth.precision]
    return numbers
