"""Where a table comes from: an array, a frame or a sparse matrix, opened but not yet read.

Opening looks at the container only (its shape and the names of its columns), so that rows can be
dropped before any cell is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.data.cells import Cells, cells_of_array, cells_of_objects, cells_with_dates
from coterie.data.column_types import column_types
from coterie.data.errors import DataError, KindError, column_label, refuse_twins
from coterie.data.numbers import as_float, fits_float, is_long, unmask
from coterie.data.sparse import Sparse, read_sparse

__all__ = [
    "ArraySource",
    "FrameSource",
    "ListSource",
    "Opaque",
    "Opened",
    "Source",
    "SparseSource",
    "TextSource",
    "open_opaque",
    "open_source",
    "open_texts",
]

Array = NDArray[Any]

# Kinds of columns that a frame may hand over as one matrix of numbers.
_SHORT = nw.Float32 | nw.Int16 | nw.Int8 | nw.UInt16 | nw.UInt8
_PLAIN = _SHORT | nw.Float64 | nw.Int64 | nw.Int32 | nw.UInt64 | nw.UInt32


class Opened:
    """What `open_source` has opened, and leaves as it is."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        raise NotImplementedError

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.shape[0]


@dataclass(frozen=True, slots=True)
class ArraySource(Opened):
    """A two-dimensional array of any dtype."""

    values: Array

    names = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.values.shape
        return rows, columns

    def native(self) -> Any:
        """The container itself."""
        return self.values

    def take(self, rows: Array) -> ArraySource:
        """Some of the rows."""
        return ArraySource(self.values[rows])

    def matrix(self) -> Array | None:
        """All cells as floats, or None if the columns have to be read one by one."""
        dtype = self.values.dtype
        if dtype.kind in "OUT" or (is_long(dtype) and not fits_float(self.values)):
            return None
        return as_float(self.values)

    def cells(self) -> Iterator[Cells]:
        """The columns."""
        for j in range(self.values.shape[1]):
            yield cells_of_array(self.values[:, j], column_label(j, None))


@dataclass(frozen=True, slots=True)
class TextSource(ArraySource):
    """A column of texts, which was given as a sequence of them and is given on as one."""

    def native(self) -> Any:
        """The texts, shape (n_rows,)."""
        return self.values[:, 0]

    def take(self, rows: Array) -> TextSource:
        """Some of the rows."""
        return TextSource(self.values[rows])


@dataclass(frozen=True, slots=True)
class FrameSource(Opened):
    """A frame of any library narwhals knows."""

    frame: nw.DataFrame[Any]
    names: tuple[str, ...] | None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.frame.shape

    def native(self) -> Any:
        """The container itself."""
        return self.frame.to_native()

    def take(self, rows: Array) -> FrameSource:
        """Some of the rows."""
        return FrameSource(self.frame[rows], self.names)

    def matrix(self) -> Array | None:
        """All cells as floats, or None if the columns have to be read one by one."""
        kinds = list(column_types(self.frame).values())
        if not all(isinstance(kind, _PLAIN) for kind in kinds):
            return None
        values = self.frame.to_numpy()
        long = [j for j, kind in enumerate(kinds) if isinstance(kind, nw.Int64 | nw.UInt64)]
        if values.dtype.kind not in "iuf" or not all(fits_float(values[:, j]) for j in long):
            return None
        # The common type of short integers may be a longer one.
        short = all(isinstance(kind, _SHORT) for kind in kinds)
        return as_float(values.astype(np.float32, copy=False) if short else values)

    def cells(self) -> Iterator[Cells]:
        """The columns."""
        for j, series in enumerate(self.frame.iter_columns()):
            yield cells_with_dates(series, column_label(j, self.names))


@dataclass(frozen=True, slots=True)
class ListSource(Opened):
    """Columns of Python values, as requests send them: of few rows, a frame would cost more.

    Examples
    --------
    >>> ListSource(([1.0, None], ["a", "b"]), ("x", "y")).shape
    (2, 2)
    """

    columns: tuple[Sequence[Any], ...]
    names: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.columns[0]), len(self.columns)

    def native(self) -> Any:
        """A frame, for members that read the rows themselves."""
        lists = {name: list(values) for name, values in zip(self.names, self.columns, strict=True)}
        return nw.from_dict(lists, backend="pyarrow").to_native()

    def take(self, rows: Array) -> ListSource:
        """Some of the rows."""
        chosen = np.arange(self.n_rows)[rows].tolist()
        return ListSource(tuple([c[row] for row in chosen] for c in self.columns), self.names)

    def matrix(self) -> None:
        """Nothing: the columns have to be read one by one."""

    def cells(self) -> Iterator[Cells]:
        """The columns."""
        for j, values in enumerate(self.columns):
            yield cells_of_objects(values, column_label(j, self.names))


class Opaque(Opened):
    """Rows that only members read: cells are not looked at."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class OpaqueRows(Opaque):
    """An array of any shape, a list of anything, or another container of rows."""

    values: Any
    names: tuple[str, ...] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; a list has one."""
        shape: tuple[int, ...] = getattr(self.values, "shape", ())
        return len(self.values), shape[1] if len(shape) > 1 else 1

    def native(self) -> Any:
        """The container itself."""
        return self.values

    def take(self, rows: Array) -> OpaqueRows:
        """Some of the rows."""
        if hasattr(self.values, "iloc"):
            return OpaqueRows(self.values.iloc[rows], self.names)
        if isinstance(self.values, list | tuple):
            return OpaqueRows([self.values[row] for row in rows], self.names)
        return OpaqueRows(self.values[rows], self.names)


