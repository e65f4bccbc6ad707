"""Means of the pairwise measures over all pairs of members, as one number."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from coterie.diversity import pairwise
from coterie.diversity.pairwise import mean_over_pairs
from coterie.diversity.tables import Outputs


def mean_disagreement(
    predictions: Any, y: Any = None, *, outputs: Outputs = None, sample_weight: Any = None
) -> float:
    r"""Mean share of samples on which two members differ.

    .. math:: \overline{dis} = \frac{2}{T(T-1)} \sum_{i<j} dis_{ij}

    The measure and its reference are those of `disagreement`. Undefined pairs are excluded;
    `mean_over_pairs` returns how many there are.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels of any number of classes, or hits.
    y : array-like of shape (samples,), optional
        True labels.
    outputs : {"labels", "oracle"}, optional
        Compare the members' labels, or whether they are right. By default the latter if `y` is
        given, the former otherwise.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.mean_disagreement([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    0.667
    """
    matrix = pairwise.disagreement(predictions, y, outputs=outputs, sample_weight=sample_weight)
    return mean_over_pairs(matrix).mean


def mean_correlation(
    predictions: Any, y: Any = None, *, outputs: Outputs = None, sample_weight: Any = None
) -> float:
    r"""Mean correlation of the predictions of two members.

    .. math:: \overline{\rho} = \frac{2}{T(T-1)} \sum_{i<j} \rho_{ij}

    The measure and its reference are those of `correlation`. Undefined pairs are excluded;
    `mean_over_pairs` returns how many there are.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels of any number of classes, or hits.
    y : array-like of shape (samples,), optional
        True labels.
    outputs : {"labels", "oracle"}, optional
        Compare the members' labels, or whether they are right. By default the latter if `y` is
        given, the former otherwise.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.mean_correlation([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    -0.5
    """
    matrix = pairwise.correlation(predictions, y, outputs=outputs, sample_weight=sample_weight)
    return mean_over_pairs(matrix).mean


def mean_q_statistic(
    predictions: Any, y: Any = None, *, outputs: Outputs = None, sample_weight: Any = None
) -> float:
    r"""Mean of Yule's Q of two members.

    .. math:: \overline{Q} = \frac{2}{T(T-1)} \sum_{i<j} Q_{ij}

    The measure and its reference are those of `q_statistic`. Undefined pairs are excluded;
    `mean_over_pairs` returns how many there are.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels with two classes, or hits; labels of any number of classes along with `y`.
    y : array-like of shape (samples,), optional
        True labels.
    outputs : {"labels", "oracle"}, optional
        Compare the members' labels, or whether they are right. By default the latter if `y` is
        given, the former otherwise.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.mean_q_statistic([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    -1.0
    """
    matrix = pairwise.q_statistic(predictions, y, outputs=outputs, sample_weight=sample_weight)
    return mean_over_pairs(matrix).mean


def mean_kappa(
    predictions: Any,
    y: Any = None,
    *,
    outputs: Outputs = None,
    sample_weight: Any = None,
    zero_division: float = np.nan,
) -> float:
    r"""Mean agreement of two members beyond chance.

    .. math:: \overline{\kappa} = \frac{2}{T(T-1)} \sum_{i<j} \kappa_{ij}

    The measure and its reference are those of `kappa`. Undefined pairs are excluded;
    `mean_over_pairs` returns how many there are.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels of any number of classes, or hits.
    y : array-like of shape (samples,), optional
        True labels.
    outputs : {"labels", "oracle"}, optional
        Compare the members' labels, or whether they are right. By default the latter if `y` is
        given, the former otherwise.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    zero_division : float, default=nan
        The value where it is undefined; NaN leaves the pair out of the mean.

    Returns
    -------
    float

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.mean_kappa([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    -0.5
    """
    matrix = pairwise.kappa(
        predictions, y, outputs=outputs, sample_weight=sample_weight, zero_division=zero_division
    )
    return mean_over_pairs(matrix).mean


def mean_double_fault(
    predictions: Any,
    y: Any = None,
    *,
    mistakes: Literal["any", "same"] = "any",
    sample_weight: Any = None,
) -> float:
    r"""Mean share of samples on which both members of a pair are wrong.

    .. math:: \overline{DF} = \frac{2}{T(T-1)} \sum_{i<j} DF_{ij}

    The measure and its reference are those of `double_fault`.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels along with `y`, or hits without.
    y : array-like of shape (samples,), optional
        True labels.
    mistakes : {"any", "same"}, default="any"
        Whether any mistakes count, or only those where both give the same wrong label.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.mean_double_fault([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    0.333
    """
    matrix = pairwise.double_fault(predictions, y, mistakes=mistakes, sample_weight=sample_weight)
    return mean_over_pairs(matrix).mean
