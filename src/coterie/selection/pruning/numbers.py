"""Orders of members that predict numbers.

A sub-ensemble says the mean of its members; of a sample that none of them speaks about, the mean
of the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError
from coterie.data.outputs import member_weights, numbers_of
from coterie.selection.pruning.ballots import (
    Array,
    Ints,
    blocks,
    by_score,
    first_least,
    row_shares,
)
from coterie.selection.pruning.orders import grow


@dataclass(frozen=True)
class Answers:
    """Numbers that members say, less what is true of the samples on average.

    Attributes
    ----------
    said : ndarray of shape (members, samples)
        Zero where there is no answer.
    heard : ndarray of bool of shape (members, samples)
        Where there are answers.
    truth : ndarray of shape (samples,)
        The truth, whose mean is zero.
    row : ndarray of shape (samples,)
        Weights of the samples, summing to one.
    member : ndarray of shape (members,)
        What each answer counts.
    """

    said: Array
    heard: NDArray[np.bool_]
    truth: Array
    row: Array
    member: Array

    @classmethod
    def read(
        cls, votes: Any, truth: Any, sample_weight: Any = None, member_weight: Any = None
    ) -> Answers:
        """Answers of shape (members, samples[, 1]); NaN where there is none."""
        given = np.asarray(votes, dtype=np.float64)
        if given.ndim == 3 and given.shape[2] == 1:
            given = given[:, :, 0]
        if given.ndim != 2 or not given.size:
            raise DataError(f"votes must have shape (members, samples), not {given.shape}.")
        heard = ~np.isnan(given)
        if not heard.any():
            raise DataError("No member has a prediction for any sample.")
        y = numbers_of(truth, "truth", (1,))
        if len(y) != given.shape[1]:
            raise DataError(f"truth must contain {given.shape[1]} numbers, not {len(y)}.")
        row = row_shares(sample_weight, len(y))
        mean = float(y @ row)
        said = np.where(heard, given - mean, 0.0)
        return cls(said, heard, y - mean, row, member_weights(member_weight, len(given)))

    @property
    def residuals(self) -> Array:
        """What each member is wrong by; zero where it is silent."""
        return np.where(self.heard, self.said - self.truth, 0.0)

    @property
    def errors(self) -> Array:
        """Mean squared error of each member; infinite for those never heard."""
        said = self.heard @ self.row
        total = self.residuals**2 @ self.row
        return np.divide(total, said, out=np.full(len(said), np.inf), where=said > 0)


class RunningMean:
    """The mean of a growing sub-ensemble, and what one more member would make of it."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.total = np.zeros(len(answers.truth))
        self.mass = np.zeros(len(answers.truth))

    @property
    def residuals(self) -> Array:
        """What the sub-ensemble is wrong by."""
        return _mean(self.total, self.mass) - self.answers.truth

    def errors_with(self, members: Ints) -> Array:
        """Squared error after adding each of some members, shape (members,)."""
        answers, found = self.answers, []
        for some in blocks(members, self.total):
            weight = answers.member[some][:, None]
            total = self.total + weight * answers.said[some]
            mean = _mean(total, self.mass + weight * answers.heard[some])
            found.append((mean - answers.truth) ** 2 @ answers.row)
        return np.concatenate(found)

    def add(self, member: int) -> None:
        """Hear one more member."""
        weight = self.answers.member[member]
        self.total += weight * self.answers.said[member]
        self.mass += weight * self.answers.heard[member]


def _mean(total: Array, mass: Array) -> Array:
    return np.divide(total, mass, out=np.zeros_like(total), where=mass > 0)


def reduced_squares_order(
    votes: Any, truth: Any, *, sample_weight: Any = None, member_weight: Any = None
) -> Ints:
    r"""At each step, the member that gives the mean the lowest squared error.

    .. math:: t_{u+1} = \arg\min_k \frac1n \sum_i \Big(\frac{1}{u + 1} \Big(\sum_{t \in S_u}
        h_t(x_i) + h_k(x_i)\Big) - y_i\Big)^2

    Parameters
    ----------
    votes : array-like of shape (members, samples)
        Predictions of the members, NaN where there are none.
    truth : array-like of shape (samples,)
        True numbers.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    member_weight : array-like of shape (members,), optional
        Weight of each member in the mean.

    Returns
    -------
    ndarray of int of shape (members,)

    References
    ----------
    .. [1] Hernández-Lobato, Martínez-Muñoz & Suárez, "Pruning in ordered regression bagging
       ensembles", IJCNN (2006).

    Examples
    --------
    >>> reduced_squares_order([[2.0, 3.0], [1.0, 1.0], [-1.0, -1.0]], [1.0, 2.0])
    array([1, 0, 2])
    """
    answers = Answers.read(votes, truth, sample_weight, member_weight)
    running = RunningMean(answers)

    def choose(left: Ints) -> int:
        at = _first(running.errors_with(left))
        running.add(int(left[at]))
        return at

    return grow(len(answers.said), choose)


