"""Damaged model files: makes them, and tries them in a process of their own.

As a script: ``mutations.py FOLDER`` loads every file ``FOLDER/*.coterie`` and prints lines of JSON
for each, flushed before the next, so that whoever started it sees which file a crash came with.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from coterie.export.container import ALIGNMENT, chunks, read_contents

Rng = np.random.Generator


def _spot(data: bytes, rng: Rng) -> int:
    return int(rng.integers(len(data)))


def _truncate(data: bytes, rng: Rng) -> bytes:
    return data[: _spot(data, rng)]


def _flip(data: bytes, rng: Rng) -> bytes:
    at = _spot(data, rng)
    return data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :]


def _byte(data: bytes, rng: Rng) -> bytes:
    at = _spot(data, rng)
    return data[:at] + bytes([(data[at] + int(rng.integers(1, 256))) % 256]) + data[at + 1 :]


def _number(data: bytes, rng: Rng) -> bytes:
    at = int(rng.integers(len(data) // 4)) * 4
    value = int(rng.choice([0, 1, -1, 2**31 - 1, -(2**31), 10**6]))
    return data[:at] + struct.pack("<i", value) + data[at + 4 :]


def _delete(data: bytes, rng: Rng) -> bytes:
    at = _spot(data, rng)
    return data[:at] + data[at + int(rng.integers(1, 200)) :]


def _duplicate(data: bytes, rng: Rng) -> bytes:
    at, length = _spot(data, rng), int(rng.integers(1, 200))
    return data[:at] + data[at : at + length] * 2 + data[at + length :]


def _swap(data: bytes, rng: Rng) -> bytes:
    pieces = len(data) // ALIGNMENT
    first, second = (int(piece) for piece in rng.choice(pieces, 2, replace=False))
    changed = bytearray(data)
    for a, b in ((first, second), (second, first)):
        changed[a * ALIGNMENT : (a + 1) * ALIGNMENT] = data[b * ALIGNMENT : (b + 1) * ALIGNMENT]
    return bytes(changed)


def _insert(data: bytes, rng: Rng) -> bytes:
    at = _spot(data, rng)
    return data[:at] + rng.bytes(int(rng.integers(1, 100))) + data[at:]


BLIND: list[Callable[[bytes, Rng], bytes]] = [
    _truncate,
    _flip,
    _byte,
    _number,
    _delete,
    _duplicate,
    _swap,
    _insert,
]


def blind(data: bytes, count: int, rng: Rng) -> Iterator[bytes]:
    """Files that differ from `data` and know nothing of the format."""
    made = 0
    while made < count:
        changed = BLIND[made % len(BLIND)](data, rng)
        if changed != data:
            yield changed
            made += 1


def unpack(path: Path) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the blocks of a file, to be changed."""
    contents = read_contents(path)
    header = {name: value for name, value in contents.header.items() if name != "blocks"}
    return header, [np.array(block) for block in contents.blocks]


def pack(header: dict[str, Any], blocks: list[np.ndarray]) -> bytes:
    """A file with right checksums, whatever it holds."""
    return b"".join(bytes(chunk) for chunk in chunks(header, blocks))


def resign(data: bytes) -> bytes:
    """The same bytes with the checksum of the header made right."""
    length = struct.unpack_from("<Q", data, 16)[0]
    digest = sha256(data[:32] + data[64 : 64 + length]).digest()
    return data[:32] + digest + data[64:]


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all plain values in the header."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _places(part, (*path, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _places(part, (*path, number))
    else:
        yield path


_ODD = [None, True, -1, 0, 1, 7, 2**31, 2**63, 10**30, 0.5, "", "Pool", "<f8", [], [[]], {}]
_ODD += [
    {"ref": 0},
    {"ref": 3},
    {"tuple": []},
    {"float": "nan"},
    {"array": 0},
    {"method": [{}, ""]},
]
_ODD += [{"function": "side_score"}, {"bytes": "00"}, {"scalar": ["<f8", "00" * 8]}]


def knowing(path: Path, count: int, rng: Rng) -> Iterator[bytes]:
    """Files with right checksums in which something was changed: a value or a block."""
    for made in range(count):
        header, blocks = unpack(path)
        if made % 2:
            places = list(_places(header["objects"]))
            *way, last = places[int(rng.integers(len(places)))]
            owner = header["objects"]
            for step in way:
                owner = owner[step]
            owner[last] = _ODD[int(rng.integers(len(_ODD)))]
        else:
            block = blocks[int(rng.integers(len(blocks)))]
            if block.size >= 4:
                at = int(rng.integers(block.size // 4)) * 4
                value = rng.choice([0, 1, -1, 2**31 - 1, -(2**31), 10**6])
                block[at : at + 4] = np.frombuffer(struct.pack("<i", int(value)), dtype=np.uint8)
        yield pack(header, blocks)


def try_all(folder: Path) -> None:
    """Load every file, and predict and refit with what was loaded."""
    import warnings

    import coterie
    from coterie.export import ModelFileError

    warnings.simplefilter("ignore")
    X = np.load(folder / "X.npy")
    for path in sorted(folder.glob("*.coterie")):
        print(json.dumps({"file": path.name}), flush=True)
        try:
            model = coterie.load(path)
        except ModelFileError:
            result = "refused"
        else:
            try:
                result = repr(np.asarray(model.predict(X)).tolist())
            except Exception as error:  # a crash is what is looked for
                result = f"error: {type(error).__name__}"
        print(json.dumps({"result": result}), flush=True)


if __name__ == "__main__":
    try_all(Path(sys.argv[1]))
