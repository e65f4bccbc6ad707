"""A table as points in space, for members that measure distances or take sums of columns.

1. `settle_rows` puts the training rows in an order that depends on what they hold only, so that
   shuffled rows, or a row of weight three instead of three rows, lead to the same bits.
2. `Coordinates.learn` looks at them: numbers are standardised, categories become indicators,
   holes are filled with the mean and marked.
3. Calling the coordinates places the rows of any table in the same space.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.data import Schema, Table, Target
from coterie.tags import tagged

Array = NDArray[np.float64]

_FAR = 1e6  # standard deviations; squares of what is farther away could overflow


class Rows(NamedTuple):
    """Training rows in an order of their own.

    Attributes
    ----------
    cells : ndarray of shape (n_rows, n_columns)
        Numbers and codes, NaN where missing.
    encoded : ndarray of shape (n_rows, n_outputs)
        Codes of classes, or numbers.
    weight : ndarray of shape (n_rows,)
        Positive weights.
    """

    cells: Array
    encoded: NDArray[np.generic]
    weight: Array


def dense_cells(table: Table) -> Array:
    """All cells as one float64 array."""
    parts = [np.asarray(values, dtype=np.float64) for _, values in table.blocks()]
    return np.ascontiguousarray(parts[0] if len(parts) == 1 else np.concatenate(parts))


def settle_rows(
    table: Table, target: Target, weight: Array | None = None, *, merge: bool = False
) -> Rows:
    """The rows sorted by what they hold.

    Parameters
    ----------
    table, target : Table, Target
        The rows.
    weight : ndarray of shape (n_rows,), optional
        Their weights.
    merge : bool, default=False
        Whether equal rows become one with the sum of their weights.

    Examples
    --------
    >>> table, target = Table.read([[2.0], [1.0], [2.0]]), Target.numbers([5.0, 4.0, 5.0])
    >>> settle_rows(table, target, merge=True)
    Rows(cells=array([[1.],
           [2.]]), encoded=array([[4.],
           [5.]]), weight=array([1., 2.]))
    """
    cells = dense_cells(table) + 0.0  # turns -0.0 into 0.0
    weight = np.ones(len(cells)) if weight is None else weight
    order = np.lexsort((weight, *target.encoded.T, *cells.T))
    cells, encoded, weight = cells[order], target.encoded[order], weight[order]
    if not merge or len(cells) == 1:
        return Rows(cells, encoded, weight)
    alike = (cells[1:] == cells[:-1]) | (np.isnan(cells[1:]) & np.isnan(cells[:-1]))
    same = alike.all(axis=1) & (encoded[1:] == encoded[:-1]).all(axis=1)
    first = np.flatnonzero(np.append(True, ~same))
    return Rows(cells[first], encoded[first], np.add.reduceat(weight, first))


@tagged
@dataclass(frozen=True)
class Coordinates:
    r"""Where the rows of a table lie.

    A column of numbers is :math:`(x - \text{mean}) / \text{sd}`, and 0 where it is missing, which
    a coordinate of its own marks if training rows had holes. A category is one coordinate per
    level, 1 for rows of that level: two levels are as far apart as two numbers are on average.

    Attributes
    ----------
    largest, mean, deviation : ndarray of shape (n_numbers,)
        Magnitude that numbers are divided by first, so that nothing overflows; mean and standard
        deviation after that.
    numbers : ndarray of int
        Columns of numbers.
    holes : ndarray of int
        Columns of numbers whose holes are marked.
    levels : dict of int to ndarray
        For each categorical column the codes that have a coordinate.
    basis : ndarray of shape (n_coordinates, n_directions) or None
        Directions that the training rows span, if coordinates are taken along them.
    """

    largest: Array
    mean: Array
    deviation: Array
    numbers: NDArray[np.intp]
    holes: NDArray[np.intp]
    levels: dict[int, NDArray[np.intp]]
    basis: Array | None = None

    @classmethod
    def learn(cls, rows: Rows, schema: Schema, max_levels: int) -> Coordinates:
        """Coordinates by the training rows.

        Parameters
        ----------
        rows : Rows
            See `settle_rows`.
        schema : Schema
            Which columns are categorical.
        max_levels : int
            Most levels of a category that have a coordinate, the most frequent ones.
        """
        categorical = np.zeros(schema.n_columns, dtype=bool)
        if schema.categorical is not None:
            categorical |= schema.categorical
        numbers = np.flatnonzero(~categorical)
        cells, levels = rows.cells[:, numbers], {}
        for j in np.flatnonzero(categorical).tolist():
            column = rows.cells[:, j]
            known = ~np.isnan(column)
            totals = np.bincount(column[known].astype(np.intp), weights=rows.weight[known])
            common = np.argsort(-totals, kind="stable")[:max_levels]
            levels[j] = np.sort(common[totals[common] > 0])
        missing = np.isnan(cells)
        largest = np.where(missing, 0.0, np.abs(cells)).max(axis=0, initial=0.0)
        largest[largest == 0] = 1.0
        share = np.where(missing, 0.0, rows.weight[:, None])
        total = np.maximum(share.sum(axis=0), np.finfo(np.float64).tiny)
        scaled = np.where(missing, 0.0, cells / largest)
        mean = (share * scaled).sum(axis=0) / total
        variance = (share * (scaled - mean) ** 2).sum(axis=0) / total
        low = np.where(missing, np.inf, cells).min(axis=0, initial=np.inf)
        high = np.where(missing, -np.inf, cells).max(axis=0, initial=-np.inf)
        # A variance that is rounding only must not be divided by.
        deviation = np.where(low < high, np.sqrt(variance), 1.0)
        holes = numbers[missing.any(axis=0)]
        return cls(largest, mean, np.where(deviation > 0, deviation, 1.0), numbers, holes, levels)

    @property
    def columns(self) -> NDArray[np.intp]:
        """The column of the table that each coordinate belongs to."""
        sizes = [np.repeat(j, len(codes)) for j, codes in self.levels.items()]
        return np.concatenate([self.numbers, self.holes, *sizes]).astype(np.intp)

    def place(self, cells: Array) -> Array:
        """Coordinates of rows, shape (n_rows, n_coordinates)."""
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = (cells[:, self.numbers] / self.largest - self.mean) / self.deviation
        numbers = np.clip(np.where(np.isnan(numbers), 0.0, numbers), -_FAR, _FAR)
        indicators = [cells[:, [j]] == codes for j, codes in self.levels.items()]
        placed = np.hstack([numbers, np.isnan(cells[:, self.holes]), *indicators])
        return placed if self.basis is None else placed @ self.basis

    def __call__(self, table: Table) -> Array:
        """Coordinates of the rows of a table."""
        return self.place(dense_cells(table))

    def along_rows(self, placed: Array) -> Coordinates:
        """The same along the directions that `placed` rows span, if those are fewer.

        What rows say about a model that sums columns lies in these directions only.
        """
        if len(placed) >= placed.shape[1]:
            return self
        return replace(self, basis=np.linalg.qr(placed.T)[0])
