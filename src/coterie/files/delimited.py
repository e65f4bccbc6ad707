"""Text files with one row a line: comma-, tab- or otherwise separated."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coterie.files.allowance import Allowance
from coterie.files.errors import CommandError
from coterie.files.formats import ReadOptions, file_format, open_bytes
from coterie.files.wide import WIDE, narrowed, seem_numbers, spellings

__all__ = ["DelimitedSource", "guess_delimiter", "open_delimited"]

DELIMITERS = (",", ";", "\t", "|")
HEAD_BYTES = 1 << 18
BLOCK_BYTES = 1 << 20
_LONG_HEADER = 1 << 14  # bytes
_FIRST = 3  # rows by which columns seem to hold numbers
_ROWS = 256  # that a block of a wide file should hold, each about as long as the header
_LARGEST = 1 << 28  # bytes of a block, and of a header
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class _Unexpected(Exception):
    """A cell is no number in a column that seemed to hold them."""


@dataclass
class DelimitedSource:
    """A delimited text file; all of its columns are handed out as text."""

    path: Path
    names: tuple[str, ...]
    delimiter: str
    encoding: str
    compression: str | None
    notes: list[str] = field(default_factory=list)
    # Arrow cannot read a header that does not even end its line.
    header_only: bool = False
    blank: int = 0  # lines above the header
    held: list[Any] | None = field(default=None, repr=False)
    # Columns that are parsed as numbers rather than handed out as text, and missing values there.
    plain: frozenset[str] = field(default=frozenset(), repr=False)
    missing: tuple[str, ...] = ()

    def hold(self, allowance: Allowance, options: ReadOptions) -> None:
        """Read rows now and hand them out from memory: parsing takes longer than all else."""
        if self.held is not None:
            return
        if len(self.names) > WIDE:
            self._expect_numbers(options)
        before = replace(allowance)
        try:
            self.held = list(allowance.rows(self.blocks(allowance.choose(self))))
        except _Unexpected:
            self.plain = frozenset()
            vars(allowance).update(vars(before))
            self.held = list(allowance.rows(self.blocks(allowance.choose(self))))

    def _expect_numbers(self, options: ReadOptions) -> None:
        """Parse columns as numbers that hold nothing else in the first rows."""
        with self._rows() as rows, contextlib.suppress(csv.Error):
            some = [cells for _, cells in itertools.islice(rows, _FIRST + 1)][1:]
            some = [cells for cells in some if len(cells) == len(self.names)]
            number = seem_numbers(some, options.missing)
            plain = {name for name, is_number in zip(self.names, number, strict=False) if is_number}
            self.plain, self.missing = frozenset(plain - set(options.text)), options.missing

    @contextlib.contextmanager
    def _rows(self) -> Iterator[Iterator[tuple[int, list[str]]]]:
        """The header and all rows, each with the line on which it begins."""
        with (
            open_bytes(self.path, self.compression) as stream,
            io.TextIOWrapper(stream, encoding=self.encoding, newline="") as text,
        ):
            yield self._numbered(csv.reader(text, delimiter=self.delimiter))

    def _numbered(self, lines: Any) -> Iterator[tuple[int, list[str]]]:
        begins = 1
        for cells in lines:
            # Blank lines are no rows; the header is the one before the first.
            if cells and lines.line_num > self.blank:
                yield begins, cells
            begins = lines.line_num + 1

    def line(self, row: int) -> int:
        """The line on which a row begins, as an editor counts them."""
        with self._rows() as rows, contextlib.suppress(csv.Error):  # a field of over 128 kB, say
            return next(itertools.islice(rows, row + 1, None), (row + 2, []))[0]
        return row + 2

    @property
    def block_bytes(self) -> int:
        """The size of a block: calls for each column are too many if it holds few rows."""
        header = sum(map(len, self.names)) + len(self.names)
        wide = header > _LONG_HEADER
        return max(BLOCK_BYTES, min(_ROWS * header, _LARGEST)) if wide else BLOCK_BYTES

    def blocks(self, columns: Sequence[str]) -> Iterator[Any]:
        """The rows as record batches of text, a few megabytes at a time."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        plain = [name for name in columns if name in self.plain]
        types = dict.fromkeys(self.names, pa.string()) | dict.fromkeys(plain, pa.float64())
        if self.header_only:
            return
        if self.held is not None:
            yield from self.held
            return
        with open_bytes(self.path, self.compression) as stream:
            try:
                reader = arrow_csv.open_csv(
                    stream,
                    read_options=arrow_csv.ReadOptions(
                        use_threads=False,
                        block_size=self.block_bytes,
                        column_names=list(self.names),
                        skip_rows=self.blank,
                        skip_rows_after_names=1,
                        encoding="utf-8" if self.encoding == "utf-8-sig" else self.encoding,
                    ),
                    parse_options=arrow_csv.ParseOptions(
                        delimiter=self.delimiter,
                        newlines_in_values=True,
                        invalid_row_handler=self._refuse,
                    ),
                    convert_options=arrow_csv.ConvertOptions(
                        column_types=types,
                        include_columns=list(columns),
                        null_values=spellings(self.missing),
                        strings_can_be_null=False,
                    ),
                )
                yield from (narrowed(block, plain) for block in reader)
            except (pa.ArrowInvalid, UnicodeError) as error:
                if plain:
                    raise _Unexpected from error
                raise self._explain(error) from error

    def _refuse(self, row: Any) -> str:
        # Arrow prints what is raised in this callback and goes on: keep it for after the block.
        self._ragged = row
        return "error"

    def _explain(self, error: Exception) -> CommandError:
        """What Arrow could not read, in words."""
        row = getattr(self, "_ragged", None)
        if row is not None:
            return _ragged_error(self, row)
        if "UTF8" in str(error) or isinstance(error, UnicodeError):
            return _encoding_error(self.path, self.compression, self.encoding)
        if "block" in str(error).lower():
            return CommandError(
                f"a row is longer than {self.block_bytes >> 20} megabytes.",
                "This is usually caused by a quotation mark that is never closed.",
                file=self.path,
            )
        return CommandError(str(error), file=self.path)


