"""What all totally corrective boosters share: every round all members are weighed anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator

from coterie.base import thread_count
from coterie.boosting.booster import BOOSTER, BoostedClassifier, Booster
from coterie.boosting.margin.patterns import Patterns
from coterie.boosting.margin.program import EdgeProgram, Solution
from coterie.boosting.margin.votes import MarginVotes
from coterie.boosting.metrics import read_metrics
from coterie.core import Allowed, between, fraction, one_of
from coterie.core.boost import Boosted
from coterie.core.rule import Array, Ask, State, Step, rounding, share
from coterie.core.stages import StagedPool
from coterie.core.watch import NoImprovement, RoundWatch, Unanimous
from coterie.data import Target
from coterie.trees import DecisionTreeClassifier

#: Members see every row with this share of its initial weight at least: distributions of linear
#: programs are zero nearly everywhere, and of many members that are equally good under one, that
#: which is right about more of the other rows is worth more later.
#: Probabilities in leaves without other rows are ratios of differences of sums, exact to about
#: 1e-16 over this.
_FAINT = {"hard": 1e-9, "soft": 1e-6}

CORRECTIVE: dict[str, Allowed] = {
    **BOOSTER,
    "learning_rate": one_of(1.0),
    "tol": between(0.0, 2.0, closed="neither"),
    "voting": one_of("auto", "hard", "soft"),
}
SOFT_MARGIN = fraction() | one_of(None)


@dataclass(slots=True)
class CorrectiveState(State):
    """A state that remembers all votes.

    Attributes
    ----------
    patterns : Patterns
        Rows by what the members say of them.
    program : EdgeProgram
        The linear program of all members so far.
    votes : list of ndarray
        What each member says of each row.
    ceiling : float
        Least edge of a member in its round: no ensemble has a larger margin, if members are the
        best there are.
    value : float
        The margin attained.
    over : str
        Why boosting ended with the last member, if it was thrown away.
    multipliers : ndarray of shape (n_members,)
        Of the members in the problem that gave the weights, to begin with in the next.
    objectives : tuple of float
        Of rules with an objective: the least it was of a distribution that had not seen the new
        member, and its minimum in the last round.
    """

    patterns: Patterns
    program: EdgeProgram
    votes: list[Array] = field(default_factory=list)
    ceiling: float = 1.0
    value: float = -np.inf
    over: str = ""
    multipliers: Array = field(default_factory=lambda: np.empty(0))
    objectives: tuple[float, float] = (np.inf, -np.inf)

    @staticmethod
    def of(state: State) -> CorrectiveState:
        """The state as what the rule began with."""
        assert isinstance(state, CorrectiveState), "the state was made by another rule"
        return state


@dataclass(frozen=True)
class Corrective(MarginVotes):
    r"""Weighs all members by the linear program of margins; where to look next is up to the kind.

    With :math:`u_t(i) \in [-1, 1]` for how right member t is about row i, the weights
    :math:`\alpha` on the simplex maximise the soft margin
    :math:`\min_{d} \sum_i d_i \sum_t \alpha_t u_t(i)` over the distributions
    :math:`d \le D_0/\nu`: the mean margin of the worst share :math:`\nu` of the rows. No ensemble
    has a larger one than the edge of the best member under any such :math:`d`, so the least edge
    so far, less what is attained, bounds what more members could add: the gap.

    Parameters
    ----------
    voting : {"auto", "hard", "soft"}
        Whether members vote by class or by probabilities; "auto" is by class of two classes.
    tol : float
        Gap at which boosting ends.
    nu : float, optional
        Share of the rows the soft margin is the mean of; None for the least margin of all.
    """

    tol: float = 0.01
    nu: float | None = None
    #: Why boosting ends when the gap is closed.
    closed: ClassVar[str] = "no_improvement"

    @property
    def cap(self) -> float:
        """The largest weight of a row, in units of its initial weight."""
        return np.inf if self.nu is None else 1.0 / self.nu

    def begin(self, target: Target, weight: Array) -> CorrectiveState:
        """No members, and a program that knows only of distributions."""
        raw = np.zeros((len(weight), self.n_scores(target)))
        program = EdgeProgram(self.cap)
        return CorrectiveState(target, weight, weight, raw, Patterns(weight), program)

    def ask(self, state: State) -> Ask:
        """The labels, under the current weights at mean one, none of them zero."""
        weight = np.maximum(state.weight, _FAINT[self.voting] * state.initial)
        return Ask(state.target, weight * len(weight))

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh all members, and find the next distribution."""
        state = CorrectiveState.of(state)
        hits = self.hits(state, vote)
        edge = float(state.weight @ hits)
        error = share(state.weight, self.decide(vote) != state.codes)
        reason = self.refusal(state, edge)
        state.ceiling = min(state.ceiling, edge)
        if reason:
            return Step(0.0, {"error": error, "edge": edge}, keep=False, stop=reason)
        parents = state.patterns.split(hits)
        solution = state.program.add(state.patterns.hits, state.patterns.prior, parents)
        if solution is None or self.drops(state, solution):
            state.over = self.closed if solution else "solver_failed"
            return Step(0.0, {"error": error, "edge": edge}, keep=False, stop=state.over)
        facts = {"error": error, "edge": edge, **self._advance(state, vote, solution)}
        stop = self._redistribute(state, solution, facts)
        alphas = solution.alphas
        return Step(float(alphas[-1]), facts, stop=stop, alphas=alphas)

    def refusal(self, state: CorrectiveState, edge: float) -> str:
        """Why a member of this edge is of no use, or an empty string."""
        if state.over:  # whatever is tried again is refused
            return state.over
        # Of many classes, members that are wrong more often than not still add up to good ones.
        first = not state.votes and state.raw.shape[1] == 1
        return "too_weak" if first and edge <= rounding(state) else ""

    def drops(self, state: CorrectiveState, solution: Solution) -> bool:
        """Whether the member that closes the gap is thrown away."""
        return False

    def _advance(self, state: CorrectiveState, vote: Array, solution: Solution) -> dict[str, float]:
        """Score the rows with the new weights, and say what was attained."""
        state.votes.append(vote.astype(np.int8) if self.voting == "hard" else vote)
        state.raw = np.zeros(vote.shape)
        for t in np.flatnonzero(solution.alphas):
            state.raw += solution.alphas[t] * state.votes[t]
        patterns = state.patterns
        margins = solution.alphas @ patterns.hits
        state.value = soft_minimum(margins, patterns.prior, self.cap)
        wrong = self.decide(state.raw) != state.codes
        return {
            "alpha": float(solution.alphas[-1]),
            "margin": state.value,
            "min_margin": float(margins.min()),
            "margin_bound": state.ceiling,
            "gap": state.ceiling - state.value,
            "train_error": share(state.initial, wrong),
        }

    def _redistribute(
        self, state: CorrectiveState, solution: Solution, facts: dict[str, float]
    ) -> str:
        """Set the weights of the next round; why there is none, or an empty string."""
        if facts["gap"] <= self.tol:
            return self.closed
        mass = self.follow(state, solution, facts)
        if mass is None:
            return self.closed
        state.weight = state.patterns.spread(mass)
        return ""

    def follow(
        self, state: CorrectiveState, solution: Solution, facts: dict[str, float]
    ) -> Array | None:
        """The masses of the columns in the next round, or None when boosting is over."""
        raise NotImplementedError


