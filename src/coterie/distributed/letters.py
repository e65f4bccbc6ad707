"""Questions and answers as they travel between processes."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ALIGNED = 64  # bytes; arrays begin at a multiple of it
_WORD = 8  # bytes of a size


def pack(said: Any) -> NDArray[np.uint8]:
    """An object as one array of bytes, which Dask sends without copying it.

    Arrays are written to it as they are, and `unpack` makes no copy of them: histograms are most
    of what travels, and pickling them would copy them twice more.
    """
    from distributed.protocol import pickle

    buffers: list[Any] = []
    head = pickle.dumps(said, buffer_callback=buffers.append)
    parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    sizes = [part.nbytes for part in parts]
    places = list(_places(sizes))
    packed = np.empty(places[-1].stop, dtype=np.uint8)
    written = packed.data
    written[: _WORD * (1 + len(sizes))] = struct.pack(f"={1 + len(sizes)}q", len(sizes), *sizes)
    for place, part in zip(places, parts, strict=True):
        written[place] = part
    return packed


def unpack(packed: NDArray[np.uint8]) -> Any:
    """The object; its arrays are parts of `packed`."""
    from distributed.protocol import pickle

    read = packed.data
    (count,) = struct.unpack_from("=q", read)
    parts = [read[place] for place in _places(struct.unpack_from(f"={count}q", read, _WORD))]
    return pickle.loads(parts[0], buffers=parts[1:])


def _places(sizes: Iterable[int]) -> Iterator[slice]:
    """Where parts of these sizes are, behind their number and sizes."""
    sizes = tuple(sizes)
    end = _WORD * (1 + len(sizes))
    for size in sizes:
        begin = -(-end // _ALIGNED) * _ALIGNED
        end = begin + size
        yield slice(begin, end)
