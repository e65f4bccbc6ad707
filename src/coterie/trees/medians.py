"""Medians of the rows in every node of a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from coterie.core import Pool
from coterie.data import Table, Target
from coterie.learners.tree import group_medians
from coterie.native import Forest

Array = NDArray[np.float64]


def node_medians(
    pool: Pool,
    table: Table,
    target: Target,
    weight: Array | None = None,
    monotone: NDArray[np.int8] | None = None,
) -> Array:
    """Weighted median of the training rows in each node, shape (n_nodes, 1).

    Parameters
    ----------
    pool : Pool
        A pool of one tree, whose leaves hold what they predict.
    table, target, weight : Table, Target, ndarray or None
        The training rows.
    monotone : ndarray of shape (n_columns,), optional
        Directions of the columns; medians are then kept within the bounds of their nodes.
    """
    forest, paths = pool.forest, pool.paths(table).tocoo()
    rows = paths.row
    weights = np.ones(table.n_rows) if weight is None else weight
    medians = group_medians(
        paths.col, target.values[rows, 0], weights[rows], n_groups=len(forest.nodes)
    )
    leaf = forest.nodes["left"] < 0
    if monotone is not None:
        _keep_within(medians, forest, monotone)
    medians[leaf] = forest.values[~forest.nodes["left"][leaf], 0]
    return medians[:, None]


def _keep_within(medians: Array, forest: Forest, monotone: NDArray[np.int8]) -> None:
    """Clip medians to the bounds that the splits above them set, as leaves are."""
    low, high = np.full(len(medians), -np.inf), np.full(len(medians), np.inf)
    for node in np.flatnonzero(forest.nodes["left"] >= 0):  # children come after their parent
        left = int(forest.nodes["left"][node])
        for child in (left, left + 1):
            low[child], high[child] = low[node], high[node]
            medians[child] = np.clip(medians[child], low[child], high[child])
        middle = (medians[left] + medians[left + 1]) / 2
        direction = monotone[forest.features[node]]
        if direction:
            below, above = (left, left + 1) if direction > 0 else (left + 1, left)
            high[below], low[above] = min(high[below], middle), max(low[above], middle)
