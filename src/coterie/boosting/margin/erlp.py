"""ERLPBoost: LPBoost with a relative entropy that keeps weights even."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import rel_entr

from coterie.boosting.booster import BoostedClassifier
from coterie.boosting.margin.corrective import (
    CORRECTIVE,
    SOFT_MARGIN,
    Corrective,
    CorrectiveBooster,
    CorrectiveState,
)
from coterie.boosting.margin.entropy import Entropy, regularise
from coterie.boosting.margin.program import Solution
from coterie.core import Allowed
from coterie.core.rule import Array


@dataclass(frozen=True)
class ERLPBoost(Corrective):
    r"""Row weights that minimise the largest edge plus a relative-entropy penalty.

    It minimises :math:`P_t(d) = \max_{s \le t} U_s d + \frac1\eta \sum_i d_i \ln (d_i / D_0(i))`
    over :math:`d \le D_0/\nu`, with :math:`\eta = \max(\frac12, \frac{2}{\text{tol}} \ln
    \frac1\nu)`; for the hard margin, :math:`\nu` is the smallest row weight. When the smallest
    :math:`P_t(d_{t-1})` is within tol/2 of the minimum of :math:`P_{t-1}`, the soft margin is
    within `tol` of the maximum.

    Parameters
    ----------
    voting, tol, nu
        See `Corrective`.
    """

    def rate(self, state: CorrectiveState) -> float:
        r"""The factor :math:`\eta`."""
        share = max(1 / state.program.cap, float(state.initial.min()))
        return max(0.5, float(np.log(1 / share)) / (self.tol / 2))

    def follow(
        self, state: CorrectiveState, solution: Solution, facts: dict[str, float]
    ) -> Array | None:
        """The minimiser, unless the last one was good enough for the new member too."""
        patterns, rate = state.patterns, self.rate(state)
        least, reached = state.objectives
        least = min(least, self._objective(state, patterns.gather(state.weight), rate))
        facts["regularised_gap"] = least - reached
        if least - reached <= self.tol / 2:
            return None
        start = np.append(state.multipliers, 1e-3)
        respond = Entropy(patterns.prior, state.program.cap)
        mass, state.multipliers = regularise(respond, patterns.hits, rate, start)
        state.objectives = (least, self._objective(state, mass, rate))
        return mass

    @staticmethod
    def _objective(state: CorrectiveState, mass: Array, rate: float) -> float:
        entropy = float(rel_entr(mass, state.patterns.prior).sum())
        return float((state.patterns.hits @ mass).max()) + entropy / rate


@dataclass(eq=False, repr=False, kw_only=True)
class ERLPBoostClassifier(CorrectiveBooster, BoostedClassifier):
    r"""ERLPBoost: LPBoost with entropy regularisation.

    The row weights of LPBoost jump from round to round, and on some data sets it takes as many
    rounds as there are rows. Here they minimise

    .. math:: \max_{s \le t} \sum_i d_i u_s(i) + \frac1\eta \sum_i d_i \ln \frac{d_i}{D_0(i)}
       \quad\text{over}\quad d \le D_0/\nu,

    which has a unique solution, changes little between rounds, and gets within `tol` of the maximum
    soft margin in :math:`O(\ln(1/\nu)/\text{tol}^2)` rounds; :math:`\eta = \max(\frac12,
    \frac{2}{\text{tol}} \ln\frac1\nu)`. Members are weighted by the linear program of the soft
    margin.

    Parameters
    ----------
    nu : float, "auto" or None, default="auto"
        The soft margin is the mean of the worst share `nu` of the margins. "auto" chooses by the
        error on held-out rows, among shares around the one at which the first member alone has a
        soft margin of zero, which with two classes is twice its error: the more the classes overlap
        or labels are wrong, the softer the margin. None maximises the smallest margin, which
        depends on noise.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Weights of the members; they sum to one, and some are exactly zero.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    margin_ : float
        The soft margin attained. If it is not positive, the linear program does not determine the
        vote, and the one with the smallest training error of all rounds is used.
    nu_ : float or None
        The share used.
    margin_bound_ : float
        Upper bound on the margin of any ensemble of such members, if each was the best one for its
        weights.
    trace_ : Trace
        By round: edge, the soft margin attained ("margin"), the smallest margin ("min_margin"), the
        bound on the soft margin of any ensemble ("margin_bound"), the gap between them, that of the
        regularised problem ("regularised_gap"), and the training error.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Warmuth, Glocer & Vishwanathan, "Entropy regularized LPBoost", ALT (2008).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ERLPBoostClassifier(tol=0.05).fit(X[50:], y[50:])
    >>> model.score(X[50:], y[50:]) > 0.95
    True
    """

    nu: float | Literal["auto"] | None = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = {**CORRECTIVE, "nu": SOFT_MARGIN}

    def _rule(self) -> ERLPBoost:
        return ERLPBoost(self.voting, float(self.tol), self._share())
