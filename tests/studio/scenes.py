"""Arrays of a scene, as the page reads them, and facts of a finished fit."""

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


def facts(scores: dict[str, float], metric: str = "log_loss", target: str = "y") -> Any:
    best = min(scores.values())
    return {
        "task": "binary",
        "target": target,
        "rows": 100,
        "n_columns": 4,
        "made": {"seconds": 12.0},
        "metric": {"name": metric, "label": "log-loss", "greater_is_better": False},
        "score": {"score": best, "low": best - 0.1, "high": best + 0.1},
        "members": [{"name": "forest", "weight": 1.0}],
        "measures": [
            {"name": "accuracy", "label": "accuracy", "value": 1 - best, "greater_is_better": True}
        ],
        "leaderboard": [{"name": name, "score": score} for name, score in scores.items()],
        "history": [{"elapsed": 1.0, "best": None}, {"elapsed": 3.0, "best": best}],
    }