def complementary_residuals_order(
    votes: Any, truth: Any, *, sample_weight: Any = None, member_weight: Any = None
) -> Ints:
    r"""At each step, the member whose errors best offset those of the mean so far.

    .. math:: t_{u+1} = \arg\min_k \frac1n \sum_i (\bar h_u(x_i) - y_i)(h_k(x_i) - y_i)

    Adding a little of that member to the mean reduces the squared error fastest; it is the
    counterpart of `complementarity_order` for regression. The first is the most accurate one.

    Parameters
    ----------
    votes : array-like of shape (members, samples)
        Predictions of the members, NaN where there are none.
    truth : array-like of shape (samples,)
        True numbers.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    member_weight : array-like of shape (members,), optional
        Weight of each member in the mean.

    Returns
    -------
    ndarray of int of shape (members,)

    References
    ----------
    .. [1] Hernández-Lobato, Martínez-Muñoz & Suárez, "Empirical analysis and evaluation of
       approximate techniques for pruning regression bagging ensembles", Neurocomputing 74 (2011).

    Examples
    --------
    >>> complementary_residuals_order([[2.0, 3.0], [3.0, 4.0], [-1.0, 0.0]], [1.0, 2.0])
    array([0, 2, 1])
    """
    answers = Answers.read(votes, truth, sample_weight, member_weight)
    running, residuals, errors = RunningMean(answers), answers.residuals, answers.errors

    def choose(left: Ints) -> int:
        begun = len(left) < len(residuals)
        shared = residuals[left] @ (answers.row * running.residuals) if begun else errors[left]
        at = _first(shared)
        running.add(int(left[at]))
        return at

    return grow(len(answers.said), choose)


def residual_orientation_order(votes: Any, truth: Any, *, sample_weight: Any = None) -> Ints:
    r"""Members by the angle between their deviation from the mean and the error of the mean.

    .. math:: \cos \theta_t = \frac{(h_t - \bar h)^T (y - \bar h)}
        {\lVert h_t - \bar h \rVert \, \lVert y - \bar h \rVert}

    A member with an angle below 90 degrees moves the mean towards the truth; it is the counterpart
    of `orientation_order` for regression. If the mean is exact, the most accurate members come
    first.

    Parameters
    ----------
    votes : array-like of shape (members, samples)
        Predictions of the members, NaN where there are none.
    truth : array-like of shape (samples,)
        True numbers.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of int of shape (members,)

    References
    ----------
    .. [1] Martínez-Muñoz & Suárez, "Pruning in ordered bagging ensembles", ICML (2006).

    Examples
    --------
    >>> residual_orientation_order([[2.0, 3.0], [3.0, 4.0], [-1.0, 0.0]], [1.0, 2.0])
    array([2, 0, 1])
    """
    answers = Answers.read(votes, truth, sample_weight)
    heard, row = answers.heard, answers.row
    mean = _mean(answers.said.sum(axis=0), heard.sum(axis=0).astype(np.float64))
    lacking = answers.truth - mean
    apart = np.where(heard, answers.said - mean, 0.0)
    spans = np.sqrt((apart**2 @ row) * (heard @ (row * lacking**2)))
    # Rounding is no direction.
    small = 1e-12 * (float(np.abs(answers.said).max()) ** 2 + np.finfo(float).tiny)
    if not (spans > small).any():
        return squares_order(votes, truth, sample_weight=sample_weight)
    along = apart @ (row * lacking)
    return by_score(-np.divide(along, spans, out=np.zeros(len(apart)), where=spans > small))


def squares_order(votes: Any, truth: Any, *, sample_weight: Any = None) -> Ints:
    r"""The members with the lowest squared error first, regardless of the others.

    .. math:: \epsilon_t = \frac1n \sum_i (h_t(x_i) - y_i)^2

    Parameters
    ----------
    votes : array-like of shape (members, samples)
        Predictions of the members, NaN where there are none.
    truth : array-like of shape (samples,)
        True numbers.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of int of shape (members,)

    References
    ----------
    .. [1] Zhou, "Ensemble methods: foundations and algorithms" (2012), chapter 6.

    Examples
    --------
    >>> squares_order([[2.0, 3.0], [1.0, 1.0]], [1.0, 2.0])
    array([1, 0])
    """
    errors = Answers.read(votes, truth, sample_weight).errors
    known = errors[np.isfinite(errors)]
    return by_score(np.where(np.isfinite(errors), errors, 2 * known.max() + 1))


def _first(errors: Array) -> int:
    """`first_least` of numbers on any scale."""
    finite = np.where(np.isfinite(errors), errors, np.finfo(float).max / 4)
    scale = float(np.abs(finite).min())
    return first_least(finite / scale) if scale > 0 else first_least(finite)
