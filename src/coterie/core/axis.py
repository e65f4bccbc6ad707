"""Rows side by side on an axis, in an order that depends on what they hold.

A draw must depend on what the rows are, not on how they were written down. So rows are put in an
order that depends on their content alone (:func:`content_order`) and laid side by side, each as
long as the number of times it is repeated; a draw is a point on the axis. Shuffled rows, or a row
given once with weight three instead of three times, lead to the same bags. Rows may also be as long
as their weights: then each is one unit, and heavy ones are drawn more often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.data import Table, Target
from coterie.data.hashes import ODD, cell_bits, mix
from coterie.native import cell_hashes, row_hashes
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
    assert table.bins is not None
    bits = np.zeros(target.n_rows, dtype=np.uint64)
    for column in target.encoded.T.astype(np.float64):
        bits = (bits ^ cell_bits(column)) * ODD
        bits ^= bits >> np.uint64(29)
    hashes = row_hashes(table.codes, table.bins, bits)
    if weight is None:
        return np.argsort(hashes, kind="stable")
    return np.lexsort((weight, hashes))


def cell_keys(table: Table, n_threads: int = 1) -> NDArray[np.uint64]:
    """A number for every row that depends on what it holds only; equal rows have equal ones."""
    keys = np.empty(table.n_rows, dtype=np.uint64)
    for rows, cells in table.blocks():
        keys[rows] = cell_hashes(cells, n_threads=n_threads)
    return keys


def uniforms(table: Table, entropy: int) -> NDArray[np.float64]:
    """A uniform random number per row that depends on what the row holds, and on the seed."""
    seed = np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0]
    return np.asarray((mix(cell_keys(table) ^ seed) >> np.uint64(11)) * 2.0**-53)


def cell_order(
    table: Table, importance: NDArray[np.float64] | None = None, n_threads: int = 1
) -> NDArray[np.intp]:
    """As `content_order`, by what the cells of any table hold; nothing is binned.

    Parameters
    ----------
    table : Table
        The rows.
    importance : ndarray of shape (n_rows,), optional
        Tells rows apart that are equal otherwise.
    n_threads : int, default=1
        Native threads.
    """
    hashes = cell_keys(table, n_threads)
    if importance is None:
        return np.argsort(hashes, kind="stable")
    return np.lexsort((importance, hashes))


def repetitions(weight: NDArray[np.float64] | None) -> NDArray[np.int64] | None:
    """Weights read as numbers of repetitions, or None when they are importances.

    Integers with a mean of at most 100 are repetitions: fitting with them equals fitting on
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
        Where the k-th row ends on the axis; None when every row is one long. Integers are
        repetitions, floats weights.
    """

    order: NDArray[np.integer]
    ends: NDArray[np.int64] | NDArray[np.float64] | None = None

    @classmethod
    def lay(
        cls,
        order: NDArray[np.integer],
        repeats: NDArray[np.int64] | NDArray[np.float64] | None,
    ) -> RowAxis:
        """Rows in `order`, each as long as it is repeated, or as it weighs."""
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
    def weighs(self) -> bool:
        """Whether rows are as long as their weights."""
        return self.ends is not None and self.ends.dtype.kind == "f"

    @property
    def rows(self) -> NDArray[np.integer]:
        """The row of every unit."""
        if self.ends is None or self.weighs:
            return self.order
        return np.repeat(self.order, np.diff(self.ends, prepend=0))

    @property
    def length(self) -> int:
        """How many rows there are, repetitions included."""
        return len(self.order) if self.ends is None or self.weighs else int(self.ends[-1])

    @property
    def mass(self) -> float:
        """What all rows weigh; how many there are, if they have no weights."""
        return float(len(self.order) if self.ends is None else self.ends[-1])

    def points(self, rng: Generator, size: int) -> NDArray[np.int64] | NDArray[np.float64]:
        """As many points of the axis at random."""
        if self.weighs:
            # Rounding must not put one behind the last row.
            return np.minimum(rng.random(size) * self.mass, np.nextafter(self.mass, 0.0))
        return rng.integers(0, self.length, size=size)

    def distinct_points(self, rng: Generator, size: int) -> NDArray[np.int64]:
        """As many different units of the axis; rows must not be as long as their weights."""
        return rng.choice(self.length, size, replace=False, shuffle=False)

    def distinct(self, rng: Generator, size: int) -> NDArray[np.int64]:
        """How often each row is among `size` units drawn one after the other and not put back."""
        if not self.weighs:
            return self.count(self.distinct_points(rng, size))
        with np.errstate(divide="ignore"):
            # The first to arrive of exponential clocks is such a draw (Efraimidis & Spirakis).
            arrival = rng.exponential(size=self.length) / np.diff(
                np.asarray(self.ends), prepend=0.0
            )
        counts = np.zeros(self.length, dtype=np.int64)
        counts[self.order[np.argsort(arrival, kind="stable")[:size]]] = 1
        return counts

    def _places(self, points: NDArray[Any]) -> NDArray[Any]:
        """Which of the rows in their order each of some points falls on."""
        return points if self.ends is None else np.searchsorted(self.ends, points, side="right")

    def rows_at(self, points: NDArray[Any]) -> NDArray[np.integer]:
        """The row that each of some `points` of the axis falls on."""
        rows: NDArray[np.integer] = self.order[self._places(points)]
        return rows

    def count(self, points: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.int64]:
        """How many `points` of the axis fall on each row."""
        places = self._places(points)
        counts = np.empty(len(self.order), dtype=np.int64)
        counts[self.order] = np.bincount(places, minlength=len(self.order))
        return counts

    def total(self, units: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the units of each row add up to."""
        total = np.empty(len(self.order))
        if self.ends is None or self.weighs:
            total[self.order] = units
        else:
            place = np.searchsorted(self.ends, np.arange(self.length), side="right")
            total[self.order] = np.bincount(place, units, minlength=len(self.order))
        return total
