"""Numbers as the engine takes them: float32 or float64, finite or missing."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError, KindError, at_start

__all__ = [
    "as_float",
    "bounded",
    "check_finite",
    "first_infinite",
    "fits_float",
    "infinite_error",
    "is_long",
    "unmask",
    "warn_if_rounded",
]

Array = NDArray[Any]

_BLOCK_CELLS = 1 << 17  # cells looked at together: a megabyte, so that a block stays in cache
_FAR = float(np.finfo(np.float32).max) / 2
_EXACT = 2**53  # integers up to here have a float64 of their own


def as_float(values: Array, where: str = "X") -> Array:
    """`values` as native, aligned float32 or float64; the array itself if it is so already.

    Whatever float32 holds exactly (booleans, short integers, float16) becomes float32, all else
    float64. Masked cells become NaN.

    Parameters
    ----------
    values : ndarray
        Of a boolean, integer or floating dtype.
    where : str
        The place named in an error.

    Examples
    --------
    >>> import numpy as np
    >>> as_float(np.array([1, 2], dtype=np.int16)).dtype
    dtype('float32')
    >>> x = np.array([1.0, np.nan])
    >>> as_float(x) is x
    True
    """
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "c":
        raise KindError(
            f"Complex data not supported: {where} contains complex numbers. Pass the real and "
            "the imaginary part as two columns."
        )
    if kind not in "biuf":
        raise KindError(
            f"{at_start(where)} contains {values.dtype}, not numbers. Convert it to numbers first."
        )
    if isinstance(values, np.ma.MaskedArray):
        return unmask(values)
    small = size <= 2 or (kind == "f" and size == 4)
    with np.errstate(over="ignore"):  # a wide float too large for float64 is reported as infinity
        floats = values.astype(np.float32 if small else np.float64, copy=False)
    # The engine steps by whole elements: a field of a packed record has to be copied.
    if floats.flags.aligned and not any(step % floats.itemsize for step in floats.strides):
        return floats
    return floats.copy()


def unmask(values: np.ma.MaskedArray[Any, Any]) -> Array:
    """A masked array as a plain one, with the masked cells missing (NaN, or None for objects)."""
    mask = np.ma.getmask(values)
    plain = np.asarray(values.data)
    if mask is np.ma.nomask or not mask.any():
        return plain
    if plain.dtype.kind in "biuf":
        plain = as_float(plain)
        plain = np.where(mask, plain.dtype.type(np.nan), plain)
    else:
        plain = np.where(mask, np.array(None, dtype=object), plain.astype(object))
    return plain


def _blocks(values: Array) -> Iterator[tuple[slice, slice]]:
    """Tiles of a matrix, each close together in memory."""
    n, d = values.shape
    by_row = abs(values.strides[0]) >= abs(values.strides[1])
    inner = max(1, min(d if by_row else n, _BLOCK_CELLS))
    outer = max(1, _BLOCK_CELLS // inner)
    rows, columns = (outer, inner) if by_row else (inner, outer)
    for top in range(0, n, rows):
        for left in range(0, d, columns):
            yield slice(top, top + rows), slice(left, left + columns)


def first_infinite(values: Array) -> tuple[int, int] | None:
    """Row and column of an infinite cell of a float matrix, or None.

    A block is summed first, which is as fast as memory allows; only a block whose sum is not
    finite (it may hold a NaN, or large numbers) is looked at cell by cell.

    Examples
    --------
    >>> import numpy as np
    >>> first_infinite(np.array([[0.0, np.nan], [np.inf, 1.0]]))
    (1, 0)
    """
    if values.size <= _BLOCK_CELLS // 64:  # for a few rows, the sum would cost more than it saves
        return _find_infinite(values, 0, 0)
    with np.errstate(over="ignore", invalid="ignore"):
        for rows, columns in _blocks(values):
            block = values[rows, columns]
            if not np.isfinite(block.sum()):
                found = _find_infinite(block, rows.start, columns.start)
                if found is not None:
                    return found
    return None


def _find_infinite(block: Array, top: int, left: int) -> tuple[int, int] | None:
    infinite = np.isinf(block)
    if not infinite.any():
        return None
    row, column = np.unravel_index(int(infinite.argmax()), block.shape)
    return top + int(row), left + int(column)


def bounded(values: Array) -> Array:
    """Floats with infinity replaced by a number larger than all others, and minus infinity alike.

    The number is small enough that its middle with another one is a finite float32, if it can be.

    Examples
    --------
    >>> import numpy as np
    >>> bounded(np.array([-np.inf, 1.0, np.nan])) < 0
    array([ True, False, False])
    """
    infinite = np.isinf(values)
    if not infinite.any():
        return values
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    most = _FAR if largest < _FAR / 2 else np.finfo(values.dtype).max / 4
    return np.where(infinite, np.copysign(most, values), values).astype(values.dtype)


def is_long(dtype: np.dtype[Any]) -> bool:
    """Whether integers of this dtype may be too long for float64."""
    return dtype.kind in "iu" and dtype.itemsize >= 8


def fits_float(values: Array) -> bool:
    """Whether no number is a long integer that float64 may have to round.

    False if that cannot be seen, because a value is missing.
    """
    return not values.size or bool(values.max() <= _EXACT and values.min() >= -_EXACT)


def warn_if_rounded(values: Array, where: str) -> None:
    """Warn when integers are too long for float64, so that neighbours may become one value."""
    if not is_long(values.dtype) or fits_float(values):
        return
    # Compared as Python integers, since the largest floats have no place in int64.
    if any(int(float(v)) != v for v in values.tolist()):
        warnings.warn(
            f"{at_start(where)} contains integers beyond 2**53, which are rounded to the nearest "
            "float64. If they are identifiers, declare the column categorical; otherwise subtract "
            "an offset.",
            UserWarning,
            stacklevel=2,
        )


def check_finite(values: Array, where: Any) -> None:
    """Refuse infinities in a float matrix; `where` turns a column's number into its name."""
    found = first_infinite(values)
    if found is not None:
        raise infinite_error(where(found[1]), found[0], values.dtype)


def infinite_error(where: str, row: int, dtype: np.dtype[Any]) -> DataError:
    """What is said of an infinite cell."""
    return DataError(
        f"Input X contains infinity or a value too large for {dtype!r} in {where}, row {row}. "
        "Replace it with a finite number, or with NaN if the value is unknown (NaN is treated as "
        "missing)."
    )
