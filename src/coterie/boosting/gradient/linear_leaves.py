"""Linear functions in the leaves of a tree, fitted to the slopes of its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.boosting.gradient.board import Array
from coterie.native import Forest, LinearLeaves
from coterie.native.forest import CATEGORICAL

Ints = NDArray[np.integer]


@dataclass(frozen=True)
class LinearFit:
    r"""Fits the leaves of a tree to slopes.

    In every leaf, over the columns of numbers :math:`j` that the path to it asks for,

    .. math:: \min_{a, b} \sum_i g_i f_i + \tfrac12 h_i f_i^2 + \tfrac12 \lambda a^2
              + \tfrac12 \mu \sum_j s_j^2 b_j^2, \qquad f_i = a + \sum_j b_j (x_{ij} - c_j),

    where :math:`c_j` and :math:`s_j` are mean and standard deviation of the column in the leaf. A
    cell that is missing or infinite counts as the mean. Where a step is longer than the loss can
    bear, or the leaf has no more rows than columns, it stays constant.

    Parameters
    ----------
    ridge : float
        :math:`\mu`.
    l2 : float
        :math:`\lambda`.
    longest : float
        The longest step that a score may take.

    References
    ----------
    .. [1] Shi, Li & Li, "Gradient boosting with piece-wise linear regression trees", IJCAI (2019).
    """

    ridge: float
    l2: float
    longest: float

    def fit(
        self, tree: Forest, X: NDArray[Any], leaves: Ints, slopes: tuple[Array, Array]
    ) -> Forest:
        """The tree with linear leaves.

        Parameters
        ----------
        tree : Forest
            One tree of one score.
        X : array of shape (n_rows, n_columns)
            The rows learnt from.
        leaves : int array of shape (n_rows,)
            Their leaves.
        slopes : pair of arrays of shape (n_rows,)
            Gradients and Hessians.
        """
        paths = dict(path_columns(tree))
        n_leaves, width = len(tree.values), max(map(len, paths.values()))
        columns = np.zeros((n_leaves, width), dtype=np.int32)
        steep, centres = np.zeros((n_leaves, width)), np.zeros((n_leaves, width))
        values = tree.values.copy()
        order = np.argsort(leaves, kind="stable")
        ends = np.searchsorted(leaves[order], np.arange(n_leaves + 1))
        for leaf, asked in paths.items():
            rows = order[ends[leaf] : ends[leaf + 1]]
            if not len(asked) or len(rows) <= len(asked) + 1:
                continue
            own = slopes[0][rows], slopes[1][rows]
            found = self._solve(np.asarray(X[np.ix_(rows, asked)], dtype=np.float64), *own)
            if found is not None:
                used = leaf, slice(len(asked))
                values[leaf, 0], steep[used], centres[used] = found
                columns[used] = asked
        return tree.with_values(values, LinearLeaves(columns, steep, centres))

    def _solve(
        self, X: Array, gradient: Array, hessian: Array
    ) -> tuple[float, Array, Array] | None:
        """Value at the centre, slopes and centre of one leaf; None if it should be constant."""
        known = np.isfinite(X)
        count = known.sum(axis=0)
        centre = np.where(known, X, 0.0).sum(axis=0) / np.maximum(count, 1)
        Z = np.where(known, X - centre, 0.0)
        scale = np.sqrt((Z * Z).sum(axis=0) / np.maximum(count, 1))
        varied = scale > 1e-12 * np.maximum(1.0, np.abs(centre))
        if not varied.any():
            return None
        Z = np.column_stack([Z[:, varied] / scale[varied], np.ones(len(Z))])
        bend = (Z * hessian[:, None]).T @ Z
        bend[np.diag_indices(len(bend))] += [*[self.ridge] * (len(bend) - 1), self.l2]
        step = np.linalg.lstsq(bend, -(Z.T @ gradient), rcond=1e-10)[0]
        if not np.isfinite(step).all() or np.abs(Z @ step).max() > self.longest:
            return None
        slopes = np.zeros(len(centre))
        slopes[varied] = step[:-1] / scale[varied]
        return float(step[-1]), slopes, centre


def path_columns(tree: Forest) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """For every leaf of a tree, the columns of numbers that the path to it asks for."""
    left, features = tree.nodes["left"], tree.features
    numeric = (tree.nodes["column"] & CATEGORICAL) == 0
    waiting: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    while waiting:
        node, asked = waiting.pop()
        first = int(left[node])
        if first < 0:
            yield ~first, np.array(sorted(asked), dtype=np.int32)
            continue
        if numeric[node]:
            asked = asked | {int(features[node])}
        waiting += [(first, asked), (first + 1, asked)]
