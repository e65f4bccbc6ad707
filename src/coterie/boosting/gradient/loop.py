"""The loop of gradient boosting on native trees.

Each round takes the slopes of the loss at the scores so far, draws rows and columns, grows one
tree per score on them (or one tree whose leaves are vectors), and adds its votes to the scores.
Trees are never walked for training rows: growing says the leaf of each.

It is a loop of its own, not a rule of `coterie.core.boost`: members here fit slopes under two
regularised sums per leaf, and a round must cost little more than its trees.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from coterie.boosting.gradient.board import Board
from coterie.boosting.gradient.dart import Dart
from coterie.boosting.gradient.linear_leaves import LinearFit
from coterie.boosting.gradient.rates import Rates
from coterie.boosting.gradient.rows import Draw, RowDraw, all_rows
from coterie.boosting.gradient.slopes import SlopeMaker
from coterie.boosting.gradient.trees import GrowthTable, Shares, grow_singly, grow_together, limited
from coterie.core import Pool
from coterie.core.trace import Trace
from coterie.core.watch import RoundWatch
from coterie.losses import MultinomialLoss, PointwiseLoss
from coterie.native import Forest, NewtonGrowth, Slopes, add_votes

Array = NDArray[np.float64]

# What stays true of a round when boosting goes on; all else is judged again.
_KEPT = ("seconds", "leaves", "bag_loss", "oob_loss", "oob_gain")


@dataclass(frozen=True)
class Plan:
    """How to boost.

    Parameters
    ----------
    loss : PointwiseLoss
        What is lowered.
    growth : NewtonGrowth
        How a tree grows.
    rates : callable
        From the number of a round, counted from 0, to what its votes are multiplied by.
    rows : callable
        Chooses the rows of a round, see `coterie.boosting.gradient.rows`.
    columns : int or None
        Columns drawn for each tree; None for all.
    dart : Dart or None
        Drops trees.
    vector : bool
        One tree per round whose leaves hold all scores, instead of one tree per score.
    by_gradient : bool
        Choose splits by the variance of the gradients, as Friedman does, and give leaves their
        Newton steps afterwards; otherwise Hessians have a say in the splits too.
    shares : Shares or None
        Limits of the trees that depend on the weight of the rows drawn.
    ccp_alpha : float
        Price of a leaf, by which trees are pruned.
    n_threads : int
        Threads of the engine.
    linear : LinearFit or None
        Makes leaves linear.
    """

    loss: PointwiseLoss
    growth: NewtonGrowth
    rates: Rates
    rows: RowDraw = all_rows
    columns: int | None = None
    dart: Dart | None = None
    vector: bool = False
    by_gradient: bool = False
    shares: Shares | None = None
    ccp_alpha: float = 0.0
    n_threads: int = 1
    linear: LinearFit | None = None


#: Facts about the scores after a round.
RoundFacts = Callable[["GradientRun"], dict[str, float]]


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
    held : sequence of Board
        Rows that are only scored.
    judges : sequence of callables
        Facts for the trace after each round.
    watches : sequence of callables
        Read the trace and may end the loop.

    Attributes
    ----------
    members, weights, trace : list of Forest, list of float, Trace
        One entry per round.
    draw, loss : Draw, PointwiseLoss
        The rows of the last round, and the loss as it was in it; None before the first.
    """

    #: Whether the rows are in this process.
    here: ClassVar[bool] = True

    plan: Plan
    train: Board
    held: Sequence[Board] = ()
    judges: Sequence[RoundFacts] = ()
    watches: Sequence[RoundWatch] = ()
    members: list[Forest] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)
    draw: Draw | None = None
    loss: PointwiseLoss | None = None

    def __post_init__(self) -> None:
        n_scores = self.train.n_scores
        self.width = 1 if self.plan.vector else n_scores
        self.slopes = SlopeMaker(self.train.y, self.train.weight, n_scores, self.plan.n_threads)
        self.ground = self._lay_out()

    def _lay_out(self) -> GrowthTable:
        """What the trees grow on; the codes are held there alone, in another form perhaps."""
        table = self.train.table
        if self.plan.vector and isinstance(table.codes, np.ndarray):  # read row by row
            table = replace(table, codes=np.ascontiguousarray(table.codes))
        ground = GrowthTable.of(table, self.plan.growth, self.plan.n_threads)
        if self.plan.vector or table.values is None:
            return ground
        self.train.table = replace(table, codes=None)
        return replace(ground, table=self.train.table)

    def boost(self, seeds: NDArray[np.int64]) -> None:
        """Add rounds, one per seed, until a watch ends it."""
        for seed in seeds:
            began = time.perf_counter()
            rng = _stream(int(seed)) if self._draws else _UNUSED
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
            self._repeat(earlier[t : t + 1], trace.rounds[t], int(seed))
        gap = earlier.weights - np.array(self.weights)
        if gap.any():
            for board in self._boards():
                self._add(board, replace(earlier, weights=gap))
            self.weights = earlier.weights.tolist()

    def _repeat(self, one: Pool, known: Mapping[str, float], seed: int) -> None:
        """Add a round of a former fit, given its member and facts."""
        lost = self._leave_out(_stream(seed))
        member, rate = one.member(0), float(one.weights[0])
        assert isinstance(member, Forest)
        if self.plan.dart is not None:
            rate = self._rate(lost)
        self._add(self.train, self._pool([member], [rate]))
        self._keep(member, rate, lost)
        self.trace.append({name: known[name] for name in _KEPT if name in known})
        self.trace.note(weight=rate)
        self._judge()

    def pool(self, size: int | None = None) -> Pool:
        """The members so far, or the first of them."""
        return self._pool(self.members[:size], self.weights[:size])

    def _pool(self, members: Sequence[Forest], weights: Sequence[float]) -> Pool:
        forest = members[0] if len(members) == 1 else Forest.concatenate(members)
        return Pool(forest, np.array(weights), self.width)

    def _boards(self) -> list[Board]:
        return [self.train, *self.held]

    def _add(self, board: Board, part: Pool) -> None:
        board.raw += self._votes(board, part)

    def _votes(self, board: Board, part: Pool) -> Array:
        """What some members say of the rows of a board."""
        return part.raw(board.table, n_threads=self.plan.n_threads)

    def _leave_out(self, rng: Generator) -> Lost | None:
        """Drop members from the training scores, if this is DART and it drops any."""
        if self.plan.dart is None:
            return None
        numbers = self.plan.dart.drop(len(self.members), rng)
        if not len(numbers):
            return None
        part = self._pool([self.members[t] for t in numbers], [self.weights[t] for t in numbers])
        votes = [self._votes(board, part) for board in self._boards()]
        self.train.raw -= votes[0]
        return Lost(numbers, votes)

    def _rate(self, lost: Lost | None) -> float:
        """What the member of this round weighs."""
        if self.plan.dart is None or lost is None:
            return self._plain_rate
        return self.plan.dart.shares(len(lost.numbers), self._plain_rate)[0]

    @property
    def _plain_rate(self) -> float:
        """The learning rate of this round."""
        return self.plan.rates(len(self.members))

    def _grow(self, rate: float, seed: int, rng: Generator) -> Iterator[Forest]:
        """The trees of a round; each has voted on the training scores when it is handed over."""
        plan, board = self.plan, self.train
        self.loss = loss = board.settled(plan.loss)
        if type(loss) is MultinomialLoss and self._simple and self.slopes.too_many:
            self.draw = plan.rows(board.raw, len(self.members), rng)
            ground = self._ground_of_round(self.draw, rng)
            classes = self.slopes.by_class(board.raw, rate, loss.longest_step)
            yield ground.grow_classes(classes, seed)
            return
        gradient, hessian = self.slopes.at(loss, board.raw)
        self.draw = draw = plan.rows(gradient, len(self.members), rng)
        gradient, hessian = draw.scale(gradient, hessian)
        ground = self._ground_of_round(draw, rng)
        if plan.vector:
            tree, leaves = grown = grow_together(ground, gradient, hessian, draw, seed)
            if loss.adaptive:
                tree = ground.refit_all(grown, loss, board, draw)
            tree = limited(tree, loss.longest_step)
            for k in range(board.raw.shape[1]):
                self._vote(k, leaves, rate * tree.values[:, k])
            yield tree
            return
        late = plan.by_gradient and not loss.constant_hessian
        if late or loss.adaptive or plan.ccp_alpha > 0 or plan.linear is not None:
            yield from self._grow_singly(ground, (gradient, hessian), rate, seed, late)
            return
        slopes = Slopes(gradient, hessian, draw.rows)
        yield ground.grow_all(slopes, seed, (board.raw, rate, loss.longest_step))

    @cached_property
    def _draws(self) -> bool:
        """Whether rounds draw anything: to make a stream takes as long as a small tree."""
        plan = self.plan
        return plan.rows is not all_rows or plan.columns is not None or plan.dart is not None

    @property
    def _simple(self) -> bool:
        """Whether nothing but the trees asks for slopes, class by class."""
        plan = self.plan
        changed = plan.vector or plan.by_gradient or plan.ccp_alpha > 0 or plan.linear is not None
        return self.here and plan.rows is all_rows and not changed

    def _ground_of_round(self, draw: Draw, rng: Generator) -> GrowthTable:
        ground = self.ground.of_columns(self.plan.columns, rng)
        if self.plan.shares is None:
            return ground
        return ground.at_least(self.plan.shares, self._drawn_weight(draw))

    def _grow_singly(
        self,
        ground: GrowthTable,
        slopes: tuple[NDArray[Any], NDArray[Any] | None],
        rate: float,
        seed: int,
        late: bool,
    ) -> Iterator[Forest]:
        """A tree per score, each of which is changed before it votes."""
        plan, board, draw, loss = self.plan, self.train, self.draw, self.loss
        assert draw is not None
        assert loss is not None
        gradient, hessian = slopes
        bend = self._flat_hessian(draw) if late else hessian
        for k, grown in enumerate(grow_singly(ground, gradient, bend, draw, seed)):
            if plan.ccp_alpha > 0:
                grown = ground.pruned(grown, plan.ccp_alpha)
            tree, leaves = grown
            if loss.adaptive or late:
                tree = ground.refit(grown, loss, board, draw, k, (gradient, hessian))
            tree = limited(tree, loss.longest_step)
            if plan.linear is not None:
                tree = self._bend(plan.linear, tree, leaves, (gradient, hessian), k)
            self._vote(k, leaves, rate * tree.values[:, 0])
            if tree.linear is not None:
                board.raw[:, k] += rate * tree.linear.add_up(self._cells, leaves)
            yield tree

    @property
    def _cells(self) -> NDArray[Any]:
        """The numbers that linear leaves are fitted to."""
        assert self.train.table.values is not None
        return self.train.table.values

    def _bend(
        self,
        linear: LinearFit,
        tree: Forest,
        leaves: NDArray[np.int32],
        slopes: tuple[NDArray[Any], NDArray[Any] | None],
        score: int,
    ) -> Forest:
        """The tree with linear leaves, by the rows of the round."""
        assert self.draw is not None
        known = slice(None) if self.draw.rows is None else self.draw.rows
        gradient, hessian = slopes
        pull = gradient[known, score].astype(np.float64)
        bend = np.ones(len(pull)) if hessian is None else _of_score(hessian, score)[known]
        return linear.fit(tree, self._cells[known], leaves[known], (pull, bend))

    def _flat_hessian(self, draw: Draw) -> NDArray[Any] | None:
        """The weights of the rows in place of Hessians; None for ones."""
        flat = self.slopes.flat
        if flat is None and draw.scaled is None:
            return None
        weight = draw.weigh(self.train.known_weight)[:, None].astype(self.slopes.kind)
        return np.broadcast_to(weight, self.slopes.gradient.shape)

    def _drawn_weight(self, draw: Draw) -> float:
        weight = draw.weigh(self.train.known_weight)
        return float((weight if draw.rows is None else weight[draw.rows]).sum())

    def _vote(self, score: int, leaves: NDArray[np.int32], values: Array) -> None:
        add_votes(self.train.raw[:, score], leaves, values, n_threads=self.plan.n_threads)

    def _keep(self, member: Forest, rate: float, lost: Lost | None) -> None:
        """Note a member that has voted in training, and give back part of what was left out."""
        if lost is not None and self.plan.dart is not None:
            factor = self.plan.dart.shares(len(lost.numbers), self._plain_rate)[1]
            self.train.raw += factor * lost.votes[0]
            for board, votes in zip(self.held, lost.votes[1:], strict=True):
                board.raw += (factor - 1.0) * votes
            for number in lost.numbers:
                self.weights[number] *= factor
        self.members.append(member)
        self.weights.append(rate)
        for board in self.held:
            self._add(board, self._pool([member], [rate]))

    def _over_meanwhile(self) -> bool:
        """Whether a callback ends boosting in the midst of a round: those before are kept."""
        asked = [watch for watch in self.watches if hasattr(watch, "functions")]
        said = [watch(self.trace) for watch in asked]
        self.trace.reason = next(filter(None, said), "") if self.members else ""
        return bool(self.trace.reason)

    def _judge(self) -> None:
        for judge in self.judges:
            self.trace.note(**judge(self))

    def _over(self) -> bool:
        self._judge()
        return self._ended()

    def _ended(self) -> bool:
        """Whether a watch ends it here."""
        reasons = [watch(self.trace) for watch in self.watches]
        self.trace.reason = next((reason for reason in reasons if reason), "")
        return bool(self.trace.reason)


def _of_score(hessian: NDArray[Any], score: int) -> Array:
    """Second slopes of a score; weights stand for those of all."""
    return hessian[:, score if hessian.shape[1] > 1 else 0].astype(np.float64)


def _stream(seed: int) -> Generator:
    return np.random.default_rng(SeedSequence(seed))


_UNUSED = _stream(0)  # where nothing is drawn
