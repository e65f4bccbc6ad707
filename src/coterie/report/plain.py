"""Plain data: what JSON can hold, rounded to what can be read."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

#: Text that is longer is cut: labels and names come from anywhere.
LONGEST = 200


def plain(value: Any, digits: int = 6) -> Any:
    """The same data as dicts, lists, text, numbers and None.

    Numbers keep `digits` significant digits; what is not finite becomes None, which JSON knows.
    Dataclasses become dicts, keys become text, and what is of no plain kind its ``str``.
    """
    if value is None or isinstance(value, bool | np.bool_):
        return value if value is None else bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return rounded(float(value), digits)
    if isinstance(value, dict):
        return {cut(str(key)): plain(item, digits) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name), digits) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), digits)
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item, digits) for item in value]
    return cut(str(value))


def rounded(value: float, digits: int = 6) -> float | None:
    """A number with so many significant digits, or None if it is not finite."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def cut(text: str, longest: int = LONGEST) -> str:
    """Text that is not longer than that; what was cut off leaves an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def thinned(n: int, most: int) -> list[int]:
    """At most `most` positions among `n`, evenly spread, first and last among them."""
    if n <= most:
        return list(range(n))
    return np.unique(np.linspace(0, n - 1, most).round().astype(int)).tolist()
