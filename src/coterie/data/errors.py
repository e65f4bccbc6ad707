"""Errors about data: each names the place and the cure."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["DataError", "KindError", "OutputsError", "column_label"]


class DataError(ValueError):
    """The data cannot be used as they are; the message names the place and the cure."""


class KindError(DataError, TypeError):
    """Cells are of a kind that cannot be used, such as dates or text mixed with numbers."""


class OutputsError(DataError, NotImplementedError):
    """The target has several columns, of which the estimator takes one."""


def column_label(column: int, names: Sequence[str] | None) -> str:
    """How messages call a column: by its name if it has one, otherwise by its position."""
    return f"column {column}" if names is None else f"column {names[column]!r}"
