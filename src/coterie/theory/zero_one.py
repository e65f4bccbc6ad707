"""Bias and variance of labels, and what diversity does to a vote: zero-one loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import hits_of, numbers_of, truthful_codes
from coterie.theory.decomposition import class_positions, shares_of
from coterie.theory.squared import BiasVariance

Array = NDArray[np.float64]


def kohavi_wolpert(
    predictions: Any, y: Any, *, classes: Any = None, unbiased: bool = False
) -> BiasVariance:
    r"""Split the error of labels given by predictors trained on many samples of the same kind.

    .. math::
        \underbrace{\tfrac12 \Big(1 - \sum_k p_k^2\Big)}_{noise} +
        \underbrace{\tfrac12 \sum_k (p_k - \hat p_k)^2}_{bias^2} +
        \underbrace{\tfrac12 \Big(1 - \sum_k \hat p_k^2\Big)}_{variance} = P(\hat y \ne y)

    with :math:`p_k` the chance of class :math:`k` at the sample and :math:`\hat p_k` the share of
    runs that predict it. The parts are never negative, and squared errors would have them [1]_.

    Parameters
    ----------
    predictions : array-like of shape (runs, samples)
        Labels given by predictors trained independently.
    y : array-like of shape (samples,) or (samples, classes)
        True labels, without noise, or the probabilities of the classes.
    classes : array-like of shape (classes,), optional
        Classes of the probability columns, in increasing order; by default 0, 1, and so on.
    unbiased : bool, default=False
        Whether to correct for the number of runs, as squares of estimated shares are too large:
        :math:`\sum_k \hat p_k (1 - \hat p_k) / 2(R - 1)` goes from the bias to the variance.

    Returns
    -------
    BiasVariance

    References
    ----------
    .. [1] Kohavi & Wolpert, "Bias plus variance decomposition for zero-one loss functions",
       ICML (1996).

    Examples
    --------
    >>> from coterie import theory
    >>> runs = [[0]] * 5 + [[1]] + [[2]] * 4
    >>> parts = theory.kohavi_wolpert(runs, [[0.7, 0.2, 0.1]])
    >>> {name: round(value, 6) for name, value in parts.means.items()}
    {'noise': 0.23, 'bias': 0.07, 'variance': 0.29, 'error': 0.59}
    """
    share, chance, n_runs = _shares(predictions, y, classes)
    bias = ((chance - share) ** 2).sum(axis=0) / 2
    variance = (1.0 - (share**2).sum(axis=0)) / 2
    if unbiased:
        if n_runs < 2:
            raise DataError("At least two runs are needed to estimate a variance.")
        excess = (share * (1.0 - share)).sum(axis=0) / (2 * (n_runs - 1))
        bias, variance = bias - excess, variance + excess
    noise = (1.0 - (chance**2).sum(axis=0)) / 2
    return BiasVariance(noise, bias, variance, 1.0 - (chance * share).sum(axis=0))


@dataclass(frozen=True)
class DomingosParts:
    r"""Noise, bias and variance of labels by Domingos' definitions, for each sample.

    .. math:: P(\hat y \ne y) = c_1 N + B + c_2 V

    Parameters
    ----------
    noise : ndarray of shape (samples,)
        N: how often the true class is not the most probable one.
    bias : ndarray of shape (samples,)
        B: 1 where the main prediction is not the most probable class.
    variance : ndarray of shape (samples,)
        V: how often a prediction is not the main one.
    noise_factor : ndarray of shape (samples,)
        :math:`c_1`.
    variance_factor : ndarray of shape (samples,)
        :math:`c_2`: 1 where B is 0, and not above zero elsewhere.
    error : ndarray of shape (samples,)
        Mean error, computed independently.

    Examples
    --------
    >>> from coterie import theory
    >>> parts = theory.domingos([[1, 0], [1, 0], [0, 1]], [1, 1])
    >>> parts.bias, parts.variance, parts.variance_factor
    (array([0., 1.]), array([0.333, 0.333]), array([ 1., -1.]))
    >>> parts.unbiased_variance, parts.biased_variance
    (0.167, 0.167)
    """

    noise: Array
    bias: Array
    variance: Array
    noise_factor: Array
    variance_factor: Array
    error: Array

    @property
    def unbiased_variance(self) -> float:
        """Error that variance adds, where the main prediction is right."""
        return float((self.variance * (self.bias == 0)).mean())

    @property
    def biased_variance(self) -> float:
        """Error that variance removes, where the main prediction is wrong."""
        return float((-self.variance_factor * self.variance * (self.bias > 0)).mean())


def domingos(predictions: Any, y: Any, *, classes: Any = None) -> DomingosParts:
    r"""Split the error of labels by the main prediction, the most frequent label of the runs.

    .. math:: P(\hat y \ne y) = c_1 N + B + c_2 V

    with the likeliest class :math:`y^*`, the main prediction :math:`y_m`,
    :math:`B = 1[y_m \ne y^*]`, :math:`V = P(\hat y \ne y_m)` and :math:`N = P(y \ne y^*)`. Variance
    hurts where the main prediction is right, :math:`c_2 = 1`, and helps where it is wrong,
    :math:`c_2 = -P(\hat y = y^* | \hat y \ne y_m)`, which is -1 for two classes. Noise counts
    :math:`c_1 = P(\hat y = y^*) - \sum_{k \ne y^*} P(\hat y = k) P(y = k | y \ne y^*)` [1]_.

    Parameters
    ----------
    predictions : array-like of shape (runs, samples)
        Labels given by predictors trained independently. Ties for the main prediction go to the
        first class.
    y : array-like of shape (samples,) or (samples, classes)
        True labels, without noise, or the probabilities of the classes.
    classes : array-like of shape (classes,), optional
        Classes of the probability columns, in increasing order; by default 0, 1, and so on.

    Returns
    -------
    DomingosParts

    References
    ----------
    .. [1] Domingos, "A unified bias-variance decomposition and its applications", ICML (2000).

    Examples
    --------
    >>> from coterie import theory
    >>> runs = [[1]] * 7 + [[0]] * 3
    >>> parts = theory.domingos(runs, [[0.1, 0.9]])
    >>> [round(float(x[0]), 6) for x in (parts.noise, parts.bias, parts.variance, parts.error)]
    [0.1, 0.0, 0.3, 0.34]
    """
    share, chance, _ = _shares(predictions, y, classes)
    samples = np.arange(share.shape[1])
    best, main = chance.argmax(axis=0), share.argmax(axis=0)
    noise = 1.0 - chance[best, samples]
    bias = (best != main).astype(np.float64)
    variance = 1.0 - share[main, samples]
    right = share[best, samples]
    others = (share * chance).sum(axis=0) - right * chance[best, samples]
    noise_factor = right - np.divide(others, noise, out=np.zeros_like(noise), where=noise > 0)
    helped = np.divide(right, variance, out=np.zeros_like(right), where=variance > 0)
    variance_factor = np.where(bias > 0, -helped, 1.0)
    error = 1.0 - (chance * share).sum(axis=0)
    return DomingosParts(noise, bias, variance, noise_factor, variance_factor, error)


@dataclass(frozen=True)
class VoteParts:
    r"""The effect of diversity on the error of a majority vote.

    .. math:: E_{vote} = \bar E - good + bad

    Parameters
    ----------
    mean_error : float
        Mean error of the members.
    good : float
        Diversity where the vote is right: wrong votes that do no harm.
    bad : float
        Diversity where the vote is wrong: right votes that are wasted.
    error : float
        Error of the vote, computed independently.

    Examples
    --------
    >>> from coterie import theory
    >>> theory.good_bad_diversity([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    VoteParts(mean_error=0.667, good=0.0, bad=0.333, error=1.0)
    """

    mean_error: float
    good: float
    bad: float
    error: float


def good_bad_diversity(predictions: Any, y: Any = None, *, sample_weight: Any = None) -> VoteParts:
    r"""Split the error of a majority vote into the members' error, good and bad diversity.

    .. math::
        E_{vote} = \bar E - \frac1n \sum_{i: vote~right} \delta_i +
        \frac1n \sum_{i: vote~wrong} \delta_i

    with :math:`\delta_i` the share of members whose correctness differs from that of the vote. The
    vote is right where more than half of the members are [1]_.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels along with `y`, or hits without: whether each member is right.
    y : array-like of shape (samples,), optional
        True labels.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    VoteParts

    References
    ----------
    .. [1] Brown & Kuncheva, "'Good' and 'bad' diversity in majority vote ensembles", MCS (2010).

    Examples
    --------
    Voting helps, does nothing, and hurts:

    >>> from coterie import theory
    >>> theory.good_bad_diversity([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    VoteParts(mean_error=0.333, good=0.333, bad=0.0, error=0.0)
    >>> theory.good_bad_diversity([[1, 1, 0], [1, 1, 0], [1, 1, 0]])
    VoteParts(mean_error=0.333, good=0.0, bad=0.0, error=0.333)
    >>> theory.good_bad_diversity([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    VoteParts(mean_error=0.667, good=0.0, bad=0.333, error=1.0)
    """
    hits = hits_of(predictions, y)
    share = shares_of(sample_weight, hits.shape[1])
    wrong = 1.0 - hits.mean(axis=0)
    lost = 2 * hits.sum(axis=0) <= len(hits)
    return VoteParts(
        float(share @ wrong),
        float(share @ np.where(lost, 0.0, wrong)),
        float(share @ np.where(lost, 1.0 - wrong, 0.0)),
        float(share @ lost),
    )


def _shares(predictions: Any, y: Any, classes: Any) -> tuple[Array, Array, int]:
    """Shares of runs and chances of the truth, both (classes, samples), and the number of runs."""
    array = np.asarray(predictions)
    if np.ndim(y) == 2:
        chance: Array = numbers_of(y, "y", (2,)).T
        if (chance < 0).any() or (abs(chance.sum(axis=0) - 1.0) > 1e-9).any():
            raise DataError("Class probabilities must be non-negative and sum to one.")
        flat = class_positions(array.ravel(), len(chance), classes)
        codes: NDArray[np.integer] = flat.reshape(array.shape)
    else:
        if classes is not None:
            raise DataError("`classes` is only for probabilities; omit it for labels.")
        codes, truth, labels = truthful_codes(array, y)
        chance = (np.arange(len(labels))[:, None] == truth).astype(np.float64)
    if codes.ndim != 2 or codes.shape[1] != chance.shape[1]:
        raise DataError(f"predictions must have shape (runs, {chance.shape[1]}).")
    share = np.stack([(codes == k).mean(axis=0) for k in range(len(chance))])
    return share, chance, len(codes)
