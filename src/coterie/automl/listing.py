"""Lists of records that show themselves as tables, and become data frames."""

from __future__ import annotations

from collections import UserList
from collections.abc import Mapping
from dataclasses import fields
from html import escape
from typing import Any

from coterie.tags import tagged

_WIDEST = 60  # characters of a cell


@tagged
class Listing(UserList[Any]):
    """A list of records, one row of a table each.

    It is a list in all else. Notebooks show it as a table, ``print`` as aligned text.

    Examples
    --------
    >>> from coterie.automl.records import Column
    >>> print(Listing([Column("age", "number", 0.0, 40), Column("id", "text", 0.5, 99, False)]))
    name  kind    missing  distinct  used   note
    age   number  0        40        True
    id    text    0.5      99        False
    """

    def rows(self) -> tuple[list[str], list[list[Any]]]:
        """Names of the fields, and their values for every record."""
        if not self.data:
            return [], []
        first = self.data[0]
        if isinstance(first, Mapping):
            names = list(dict.fromkeys(name for record in self.data for name in record))
            return names, [[record.get(name) for name in names] for record in self.data]
        names = [one.name for one in fields(first)]
        return names, [[getattr(record, name) for name in names] for record in self.data]

    def to_frame(self) -> Any:
        """The same as a data frame of pandas."""
        import pandas as pd

        names, rows = self.rows()
        return pd.DataFrame(rows, columns=names)

    def __str__(self) -> str:
        names, rows = self.rows()
        if not rows:
            return "nothing"
        lines = [names, *([_shown(cell) for cell in row] for row in rows)]
        widths = [max(len(line[k]) for line in lines) for k in range(len(names))]
        padded = (
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        )
        return "\n".join(line.rstrip() for line in padded)

    def _repr_html_(self) -> str:
        names, rows = self.rows()
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_shown(cell))}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.4g}"
    if isinstance(cell, list):
        cell = ", ".join(map(str, cell))
    text = str(cell)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
