"""Parquet and Arrow (Feather) files: typed columns, read in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coterie.files.errors import CommandError

__all__ = ["ColumnarSource", "open_columnar", "table_size"]

BATCH_ROWS = 1 << 16


@dataclass
class ColumnarSource:
    """A Parquet or Arrow file."""

    path: Path
    names: tuple[str, ...]
    kind: str
    types: Any  # of the columns: a pyarrow Schema
    empty: bool  # whether there are no rows
    notes: list[str] = field(default_factory=list)

    def line(self, row: int) -> None:
        """These files have no lines."""
        return

    def blocks(self, columns: Sequence[str]) -> Iterator[Any]:
        """The rows as record batches of their own types."""
        with _opened(self.path, self.kind) as file:
            if self.kind == "parquet":
                yield from _batches(file, list(columns))
                return
            for number in range(file.num_record_batches):
                batch = file.get_batch(number).select(list(columns))
                for start in range(0, len(batch), BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS)


def open_columnar(path: Path, kind: str) -> ColumnarSource:
    """Open a Parquet or Arrow file and read the names of its columns.

    Parameters
    ----------
    path : Path
        The file.
    kind : {"parquet", "arrow"}
        Its format.
    """
    with _opened(path, kind) as file:
        schema = file.schema_arrow if kind == "parquet" else file.schema
        names = tuple(schema.names)
        empty = not (
            file.metadata.num_rows
            if kind == "parquet"
            else any(len(file.get_batch(k)) for k in range(file.num_record_batches))
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CommandError(
            "more than one column has this name.", "Rename all but one.", path, column=twice
        )
    return ColumnarSource(path, names, kind, schema, empty)


def _batches(file: Any, columns: list[str]) -> Iterator[Any]:
    """The rows of a Parquet file; parts with few rows as a whole, which is quicker by far."""
    for number in range(file.num_row_groups):
        if file.metadata.row_group(number).num_rows <= BATCH_ROWS:
            part = file.read_row_group(number, columns, use_threads=False)
            yield from part.combine_chunks().to_batches()
        else:
            yield from file.iter_batches(BATCH_ROWS, row_groups=[number], columns=columns)


def table_size(path: Path) -> tuple[int, int]:
    """Rows and columns of a Parquet file, by what stands at its end.

    Parameters
    ----------
    path : Path
        The file.
    """
    with _opened(path, "parquet") as file:
        return int(file.metadata.num_rows), int(file.metadata.num_columns)


@contextmanager
def _opened(path: Path, kind: str) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        if kind == "parquet":
            with parquet.ParquetFile(path) as file:
                yield file
        else:
            with pa.memory_map(str(path)) as mapped, pa.ipc.open_file(mapped) as file:
                yield file
    except (pa.ArrowInvalid, OSError) as error:
        raise CommandError(
            f"cannot be read as {kind.capitalize()}: {error}",
            "The file is damaged, was cut short, or has a format that does not match its name.",
            file=path,
        ) from error
