"""The table: ``X`` typed, validated and binned once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.data.binned import BinnedRows, decode, decoded_blocks
from coterie.data.errors import DataError
from coterie.data.schema import Schema, learn_schema
from coterie.data.sources import Source, open_source
from coterie.data.sparse import Sparse, by_column, row_blocks
from coterie.native import (
    Bins,
    SparseCodes,
    SparseRows,
    check_table,
    encode,
    encode_sparse,
    find_bins,
    find_sparse_bins,
)

__all__ = ["Table"]

Array = NDArray[Any]

_BLOCK_BYTES = 64 << 20  # the largest dense block made of a sparse table
_WIDE = 64  # beyond as many columns, few of a row's codes are used at once
_FULL = 8  # one of so many cells filled makes all codes as small as those of the filled ones


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """``X`` typed, validated and binned once.

    Make one with `Table.read`, and read new rows with `admit`. ``table[rows, columns]`` is a table
    of some rows and columns, which shares bins and, for slices, memory.

    Attributes
    ----------
    schema : Schema
        Names of the columns, and labels of the categorical ones.
    values : ndarray of shape (n_rows, n_columns) or None
        The cells as float32 or float64, the very array that was given if it was so already; NaN is
        missing. Categories are codes. None when the table is sparse, or made of `BinnedRows`.
    sparse : scipy.sparse.csr_array, scipy.sparse.csc_array or None
        The cells of a sparse table.
    bins : Bins or None
        How the columns are cut, once the table is binned.
    codes : ndarray of shape (n_rows, n_columns), SparseCodes or None
        The bin of every cell, once the table is binned. Of a sparse table those of the filled
        cells, unless there are many.
    source : Source or None
        The rows as they were given, for members that read them themselves; None for some of the
        columns only.

    Examples
    --------
    >>> table = Table.read([[1.0, 2.0], [3.0, float("nan")]])
    >>> table.shape
    (2, 2)
    >>> table[1:, [0]].values
    array([[3.]])
    """

    schema: Schema
    values: Array | None
    sparse: Sparse | None = None
    bins: Bins | None = None
    codes: NDArray[np.unsignedinteger[Any]] | SparseCodes | None = None
    source: Source | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts; unpickling checks the codes, as the engine follows any code."""
        return _restore, tuple(getattr(self, part.name) for part in fields(self))

    @classmethod
    def read(cls, X: Any, *, categorical: Any = None, infinite: bool = False) -> Table:
        """Type and validate `X`; float32 and float64 arrays are not copied.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_rows, n_columns)
            Anything NumPy reads as a matrix, any eager frame narwhals knows, or SciPy sparse. Text
            and categorical columns become codes. NaN, None, null and masked cells are missing.
        categorical : None, "from_dtype", mask, indices or names
            Numeric columns to treat as categorical too.
        infinite : bool, default=False
            Whether infinity is the largest of numbers, and minus infinity the smallest; otherwise
            they are refused.

        Raises
        ------
        DataError
            When `X` cannot be used; the message names the column and the cure. It is a ValueError,
            and for columns of a wrong kind (dates, text mixed with numbers) also a TypeError.
        """
        source = open_source(X)
        if isinstance(source, BinnedRows):
            if categorical is not None and not isinstance(categorical, str):
                raise DataError(
                    "categorical_features cannot be set for binned rows. Set it when they are "
                    "binned."
                )
            return cls(source.schema, None, None, source.bins, source.codes, source)
        schema, values = learn_schema(source, categorical, infinite=infinite)
        return cls._of(schema, values, source)

    @classmethod
    def under(
        cls, schema: Schema, X: Any, *, owner: str = "Table", infinite: bool = False
    ) -> Table:
        """Read `X` as new rows of the columns that `schema` describes.

        Names, order and number of the columns must be those of the schema. Categories are matched
        by label, whatever their codes were in `X`; a label the schema does not know is missing.
        """
        source = open_source(X, owner=owner)
        if isinstance(source, BinnedRows):
            if source.schema is not schema:
                raise DataError(
                    f"These binned rows do not come from the stream that {owner} was fitted on. "
                    "Pass the original rows."
                )
            return cls(schema, None, None, source.bins, source.codes, source)
        return cls._of(schema, schema.read(source, owner=owner, infinite=infinite), source)

    @classmethod
    def _of(cls, schema: Schema, values: Array | Sparse, source: Source | None) -> Table:
        if isinstance(values, np.ndarray):
            return cls(schema, values, source=source)
        return cls(schema, None, values, source=source)

    def admit(self, X: Any) -> Table:
        """Read `X` as new rows of this table: same columns, same labels, same bins."""
        return replace(Table.under(self.schema, X), bins=self.bins)

    @property
    def _cells(self) -> Any:
        return self.codes if self._bare else self.sparse if self.values is None else self.values

    @property
    def _bare(self) -> bool:
        """Whether there are bins alone."""
        return self.values is None and self.sparse is None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self._cells.shape
        return rows, columns

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.shape[0]

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.schema.n_columns

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the columns, if they have any."""
        return self.schema.names

    @property
    def categories(self) -> tuple[Array | None, ...]:
        """For every column its labels, or None if it holds numbers."""
        return tuple(self.schema.labels.get(j) for j in range(self.n_columns))

    def binned_rows(self) -> BinnedRows:
        """The rows of a table that has been binned, as an ``X``; a sparse one is written out."""
        assert self.bins is not None
        assert self.codes is not None
        codes = self.codes if isinstance(self.codes, np.ndarray) else self.codes.toarray()
        return BinnedRows(self.schema, self.bins, codes)

    def bin(
        self,
        *,
        weight: NDArray[np.float64] | None = None,
        max_bins: int = 255,
        seed: int = 0,
        n_threads: int = 1,
        order: Literal["C", "F"] | None = None,
    ) -> Table:
        """The table with bins and codes; itself if it has them.

        A table that was admitted by a binned one is encoded in the bins of that one.

        Parameters
        ----------
        weight : ndarray of shape (n_rows,), optional
            Positive weights of the rows, for the quantiles.
        max_bins : int, default=255
            Most bins of a column of numbers.
        seed : int, default=0
            Chooses the rows that quantiles of a large table are estimated from.
        n_threads : int, default=1
            Threads of the engine.
        order : {"C", "F"}, optional
            Layout of the codes. By default rows are kept together unless there are many columns.
        """
        if self.codes is not None:
            return self
        order = order or ("C" if self.n_columns <= _WIDE else "F")
        settings: dict[str, Any] = {
            "weight": weight,
            "max_bins": max_bins,
            "seed": seed,
            "n_threads": n_threads,
        }
        if self.values is None:
            return self._bin_sparse(order, settings)
        bins = self.bins
        if bins is None:
            bins = find_bins(self.values, categorical=self.schema.categorical, **settings)
        codes = encode(self.values, bins, order=order, n_threads=n_threads)
        return replace(self, bins=bins, codes=codes)

    def _bin_sparse(self, order: Literal["C", "F"], settings: dict[str, Any]) -> Table:
        """Bin the filled cells; of a table with many of them, write out the others as well."""
        cells = by_column(self.sparse)
        bins = find_sparse_bins(cells, **settings) if self.bins is None else self.bins
        codes = encode_sparse(cells, bins)
        codes.checked(bins)  # before threads share it
        if len(codes.rows) * _FULL < self.n_rows * self.n_columns:
            return replace(self, bins=bins, codes=codes)
        return replace(self, bins=bins, codes=np.asarray(codes.toarray(), order=order))

    def __getitem__(self, key: tuple[Any, Any]) -> Table:
        rows, columns = key
        rows, columns = _indexer(rows, self.n_rows), self._columns(columns)
        positions = np.arange(self.n_columns)[columns]
        source = None
        if isinstance(columns, slice) and len(positions) == self.n_columns:
            schema, bins = self.schema, self.bins
            if self.source is not None:
                source = self.source.take(np.arange(self.n_rows)[rows])
        else:
            schema = self.schema.select(positions)
            bins = None if self.bins is None else self.bins[positions]
        codes = None if self.codes is None else _cut(self.codes, rows, columns)
        if self._bare:
            return Table(schema, None, None, bins, codes, source)
        cells = _cut(self._cells, rows, columns)
        return replace(Table._of(schema, cells, source), bins=bins, codes=codes)

    def take(self, rows: Any) -> Table:
        """Some rows: a slice, a mask or positions."""
        return self[rows, :]

    def _columns(self, columns: Any) -> slice | Array:
        """Columns by slice, mask, positions or names as an indexer."""
        if isinstance(columns, slice):
            return columns
        chosen = np.atleast_1d(np.asarray(columns))
        if chosen.dtype.kind != "U":
            return _indexer(chosen, self.n_columns)
        position = {name: j for j, name in enumerate(self.names or ())}
        unknown = [name for name in chosen.tolist() if name not in position]
        if unknown:
            raise DataError(f"The table has no column named {unknown[0]!r}.")
        return np.array([position[name] for name in chosen.tolist()])

    def given(self) -> Any:
        """The rows as the user gave them: a frame, an array or a sparse array.

        Without a source (some of the columns only) the typed cells instead.
        """
        if self.source is not None:
            return self.source.native()
        return decode(self.codes, self.bins) if self._bare else self._cells  # type: ignore[arg-type]  # bare tables are binned

    def blocks(self, max_cells: int = _BLOCK_BYTES // 8) -> Iterator[tuple[slice, Array]]:
        """Slices of rows with their dense cells, of at most `max_cells` where it takes a copy.

        A dense table is one block: itself.
        """
        if self.values is not None:
            yield slice(0, self.n_rows), self.values
        elif self._bare:
            yield from decoded_blocks(self.codes, self.bins)  # type: ignore[arg-type]  # as above
        else:
            yield from row_blocks(self.sparse, max_cells)

    def walks(self) -> Iterator[tuple[slice, Array | SparseRows]]:
        """As `blocks`, for trees, which walk the rows of a sparse table as they are."""
        if self.sparse is not None:
            yield slice(0, self.n_rows), SparseRows(self.sparse.tocsr())
        else:
            yield from self.blocks()


def _restore(*parts: Any) -> Table:
    """A table whose codes, if it has any, are of its bins."""
    table = Table(*parts)
    if table.codes is not None and table.bins is not None:
        check_table(table.codes, table.bins)
        if table.codes.shape != table.shape:
            raise ValueError(f"the codes have shape {table.codes.shape}, the table {table.shape}")
    return table


def _indexer(chosen: Any, size: int) -> slice | Array:
    """A slice as it is; a mask, positions or one position as an array of positions in range."""
    if isinstance(chosen, slice):
        return chosen
    positions = np.atleast_1d(np.asarray(chosen))
    if positions.dtype == bool:
        if positions.shape != (size,):
            raise DataError(f"A mask of shape {positions.shape} does not match the size {size}.")
        return np.flatnonzero(positions)
    if not positions.size:
        return np.array([], dtype=np.intp)
    if positions.dtype.kind not in "iu" or positions.min() < -size or positions.max() >= size:
        raise DataError(f"Positions {chosen!r} are out of bounds for the size {size}.")
    return positions


def _cut(cells: Any, rows: slice | Array, columns: slice | Array) -> Any:
    if isinstance(rows, slice) or isinstance(columns, slice):
        return cells[rows, columns]
    return cells[np.ix_(rows, columns)]
