"""Arrays packed into one text, which a page unpacks without asking anyone."""

from __future__ import annotations

import zlib
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Blob:
    """Arrays, one after the other, and where each lies.

    Examples
    --------
    >>> blob = Blob()
    >>> blob.add("codes", np.array([[1, 2], [3, 4]]), "u1")
    >>> blob.places
    {'codes': {'type': 'u1', 'shape': [2, 2], 'at': 0}}
    """

    places: dict[str, Any] = field(default_factory=dict)
    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, name: str, array: Any, kind: str) -> None:
        """Append an array as ``u1``, ``i1``, ``u2`` or ``f4``, in the order of its last axis."""
        values = np.ascontiguousarray(array, dtype=f"<{kind}")
        pad = -self.size % 4  # browsers read numbers only where they are aligned
        place = {"type": kind, "shape": list(values.shape), "at": self.size + pad}
        self.places[name] = place
        self.parts += [bytes(pad), values.tobytes()]
        self.size += pad + values.nbytes

    def text(self) -> str:
        """All arrays, compressed, as text."""
        return b64encode(zlib.compress(b"".join(self.parts), 6)).decode()
