r"""Losses of several scores that together describe the distribution of y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie.losses.pointwise import (
    SCORE_LIMIT,
    Array,
    Leaves,
    PointwiseLoss,
    bounded_reach,
    leaf_sums,
    ratio,
)
from coterie.losses.ranks import leaf_quantiles, quantile
from coterie.losses.regression import inside
from coterie.native import elementary

_LOG_ROOT_TAU = 0.5 * float(elementary.log(2 * np.pi))
# No step of a round changes the spread by more than a factor of exp(10).
_LONGEST_STEP = 10.0


@dataclass(frozen=True)
class QuantilesLoss(PointwiseLoss):
    r""":math:`\sum_j \rho_{\tau_j}(y - F_j)`, one score per quantile; see `QuantileLoss`.

    The link sorts the scores of a row. Exchanging two scores that cross lowers the loss of any
    y, by :math:`(\tau_2 - \tau_1)(F_1 - F_2)`: sorted scores never cross and are never worse.

    Parameters
    ----------
    taus : tuple of float
        Levels, ascending.

    References
    ----------
    Chernozhukov, V., Fernández-Val, I. and Galichon, A. (2010). Quantile and probability curves
    without crossing. Econometrica 78, 1093-1125.

    Examples
    --------
    >>> loss = QuantilesLoss(taus=(0.1, 0.5, 0.9))
    >>> loss.link(np.array([[3.0, 2.0, 5.0]]))
    array([[2., 3., 5.]])
    >>> loss.start(np.arange(1.0, 11.0), np.ones(10))
    array([1., 5., 9.])
    """

    taus: tuple[float, ...]
    name: ClassVar[str] = "quantiles"
    constant_hessian: ClassVar[bool] = True
    true_hessian: ClassVar[bool] = False
    adaptive: ClassVar[bool] = True
    exact_leaf: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for tau in self.taus:
            inside("tau", tau)
        if not self.taus or (np.diff(self.taus) <= 0).any():
            raise ValueError(f"taus must be increasing; got {self.taus}.")

    def n_scores(self, n_classes: int) -> int:  # type: ignore[override]  # as many as levels
        """One a level."""
        return len(self.taus)

    def value(self, y: Array, raw: Array) -> Array:
        """The losses of all quantiles, added up."""
        residual, tau = y[:, np.newaxis] - raw, np.array(self.taus)
        return np.asarray(np.maximum(tau * residual, (tau - 1.0) * residual).sum(axis=1))

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Minus tau below y and one minus tau above; one stands in for the Hessian."""
        above = (y[:, np.newaxis] < raw).astype(np.float64)
        return above - np.array(self.taus), np.ones_like(raw)

    def link(self, raw: Array) -> Array:
        """The quantiles, which do not cross."""
        return np.sort(raw, axis=1)

    def point(self, raw: Array) -> Array:
        """The quantile next to the median."""
        return self.link(raw)[:, int(np.argmin(np.abs(np.array(self.taus) - 0.5)))]

    def unlink(self, predicted: Array) -> Array:
        """The quantiles themselves."""
        return predicted.reshape(-1, len(self.taus))

    def start(self, y: Array, weight: Array) -> Array:
        """The lower weighted quantiles."""
        return np.array([quantile(y, weight, tau) for tau in self.taus])

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """The lower weighted quantile of the residuals of one score, which is exact."""
        return leaf_quantiles(y - raw[:, score], weight, leaves, n_leaves, self.taus[score])


