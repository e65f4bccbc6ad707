"""The loop for members that are fitted one after the other.

The life of a boosted ensemble:

1. ``rule.begin`` makes a `State` of the target and the initial weights.
2. Each round, ``rule.ask`` says what the next member should fit, a row sampler may thin it out,
   and the learner fits it.
3. ``rule.vote`` turns the member's output into its vote, and ``rule.tell`` weighs it and brings
   the state up to date, or throws the member away.
4. Watches read the trace and may end the loop.
5. What comes out is `Boosted`: members, their weights, and the trace.

Members that were fitted earlier are told again before new ones are asked for: the state is then
what it was, so any rule can go on where a former fit ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from coterie.core.axis import repetitions
from coterie.core.learner import Member, numbered
from coterie.core.pool import Pool
from coterie.core.rows import RowSampler, every_row
from coterie.core.rule import Array, Rule, State, Step, normalised
from coterie.core.trace import Trace
from coterie.core.train import Trainer, scaled, train
from coterie.core.watch import RoundWatch
from coterie.data import Table, Target

#: From scores of rows to facts of a round.
Measure = Callable[[Array], dict[str, float]]


@dataclass(frozen=True)
class Monitor:
    """Rows that are scored after every round without being learnt from.

    Parameters
    ----------
    table : Table
        The rows.
    measure : callable
        ``raw -> dict`` of facts for the trace.
    """

    table: Table
    measure: Measure


@dataclass
class Boosted:
    """Members with their weights, and how they came about.

    Attributes
    ----------
    members : list of members
        In the order of the rounds.
    alphas : list of float
        Their weights.
    start : ndarray of shape (n_scores,)
        The score before any member.
    state : State
        After the last round.
    trace : Trace
        One row per kept member; ``trace.reason`` says why boosting ended.
    stages : list of ndarray
        The weights after each round, of rules that weigh all members anew; otherwise empty.
    """

    members: list[Member]
    alphas: list[float]
    start: Array
    state: State | None
    trace: Trace = field(default_factory=Trace)
    stages: list[Array] = field(default_factory=list)


@dataclass(frozen=True)
class Settings:
    """The parts of a boosted fit that do not depend on its rule.

    Parameters
    ----------
    rows : callable
        Row sampler, see `coterie.core.rows`.
    restarts : int
        How often in a row a useless member is thrown away and another one is drawn.
    watches : sequence of callables
        See `coterie.core.watch`.
    monitors : sequence of Monitor
        Rows to score after every round.
    keep_weights : bool
        Whether the trace keeps the distribution before each round.
    """

    rows: RowSampler = every_row
    restarts: int = 0
    watches: Sequence[RoundWatch] = ()
    monitors: Sequence[Monitor] = ()
    keep_weights: bool = False


def boost(
    rule: Rule,
    learner: Trainer,
    table: Table,
    target: Target,
    weight: NDArray[np.float64] | None,
    *,
    seeds: NDArray[np.int64],
    settings: Settings | None = None,
    earlier: Boosted | None = None,
) -> Boosted:
    """Fit one member per seed, each where the ones before it fell short.

    Parameters
    ----------
    rule : Rule
        The algorithm.
    learner : Trainer
        Fits a member.
    table, target, weight : Table, Target, ndarray or None
        The training rows and their weights.
    seeds : ndarray of shape (n_rounds,)
        One seed per round, those of earlier members included.
    settings : Settings, optional
        Row sampler, restarts, watches, monitors.
    earlier : Boosted, optional
        Members of a former fit to go on from.

    Returns
    -------
    Boosted
    """
    settings = settings or Settings()
    # Equal weights are one number: they take no memory.
    even = np.broadcast_to(1.0 / table.n_rows, table.n_rows)
    initial = even if weight is None else normalised(weight)
    state = rule.begin(target, initial)
    state.copies = repetitions(weight)
    run = _Run(rule, learner, table, state, settings)
    if earlier is not None:
        run.replay(earlier, seeds)
    for seed in seeds[len(run.members) :]:
        if run.trace.reason or not run.round(int(seed)):
            break
    run.trace.reason = run.trace.reason or "max_rounds"
    start = np.zeros(run.state.raw.shape[1])
    if not run.members:
        start = rule.fallback(run.state)
    return Boosted(run.members, run.alphas, start, run.state, run.trace, run.stages)


class _Run:
    """One call of `boost`: the state and what has been collected so far."""

    def __init__(
        self, rule: Rule, learner: Trainer, table: Table, state: State, settings: Settings
    ) -> None:
        self.rule, self.learner, self.table, self.state = rule, learner, table, state
        self.settings = settings
        self.members: list[Member] = []
        self.alphas: list[float] = []
        self.trace = Trace()
        self.bound = 1.0
        scores = state.raw.shape[1]
        self.stages: list[Array] = []
        self.monitored = [np.zeros((m.table.n_rows, scores)) for m in settings.monitors]
        self.seen: list[list[Array]] = [[] for _ in settings.monitors]

    def round(self, seed: int) -> bool:
        """Fit and weigh one member; False when boosting is over."""
        began = time.perf_counter()
        for attempt in range(self.settings.restarts + 1):
            fitting, telling = _streams(seed, attempt)
            before = self.state.weight if self.settings.keep_weights else None
            member, vote = self._fit(fitting)
            step = self.rule.tell(self.state, vote, telling)
            if step.keep:
                break
        if not step.keep:
            self.trace.reason = step.stop
            return False
        times = {"seconds": time.perf_counter() - began, "restarts": attempt}
        self._keep(member, step, {**step.facts, **times}, before)
        return not self._over(step)

    def _fit(self, rng: Generator) -> tuple[Member, Array]:
        """A member and its vote; what was asked for is forgotten with the call."""
        ask = self.settings.rows(self.rule.ask(self.state), rng)
        learner = numbered(self.learner, len(self.members))
        return train(learner, self.table, ask, rng, self.rule.vote)

    def replay(self, earlier: Boosted, seeds: NDArray[np.int64]) -> None:
        """Tell the rule of members fitted before, so that the state is what it was then."""
        for t, member in enumerate(earlier.members):
            facts = earlier.trace.rounds[t]
            restarts = int(facts["restarts"])
            _, telling = _streams(int(seeds[t]), restarts)
            self._lend(restarts + 1)
            before = self.state.weight if self.settings.keep_weights else None
            step = self.rule.tell(self.state, self._vote(member, self.table), telling)
            times = {name: facts[name] for name in ("seconds", "restarts")}
            self._keep(member, step, {**step.facts, **times}, before)
            self.trace.reason = step.stop

    def _lend(self, times: int) -> None:
        """Round the weights as they were by lending them to members: to the very same bits."""
        if self.settings.rows is not every_row:
            return
        for _ in range(times):
            ask = self.rule.ask(self.state)
            with scaled(ask.weight, ask.scale):
                pass

    def _keep(
        self, member: Member, step: Step, facts: dict[str, float], before: Array | None
    ) -> None:
        if "normaliser" in facts and "bound" not in facts:
            # The product of the normalisers bounds the training error.
            self.bound *= facts["normaliser"]
            facts["bound"] = self.bound
        self.members.append(member)
        self.alphas.append(step.alpha)
        if step.alphas is not None:
            self.alphas = [float(alpha) for alpha in step.alphas]
            self.stages.append(step.alphas)
        self.trace.append(facts)
        if before is not None:
            self.trace.weights.append(before)
        for number, monitor in enumerate(self.settings.monitors):
            raw = self._watched(number, self._vote(member, monitor.table))
            self.trace.note(**monitor.measure(raw))

    def _watched(self, number: int, vote: Array) -> Array:
        """The scores of a monitor's rows with the vote of a new member."""
        raw, seen = self.monitored[number], self.seen[number]
        if not self.stages:
            raw += self.alphas[-1] * vote
            return raw
        # All members were weighed anew, so all of their votes are needed.
        seen.append(vote)
        raw[:] = np.tensordot(self.alphas, seen, axes=1)
        return raw

    def _vote(self, member: Member, table: Table) -> Array:
        return Pool.of([member], cast=self.rule.vote).raw(table)

    def _over(self, step: Step) -> bool:
        reasons = [step.stop, *(watch(self.trace) for watch in self.settings.watches)]
        self.trace.reason = next((reason for reason in reasons if reason), "")
        return bool(self.trace.reason)


def _streams(seed: int, attempt: int) -> tuple[Generator, Generator]:
    """Where fitting and telling draw from in one attempt of one round."""
    fitting, telling = SeedSequence(seed, spawn_key=(attempt,)).spawn(2)
    return np.random.default_rng(fitting), np.random.default_rng(telling)
