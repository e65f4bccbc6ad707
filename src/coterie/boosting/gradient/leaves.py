"""Values of leaves that are not the ratio of two sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.native import Forest

Array = NDArray[np.float64]


def vector_leaves(
    gradient: NDArray[Any],
    hessian: NDArray[Any],
    leaves: NDArray[np.int32],
    n_leaves: int,
    l2: float,
    l1: float = 0.0,
) -> Array:
    r"""Newton steps of every leaf and score, :math:`-S_\alpha(G_{lk}) / (H_{lk} + \lambda)`.

    Parameters
    ----------
    gradient, hessian : arrays of shape (n_rows, n_scores)
        Slopes of the rows.
    leaves : int32 array of shape (n_rows,)
        The leaf of every row.
    n_leaves : int
        How many there are.
    l2, l1 : float
        :math:`\lambda` and :math:`\alpha`.

    Returns
    -------
    ndarray of shape (n_leaves, n_scores)
    """
    values = np.zeros((n_leaves, gradient.shape[1]))
    for k in range(gradient.shape[1]):
        pull = np.bincount(leaves, weights=gradient[:, k], minlength=n_leaves)
        if l1 > 0:
            pull = np.sign(pull) * np.maximum(np.abs(pull) - l1, 0.0)
        bend = np.bincount(leaves, weights=hessian[:, k], minlength=n_leaves) + l2
        np.divide(-pull, bend, out=values[:, k], where=bend > 0)
    return values


def bounded_leaves(tree: Forest, values: Array, monotone: NDArray[np.int8]) -> Array:
    """Leaf values moved where a single tree does not keep its directions.

    Where a node splits a constrained column and the leaves of its two sides are not in order,
    those of one side are kept below a bound halfway between the means of both, and those of the
    other above it.

    Parameters
    ----------
    tree : Forest
        One tree.
    values : ndarray of shape (n_leaves,)
        What the leaves should be.
    monotone : int8 array of shape (n_columns,)
        -1, 0 or 1 for each column.

    Returns
    -------
    ndarray of shape (n_leaves,)
    """
    left, columns = tree.nodes["left"], tree.features
    means = tree.with_values(np.ascontiguousarray(values[:, None])).node_values()[:, 0]
    least, most = means.copy(), means.copy()
    for node in np.flatnonzero(left >= 0)[::-1]:  # children follow their parents
        sides = slice(left[node], left[node] + 2)
        least[node], most[node] = least[sides].min(), most[sides].max()
    bounded = values.copy()
    waiting = [(0, -np.inf, np.inf)]
    while waiting:
        node, low, high = waiting.pop()
        first = int(left[node])
        if first < 0:
            bounded[~first] = min(max(values[~first], low), high)
            continue
        direction = int(monotone[columns[node]])
        below, above = (first, first + 1)[:: direction or 1]
        middle = np.clip(means[first : first + 2], low, high).mean()
        if direction and most[below] > least[above]:
            waiting += [(below, low, middle), (above, middle, high)]
        else:
            waiting += [(below, low, high), (above, low, high)]
    return bounded
