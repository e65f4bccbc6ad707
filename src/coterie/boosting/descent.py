"""Functional gradient descent: members fit the slope of a loss of raw scores."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray
from scipy.optimize import brentq

from coterie.core import Cast
from coterie.core.rule import Array, Ask, Rule, State, Step
from coterie.data import Table, Target
from coterie.learners import TreeLearner
from coterie.losses import PointwiseLoss, SquaredError
from coterie.native import Forest, elementary

LineSearch = Literal["leaf", "round"] | None

_EPS = float(np.finfo(np.float64).eps)
#: Beyond this a loss is taken to fall for ever along a member.
_ENDLESS = 1e18
#: Apart from the streams of members and of rows held out.
_ROWS_STREAM = 2**31 + 1


@dataclass(frozen=True)
class Ray:
    r"""The loss along a direction: :math:`\psi(a) = \sum_i w_i L(y_i, F_i + a d_i)`.

    Parameters
    ----------
    loss : PointwiseLoss
        The L.
    y, weight : ndarray of shape (n,)
        Targets, and what each row counts.
    raw, direction : ndarray of shape (n, k)
        Where the ray starts, and where it leads.

    Examples
    --------
    >>> y, raw = np.array([1.0, 3.0]), np.zeros((2, 1))
    >>> round(Ray(SquaredError(), y, np.ones(2), raw, np.ones((2, 1))).first_minimum(), 9)
    2.0
    """

    loss: PointwiseLoss
    y: Array
    weight: Array
    raw: Array
    direction: Array

    def value(self, a: float) -> float:
        """The loss at `a`."""
        return elementary.dot(self.weight, self.loss.value(self.y, self.raw + a * self.direction))

    def slope(self, a: float) -> float:
        """The first derivative at `a`."""
        gradient = self.loss.gradient(self.y, self.raw + a * self.direction)
        return elementary.dot(self.weight, (gradient * self.direction).sum(axis=1))

    def first_minimum(self) -> float:
        """The first `a` > 0 found where the loss turns to rise; the slope at 0 is negative.

        Steps double from 1, or from 1/16 for a loss that is not convex, until the slope is no
        longer negative; the turn is in between. Where the loss still falls at the end of its
        reach, that end.
        """
        longest = min(self.loss.reach(self.direction), _ENDLESS)
        low, high = 0.0, min(1.0 if self.loss.convex else 0.0625, longest)
        while self.slope(high) < 0:
            if high >= longest:
                return high
            low, high = high, min(2 * high, longest)
        high = float(brentq(self.slope, low, high, xtol=1e-13 * high, rtol=4 * _EPS, maxiter=200))
        # Between two steps a loss that is not convex may have risen: go back until it is lower.
        start = self.value(0.0)
        while not self.loss.convex and self.value(high) > start and high > _EPS:
            high /= 2
        return high


@dataclass(frozen=True, slots=True, eq=False)
class Residuals(Target):
    """What members fit, together with what it came from, so that leaves can be fitted anew.

    Attributes
    ----------
    loss : PointwiseLoss
        The loss of this round.
    y : ndarray of shape (n_rows,)
        The targets of the ensemble.
    raw : ndarray of shape (n_rows, n_scores)
        The scores so far.
    hessian : ndarray of shape (n_rows, n_scores) or None
        Second derivatives, if leaves take Newton steps; the residuals are then minus the first.
    first : int
        Which score the first output is for.
    """

    loss: PointwiseLoss = field(default_factory=SquaredError)
    y: Array = field(default_factory=lambda: np.empty(0))
    raw: Array = field(default_factory=lambda: np.empty((0, 1)))
    hessian: Array | None = None
    first: int = 0

    def output(self, k: int) -> Residuals:
        """One output by itself."""
        return replace(Target.output(self, k), first=self.first + k)  # type: ignore[return-value, call-arg]

    def leaf_values(self, leaves: NDArray[np.int32], n_leaves: int, weight: Array) -> Array:
        """The best values of all leaves, of shape (n_leaves, n_outputs)."""
        seen = slice(None) if weight.all() else weight > 0
        at, weight = leaves[seen], weight[seen]
        scores = range(self.first, self.first + self.n_outputs)
        if self.hessian is not None:
            slopes = [(-self.encoded[seen, k], self.hessian[seen, s]) for k, s in enumerate(scores)]
            steps = [self.loss.newton(g, h, weight, at, n_leaves) for g, h in slopes]
        else:
            y, raw = self.y[seen], self.raw[seen]
            steps = [self.loss.leaf(y, raw, weight, at, n_leaves, score) for score in scores]
        return np.stack(steps, axis=1)


@dataclass(frozen=True)
class LeafTrainer:
    """Grows a native tree on residuals and gives its leaves the steps that suit the loss.

    Parameters
    ----------
    learner : TreeLearner
        Grows the tree.
    """

    learner: TreeLearner

    def train(
        self, table: Table, target: Target, weight: Array, rng: Generator, cast: Cast
    ) -> tuple[Forest, Array]:
        """The tree, and its vote on every row of the table."""
        assert isinstance(target, Residuals), "leaves are fitted to residuals of a loss"
        tree, leaves = self.learner.place(table, target, weight, rng)
        values = target.leaf_values(leaves, len(tree.values), weight)
        return tree.with_values(values), np.take(cast(values), leaves, axis=0)


@dataclass(slots=True)
class DescentState(State):
    """Scores, and what the round that is open goes by.

    Attributes
    ----------
    y : ndarray of shape (n_rows,)
        Numbers, or class codes as numbers.
    loss : PointwiseLoss
        Settled on the scores the round began with.
    drawn : ndarray of bool of shape (n_rows,) or None
        The rows of the round; None stands for all.
    rounds : int
        How many rounds are over.
    """

    y: Array
    loss: PointwiseLoss
    drawn: NDArray[np.bool_] | None = None
    rounds: int = 0

    @staticmethod
    def of(state: State) -> DescentState:
        """The state as what the rule began with."""
        assert isinstance(state, DescentState), "the state was made by another rule"
        return state

    @property
    def part(self) -> NDArray[np.bool_] | slice:
        """The rows of the round."""
        return slice(None) if self.drawn is None else self.drawn

    def mean_loss(self, rows: NDArray[np.bool_] | slice) -> float:
        """The weighted mean loss of some rows."""
        each = self.loss.value(self.y[rows], self.raw[rows])
        return float(np.average(each, weights=self.initial[rows]))


def as_numbers(target: Target) -> Array:
    """The only output as numbers; of classes, their codes."""
    return np.ascontiguousarray(target.encoded[:, 0], dtype=np.float64)


@dataclass(frozen=True)
class Descent(Rule):
    r"""Steps down the slope of :math:`\sum_i w_i L(y_i, F(x_i))` in the space of functions.

    A member fits :math:`r = -\partial L / \partial F` by least squares, and is added with the
    weight :math:`\eta\rho`, where :math:`\rho` minimises the loss along it; or :math:`\rho = 1`,
    and every leaf of a tree has its own step already. Several scores get a member each per round,
    or share one tree whose leaves hold a step for each.

    Parameters
    ----------
    loss : PointwiseLoss
        The L.
    learning_rate : float
        The :math:`\eta`.
    line_search : {"leaf", "round"} or None
        What is fitted anew: each leaf, one factor per round, or nothing.
    subsample : float
        Share of the rows drawn each round, without replacement.
    entropy : int
        Where those draws come from.
    shared : bool
        Whether all scores share a tree per round.
    origin : ndarray of shape (n_rows, n_scores) or None
        Scores of the training rows before the first round.
    """

    loss: PointwiseLoss
    learning_rate: float = 0.1
    line_search: LineSearch = "round"
    subsample: float = 1.0
    entropy: int = 0
    shared: bool = False
    origin: Array | None = None
    gives: ClassVar[Literal["label", "proba", "score"]] = "score"

    def begin(self, target: Target, weight: Array) -> State:
        """The scores boosting starts from."""
        y = as_numbers(target)
        raw = self.origin
        if raw is None:
            raw = np.repeat(self.loss.start(y, weight)[np.newaxis], len(y), axis=0)
        state = DescentState(target, weight, weight, raw, y, self.loss)
        self._open(state)
        return state

    def _open(self, state: DescentState) -> None:
        """Draw the rows of the next round, and settle the loss on them."""
        n = len(state.y)
        if self.subsample < 1.0 and n > 1:
            size = min(max(1, round(self.subsample * n)), n - 1)
            stream = SeedSequence(self.entropy, spawn_key=(_ROWS_STREAM, state.rounds))
            chosen = np.random.default_rng(stream).permutation(n)
            state.drawn = np.zeros(n, dtype=np.bool_)
            state.drawn[chosen[:size]] = True
        part = state.part
        state.loss = self.loss.settle(state.y[part], state.raw[part], state.initial[part])

    def ask(self, state: State) -> Ask:
        """The downward slope, under the initial weights at mean one."""
        now = DescentState.of(state)
        hessian = None
        if self.line_search == "leaf" and now.loss.takes_newton_steps:
            gradient, hessian = now.loss.slopes(now.y, now.raw)
            response = -gradient
        else:
            response = np.ascontiguousarray(now.loss.response(now.y, now.raw))
        even = bool((now.initial == now.initial[0]).all())
        # Ones are ones: members that take no weights can then do without.
        weight = np.ones(len(now.y)) if even else now.initial * len(now.y)
        if now.drawn is not None:
            weight = np.where(now.drawn, weight, 0.0)
        if response.shape[1] > 1 and not self.shared:
            weight = np.repeat(weight[:, np.newaxis], response.shape[1], axis=1)
        target = Residuals("values", response, loss=now.loss, y=now.y, raw=now.raw, hessian=hessian)
        return Ask(target, weight)

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Find the length of the step, and take it."""
        now = DescentState.of(state)
        still = np.abs(vote).max() <= 4 * _EPS * np.abs(now.raw).max()
        if still and now.drawn is None:  # other rows may still have something to say
            return Step(0.0, keep=False, stop="no_improvement")
        length = 1.0 if still else self._length(now, vote)
        if length is None:
            return Step(0.0, keep=False, stop="too_weak")
        alpha = self.learning_rate * length
        out = slice(0) if now.drawn is None else ~now.drawn
        before = None if now.drawn is None else now.mean_loss(out)
        now.raw = now.raw + alpha * vote
        facts = {"alpha": alpha, "loss": now.mean_loss(slice(None))}
        if before is not None:
            facts["oob_score"] = now.mean_loss(out)
            facts["oob_improvement"] = before - facts["oob_score"]
        now.rounds += 1
        self._open(now)
        return Step(alpha, facts)

    def _length(self, state: DescentState, vote: Array) -> float | None:
        """How far to go along a vote; None when the loss does not fall that way."""
        if self.line_search != "round":
            return 1.0
        part = state.part
        ray = Ray(state.loss, state.y[part], state.initial[part], state.raw[part], vote[part])
        return ray.first_minimum() if ray.slope(0.0) < 0 else None

    def fallback(self, state: State) -> Array:
        """Nothing is added to the scores boosting starts from."""
        return np.zeros(state.raw.shape[1])

    def link(self, raw: Array) -> Array:
        """Class probabilities by the link of the loss."""
        chance = self.loss.link(raw)
        if chance.ndim == 1:
            raise ValueError(
                f"The {self.loss.name} loss does not provide probabilities. Use predict or "
                "decision_function, or a loss with an inverse link."
            )
        return chance
