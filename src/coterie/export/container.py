"""The file itself: a preamble, a header in JSON, and blocks of bytes with checksums."""

from __future__ import annotations

import json
import mmap as memory
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from coterie.export.errors import ModelFileError

__all__ = ["ALIGNMENT", "FORMAT", "MAGIC", "Contents", "chunks", "read_contents", "read_header"]

Block = NDArray[np.uint8]

MAGIC = b"\x93COTERIE"
#: The version of the format that is written, and the newest that is read.
FORMAT = 1
#: Blocks begin at multiples of this many bytes.
ALIGNMENT = 64
# Magic, version of the format, zero, bytes of the header, bytes of the file; then a digest.
_PREAMBLE = struct.Struct("<8sIIQQ")
_START = _PREAMBLE.size + 32


@dataclass(frozen=True)
class Contents:
    """A file that was read and whose checksums are right.

    Parameters
    ----------
    header : dict
        What the header says.
    blocks : list of ndarray of uint8
        The bytes it refers to.
    """

    header: dict[str, Any]
    blocks: list[Block]


def _padded(size: int) -> int:
    """The next multiple of the alignment."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def chunks(header: dict[str, Any], blocks: list[Block]) -> Iterator[Any]:
    """The bytes of a file, piece by piece; blocks are not copied.

    Parameters
    ----------
    header : dict
        Plain data for JSON; the table of the blocks is added.
    blocks : list of ndarray of uint8
        What comes after it.
    """
    table: list[dict[str, Any]] = []
    end = 0
    for block in blocks:
        offset = _padded(end)
        digest = sha256(block.data).hexdigest()
        table.append({"offset": offset, "size": block.size, "sha256": digest})
        end = offset + block.size
    text = json.dumps(header | {"blocks": table}, allow_nan=False, separators=(",", ":"))
    encoded = text.encode("ascii")
    encoded = encoded.ljust(_padded(len(encoded)))
    total = _START + len(encoded) + end
    preamble = _PREAMBLE.pack(MAGIC, FORMAT, 0, len(encoded), total)
    yield preamble + sha256(preamble + encoded).digest() + encoded
    position = 0
    for where, block in zip(table, blocks, strict=True):
        yield bytes(where["offset"] - position)
        yield block.data
        position = where["offset"] + block.size


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What the header of a file says; its checksum is compared, those of the blocks are not.

    Parameters
    ----------
    path : path
        The file.
    """
    with Path(path).open("rb") as file:
        return _header(file)[0]


def read_contents(path: str | os.PathLike[str], *, mmap: bool = False) -> Contents:
    """The header and the blocks of a file, all checksums compared.

    Parameters
    ----------
    path : path
        The file.
    mmap : bool, default=False
        Leave the blocks on the disk and map them into memory, to be read only.
    """
    with Path(path).open("rb") as file:
        header, start = _header(file)
        if mmap:
            mapped = memory.mmap(file.fileno(), 0, access=memory.ACCESS_READ)
            whole = np.frombuffer(mapped, dtype=np.uint8)
        else:
            file.seek(start)
            whole = np.fromfile(file, dtype=np.uint8)
            start = 0
    return Contents(header, _blocks(header, whole[start:]))


def _header(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """The header of a file, and where its blocks begin."""
    size = os.fstat(file.fileno()).st_size
    preamble = file.read(_START)
    if not preamble.startswith(MAGIC):
        raise ModelFileError(
            "This is not a coterie model file. Pass a file written by coterie.save."
        )
    if len(preamble) < _START:
        raise ModelFileError(f"The file is truncated: it has only {len(preamble)} bytes.")
    _, version, reserved, length, total = _PREAMBLE.unpack_from(preamble)
    if version != FORMAT:
        raise ModelFileError(
            f"The file has format {version}, but this version of coterie reads formats up to "
            f"{FORMAT}. Update coterie; if it is up to date, the file is damaged."
        )
    if total != size:
        raise ModelFileError(f"The file is incomplete: it has {size} bytes instead of {total}.")
    if reserved or length % ALIGNMENT or length > size - _START:
        raise ModelFileError("The file is damaged: its preamble is inconsistent.")
    encoded = file.read(length)
    digest = sha256(preamble[: _PREAMBLE.size] + encoded).digest()
    if digest != preamble[_PREAMBLE.size :]:
        raise ModelFileError("The file is damaged: the checksum of its header is wrong.")
    return _parse(encoded), _START + length


def _parse(encoded: bytes) -> dict[str, Any]:
    def refuse(constant: str) -> Any:
        raise ModelFileError(f"The header is damaged: {constant} is not a JSON number.")

    try:
        header = json.loads(encoded.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"The header is damaged: {error}") from error
    if not isinstance(header, dict):
        raise ModelFileError("The header is damaged: it is not a JSON object.")
    return header


def _blocks(header: dict[str, Any], data: Block) -> list[Block]:
    """The blocks, which must lie one after the other and fill the file."""
    table = header.get("blocks")
    if not isinstance(table, list):
        raise ModelFileError("The header is damaged: it does not list the blocks.")
    blocks, end = [], 0
    for number, where in enumerate(table):
        offset, size, digest = _place(where)
        if offset != _padded(end) or size > data.size - offset or data[end:offset].any():
            raise ModelFileError(f"The file is damaged: block {number} is in the wrong place.")
        end = offset + size
        blocks.append(data[offset:end])
        if sha256(blocks[-1].data).hexdigest() != digest:
            raise ModelFileError(f"The file is damaged: the checksum of block {number} is wrong.")
    if end != data.size:
        raise ModelFileError("The file is damaged: there is data after the last block.")
    return blocks


def _place(where: Any) -> tuple[int, int, Any]:
    if isinstance(where, dict):
        offset, size, digest = (where.get(name) for name in ("offset", "size", "sha256"))
        if type(offset) is int and type(size) is int and size >= 0:
            return offset, size, digest
    raise ModelFileError("The header is damaged: the position of a block is missing.")
