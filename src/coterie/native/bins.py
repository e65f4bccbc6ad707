"""Binning: how columns are cut, and the codes that result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.native import _engine
from coterie.tags import tagged

MAX_BINS = 65_535
# Quantiles of more rows than this are taken from an evenly spread sample.
SAMPLE_ROWS = 200_000

Codes = NDArray[Any]  # uint8 or uint16, see Bins.dtype
BinArrays = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.uint8]]


@tagged
@dataclass(frozen=True)
class Bins:
    """How each column is cut.

    Parameters
    ----------
    offsets : int64 array of shape (n_columns + 1,)
        The value-bins of column ``j`` are the slots ``offsets[j]:offsets[j + 1]``.
    lower, upper : float64 arrays
        Smallest and largest training value of each bin. Both are kept so that a split
        can be placed halfway between the values present in its node.
    categorical : bool array of shape (n_columns,)
        In a categorical column, bin ``c`` is category code ``c``.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.native import find_bins
    >>> find_bins(np.array([[1.0], [2.0], [2.0], [np.nan]])).counts.tolist()
    [2]
    """

    offsets: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    categorical: NDArray[np.bool_]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of value-bins of each column; also the code of its missing values."""
        return np.diff(self.offsets)

    @property
    def dtype(self) -> type[np.uint8] | type[np.uint16]:
        """The narrowest code type that holds every bin and the missing code."""
        return np.uint8 if self.counts.max(initial=0) <= np.iinfo(np.uint8).max else np.uint16

    def __getitem__(self, columns: Any) -> Bins:
        """Return the bins of some columns."""
        chosen = np.arange(len(self.categorical))[columns]
        slots = [slice(self.offsets[j], self.offsets[j + 1]) for j in chosen]
        return Bins(
            np.concatenate([[0], np.cumsum(self.counts[chosen])]).astype(np.int64),
            np.concatenate([self.lower[s] for s in slots] or [self.lower[:0]]),
            np.concatenate([self.upper[s] for s in slots] or [self.upper[:0]]),
            self.categorical[chosen],
        )

    @staticmethod
    def concatenate(parts: Sequence[Bins]) -> Bins:
        """Put the columns of several bins side by side."""
        counts = np.concatenate([part.counts for part in parts])
        return Bins(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.concatenate([part.lower for part in parts]),
            np.concatenate([part.upper for part in parts]),
            np.concatenate([part.categorical for part in parts]),
        )

    def arrays(self) -> BinArrays:
        """Return the arrays as the engine takes them."""
        return self.offsets, self.lower, self.upper, self.categorical.view(np.uint8)


def addressable(X: NDArray[Any]) -> NDArray[Any]:
    """Return X itself unless its memory layout is one the engine cannot step through."""
    # A plain loop: a generator would take longer than all else of a single row in Python.
    steps_fit, size = True, X.itemsize
    for stride in X.strides:
        steps_fit = steps_fit and stride % size == 0
    return (
        X
        if X.flags.aligned and steps_fit and X.dtype.isnative
        else np.array(X, X.dtype.newbyteorder("="))
    )


def find_bins(
    X: NDArray[Any],
    *,
    weight: NDArray[np.float64] | None = None,
    categorical: NDArray[np.bool_] | None = None,
    max_bins: int = 255,
    seed: int = 0,
    crowded: NDArray[np.bool_] | None = None,
    n_threads: int = 1,
) -> Bins:
    """Cut every column into at most ``max_bins`` bins.

    A column with that few distinct values gets one bin per value, so nothing is lost;
    otherwise the bins hold about equal weight.

    Parameters
    ----------
    X : float32 or float64 array of shape (n, d)
        NaN is missing; categorical columns hold codes 0, 1, …
    weight : float64 array of shape (n,), optional
        Weights of the rows in the quantiles.
    categorical : bool array of shape (d,), optional
        Which columns hold category codes.
    max_bins : int, default=255
        2 to 65,535.
    seed : int, default=0
        Chooses the sample of rows when there are more than 200,000.
    crowded : bool array of shape (d,), optional
        Columns that are known to have more than `max_bins` values, where X is a sample.
    n_threads : int, default=1
        Threads to use; the result does not depend on it.
    """
    if categorical is None:
        categorical = np.zeros(X.shape[1], dtype=bool)
    offsets, lower, upper = _engine.find_bins(
        addressable(X),
        None if weight is None else np.ascontiguousarray(weight, dtype=np.float64),
        np.ascontiguousarray(categorical, dtype=bool).view(np.uint8),
        max_bins,
        SAMPLE_ROWS,
        seed,
        n_threads,
        None if crowded is None else np.ascontiguousarray(crowded, dtype=bool).view(np.uint8),
    )
    return Bins(offsets, lower, upper, np.ascontiguousarray(categorical, dtype=bool))


def sampled_rows(n_rows: int, *, seed: int = 0) -> NDArray[np.int64]:
    """Return the rows of a table by which `find_bins` cuts its columns, ascending."""
    return _engine.spread_rows(n_rows, SAMPLE_ROWS, seed)


def encode(
    X: NDArray[Any],
    bins: Bins,
    *,
    out: Codes | None = None,
    order: Literal["C", "F"] = "C",
    n_threads: int = 1,
) -> Codes:
    """Return the bin number of every value; a missing value gets ``bins.counts[j]``.

    Parameters
    ----------
    X : float32 or float64 array of shape (n, d)
        Values in the columns the bins were found on.
    bins : Bins
        How to cut.
    out : array of shape (n, d) and type ``bins.dtype``, optional
        Where to write.
    order : {"C", "F"}, default="C"
        Layout of a new result.
    n_threads : int, default=1
        Threads to use.
    """
    codes: Codes = np.empty(X.shape, dtype=bins.dtype, order=order) if out is None else out
    _engine.encode(addressable(X), *bins.arrays(), codes, n_threads)
    return codes
