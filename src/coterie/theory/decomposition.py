"""Ambiguity decomposition: the error of an average is the members' error minus their ambiguity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import (
    counted_votes,
    member_weights,
    numbers_of,
    sample_weights,
    truthful_codes,
    y_numbers,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AmbiguityParts:
    r"""Errors and ambiguities of the members, for every sample and on average.

    For every sample, and so on average, the error of the average of the members is

    .. math:: E = \bar E - \bar A = \sum_t w_t E_t - \sum_t w_t A_t

    A point :math:`(A_t, E_t)` for every member is the ambiguity-error map: the height of the
    centroid :math:`(\bar A, \bar E)` above the diagonal is the error of the ensemble.

    Parameters
    ----------
    errors : ndarray of shape (members, samples)
        Error of each member on each sample.
    ambiguities : ndarray of shape (members, samples)
        How far each member is from the average.
    ensemble_errors : ndarray of shape (samples,)
        Error of the average.
    weights : ndarray of shape (members,)
        Weights of the members, which sum to one.
    shares : ndarray of shape (samples,)
        Weight of each sample; they sum to one.

    Examples
    --------
    >>> from coterie import theory
    >>> parts = theory.ambiguity([[1.0, 2.0], [3.0, 2.0]], [1.0, 2.0])
    >>> parts.mean_error, parts.mean_ambiguity, parts.error
    (1.0, 0.5, 0.5)
    >>> parts.member_errors, parts.member_ambiguities, parts.cancellation
    (array([0., 2.]), array([0.5, 0.5]), 0.5)
    """

    errors: Array
    ambiguities: Array
    ensemble_errors: Array
    weights: Array
    shares: Array

    @property
    def member_errors(self) -> Array:
        """Error of each member."""
        return np.asarray(self.errors @ self.shares)

    @property
    def member_ambiguities(self) -> Array:
        """Ambiguity of each member."""
        return np.asarray(self.ambiguities @ self.shares)

    @property
    def mean_error(self) -> float:
        """Weighted mean of the members' errors."""
        return float(self.weights @ self.member_errors)

    @property
    def mean_ambiguity(self) -> float:
        """Weighted mean of the members' ambiguities."""
        return float(self.weights @ self.member_ambiguities)

    @property
    def error(self) -> float:
        """Error of the average of the members."""
        return float(self.ensemble_errors @ self.shares)

    @property
    def cancellation(self) -> float:
        """Share of the members' error that averaging removes; NaN if there is none."""
        return self.mean_ambiguity / self.mean_error if self.mean_error else float("nan")


def ambiguity(
    outputs: Any, y: Any, weights: Any = None, *, sample_weight: Any = None
) -> AmbiguityParts:
    r"""Split the squared error of a weighted average of members.

    .. math::
        (H(x) - y)^2 = \sum_t w_t (h_t(x) - y)^2 - \sum_t w_t (h_t(x) - H(x))^2,
        \qquad H = \sum_t w_t h_t

    At equal individual errors, the more the members differ, the better their average [1]_. Weights
    may be negative, and then the ambiguity may be negative, too.

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, outputs)
        Predictions; the errors of several outputs are summed.
    y : array-like of shape (samples,) or (samples, outputs)
        The truth.
    weights : array-like of shape (members,), optional
        Weights of the members, which sum to one; equal by default.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    AmbiguityParts

    References
    ----------
    .. [1] Krogh & Vedelsby, "Neural network ensembles, cross validation, and active learning",
       NIPS 7 (1995).

    Examples
    --------
    >>> from coterie import theory
    >>> parts = theory.ambiguity([[1.0, 2.0], [3.0, 2.0]], [1.0, 2.0], [0.75, 0.25])
    >>> parts.mean_error, parts.mean_ambiguity, parts.error
    (0.5, 0.375, 0.125)
    """
    members: Array = numbers_of(outputs)
    truth = y_numbers(y, members.shape[1:])
    weight = _whole_weights(weights, len(members))
    mean = np.tensordot(weight, members, axes=1)
    axes = tuple(range(2, members.ndim))
    return AmbiguityParts(
        ((members - truth) ** 2).sum(axis=axes),
        ((members - mean) ** 2).sum(axis=axes),
        ((mean - truth) ** 2).sum(axis=tuple(axis - 1 for axis in axes)),
        weight,
        shares_of(sample_weight, members.shape[1]),
    )


