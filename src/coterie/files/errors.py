"""What goes wrong, said to a person: where, what, and the cure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

__all__ = ["SPOOLED", "CommandError", "nearest", "shown_path"]

_PREDICATE = re.compile("(already|cannot|contains|does|ends|has|is|must) ")  # of the place
SPOOLED = "coterie-standard-input-"  # begins the name of the directory that holds a copy of it


def shown_path(path: Path | str) -> str:
    """A file's name for people.

    Examples
    --------
    >>> shown_path("sales.csv")
    'sales.csv'
    """
    return "standard input" if Path(path).parent.name.startswith(SPOOLED) else str(path)


@dataclass(eq=False)
class CommandError(Exception):
    """A command cannot be carried out.

    Attributes
    ----------
    message : str
        What is wrong.
    cure : str
        What to do about it.
    file : Path or str, optional
        The file it is about.
    line : int, optional
        The line of the file, counted from one.
    column : str, optional
        The column of the table.
    """

    message: str
    cure: str = ""
    file: Path | str | None = None
    line: int | None = None
    column: str | None = None

    def where(self) -> str:
        """The place: file, line and column, as far as known."""
        parts = [] if self.file is None else [shown_path(self.file)]
        parts += [] if self.line is None else [f"line {self.line:,}"]
        parts += [] if self.column is None else [f'column "{self.column}"']
        return ", ".join(parts)

    def __str__(self) -> str:
        where = self.where()
        joint = " " if _PREDICATE.match(self.message) else ": "
        text = f"{where}{joint}{self.message}" if where else _sentence(self.message)
        return f"{text}\n  {self.cure}" if self.cure else text


def _sentence(text: str) -> str:
    """The text with a capital letter, unless it begins with an option or another name."""
    first = text.split(maxsplit=1)[:1]
    return text[:1].upper() + text[1:] if first and first[0].isalpha() else text


def nearest(name: str, known: Iterable[str], most: int = 12) -> str:
    """A sentence that helps someone who mistyped a name.

    Parameters
    ----------
    name : str
        What was asked for.
    known : iterable of str
        What there is.
    most : int
        How many names to list.
    """
    names = list(known)
    folded = {other.casefold(): other for other in names}
    close = [folded[match] for match in get_close_matches(name.casefold(), folded, n=1)]
    listed = ", ".join(names[:most]) + (f", … ({len(names)} in all)" if len(names) > most else "")
    guess = f'Did you mean "{close[0]}"? ' if close else ""
    return f"{guess}Available: {listed}."
