r"""Losses of the residual :math:`r = y - F` that grow slowly: outliers matter less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from coterie.losses.pointwise import Array, Leaves, OneScoreLoss
from coterie.losses.ranks import leaf_quantiles, quantile
from coterie.native import elementary

_STEPS = 8  # of a leaf
_LN2 = 0.6931471805599453


class SmoothRobustLoss(OneScoreLoss):
    """A convex, smooth loss of the residual whose best constant has no formula.

    Far off the second derivative almost vanishes, and Newton steps would have no end. In its place
    stands :math:`L'(r) / r`, the curvature of the parabola that touches the loss there and lies
    above it everywhere, so that no step goes too far. Leaves go several such steps.
    """

    true_hessian: ClassVar[bool] = False
    adaptive: ClassVar[bool] = True

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """Several steps towards the minimum."""
        value = np.zeros(n_leaves)
        for _ in range(_STEPS):
            gradient, hessian = self.slopes_at(y, raw[:, 0] + value[leaves])
            value += self.newton(gradient, hessian, weight, leaves, n_leaves)
        return value

    def start_at(self, y: Array, weight: Array) -> float:
        """Where the sum of gradients vanishes, between the extremes."""
        low, high = float(y.min()), float(y.max())
        if low == high:
            return low

        def pull(constant: float) -> float:
            return elementary.dot(weight, self.slopes_at(y, np.full(len(y), constant))[0])

        return float(brentq(pull, low, high, xtol=1e-14, rtol=1e-14))


@dataclass(frozen=True)
class FairLoss(SmoothRobustLoss):
    r""":math:`c^2 (|r|/c - \ln(1 + |r|/c))`: quadratic near zero, almost linear in the tails.

    The Hessian is :math:`c / (|r| + c)`, which no step can overshoot with.

    Parameters
    ----------
    c : float, default=1.0
        The scale of an ordinary residual.

    References
    ----------
    Fair, R. C. (1974). On the robust estimation of econometric models. Annals of Economic and
    Social Measurement 3, 667-677.

    Examples
    --------
    >>> FairLoss().value(np.array([1.0]), np.zeros((1, 1))).round(4)
    array([0.3069])
    """

    c: float = 1.0
    name: ClassVar[str] = "fair"

    def __post_init__(self) -> None:
        if not 0.0 < self.c < np.inf:
            raise ValueError(f"c must be a positive number; got {self.c}.")

    def loss_at(self, y: Array, score: Array) -> Array:
        """The loss."""
        size = np.abs(y - score) / self.c
        return np.asarray(self.c**2 * (size - elementary.log(1.0 + size)))

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Minus the residual and one, both drawn towards zero far off."""
        residual = score - y
        near = self.c / (np.abs(residual) + self.c)
        return residual * near, near


@dataclass(frozen=True)
class LogCoshLoss(SmoothRobustLoss):
    r""":math:`\ln\cosh r`: Huber's loss without a corner.

    The Hessian is :math:`\tanh(r) / r`, which no step can overshoot with.

    Examples
    --------
    >>> LogCoshLoss().value(np.array([1.0, 1000.0]), np.zeros((2, 1))).round(4)
    array([4.338000e-01, 9.993069e+02])
    """

    name: ClassVar[str] = "log_cosh"

    def loss_at(self, y: Array, score: Array) -> Array:
        """The loss, without overflow."""
        size = np.abs(y - score)
        return np.asarray(size + elementary.softplus(-2.0 * size) - _LN2)

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Minus the hyperbolic tangent of the residual, and its ratio to the residual."""
        residual = score - y
        size = np.abs(residual)
        tangent = 2.0 * elementary.expit(2.0 * size) - 1.0
        bend = np.where(size > 1e-6, tangent / np.maximum(size, 1e-6), 1.0)
        return np.copysign(tangent, residual), bend


@dataclass(frozen=True)
class MapeLoss(OneScoreLoss):
    r""":math:`|r| / \max(1, |y|)`: the mean absolute percentage error.

    The Hessian, which is zero, is replaced by that of a parabola of this weight; leaves are
    refitted with the weighted median of the residuals. Targets below one count as one, as in
    LightGBM and CatBoost: scale smaller ones up.

    Examples
    --------
    >>> MapeLoss().value(np.array([10.0, 0.5]), np.zeros((2, 1)))
    array([1. , 0.5])
    """

    name: ClassVar[str] = "mape"
    true_hessian: ClassVar[bool] = False
    adaptive: ClassVar[bool] = True
    exact_leaf: ClassVar[bool] = True

    @staticmethod
    def share(y: Array) -> Array:
        """Cost of an error of one in every row."""
        return np.asarray(1.0 / np.maximum(np.abs(y), 1.0))

    def loss_at(self, y: Array, score: Array) -> Array:
        """The error as a share of the target."""
        return np.asarray(np.abs(y - score) * self.share(y))

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Minus the sign of the residual times the cost, and the cost."""
        share = self.share(y)
        return np.sign(score - y) * share, share

    def start_at(self, y: Array, weight: Array) -> float:
        """The lower weighted median."""
        return quantile(y, weight * self.share(y), 0.5)

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """The lower weighted median of the residuals, which is exact."""
        return leaf_quantiles(y - raw[:, 0], weight * self.share(y), leaves, n_leaves, 0.5)
