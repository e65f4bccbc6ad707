"""How much of a file is read, where there is no time to read all of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie.files.columnar import ColumnarSource, table_size
from coterie.files.formats import Source, open_bytes
from coterie.files.wide import WIDE

if TYPE_CHECKING:
    from coterie.automl.clock import Clock

__all__ = ["FIRST", "Allowance", "row_bytes"]

FIRST = 0.2  # share of the time for the first of several looks at the rows

_SHARE = 0.4  # of the time, in which the chosen columns should be read
_BYTE, _TEXT, _CELL = 7e-9, 1e-6, 3e-7  # seconds for a byte of text, a cell of text, a typed cell
_COLUMN = 6e-5  # seconds for a column of any file
_PACKED = 4  # how much smaller text is when it is packed, about
_LINE = 1 << 24  # bytes of a line that are looked at


@dataclass
class Allowance:
    """How much of a file may be read within the time limit.

    Parameters
    ----------
    clock : Clock, optional
        The time of the whole command; there is no limit without it.
    seed : int
        Of the columns that are chosen where there are too many.
    needed : tuple of str
        Columns that are always read.

    Attributes
    ----------
    n_rows : int or None
        Rows that are read; None as long as all are.
    settled : bool
        Whether that is known: some, or all of them, were read once.
    chosen : tuple of str or None
        The columns that are read, once they are chosen.
    n_columns, n_chosen : int
        Columns of the file besides those needed, and how many of them are read.
    """

    clock: Clock | None = None
    seed: int = 0
    needed: tuple[str, ...] = ()
    n_rows: int | None = None
    settled: bool = False
    chosen: tuple[str, ...] | None = None
    n_columns: int = 0
    n_chosen: int = 0

    def choose(self, source: Source) -> tuple[str, ...]:
        """The columns to read: all, or as many as there is time for, drawn at random.

        Parameters
        ----------
        source : Source
            The file. What is chosen for it stays so.
        """
        if self.chosen is None:
            self.chosen = self._draw(source)
        return self.chosen

    def _draw(self, source: Source) -> tuple[str, ...]:
        free = [name for name in source.names if name not in self.needed]
        self.n_columns = self.n_chosen = len(free)
        # Rows of a wide table are dear: rather leave out columns.
        if len(free) > WIDE and self.clock is not None:
            most = _affordable(source, _SHARE * self.clock.limit - self.clock.elapsed)
            self.n_chosen = min(max(most, WIDE), len(free))
        if self.n_chosen == len(free):
            return source.names
        kept = {*random.Random(self.seed).sample(free, self.n_chosen), *self.needed}
        return tuple(name for name in source.names if name in kept)

    def rows(self, blocks: Iterator[Any], share: float = FIRST) -> Iterator[Any]:
        """Hand out blocks of rows: the first time as long as there is time, then as many again.

        Parameters
        ----------
        blocks : iterator of pyarrow RecordBatch or Table
            All rows.
        share : float
            Of the time of the command. The first block is handed out in any case.
        """
        given, wide = 0, self.n_columns > WIDE
        for block in blocks:
            some = block if self.n_rows is None else block.slice(0, self.n_rows - given)
            given += len(some)
            yield some
            if given == self.n_rows:
                return
            if not self.settled and self._is_over(max(share, _SHARE * wide)):
                break
        # After the last block there is nothing to leave out, whatever the time.
        if not self.settled and next(blocks, None) is not None:
            self.n_rows = given
        self.settled = True

    def _is_over(self, share: float) -> bool:
        return self.clock is not None and self.clock.elapsed > share * self.clock.limit

    @property
    def shortage(self) -> str:
        """What was left out, as a sentence; blank if nothing was."""
        parts = []
        if self.n_chosen < self.n_columns:
            parts.append(f"{self.n_chosen:,} of {self.n_columns:,} columns, drawn at random")
        if self.n_rows is not None:
            parts.append(f"the first {self.n_rows:,} rows")
        return (
            f"The time limit was too short to read more than {' and '.join(parts)}."
            if parts
            else ""
        )


def _affordable(source: Source, seconds: float) -> int:
    """How many columns of a file can be read in so many seconds, about."""
    if isinstance(source, ColumnarSource):
        n_rows = table_size(source.path)[0] if source.kind == "parquet" else 0
        return int(seconds / (_COLUMN + n_rows * _CELL))
    n_bytes = source.path.stat().st_size
    compression = getattr(source, "compression", None)
    n_bytes *= _PACKED if compression else 1
    length = row_bytes(source.path, compression)
    seconds -= n_bytes * _BYTE
    plain = len(getattr(source, "plain", ())) / len(source.names)
    cell = plain * _CELL + (1 - plain) * _TEXT
    return int(seconds / (_COLUMN + n_bytes / max(1, length) * cell))


def row_bytes(path: Path, compression: str | None = None) -> int:
    """How long the first row of a text file is, about: that or the header."""
    with open_bytes(path, compression) as stream:
        begin = bytes(stream.read(2 * _LINE))
    header, _, rest = begin.partition(b"\n")
    return max(len(header), len(rest.partition(b"\n")[0]))
