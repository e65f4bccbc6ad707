"""Tensors of the Open Inference Protocol (version 2), in JSON and as binary data."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.files.models import Fitted
from coterie.serve.problems import Problem

__all__ = ["input_columns", "input_tensors", "output_tensor", "pack", "split_binary"]

DTYPES: dict[str, str] = {
    **{"BOOL": "?", "FP16": "<f2", "FP32": "<f4", "FP64": "<f8"},
    **{f"INT{8 * size}": f"<i{size}" for size in (1, 2, 4, 8)},
    **{f"UINT{8 * size}": f"<u{size}" for size in (1, 2, 4, 8)},
}
_LENGTH = struct.Struct("<I")


def split_binary(body: bytes, header_length: str | None) -> tuple[dict[str, Any], bytes]:
    """The JSON of an inference request, and the binary data behind it.

    Parameters
    ----------
    body : bytes
        The body.
    header_length : str or None
        What the header ``Inference-Header-Content-Length`` says.
    """
    if header_length is None:
        length = len(body)
    elif header_length.isdecimal() and int(header_length) <= len(body):
        length = int(header_length)
    else:
        raise Problem("Inference-Header-Content-Length does not match the body.", status=400)
    try:
        said = json.loads(body[:length])
    except (ValueError, RecursionError) as error:
        raise Problem(f"The body is not valid JSON: {error}", status=400) from None
    if not isinstance(said, dict) or not isinstance(said.get("inputs"), list) or not said["inputs"]:
        raise Problem('The request has no list of tensors "inputs".', status=400)
    return said, body[length:]


def input_tensors(request: dict[str, Any], binary: bytes) -> dict[str, NDArray[Any]]:
    """The tensors of a request by name.

    Parameters
    ----------
    request : dict
        The JSON.
    binary : bytes
        Binary data of tensors, one after the other.
    """
    found: dict[str, NDArray[Any]] = {}
    for tensor in request["inputs"]:
        name = tensor.get("name") if isinstance(tensor, dict) else None
        if not isinstance(name, str) or name in found:
            raise Problem("Every tensor needs a unique name.", status=400)
        size = _parameters(tensor, name).get("binary_data_size")
        if size is None:
            found[name] = _from_json(tensor, name)
            continue
        if type(size) is not int or not 0 <= size <= len(binary):
            raise Problem("binary_data_size does not match the body.", status=400, field=name)
        found[name] = _from_bytes(tensor, name, binary[:size])
        binary = binary[size:]
    if binary:
        raise Problem("The body has more binary data than its tensors.", status=400)
    return found


def _parameters(tensor: dict[str, Any], name: str) -> dict[str, Any]:
    found = tensor.get("parameters", {})
    if not isinstance(found, dict):
        raise Problem("parameters must be an object.", status=400, field=name)
    return found


def _shape(tensor: dict[str, Any], name: str) -> tuple[int, ...]:
    shape = tensor.get("shape")
    sound = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    if not sound or not shape or len(shape) > 2:
        raise Problem("shape must be [rows] or [rows, columns].", status=400, field=name)
    return tuple(shape)


def _from_json(tensor: dict[str, Any], name: str) -> NDArray[Any]:
    shape, kind = _shape(tensor, name), tensor.get("datatype")
    data = tensor.get("data")
    if not isinstance(data, list):
        raise Problem("The tensor has no data.", status=400, field=name)
    flat = [cell for row in data for cell in (row if isinstance(row, list) else [row])]
    if len(flat) != math.prod(shape):
        raise Problem(f"{len(flat)} values do not match the shape {list(shape)}.", field=name)
    if kind == "BYTES":
        wrong = next((k for k, v in enumerate(flat) if not isinstance(v, str | None)), None)
        if wrong is not None:
            raise Problem("BYTES must be strings.", field=name, row=wrong)
        return np.array(flat, dtype=object).reshape(shape)
    if kind not in DTYPES:
        raise _unknown(kind, name)
    # A missing value is null, which no tensor of numbers has otherwise.
    cells = [math.nan if value is None and kind.startswith("FP") else value for value in flat]
    wrong = next((k for k, v in enumerate(cells) if not isinstance(v, bool | int | float)), None)
    if wrong is not None:
        raise Problem(f"{json.dumps(cells[wrong])[:60]} is not a number.", field=name, row=wrong)
    try:
        return np.array(cells, dtype=DTYPES[kind]).reshape(shape)
    except OverflowError:
        raise Problem(f"A value does not fit {kind}.", field=name) from None


def _from_bytes(tensor: dict[str, Any], name: str, data: bytes) -> NDArray[Any]:
    shape, kind = _shape(tensor, name), tensor.get("datatype")
    if kind == "BYTES":
        cells = _strings(data, name)
        if len(cells) != math.prod(shape):
            raise Problem(f"{len(cells)} strings do not match the shape {list(shape)}.", field=name)
        return np.array(cells, dtype=object).reshape(shape)
    if kind not in DTYPES:
        raise _unknown(kind, name)
    dtype = np.dtype(DTYPES[kind])
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise Problem(
            f"{len(data)} bytes do not match the shape {list(shape)} of {kind}.", field=name
        )
    return np.frombuffer(data, dtype=dtype).reshape(shape)


def _unknown(kind: Any, name: str) -> Problem:
    return Problem(
        f"Data type {kind!r} is not supported.", f"Use {', '.join([*DTYPES, 'BYTES'])}.", field=name
    )


def _strings(data: bytes, name: str) -> list[str]:
    found, at = [], 0
    while at < len(data):
        if at + _LENGTH.size > len(data):
            raise Problem("A string is truncated.", status=400, field=name)
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        if at + length > len(data):
            raise Problem("A string is truncated.", status=400, field=name)
        try:
            found.append(data[at : at + length].decode())
        except UnicodeDecodeError:
            raise Problem("A string is not UTF-8.", status=400, field=name) from None
        at += length
    return found


def input_columns(fitted: Fitted, tensors: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Columns of the model from tensors: one with all columns, or one for each.

    Parameters
    ----------
    fitted : Fitted
        The model.
    tensors : dict of str to ndarray
        What came.
    """
    import pyarrow as pa

    names = fitted.given_names
    if len(tensors) == 1 and next(iter(tensors)) not in names:
        (whole,) = tensors.values()
        whole = whole.reshape(len(whole), -1)
        if whole.shape[1] != len(names):
            raise Problem(
                f"The tensor has {whole.shape[1]} columns; the model was fitted on {len(names)}."
            )
        tensors = {name: whole[:, j] for j, name in enumerate(names)}
    found = {}
    for name, values in tensors.items():
        if values.ndim == 2 and values.shape[1] != 1:
            raise Problem("A column must have the shape [rows] or [rows, 1].", field=name)
        found[name] = pa.array(np.ascontiguousarray(values.ravel()), from_pandas=True)
    if len({len(values) for values in found.values()}) > 1:
        raise Problem("Tensors have different numbers of rows.")
    return found


