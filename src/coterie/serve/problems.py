"""What is wrong with a request, said to its author."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coterie.files.errors import CommandError

__all__ = ["Problem", "explained"]


@dataclass(eq=False)
class Problem(Exception):
    """A request that cannot be answered.

    Attributes
    ----------
    message : str
        What is wrong.
    cure : str
        What to do about it.
    status : int
        The status of the response.
    field : str, optional
        The column or key it is about.
    row : int, optional
        The row of the request, counted from zero.
    """

    message: str
    cure: str = ""
    status: int = 422
    field: str | None = None
    row: int | None = None

    def __str__(self) -> str:
        parts = [] if self.row is None else [f"row {self.row}"]
        parts += [] if self.field is None else [f'column "{self.field}"']
        text = f"{', '.join(parts)}: {self.message}" if parts else self.message
        return f"{text} {self.cure}".rstrip()

    def body(self, request_id: str) -> dict[str, Any]:
        """The response; `error` is the whole sentence, as the Open Inference Protocol has it."""
        found: dict[str, Any] = {"error": str(self), "message": self.message}
        found |= {"cure": self.cure or None, "field": self.field, "row": self.row}
        found["request_id"] = request_id
        return {key: value for key, value in found.items() if value is not None}


def explained(error: Exception) -> Problem | None:
    """An exception of reading or predicting as a problem of the request; None if it is ours."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, CommandError):
        # The first line of a text body is its header; `row` counts from zero.
        row = None if error.line is None else max(error.line - 2, 0)
        return Problem(error.message, error.cure, 422, error.column, row)
    if isinstance(error, ValueError | TypeError):
        return Problem(str(error), status=422)
    return None
