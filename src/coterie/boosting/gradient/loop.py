"""The loop of gradient boosting on native trees.

Each round takes the slopes of the loss at the scores so far, draws rows and columns, grows one
tree per score on them (or one tree whose leaves are vectors), and adds its votes to the scores.
Trees are never walked for training rows: growing says the leaf of each.

It is a loop of its own, not a rule of `coterie.core.boost`: members here fit slopes under two
regularised sums per leaf, and a round must cost little more than its trees.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from coterie.boosting.gradient.board import Board
from coterie.boosting.gradient.dart import Dart
from coterie.boosting.gradient.rows import RowDraw, all_rows
from coterie.boosting.gradient.slopes import SlopeMaker
from coterie.boosting.gradient.trees import GrowthTable, grow_scores, grow_vector, limited
from coterie.core import Pool
from coterie.core.trace import Trace
from coterie.core.watch import RoundWatch
from coterie.losses import PointwiseLoss
from coterie.native import Forest, NewtonGrowth, add_votes

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """How to boost.

    Parameters
    ----------
    loss : PointwiseLoss
        What is lowered.
    growth : NewtonGrowth
        How a tree grows.
    learning_rate : float
        What votes are multiplied by.
    rows : callable
        Chooses the rows of a round, see `coterie.boosting.gradient.rows`.
    columns : int or None
        Columns drawn for each tree; None for all.
    dart : Dart or None
        Drops trees.
    vector : bool
        One tree per round whose leaves hold all scores, instead of one tree per score.
    n_threads : int
        Threads of the engine.
    """

    loss: PointwiseLoss
    growth: NewtonGrowth
    learning_rate: float
    rows: RowDraw = all_rows
    columns: int | None = None
    dart: Dart | None = None
    vector: bool = False
    n_threads: int = 1


#: Facts about the scores after a round.
Judge = Callable[["GradientRun"], dict[str, float]]


@dataclass(frozen=True)
class Lost:
    """Members that DART left out: their numbers, and their votes on every board."""

    numbers: NDArray[np.intp]
    votes: list[Array]


@dataclass
class GradientRun:
    """One fit under way.

    Parameters
    ----------
    plan : Plan
        How to boost.
    train : Board
        The rows to learn from, binned.
    held : Board or None
        Rows that are only scored.
    judge : callable or None
        Facts for the trace after each round.
    watches : sequence of callables
        Read the trace and may end the loop.

    Attributes
    ----------
    members, weights, trace : list of Forest, list of float, Trace
        One entry per round.
    """

    plan: Plan
    train: Board
    held: Board | None = None
    judge: Judge | None = None
    watches: Sequence[RoundWatch] = ()
    members: list[Forest] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)

    def __post_init__(self) -> None:
        n_scores = self.train.raw.shape[1]
        self.width = 1 if self.plan.vector else n_scores
        self.slopes = SlopeMaker(self.train.y, self.train.weight, n_scores, self.plan.n_threads)
        self.ground = GrowthTable.of(self.train.table, self.plan.growth, self.plan.n_threads)

    def boost(self, seeds: NDArray[np.int64]) -> None:
        """Add rounds, one per seed, until a watch ends it."""
        for seed in seeds:
            began = time.perf_counter()
            rng = _stream(int(seed))
            lost = self._leave_out(rng)
            rate = self._rate(lost)
            try:
                trees = list(self._grow(rate, int(seed), rng))
            except KeyboardInterrupt:
                if self._over_meanwhile():
                    return
                raise
            member = trees[0] if len(trees) == 1 else Forest.concatenate(trees)
            self._keep(member, rate, lost)
            facts = {"seconds": time.perf_counter() - began, "leaves": len(member.values)}
            self.trace.append({**facts, "weight": rate})
            if self._over():
                return
        self.trace.reason = "max_iter"

    def replay(self, earlier: Pool, trace: Trace, seeds: NDArray[np.int64]) -> None:
        """Add the rounds of a former fit, so that scores are what they were then, bit by bit.

        DART draws again what it dropped; if its settings were others then, scores are mended.
        """
        for t, seed in enumerate(seeds[: len(earlier)]):
            lost = self._leave_out(_stream(int(seed)))
            member, rate = earlier.member(t), float(earlier.weights[t])
            assert isinstance(member, Forest)
            if self.plan.dart is not None:
                rate = self._rate(lost)
            self._add(self.train, self._pool([member], [rate]))
            self._keep(member, rate, lost)
            known = trace.rounds[t]
            self.trace.append({name: known[name] for name in ("seconds", "leaves")})
            self.trace.note(weight=rate)
            if self.judge is not None:
                self.trace.note(**self.judge(self))
        gap = earlier.weights - np.array(self.weights)
        if gap.any():
            for board in self._boards():
                self._add(board, replace(earlier, weights=gap))
            self.weights = earlier.weights.tolist()

    def pool(self, size: int | None = None) -> Pool:
        """The members so far, or the first of them."""
        return self._pool(self.members[:size], self.weights[:size])

    def _pool(self, members: Sequence[Forest], weights: Sequence[float]) -> Pool:
        forest = members[0] if len(members) == 1 else Forest.concatenate(members)
        return Pool(forest, np.array(weights), self.width)

    def _boards(self) -> list[Board]:
        return [self.train] if self.held is None else [self.train, self.held]

    def _add(self, board: Board, part: Pool) -> None:
        board.raw += part.raw(board.table, n_threads=self.plan.n_threads)

    def _leave_out(self, rng: Generator) -> Lost | None:
        """Drop members from the training scores, if this is DART and it drops any."""
        if self.plan.dart is None:
            return None
        numbers = self.plan.dart.drop(len(self.members), rng)
        if not len(numbers):
            return None
        part = self._pool([self.members[t] for t in numbers], [self.weights[t] for t in numbers])
        threads = self.plan.n_threads
        votes = [part.raw(board.table, n_threads=threads) for board in self._boards()]
        self.train.raw -= votes[0]
        return Lost(numbers, votes)

    def _rate(self, lost: Lost | None) -> float:
        """What the member of this round weighs."""
        if self.plan.dart is None or lost is None:
            return self.plan.learning_rate
        return self.plan.dart.shares(len(lost.numbers), self.plan.learning_rate)[0]

    def _grow(self, rate: float, seed: int, rng: Generator) -> Iterator[Forest]:
        """The trees of a round; each has voted on the training scores when it is handed over."""
        plan, board = self.plan, self.train
        loss = board.settled(plan.loss)
        gradient, hessian = self.slopes.at(loss, board.raw)
        draw = plan.rows(gradient, len(self.members), rng)
        gradient, hessian = draw.scale(gradient, hessian)
        ground = self.ground.of_columns(plan.columns, rng)
        if plan.vector:
            tree, leaves = grow_vector(ground, gradient, hessian, draw, seed)
            tree = limited(tree, loss.longest_step)
            for k in range(board.raw.shape[1]):
                self._vote(k, leaves, rate * tree.values[:, k])
            yield tree
            return
        for k, (tree, leaves) in enumerate(grow_scores(ground, gradient, hessian, draw, seed)):
            if loss.adaptive:
                tree = ground.refit(tree, leaves, loss, board, draw, k)
            tree = limited(tree, loss.longest_step)
            self._vote(k, leaves, rate * tree.values[:, 0])
            yield tree

    def _vote(self, score: int, leaves: NDArray[np.int32], values: Array) -> None:
        add_votes(self.train.raw[:, score], leaves, values, n_threads=self.plan.n_threads)

    def _keep(self, member: Forest, rate: float, lost: Lost | None) -> None:
        """Note a member that has voted in training, and give back part of what was left out."""
        if lost is not None and self.plan.dart is not None:
            factor = self.plan.dart.shares(len(lost.numbers), self.plan.learning_rate)[1]
            self.train.raw += factor * lost.votes[0]
            if self.held is not None:
                self.held.raw += (factor - 1.0) * lost.votes[1]
            for number in lost.numbers:
                self.weights[number] *= factor
        self.members.append(member)
        self.weights.append(rate)
        if self.held is not None:
            self._add(self.held, self._pool([member], [rate]))

    def _over_meanwhile(self) -> bool:
        """Whether a callback ends boosting in the midst of a round: those before are kept."""
        asked = [watch for watch in self.watches if hasattr(watch, "functions")]
        said = [watch(self.trace) for watch in asked]
        self.trace.reason = next(filter(None, said), "") if self.members else ""
        return bool(self.trace.reason)

    def _over(self) -> bool:
        if self.judge is not None:
            self.trace.note(**self.judge(self))
        reasons = [watch(self.trace) for watch in self.watches]
        self.trace.reason = next((reason for reason in reasons if reason), "")
        return bool(self.trace.reason)


def _stream(seed: int) -> Generator:
    return np.random.default_rng(SeedSequence(seed))
