"""What all totally corrective boosters share: every round all members are weighed anew."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.random import Generator
from sklearn.exceptions import ConvergenceWarning

from coterie.boosting.booster import BOOSTER
from coterie.boosting.chosen import Rows
from coterie.boosting.margin.margin_votes import MarginVotes
from coterie.boosting.margin.patterns import Patterns
from coterie.boosting.margin.program import LIGHT, EdgeProgram, Solution
from coterie.core import Allowed, between, fraction, one_of
from coterie.core.boost import Boosted
from coterie.core.rule import Array, Ask, Rule, State, Step, rounding, share
from coterie.core.stages import StagedPool
from coterie.data import Target
from coterie.trees import DecisionTreeClassifier

if TYPE_CHECKING:
    from coterie.boosting.booster import BoostedClassifier as Mixin
else:
    Mixin = object

#: Parts of the share at which the first member alone breaks even, and the least share.
_PARTS, _LEAST = (0.75, 1.1, 0.95, 0.5, 0.0), 0.1


def break_even(hits: Array, weight: Array) -> float:
    r"""The least share of the rows whose worst hits are zero on average, or one if none is.

    Of hits :math:`\pm 1` it is twice the error.

    Parameters
    ----------
    hits : ndarray of shape (n_rows,)
        How right a member is about each row, between -1 and 1.
    weight : ndarray of shape (n_rows,)
        Adds up to one.

    Returns
    -------
    float

    Examples
    --------
    >>> break_even(np.array([1.0, -1.0, 1.0, 1.0]), np.full(4, 0.25))
    0.5
    >>> break_even(np.array([1.0, -1.0, -1.0]), np.full(3, 1 / 3))
    1.0
    """
    order = np.argsort(hits)
    hits, weight = hits[order], weight[order]
    sums = np.cumsum(weight * hits)
    first = int(np.searchsorted(hits, 0.0, side="right"))
    reached = np.flatnonzero(sums[first:] >= 0)
    if not first or not len(reached):
        return 0.0 if not first else 1.0
    row = first + int(reached[0])
    # The sum is zero within this row's share.
    share = float(weight[: row + 1].sum() - sums[row] / hits[row])
    return min(share, 1.0)


def softness(hits: Array, weight: Array) -> tuple[float, ...]:
    r"""Shares :math:`\nu` of the soft margin that may suit a table, from its first member.

    With a share above `break_even` the first member alone has a positive soft margin; the others
    add to it, so three quarters of that share are enough as a rule. If labels are wrong, much more
    is better, and if they are not, less. At least 0.1.

    Parameters
    ----------
    hits, weight : ndarray of shape (n_rows,)
        See `break_even`.

    Returns
    -------
    tuple of float
        Different shares, the most usual first.

    Examples
    --------
    >>> softness(np.array([1.0, -1.0, 1.0, 1.0]), np.full(4, 0.25))
    (0.375, 0.55, 0.475, 0.25, 0.1)
    """
    # Rounded, so that a weight of two and a row given twice agree in every digit.
    even = break_even(hits, weight)
    shares = [min(max(round(part * even, 6), _LEAST), 1.0) for part in _PARTS]
    return tuple(dict.fromkeys(shares))


#: Members see every row with this share of its initial weight at least: distributions of linear
#: programs are zero nearly everywhere, and of many members that are equally good under one, that
#: which is right about more of the other rows is worth more later.
#: Probabilities in leaves without other rows are ratios of differences of sums, exact to about
#: 1e-16 over this.
_FAINT = {"hard": 1e-9, "soft": 1e-4}

CORRECTIVE: dict[str, Allowed] = {
    **BOOSTER,
    "learning_rate": one_of(1.0),
    "tol": between(0.0, 2.0, closed="neither"),
    "voting": one_of("auto", "hard", "soft"),
}
SOFT_MARGIN = fraction() | one_of("auto", None)


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
    alphas : ndarray of shape (n_members,)
        What the members weigh.
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
    alphas: Array = field(default_factory=lambda: np.empty(0))
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
class Corrective(MarginVotes, Rule):
    r"""Weighs all members by the linear program of margins; where to look next is up to the kind.

    With :math:`u_t(i) \in [-1, 1]` for how right member t is about row i, the weights
    :math:`\alpha` on the simplex maximise the soft margin
    :math:`\min_{d} \sum_i d_i \sum_t \alpha_t u_t(i)` over the distributions
    :math:`d \le D_0/\nu`: the mean margin of the worst share :math:`\nu` of the rows. No ensemble
    has a larger one than the edge of the best member under any such :math:`d`, so the least edge
    so far, less what is attained, bounds what more members could add: the gap.

    Where no vote has a positive soft margin, votes that cancel out are the best by the program, and
    it says nothing about the weights. Then the vote is that of least training error among the
    program's, that of the round before, and that of the multipliers :math:`\lambda` that gave the
    distribution, :math:`d \propto D_0 e^{-\lambda^\top U}`.

    Parameters
    ----------
    voting : {"auto", "hard", "soft"}
        Whether members vote with classes or with probabilities; "auto" uses classes if there are
        two.
    tol : float
        Gap at which boosting ends.
    nu : float, optional
        Share of the rows the soft margin is the mean of; None for the least margin of all.
    """

    tol: float = 0.01
    nu: float | None = None
    #: Whether votes without a positive margin give way to those of least training error.
    rescues: ClassVar[bool] = True
    #: Why boosting ends when the gap is closed.
    closed: ClassVar[str] = "no_improvement"

    def begin(self, target: Target, weight: Array) -> CorrectiveState:
        """No members, and a program that knows only of distributions."""
        raw = np.zeros((len(weight), self.n_scores(target)))
        program = EdgeProgram(np.inf if self.nu is None else 1.0 / self.nu)
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
        facts = {"error": error, "edge": edge, **self._attain(state, vote, solution)}
        stop = self._redistribute(state, solution, facts)
        facts |= self._score(state, solution)
        return Step(facts["alpha"], facts, stop=stop, alphas=state.alphas)

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

    def _attain(self, state: CorrectiveState, vote: Array, solution: Solution) -> dict[str, float]:
        """Note the vote, and say what margin the members have."""
        state.votes.append(vote.astype(np.int8) if self.voting == "hard" else vote)
        patterns = state.patterns
        margins = solution.alphas @ patterns.hits
        state.value = soft_minimum(margins, patterns.prior, state.program.cap)
        return {
            "margin": state.value,
            "min_margin": float(margins.min()),
            "margin_bound": state.ceiling,
            "gap": state.ceiling - state.value,
        }

    def _score(self, state: CorrectiveState, solution: Solution) -> dict[str, float]:
        """Settle the weights of the members, and score the rows with them."""
        size, choices = len(state.votes), [solution.alphas]
        if state.value <= LIGHT and self.rescues:
            # Where the dual is flat, multipliers are known to about nine digits.
            steady = np.round(state.multipliers / (state.multipliers.sum() or 1.0), 6)
            choices = [
                np.pad(alphas / alphas.sum(), (0, size - len(alphas)))
                for alphas in (state.alphas, steady, solution.alphas)
                if alphas.sum() > 0
            ]
        scores = [_weigh(state.votes, alphas) for alphas in choices]
        errors = [share(state.initial, self.decide(raw) != state.codes) for raw in scores]
        # Of votes that are as often wrong the first, whatever the rounding.
        best = int(np.flatnonzero(np.array(errors) <= min(errors) + rounding(state))[0])
        state.alphas, state.raw = choices[best], scores[best]
        return {"alpha": float(state.alphas[-1]), "train_error": errors[best]}

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


def _weigh(votes: list[Array], alphas: Array) -> Array:
    """The weighted sum of the votes."""
    raw = np.zeros(votes[0].shape)
    for t in np.flatnonzero(alphas):
        raw += alphas[t] * votes[t]
    return raw


def _warn_of_no_margin(fitted: Any) -> None:
    """Say so if no vote has a positive margin, and the one there is is no better than a member."""
    errors = fitted.trace_["train_error"]
    few = 10 if fitted.stop_reason_ == "max_rounds" else 2  # who asks for few rounds gets them
    if fitted.n_rounds_ < few or fitted.margin_ > LIGHT or errors[-1] < errors[0]:
        return
    share = "" if fitted.nu_ is None else f" at nu={fitted.nu_:.3g}"
    cure = "SoftBoostClassifier" if fitted.nu_ is None else "a larger nu, nu='auto'"
    warnings.warn(
        f"No vote of the {fitted.n_rounds_} members has a positive margin{share}: the classes "
        "overlap too much for them, and the vote is no better than the first member. Use "
        f"{cure}, more rounds, or members that separate more rows, such as deeper trees.",
        ConvergenceWarning,
        stacklevel=2,
    )


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
        Their weights, which sum to one.
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
class MarginBooster(Mixin):
    r"""Boosts the members of largest edge until the margin is precise enough.

    Parameters
    ----------
    estimator : estimator, default=None
        The base learner; by default the tree with one split that has the largest edge: the smallest
        error or, with soft votes, the smallest Gini impurity. With K > 2 classes, which one split
        cannot separate, trees have depth :math:`\lceil \log_2 K \rceil + 1`. The bound on the
        margin holds if each member is the best of its kind.
    n_estimators : int, default=100
        Maximum number of rounds.
    learning_rate : float, default=1.0
        Must be 1.0: shorter steps would invalidate the margin guarantee.
    tol : float, default=0.01
        Precision of the margin: boosting stops when no ensemble can have a margin larger by more
        than this.
    voting : {"auto", "hard", "soft"}, default="auto"
        Whether members vote with classes or with probabilities; "auto" uses classes with two
        classes, and probabilities with more. With many classes a member counts as right about a row
        by its vote for the row's class less its largest other vote, and the margin of the ensemble
        is at least the weighted mean of that.
    """

    n_estimators: int = 100
    tol: float = 0.01
    voting: Literal["auto", "hard", "soft"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = CORRECTIVE

    def _member(self, gives: str, target: Target) -> Any:
        if self.estimator is not None:
            return self.estimator
        criterion = "gini" if gives == "proba" else "misclassification"
        return DecisionTreeClassifier(criterion=criterion, max_depth=self._depth(target))

    @property
    def _least_gain(self) -> float:
        return 0.0  # the precision of the margin says nothing about errors


@dataclass(eq=False, repr=False, kw_only=True)
class CorrectiveBooster(MarginBooster):
    """A booster that weighs all its members anew every round."""

    def _share(self) -> float | None:
        """The `nu` of the rule, as far as it is known without rows."""
        nu = getattr(self, "nu", None)
        return None if nu == "auto" else nu

    def _settle(self, rule: Rule, rows: Rows, entropy: int, earlier: Boosted | None) -> Rule:
        if getattr(self, "nu", None) != "auto":
            return rule
        if earlier is not None:
            return replace(cast(Corrective, rule), nu=self.nu_)
        twin = self._copy()
        twin.n_estimators = 1
        member = twin._member(rule.gives, rows.target)
        alone = twin._boost(rule, member, rows, None, entropy, None)
        state = CorrectiveState.of(_state(alone))
        if not state.votes:
            return rule
        shares = softness(MarginVotes.hits(state, state.votes[0]), state.initial)
        rules = [replace(cast(Corrective, rule), nu=share) for share in shares]
        return self._best_rule(rules, rows, entropy)

    def _publish(self, draft: Self, boosted: Boosted) -> None:
        super()._publish(draft, boosted)
        draft.pool_ = StagedPool.staged(draft.pool_, boosted.stages[: len(draft.pool_)])
        draft.margin_ = float(draft.trace_["margin"][-1]) if draft.n_rounds_ else np.nan
        state = CorrectiveState.of(_state(boosted))
        draft.margin_bound_ = state.ceiling
        draft.nu_ = 1 / state.program.cap or None
        _warn_of_no_margin(draft)
