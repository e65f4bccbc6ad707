"""Weighted quantiles and expectiles of many leaves at once, from one sort."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coterie.losses.pointwise import Array, Leaves
from coterie.tags import tagged

# Sums of weights that differ by less count as equal: half of ten tenths is five tenths.
_TIE = 1e-12
# Leaves of fewer rows than this are cheaper to sort than to visit one by one.
_FEW = 64


@tagged
@dataclass(frozen=True)
class Ranked:
    """Rows sorted by leaf and, within it, by value.

    Leaf l owns the places from ``bounds[l]`` up to ``bounds[l + 1]``.
    """

    values: Array
    weight: Array
    bounds: NDArray[np.int64]

    def before(self, each: Array) -> Array:
        """Running sums of `each` with a zero in front."""
        return np.concatenate([[0.0], np.cumsum(each)])


def ranked(values: Array, weight: Array, leaves: Leaves, n_leaves: int) -> Ranked:
    """Sort rows by leaf and value; rows without weight are left out."""
    if not (weight > 0).all():
        some = weight > 0
        values, weight, leaves = values[some], weight[some], leaves[some]
    order = np.argsort(values, kind="stable")
    order = order[_by_leaf(leaves[order], n_leaves)]
    sizes = np.bincount(leaves, minlength=n_leaves)
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Ranked(values[order], weight[order], bounds)


def leaf_quantiles(
    values: Array, weight: Array, leaves: Leaves, n_leaves: int, level: float
) -> Array:
    """The lower weighted quantile of `values` in every leaf; 0 in leaves without rows.

    It is the least value such that at least the share `level` of the leaf's weight is not above
    it, so always a value of the leaf.

    Examples
    --------
    >>> leaf_quantiles(np.array([3.0, 1.0, 2.0, 4.0]), np.ones(4), np.array([0, 0, 0, 0]), 1, 0.5)
    array([2.])
    """
    if len(weight) > _FEW * n_leaves and weight[0] > 0 and (weight == weight[0]).all():
        return _of_equal_weights(values, leaves, n_leaves, level)
    rows = ranked(values, weight, leaves, n_leaves)
    result = np.zeros(n_leaves)
    if not rows.values.size:
        return result
    below = rows.before(rows.weight)
    first, last = rows.bounds[:-1], rows.bounds[1:]
    wanted = below[first] + level * (below[last] - below[first]) - _TIE * below[-1]
    place = np.searchsorted(below[1:], wanted)
    filled = last > first
    place = np.clip(place, first, last - 1)[filled]
    result[filled] = rows.values[place]
    return result


def _of_equal_weights(values: Array, leaves: Leaves, n_leaves: int, level: float) -> Array:
    """The same of rows of equal weight: their ranks are known, so nothing needs to be sorted."""
    grouped = values[_by_leaf(leaves, n_leaves)] if n_leaves > 1 else values.copy()
    sizes = np.bincount(leaves, minlength=n_leaves)
    wanted = np.ceil(level * sizes - _TIE * len(values)).astype(np.int64)
    place = np.clip(wanted, 1, np.maximum(sizes, 1)) - 1
    result, first = np.zeros(n_leaves), 0
    for leaf, size in enumerate(sizes.tolist()):
        if size:
            own = grouped[first : first + size]
            own.partition(place[leaf])
            result[leaf] = own[place[leaf]]
        first += size
    return result


def _by_leaf(leaves: Leaves, n_leaves: int) -> NDArray[np.intp]:
    """The order of rows by leaf; rows of a leaf keep theirs."""
    # Sorting small integers stably is a radix sort: cheaper than sorting pairs.
    return np.argsort(leaves.astype(np.uint16) if n_leaves <= 1 << 16 else leaves, kind="stable")


def quantile(values: Array, weight: Array, level: float) -> float:
    """The lower weighted quantile.

    Examples
    --------
    >>> quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 5.0]), 0.25)
    2.0
    """
    return float(leaf_quantiles(values, weight, np.zeros(len(values), np.uint16), 1, level)[0])


def leaf_expectiles(
    values: Array, weight: Array, leaves: Leaves, n_leaves: int, level: float
) -> Array:
    r"""The weighted expectile of `values` in every leaf; 0 in leaves without rows.

    It solves :math:`\tau \sum w (v - e)_+ = (1 - \tau) \sum w (e - v)_+`. Between neighbouring
    values both sides are linear in e, so once the neighbours are found the answer is a ratio.
    """
    rows = ranked(values, weight, leaves, n_leaves)
    result = np.zeros(n_leaves)
    if not rows.values.size:
        return result
    filled = np.flatnonzero(np.diff(rows.bounds))
    sizes = np.diff(rows.bounds)
    # Values are taken from the mean of their leaf: sums of large values would lose digits.
    mean = leaf_means(rows)
    shifted = rows.values - np.repeat(mean, sizes)
    mass, moment = rows.before(rows.weight), rows.before(rows.weight * shifted)
    first, last = np.repeat(rows.bounds[:-1], sizes), np.repeat(rows.bounds[1:], sizes)
    upto = np.arange(1, len(shifted) + 1)
    left, left_moment = mass[upto] - mass[first], moment[upto] - moment[first]
    right, right_moment = mass[last] - mass[upto], moment[last] - moment[upto]
    # The balance at a value falls along a leaf; the expectile follows its last value >= 0.
    balance = level * (right_moment - right * shifted)
    balance -= (1 - level) * (left * shifted - left_moment)
    ahead = np.add.reduceat((balance >= 0).astype(np.int64), rows.bounds[:-1][filled])
    place = rows.bounds[:-1][filled] + np.maximum(ahead, 1) - 1
    above = level * right_moment[place] + (1 - level) * left_moment[place]
    below = level * right[place] + (1 - level) * left[place]
    result[filled] = mean[filled] + above / below
    return result


def leaf_means(rows: Ranked) -> Array:
    """The weighted mean of every leaf; 0 in leaves without rows."""
    leaves = np.repeat(np.arange(len(rows.bounds) - 1), np.diff(rows.bounds))
    n_leaves = len(rows.bounds) - 1
    mass = np.bincount(leaves, weights=rows.weight, minlength=n_leaves)
    moment = np.bincount(leaves, weights=rows.weight * rows.values, minlength=n_leaves)
    return np.asarray(moment / np.where(mass > 0, mass, 1.0))
