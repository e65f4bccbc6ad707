"""Logistic regression on soft targets, by Newton's method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

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
        Most steps.

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