@dataclass(frozen=True)
class NormalLoss(PointwiseLoss):
    r"""The negative log-likelihood of :math:`N(\mu, \sigma^2)`; the scores are mu and ln sigma.

    :math:`L = \frac12 \ln 2\pi + \ln\sigma + \frac12 z^2` with
    :math:`z = (y - \mu)/\sigma`. Members
    fit the natural gradient, which is the gradient divided by the Fisher information
    :math:`\mathrm{diag}(\sigma^{-2}, 2)`: downwards it is
    :math:`(y - \mu,\; \frac12 (z^2 - 1))`. It does not depend on how the distribution is
    parametrised, and rows of small variance do not drown the others.

    Parameters
    ----------
    least : float, default=0.0
        Smallest sigma: without one, the likelihood of rows that are hit exactly has no bound.

    References
    ----------
    Amari, S. (1998). Natural gradient works efficiently in learning. Neural Comput. 10, 251-276.
    Duan, T. et al. (2020). NGBoost: natural gradient boosting for probabilistic prediction. ICML.

    Examples
    --------
    >>> loss, y, raw = NormalLoss(), np.array([3.0]), np.array([[1.0, np.log(2.0)]])
    >>> loss.response(y, raw)
    array([[2., 0.]])
    """

    least: float = 0.0
    name: ClassVar[str] = "normal"
    convex: ClassVar[bool] = False
    exact_leaf: ClassVar[bool] = True

    @staticmethod
    def n_scores(n_classes: int) -> int:
        """Mean and logarithm of the standard deviation."""
        return 2

    @property
    def floor(self) -> float:
        """The smallest ln sigma."""
        bound = -SCORE_LIMIT / 2
        return bound if self.least <= 0 else max(float(elementary.log(self.least)), bound)

    def parts(self, y: Array, raw: Array) -> tuple[Array, Array, Array]:
        """The residual, ln sigma in its bounds, and the squared residual in units of sigma."""
        residual, spread = y - raw[:, 0], np.clip(raw[:, 1], self.floor, SCORE_LIMIT / 2)
        return residual, spread, np.asarray((residual * elementary.exp(-spread)) ** 2)

    def value(self, y: Array, raw: Array) -> Array:
        """Minus the log-likelihood of every row."""
        _, spread, square = self.parts(y, raw)
        return np.asarray(_LOG_ROOT_TAU + spread + 0.5 * square)

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Gradient, and the diagonal of the Hessian."""
        _, spread, square = self.parts(y, raw)
        inner = raw[:, 1] > self.floor  # below, the loss does not depend on the second score
        hessian = np.column_stack(
            [elementary.exp(-2.0 * spread), np.where(inner, 2.0 * square, 0.0)]
        )
        return self.gradient(y, raw), hessian

    def gradient(self, y: Array, raw: Array) -> Array:
        """Gradient alone, which line searches ask for again and again."""
        residual, spread, square = self.parts(y, raw)
        result = np.empty_like(raw)
        np.multiply(-residual, elementary.exp(-2.0 * spread), out=result[:, 0])
        np.multiply(1.0 - square, raw[:, 1] > self.floor, out=result[:, 1])
        return result

    def response(self, y: Array, raw: Array) -> Array:
        """The downward natural gradient; at the smallest sigma it does not point further down."""
        residual, _, square = self.parts(y, raw)
        spread = 0.5 * (square - 1.0)
        stuck = (raw[:, 1] <= self.floor) & (spread < 0)
        return np.column_stack([residual, np.where(stuck, 0.0, spread)])

    def link(self, raw: Array) -> Array:
        """Mean and standard deviation, of shape (n, 2)."""
        spread = np.clip(raw[:, 1], self.floor, SCORE_LIMIT / 2)
        return np.column_stack([raw[:, 0], elementary.exp(spread)])

    def point(self, raw: Array) -> Array:
        """The mean."""
        return raw[:, 0]

    def unlink(self, predicted: Array) -> Array:
        """Scores of mean and standard deviation."""
        least = max(self.least, float(elementary.exp(self.floor)))
        return np.column_stack(
            [predicted[:, 0], elementary.log(np.maximum(predicted[:, 1], least))]
        )

    def start(self, y: Array, weight: Array) -> Array:
        """Mean and standard deviation of y."""
        mean = float(np.average(y, weights=weight))
        variance = float(np.average((y - mean) ** 2, weights=weight))
        return np.asarray(self.unlink(np.array([[mean, np.sqrt(variance)]]))[0])

    def reach(self, vote: Array) -> float:
        """Until some standard deviation has changed by a factor of exp(10)."""
        return bounded_reach(vote[:, 1:], _LONGEST_STEP)

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        r"""The exact step of one score: a weighted mean, or :math:`\frac12 \ln \overline{z^2}`.

        Leaves that are hit exactly have no best sigma; they take the natural step of -1/2.
        """
        residual, spread, square = self.parts(y, raw)
        if score == 0:
            precision = weight * elementary.exp(-2.0 * spread)
            pull = leaf_sums(precision * residual, leaves, n_leaves)
            return ratio(pull, leaf_sums(precision, leaves, n_leaves))
        total = leaf_sums(weight, leaves, n_leaves)
        mean = ratio(leaf_sums(weight * square, leaves, n_leaves), total)
        step = 0.5 * elementary.log(np.where(mean > 0, mean, elementary.exp(-1.0)))
        return np.where(total > 0, np.clip(step, -_LONGEST_STEP, _LONGEST_STEP), 0.0)
