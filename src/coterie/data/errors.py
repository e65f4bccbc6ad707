"""Errors about data: each names the place and the cure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["DataError", "KindError", "OutputsError", "column_label", "refuse_twins"]


class DataError(ValueError):
    """The data cannot be used as they are; the message names the place and the cure."""


class KindError(DataError, TypeError):
    """Cells are of a kind that cannot be used, such as dates or text mixed with numbers."""


class OutputsError(DataError, NotImplementedError):
    """The target has several columns, of which the estimator takes one."""


def refuse_twins(names: Iterable[Any], what: str) -> None:
    """Refuse columns of `what` that have the same name."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise DataError(
            f"{what} has more than one column named {', '.join(map(repr, twice))}. Rename or drop "
            "all but one."
        )


def column_label(column: int, names: Sequence[str] | None) -> str:
    """How messages call a column: by its name if it has one, otherwise by its position."""
    return f"column {column}" if names is None else f"column {names[column]!r}"
