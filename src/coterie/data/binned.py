"""Rows of which only the bins are kept: an eighth of the memory of the numbers themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.schema import Schema
from coterie.data.sources import Opened
from coterie.native import Bins, check_table

__all__ = ["BinnedRows"]

Array = NDArray[Any]

_BLOCK = 1 << 20  # cells that are decoded at a time


@dataclass(frozen=True, slots=True)
class BinnedRows(Opened):
    """Rows whose columns were binned while reading; estimators accept them as ``X``.

    Trees ask for nothing but bins, so a table too large to be held as numbers can still be fitted:
    see `RowStream`. Where numbers are asked for, each cell is the smallest value of its bin, which
    every split on these bins treats like the value that was there.

    Parameters
    ----------
    schema : Schema
        The columns.
    bins : Bins
        How they were cut.
    codes : uint8 or uint16 array of shape (n_rows, n_columns)
        The bin of every cell.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.data import Table
    >>> table = Table.read(np.array([[1.0], [2.0], [np.nan]])).bin()
    >>> rows = BinnedRows(table.schema, table.bins, table.codes)
    >>> rows.native().ravel()
    array([ 1.,  2., nan])
    """

    schema: Schema
    bins: Bins
    codes: NDArray[np.unsignedinteger[Any]]

    def __post_init__(self) -> None:
        columns = {self.schema.n_columns, len(self.bins.categorical), self.codes.shape[1]}
        if len(columns) > 1:
            raise DataError(f"Schema, bins and codes have different numbers of columns: {columns}.")
        check_table(self.codes, self.bins)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts; unpickling checks them again, as the engine follows any code."""
        return BinnedRows, (self.schema, self.bins, self.codes)

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the columns."""
        return self.schema.names

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.codes.shape
        return rows, columns

    def native(self) -> Any:
        """All cells as numbers."""
        return decode(self.codes, self.bins)

    def take(self, rows: Any) -> BinnedRows:
        """Some of the rows: a slice, a mask or positions; neighbours in order share memory."""
        if not isinstance(rows, slice):
            rows = np.arange(self.n_rows)[rows]
            if len(rows) and (np.diff(rows) == 1).all():
                rows = slice(rows[0], rows[-1] + 1)
        return BinnedRows(self.schema, self.bins, self.codes[rows])

    __getitem__ = take

    def __len__(self) -> int:
        return self.n_rows


def decode(codes: Array, bins: Bins) -> NDArray[np.float64]:
    """The smallest value of each cell's bin; NaN for what is missing.

    >>> import numpy as np
    >>> from coterie.native import encode, find_bins
    >>> X = np.array([[3.0, np.nan], [1.0, 7.0]])
    >>> bins = find_bins(X)
    >>> decode(encode(X, bins), bins)
    array([[ 3., nan],
           [ 1.,  7.]])
    """
    # A column has a value for each bin and one more, NaN, for missing cells.
    starts = bins.offsets[:-1] + np.arange(len(bins.categorical))
    values = np.full(len(bins.lower) + len(starts), np.nan)
    place = np.arange(len(bins.lower)) + np.repeat(np.arange(len(starts)), bins.counts)
    values[place] = bins.lower
    return np.asarray(values[codes + starts])


def decoded_blocks(codes: Array, bins: Bins) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Slices of rows with their numbers."""
    step = max(1, _BLOCK // max(1, codes.shape[1]))
    for begin in range(0, len(codes), step):
        rows = slice(begin, min(begin + step, len(codes)))
        yield rows, decode(codes[rows], bins)