def output_tensor(name: str, values: NDArray[Any], binary: bool) -> tuple[dict[str, Any], bytes]:
    """A tensor of a response, and its binary data (empty if it is JSON).

    Parameters
    ----------
    name : str
        Its name.
    values : ndarray
        Its values.
    binary : bool
        Whether the client asked for binary data.
    """
    kinds = {np.dtype(text): kind for kind, text in DTYPES.items()}
    kind = kinds.get(values.dtype.newbyteorder("<"), "BYTES")
    tensor = {"name": name, "datatype": kind, "shape": list(values.shape)}
    if not binary:
        plain = values.ravel().tolist() if kind != "BYTES" else [str(v) for v in values.ravel()]
        return tensor | {"data": plain}, b""
    if kind == "BYTES":
        cells = [str(value).encode() for value in values.ravel()]
        data = b"".join(_LENGTH.pack(len(cell)) + cell for cell in cells)
    else:
        data = np.ascontiguousarray(values, dtype=DTYPES[kind]).tobytes()
    return tensor | {"parameters": {"binary_data_size": len(data)}}, data


def pack(response: dict[str, Any], parts: list[bytes]) -> tuple[bytes, dict[str, str]]:
    """The body of a response and its headers."""
    text = json.dumps(response).encode()
    if not any(parts):
        return text, {"content-type": "application/json"}
    headers = {"content-type": "application/octet-stream"}
    headers["inference-header-content-length"] = str(len(text))
    return text + b"".join(parts), headers
