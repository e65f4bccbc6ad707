"""Bias, variance and covariance of predictions that repeated training gives: squared error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import numbers_of, y_numbers

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BiasVariance:
    """Error of each sample, split into noise, bias and variance.

    Parameters
    ----------
    noise : ndarray of shape (samples,)
        The part that no model can avoid.
    bias : ndarray of shape (samples,)
        Squared error of the mean prediction.
    variance : ndarray of shape (samples,)
        Variance of the predictions.
    error : ndarray of shape (samples,)
        Mean error, computed independently.

    Examples
    --------
    >>> from coterie import theory
    >>> parts = theory.bias_variance([[1.0], [3.0]], [1.0])
    >>> parts.means
    {'noise': 0.0, 'bias': 1.0, 'variance': 1.0, 'error': 2.0}
    """

    noise: Array
    bias: Array
    variance: Array
    error: Array

    @property
    def means(self) -> dict[str, float]:
        """Means over the samples, by name."""
        names = ("noise", "bias", "variance", "error")
        return {name: float(getattr(self, name).mean()) for name in names}


@dataclass(frozen=True)
class BiasVarianceCovariance:
    r"""Parts of the squared error of an average of members, for each sample.

    .. math:: E (F - y)^2 = \overline{bias}^2 + \frac1T \overline{var} +
        \left(1 - \frac1T\right) \overline{cov}

    Parameters
    ----------
    bias : ndarray of shape (samples,)
        Squared mean of the members' biases.
    variance : ndarray of shape (samples,)
        Mean variance of a member, over the runs.
    covariance : ndarray of shape (samples,)
        Mean covariance of two different members; zero if there is one only.
    error : ndarray of shape (samples,)
        Mean squared error of the average, computed independently.
    n_members : int
        How many, T.

    Examples
    --------
    >>> from coterie import theory
    >>> runs = [[[1.0], [3.0]], [[3.0], [1.0]]]
    >>> parts = theory.bias_variance_covariance(runs, [1.0])
    >>> parts.bias, parts.variance, parts.covariance, parts.error
    (array([1.]), array([1.]), array([-1.]), array([1.]))
    """

    bias: Array
    variance: Array
    covariance: Array
    error: Array
    n_members: int

    @property
    def means(self) -> dict[str, float]:
        """Means over the samples, by name."""
        names = ("bias", "variance", "covariance", "error")
        return {name: float(getattr(self, name).mean()) for name in names}


def bias_variance(predictions: Any, y: Any) -> BiasVariance:
    r"""Split the squared error of predictors trained on many samples of the same kind.

    .. math:: E (\hat y - y)^2 = \underbrace{E (y - Ey)^2}_{noise} +
        \underbrace{(E \hat y - E y)^2}_{bias^2} + \underbrace{E (\hat y - E \hat y)^2}_{variance}

    Bagging reduces the variance, boosting also reduces the bias [1]_. With one observation per
    sample, the noise cannot be separated from the bias, and is part of it.

    Parameters
    ----------
    predictions : array-like of shape (runs, samples)
        Predictions of predictors trained independently, on resampled or new data.
    y : array-like of shape (samples,) or (draws, samples)
        The truth, or several observations of it under the same circumstances.

    Returns
    -------
    BiasVariance
        Variances divide by the number of runs, so that the parts add up exactly.

    References
    ----------
    .. [1] Geman, Bienenstock & Doursat, "Neural networks and the bias/variance dilemma", Neural
       Comput. 4 (1992).

    Examples
    --------
    >>> from coterie import theory
    >>> theory.bias_variance([[1.0], [3.0]], [[0.0], [2.0]]).means
    {'noise': 1.0, 'bias': 1.0, 'variance': 1.0, 'error': 3.0}
    """
    runs: Array = numbers_of(predictions, "predictions", (2,))
    drawn: Array = np.atleast_2d(numbers_of(y, "y", (1, 2)))
    if drawn.shape[1] != runs.shape[1]:
        raise DataError(
            f"y has {drawn.shape[1]} samples, but the predictions have {runs.shape[1]}."
        )
    # Every run meets every draw; one draw at a time keeps the memory small.
    error = sum((((runs - one) ** 2).mean(axis=0) for one in drawn), np.zeros(runs.shape[1]))
    centre, truth = runs.mean(axis=0), drawn.mean(axis=0)
    return BiasVariance(
        ((drawn - truth) ** 2).mean(axis=0),
        (centre - truth) ** 2,
        ((runs - centre) ** 2).mean(axis=0),
        error / len(drawn),
    )


def bias_variance_covariance(predictions: Any, y: Any) -> BiasVarianceCovariance:
    r"""Split the squared error of an average of members trained many times.

    .. math::
        E (F - y)^2 = \overline{bias}^2 + \frac1T \overline{var} +
        \left(1 - \frac1T\right) \overline{cov}, \qquad F = \frac1T \sum_t f_t

    with :math:`\overline{bias} = \frac1T \sum_t (E f_t - y)`,
    :math:`\overline{var} = \frac1T \sum_t Var f_t` and
    :math:`\overline{cov} = \frac{1}{T(T-1)} \sum_{s \ne t} Cov(f_s, f_t)` over the runs. Variance
    vanishes with the number of members, covariance does not: members should differ [1]_.

    Parameters
    ----------
    predictions : array-like of shape (runs, members, samples)
        Predictions of the members of ensembles that were trained independently.
    y : array-like of shape (samples,)
        The truth.

    Returns
    -------
    BiasVarianceCovariance
        Variances divide by the number of runs, so that the parts add up exactly.

    References
    ----------
    .. [1] Ueda & Nakano, "Generalization error of ensemble estimators", ICNN (1996); Brown, Wyatt,
       Harris & Yao, "Diversity creation methods", Inf. Fusion 6 (2005).

    Examples
    --------
    >>> from coterie import theory
    >>> runs = [[[1.0], [3.0]], [[3.0], [1.0]]]
    >>> theory.bias_variance_covariance(runs, [1.0]).means
    {'bias': 1.0, 'variance': 1.0, 'covariance': -1.0, 'error': 1.0}
    """
    runs: Array = numbers_of(predictions, "predictions", (3,))
    truth = y_numbers(y, runs.shape[2:])
    n_members = runs.shape[1]
    means = runs.mean(axis=0)
    average = runs.mean(axis=1)
    variance = ((runs - means) ** 2).mean(axis=(0, 1))
    # The variance of the sum holds all covariances at once.
    of_sum = n_members**2 * ((average - average.mean(axis=0)) ** 2).mean(axis=0)
    pairs = max(1, n_members * (n_members - 1))
    covariance = (of_sum - n_members * variance) / pairs if n_members > 1 else np.zeros_like(truth)
    return BiasVarianceCovariance(
        (means.mean(axis=0) - truth) ** 2,
        variance,
        covariance,
        ((average - truth) ** 2).mean(axis=0),
        n_members,
    )
