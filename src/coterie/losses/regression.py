r"""Losses of the residual :math:`r = y - F`: the score is the prediction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from coterie.losses.pointwise import Array, Leaves, OneScoreLoss, leaf_sums, ratio
from coterie.losses.ranks import leaf_expectiles, leaf_quantiles, quantile
from coterie.native import elementary


def inside(name: str, level: float) -> None:
    """Raise a ValueError unless `level` lies between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"{name} must lie strictly between 0 and 1; got {level}.")


@dataclass(frozen=True)
class SquaredError(OneScoreLoss):
    r""":math:`\frac12 r^2`; the score estimates the mean.

    Examples
    --------
    >>> loss, y = SquaredError(), np.array([1.0, 3.0])
    >>> loss.start(y, np.ones(2))
    array([2.])
    >>> loss.gradient(y, np.zeros((2, 1))).ravel()
    array([-1., -3.])
    """

    name: ClassVar[str] = "squared_error"
    constant_hessian: ClassVar[bool] = True
    exact_leaf: ClassVar[bool] = True

    def loss_at(self, y: Array, score: Array) -> Array:
        """Half the squared residual."""
        return np.asarray(0.5 * (y - score) ** 2)

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Minus the residual, and one."""
        return score - y, np.ones_like(score)

    def start_at(self, y: Array, weight: Array) -> float:
        """The weighted mean."""
        return float(np.average(y, weights=weight))


@dataclass(frozen=True)
class QuantileLoss(OneScoreLoss):
    r""":math:`\tau \max(r, 0) + (1 - \tau) \max(-r, 0)`; the score estimates a quantile.

    The Hessian, which is zero, is replaced by one; leaves are refitted with the lower weighted
    quantile of the residuals.

    Parameters
    ----------
    tau : float, default=0.5
        Level of the quantile.

    References
    ----------
    Koenker, R. and Bassett, G. (1978). Regression quantiles. Econometrica 46, 33-50.

    Examples
    --------
    >>> loss = QuantileLoss(tau=0.9)
    >>> loss.value(np.array([1.0, -1.0]), np.zeros((2, 1)))
    array([0.9, 0.1])
    """

    tau: float = 0.5
    name: ClassVar[str] = "quantile"
    constant_hessian: ClassVar[bool] = True
    true_hessian: ClassVar[bool] = False
    adaptive: ClassVar[bool] = True
    exact_leaf: ClassVar[bool] = True

    def __post_init__(self) -> None:
        inside("tau", self.tau)

    def loss_at(self, y: Array, score: Array) -> Array:
        """The residual, tilted."""
        residual = y - score
        return np.asarray(np.maximum(self.tau * residual, (self.tau - 1.0) * residual))

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Minus tau below, one minus tau above; one stands in for the Hessian."""
        return np.where(y < score, 1.0 - self.tau, -self.tau), np.ones_like(score)

    def start_at(self, y: Array, weight: Array) -> float:
        """The lower weighted quantile."""
        return quantile(y, weight, self.tau)

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """The lower weighted quantile of the residuals, which is exact."""
        return leaf_quantiles(y - raw[:, 0], weight, leaves, n_leaves, self.tau)


