"""Target statistics of categories: what the rows of a category had to say about the target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.tags import tagged

__all__ = ["TargetStatistics", "ordered_statistics"]

Array = NDArray[np.float64]


@tagged
@dataclass(frozen=True)
class TargetStatistics:
    r"""The smoothed mean of the target in each category, from all rows.

    :math:`(\sum_{j \in c} w_j y_j + a\,p) / (\sum_{j \in c} w_j + a)`, with prior :math:`p`. A
    category that no row had is given the prior.

    Attributes
    ----------
    prior : ndarray of shape (n_outputs,)
        Mean of the target.
    means : ndarray of shape (n_levels + 1, n_outputs)
        The statistic of each category; the last row is that of missing values, which are a
        category of their own.

    Examples
    --------
    >>> codes, values = np.array([0, 0, 1, -1]), np.array([[1.0], [0.0], [1.0], [0.0]])
    >>> statistics = TargetStatistics.learn(codes, values, None, n_levels=3, smooth=1.0)
    >>> statistics.of(np.array([0, 1, 2, -1])).ravel()
    array([0.5 , 0.75, 0.5 , 0.25])
    """

    prior: Array
    means: Array

    @classmethod
    def learn(
        cls,
        codes: NDArray[np.integer],
        values: Array,
        weight: Array | None,
        *,
        n_levels: int,
        smooth: float,
    ) -> TargetStatistics:
        """The statistics of codes from 0 to ``n_levels - 1``, with -1 for missing."""
        slots = np.where(codes < 0, n_levels, codes)
        prior = np.average(values, axis=0, weights=weight)
        ones = np.ones(len(codes)) if weight is None else weight
        parts = [ones, *(ones * column for column in values.T)]
        sums = [np.bincount(slots, weights=part, minlength=n_levels + 1) for part in parts]
        count, total = np.stack(sums[:1], axis=1), np.stack(sums[1:], axis=1)
        return cls(prior, _smoothed(total, count, prior, smooth))

    def of(self, codes: NDArray[np.integer]) -> Array:
        """The statistic of each row's category, shape (n_rows, n_outputs)."""
        return self.means[np.where(codes < 0, len(self.means) - 1, codes)]


def ordered_statistics(
    codes: NDArray[np.integer],
    values: Array,
    weight: Array | None,
    order: NDArray[np.integer],
    *,
    smooth: float,
) -> Array:
    r"""For each row the statistic of its category among the rows that come before it.

    .. math:: \frac{\sum_{j \prec i,\, c_j = c_i} w_j y_j + a\,p}
                   {\sum_{j \prec i,\, c_j = c_i} w_j + a}

    A row's own target is in none of its sums, nor is that of a row whose statistic it is in: on
    the training rows the column says no more than it will say of new ones.

    Parameters
    ----------
    codes : int array of shape (n_rows,)
        Categories, -1 for missing.
    values : ndarray of shape (n_rows, n_outputs)
        The target.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    order : int array of shape (n_rows,)
        A permutation: which row comes first, second, …
    smooth : float
        :math:`a`, the number of rows the prior counts for.

    Returns
    -------
    ndarray of shape (n_rows, n_outputs)

    References
    ----------
    .. [1] Prokhorenkova et al., "CatBoost: unbiased boosting with categorical features",
       NeurIPS (2018).

    Examples
    --------
    >>> codes, values = np.zeros(3, dtype=int), np.array([[1.0], [0.0], [1.0]])
    >>> ordered_statistics(codes, values, None, np.arange(3), smooth=1.0).ravel()
    array([0.66666667, 0.83333333, 0.55555556])
    """
    by_category = order[np.argsort(codes[order], kind="stable")]
    sorted_codes = codes[by_category]
    first = np.flatnonzero(np.append(True, sorted_codes[1:] != sorted_codes[:-1]))
    lengths = np.diff(np.append(first, len(codes)))
    ones = np.ones(len(codes)) if weight is None else weight
    prior = np.average(values, axis=0, weights=weight)
    # Centred, so that sums stay near zero and a long table loses no digits.
    parts = np.column_stack([ones, ones[:, None] * (values - prior)])[by_category]
    before = np.cumsum(parts, axis=0) - parts
    before -= np.repeat(before[first], lengths, axis=0)
    count, total = np.maximum(before[:, :1], 0.0), before[:, 1:]
    result = np.empty_like(values)
    result[by_category] = prior + total / (count + smooth)
    return result


def _smoothed(total: NDArray[Any], count: NDArray[Any], prior: Array, smooth: float) -> Array:
    unseen = count + smooth <= 0
    mean = (total + smooth * prior) / np.where(unseen, 1.0, count + smooth)
    return np.where(unseen, prior, mean)
