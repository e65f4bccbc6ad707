"""Rounds of gradient boosting whose training rows are on a cluster."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.boosting.gradient.board import Array, Board
from coterie.boosting.gradient.loop import GradientRun
from coterie.boosting.gradient.rows import Draw, Goss, all_rows
from coterie.boosting.gradient.trees import limited, tree_seed
from coterie.boosting.gradient.watch import Judge
from coterie.core import Pool
from coterie.core.trace import Trace
from coterie.data import Table
from coterie.distributed.checkpoints import CURRENT, Rounds, StoredRun
from coterie.distributed.course import layout_of
from coterie.distributed.holders import HolderLostError, Holders
from coterie.distributed.remote_growth import RemoteGround, persist, within
from coterie.distributed.remote_table import RemoteTable
from coterie.distributed.row_holder import RowHolder
from coterie.distributed.score_holder import Outset, ScoreHolder, Vote, shortened
from coterie.distributed.session import NotDistributedError
from coterie.losses import (
    ColumnsLoss,
    ExponentialLoss,
    FocalLoss,
    GammaLoss,
    LogLoss,
    MultinomialLoss,
    PoissonLoss,
    SquaredError,
    TweedieLoss,
)
from coterie.native import Forest

Done = TypeVar("Done")

# Losses whose slopes in a row depend on that row alone, and whose leaves on sums of slopes.
_BY_ROW = (
    *(SquaredError, LogLoss, MultinomialLoss, ExponentialLoss, FocalLoss),
    *(PoissonLoss, GammaLoss, TweedieLoss),
)


@dataclass
class RemoteBoard(Board):
    """A board whose scores holders may keep; then `raw` is what they began with.

    Parameters
    ----------
    ask : callable or None
        Asks the holders for scores of all rows or of some.
    """

    ask: Callable[[NDArray[np.intp] | None], Array] | None = None

    @classmethod
    def at(cls, table: Table, y: Array, weight: Array | None, start: Array) -> RemoteBoard:
        """Rows whose scores are all `start`."""
        return cls(table, y, weight, start)

    @cached_property
    def raw(self) -> Array:
        """The scores they start from, which take no memory."""
        return np.broadcast_to(self.start, (len(self.y), self.n_scores))

    def scores(self, rows: NDArray[np.intp] | None = None) -> Array:
        """The scores so far, of all rows or of some."""
        return super().scores(rows) if self.ask is None else self.ask(rows)


class RemoteRun(GradientRun):
    """A fit whose training rows are on a cluster.

    Holders have the bins. For losses of single rows they keep the scores, too, and make the slopes
    of every round where the rows are. Otherwise (medians in leaves, dropped trees, out-of-bag
    figures) the driver keeps the scores, and sends the slopes with every tree.
    """

    here = False
    file: StoredRun
    facts: dict[str, Any]
    kept = 0

    def _lay_out(self) -> RemoteGround:
        table, plan = self.train.table, self.plan
        assert isinstance(table, RemoteTable)
        assert table.bins is not None
        if plan.vector:
            raise NotDistributedError.of("One tree for all scores (multiclass='vector')")
        if plan.ccp_alpha > 0:
            raise NotDistributedError.of("ccp_alpha")
        layout = layout_of(table.bins)
        self.there, self.voted, self.told = self._keeps_scores_there(), list[Vote](), 0
        if self.there:
            assert isinstance(self.train, RemoteBoard)
            self.train.ask = self._scores_there
        else:
            self.train.raw = np.asfortranarray(self.train.raw)
        leaves = np.empty(0 if self.there else table.n_rows, dtype=np.int32)
        # Rows that are held out stay where they are, if trees are to know them by their bins.
        tables = [board.table for board in self.held]
        mine = [one for one in tables if isinstance(one, RemoteTable) and one.bins is table.bins]
        self.watched = mine[0] if len(mine) == 1 else None
        holders = Holders(table, ScoreHolder if self.there else RowHolder, self.watched)
        return RemoteGround(table, plan.growth, plan.n_threads, layout, leaves, holders)

    def _keeps_scores_there(self) -> bool:
        plan = self.plan
        parts = plan.loss.parts if isinstance(plan.loss, ColumnsLoss) else (plan.loss,)
        return (
            all(type(part) in _BY_ROW for part in parts)
            and not (plan.by_gradient and not plan.loss.constant_hessian)
            and plan.dart is None
            and plan.shares is None
            and all(isinstance(judge, Judge) for judge in self.judges)
        )

    @property
    def holders(self) -> Holders:
        """Who has the rows."""
        assert isinstance(self.ground, RemoteGround)
        return self.ground.holders

    def boost(self, seeds: NDArray[np.int64]) -> None:
        """Add rounds, one per seed, until a watch ends it; the holders go at the end."""
        try:
            super().boost(self._resume(seeds))
        finally:
            self.holders.close()

    def _resume(self, seeds: NDArray[np.int64]) -> NDArray[np.int64]:
        """Repeat the rounds that a checkpoint holds, if there is one; the seeds of the others."""
        store = CURRENT.get()
        if store is None:
            return seeds
        if self.members:
            raise NotDistributedError.of("A warm start with a checkpoint")
        self.file, self.facts = store.next_file(), self._fingerprint(seeds)
        self.watches = [*self.watches, self._checkpoint]
        kept = self.file.read(self.facts)
        if kept is None:
            return seeds
        for t, known in enumerate(kept.trace.rounds[: len(seeds)]):
            self._repeat(kept.pool[t : t + 1], known, int(seeds[t]))
            if self._ended():
                return seeds[:0]
        return seeds[len(self.members) :]

    def _checkpoint(self, trace: Trace) -> str:
        """Keep the rounds so far, now and then."""
        if len(trace) % self.file.every == 0 and len(trace) > self.kept:
            self.file.write(Rounds(self.pool(), trace), self.facts)
            self.kept = len(trace)
        return ""

    def _fingerprint(self, seeds: NDArray[np.int64]) -> dict[str, Any]:
        """What tells this fit from others, as plain data."""
        board, bins = self.train, self.train.table.bins
        assert bins is not None
        weight = None if board.weight is None else board.weight.tobytes()
        return {
            "first seed": int(seeds[0]) if len(seeds) else 0,
            "rows": len(board.y),
            "target": hashlib.sha256(board.y.tobytes() + (weight or b"")).hexdigest(),
            "bins": hashlib.sha256(bins.lower.tobytes() + bins.upper.tobytes()).hexdigest(),
            "growth": repr(self.plan.growth),
            "loss": repr(type(self.plan.loss).__name__),
            "learning rate": self.plan.rates(0),
        }

    def _grow(self, rate: float, seed: int, rng: Generator) -> Iterator[Forest]:
        if not self.there:
            yield from super()._grow(rate, seed, rng)
            return
        self.loss = self.plan.loss
        # A round that is begun anew must draw the same.
        trees, votes = self._persist(lambda: self._round(rate, seed, deepcopy(rng)))
        self.voted += votes
        self.holders.finished()
        yield from trees

    def _round(self, rate: float, seed: int, rng: Generator) -> tuple[list[Forest], list[Vote]]:
        """The trees of a round, and what they have added to the scores of all holders."""
        plan, holders = self.plan, self.holders
        first = len(self.voted)
        calls: list[tuple[Any, ...]] = [self._news(), ("begin_round", first, plan.loss)]
        if plan.rows is not all_rows:
            holders.ask_alike("several", *calls)
            calls = []
        self._draw_there(rng)
        ground = self.ground.of_columns(plan.columns, rng)
        trees: list[Forest] = []
        votes: list[Vote] = []
        for score in range(self.width):
            calls.append(("begin_tree", score, ground.growth))
            tree, walked = holders.lead("grow", ground.growth, tree_seed(seed, score), None, *calls)
            trees.append(limited(tree, plan.loss.longest_step))
            votes.append(Vote(score, walked, rate * trees[-1].values[:, 0]))
            calls = [("catch_up", first + score, votes[-1:])]
        self.told = first
        return trees, votes

    def _news(self) -> tuple[Any, ...]:
        """The votes that holders may not know yet, as a call: those of the last round.

        They go with whatever is asked next, which saves an exchange.
        """
        return "catch_up", self.told, self.voted[self.told :]

    def _draw_there(self, rng: Generator) -> None:
        """Draw the rows of a round, and tell every holder its own."""
        plan, holders, n_rows = self.plan, self.holders, len(self.train.y)
        self.draw = Draw()
        if plan.rows is all_rows:
            return
        gradient: NDArray[Any] = np.broadcast_to(0.0, (n_rows, 1))
        if isinstance(plan.rows, Goss):
            gradient = np.concatenate(holders.ask("gradients"))
        self.draw = draw = plan.rows(gradient, len(self.members), rng)
        if draw.rows is None:
            return
        own = [
            replace(draw, rows=within(draw.rows, at), scaled=within(draw.scaled, at))
            for at in (share.rows for share in holders.shares)
        ]
        holders.ask("draw", own)

    def _persist(self, attempt: Callable[[], Done]) -> Done:
        """What an attempt gives once all holders know what they should."""
        while True:
            try:
                for number in sorted(self.holders.fresh):
                    self._tell_all(number)
                return attempt()
            except HolderLostError:
                continue

    def _tell_all(self, number: int) -> None:
        """Bring a new holder to where the others are."""
        board, rows = self.train, self.holders.shares[number].rows
        weight = None if board.weight is None else board.weight[rows]
        # Where all rows begin alike, one number says it.
        start = board.raw[rows] if board.raw.strides[0] else board.raw[0]
        outset = Outset(shortened(board.y[rows]), weight, start, self.slopes.kind)
        self.holders.ask_one(number, "settle", outset)
        self.holders.ask_one(number, "catch_up", 0, self.voted)
        self.holders.fresh.discard(number)

    def _scores_there(self, rows: NDArray[np.intp] | None) -> Array:
        shares = [share.rows for share in self.holders.shares]
        own = [None if rows is None else within(rows, at) for at in shares]
        calls = [("scores", known) for known in own]
        news = [self._news()] * len(own)
        return np.concatenate(self._persist(lambda: self.holders.ask("several", news, calls)))

    def _add(self, board: Board, part: Pool) -> None:
        if board is not self.train or not self.there:
            super()._add(board, part)
            return
        trees, rates = part.forest, np.repeat(part.weights, part.width)
        for k, rate in enumerate(rates):
            tree = trees[k : k + 1]
            self.voted.append(Vote(k % part.width, tree, rate * tree.values[:, 0]))
        self._persist(lambda: self.holders.ask_alike(*self._news()))
        self.told = len(self.voted)

    def _votes(self, board: Board, part: Pool) -> Array:
        ask = self.holders.ask_alike
        if board is self.train:
            return np.concatenate(persist(lambda: ask("votes", part)))
        if board.table is not self.watched:
            return super()._votes(board, part)
        trees = part.forest
        if len(part) > 1 or trees.linear is not None:
            return np.concatenate(persist(lambda: ask("watched_votes", part)))
        # Leaves take an eighth of the bytes.
        leaves = np.concatenate(persist(lambda: ask("watched_leaves", trees)))
        said: Array = (part.weights[0] * trees.values[:, 0])[leaves]
        return said
