"""Numbers as a reader sees them."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

_SPACE = "\u00a0"  # a number must not be parted from its unit
_MINUS = "−"


def number(value: float | None, digits: int = 3) -> str:
    """A number with so many significant digits, and all digits before the point."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    if abs(value) < 1e-4:
        return f"{value:.{digits - 1}e}".replace("-", _MINUS)
    text = f"{value:,.{max(0, min(places, 6))}f}"
    return text.replace("-", _MINUS)


def share(value: float | None) -> str:
    """A share in per cent, with one digit after the point."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{100 * value:.1f}{_SPACE}%".replace("-", _MINUS)


def whole(value: float | None) -> str:
    """A share in whole per cent."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{100 * value:.0f}{_SPACE}%".replace("-", _MINUS)


def value_of(value: Any) -> str:
    """Anything that facts hold, as text: numbers short, lists joined."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) < 1e9 else number(value)
    if isinstance(value, list):
        return ", ".join(map(value_of, value)) or "–"
    return str(value)


def seconds(value: float | None) -> str:
    """A time that people can read."""
    if value is None:
        return "–"
    if value < 120:
        return f"{number(value, 2)}{_SPACE}s"
    long = f"{value / 60:.0f}{_SPACE}min"
    return long if value < 7200 else f"{value / 3600:.1f}{_SPACE}h"


def moment(text: str) -> str:
    """A date in ISO's form, to the minute; what is no date as it is."""
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        return text
    known = given.tzinfo is not None
    shown = (given.astimezone(UTC) if known else given).strftime("%Y-%m-%d %H:%M")
    return f"{shown} UTC" if known else shown


def measure(row: dict[str, Any], value: float | None) -> str:
    """A value of a measure: shares in per cent, others as numbers."""
    if row.get("share") and value is not None:
        return share(value)
    return number(value)


def interval(row: dict[str, Any], low: float | None, high: float | None) -> str:
    """Both ends of an interval."""
    return "–" if low is None or high is None else f"{measure(row, low)} to {measure(row, high)}"
