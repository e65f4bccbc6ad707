"""What is printed: tables and lines, in colour for a terminal and plain for everything else."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Console", "aligned", "duration_text"]

_WIDE = 110  # characters


@dataclass
class Console:
    """Where a command prints.

    Attributes
    ----------
    quiet : bool
        Whether only results, warnings and errors are printed.
    """

    quiet: bool = False

    @property
    def live(self) -> bool:
        """Whether a person is looking at a terminal."""
        return sys.stdout.isatty() and not self.quiet

    @property
    def narrow(self) -> bool:
        """Whether it is a terminal without room for long lines."""
        return sys.stdout.isatty() and shutil.get_terminal_size().columns < _WIDE

    def say(self, text: str = "") -> None:
        """Print a line that is not the result itself."""
        if not self.quiet:
            print(text, flush=True)

    def note(self, text: str) -> None:
        """Print something that may surprise, beside the result."""
        print(f"note: {text}", file=sys.stderr, flush=True)

    def notes(self, texts: Sequence[str]) -> None:
        """Print several notes."""
        for text in texts:
            self.note(text)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]], marked: int = -1) -> None:
        """Print a table; numbers stand to the right, one row may be marked."""
        if not sys.stdout.isatty():
            print("\n".join(aligned(header, rows)), flush=True)
            return
        from rich.box import SIMPLE_HEAD
        from rich.console import Console as RichConsole
        from rich.table import Table
        from rich.text import Text

        drawn = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False)
        for number, name in enumerate(header):
            right = all(_is_figure(row[number]) for row in rows)
            drawn.add_column(
                Text(name),
                justify="right" if right else "left",
                # Words are cut rather than broken; figures are never.
                no_wrap=True,
                overflow="ellipsis",
            )
        for number, row in enumerate(rows):
            # As text: what stands in brackets is no markup of Rich's.
            cells = [Text(cell) for cell in row]
            drawn.add_row(*cells, style="bold green" if number == marked else None)
        RichConsole().print(drawn)

    def data(self, data: Any) -> None:
        """Print plain data as JSON, for scripts."""
        print(json.dumps(data, indent=2, ensure_ascii=False, default=_plain), flush=True)


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a plain table.

    Examples
    --------
    >>> aligned(["name", "score"], [["forest", "0.91"], ["tree", "0.8"]])
    ['name    score', 'forest   0.91', 'tree      0.8']
    """
    columns = [list(column) for column in zip(header, *rows, strict=True)]
    cells = []
    for column in columns:
        width = max(map(len, column))
        right = len(column) > 1 and all(_is_figure(cell) for cell in column[1:])
        cells.append([cell.rjust(width) if right else cell.ljust(width) for cell in column])
    return ["  ".join(row).rstrip() for row in zip(*cells, strict=True)]


def _is_figure(cell: str) -> bool:
    return not cell or cell[0] in "0123456789-+.–" or cell in ("nan", "inf")


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays, and paths, as JSON knows them."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def duration_text(seconds: float) -> str:
    """A time for people.

    Examples
    --------
    >>> duration_text(3.21), duration_text(75), duration_text(7260)
    ('3.2 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
