"""RobustBoost: a potential with a margin to reach, and members that fade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, cast

import numpy as np
from numpy.random import Generator
from scipy.special import erf

from coterie.boosting.booster import BOOSTER
from coterie.boosting.chosen import Rows
from coterie.boosting.robust_line import LARGEST, RobustLine, RobustPotential, robust_weight
from coterie.boosting.timed import (
    Timed,
    TimedClassifier,
    TimedState,
    edge_of,
    margins_of,
    spread_like,
)
from coterie.core import Allowed, between, fraction, one_of
from coterie.core.boost import Boosted
from coterie.core.rule import Array, Rule, State, Step, rounding
from coterie.data import Target

#: Less time than this is none: at the end, and in a round.
_NO_TIME, _NO_STEP = 1e-3, 1e-6
#: Goals to choose from, the most usual first.
_GOALS = (0.1, 0.05, 0.2, 0.3, 0.02)


@dataclass(slots=True)
class FadingState(TimedState):
    """A state that knows the weights of all members so far.

    Attributes
    ----------
    alphas : ndarray of shape (n_rounds,)
        The weights.
    """

    alphas: Array


@dataclass(frozen=True)
class RobustBoost(Timed):
    r"""Boosting at constant mean potential, with margins that shrink by :math:`e^{-\Delta t}`.

    Parameters
    ----------
    learning_rate : float
        Factor of every step; the time is what keeps the potential.
    potential : RobustPotential
        The potential.
    """

    learning_rate: float = 1.0
    potential: RobustPotential = field(default_factory=RobustPotential)

    def begin(self, target: Target, weight: Array) -> FadingState:
        """Scores zero, no time over, no members."""
        new = super().begin(target, weight)
        return FadingState(
            target, weight, new.weight, new.raw, new.pairs, new.clock, alphas=np.empty(0)
        )

    def start_clock(self) -> float:
        """No time is over yet."""
        return 0.0

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the member so that it has no edge left, and let the earlier ones fade."""
        state = cast(FadingState, state)
        right, pairs = margins_of(state, vote), state.pairs.ravel()
        margin = margins_of(state, state.raw)
        error, edge = edge_of(state.weight.ravel(), right)
        if edge <= 2 * rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        line = RobustLine(self.potential, margin, right, pairs, state.clock)
        step, elapsed = line.meet()
        if self.learning_rate != 1.0:
            step *= self.learning_rate
            elapsed = line.time(step, elapsed)
        if elapsed < _NO_STEP:
            return Step(0.0, {"error": error}, keep=False, stop="no_improvement")
        decay = float(np.exp(-elapsed))
        state.raw = decay * state.raw + step * vote
        state.alphas = np.append(decay * state.alphas, step)
        over = 1.0 - (state.clock + elapsed) < _NO_TIME
        state.clock = min(state.clock + elapsed, 1.0)
        moved = margins_of(state, state.raw)
        weight = pairs * robust_weight(self.potential.distance(moved, state.clock))
        given_up = not weight.any()
        if not given_up:
            state.weight = spread_like(state, weight)
        facts = {
            "error": error,
            "edge": edge,
            "alpha": step,
            "elapsed": elapsed,
            "time": state.clock,
            "potential": float(pairs @ self.potential.value(moved, state.clock)),
            "train_error": self.train_error(state),
        }
        stop = "time_exhausted" if over else "no_improvement" if given_up else ""
        return Step(step, facts, stop=stop, alphas=state.alphas)

    def confidence(self, raw: Array) -> Array:
        r""":math:`(1+\mathrm{erf}(F/\sigma_f))/2`."""
        return np.asarray(0.5 + 0.5 * erf(raw / self.potential.margin_sigma))


