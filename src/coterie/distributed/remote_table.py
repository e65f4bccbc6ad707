"""A table whose rows are on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.data import Table
from coterie.distributed.partitions import Partitions, few_values
from coterie.native import Bins, find_bins
from coterie.native.bins import SAMPLE_ROWS, sampled_rows

Array = NDArray[Any]

_HERE = 1 << 27  # bytes of bins that come at a time


@dataclass(frozen=True, slots=True, eq=False)
class RemoteTable(Table):
    """Rows of a collection, under the columns of all of them.

    The driver knows the schema and, once the table is binned, the bins. Cells come here only when
    they are asked for, as those of rows that are held out.

    Parameters
    ----------
    partitions : Partitions
        Where the rows are.
    rows : int array or None
        Which of them, ascending; None for all.
    gathers : bool, default=False
        Whether `bin` brings all bins here.
    """

    partitions: Partitions = field(kw_only=True)
    rows: NDArray[np.int64] | None = None
    gathers: bool = False
    fetched: list[Table] = field(default_factory=list)

    @classmethod
    def of(cls, partitions: Partitions, rows: Array | None, *, gathers: bool) -> RemoteTable:
        """The table of some rows of a collection."""
        schema = partitions.reading.schema
        return cls(schema, None, partitions=partitions, rows=rows, gathers=gathers)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n_rows = self.partitions.n_rows if self.rows is None else len(self.rows)
        return n_rows, self.schema.n_columns

    def take(self, rows: Any) -> RemoteTable:
        """Some rows, in ascending order: a slice, a mask or positions."""
        known = np.arange(self.partitions.n_rows) if self.rows is None else self.rows
        return replace(self, rows=known[rows], fetched=[])

    def bin(
        self,
        *,
        weight: NDArray[np.float64] | None = None,
        max_bins: int = 255,
        seed: int = 0,
        n_threads: int = 1,
        order: Literal["C", "F"] | None = None,
    ) -> Table:
        """The table with the bins it would have in memory; itself if it has them."""
        if self.bins is not None:
            return self
        bins = self._find_bins(weight, max_bins, seed, n_threads)
        table = replace(self, bins=bins, fetched=[])
        return table.gathered() if self.gathers else table

    def gathered(self) -> Table:
        """The table with all bins here, without the cells."""
        codes = np.empty(self.shape, dtype=self.known_bins.dtype)
        for rows, some in self._codes():
            codes[rows] = some
        return Table(self.schema, None, None, self.bins, codes)

    @property
    def known_bins(self) -> Bins:
        """The bins of a table that has them."""
        assert self.bins is not None
        return self.bins

    def _codes(self) -> Iterator[tuple[slice, Array]]:
        """Slices of the rows with their bins, some partitions at a time."""
        ends = [0, *np.cumsum(self.sizes).tolist()]
        most = max(_HERE // max(self.n_columns, 1), 1)
        first, n_parts = 0, len(self.partitions.parts)
        while first < n_parts:
            after = max(int(np.searchsorted(ends, ends[first] + most, "right")) - 1, first + 1)
            some = range(first, after)
            codes = self.partitions.codes(self.known_bins, self.rows, some)
            yield slice(ends[first], ends[after]), np.concatenate(codes)
            first = after

    @property
    def sizes(self) -> Array:
        """How many rows each partition has."""
        if self.rows is None:
            return np.diff(self.partitions.offsets)
        return np.diff(np.searchsorted(self.rows, self.partitions.offsets))

    def given(self) -> RemoteTable:
        """The rows as nobody has them here: scorers by name pass them on, and never look."""
        return self

    def blocks(self, max_cells: int = 0) -> Iterator[tuple[slice, Array]]:
        """All rows with their cells.

        Those of a binned table come some partitions at a time; others are fetched once and kept.
        """
        if self.bins is None:
            if not self.fetched:
                self.fetched.append(Table(self.schema, self.partitions.values(self.rows)))
            yield from self.fetched[0].blocks()
            return
        for rows, codes in self._codes():
            for at, cells in Table(self.schema, None, None, self.bins, codes).blocks():
                yield slice(rows.start + at.start, rows.start + at.stop), cells

    def _find_bins(
        self, weight: NDArray[np.float64] | None, max_bins: int, seed: int, n_threads: int
    ) -> Bins:
        """The bins of the rows, by those that an in-memory table would look at."""
        chosen = sampled_rows(self.n_rows, seed=seed)
        known = chosen if self.rows is None else self.rows[chosen]
        sample = self.partitions.values(known)
        labels = self.schema.categorical
        cut: dict[str, Any] = {
            "weight": None if weight is None else weight[chosen],
            "categorical": labels,
            "max_bins": max_bins,
            "seed": seed,
            "n_threads": n_threads,
        }
        bins = find_bins(sample, **cut)
        if self.n_rows <= SAMPLE_ROWS:
            return bins
        # Where the sample shows few values, all rows are asked whether there are more.
        cuts = zip(bins.offsets[:-1], bins.offsets[1:], strict=True)
        few = [(bins.lower[at:end] == bins.upper[at:end]).all() for at, end in cuts]
        doubtful = np.flatnonzero(np.array(few) | bins.categorical)
        if not len(doubtful):
            return bins
        values = self._all_values(doubtful, max_bins)
        crowded = np.zeros(self.n_columns, dtype=bool)
        crowded[doubtful] = [len(v) > max_bins for v in values]
        if labels is not None:
            crowded &= ~labels
        bins = find_bins(sample, **cut, crowded=crowded)
        parts = [bins[[j]] for j in range(self.n_columns)]
        for j, found in zip(doubtful, values, strict=True):
            if not crowded[j]:
                parts[j] = _one_each(found, categorical=bool(bins.categorical[j]))
        return Bins.concatenate(parts)

    def _all_values(self, columns: Array, max_bins: int) -> list[Array]:
        """The values of columns that seem to have few, by all rows."""
        own = self.partitions.split(self.rows)
        n = len(own)
        most = max(max_bins, *(len(labels) for labels in self.schema.labels.values()), 0)
        given = [self.partitions.reading] * n, own, [columns.tolist()] * n, [most] * n
        found = self.partitions.session.run(few_values, self.partitions.parts, *given)
        return [np.unique(np.concatenate(parts)) for parts in zip(*found, strict=True)]


def _one_each(values: Array, *, categorical: bool) -> Bins:
    """A column with a bin for every value, or for every code up to the largest."""
    if categorical:
        values = np.arange(values.max() + 1 if len(values) else 0)
    values = np.asarray(values, dtype=np.float64)
    return Bins(np.array([0, len(values)]), values, values, np.array([categorical]))
