"""Rows side by side on an axis, in an order that depends on what they hold.

A draw must depend on what the rows are, not on how they were written down. So rows are put in an
order that depends on their content alone (:func:`content_order`) and laid side by side, each as
long as the number of times it is repeated; a draw is a point on the axis. Shuffled rows, or a row
given once with weight three instead of three times, lead to the same bags.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coterie.data import Table, Target
from coterie.data.hashes import ODD, cell_bits
from coterie.native import row_hashes
from coterie.tags import tagged

# Whole-number weights are repetitions up to this mean; beyond it (survey weights, say) a bag
# would hold every row many times over, which is neither a bootstrap nor affordable.
MAX_MEAN_REPETITION = 100


def content_order(
    table: Table, target: Target, weight: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Order of the rows that depends on what they hold only, equal rows side by side.

    Parameters
    ----------
    table : Table
        Binned.
    target : Target
        Labels or numbers.
    weight : ndarray of shape (n_rows,), optional
        Importances, which tell rows apart that are equal otherwise.
    """
    assert table.codes is not None, "the table is not binned"
    bits = np.zeros(target.n_rows, dtype=np.uint64)
    for column in target.encoded.T.astype(np.float64):
        bits = (bits ^ cell_bits(column)) * ODD
        bits ^= bits >> np.uint64(29)
    hashes = row_hashes(table.codes, bits)
    if weight is None:
        return np.argsort(hashes, kind="stable")
    return np.lexsort((weight, hashes))


def repetitions(weight: NDArray[np.float64] | None) -> NDArray[np.int64] | None:
    """Weights read as numbers of repetitions, or None when they are importances.

    Whole numbers with a mean of at most 100 are repetitions: fitting with them equals fitting on
    repeated rows.

    Examples
    --------
    >>> repetitions(np.array([1.0, 3.0])), repetitions(np.array([0.5, 2.0]))
    (array([1, 3]), None)
    """
    if weight is None or weight.mean() > MAX_MEAN_REPETITION or np.any(weight % 1):
        return None
    return weight.astype(np.int64)


def split_weight(
    weight: NDArray[np.float64] | None,
) -> tuple[NDArray[np.int64] | None, NDArray[np.float64] | None]:
    """Weights as repetitions or as importances: one of the two, the other is None.

    Examples
    --------
    >>> split_weight(np.array([1.0, 3.0])), split_weight(np.array([0.5, 2.0]))
    ((array([1, 3]), None), (None, array([0.5, 2. ])))
    """
    repeats = repetitions(weight)
    return repeats, weight if repeats is None else None


@tagged
@dataclass(frozen=True)
class RowAxis:
    """Rows side by side in an order of their own.

    Attributes
    ----------
    order : ndarray of shape (n_rows,)
        Which row comes k-th.
    ends : ndarray of shape (n_rows,) or None
        Where the k-th row ends on the axis; None when every row is one long.
    """

    order: NDArray[np.integer]
    ends: NDArray[np.int64] | None = None

    @classmethod
    def lay(cls, order: NDArray[np.integer], repeats: NDArray[np.int64] | None) -> RowAxis:
        """Rows in `order`, each as long as it is repeated."""
        small = order.astype(np.uint32) if len(order) <= np.iinfo(np.uint32).max else order
        return cls(small, None if repeats is None else np.cumsum(repeats[order]))

    @classmethod
    def of(
        cls, table: Table, target: Target, weight: NDArray[np.float64] | None
    ) -> tuple[RowAxis, NDArray[np.float64] | None]:
        """Rows of a binned table as often as they are repeated, and weights that say otherwise."""
        repeats, importance = split_weight(weight)
        return cls.lay(content_order(table, target, importance), repeats), importance

    @property
    def rows(self) -> NDArray[np.integer]:
        """The row at every point of the axis."""
        if self.ends is None:
            return self.order
        return np.repeat(self.order, np.diff(self.ends, prepend=0))

    @property
    def length(self) -> int:
        """How many rows there are, repetitions included."""
        return len(self.order) if self.ends is None else int(self.ends[-1])

    def count(self, points: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many `points` of the axis fall on each row."""
        if self.ends is not None:
            points = np.searchsorted(self.ends, points, side="right")
        counts = np.empty(len(self.order), dtype=np.int64)
        counts[self.order] = np.bincount(points, minlength=len(self.order))
        return counts

    def total(self, units: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the units of length of each row add up to."""
        total = np.empty(len(self.order))
        if self.ends is None:
            total[self.order] = units
        else:
            place = np.searchsorted(self.ends, np.arange(self.length), side="right")
            total[self.order] = np.bincount(place, units, minlength=len(self.order))
        return total
