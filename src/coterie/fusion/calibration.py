"""Calibration maps from scores to probabilities.

Each function learns a map from scores and labels the members were not trained on, and returns a
small frozen object that is called with new scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression, minimize_scalar
from scipy.special import expit, logsumexp, softmax

from coterie.data import DataError
from coterie.data.outputs import numbers_of, sample_weights
from coterie.tags import tagged

Array = NDArray[np.float64]

_RIDGE = 1e-12
_SMALLEST_STEP = 1e-10
_CLOSE = 1e-11


def newton_logistic(
    features: Array,
    wanted: Array,
    weight: Array,
    start: Array,
    *,
    penalty: float = 0.0,
    max_iter: int = 100,
) -> Array:
    r"""Coefficients that minimise the cross-entropy against targets between 0 and 1.

    .. math:: \sum_i w_i [\log(1 + e^{z_i}) - t_i z_i] + \frac\lambda2 |\beta|^2,
       \qquad z_i = \beta^T x_i

    Newton steps are halved until the loss falls enough [1]_; terms are written so that nothing
    overflows.

    Parameters
    ----------
    features : ndarray of shape (samples, coefficients)
        Features; a column of ones makes an intercept.
    wanted : ndarray of shape (samples,)
        Targets t.
    weight : ndarray of shape (samples,)
        Weights w.
    start : ndarray of shape (coefficients,)
        Where to begin.
    penalty : float, default=0.0
        The factor :math:`\lambda`.
    max_iter : int, default=100
        Maximum number of steps.

    Returns
    -------
    ndarray of shape (coefficients,)

    References
    ----------
    .. [1] Lin, Lin & Weng, "A note on Platt's probabilistic outputs for support vector machines",
       Machine Learning 68 (2007).

    Examples
    --------
    >>> ones, wanted = np.ones((4, 1)), np.array([1.0, 1.0, 1.0, 0.0])
    >>> newton_logistic(ones, wanted, np.ones(4), np.zeros(1)).round(6)  # log of 3 to 1
    array([1.098612])
    """
    beta, ridge = start.astype(np.float64), _RIDGE * np.eye(len(start))

    def loss(at: Array) -> float:
        z = features @ at
        return float(weight @ (np.logaddexp(0.0, z) - wanted * z) + penalty / 2 * at @ at)

    value = loss(beta)
    for _ in range(max_iter):
        p = expit(features @ beta)
        slope = features.T @ (weight * (p - wanted)) + penalty * beta
        curve = (features.T * (weight * p * (1 - p))) @ features + penalty * np.eye(len(beta))
        move = -np.linalg.lstsq(curve + ridge, slope, rcond=None)[0]
        step, promised = 1.0, float(slope @ move)
        if -promised <= _CLOSE * (1.0 + abs(value)):
            # The loss cannot tell any more, but the step still doubles the right digits.
            beta = beta + move
            break
        while step >= _SMALLEST_STEP:
            new = loss(beta + step * move)
            if new < value + 1e-4 * step * promised:
                break
            step /= 2
        else:
            break  # rounding stands in the way of any more
        beta, value = beta + step * move, new
    return np.asarray(beta)


EDGE = 1e-12  # probabilities stay as far from 0 and 1 before logarithms are taken
_COLDEST, _HOTTEST = 0.05, 20.0


@tagged
@dataclass(frozen=True)
class PlattMap:
    """A sigmoid of a score, see `platt`."""

    slope: float
    shift: float

    def __call__(self, scores: Any) -> Array:
        """Probabilities of the second class, of the shape of the scores."""
        return np.asarray(expit(-(self.slope * np.asarray(scores, dtype=np.float64) + self.shift)))


@tagged
@dataclass(frozen=True)
class IsotonicMap:
    """A non-decreasing function, see `isotonic`."""

    points: Array
    values: Array
    interpolate: bool = True

    def __call__(self, scores: Any) -> Array:
        """Probabilities of the second class, of the shape of the scores."""
        given = np.asarray(scores, dtype=np.float64)
        if self.interpolate:
            return np.asarray(np.interp(given, self.points, self.values))
        place = np.searchsorted(self.points, given, side="right") - 1
        return np.asarray(self.values[np.maximum(place, 0)])


@tagged
@dataclass(frozen=True)
class BetaMap:
    """A curve of three parameters, see `beta`."""

    a: float
    b: float
    c: float

    def __call__(self, chances: Any) -> Array:
        """Probabilities of the second class, of the shape of those given."""
        p = inner(chances)
        return np.asarray(expit(self.a * np.log(p) - self.b * np.log1p(-p) + self.c))


@tagged
@dataclass(frozen=True)
class TemperatureMap:
    """Scores divided by one number, see `temperature`."""

    tau: float

    def __call__(self, scores: Any) -> Array:
        """Probabilities of the classes, of the shape of the scores."""
        given = np.asarray(scores, dtype=np.float64)
        return np.asarray(softmax(given / self.tau, axis=-1))


def platt(scores: Any, y: Any, sample_weight: Any = None) -> PlattMap:
    r"""Platt scaling: a sigmoid of the score, fitted by maximum likelihood to smoothed targets.

    .. math:: P(y = 1 | f) = \frac{1}{1 + e^{A f + B}}, \qquad
       t_+ = \frac{N_+ + 1}{N_+ + 2}, \quad t_- = \frac{1}{N_- + 2}

    Targets inside (0, 1) keep the map finite where classes can be separated [1]_ [2]_.

    Parameters
    ----------
    scores : array-like of shape (samples,)
        Scores f; the larger, the more the second class is likely.
    y : array-like of bool or of 0 and 1, of shape (samples,)
        Whether a sample is of the second class.
    sample_weight : array-like of shape (samples,), optional
        Weights; those of a class add up to its :math:`N`.

    Returns
    -------
    PlattMap
        With `slope` A and `shift` B.

    References
    ----------
    .. [1] Platt, "Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods", Advances in Large Margin Classifiers (1999).
    .. [2] Lin, Lin & Weng, "A note on Platt's probabilistic outputs for support vector machines",
       Machine Learning 68 (2007).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.platt([-1, -1, 1, 1], [0, 0, 1, 1])([-1, 1]).round(6)
    array([0.25, 0.75])
    """
    f, truth, weight = _read(scores, y, sample_weight)
    yes, no = weight[truth].sum(), weight[~truth].sum()
    wanted = np.where(truth, (yes + 1.0) / (yes + 2.0), 1.0 / (no + 2.0))
    start = np.array([0.0, np.log((yes + 1.0) / (no + 1.0))])
    features = np.column_stack([f, np.ones(len(f))])
    rise, level = newton_logistic(features, wanted, weight, start)
    return PlattMap(0.0 - float(rise), 0.0 - float(level))


def isotonic(
    scores: Any, y: Any, sample_weight: Any = None, *, interpolate: bool = True
) -> IsotonicMap:
    r"""Isotonic regression: the non-decreasing function of the score with the least squared error.

    .. math:: \min_g \sum_i w_i (y_i - g(f_i))^2 \quad \text{with } g \text{ non-decreasing}

    by pooling adjacent violators [1]_. Beyond the scores it was learnt from, it is constant. Below
    some thousand samples it fits noise: `platt` or `beta` are safer there.

    Parameters
    ----------
    scores : array-like of shape (samples,)
        Scores f.
    y : array-like of shape (samples,)
        Whether a sample is of the second class; or any numbers.
    sample_weight : array-like of shape (samples,), optional
        Weights.
    interpolate : bool, default=True
        Whether to join the points by straight lines; otherwise the function has steps.

    Returns
    -------
    IsotonicMap

    References
    ----------
    .. [1] Zadrozny & Elkan, "Transforming classifier scores into accurate multiclass probability
       estimates", KDD (2002).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.isotonic([1, 2, 3, 4], [0, 1, 0, 1])([2, 3, 3.5])
    array([0.5 , 0.5 , 0.75])
    """
    f = numbers_of(scores, "scores", (1,))
    numbers = numbers_of(y, "y", (1,))
    weight = weights_or_ones(sample_weight, len(f))
    if len(numbers) != len(f):
        raise DataError(f"There are {len(f)} scores for {len(numbers)} labels.")
    points, place = np.unique(f, return_inverse=True)
    # Equal scores must have one value: their mean.
    mass = np.bincount(place, weight)
    mean = np.bincount(place, weight * numbers) / np.where(mass > 0, mass, 1.0)
    points, mean, mass = points[mass > 0], mean[mass > 0], mass[mass > 0]
    values = np.asarray(isotonic_regression(mean, weights=mass).x)
    # Inside a pool the points say nothing that its ends do not.
    ends = np.ones(len(values), dtype=bool)
    if interpolate:
        ends[1:-1] = (values[1:-1] != values[:-2]) | (values[1:-1] != values[2:])
    return IsotonicMap(points[ends], values[ends], interpolate)


def beta(chances: Any, y: Any, sample_weight: Any = None) -> BetaMap:
    r"""Beta calibration: a curve that can be a sigmoid, its inverse, or the identity.

    .. math:: \mathrm{logit}\, p' = a \ln p - b \ln(1 - p) + c, \qquad a, b \ge 0

    Logistic regression on :math:`\ln p` and :math:`-\ln(1 - p)`; a coefficient that comes out
    negative is set to zero and the other fitted again [1]_.

    Parameters
    ----------
    chances : array-like of shape (samples,)
        Probabilities p of the second class.
    y : array-like of bool or of 0 and 1, of shape (samples,)
        Whether a sample is of the second class.
    sample_weight : array-like of shape (samples,), optional
        Weights.

    Returns
    -------
    BetaMap
        With `a`, `b` and `c`.

    References
    ----------
    .. [1] Kull, Silva Filho & Flach, "Beta calibration: a well-founded and easily implemented
       improvement on logistic calibration for binary classifiers", AISTATS (2017).

    Examples
    --------
    >>> from coterie import fusion
    >>> p = [0.1, 0.3, 0.4, 0.6, 0.7, 0.9]
    >>> curve = fusion.beta(p, [0, 0, 1, 0, 1, 1])
    >>> bool(curve.a >= 0 and curve.b >= 0)
    True
    """
    p, truth, weight = _read(chances, y, sample_weight)
    _check_chances(p)
    p = inner(p)
    columns = np.column_stack([np.log(p), -np.log1p(-p), np.ones(len(p))])
    used = [True, True, True]
    coefficients = np.zeros(3)
    while True:
        # Hardly any penalty: enough to stay finite where the classes can be separated.
        found = newton_logistic(
            columns[:, used], truth.astype(float), weight, np.zeros(sum(used)), penalty=1e-3
        )
        coefficients[:] = 0.0
        coefficients[used] = found
        lowest = int(coefficients[:2].argmin())
        if coefficients[lowest] >= 0:
            return BetaMap(*coefficients.tolist())
        used[lowest] = False


def temperature(scores: Any, y: Any, sample_weight: Any = None) -> TemperatureMap:
    r"""Temperature scaling: one number that makes all probabilities more or less confident.

    .. math:: p = \mathrm{softmax}(z / \tau)

    with the :math:`\tau` between 0.05 and 20 of the smallest log-loss [1]_. The most likely class
    stays the same.

    Parameters
    ----------
    scores : array-like of shape (samples, classes)
        Scores z; of probabilities, their logarithms.
    y : array-like of int of shape (samples,)
        Classes, as columns of `scores`.
    sample_weight : array-like of shape (samples,), optional
        Weights.

    Returns
    -------
    TemperatureMap
        With `tau`.

    References
    ----------
    .. [1] Guo, Pleiss, Sun & Weinberger, "On calibration of modern neural networks", ICML (2017).

    Examples
    --------
    >>> from coterie import fusion
    >>> sure = fusion.temperature([[9.0, 0.0], [9.0, 0.0], [0.0, 9.0]], [0, 1, 1])
    >>> sure.tau > 1
    True
    """
    z = numbers_of(scores, "scores", (2,))
    codes = np.asarray(y)
    weight = weights_or_ones(sample_weight, len(z))
    if codes.shape != (len(z),) or codes.dtype.kind not in "iu":
        raise DataError(f"y must contain one class index for each of the {len(z)} rows of scores.")

    def loss(log_tau: float) -> float:
        scaled = z / np.exp(log_tau)
        given = scaled[np.arange(len(z)), codes]
        return float(weight @ (logsumexp(scaled, axis=1) - given))

    bounds = (float(np.log(_COLDEST)), float(np.log(_HOTTEST)))
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-6})
    return TemperatureMap(float(np.exp(found.x)))


Method = Literal["platt", "isotonic", "beta", "temperature"]


def inner(chances: Any, edge: float = EDGE) -> Array:
    """Probabilities moved away from 0 and 1, for logarithms."""
    return np.clip(np.asarray(chances, dtype=np.float64), edge, 1.0 - edge)


def log_odds(chances: Any, edge: float = EDGE) -> Array:
    """Logarithm of p / (1 - p)."""
    p = inner(chances, edge)
    return np.asarray(np.log(p) - np.log1p(-p))


def weights_or_ones(sample_weight: Any, n_samples: int) -> Array:
    """Weights of the samples, ones if there are none."""
    weight = sample_weights(sample_weight, n_samples)
    return np.ones(n_samples) if weight is None else weight


def _read(
    scores: Any, y: Any, sample_weight: Any
) -> tuple[Array, NDArray[np.bool_], NDArray[np.float64]]:
    f = numbers_of(scores, "scores", (1,))
    truth = np.asarray(y)
    if truth.shape != f.shape or not np.isin(truth, (0, 1)).all():
        raise DataError(
            f"y must contain, for each of the {len(f)} samples, whether it belongs to the second "
            "class, as bool or as 0 and 1."
        )
    return f, truth.astype(bool), weights_or_ones(sample_weight, len(f))


def _check_chances(p: Array) -> None:
    if p.min() < 0 or p.max() > 1:
        raise DataError(
            f"Probabilities must lie between 0 and 1, but range from {p.min()} to {p.max()}."
        )