@dataclass(frozen=True)
class AbsoluteError(OneScoreLoss):
    r""":math:`|r|`; the score estimates the median.

    The Hessian, which is zero, is replaced by one; leaves are refitted with the lower weighted
    median of the residuals.

    Examples
    --------
    >>> AbsoluteError().start(np.array([1.0, 2.0, 9.0]), np.ones(3))
    array([2.])
    """

    name: ClassVar[str] = "absolute_error"
    constant_hessian: ClassVar[bool] = True
    true_hessian: ClassVar[bool] = False
    adaptive: ClassVar[bool] = True
    exact_leaf: ClassVar[bool] = True

    def loss_at(self, y: Array, score: Array) -> Array:
        """The size of the residual."""
        return np.abs(y - score)

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Minus the sign of the residual; one stands in for the Hessian."""
        return np.sign(score - y), np.ones_like(score)

    def start_at(self, y: Array, weight: Array) -> float:
        """The lower weighted median."""
        return quantile(y, weight, 0.5)

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """The lower weighted median of the residuals, which is exact."""
        return leaf_quantiles(y - raw[:, 0], weight, leaves, n_leaves, 0.5)


@dataclass(frozen=True)
class HuberLoss(OneScoreLoss):
    r""":math:`\frac12 r^2` for :math:`|r| \le \delta` and :math:`\delta(|r| - \delta/2)` beyond.

    The Hessian beyond delta, which is zero, is replaced by one. Leaves are refitted by a step from
    their median m: :math:`m + \overline{\mathrm{clip}(r - m, -\delta, \delta)}`.

    Parameters
    ----------
    alpha : float, default=0.9
        Share of the weight of rows that counts as inside: in every round delta is this lower
        quantile of the sizes of residuals.
    delta : float, optional
        Where the loss becomes linear, if it is to be the same in all rounds.

    References
    ----------
    Huber, P. J. (1964). Robust estimation of a location parameter. Ann. Math. Stat. 35, 73-101.
    Friedman, J. H. (2001). Greedy function approximation. Ann. Stat. 29, 1189-1232.

    Examples
    --------
    >>> y, raw, weight = np.array([0.5, -3.0]), np.zeros((2, 1)), np.ones(2)
    >>> loss = HuberLoss(alpha=0.5).settle(y, raw, weight)
    >>> loss.delta
    0.5
    >>> loss.value(y, raw)
    array([0.125, 1.375])
    """

    alpha: float = 0.9
    delta: float | None = None
    name: ClassVar[str] = "huber"
    constant_hessian: ClassVar[bool] = True
    true_hessian: ClassVar[bool] = False
    adaptive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        inside("alpha", self.alpha)
        if self.delta is not None and not self.delta >= 0:
            raise ValueError(f"delta must not be negative; got {self.delta}.")

    @property
    def width(self) -> float:
        """The delta in force."""
        if self.delta is None:
            raise ValueError("The Huber loss has no delta yet: set delta, or call settle.")
        return self.delta

    def settle(self, y: Array, raw: Array, weight: Array) -> HuberLoss:
        """The loss with delta of these residuals, unless delta was given."""
        if self.delta is not None:
            return self
        return replace(self, delta=quantile(np.abs(y - raw[:, 0]), weight, self.alpha))

    def loss_at(self, y: Array, score: Array) -> Array:
        """Quadratic inside, linear outside."""
        size = np.abs(y - score)
        near = np.minimum(size, self.width)
        return np.asarray(near * (size - 0.5 * near))

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Minus the clipped residual; one stands in for the Hessian outside."""
        return np.clip(score - y, -self.width, self.width), np.ones_like(score)

    def start_at(self, y: Array, weight: Array) -> float:
        """The minimum if delta is fixed, else the lower weighted median."""
        if self.delta is None or self.delta == 0 or y.min() == y.max():
            return quantile(y, weight, 0.5)

        def pull(constant: float) -> float:
            return elementary.dot(weight, np.clip(y - constant, -self.width, self.width))

        return float(brentq(pull, y.min(), y.max(), xtol=1e-14, rtol=1e-14))

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """One step from the lower median of the leaf."""
        residual = y - raw[:, 0]
        median = leaf_quantiles(residual, weight, leaves, n_leaves, 0.5)
        clipped = np.clip(residual - median[leaves], -self.width, self.width)
        step = leaf_sums(weight * clipped, leaves, n_leaves)
        return median + ratio(step, leaf_sums(weight, leaves, n_leaves))


@dataclass(frozen=True)
class ExpectileLoss(OneScoreLoss):
    r""":math:`|\tau - [r < 0]|\, r^2`; the score estimates an expectile, for 0.5 the mean.

    Parameters
    ----------
    tau : float, default=0.5
        Level of the expectile.

    References
    ----------
    Newey, W. K. and Powell, J. L. (1987). Asymmetric least squares estimation and testing.
    Econometrica 55, 819-847.

    Examples
    --------
    >>> ExpectileLoss(tau=0.8).value(np.array([2.0, -2.0]), np.zeros((2, 1)))
    array([3.2, 0.8])
    """

    tau: float = 0.5
    name: ClassVar[str] = "expectile"
    exact_leaf: ClassVar[bool] = True

    def __post_init__(self) -> None:
        inside("tau", self.tau)

    def loss_at(self, y: Array, score: Array) -> Array:
        """The squared residual, tilted."""
        return np.asarray(np.where(y < score, 1.0 - self.tau, self.tau) * (y - score) ** 2)

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Twice the tilt times minus the residual, and twice the tilt."""
        tilt = np.where(y < score, 2.0 - 2.0 * self.tau, 2.0 * self.tau)
        return tilt * (score - y), tilt

    def start_at(self, y: Array, weight: Array) -> float:
        """The weighted expectile."""
        one = np.zeros(len(y), np.uint16)
        return float(leaf_expectiles(y, weight, one, 1, self.tau)[0])

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """The weighted expectile of the residuals, which is exact."""
        return leaf_expectiles(y - raw[:, 0], weight, leaves, n_leaves, self.tau)