def vote_ambiguity(
    votes: Any, y: Any, weights: Any = None, *, classes: Any = None, sample_weight: Any = None
) -> AmbiguityParts:
    r"""Split the error of an averaged vote, as `ambiguity` does for numbers.

    Votes are vectors :math:`h_t(x)`, one-hot for labels, and errors are half the squared distance:

    .. math::
        \tfrac12 \|H - e_y\|^2 = \sum_t w_t \tfrac12 \|h_t - e_y\|^2
        - \sum_t w_t \tfrac12 \|h_t - H\|^2

    For labels a member's error is then its share of mistakes, and with equal weights the mean
    ambiguity is :math:`\frac{T-1}{2T}` times the mean disagreement. The error of the plurality
    vote, ties counted as errors, is at most four times that of the averaged vote [1]_.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, or probabilities of the classes.
    y : array-like of shape (samples,)
        True labels.
    weights : array-like of shape (members,), optional
        Weights of the members, which sum to one; equal by default.
    classes : array-like of shape (classes,), optional
        Classes of the probability columns, in increasing order; by default 0, 1, and so on. Not for
        labels.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    AmbiguityParts

    References
    ----------
    .. [1] Krogh & Vedelsby, "Neural network ensembles, cross validation, and active learning",
       NIPS 7 (1995); on votes in this form it is our own use of it.

    Examples
    --------
    Three members on three samples, right where it says 1. Voting helps, does nothing, and hurts:

    >>> from coterie import theory
    >>> for hits in (
    ...     [[1, 1, 0], [0, 1, 1], [1, 0, 1]],
    ...     [[1, 1, 0], [1, 1, 0], [1, 1, 0]],
    ...     [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    ... ):
    ...     parts = theory.vote_ambiguity(hits, [1, 1, 1])
    ...     print([round(x, 4) for x in (parts.mean_error, parts.mean_ambiguity, parts.error)])
    [0.3333, 0.2222, 0.1111]
    [0.3333, 0.0, 0.3333]
    [0.6667, 0.2222, 0.4444]
    """
    array = np.asarray(votes)
    shares = shares_of(sample_weight, array.shape[1] if array.ndim > 1 else 0)
    if array.ndim == 3:
        truth = class_positions(y, array.shape[2], classes)
        one_hot = np.eye(array.shape[2])[truth]
        parts = ambiguity(array, one_hot, weights)
        half = (parts.errors / 2, parts.ambiguities / 2, parts.ensemble_errors / 2)
        return AmbiguityParts(*half, parts.weights, shares)
    if classes is not None:
        raise DataError("`classes` is only for probabilities; omit it for labels.")
    codes, truth_codes, labels = truthful_codes(array, y)
    weight = _whole_weights(weights, len(codes))
    voted = counted_votes(codes, weight, len(labels)).T
    length = (voted**2).sum(axis=0)
    samples = np.arange(len(length))
    return AmbiguityParts(
        (codes != truth_codes).astype(np.float64),
        (1.0 - 2.0 * voted[codes, samples] + length) / 2,
        (1.0 - 2.0 * voted[truth_codes, samples] + length) / 2,
        weight,
        shares,
    )


def shares_of(sample_weight: Any, n_samples: int) -> Array:
    """Weights of the samples that sum to one."""
    weight = sample_weights(sample_weight, n_samples)
    return np.full(n_samples, 1.0 / max(1, n_samples)) if weight is None else weight / weight.sum()


def class_positions(y: Any, n_classes: int, classes: Any = None) -> NDArray[np.intp]:
    """Columns of the true classes, which must all be known."""
    known = np.arange(n_classes) if classes is None else np.asarray(classes)
    if len(known) != n_classes or (known[1:] <= known[:-1]).any():
        raise DataError(f"`classes` must be {n_classes} distinct labels in increasing order.")
    truth = np.asarray(y)
    if truth.ndim != 1:
        raise DataError(f"y must have shape (samples,), not {truth.shape}.")
    places = np.clip(np.searchsorted(known, truth), 0, n_classes - 1)
    unknown = known[places] != truth
    if unknown.any():
        raise DataError(
            f"y contains {truth[unknown].tolist()[0]!r}, which is not one of the classes {known}."
        )
    return places


def _whole_weights(weights: Any, n_members: int) -> Array:
    """Weights of members that sum to one, as the decomposition needs them."""
    if weights is None:
        return np.full(n_members, 1.0 / n_members)
    weight = member_weights(weights, n_members, signed=True)
    if abs(weight.sum() - 1.0) > 1e-9:
        raise DataError(
            f"Weights must sum to one, not to {weight.sum():g}: divide them by their sum."
        )
    return weight
