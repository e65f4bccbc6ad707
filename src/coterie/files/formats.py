"""The formats of files and how they are opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from coterie.files.errors import CommandError

__all__ = [
    "FORMATS",
    "MISSING",
    "ReadOptions",
    "Source",
    "check_file",
    "file_format",
    "open_bytes",
]

FORMATS = {
    ".csv": "delimited",
    ".tsv": "delimited",
    ".tab": "delimited",
    ".txt": "delimited",
    ".data": "delimited",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonlines",
    ".ndjson": "jsonlines",
    ".json": "jsonlines",
}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
# How files begin, whatever they are called, and how their names should end.
PACKED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
COLUMNAR = {b"PAR1": ".parquet", b"ARROW1": ".arrow"}
# Also with other capitals and with blanks around them.
MISSING = ("", "na", "n/a", "nan", "<na>", "null", "?")


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file that cannot be detected from it.

    Attributes
    ----------
    delimiter : str, optional
        Between the fields of a line; found out if not given.
    encoding : str
        Of a text file without a byte order mark.
    missing : tuple of str
        Fields that mean a missing value, in small letters.
    odd : {"missing", "text", "error"}
        What becomes of the few cells that are no numbers, or dates, in a column that holds them
        otherwise: they count as missing, make the column text, or are an error.
    text : tuple of str
        Columns that are text, whatever they hold.
    """

    delimiter: str | None = None
    encoding: str = "utf-8"
    missing: tuple[str, ...] = MISSING
    odd: Literal["missing", "text", "error"] = "missing"
    text: tuple[str, ...] = ()


class Source(Protocol):
    """An opened file: the names of its columns, and its rows in blocks."""

    path: Path
    names: tuple[str, ...]
    notes: list[str]

    def blocks(self, columns: Sequence[str]) -> Iterator[Any]:
        """The rows as Arrow record batches with these columns, as often as asked."""
        ...

    def line(self, row: int) -> int | None:
        """The line on which a row stands, counted from one; None if the file has no lines."""
        ...


def file_format(path: Path) -> tuple[str, str | None]:
    """Format and compression of a file, by the end of its name.

    Examples
    --------
    >>> file_format(Path("sales.CSV.gz"))
    ('delimited', 'gzip')
    >>> file_format(Path("sales.parquet"))
    ('parquet', None)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    if compression is not None:
        suffixes.pop()
    kind = FORMATS.get(suffixes[-1]) if suffixes else None
    if kind is None:
        raise CommandError(
            "the file extension is not a known format.",
            f"Known extensions are {', '.join(FORMATS)}, optionally followed by .gz or .zst.",
            file=path,
        )
    if compression is not None and kind in ("parquet", "arrow"):
        raise CommandError(
            f"a {kind} file is compressed internally and must not be compressed as a whole.",
            f"Unpack it first: {'gunzip' if compression == 'gzip' else 'unzstd'} {path.name}",
            file=path,
        )
    return kind, compression


def check_file(path: Path) -> None:
    """Refuse what is no file, or an empty one."""
    if path.is_dir():
        raise CommandError("is a directory.", "Name a file in it.", file=path)
    if not path.exists():
        here = path.parent if path.parent.is_dir() else Path(".")
        files = sorted(other.name for other in here.iterdir() if other.is_file())
        from coterie.files.errors import nearest

        raise CommandError("does not exist.", nearest(path.name, files) if files else "", file=path)
    if not path.is_file():
        raise CommandError(
            "is a pipe or a device, not a file.",
            "To read standard input, use -, as in: cat table.csv | coterie fit -",
            file=path,
        )
    if path.stat().st_size == 0:
        raise CommandError(
            "the file is empty.", "Write a header line and at least one row to it.", file=path
        )
    _check_beginning(path)


def _check_beginning(path: Path) -> None:
    """Refuse a file that is not what its name says, as far as its first bytes tell."""
    kind, compression = file_format(path)
    with path.open("rb") as file:
        begin = file.read(8)
    packed = next((end for mark, end in PACKED.items() if begin.startswith(mark)), None)
    if packed is not None and compression != COMPRESSIONS[packed]:
        raise CommandError(
            f"is compressed with {COMPRESSIONS[packed]}, but its name does not end in {packed}.",
            f"Rename it to {path.with_suffix('').name if compression else path.name}{packed}",
            file=path,
        )
    if packed is None and compression is not None:
        raise CommandError(
            f"is not compressed with {compression}, although its name says so.",
            f"Rename it to {path.stem}, or fetch it again.",
            file=path,
        )
    found = next((end for mark, end in COLUMNAR.items() if begin.startswith(mark)), None)
    if found is not None and kind in ("delimited", "jsonlines"):
        raise CommandError(
            f"is not text, but a file in the format {FORMATS[found].capitalize()}.",
            f"Rename it to {path.stem}{found}",
            file=path,
        )
    if begin.startswith(b"PK\x03\x04") and kind in ("delimited", "jsonlines"):
        raise CommandError(
            "is a zip archive or a spreadsheet, not text.",
            "Unpack it, or save the sheet as CSV.",
            file=path,
        )


@contextmanager
def open_bytes(path: Path, compression: str | None) -> Iterator[Any]:
    """The bytes of a file, unpacked; what is wrong with the packing is said in words."""
    import pyarrow as pa

    try:
        with pa.input_stream(str(path), compression=compression) as stream:
            yield stream
    except OSError as error:
        if isinstance(error, FileNotFoundError | PermissionError) or compression is None:
            raise CommandError(f"cannot be read: {error}", file=path) from error
        raise CommandError(
            f"cannot be unpacked as {compression}: {error}",
            "The file is damaged or was cut short; fetch or write it again.",
            file=path,
        ) from error
