"""A holder of rows that keeps their scores, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.boosting.gradient.board import Board
from coterie.boosting.gradient.rows import Draw
from coterie.boosting.gradient.slopes import SlopeMaker
from coterie.distributed.row_holder import RowHolder
from coterie.losses import PointwiseLoss
from coterie.native import Forest, NewtonGrowth, Slopes, add_votes

Array = NDArray[Any]


class Vote(NamedTuple):
    """What a tree adds to a score: `values` of its leaves, rates included."""

    score: int
    tree: Forest
    values: Array


class Outset(NamedTuple):
    """What boosting begins with, of a holder's rows: all that the driver has to tell of them.

    `y` may be shorter numbers than losses take, see `shortened`.
    """

    y: Array
    weight: Array | None
    start: Array
    kind: Any


class ScoreHolder(RowHolder):
    """Bins, targets and scores of some partitions; slopes are made here, and never travel.

    Votes are numbered in the order of the whole fit, and each is added once however often it is
    told. So a holder that takes the place of a lost one catches up, and a round can be begun anew.
    """

    def settle(self, outset: Outset) -> None:
        """Begin with these scores."""
        y = outset.y.astype(np.float64, copy=False)
        self.board = Board.at(self._table(), y, outset.weight, outset.start)
        n_scores, threads = self.board.raw.shape[1], self.held.n_threads
        self.maker = SlopeMaker(y, outset.weight, n_scores, threads, outset.kind)
        self.done, self.saved_at, self.saved = 0, -1, np.empty_like(self.board.raw)
        self.grown = -1  # the vote of the tree that was grown last, whose leaves are known

    def catch_up(self, first: int, votes: Sequence[Vote]) -> None:
        """Add votes, numbered from the first, that were not added before."""
        for vote in votes[self.done - first :]:
            if self.done != self.grown:
                self.leaves = None
            self._vote(vote)

    def begin_round(self, number: int, loss: PointwiseLoss) -> None:
        """Make the slopes of a round, once as many votes as `number` are added."""
        if self.saved_at == number:
            self.board.raw[...], self.done = self.saved, number
        else:
            self.saved[...], self.saved_at = self.board.raw, number
        self.gradient, self.hessian = self.maker.at(loss, self.board.raw)
        self.drawn = Draw()

    def gradients(self) -> Array:
        """The gradients of the round."""
        return self.gradient

    def draw(self, drawn: Draw) -> None:
        """Take some of the rows, in this round."""
        self.drawn = drawn
        self.gradient, self.hessian = drawn.scale(self.gradient, self.hessian)

    def begin_tree(self, score: int, growth: NewtonGrowth) -> Any:
        """Begin the tree of a score; the scale of its slopes."""
        bend = None if self.hessian is None else np.ascontiguousarray(self.hessian[:, score])
        slope = np.ascontiguousarray(self.gradient[:, score])
        self.grown = self.done
        return self.begin(growth, Slopes(slope, bend, self.drawn.rows))

    def _vote(self, vote: Vote) -> None:
        """Add what a tree says; leaves of rows that grew it may be known."""
        leaves, threads = self._walk(vote.tree), self.held.n_threads
        add_votes(self.board.raw[:, vote.score], leaves, vote.values, n_threads=threads)
        self.done += 1

    def scores(self, rows: Array | None) -> Array:
        """Scores so far, of all rows or of some."""
        return self.board.scores(rows)


def shortened(y: Array) -> Array:
    """Numbers as they travel: a byte each if that says all of them, as of codes of classes."""
    with np.errstate(invalid="ignore"):
        short = y.astype(np.int8)
    return y if np.signbit(y).any() or not np.array_equal(short, y) else short