@dataclass(eq=False, repr=False, kw_only=True)
class RobustBoostClassifier(TimedClassifier):
    r"""RobustBoost: aims at a margin, for all rows but a given share.

    Time runs from 0 to 1. At the time :math:`t` a row of margin :math:`m=yF(x)` has the potential
    :math:`\Phi=\min\{1, 1-\mathrm{erf}((m-\mu)/\sigma)\}`, where :math:`\mu(t)` and
    :math:`\sigma(t)` lead to the margin :math:`\theta` and the width :math:`\sigma_f` at the end,
    and the weight :math:`e^{-((m-\mu)/\sigma)^2}`, or none if :math:`m \le \mu`: such rows are
    given up. Each round adds its member with the weight :math:`\Delta s` and multiplies all
    earlier weights by :math:`e^{-\Delta t}`, where both are such that the mean potential stays as
    it is and the member has no edge under the new weights. So when the time is over, at most the
    share `error_goal` of the rows has a margin of :math:`\theta` or less.

    The goal must exceed the share of wrong labels, but not by much: where a single member is wrong
    about fewer rows than the goal allows, boosting ends with it. So it is chosen by rows held out,
    unless it is given; if `n_rounds_` is below ten then, try a smaller goal. Many classes are
    boosted as one question per class, on one clock; the goal is then the share of wrong answers,
    where yes and no count half each.

    Parameters
    ----------
    learning_rate : float, default=1.0
        Factor of every step, at most 1; a shorter one takes less time.
    error_goal : float or "auto", default="auto"
        The share of rows that may stay below the margin. "auto" is that of 0.02, 0.05, 0.1, 0.2
        and 0.3 by which the fewest mistakes are made on rows held out.
    goal_margin : float, default=0.0
        The margin :math:`\theta`; scores are not normalised.
    margin_sigma : float, default=0.1
        The width :math:`\sigma_f`: a smaller one makes a steeper potential at the end.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members; of many classes a list of one per class each round.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The weights at the end, :math:`\Delta s_k e^{-\sum_{j>k}\Delta t_j}`. Those after fewer
        rounds are not a part of them, but staged predictions know them.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    trace_ : Trace
        Error, edge, step as "alpha", time elapsed in the round, time, mean potential and training
        error by round.
    error_goal_ : float
        The goal used.
    stop_reason_ : str
        Why boosting ended: "time_exhausted" when all went as planned.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    See Also
    --------
    BrownBoostClassifier : Its predecessor, whose members do not fade.

    Notes
    -----
    `predict_proba` returns :math:`(1+\mathrm{erf}(F/\sigma_f))/2`, which is a measure of
    confidence and not calibrated.

    References
    ----------
    .. [1] Freund, "A more robust boosting algorithm", arXiv:0905.2138 (2009).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RobustBoostClassifier(error_goal=0.05).fit(X, y)
    >>> model.stop_reason_
    'time_exhausted'
    >>> bool(model.trace_["train_error"][-1] <= 0.05)
    True
    """

    error_goal: float | Literal["auto"] = "auto"
    goal_margin: float = 0.0
    margin_sigma: float = 0.1

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "learning_rate": between(0.0, 1.0, closed="right"),
        "error_goal": fraction("neither") | one_of("auto"),
        "goal_margin": between(0.0, LARGEST),
        "margin_sigma": between(1e-3, 10.0),
    }

    def _rule(self) -> RobustBoost:
        return self._with_goal(_GOALS[0] if self.error_goal == "auto" else self.error_goal)

    def _with_goal(self, goal: float) -> RobustBoost:
        potential = RobustPotential(float(goal), float(self.goal_margin), float(self.margin_sigma))
        return RobustBoost(float(self.learning_rate), potential)

    def _settle(self, rule: Rule, rows: Rows, entropy: int, earlier: Boosted | None) -> Rule:
        if self.error_goal != "auto":
            return rule
        if earlier is not None:
            return self._with_goal(self.error_goal_)
        return self._best_rule([self._with_goal(goal) for goal in _GOALS], rows, entropy)

    @property
    def error_goal_(self) -> float:
        """The goal used."""
        return float(cast(RobustBoost, self._settled().rule_).potential.error_goal)
