"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coterie.files.allowance import Allowance
from coterie.files.errors import CommandError
from coterie.files.formats import file_format, open_bytes

__all__ = ["JsonLinesSource", "open_jsonlines"]

BLOCK_BYTES = 1 << 21


@dataclass
class JsonLinesSource:
    """A file of JSON objects; a key that a line lacks is a missing value there."""

    path: Path
    names: tuple[str, ...]
    compression: str | None
    notes: list[str] = field(default_factory=list)

    def line(self, row: int) -> int:
        """The line of a row; blank lines are none."""
        for block, first in _line_blocks(self.path, self.compression):
            for number, line in enumerate(block.splitlines(), start=first):
                row -= bool(line.strip())
                if row < 0:
                    return number
        return row + 1

    def blocks(self, columns: Sequence[str]) -> Iterator[Any]:
        """The rows as record batches; a block's types are those of its own values."""
        import pyarrow as pa

        for block, first in _line_blocks(self.path, self.compression):
            table = _parse(self.path, block, first)
            present, nothing = set(table.column_names), pa.nulls(len(table))
            cells = {name: table.column(name) if name in present else nothing for name in columns}
            yield from pa.table(cells).combine_chunks().to_batches()


def open_jsonlines(path: Path, allowance: Allowance) -> JsonLinesSource:
    """Open a file of JSON lines; its columns are the keys of all of its lines.

    Parameters
    ----------
    path : Path
        The file.
    allowance : Allowance
        How much of it may be read.
    """
    _, compression = file_format(path)
    names: dict[str, None] = {}
    tables = (_parse(path, block, first) for block, first in _line_blocks(path, compression))
    for table in allowance.rows(tables):
        names |= dict.fromkeys(table.column_names)
    if not names:
        raise CommandError("the file has no rows.", 'Write {"name": value, …} lines.', path)
    return JsonLinesSource(path, tuple(names), compression)


def _line_blocks(path: Path, compression: str | None) -> Iterator[tuple[bytes, int]]:
    """Whole lines, a few megabytes at a time, with the number of the first."""
    rest, line = b"", 1
    with open_bytes(path, compression) as stream:
        while chunk := bytes(stream.read(BLOCK_BYTES)):
            whole, mark, rest = (rest + chunk).rpartition(b"\n")
            if mark:
                yield whole + mark, line
                line += whole.count(b"\n") + 1
    if rest.strip():
        yield rest, line


def _parse(path: Path, block: bytes, first: int) -> Any:
    import pyarrow as pa
    from pyarrow import json as arrow_json

    options = arrow_json.ReadOptions(use_threads=False, block_size=max(len(block) + 1, 1 << 16))
    try:
        return arrow_json.read_json(pa.BufferReader(block), read_options=options)
    except pa.ArrowInvalid as error:
        raise _explain(path, block, first, str(error)) from error


def _explain(path: Path, block: bytes, first: int, said: str) -> CommandError:
    """The first line that is no object, or the column whose values differ in kind."""
    kinds: dict[str, type] = {}
    for number, line in enumerate(block.splitlines(), start=first):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            return CommandError(
                f"is not valid JSON: {error}", "Write one object per line.", path, number
            )
        if not isinstance(row, dict):
            return CommandError("is not a JSON object.", 'Write {"name": value, …}.', path, number)
        for name, value in row.items():
            kind = float if type(value) in (int, float) else type(value)
            if value is not None and kinds.setdefault(name, kind) is not kind:
                return CommandError(
                    f"{json.dumps(value)} does not have the same type as the values before it.",
                    "Write the column as numbers throughout, or as text throughout.",
                    path,
                    number,
                    name,
                )
    return CommandError(said, file=path)
