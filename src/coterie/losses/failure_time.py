"""Accelerated failure times: the logarithm of the time is a score and noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from scipy import special

from coterie.losses.pointwise import Array, OneScoreLoss

Distribution = Literal["normal", "logistic", "extreme"]

_LEAST_CHANCE = 1e-12  # of an interval
_LEAST_DENSITY = 1e-300
_STEEPEST, _FLATTEST = 15.0, 1e-16
_START_STEPS = 30


class Noise(NamedTuple):
    """A distribution of the noise at some places: density, its slope, and what lies below."""

    density: Array
    slope: Array
    below: Array


def noise_at(distribution: Distribution, z: Array) -> Noise:
    """The noise at `z`, which may be infinite."""
    finite = np.clip(z, -500.0, 500.0)
    if distribution == "normal":
        density = np.exp(-0.5 * finite**2) / np.sqrt(2 * np.pi)
        return Noise(density, -finite * density, special.ndtr(z))
    if distribution == "logistic":
        below = special.expit(z)
        density = below * special.expit(-z)
        return Noise(density, density * (1.0 - 2.0 * below), below)
    power = np.exp(np.clip(z, -500.0, 50.0))
    density = np.where(z < 50.0, np.exp(finite - power), 0.0)
    return Noise(density, density * (1.0 - power), -np.expm1(-power))


def noise_quantile(distribution: Distribution, q: float) -> float:
    """Where the share `q` of the noise lies below."""
    if distribution == "normal":
        return float(special.ndtri(q))
    if distribution == "logistic":
        return float(special.logit(q))
    return float(np.log(-np.log1p(-q)))


def _peak_slopes(distribution: Distribution, z: Array) -> tuple[Array, Array]:
    """First and second derivative of the logarithm of the density."""
    if distribution == "normal":
        return -z, np.full_like(z, -1.0)
    if distribution == "logistic":
        below = special.expit(z)
        return 1.0 - 2.0 * below, -2.0 * below * special.expit(-z)
    power = np.exp(np.clip(z, -500.0, 50.0))
    return 1.0 - power, -power


@dataclass(frozen=True)
class FailureTimeLoss(OneScoreLoss):
    r"""The negative log-likelihood of times, some of which are known only by bounds.

    The model is :math:`\ln t = f + \sigma \varepsilon`. With bounds :math:`l \le t \le u`,
    :math:`z = (\ln\cdot - f) / \sigma`, and density :math:`\phi` and distribution :math:`\Phi` of
    the noise, a row costs :math:`-\ln(\phi(z_l) / (\sigma l))` if :math:`l = u` and
    :math:`-\ln(\Phi(z_u) - \Phi(z_l))` otherwise. Slopes are kept within bounds as in XGBoost.

    `y` is one number per row, the time of the event or minus the time of censoring; or two, the
    bounds, where an upper one of 0 stands for infinity.

    Parameters
    ----------
    distribution : {"normal", "logistic", "extreme"}, default="normal"
        Of the noise: times are then log-normal, log-logistic, or Weibull's.
    scale : float, default=1.0
        :math:`\sigma`.

    References
    ----------
    .. [1] Barnwal, Cho & Hocking, "Survival regression with accelerated failure time model in
       XGBoost", J. Comput. Graph. Stat. 31 (2022).
    """

    name: ClassVar[str] = "aft"
    true_hessian: ClassVar[bool] = False  # it is kept positive
    longest_step: ClassVar[float] = 20.0

    distribution: Distribution = "normal"
    scale: float = 1.0

    def _places(self, y: Array, score: Array) -> tuple[Array, Array, Array]:
        """Whether the time is known, and where the bounds lie."""
        low, high = time_bounds(y)
        with np.errstate(divide="ignore"):
            logs = np.log(low), np.log(high)
        below, above = ((log - score) / self.scale for log in logs)
        return low == high, below, above

    def value(self, y: Array, raw: Array) -> Array:
        """The loss of every row."""
        known, below, above = self._places(y, raw[:, 0])
        low, high = noise_at(self.distribution, below), noise_at(self.distribution, above)
        start = np.where(known, time_bounds(y)[0], 1.0)
        exact = -np.log(np.maximum(low.density, _LEAST_DENSITY) / (self.scale * start))
        chance = np.maximum(high.below - low.below, _LEAST_CHANCE)
        return np.where(known, exact, -np.log(chance))

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Gradient and Hessian."""
        known, below, above = self._places(y, raw[:, 0])
        low, high = noise_at(self.distribution, below), noise_at(self.distribution, above)
        chance = np.maximum(high.below - low.below, _LEAST_CHANCE)
        rise = high.density - low.density
        first, second = _peak_slopes(self.distribution, np.where(known, below, 0.0))
        gradient = np.where(known, first, rise / chance) / self.scale
        bend = ((high.slope - low.slope) * chance - rise**2) / chance**2
        hessian = -np.where(known, second, bend) / self.scale**2
        gradient = np.clip(gradient, -_STEEPEST, _STEEPEST)
        return gradient[:, None], np.clip(hessian, _FLATTEST, _STEEPEST)[:, None]

    def start(self, y: Array, weight: Array) -> Array:
        """The best constant, by Newton steps from the mean logarithm."""
        low, high = time_bounds(y)
        known = np.where(low > 0, low, np.where(np.isfinite(high), high, 1.0))
        score = np.array([np.average(np.log(known), weights=weight)])
        for _ in range(_START_STEPS):
            gradient, hessian = self.slopes(y, np.full((len(low), 1), score[0]))
            step = weight @ gradient[:, 0] / (weight @ hessian[:, 0])
            score = score - np.clip(step, -2.0, 2.0)
            if abs(step) < 1e-10:
                break
        return score

    def survival(self, score: Array, times: Array) -> Array:
        """The chance to be without event at each of `times`, of shape (n_rows, n_times)."""
        with np.errstate(divide="ignore"):
            z = (np.log(np.maximum(times, 0.0)) - score[:, None]) / self.scale
        if self.distribution == "normal":
            return np.asarray(special.ndtr(-z))
        if self.distribution == "logistic":
            return np.asarray(special.expit(-z))
        return np.asarray(np.exp(-np.exp(np.clip(z, -500.0, 50.0))))


def time_bounds(y: Array) -> tuple[Array, Array]:
    """Lower and upper bounds of times.

    Examples
    --------
    >>> time_bounds(np.array([2.0, -5.0]))
    (array([2., 5.]), array([ 2., inf]))
    >>> time_bounds(np.array([[2.0, 3.0], [5.0, 0.0]]))
    (array([2., 5.]), array([ 3., inf]))
    """
    if y.ndim == 1:
        return np.abs(y), np.where(y > 0, y, np.inf)
    return y[:, 0], np.where(y[:, 1] > 0, y[:, 1], np.inf)
