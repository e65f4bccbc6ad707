"""Errors about data: each names the place and the cure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = [
    "DataError",
    "KindError",
    "OutputsError",
    "at_start",
    "column_label",
    "counted",
    "refuse_twins",
]


class DataError(ValueError):
    """The data cannot be used; the message says where the problem is and how to fix it."""


class KindError(DataError, TypeError):
    """A column has a type that cannot be used, such as text mixed with numbers."""


class OutputsError(DataError, NotImplementedError):
    """The target has several columns, but the estimator supports only one."""


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


def at_start(where: str) -> str:
    """A column's label as the first words of a message.

    Examples
    --------
    >>> at_start("column 'age'"), at_start("y")
    ("Column 'age'", 'y')
    """
    return f"C{where[1:]}" if where.startswith("column ") else where


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number of things, for messages.

    Examples
    --------
    >>> counted(1, "member"), counted(3, "class"), counted(2_000, "family", "families")
    ('1 member', '3 classes', '2,000 families')
    """
    plural = many or one + ("es" if one.endswith("s") else "s")
    return f"{number:,} {one if number == 1 else plural}"
