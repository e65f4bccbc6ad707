"""AdaBoost*: AdaBoost that aims at the largest margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from coterie.boosting.booster import BoostedClassifier
from coterie.boosting.margin.corrective import CORRECTIVE, MarginBooster
from coterie.boosting.margin.margin_votes import MarginVotes
from coterie.core import Allowed, one_of
from coterie.core.rule import (
    Array,
    Ask,
    Rule,
    State,
    Step,
    exponential_sum,
    rounding,
    share,
    smallest_error,
    two_sided,
)
from coterie.data import Target
from coterie.native import elementary


@dataclass(slots=True)
class AimedState(State):
    """A state that knows the margins so far.

    Attributes
    ----------
    margins : ndarray of shape (n_rows,)
        Weighted sum of the hits on each row.
    total : float
        Sum of the members' weights.
    ceiling : float
        Least edge of a member in its round.
    rounds : int
        Members so far.
    """

    margins: Array = field(default_factory=lambda: np.empty(0))
    total: float = 0.0
    ceiling: float = 1.0
    rounds: int = 0

    @staticmethod
    def of(state: State) -> AimedState:
        """The state as what the rule began with."""
        assert isinstance(state, AimedState), "the state was made by another rule"
        return state


@dataclass(frozen=True)
class AdaBoostV(MarginVotes, Rule):
    r"""AdaBoost with steps shortened according to the target margin.

    With the edge :math:`e_t` of the new member and :math:`\rho_t = \min_{s \le t} e_s - \nu`,

    .. math:: \alpha_t = \tfrac12 \ln\frac{1 + e_t}{1 - e_t} - \tfrac12 \ln\frac{1 + \rho_t}
       {1 - \rho_t}.

    Parameters
    ----------
    voting : {"auto", "hard", "soft"}
        Whether members vote with classes or with probabilities; "auto" uses classes if there are
        two.
    tol : float
        The precision :math:`\nu`.
    stopping : {"gap", "rounds"}
        Whether to stop when the gap is at most `tol`, or after the number of rounds that guarantees
        it.
    """

    tol: float = 0.1
    stopping: Literal["gap", "rounds"] = "gap"

    def begin(self, target: Target, weight: Array) -> AimedState:
        """Scores and margins zero."""
        raw = np.zeros((len(weight), self.n_scores(target)))
        return AimedState(target, weight, weight, raw, np.zeros(len(weight)))

    def ask(self, state: State) -> Ask:
        """The labels, with the current weights scaled to mean one."""
        return Ask(state.target, state.weight * len(state.weight))

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the member by its edge, and move weight to its mistakes."""
        state = AimedState.of(state)
        hits = self.hits(state, vote)
        edge = elementary.dot(state.weight, hits)
        error = share(state.weight, self.decide(vote) != state.codes)
        if vote.shape[1] == 1 and edge <= rounding(state) and not state.rounds:
            return Step(0.0, {"error": error, "edge": edge}, keep=False, stop="too_weak")
        state.ceiling = min(state.ceiling, edge)
        state.rounds += 1
        alpha = self._length(state, edge)
        state.raw += alpha * vote
        state.margins += alpha * hits
        state.total += alpha
        state.weight, loss = exponential_sum(state.initial, -state.margins)
        margin = float(state.margins.min()) / state.total
        facts = {
            "error": error,
            "edge": edge,
            "alpha": alpha,
            "loss": loss,
            "margin": margin,
            "min_margin": margin,
            "margin_bound": state.ceiling,
            "gap": state.ceiling - margin,
            "train_error": share(state.initial, self.decide(state.raw) != state.codes),
        }
        return Step(alpha, facts, stop=self._stop(state, edge, margin))

    def _length(self, state: AimedState, edge: float) -> float:
        """How much the member weighs; one that is never wrong counts as if half a row were."""
        most = 1 - 2 * smallest_error(state)
        aim = np.clip(state.ceiling - self.tol, -1 + 1e-12, 1 - 1e-12)
        edge = float(np.clip(edge, -most, most))
        # What is aimed at lies below the edge, unless the edge was cut.
        return float(_artanh(edge) - _artanh(min(aim, edge - self.tol / 2)))

    def _stop(self, state: AimedState, edge: float, margin: float) -> str:
        if edge >= 1 - rounding(state):
            return "perfect"
        if self.stopping == "gap":
            return "no_improvement" if state.ceiling - margin <= self.tol else ""
        enough = 2 * elementary.log(1 / state.initial.min()) / self.tol**2
        return "no_improvement" if state.rounds >= enough else ""

    def fallback(self, state: State) -> Array:
        """Half the logarithms of the classes' shares; of two, half the log-odds."""
        shares = super().fallback(state)
        least = smallest_error(state)
        if len(shares) == 1:
            return _artanh(np.clip(shares, -1 + least, 1 - least))
        return np.asarray(elementary.log(np.clip(shares, least, None)) / 2)

    def link(self, raw: Array) -> Array:
        r""":math:`1/(1 + e^{-2F})` as of AdaBoost; not calibrated."""
        if raw.shape[1] == 1:
            return two_sided(elementary.expit(2 * raw[:, 0]))
        return np.asarray(elementary.softmax(2 * raw))


def _artanh(x: float | Array) -> Array:
    return 0.5 * elementary.log((1.0 + x) / (1.0 - x))


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostVClassifier(MarginBooster, BoostedClassifier):
    r"""AdaBoost*: AdaBoost whose margin is within a given precision of the maximum.

    AdaBoost raises margins, but not to the maximum. AdaBoost* uses the smallest edge so far as an
    estimate of the largest possible margin, aims at a margin :math:`\nu` below it, :math:`\rho_t =
    \min_{s \le t} e_s - \nu`, and weights members by

    .. math:: \alpha_t = \tfrac12 \ln\frac{1 + e_t}{1 - e_t} - \tfrac12 \ln\frac{1 + \rho_t}
       {1 - \rho_t}.

    After :math:`2 \ln n / \nu^2` rounds with the best possible members, the smallest margin is
    within :math:`\nu` of the maximum. No linear program is solved: a round costs no more than one
    of AdaBoost. With many classes, the correctness of a member on a row is its vote for the true
    class minus its largest other vote.

    Parameters
    ----------
    n_estimators : int, default=500
        Maximum number of rounds.
    tol : float, default=0.1
        The precision :math:`\nu`.
    stopping : {"gap", "rounds"}, default="gap"
        "gap" stops as soon as the margin is within `tol` of the smallest edge, which proves the
        precision; "rounds" stops after :math:`2 \ln n / \nu^2` rounds, which guarantee it.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The :math:`\alpha_t`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    trace_ : Trace
        By round: edge, alpha, exponential loss, the smallest margin ("margin"), the bound on it for
        any ensemble ("margin_bound"), the gap between them, and the training error.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Rätsch & Warmuth, "Efficient margin maximizing with boosting", J. Mach. Learn. Res. 6
       (2005).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostVClassifier().fit(X[50:], y[50:])
    >>> bool(model.trace_["gap"][-1] <= 0.1)
    True
    """

    n_estimators: int = 500
    tol: float = 0.1
    stopping: Literal["gap", "rounds"] = "gap"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **CORRECTIVE,
        "stopping": one_of("gap", "rounds"),
    }

    def _rule(self) -> AdaBoostV:
        return AdaBoostV(self.voting, float(self.tol), self.stopping)
