"""SciPy sparse matrices, checked before compiled code follows their pointers.

SciPy trusts the index arrays it is given; a wrong one reads or writes outside of the matrix. So
every index is compared with the shape here, once, in NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.data.errors import DataError
from coterie.data.numbers import as_float

__all__ = ["Sparse", "by_column", "infinite_cell", "read_sparse", "row_blocks"]

Array = NDArray[Any]
Sparse: TypeAlias = Any  # a scipy.sparse csr_array or csc_array: SciPy ships no types

_CURE = "Rebuild it from coordinates, for example with scipy.sparse.coo_array."


def read_sparse(X: Any) -> Sparse:
    """A SciPy sparse matrix or array of any format as a checked CSR or CSC array of floats.

    Cells that are not stored are zeros. Duplicate entries are summed, as SciPy does.

    Examples
    --------
    >>> from scipy import sparse
    >>> read_sparse(sparse.coo_array([[0, 2], [1, 0]])).toarray().tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    if X.format in ("csr", "csc", "bsr"):
        checked = _from_compressed(X)
    else:
        checked = _from_coordinates(X.tocoo())
    if not checked.has_canonical_format:
        checked = checked.copy()
        checked.sum_duplicates()
    return checked


def _from_compressed(X: Any) -> Sparse:
    data, indices, indptr = np.asarray(X.data), np.asarray(X.indices), np.asarray(X.indptr)
    tall, wide = X.blocksize if X.format == "bsr" else (1, 1)
    n_rows, n_columns = X.shape[0] // tall, X.shape[1] // wide
    major, minor = (n_columns, n_rows) if X.format == "csc" else (n_rows, n_columns)
    stored = _check_pointers(indptr, major, min(len(indices), len(data)))
    _check_indices(indices[:stored], minor)
    data, indices = as_float(data[:stored], "sparse X"), indices[:stored]
    if X.format == "bsr":
        return sparse.bsr_array((data, indices, indptr), shape=X.shape).tocsr()
    build = sparse.csr_array if X.format == "csr" else sparse.csc_array
    return build((data, indices, indptr), shape=X.shape)


def _from_coordinates(X: Any) -> Sparse:
    row, column, data = np.asarray(X.row), np.asarray(X.col), np.asarray(X.data)
    if not len(row) == len(column) == len(data):
        raise DataError(
            f"Sparse X has {len(data)} values but {len(row)} row and {len(column)} column "
            f"indices. {_CURE}"
        )
    _check_indices(row, X.shape[0])
    _check_indices(column, X.shape[1])
    data = as_float(data, "sparse X")
    return sparse.coo_array((data, (row, column)), shape=X.shape).tocsr()


def _check_pointers(indptr: Array, major: int, available: int) -> int:
    """The number of stored cells, once the pointers are known to be in order."""
    if indptr.dtype.kind not in "iu" or indptr.shape != (major + 1,):
        raise DataError(
            f"Sparse X has pointers of shape {indptr.shape} and dtype {indptr.dtype}; expected "
            f"{major + 1} integers. {_CURE}"
        )
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        raise DataError(f"Sparse X has pointers that do not increase from 0. {_CURE}")
    if indptr[-1] > available:
        raise DataError(
            f"Sparse X has pointers up to {indptr[-1]}, but only {available} stored entries. "
            f"{_CURE}"
        )
    return int(indptr[-1])


def _check_indices(indices: Array, size: int) -> None:
    if indices.dtype.kind not in "iu" or indices.ndim != 1:
        raise DataError(
            f"Sparse X has indices of dtype {indices.dtype} in {indices.ndim} dimensions; "
            f"expected integers in one. {_CURE}"
        )
    if len(indices) and (indices.min() < 0 or indices.max() >= size):
        raise DataError(
            f"Sparse X has indices from {indices.min()} to {indices.max()}, outside the range 0 "
            f"to {size - 1}. {_CURE}"
        )


def infinite_cell(X: Sparse) -> tuple[int, int] | None:
    """Row and column of an infinite cell, or None."""
    infinite = np.isinf(X.data)
    if not infinite.any():
        return None
    at = int(infinite.argmax())
    across, along = int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at])
    return (across, along) if X.format == "csr" else (along, across)


def by_column(X: Sparse) -> Sparse:
    """The cells in column-major format, none of them twice; `X` itself is left as it is."""
    columns = X.tocsc()
    if columns.has_canonical_format:
        return columns
    columns = columns.copy()
    columns.sum_duplicates()
    return columns


def row_blocks(X: Sparse, max_cells: int) -> Iterator[tuple[slice, Array]]:
    """Dense blocks of whole rows, at least one row each, at most `max_cells` if possible."""
    by_row = X.tocsr()
    step = max(1, max_cells // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(start + step, X.shape[0]))
        yield rows, by_row[rows].toarray(order="C")