@dataclass(frozen=True, slots=True)
class OpaqueFrame(FrameSource, Opaque):
    """A frame whose cells are not looked at."""

    def take(self, rows: Array) -> OpaqueFrame:
        """Some of the rows."""
        return OpaqueFrame(self.frame[rows], self.names)


@dataclass(frozen=True, slots=True)
class SparseSource(Opened):
    """A checked sparse array; all of its columns are numbers."""

    values: Sparse
    is_matrix: bool = False  # whether SciPy's older kind of container was given

    names = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.values.shape
        return rows, columns

    def native(self) -> Any:
        """The cells in a container of the kind that was given, an array or a matrix."""
        if not self.is_matrix:
            return self.values
        kind = sparse.csr_matrix if self.values.format == "csr" else sparse.csc_matrix
        return kind(self.values)

    def take(self, rows: Array) -> SparseSource:
        """Some of the rows."""
        return SparseSource(self.values[rows], self.is_matrix)


Source: TypeAlias = ArraySource | FrameSource | ListSource | SparseSource


def open_source(X: Any, *, owner: str = "Table") -> Source:
    """The container of `X`: an array, a frame or a sparse matrix with rows and columns.

    Parameters
    ----------
    X : array-like, frame or sparse matrix
        What the user passed.
    owner : str
        Who asks; named in messages.

    Examples
    --------
    >>> open_source([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    source = _open(X)
    for size, what in zip(source.shape, ("sample", "feature"), strict=True):
        if size < 1:
            raise DataError(
                f"Found array with 0 {what}(s) (shape={source.shape}) while a minimum of 1 is "
                f"required by {owner}."
            )
    return source


def open_texts(X: Any) -> Any:
    """A sequence of texts opened, for those who take one; anything else as it is.

    Parameters
    ----------
    X : list, array or series of str, or anything else
        What the user passed.

    Examples
    --------
    >>> open_texts(["some words", "others"]).shape
    (2, 1)
    >>> open_texts([1, 2])
    [1, 2]
    """
    flat = isinstance(X, list | tuple) or len(getattr(X, "shape", ())) == 1
    if not flat or not len(X) or not all(isinstance(text, str) for text in X):
        return X
    texts = np.empty((len(X), 1), dtype=object)
    texts[:, 0] = X
    return TextSource(texts)


def open_opaque(X: Any) -> OpaqueRows | OpaqueFrame | None:
    """The rows of `X` for members to read by themselves; None if it has none to be taken.

    Parameters
    ----------
    X : object
        What the user passed, of which `open_source` could make no table.

    Examples
    --------
    >>> open_opaque([{"a": 1}, {"a": 2}]).take(np.array([1])).native()
    [{'a': 2}]
    """
    if isinstance(X, Opened):
        X = X.native()  # type: ignore[attr-defined]  # every one of them is a Source
    try:
        if nw.dependencies.is_into_dataframe(X):
            frame = _open_frame(X)
            return OpaqueFrame(frame.frame, frame.names)
    except DataError:  # names that scikit-learn would not take either
        return None
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "biuf":
        return None  # a single row, most likely, which must be said
    able = isinstance(X, list | tuple | np.ndarray) or nw.dependencies.is_into_series(X)
    return OpaqueRows(X) if able and np.shape(getattr(X, "shape", (1,))) != (0,) else None


def _open(X: Any) -> Source:
    if isinstance(X, np.ndarray):
        return ArraySource(_as_matrix(X))
    if isinstance(X, Opened):
        return X  # type: ignore[return-value]  # every one of them is a Source
    if sparse.issparse(X):
        if X.ndim != 2:
            raise _shape_error(X.shape)
        return SparseSource(read_sparse(X), isinstance(X, sparse.spmatrix))
    if nw.dependencies.is_into_dataframe(X):
        return _open_frame(X)
    if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        raise KindError(f"X is a lazy frame ({type(X).__name__}). Collect it first.")
    return ArraySource(_as_matrix(_from_sequence(X)))


def _open_frame(X: Any) -> FrameSource:
    labels = list(X.column_names if hasattr(X, "column_names") else X.columns)
    refuse_twins(labels, "X")
    kinds = sorted({type(label).__qualname__ for label in labels if not isinstance(label, str)})
    if not kinds:
        return FrameSource(nw.from_native(X, eager_only=True), tuple(map(str, labels)))
    if any(isinstance(label, str) for label in labels):
        raise KindError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {sorted([*kinds, 'str'])} as feature name / column name types. Convert "
            "them all to strings, for example with X.columns = X.columns.astype(str)."
        )
    return FrameSource(nw.from_native(X, eager_only=True), None)


def _from_sequence(X: Any) -> Array:
    try:
        values = np.asarray(X)
        # NumPy writes the numbers of a mixed list as text: read such a list again, as it is.
        return values if values.dtype.kind not in "US" else np.asarray(X, dtype=object)
    except ValueError as error:
        raise DataError(
            f"X cannot be converted to a matrix ({error}). Give every row the same number of "
            "values."
        ) from error


def _as_matrix(X: Array) -> Array:
    if X.ndim != 2:
        raise _shape_error(X.shape)
    if type(X) is np.ndarray:
        return X
    return unmask(X) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)


def _shape_error(shape: tuple[int, ...]) -> DataError:
    if len(shape) > 2:
        return DataError(
            f"Found array with dim {len(shape)} (shape={shape}), while dim <= 2 is required: one "
            "row per sample, one column per feature."
        )
    what = "1D array" if len(shape) == 1 else "scalar array"
    return DataError(
        f"Expected 2D array, got {what} instead (shape={shape}). Reshape your data either using "
        "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
        "contains a single sample."
    )
