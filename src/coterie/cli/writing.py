"""Files of predictions: written block by block, and put in their place when they are whole."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coterie.base.atomic import whole_file
from coterie.files.errors import CommandError
from coterie.files.formats import file_format

__all__ = ["check_folder", "check_other", "open_writer"]

Write = Callable[[Any], None]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*(e[+-]?\d+)?", re.IGNORECASE)


@contextmanager
def open_writer(path: Path | None, *, escape: bool = False) -> Iterator[Write]:
    """A function that writes one Arrow table after the other.

    Parameters
    ----------
    path : Path or None
        The file, whose name tells the format: CSV or TSV (also .gz, .zst) or Parquet. None writes
        CSV to the standard output.
    escape : bool
        Whether text that a spreadsheet would take for a formula is written with an apostrophe
        before it; not in Parquet, where text is text.
    """
    if path is None:
        yield _text_writer(sys.stdout, ",", escape)
        sys.stdout.flush()
        return
    kind, compression = file_format(path)
    if kind not in ("delimited", "parquet"):
        raise CommandError(
            "predictions are written as CSV, TSV or Parquet.",
            "Use a name that ends in .csv, .tsv, .csv.gz or .parquet.",
            file=path,
        )
    check_folder(path)
    with whole_file(path) as aside:
        opened = _parquet(aside) if kind == "parquet" else _text(aside, path, compression, escape)
        with opened as write:
            yield write


def check_folder(path: Path) -> None:
    """Refuse to write where there is no directory, or where one is in the way."""
    if not path.parent.is_dir():
        raise CommandError("does not exist.", "Create it first.", file=path.parent)
    if path.is_dir():
        raise CommandError("is a directory.", "Name a file in it.", file=path)


def check_other(path: Path | None, file: Path) -> None:
    """Refuse to write over the file that is read: the table would be lost."""
    if path is not None and path.exists() and file.exists() and path.samefile(file):
        raise CommandError(
            "is the input file and would be overwritten.", "Choose another --out.", file=path
        )


@contextmanager
def _parquet(aside: Path) -> Iterator[Write]:
    from pyarrow import parquet

    writers: list[Any] = []

    def write(table: Any) -> None:
        if not writers:
            writers.append(parquet.ParquetWriter(aside, table.schema))
        writers[0].write_table(table.cast(writers[0].schema))

    try:
        yield write
    finally:
        for writer in writers:
            writer.close()


@contextmanager
def _text(aside: Path, path: Path, compression: str | None, escape: bool) -> Iterator[Write]:
    import pyarrow as pa

    delimiter = "\t" if {".tsv", ".tab"} & set(path.suffixes) else ","
    with (
        pa.output_stream(str(aside), compression=compression) as stream,
        io.TextIOWrapper(stream, encoding="utf-8", newline="") as text,
    ):
        yield _text_writer(text, delimiter, escape)


def _text_writer(text: Any, delimiter: str, escape: bool) -> Write:
    lines = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    begun = False

    def write(table: Any) -> None:
        nonlocal begun
        if not begun:
            names = table.column_names
            lines.writerow([_escaped(name) for name in names] if escape else names)
            begun = True
        # "true" and "false" as in most formats; null as an empty field.
        columns = [_cells(column) for column in table.columns]
        if escape:
            columns = [[_escaped(cell) for cell in cells] for cells in columns]
        lines.writerows(zip(*columns, strict=True))

    return write


def _cells(column: Any) -> list[Any]:
    values = column.to_pylist()
    if str(column.type) == "bool":
        return [None if value is None else str(value).lower() for value in values]
    return values


def _escaped(cell: Any) -> Any:
    """Text that begins as a formula does, with an apostrophe before it; numbers are none."""
    if isinstance(cell, str) and cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell
