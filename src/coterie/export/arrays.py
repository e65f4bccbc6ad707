"""Arrays as bytes of a file, and back."""

from __future__ import annotations

import math
import re
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.export.errors import ModelFileError
from coterie.native.forest import NODE

__all__ = ["as_bytes", "dtype_name", "from_bytes", "read_dtype", "read_scalar"]

_NODE = "node"
_TIME = r"\[(?:Y|M|W|D|h|m|s|ms|us|ns)\]"
_SAFE = re.compile(
    rf"[|<](?:b1|[iu]1|S[1-9]\d{{0,8}})|<(?:[iu][248]|f[248]|c8|c16|U[1-9]\d{{0,8}}|[mM]8{_TIME})"
)
_LAST_CHARACTER = 0x10FFFF


def dtype_name(dtype: np.dtype[Any]) -> str | None:
    """How a file calls a dtype, or None if it cannot hold arrays of it.

    Parameters
    ----------
    dtype : dtype
        Of any byte order; files are little-endian.

    Examples
    --------
    >>> dtype_name(np.dtype(">f8")), dtype_name(np.dtype(object))
    ('<f8', None)
    """
    if dtype == NODE:
        return _NODE
    name = dtype.newbyteorder("<").str
    return name if _SAFE.fullmatch(name) else None


def read_dtype(name: object) -> np.dtype[Any]:
    """The dtype that a file names, little-endian."""
    if name == _NODE:
        return NODE
    if not isinstance(name, str) or not _SAFE.fullmatch(name):
        raise ModelFileError(f"The file contains an array type {name!r} that is not allowed.")
    return np.dtype(name)


def as_bytes(array: NDArray[Any]) -> tuple[NDArray[np.uint8], str]:
    """The bytes of an array, and the order it is in: ``"C"`` or ``"F"``.

    Parameters
    ----------
    array : ndarray
        Of a dtype that has a name in files.
    """
    fortran = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    flat = array.ravel(order="F" if fortran else "C")
    little = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little).view(np.uint8), "F" if fortran else "C"


def from_bytes(
    block: NDArray[np.uint8], dtype: np.dtype[Any], shape: tuple[int, ...], order: str
) -> NDArray[Any]:
    """The array whose bytes these are.

    Parameters
    ----------
    block : ndarray of uint8
        All the bytes, aligned.
    dtype : dtype
        From `read_dtype`.
    shape : tuple of int
        As the file has it.
    order : {"C", "F"}
        The order of the elements.
    """
    if math.prod(shape) * dtype.itemsize != block.size:
        raise ModelFileError(
            f"An array of type {dtype.str} and shape {shape} does not have {block.size} bytes."
        )
    flat = block.view(dtype)
    if dtype.kind == "b" and flat.view(np.uint8).max(initial=0) > 1:
        raise ModelFileError("A Boolean array in the file contains other values.")
    if dtype.kind == "U" and block.view("<u4").max(initial=0) > _LAST_CHARACTER:
        raise ModelFileError("A text array in the file contains something that is not a character.")
    if sys.byteorder == "big":
        flat = flat.astype(dtype.newbyteorder("="))
    return flat.reshape(shape, order="F" if order == "F" else "C")


def read_scalar(name: object, digits: object) -> Any:
    """The NumPy scalar whose bytes are written as hexadecimal digits.

    Parameters
    ----------
    name : str
        Name of the dtype.
    digits : str
        Its bytes.

    Examples
    --------
    >>> float(read_scalar("<f4", "0000803f"))
    1.0
    """
    if not isinstance(digits, str):
        raise ModelFileError("A NumPy scalar in the file is empty.")
    block = np.frombuffer(bytes.fromhex(digits), dtype=np.uint8)
    return from_bytes(block, read_dtype(name), (), "C")[()]
