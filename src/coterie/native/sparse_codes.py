"""Sparse tables: filled cells alone, binned for growing trees, or as trees walk them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.native import _engine
from coterie.native.bins import SAMPLE_ROWS, Bins, Codes

__all__ = [
    "SparseCodes",
    "SparseRows",
    "check_table",
    "encode_sparse",
    "find_sparse_bins",
    "row_hashes",
]

Cells = tuple[int, NDArray[np.int64], NDArray[np.uint32], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """Codes of a table of which only those are held that are not the code of zero.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    starts : int64 array of shape (n_columns + 1,)
        Where the cells of each column begin, and the end.
    rows : uint32 array of shape (n_cells,)
        Row of each cell.
    codes : uint8 or uint16 array of shape (n_cells,)
        What each cell holds.
    usual : array of the same type, of shape (n_columns,)
        What all other cells of a column hold.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = sparse.csc_array([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]])
    >>> encode_sparse(X, find_sparse_bins(X)).toarray()
    array([[0, 1],
           [1, 0],
           [0, 0]], dtype=uint8)
    """

    n_rows: int
    starts: NDArray[np.int64]
    rows: NDArray[np.uint32]
    codes: NDArray[Any]
    usual: NDArray[Any]
    _checked: list[tuple[Bins, Any]] = field(default_factory=list, init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arrays; the engine checks them before it follows any."""
        return SparseCodes, (self.n_rows, self.starts, self.rows, self.codes, self.usual)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the table."""
        return self.n_rows, len(self.usual)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of a code."""
        return self.codes.dtype

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, key: tuple[Any, Any]) -> SparseCodes:
        """Some rows and columns, each a slice or positions."""
        rows, columns = (one if isinstance(one, slice) else np.ravel(one) for one in key)
        cells = self._filled[:, columns]
        if not (isinstance(rows, slice) and rows == slice(None)):
            cells = cells[rows].tocsc()
        return _of_cells(cells, self.codes.dtype, self.usual[columns])

    @property
    def _filled(self) -> Any:
        """The cells with their codes; SciPy may drop what looks like zero, so one is added."""
        codes = self.codes.astype(np.int32) + 1
        return sparse.csc_array((codes, self.rows.astype(np.int32), self.starts), shape=self.shape)

    def toarray(self) -> NDArray[Any]:
        """The codes of all cells."""
        codes = np.repeat(self.usual[None, :], self.n_rows, axis=0)
        codes[self.rows, np.repeat(np.arange(len(self.usual)), np.diff(self.starts))] = self.codes
        return codes

    def like_before(self, order: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether each row but the first, in some order, is the same as the one before."""
        rows = self._filled.tocsr()[order]
        return np.asarray((rows[1:] != rows[:-1]).tocsr().count_nonzero(axis=1) == 0)

    def checked(self, bins: Bins) -> Any:
        """The table as the engine takes it, range-checked once for these bins.

        Raises
        ------
        ValueError
            When a code lies outside the bins.
        """
        for known, made in self._checked:
            if known is bins:
                return made
        kind = _engine.SparseCodes8 if self.codes.dtype == np.uint8 else _engine.SparseCodes16
        cells = self.n_rows, self.starts, self.rows, self.codes, self.usual
        made = kind(*cells, *bins.arrays())
        self._checked[:] = [(bins, made)]
        return made


@dataclass(frozen=True)
class SparseRows:
    """Rows of a sparse table of numbers, which trees walk as they are.

    Parameters
    ----------
    rows : scipy.sparse.csr_array of float32 or float64
        The rows; cells of one place add up.
    """

    rows: Any

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    @cached_property
    def checked(self) -> Any:
        """The rows as the engine takes them, range-checked once."""
        X = self.rows
        kind = _engine.SparseRows32 if X.dtype == np.float32 else _engine.SparseRows64
        return kind(X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data, X.shape[1])


def _cells(X: Any) -> Cells:
    """The arrays of a matrix in column-major format as the engine takes them."""
    starts, rows = X.indptr.astype(np.int64), X.indices.astype(np.uint32)
    return X.shape[0], starts, rows, np.ascontiguousarray(X.data)


def find_sparse_bins(
    X: Any,
    *,
    weight: NDArray[np.float64] | None = None,
    max_bins: int = 255,
    seed: int = 0,
    n_threads: int = 1,
) -> Bins:
    """Cut the columns of a sparse table as `find_bins` cuts those of a full one.

    Parameters
    ----------
    X : scipy.sparse.csc_array of float32 or float64
        No cell may be there twice.
    weight, max_bins, seed, n_threads : optional
        As of `find_bins`.

    Examples
    --------
    >>> from scipy import sparse
    >>> find_sparse_bins(sparse.csc_array([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]])).counts.tolist()
    [2, 2]
    """
    weight = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
    find: Callable[..., Any] = _engine.find_sparse_bins
    settings = weight, max_bins, SAMPLE_ROWS, seed, n_threads
    offsets, lower, upper = find(*_cells(X), *settings)
    return Bins(offsets, lower, upper, np.zeros(X.shape[1], dtype=bool))


def encode_sparse(X: Any, bins: Bins) -> SparseCodes:
    """Return the codes of the cells that are not in the bin of zero.

    Parameters
    ----------
    X : scipy.sparse.csc_array of float32 or float64
        No cell may be there twice.
    bins : Bins
        How the columns were cut.
    """
    n_rows, starts, rows, values = _cells(X)
    codes: NDArray[Any] = np.empty(len(values), bins.dtype)
    usual: NDArray[Any] = np.empty(X.shape[1], bins.dtype)
    _engine.encode_sparse(n_rows, starts, rows, values, *bins.arrays(), codes, usual)
    other = codes != np.repeat(usual, np.diff(starts))
    if not other.all():
        starts = np.append(0, np.cumsum(other))[starts]
        rows, codes = rows[other], codes[other]
    return SparseCodes(n_rows, starts, rows, codes, usual)


def _of_cells(cells: Any, dtype: np.dtype[Any], usual: NDArray[Any]) -> SparseCodes:
    """The codes that `SparseCodes._filled` made cells of."""
    n_rows, starts, rows, codes = _cells(cells)
    return SparseCodes(n_rows, starts, rows, (codes - 1).astype(dtype), usual)


def check_table(codes: Codes | SparseCodes, bins: Bins) -> None:
    """Raise ValueError unless the codes fit the bins; for codes that came from outside."""
    if not isinstance(codes, np.ndarray):
        codes.checked(bins)
        return
    _engine.check_table(codes, *bins.arrays())


def row_hashes(
    codes: Codes | SparseCodes, bins: Bins, target_bits: NDArray[np.uint64], *, n_threads: int = 1
) -> NDArray[np.uint64]:
    """Return a hash of each row's codes and target.

    Parameters
    ----------
    codes : array of shape (n, d), or SparseCodes
        Bin numbers.
    bins : Bins
        How the columns were cut.
    target_bits : uint64 array of shape (n,)
        Anything that tells targets apart.
    n_threads : int, default=1
        Threads to use.
    """
    hashes = np.array(target_bits, dtype=np.uint64)
    table = codes if isinstance(codes, np.ndarray) else codes.checked(bins)
    _engine.row_hashes(table, hashes, n_threads)
    return hashes
