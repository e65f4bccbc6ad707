"""The effective number of members of an ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import member_weights, numbers_of, sample_weights, y_numbers

Array = NDArray[np.float64]


def variance_of_mean(n_members: int, correlation: float, variance: float = 1.0) -> float:
    r"""Variance of the mean of members of equal variance and pairwise correlation.

    .. math:: \rho \sigma^2 + \frac{1 - \rho}{T} \sigma^2

    More members reduce only the second term; less correlated members reduce the first [1]_.

    Parameters
    ----------
    n_members : int
        How many, T.
    correlation : float
        Correlation :math:`\rho` of each pair.
    variance : float, default=1
        Variance :math:`\sigma^2` of each member.

    Returns
    -------
    float

    References
    ----------
    .. [1] Breiman, "Random forests", Mach. Learn. 45 (2001); Hastie, Tibshirani & Friedman, "The
       elements of statistical learning" (2009), section 15.2.

    Examples
    --------
    >>> from coterie import theory
    >>> theory.variance_of_mean(10, 0.3)
    0.37
    """
    if n_members < 1:
        raise DataError("n_members must be at least one.")
    if n_members > 1 and not -1.0 / (n_members - 1) - 1e-12 <= correlation <= 1:
        lowest = -1.0 / (n_members - 1)
        raise DataError(f"The correlation of {n_members} members lies between {lowest:g} and 1.")
    return variance * (correlation + (1.0 - correlation) / n_members)


def effective_weights(weights: Any) -> float:
    r"""Effective number of members, given their weights.

    .. math:: \frac{(\sum_t |w_t|)^2}{\sum_t w_t^2}

    T if all weights are equal, 1 if one member has all the weight [1]_.

    Parameters
    ----------
    weights : array-like of shape (members,)
        Weights of the members.

    Returns
    -------
    float

    References
    ----------
    .. [1] Kish, "Survey sampling" (1965).

    Examples
    --------
    >>> from coterie import theory
    >>> theory.effective_weights([1, 1, 1, 1]), theory.effective_weights([3, 1])
    (4.0, 1.6)
    """
    weight: Array = np.abs(numbers_of(weights, "weights", (1,)))
    if not weight.any():
        raise DataError("All weights are zero. At least one must be positive.")
    weight = weight / weight.max()
    return float(weight.sum() ** 2 / (weight @ weight))


def effective_members(
    outputs: Any, y: Any = None, weights: Any = None, *, sample_weight: Any = None
) -> float:
    r"""Number of independent members that would reduce the error as much as these do.

    .. math:: T_{eff} = \frac{\sum_t w_t \operatorname{Var}(e_t)}
        {\operatorname{Var}(\sum_t w_t e_t)}

    over the samples, with :math:`e_t` the residuals of member :math:`t`. Members of equal variance
    and pairwise correlation :math:`\rho` have :math:`T / (1 + (T - 1) \rho)` [1]_: never more than
    :math:`1 / \rho`, however many there are.

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, outputs)
        Predictions; the variances of several outputs are summed.
    y : array-like of shape (samples,) or (samples, outputs), optional
        The truth, to analyse residuals; without it, the outputs themselves are analysed.
    weights : array-like of shape (members,), optional
        Weights of the members, divided by their sum; equal by default.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float
        Infinite if the residuals cancel completely; NaN if no member varies.

    References
    ----------
    .. [1] Kish, "Survey sampling" (1965), whose design effect it is; for ensembles Breiman,
       "Random forests", Mach. Learn. 45 (2001).

    Examples
    --------
    >>> from coterie import theory
    >>> theory.effective_members([[1, -1, 1, -1], [1, 1, -1, -1]])
    2.0
    >>> theory.effective_members([[1, -1, 1, -1], [1, -1, 1, -1]])
    1.0
    """
    members: Array = numbers_of(outputs)
    if y is not None:
        members = members - y_numbers(y, members.shape[1:])
    weight = member_weights(weights, len(members))
    weight = weight / weight.sum()
    share = sample_weights(sample_weight, members.shape[1])
    share = np.ones(members.shape[1]) if share is None else share
    flat = members.reshape(len(members), members.shape[1], -1)
    centred = flat - np.average(flat, axis=1, weights=share)[:, None]
    alone = float(weight @ ((centred**2).sum(axis=2) @ share))
    together = float((np.tensordot(weight, centred, axes=1) ** 2).sum(axis=1) @ share)
    # What is left of full cancellation is rounding.
    if together <= 1e-24 * alone or alone == 0.0:
        return float("nan") if alone == 0.0 else float("inf")
    return alone / together
