"""LPBoost: column generation for the largest soft margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from coterie.boosting.booster import BoostedClassifier
from coterie.boosting.margin.corrective import (
    CORRECTIVE,
    SOFT_MARGIN,
    Corrective,
    CorrectiveBooster,
    CorrectiveState,
)
from coterie.boosting.margin.program import LIGHT, Solution
from coterie.core import Allowed, one_of
from coterie.core.rule import Array


@dataclass(frozen=True)
class LPBoost(Corrective):
    r"""Row weights that minimise the largest edge of the members so far.

    Parameters
    ----------
    voting, tol, nu
        See `Corrective`.
    stopping : {"gap", "violation"}
        Whether boosting stops when the smallest edge of all rounds is within `tol` of the margin,
        or when the edge of the new member is.
    """

    stopping: Literal["gap", "violation"] = "gap"

    def refusal(self, state: CorrectiveState, edge: float) -> str:
        """A member within the program's constraints changes nothing, now or in any later round."""
        tol = self.tol if self.stopping == "violation" else LIGHT
        if edge <= state.value + tol and not state.over:
            return "no_improvement"
        return super().refusal(state, edge)

    def _redistribute(
        self, state: CorrectiveState, solution: Solution, facts: dict[str, float]
    ) -> str:
        if self.stopping == "violation" and facts["gap"] > LIGHT:
            state.weight = state.patterns.spread(solution.mass)
            return ""
        return super()._redistribute(state, solution, facts)

    def follow(
        self, state: CorrectiveState, solution: Solution, facts: dict[str, float]
    ) -> Array | None:
        """The program's own distribution."""
        return solution.mass


@dataclass(eq=False, repr=False, kw_only=True)
class LPBoostClassifier(CorrectiveBooster, BoostedClassifier):
    r"""LPBoost: maximises the soft margin by column generation.

    The weights of all members together solve the linear program

    .. math:: \max \rho - \sum_i \frac{D_0(i)}{\nu} \xi_i \quad\text{s.t.}\quad
       y_i \sum_t \alpha_t h_t(x_i) \ge \rho - \xi_i,\ \sum_t \alpha_t = 1,\ \alpha, \xi \ge 0.

    Each round adds the member with the largest edge under the dual weights :math:`d \le D_0/\nu`,
    and the linear program is re-solved by HiGHS from its last basis. If each member is the best
    possible, the result is the optimum over all members, few of which have positive weight. The
    score is the margin itself, between -1 and 1. With many classes, the correctness of a member on
    a row is its vote for the true class minus its largest other vote.

    Parameters
    ----------
    nu : float, "auto" or None, default="auto"
        The soft margin is the mean of the worst share `nu` of the margins; at most this share of
        the rows lies below it. "auto" chooses by the error on held-out rows, among shares around
        the one at which the first member alone has a soft margin of zero, which with two classes is
        twice its error: the more the classes overlap or labels are wrong, the softer the margin.
        None maximises the smallest margin, which depends on noise.
    stopping : {"gap", "violation"}, default="gap"
        "gap" stops when the smallest edge of all rounds is within `tol` of the margin attained,
        which proves that no ensemble has a margin larger by more; "violation" stops when the edge
        of the new member is, and discards that member.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Weights of the members; they sum to one, and many are exactly zero.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    trace_ : Trace
        By round: edge, the soft margin attained ("margin"), the smallest margin ("min_margin"), the
        bound on the soft margin of any ensemble ("margin_bound"), the gap between them, and the
        training error.
    margin_ : float
        The soft margin attained. If it is not positive, the linear program does not determine the
        vote, and the one with the smallest training error of all rounds is used.
    nu_ : float or None
        The share used.
    margin_bound_ : float
        Upper bound on the margin of any ensemble of such members, if each was the best one for its
        weights.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    Notes
    -----
    Staged predictions are those of fits that end earlier, with the same ``nu_``: all weights after
    each round are kept.
    ``predict_proba`` gives shares of the votes; calibrate it where probabilities matter, for
    example with ``sklearn.calibration.CalibratedClassifierCV``.

    References
    ----------
    .. [1] Demiriz, Bennett & Shawe-Taylor, "Linear programming boosting via column generation",
       Mach. Learn. 46 (2002).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LPBoostClassifier(n_estimators=50).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    >>> model.margin_ < model.margin_bound_
    True
    """

    nu: float | Literal["auto"] | None = "auto"
    stopping: Literal["gap", "violation"] = "gap"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **CORRECTIVE,
        "nu": SOFT_MARGIN,
        "stopping": one_of("gap", "violation"),
    }

    def _rule(self) -> LPBoost:
        return LPBoost(self.voting, float(self.tol), self._share(), self.stopping)
