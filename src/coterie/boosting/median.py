"""The weighted median of many votes, and how to watch it while members are added."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from coterie.core.rule import Array
from coterie.tags import tagged


def weighted_median(votes: Array, weights: Array) -> Array:
    """The smallest vote of each row that makes up, with all smaller ones, half of the weight.

    Parameters
    ----------
    votes : ndarray of shape (n_rows, n_members)
        Numbers.
    weights : ndarray of shape (n_members,)
        Their weights.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> weighted_median(np.array([[3.0, 1.0, 2.0]]), np.array([1.0, 1.0, 3.0]))
    array([2.])
    """
    order = np.argsort(votes, axis=1, kind="stable")
    return middle(votes, order, weights)


def middle(votes: Array, order: NDArray[np.intp], weights: Array) -> Array:
    """The weighted median of votes that are in ascending `order` already, row by row."""
    total = np.cumsum(weights[order], axis=1)
    at = (total >= 0.5 * total[:, -1:]).argmax(axis=1)
    rows = np.arange(len(votes))
    return np.asarray(votes[rows, order[rows, at]])


@tagged
@dataclass
class RunningMedian:
    """The weighted median of votes while members are added, which takes every one of them."""

    file_tag: ClassVar[str] = "MedianLoss"

    last: Array | None = None
    votes: list[Array] = field(default_factory=list)
    alphas: list[float] = field(default_factory=list)

    def __call__(self, raw: Array) -> Array:
        """The median of all votes so far, one column; `raw` holds their weighted sum."""
        step = raw if self.last is None else raw - self.last
        self.last = raw.copy()
        self.alphas.append(float(step[0, 1]))
        self.votes.append(step[:, 0] / step[0, 1])
        return weighted_median(np.stack(self.votes, axis=1), np.array(self.alphas))[:, np.newaxis]
