"""Arrays of a scene, as the page reads them."""

from __future__ import annotations

import zlib
from base64 import b64decode
from typing import Any

import numpy as np


def unpack(scene: dict[str, Any]) -> dict[str, Any]:
    raw = zlib.decompress(b64decode(scene["data"]))
    found = {}
    for name, place in scene["arrays"].items():
        count = int(np.prod(place["shape"]))
        values = np.frombuffer(raw, f"<{place['type']}", count, place["at"])
        found[name] = values.reshape(place["shape"])
    return found
