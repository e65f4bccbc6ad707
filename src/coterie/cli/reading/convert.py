"""Blocks as they were read, turned into typed columns."""

from __future__ import annotations

from typing import Any

from coterie.cli.errors import CommandError
from coterie.cli.reading.files import Source
from coterie.cli.reading.kinds import PATTERNS, SHOWN, Columns, is_text, known_cells

__all__ = ["convert_block"]


def convert_block(block: Any, columns: Columns, source: Source, first: int) -> Any:
    """The columns of one block with the types that `columns` asks for.

    Parameters
    ----------
    block : pyarrow RecordBatch
        Rows as read.
    columns : Columns
        What the columns hold.
    source : Source
        Where the rows come from, for messages.
    first : int
        The number of the block's first row in the file, counted from zero.

    Returns
    -------
    pyarrow Table
        Whole numbers as int64, numbers as float64, times as timestamps, text as strings.
    """
    import pyarrow as pa

    arrays = {}
    for name, kind in columns.kinds.items():
        cells = block.column(name)
        try:
            arrays[name] = _convert(cells, kind, columns.missing)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise _explain(cells, kind, columns.missing, error).at(source, first, name) from error
    return pa.table(arrays)


def _convert(cells: Any, kind: str, missing: tuple[str, ...]) -> Any:
    import pyarrow as pa

    if kind == "empty" or pa.types.is_null(cells.type):
        return pa.nulls(len(cells), _arrow_type(kind))
    if is_text(cells.type):
        return _convert_text(known_cells(cells, missing), kind)
    if kind == "text":
        return cells.cast(pa.string())
    if kind == "integer" and pa.types.is_floating(cells.type):
        return cells.cast(pa.float64())
    return cells.cast(_arrow_type(kind))


def _convert_text(known: Any, kind: str) -> Any:
    import pyarrow as pa
    from pyarrow import compute as pc

    if kind == "text":
        return known
    if kind == "decimal_comma":
        known = pc.replace_substring(pc.replace_substring(known, ".", ""), ",", ".")
    elif kind == "thousands":
        known = pc.replace_substring(known, ",", "")
    elif kind == "integer":
        # A whole-number column may hold fractions in other rows than those of the fit.
        try:
            return known.cast(pa.int64())
        except pa.ArrowInvalid:
            return known.cast(pa.float64())
    return known.cast(_arrow_type(kind))


def _arrow_type(kind: str) -> Any:
    import pyarrow as pa

    types = {"integer": pa.int64(), "time": pa.timestamp("us"), "boolean": pa.bool_()}
    return types.get(kind, pa.string() if kind == "text" else pa.float64())


class _Misfit(Exception):
    """A cell that is not what its column is to hold."""

    def __init__(self, row: int, message: str, cure: str) -> None:
        super().__init__(message)
        self.row, self.message, self.cure = row, message, cure

    def at(self, source: Source, first: int, name: str) -> CommandError:
        line = source.line(first + self.row)
        where = "" if line is not None else f"row {first + self.row + 1:,}: "
        return CommandError(where + self.message, self.cure, source.path, line, name)


def _explain(cells: Any, kind: str, missing: tuple[str, ...], error: Exception) -> _Misfit:
    """The first cell that does not fit."""
    from pyarrow import compute as pc

    shown = SHOWN.get(kind, kind)
    if is_text(cells.type) and kind in PATTERNS:
        known = known_cells(cells, missing)
        pattern = PATTERNS["number" if kind == "integer" else kind]
        bad = pc.invert(pc.fill_null(pc.match_substring_regex(known, pattern), True))
        rows = pc.indices_nonzero(bad)
        if len(rows):
            row = rows[0].as_py()
            return _Misfit(
                row,
                f'"{known[row].as_py()}" in a column that held {shown} at fit.',
                "Correct the cell, or leave it empty if the value is not known.",
            )
    return _Misfit(
        0,
        f"holds {cells.type} where {shown} are expected: {error}",
        "Convert the column to what it was at fit.",
    )
