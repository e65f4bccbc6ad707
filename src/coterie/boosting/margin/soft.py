"""SoftBoost: TotalBoost that gives up on the worst rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from coterie.boosting.booster import BoostedClassifier
from coterie.boosting.margin.corrective import CORRECTIVE, SOFT_MARGIN, CorrectiveBooster
from coterie.boosting.margin.total import TotalBoost
from coterie.core import Allowed


@dataclass(frozen=True)
class SoftBoost(TotalBoost):
    r"""TotalBoost with row weights of at most :math:`D_0/\nu`.

    Parameters
    ----------
    voting, tol, nu, projection
        See `TotalBoost`.
    """


@dataclass(eq=False, repr=False, kw_only=True)
class SoftBoostClassifier(CorrectiveBooster, BoostedClassifier):
    r"""SoftBoost: TotalBoost for the soft margin.

    The row weights of each round are the closest to the initial ones,

    .. math:: \min_d \sum_i d_i \ln \frac{d_i}{D_0(i)} \quad\text{s.t.}\quad
       \sum_i d_i u_s(i) \le \hat\gamma_t - \text{tol},\ d_i \le \frac{D_0(i)}{\nu},

    with :math:`\hat\gamma_t` the smallest edge so far. The caps keep mislabelled rows from taking
    all the weight. When the problem becomes infeasible, the soft margin is within `tol` of the
    maximum, after :math:`O(\ln(1/\nu)/\text{tol}^2)` rounds.

    Parameters
    ----------
    nu : float, "auto" or None, default="auto"
        The soft margin is the mean of the worst share `nu` of the margins. "auto" chooses by the
        error on held-out rows, among shares around the one at which the first member alone has a
        soft margin of zero, which with two classes is twice its error: the more the classes overlap
        or labels are wrong, the softer the margin. None maximises the smallest margin, as
        `TotalBoostClassifier` does.

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
        bound on the soft margin of any ensemble ("margin_bound"), the gap between them, and the
        training error.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Warmuth, Glocer & Rätsch, "Boosting algorithms for maximizing the soft margin", NIPS
       (2007).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SoftBoostClassifier(tol=0.05).fit(X[50:], y[50:])
    >>> model.margin_bound_ - model.margin_ <= 0.05
    True
    """

    nu: float | Literal["auto"] | None = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = {**CORRECTIVE, "nu": SOFT_MARGIN}

    def _rule(self) -> SoftBoost:
        return SoftBoost(self.voting, float(self.tol), self._share())