def _ragged_error(source: DelimitedSource, row: Any) -> CommandError:
    shown = {"\t": "a tab"}.get(source.delimiter, f'"{source.delimiter}"')
    more = row.actual_columns > row.expected_columns
    cure = "Was the line cut short? Correct it, or remove it."
    if more:
        cure = (
            f"If a field contains {shown}, put it in quotation marks; if another character "
            "separates the fields, set it with --delimiter."
        )
    elif "\n" in row.text:
        cure = "Close the quotation mark that begins there, or double it if it is part of the text."
    first = row.text.partition("\n")[0]
    text = first if len(first) <= 60 else first[:57] + "..."
    fields = "1 field" if row.actual_columns == 1 else f"{row.actual_columns} fields"
    return CommandError(
        f"{fields} where the header has {row.expected_columns}: {text}",
        cure,
        file=source.path,
        line=source.line(row.number - 2),  # which counts the header, and no blank lines
    )


def open_delimited(path: Path, options: ReadOptions) -> DelimitedSource:
    """Open a delimited file: find encoding and delimiter, and read the header.

    Parameters
    ----------
    path : Path
        The file.
    options : ReadOptions
        What the user said about it.
    """
    _, compression = file_format(path)
    head, encoding = _head(path, compression, options.encoding)
    delimiter = options.delimiter or guess_delimiter(head, path)
    names, blank, header_only = _header(head, delimiter, path)
    notes = []
    for position, name in enumerate(names, start=1):
        if not name:
            names[position - 1] = f"column_{position}"
            notes.append(f"column {position} has no name; it is named column_{position}")
    _check_names(path, names)
    if names and all(_is_number(name) for name in names):
        notes.append("all column names are numbers: is the header line missing?")
    return DelimitedSource(
        path, tuple(names), delimiter, encoding, compression, notes, header_only, blank
    )


