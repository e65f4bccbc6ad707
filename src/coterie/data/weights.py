"""Sample weights: checked, and the rows they leave."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.cells import Numbers, cells_of_array
from coterie.data.errors import DataError, KindError
from coterie.data.numbers import as_float, unmask

__all__ = ["read_weight"]

# Totals are also kept in float32, whose range ends at 1e38.
_LARGEST, _SMALLEST = 1e30, 1e-30


def read_weight(
    weight: Any, n_rows: int
) -> tuple[NDArray[np.float64] | None, NDArray[np.intp] | None]:
    """Check sample weights; return the positive ones, and which rows have them.

    A row of weight zero is a row that is not there. Weights so large that their sum would
    overflow, or so small that it would vanish, are all multiplied by one power of two, which
    changes no ratio between them.

    Parameters
    ----------
    weight : array-like of shape (n_rows,), number or None
        The weights as given.
    n_rows : int
        Number of rows they must be for.

    Returns
    -------
    weight : ndarray or None
        Weights of the rows that are kept; None (all ones) if none were given.
    kept : ndarray of int or None
        The rows kept, or None if all are.

    Examples
    --------
    >>> read_weight([0.5, 0, 2], 3)
    (array([0.5, 2. ]), array([0, 2]))
    >>> read_weight(None, 3)
    (None, None)
    """
    if weight is None:
        return None, None
    weights = _as_vector(weight, n_rows)
    _check_values(weights)
    kept = None
    if not weights.all():
        kept = np.flatnonzero(weights)
        weights = weights[kept]
    return _scale(weights), kept


def _as_vector(weight: Any, n_rows: int) -> NDArray[np.float64]:
    if isinstance(weight, Real):
        return np.full(n_rows, float(weight))
    array = unmask(weight) if isinstance(weight, np.ma.MaskedArray) else np.asarray(weight)
    if array.ndim == 0:
        raise KindError(
            "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar "
            f"`{array.astype(float, casting='unsafe')!r}` instead. Pass one weight per row of X."
        )
    if array.ndim != 1:
        raise DataError(
            f"Sample weights must be 1D array or scalar, got {array.ndim}D array. Expected either "
            f"a number or a 1D array of length {n_rows}."
        )
    if len(array) != n_rows:
        raise DataError(
            f"sample_weight.shape == {array.shape}, expected {(n_rows,)}! Pass one weight per "
            "row of X."
        )
    cells = cells_of_array(array, "sample_weight")
    if not isinstance(cells, Numbers):
        raise KindError("sample_weight contains text. Pass one number per row of X.")
    weights = as_float(cells.values, "sample_weight").astype(np.float64, copy=False)
    return np.ascontiguousarray(weights)


def _check_values(weights: NDArray[np.float64]) -> None:
    finite = np.isfinite(weights)
    if not finite.all():
        row = int(np.argmin(finite))
        raise DataError(
            f"Input sample_weight contains NaN or infinity: {weights[row]} in row {row}. Use "
            "zero to ignore a row."
        )
    if weights.min() < 0:
        row = int(np.argmin(weights))
        raise DataError(
            f"Negative values in data passed to `sample_weight`: {weights[row]} in row {row}. "
            "Use zero to ignore a row."
        )
    if not weights.any():
        raise DataError(
            "Sample weights must contain at least one non-zero number: all weights are zero, so "
            "there is nothing to learn from."
        )


def _scale(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring extreme weights near to one, exactly."""
    largest = float(weights.max())
    if _SMALLEST <= largest <= _LARGEST:
        return weights
    scaled = np.ldexp(weights, -math.frexp(largest)[1])
    if scaled.min() < np.finfo(np.float64).tiny:
        raise DataError(
            f"Weights from {weights.min()} to {largest} span too wide a range for float64. Use "
            "zero for rows with negligible weight."
        )
    return scaled