def _state(boosted: Boosted) -> State:
    assert boosted.state is not None, "a fit leaves its state"
    return boosted.state


def soft_minimum(margins: Array, prior: Array, cap: float) -> float:
    r"""The least of :math:`\sum_i d_i m_i` over distributions :math:`d \le c \cdot` `prior`.

    Parameters
    ----------
    margins : ndarray of shape (n,)
        Of each row or column.
    prior : ndarray of shape (n,)
        Their weights, which add up to one.
    cap : float
        At least one; with infinity, the minimum.

    Examples
    --------
    >>> soft_minimum(np.array([1.0, -1.0, 0.0, 1.0]), np.full(4, 0.25), 2.0)
    -0.5
    """
    order = np.argsort(margins)
    filled = np.minimum(np.cumsum(np.minimum(cap * prior[order], 1.0)), 1.0)
    return float(np.diff(filled, prepend=0.0) @ margins[order])


@dataclass(eq=False, repr=False, kw_only=True)
class MarginMember(Booster):
    """Boosts the members of largest edge until the margin is precise enough.

    Parameters
    ----------
    estimator : estimator, default=None
        What to boost; by default the tree of one split with the largest edge: that of least error
        or, with soft votes, of least Gini impurity. The bound on the margin holds if members are
        the best of their kind.
    n_estimators : int, default=100
        Rounds at most.
    learning_rate : float, default=1.0
        Shorter steps would spoil the margin: nothing but 1.0 is allowed.
    tol : float, default=0.01
        Precision of the margin: boosting ends when no ensemble has one larger by more than this.
    voting : {"auto", "hard", "soft"}, default="auto"
        Whether members vote by class or by probabilities; "auto" is by class of two classes and
        by probabilities of many. Of many classes a member counts as right about a row by its vote
        for the row's class less its largest other vote, and the margin of the ensemble is at
        least the weighted mean of that.
    """

    n_estimators: int = 100
    tol: float = 0.01
    voting: Literal["auto", "hard", "soft"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = CORRECTIVE

    def _member(self, gives: str) -> Any:
        if self.estimator is not None:
            return self.estimator
        criterion = "gini" if gives == "proba" else "misclassification"
        return DecisionTreeClassifier(criterion=criterion, max_depth=1)

    def _patience(self) -> RoundWatch:
        # The precision of the margin says nothing about errors.
        return Unanimous(
            [
                NoImprovement(metric.fact, self.n_iter_no_change, larger=metric.larger)
                for metric in read_metrics(self.metrics)
            ]
        )


@dataclass(eq=False, repr=False, kw_only=True)
class CorrectiveClassifier(MarginMember, BoostedClassifier):
    """A booster that weighs all its members anew every round."""

    def _publish(self, draft: Self, boosted: Boosted) -> None:
        super()._publish(draft, boosted)
        draft.pool_ = StagedPool.staged(draft.pool_, boosted.stages[: len(draft.pool_)])
        draft.margin_ = float(draft.trace_["margin"][-1]) if draft.n_rounds_ else np.nan
        draft.margin_bound_ = CorrectiveState.of(_state(boosted)).ceiling

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        table = self._admit(X)
        for size in range(1, len(self.pool_) + 1):
            raw = self.pool_[:size].raw(table, n_threads=thread_count(self.n_jobs))
            yield self.rule_.settle(self.start_ + raw)