def _header(head: str, delimiter: str, path: Path) -> tuple[list[str], int, bool]:
    """The names of the columns, the blank lines above, and whether nothing stands below."""
    rows, blank = csv.reader(head.splitlines(True), delimiter=delimiter), 0
    try:
        for row in rows:
            names = [name.strip() for name in row]
            if any(names):
                break
            blank = rows.line_num
        return names, blank, not any(rows) and len(head) < HEAD_BYTES // 4
    except csv.Error as error:
        raise CommandError(
            f"the header cannot be read: {error}.",
            "This is usually caused by a quotation mark that is never closed.",
            file=path,
            line=1,
        ) from error


def _head(path: Path, compression: str | None, encoding: str) -> tuple[str, str]:
    """The first part of the file, up to the end of a line, and the encoding."""
    size = HEAD_BYTES
    with open_bytes(path, compression) as stream:
        head = bytes(stream.read(HEAD_BYTES))
        while b"\n" not in head and size < _LARGEST and len(head) == size:
            head += bytes(stream.read(size))
            size *= 2
    marked = [name for mark, name in MARKS.items() if head.startswith(mark)]
    encoding = marked[0] if marked else encoding
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        text = decoder.decode(head, final=len(head) < size)
    except UnicodeError as error:  # also that a byte order mark is lacking
        raise _encoding_error(path, compression, encoding) from error
    if "\0" in text:
        raise CommandError(
            "the file contains null bytes, so it is not text in this encoding.",
            "Is it UTF-16 (--encoding utf-16-le), compressed, or in another format? Compressed "
            "and other formats need the right file extension (.gz, .zst, .parquet).",
            file=path,
        )
    if not text.strip():
        raise CommandError("the file contains only white space.", file=path)
    last = text.rfind("\n")
    return (text[: last + 1] if last >= 0 and len(head) == size else text), encoding


def guess_delimiter(head: str, path: Path | None = None) -> str:
    r"""The delimiter that cuts the first lines into equally many fields, and most of them.

    Parameters
    ----------
    head : str
        The first lines of the file.
    path : Path, optional
        The file; a name that ends in ``.tsv`` decides for tabs.

    Examples
    --------
    >>> guess_delimiter("price;weight\n3,5;12\n")
    ';'
    """
    suffixes = {suffix.lower() for suffix in path.suffixes} if path is not None else set()
    if suffixes & {".tsv", ".tab"}:
        return "\t"

    def merit(delimiter: str) -> tuple[float, int]:
        rows = csv.reader(head.splitlines(True)[:200], delimiter=delimiter)
        try:
            widths = [len(row) for row in rows if row]
        except csv.Error:  # a field of more than 128 kB: the wrong one, for a long line
            return 0.0, 0
        width = widths[0]
        alike = sum(other == width for other in widths) / len(widths)
        return (alike if width > 1 else 0.0, width)

    return max(DELIMITERS, key=merit)


def _check_names(path: Path, names: list[str]) -> None:
    if any(name.count("\n") > 1 for name in names):
        raise CommandError(
            "a column name in the header extends over several lines.",
            "Close its quotation mark.",
            file=path,
            line=1,
        )
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        places = [str(k) for k, name in enumerate(names, start=1) if name == twice[0]]
        raise CommandError(
            f"the header contains this name more than once: fields {', '.join(places)}.",
            "Give every column a different name.",
            file=path,
            line=1,
            column=twice[0],
        )


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _encoding_error(path: Path, compression: str | None, encoding: str) -> CommandError:
    """Where the first byte stands that is not of the encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    offset, line = 0, 1
    with open_bytes(path, compression) as stream:
        while chunk := bytes(stream.read(1 << 20)):
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk)
            except UnicodeError as error:
                if not isinstance(error, UnicodeDecodeError):
                    return CommandError(f"is not valid {encoding}: {error}.", file=path)
                start = max(error.start - held, 0)
                return CommandError(
                    f"byte {offset + start:,} (0x{chunk[start]:02x}) is not valid {encoding}.",
                    "Set the encoding of the file, for example with --encoding latin-1 or "
                    "--encoding cp1252.",
                    file=path,
                    line=line + chunk[:start].count(b"\n"),
                )
            offset += len(chunk)
            line += chunk.count(b"\n")
    return CommandError(f"ends in the middle of a {encoding} character.", file=path)
