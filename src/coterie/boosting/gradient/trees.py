"""Growing the trees of one round, and refitting their leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
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
    Classes,
    Effort,
    Forest,
    NewtonGrowth,
    NewtonTable,
    Scores,
    Slopes,
    grow_classes,
    grow_newton,
    grow_scores,
    grow_vector,
)

Leaves = NDArray[np.int32]
Grown = tuple[Forest, Leaves]
Pair = tuple[NDArray[Any], NDArray[Any] | None]
Votes = tuple[NDArray[np.float64], float, float]  # scores, the rate, the longest step


@dataclass(frozen=True)
class Shares:
    """Limits of a tree as shares of the weight it grows on.

    Parameters
    ----------
    leaf : float, default=0.0
        Least weight of a leaf.
    gain : float, default=0.0
        Least gain of a split.
    """

    leaf: float = 0.0
    gain: float = 0.0


_SEEDS = 2**63 - 1
_STRIDE = 0x9E3779B97F4A7C15  # trees of one round draw from seeds far apart
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
        compact = bare and table.n_rows * table.n_columns > _LARGE
        layout = NewtonTable.of(table.codes, table.bins, compact=compact, n_threads=n_threads)
        return cls(table, growth, n_threads, layout, np.empty(table.n_rows, dtype=np.int32))

    def of_columns(self, number: int | None, rng: Generator) -> GrowthTable:
        """The same with columns drawn for this round; None takes all."""
        if number is None:
            return self
        chosen = rng.choice(self.table.n_columns, number, replace=False, shuffle=False)
        columns = np.sort(chosen).astype(np.int32)
        return replace(self, growth=replace(self.growth, columns=columns))

    def at_least(self, shares: Shares, weight: float) -> GrowthTable:
        """The same with limits that are shares of the weight of a round."""
        growth = replace(
            self.growth,
            min_child_weight=max(self.growth.min_child_weight, shares.leaf * weight),
            min_gain=max(self.growth.min_gain, shares.gain * weight),
        )
        return replace(self, growth=growth)

    @cached_property
    def _plan(self) -> Any:
        """The growth as the engine takes it."""
        return self.growth.arrays(self.table.n_columns)

    def grow(self, slopes: Slopes, seed: int) -> Forest:
        """A tree on slopes; `leaves` receives the leaf of every row."""
        return grow_newton(
            self.layout,
            slopes,
            self._plan,
            seed=seed,
            leaves=self.leaves,
            effort=Effort(self.n_threads),
        )

    def grow_all(self, slopes: Slopes, seed: int, votes: Votes) -> Forest:
        """A tree per score; each has voted on the scores."""
        gradient, hessian = np.asfortranarray(slopes.gradient), slopes.hessian
        if hessian is not None:
            hessian = np.asfortranarray(hessian)
            if hessian.shape != gradient.shape:  # weights are the same for all scores
                hessian = np.broadcast_to(hessian, gradient.shape)
        raw, rate, longest = votes
        seeds = [tree_seed(seed, k) for k in range(gradient.shape[1])]
        return grow_scores(
            self.layout,
            Scores(Slopes(gradient, hessian, slopes.rows), raw, rate, longest),
            self._plan,
            seeds=np.array(seeds, dtype=np.uint64),
            leaves=self.leaves,
            effort=Effort(self.n_threads),
        )

    def grow_classes(self, classes: Classes, seed: int) -> Forest:
        """A tree per class; each has voted on the scores."""
        seeds = [tree_seed(seed, k) for k in range(classes.raw.shape[1])]
        return grow_classes(
            self.layout,
            classes,
            self._plan,
            seeds=np.array(seeds, dtype=np.uint64),
            leaves=self.leaves,
            effort=Effort(self.n_threads),
        )

    def refit_all(self, grown: Grown, loss: PointwiseLoss, board: Board, draw: Draw) -> Forest:
        """The tree with the leaf values of all scores that an adaptive loss asks for."""
        tree, leaves = grown
        known = slice(None) if draw.rows is None else draw.rows
        weight = draw.weigh(board.known_weight)[known]
        given = board.y[known], board.raw[known], weight, leaves[known], len(tree.values)
        values = [loss.leaf(*given, k) for k in range(board.raw.shape[1])]
        return tree.with_values(np.column_stack(values))

    def refit(
        self,
        grown: Grown,
        loss: PointwiseLoss,
        board: Board,
        draw: Draw,
        score: int,
        slopes: Pair,
    ) -> Forest:
        """The tree with the leaf values that the loss asks for: its own, or Newton steps."""
        tree, leaves = grown
        known = slice(None) if draw.rows is None else draw.rows
        leaves, n_leaves = leaves[known], len(tree.values)
        if loss.adaptive:
            weight = draw.weigh(board.known_weight)[known]
            values = loss.leaf(board.y[known], board.raw[known], weight, leaves, n_leaves, score)
        else:
            gradient, hessian = slopes
            assert hessian is not None, "steps of a constant hessian are those of the tree"
            one = np.s_[known, score : score + 1]
            penalties = self.growth.l2, self.growth.l1
            steps = vector_leaves(gradient[one], hessian[one], leaves, n_leaves, *penalties)
            values = loss.newton_share * steps[:, 0]
        limit = self.growth.max_delta_step
        if limit > 0:
            values = np.clip(values, -limit, limit)
        if self.growth.monotone is not None:
            values = bounded_leaves(tree, values, self.growth.monotone)
        return tree.with_values(values[:, None])

    def pruned(self, grown: Grown, alpha: float) -> Grown:
        """The tree without the branches that gain less than `alpha` per leaf."""
        tree = grown[0].prune(alpha)
        self.leaves.fill(-1)
        _find_leaves(tree, self.table, self.leaves)
        return tree, self.leaves


def tree_seed(seed: int, score: int) -> int:
    """The seed of the tree of a score, from that of its round."""
    return (seed + score * _STRIDE) & _SEEDS


def grow_singly(
    ground: GrowthTable, gradient: NDArray[Any], hessian: NDArray[Any] | None, draw: Draw, seed: int
) -> Iterator[Grown]:
    """One tree per score, each with the leaves of all rows; those are overwritten by the next."""
    for k in range(gradient.shape[1]):
        bend = None if hessian is None else np.ascontiguousarray(hessian[:, k])
        slopes = Slopes(np.ascontiguousarray(gradient[:, k]), bend, draw.rows)
        tree = ground.grow(slopes, tree_seed(seed, k))
        yield tree, ground.leaves


def limited(tree: Forest, longest: float) -> Forest:
    """The tree with no leaf beyond `longest`.

    Twenty rows of a class that seems impossible ask for a Newton step of thousands, from which a
    score never comes back.
    """
    if np.abs(tree.values).max() <= longest:
        return tree
    return tree.with_values(np.clip(tree.values, -longest, longest))


def grow_together(
    ground: GrowthTable, gradient: NDArray[Any], hessian: NDArray[Any] | None, draw: Draw, seed: int
) -> Grown:
    """One tree for all scores with Newton steps in its leaves, and the leaves of all rows."""
    codes, bins = ground.table.codes, ground.table.bins
    assert codes is not None
    assert bins is not None
    if hessian is not None and hessian.shape != gradient.shape:  # weights, the same for all scores
        hessian = np.broadcast_to(hessian, gradient.shape)
    leaves = ground.leaves
    leaves.fill(-1)
    tree = grow_vector(
        codes,
        bins,
        Slopes(gradient, hessian, draw.rows),
        ground.growth,
        seed=seed,
        leaves=leaves,
        effort=Effort(ground.n_threads),
    )
    if draw.rows is not None:
        _find_leaves(tree, ground.table, leaves)
    return tree, leaves


def _find_leaves(tree: Forest, table: Table, leaves: Leaves) -> None:
    """Fill in the leaves of rows that were not drawn."""
    unseen = np.flatnonzero(leaves < 0)
    part = table.take(unseen)
    nodes = np.concatenate([tree.apply(rows)[:, 0] for _, rows in part.walks()])
    leaves[unseen] = ~tree.nodes["left"][nodes]
