r"""The focal loss of two classes: rows that are right already count less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from coterie.losses.classification import TwoClassLoss
from coterie.losses.pointwise import Array
from coterie.native import elementary

_FAR = 30.0  # log odds between which the best constant is sought


@dataclass(frozen=True)
class FocalLoss(TwoClassLoss):
    r""":math:`-a_y (1 - p_y)^\gamma \ln p_y` with :math:`p_1 = 1/(1 + e^{-F})`.

    The second derivative is negative where a row is badly wrong. There the curvature of the log
    loss with the same factor, :math:`a_y (1 - p_y)^{\gamma + 1} p_y`, stands in, as it does
    wherever it is larger. Probabilities are biased towards one half: the loss ranks and classifies
    well, but is not a proper scoring rule.

    Parameters
    ----------
    gamma : float, default=2.0
        How strongly rows that are already classified well are down-weighted; 0 is the log loss.
    alpha : float, optional
        Weight of code 1; code 0 has one minus that. By default both count one.

    References
    ----------
    Lin, T.-Y. et al. (2017). Focal loss for dense object detection. ICCV.

    Examples
    --------
    >>> FocalLoss().value(np.array([1.0, 0.0]), np.zeros((2, 1))).round(4)
    array([0.1733, 0.1733])
    """

    gamma: float = 2.0
    alpha: float | None = None
    name: ClassVar[str] = "focal"
    true_hessian: ClassVar[bool] = False
    convex: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.gamma < np.inf:
            raise ValueError(f"gamma must not be negative; got {self.gamma}.")
        if self.alpha is not None and not 0.0 < self.alpha < 1.0:
            raise ValueError(f"alpha must lie strictly between 0 and 1; got {self.alpha}.")

    def _parts(self, y: Array, score: Array) -> tuple[Array, Array, Array, Array]:
        """Sign, probability of the true class, its logarithm, and the factor of a row."""
        sign = 2.0 * y - 1.0
        log_share = -elementary.softplus(-sign * score)
        wrong = elementary.softplus(sign * score)  # minus the logarithm of one minus the share
        factor = elementary.exp(-self.gamma * wrong)
        if self.alpha is not None:
            factor = factor * np.where(y > 0, self.alpha, 1.0 - self.alpha)
        return sign, elementary.expit(sign * score), log_share, factor

    def loss_at(self, y: Array, score: Array) -> Array:
        """The loss."""
        _, _, log_share, factor = self._parts(y, score)
        return np.asarray(-factor * log_share)

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """The derivative, and a curvature that is not negative."""
        sign, share, log_share, factor = self._parts(y, score)
        gamma, rest = self.gamma, elementary.expit(-sign * score)
        inner = gamma * share * log_share - rest
        bend = share * factor * (rest * (gamma * log_share + gamma + 1.0) - gamma * inner)
        return sign * factor * inner, np.maximum(bend, share * rest * factor)

    def start_at(self, y: Array, weight: Array) -> float:
        """Where the sum of gradients vanishes."""
        if y.min() == y.max():
            return super().start_at(y, weight)

        def pull(constant: float) -> float:
            return elementary.dot(weight, self.slopes_at(y, np.full(len(y), constant))[0])

        return float(brentq(pull, -_FAR, _FAR, xtol=1e-12, rtol=1e-12))
