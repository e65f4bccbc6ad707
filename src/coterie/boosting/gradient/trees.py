"""Growing the trees of one round, and refitting their leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.boosting.gradient.board import Board
from coterie.boosting.gradient.leaves import bounded_leaves, vector_leaves
from coterie.boosting.gradient.rows import Draw
from coterie.data import Table
from coterie.losses import PointwiseLoss
from coterie.native import (
    Effort,
    Forest,
    Growth,
    NewtonGrowth,
    NewtonTable,
    Slopes,
    Values,
    grow,
    grow_newton,
)

Leaves = NDArray[np.int32]
Grown = tuple[Forest, Leaves]

_SEEDS = 2**63 - 1
_STRIDE = 0x9E3779B97F4A7C15  # trees of one round draw from seeds far apart
_LEAST = 1e-12  # a row of less curvature would ask for a step without end


_LARGE = 1 << 25  # cells


@dataclass(frozen=True)
class GrowthTable:
    """What trees grow on.

    Parameters
    ----------
    table : Table
        Binned rows.
    growth : NewtonGrowth
        How they grow.
    n_threads : int
        Threads of the engine.
    layout : NewtonTable
        The table as trees on slopes read it, made once for all rounds.
    leaves : int32 array of shape (n_rows,)
        Receives the leaf of every row, tree by tree.
    """

    table: Table
    growth: NewtonGrowth
    n_threads: int
    layout: NewtonTable
    leaves: Leaves

    @classmethod
    def of(cls, table: Table, growth: NewtonGrowth, n_threads: int) -> GrowthTable:
        """Make what all rounds share."""
        assert table.codes is not None, "the table is not binned"
        assert table.bins is not None
        # Of large tables the user has spared all but the bins, for the sake of memory.
        bare = table.values is None and table.sparse is None
        compact = bare and table.codes.size > _LARGE
        layout = NewtonTable.of(table.codes, table.bins, compact=compact, n_threads=n_threads)
        return cls(table, growth, n_threads, layout, np.empty(table.n_rows, dtype=np.int32))

    def of_columns(self, number: int | None, rng: Generator) -> GrowthTable:
        """The same with columns drawn for this round; None takes all."""
        if number is None:
            return self
        chosen = rng.choice(self.table.n_columns, number, replace=False, shuffle=False)
        columns = np.sort(chosen).astype(np.int32)
        return replace(self, growth=replace(self.growth, columns=columns))

    def refit(
        self,
        tree: Forest,
        leaves: Leaves,
        loss: PointwiseLoss,
        board: Board,
        draw: Draw,
        score: int,
    ) -> Forest:
        """The tree with the leaf values that the loss itself asks for."""
        weight = draw.weigh(board.known_weight)
        y, raw = board.y, board.raw
        if draw.rows is not None:
            y, raw, weight = y[draw.rows], raw[draw.rows], weight[draw.rows]
            leaves = leaves[draw.rows]
        values = loss.leaf(y, raw, weight, leaves, len(tree.values), score)
        limit = self.growth.max_delta_step
        if limit > 0:
            values = np.clip(values, -limit, limit)
        if self.growth.monotone is not None:
            values = bounded_leaves(tree, values, self.growth.monotone)
        return tree.with_values(values[:, None])


def grow_scores(
    ground: GrowthTable, gradient: NDArray[Any], hessian: NDArray[Any] | None, draw: Draw, seed: int
) -> Iterator[Grown]:
    """One tree per score, each with the leaves of all rows; those are overwritten by the next."""
    for k in range(gradient.shape[1]):
        bend = None if hessian is None else np.ascontiguousarray(hessian[:, k])
        slopes = Slopes(np.ascontiguousarray(gradient[:, k]), bend, draw.rows)
        tree = grow_newton(
            ground.layout,
            slopes,
            ground.growth,
            seed=(seed + k * _STRIDE) & _SEEDS,
            leaves=ground.leaves,
            effort=Effort(ground.n_threads),
        )
        yield tree, ground.leaves


def limited(tree: Forest, longest: float) -> Forest:
    """The tree with no leaf beyond `longest`.

    Twenty rows of a class that seems impossible ask for a Newton step of thousands, from which a
    score never comes back.
    """
    if np.abs(tree.values).max() <= longest:
        return tree
    return tree.with_values(np.clip(tree.values, -longest, longest))


def grow_vector(
    ground: GrowthTable, gradient: NDArray[Any], hessian: NDArray[Any] | None, draw: Draw, seed: int
) -> Grown:
    r"""One tree for all scores, and the leaves of all rows.

    With :math:`\bar h` the mean hessian of a row, it fits :math:`-g_k / \bar h` under the weight
    :math:`\bar h`: a split then gains :math:`\sum_k G_k^2 / (\bar H + \lambda)` of its sides.
    Leaves get the Newton step of each score by itself.
    """
    codes, bins = ground.table.codes, ground.table.bins
    assert codes is not None
    assert bins is not None
    if hessian is None:
        hessian = np.ones_like(gradient)
    weight = np.maximum(hessian.mean(axis=1, dtype=np.float64), _LEAST)
    values = Values(np.ascontiguousarray(-gradient / weight[:, None], dtype=np.float64))
    seen = weight
    if draw.rows is not None:
        seen = np.zeros_like(weight)
        seen[draw.rows] = weight[draw.rows]
    leaves = ground.leaves
    leaves.fill(-1)
    tree = grow(
        codes,
        bins,
        values,
        _plain(ground.growth),
        weight=seen,
        seed=seed,
        leaves=leaves,
        effort=Effort(ground.n_threads),
    )
    known = slice(None) if draw.rows is None else draw.rows
    steps = vector_leaves(
        gradient[known], hessian[known], leaves[known], len(tree.values), ground.growth.l2
    )
    if draw.rows is not None:
        _find_leaves(tree, ground.table, leaves)
    return tree.with_values(steps), leaves


def _plain(growth: NewtonGrowth) -> Growth:
    """The settings of a tree on numbers that mean the same."""
    return Growth(
        max_leaf_nodes=growth.max_leaf_nodes,
        max_depth=growth.max_depth,
        min_samples_leaf=growth.min_samples_leaf,
        min_weight_leaf=growth.min_child_weight,
        l2=growth.l2,
        min_gain=growth.min_gain,
        max_features=growth.max_features,
        interactions=growth.interactions,
        columns=growth.columns,
    )


def _find_leaves(tree: Forest, table: Table, leaves: Leaves) -> None:
    """Fill in the leaves of rows that were not drawn."""
    unseen = np.flatnonzero(leaves < 0)
    part = table.take(unseen)
    nodes = np.concatenate([tree.apply(values)[:, 0] for _, values in part.blocks()])
    leaves[unseen] = ~tree.nodes["left"][nodes]
