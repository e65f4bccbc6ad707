"""TotalBoost: entropy projections onto the constraints of all edges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from coterie.boosting.booster import BoostedClassifier
from coterie.boosting.margin.corrective import (
    CORRECTIVE,
    Corrective,
    CorrectiveBooster,
    CorrectiveState,
)
from coterie.boosting.margin.entropy import Entropy, Quadratic, project
from coterie.boosting.margin.program import Solution
from coterie.core import Allowed, one_of
from coterie.core.rule import Array


@dataclass(frozen=True)
class TotalBoost(Corrective):
    r"""Row weights closest to the initial ones for which all edges are small.

    With :math:`\hat\gamma` the smallest edge so far, they have the smallest relative entropy to
    :math:`D_0` among those with :math:`U_s d \le \hat\gamma - \text{tol}` for all members s. If
    there are none, the gap is below `tol`.

    Parameters
    ----------
    voting, tol, nu
        See `Corrective`.
    projection : {"exact", "one_step"}
        Whether the weights are computed exactly, or by one step of sequential quadratic programming
        from the last ones; in the latter case the member that closes the gap is discarded.
    """

    projection: Literal["exact", "one_step"] = "exact"
    closed: ClassVar[str] = "infeasible"

    @property
    def rescues(self) -> bool:  # type: ignore[override]
        """The published figures are those of the program, whatever its margin."""
        return self.projection == "exact"

    def drops(self, state: CorrectiveState, solution: Solution) -> bool:
        """One step discards the member that leaves no distribution, unless it is the only one."""
        if self.projection == "exact" or not state.votes:
            return False
        return solution.value > state.ceiling - self.tol

    def follow(
        self, state: CorrectiveState, solution: Solution, facts: dict[str, float]
    ) -> Array | None:
        """The projection, by its dual."""
        patterns, bound = state.patterns, state.ceiling - self.tol
        start = np.append(state.multipliers, 0.0)
        if self.projection == "exact":
            respond = Entropy(patterns.prior, state.program.cap)
            mass, state.multipliers = project(respond, patterns.hits, bound, start)
            return mass
        here = np.maximum(patterns.gather(state.weight), 1e-12)
        step = Quadratic(patterns.prior, here / here.sum())
        mass, state.multipliers = project(step, patterns.hits, bound, start)
        return np.maximum(mass, 1e-12 * patterns.prior)


@dataclass(eq=False, repr=False, kw_only=True)
class TotalBoostClassifier(CorrectiveBooster, BoostedClassifier):
    r"""TotalBoost: row weights as uniform as the edges of all members so far allow.

    LPBoost uses any row weights with the smallest largest edge, often concentrated on few rows;
    TotalBoost uses the closest to the initial ones,

    .. math:: \min_d \sum_i d_i \ln \frac{d_i}{D_0(i)} \quad\text{s.t.}\quad
       \sum_i d_i u_s(i) \le \hat\gamma_t - \text{tol},\ s \le t,

    with :math:`\hat\gamma_t` the smallest edge so far. When the problem becomes infeasible, the
    margin is within `tol` of the maximum, which takes at most :math:`2 \ln n / \text{tol}^2`
    rounds. Members are weighted by the linear program of the hard margin, many of them with zero.

    The hard margin depends on the worst rows. If classes overlap so that no vote classifies all
    rows correctly, boosting stops as soon as that is certain up to `tol`, with a ``margin_`` of
    zero or less; the weights are then the multipliers of the constraints, which raise the margins
    of most rows much as AdaBoost does. In this case, prefer `SoftBoostClassifier`.

    Parameters
    ----------
    tol : float, default=0.1
        Precision of the margin: boosting stops when no ensemble can have a margin larger by more
        than this. The smaller it is, the closer the row weights stay to the initial ones, and the
        more rounds are needed.
    projection : {"exact", "one_step"}, default="exact"
        "one_step" takes a single step of sequential quadratic programming per round and discards
        the last member, like the implementations with published figures; with ``voting="soft"`` it
        gives the same results, including the program's weights where no margin is positive.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Weights of the members; they sum to one, and some are exactly zero.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    margin_ : float
        The smallest margin attained; if it is not positive, the vote with the smallest training
        error of all rounds is used.
    margin_bound_ : float
        Upper bound on the margin of any ensemble of such members, if each was the best one for its
        weights.
    trace_ : Trace
        By round: edge, the smallest margin attained ("margin"), the bound on that of any ensemble
        ("margin_bound"), the gap between them, and the training error.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Warmuth, Liao & Rätsch, "Totally corrective boosting algorithms that maximize the
       margin", ICML (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TotalBoostClassifier().fit(X[50:], y[50:])
    >>> model.margin_bound_ - model.margin_ <= 0.1
    True
    """

    tol: float = 0.1
    projection: Literal["exact", "one_step"] = "exact"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **CORRECTIVE,
        "projection": one_of("exact", "one_step"),
    }

    def _rule(self) -> TotalBoost:
        return TotalBoost(self.voting, float(self.tol), None, self.projection)
