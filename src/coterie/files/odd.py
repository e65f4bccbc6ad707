"""Cells that are no numbers, or no dates, in columns that hold them otherwise."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from coterie.files.errors import CommandError, shown_path
from coterie.files.formats import Source
from coterie.files.kinds import SHOWN, is_no_value

__all__ = ["OddCells", "OddColumn", "quoted"]

_NAMED = 3  # cells of a column that are named one by one
_SHARE = 10  # one odd cell in so many is too much for a column of which the kind is known
_SURE = 1_000  # known cells, from which on a column that is mostly odd is refused at once
_LONGEST = 40  # characters of a cell that are shown
ADVICE = "Correct them if they are errors. --odd-cells sets how such cells are treated."


@dataclass
class OddColumn:
    """The odd cells of one column.

    Attributes
    ----------
    kind : str
        What the column holds otherwise.
    known, count : int
        Cells that were looked at, and how many of them were odd.
    first : list of (int, str)
        Rows, counted from zero, and texts of the first of them.
    words : Counter
        Words that mean "no value", which are not odd, and how often they stand there.
    """

    kind: str
    known: int = 0
    count: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)
    words: Counter[str] = field(default_factory=Counter)


@dataclass
class OddCells:
    """Notes odd cells while a file is converted block by block; they count as missing.

    Attributes
    ----------
    source : Source
        The file.
    strict : bool
        Whether the first odd cell is an error.
    columns : dict of str to OddColumn
        What was found.
    """

    source: Source
    strict: bool = False
    columns: dict[str, OddColumn] = field(default_factory=dict)

    def take(self, name: str, kind: str, known: Any, fits: Any, first: int) -> None:
        """Note the cells of a block that do not fit.

        Parameters
        ----------
        name, kind : str
            The column, and what it holds.
        known : pyarrow array of str
            Its cells, null where they are missing.
        fits : pyarrow array of bool
            Which of them are of the kind; true of those that are missing.
        first : int
            The row of the block's first cell.
        """
        from pyarrow import compute as pc

        column = self.columns.setdefault(name, OddColumn(kind))
        column.known += len(known) - known.null_count
        none = is_no_value(known)
        column.words.update(known.filter(pc.and_not(none, fits)).to_pylist())
        rows = pc.indices_nonzero(pc.invert(pc.or_(fits, none)))
        column.count += len(rows)
        for row in rows.to_pylist()[: _NAMED - len(column.first)]:
            column.first.append((first + row, known[row].as_py()))
        if self.strict and column.first:
            raise self._refusal(name, "Correct the cell, or leave it empty.")
        if column.known >= _SURE and column.count > column.known // 2:
            raise self._too_many(name)

    def pass_by(self, name: str, kind: str, known: int) -> None:
        """Count the cells of a block in which none is odd."""
        if name not in self.columns:
            self.columns[name] = OddColumn(kind)
        self.columns[name].known += known

    def check(self) -> None:
        """Refuse a column in which too many cells are odd."""
        for name, column in self.columns.items():
            if column.count > max(1, column.known // _SHARE):
                raise self._too_many(name)

    def notes(self, *, words: bool = False) -> list[str]:
        """A sentence for each column that has any.

        Parameters
        ----------
        words : bool
            Whether to tell of words that mean "no value", too.
        """
        texts = []
        for name in self.columns:
            if self.columns[name].count:
                texts.append(f"{self.describe(name)} {ADVICE}")
            if words and self.columns[name].words:
                texts.append(self._words(name))
        return texts

    def describe(self, name: str) -> str:
        """What is odd in a column: how many cells, and the first of them with their lines."""
        column = self.columns[name]
        cells = ", ".join(f"{self._place(row)} {quoted(text)}" for row, text in column.first)
        more = f" and {column.count - _NAMED:,} more" if column.count > _NAMED else ""
        verb = (
            "cell is treated as missing, because it contains"
            if column.count == 1
            else ("cells are treated as missing, because they contain")
        )
        return (
            f'{shown_path(self.source.path)}, column "{name}": {column.count:,} {verb} no '
            f"{_plain(column.kind)}: {cells}{more}."
        )

    def _words(self, name: str) -> str:
        counts = self.columns[name].words.most_common()
        listed = ", ".join(quoted(word) for word, _ in counts[:_NAMED])
        total = sum(number for _, number in counts)
        return (
            f'column "{name}" contains {_plain(self.columns[name].kind)}; {listed} '
            f"{'is' if len(counts) == 1 else 'are'} treated as missing there ({total:,} cells)"
        )

    def _place(self, row: int) -> str:
        line = self.source.line(row)
        return f"row {row + 1:,}" if line is None else f"line {line:,}"

    def _too_many(self, name: str) -> CommandError:
        column = self.columns[name]
        cure = f"{column.count:,} of its {column.known:,} cells are affected. "
        return self._refusal(
            name, cure + "Is this the right column? Correct these cells, or leave them empty."
        )

    def _refusal(self, name: str, cure: str) -> CommandError:
        column = self.columns[name]
        row, text = column.first[0]
        line = self.source.line(row)
        where = "" if line is not None else f"row {row + 1:,}: "
        message = f"{where}found {quoted(text)} in a column of {_plain(column.kind)}."
        return CommandError(message, cure, self.source.path, line, name)


def quoted(text: str) -> str:
    """A cell in quotation marks, cut short if it is long."""
    return f'"{text}"' if len(text) <= _LONGEST else f'"{text[: _LONGEST - 3]}..."'


def _plain(kind: str) -> str:
    """What a column of the kind holds, without how it is written."""
    return SHOWN[kind].split(" with ")[0]
