"""Whole tables for fitting, and blocks of rows for predicting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coterie.files.allowance import Allowance
from coterie.files.columnar import ColumnarSource, open_columnar
from coterie.files.convert import convert_block
from coterie.files.delimited import DelimitedSource, open_delimited
from coterie.files.errors import CommandError, nearest
from coterie.files.formats import ReadOptions, Source, check_file, file_format
from coterie.files.jsonlines import open_jsonlines
from coterie.files.kinds import SHOWN, Columns, KindFinder, look_at_texts
from coterie.files.odd import OddCells

__all__ = ["Reading", "find_columns", "open_blocks", "open_file", "read_table"]


@dataclass
class Reading:
    """A table read from a file.

    Attributes
    ----------
    table : pyarrow Table
        The typed columns.
    columns : Columns
        What they hold.
    odd : OddCells
        Cells that count as missing because they do not fit their columns.
    notes : list of str
        What was found out on the way and may surprise.
    shortage : str
        What there was no time to read.
    """

    table: Any
    columns: Columns
    odd: OddCells
    notes: list[str] = field(default_factory=list)
    shortage: str = ""


def open_file(path: Path, options: ReadOptions, allowance: Allowance | None = None) -> Source:
    """Open a table's file, whatever its format.

    Parameters
    ----------
    path : Path
        The file.
    options : ReadOptions
        What the user said about it.
    allowance : Allowance, optional
        How much of it may be read, for formats whose columns are known only after all rows.
    """
    kind, _ = file_format(path)
    check_file(path)
    if kind == "delimited":
        return open_delimited(path, options)
    if kind == "jsonlines":
        return open_jsonlines(path, allowance or Allowance())
    return open_columnar(path, kind)


def find_columns(
    source: Source,
    options: ReadOptions,
    allowance: Allowance | None = None,
) -> tuple[Columns, list[str]]:
    """What every column of a file holds, found in one pass over it, and notes about it.

    Parameters
    ----------
    source : Source
        The opened file.
    options : ReadOptions
        What the user said about it.
    allowance : Allowance, optional
        How much of it may be read; all without it.
    """
    finders = _look_at_all(source, options, allowance or Allowance())
    if not finders:
        raise CommandError(
            "the file has only a header and no rows.",
            "Write at least one row to it.",
            file=source.path,
        )
    found = {name: finder.certain() for name, finder in finders.items()}
    found |= dict.fromkeys(options.text, "text")
    # A table is written in one way: what is certain in one column decides for the others.
    comma = "decimal_comma" in found.values() or (
        "thousands" not in found.values() and getattr(source, "delimiter", ",") == ";"
    )
    kinds = {
        name: kind or ("decimal_comma" if comma else "thousands") for name, kind in found.items()
    }
    notes = list(source.notes) + [
        _comma_note(name, kinds[name], finders[name].example, kind is None)
        for name, kind in found.items()
        if kind is None or kind in ("decimal_comma", "thousands")
    ]
    unusable = [name for name, kind in kinds.items() if kind == "unusable"]
    if unusable:
        notes.append(
            f"ignored, because they are neither numbers nor text nor times: {', '.join(unusable)}"
        )
    usable = {name: kind for name, kind in kinds.items() if kind != "unusable"}
    return Columns(usable, options.missing), notes


def _look_at_all(
    source: Source, options: ReadOptions, allowance: Allowance
) -> dict[str, KindFinder]:
    """A finder for each column that has seen its rows, or their type; none if there are no rows."""
    names = allowance.choose(source)
    if isinstance(source, ColumnarSource):
        chosen = set(names)
        of_type = {type_: KindFinder(options.missing) for type_ in set(source.types.types)}
        for type_, finder in of_type.items():
            finder.note_type(type_)
        shared = zip(source.names, source.types.types, strict=True)
        return (
            {}
            if source.empty
            else {name: of_type[type_] for name, type_ in shared if name in chosen}
        )
    finders = {name: KindFinder(options.missing, options.odd != "text") for name in names}
    rows = 0
    for block in allowance.rows(source.blocks(names)):
        rows += len(block)
        if isinstance(source, DelimitedSource):
            look_at_texts(block, finders)
            continue
        for name, finder in finders.items():
            finder.note_type(block.column(name).type)
    return finders if rows else {}


def _comma_note(name: str, kind: str, example: str | None, guessed: bool) -> str:
    doubt = "; this is ambiguous, so please check" if guessed else ""
    return f'column "{name}" is read as {SHOWN[kind]}, such as "{example}"{doubt}'


def read_table(
    path: Path,
    options: ReadOptions | None = None,
    source: Source | None = None,
    allowance: Allowance | None = None,
) -> Reading:
    """Read a whole file into typed columns.

    Parameters
    ----------
    path : Path
        The file.
    options : ReadOptions, optional
        What the user said about it.
    source : Source, optional
        The file, if it was opened before.
    allowance : Allowance, optional
        How much of it may be read; all without it.
    """
    import pyarrow as pa

    options = options or ReadOptions()
    allowance = allowance or Allowance()
    source = source or open_file(path, options, allowance)
    if isinstance(source, DelimitedSource):
        source.hold(allowance, options)
    columns, notes = find_columns(source, options, allowance)
    odd = OddCells(source, strict=options.odd == "error")
    blocks = list(_converted(source, columns, odd, allowance=allowance))
    table = pa.concat_tables(blocks, promote_options="permissive")
    return Reading(table, columns, odd, notes + odd.notes(words=True))


def open_blocks(
    path: Path,
    columns: Columns,
    options: ReadOptions | None = None,
    also: Iterable[str] = (),
    spare: Sequence[str] = (),
    odd: OddCells | None = None,
    allowance: Allowance | None = None,
) -> tuple[Iterator[Any], list[str]]:
    """The rows of a file in blocks, with the columns and types of an earlier reading.

    Only one block is in memory at a time.

    Parameters
    ----------
    path : Path
        The file.
    columns : Columns
        The columns that must be there, and what they hold.
    options : ReadOptions, optional
        What the user said about the file.
    also : iterable of str
        Further columns to hand out as they are.
    spare : sequence of str
        Columns that may be there and are not needed, such as the target.
    odd : OddCells, optional
        Notes cells that do not fit their columns and count as missing. Otherwise `notes` tells of
        them after the last block.
    allowance : Allowance, optional
        How much of the file may be read; all without it.

    Returns
    -------
    blocks : iterator of pyarrow Table
        The rows.
    notes : list of str
        What may surprise, such as columns that are ignored.
    """
    options = options or ReadOptions(missing=columns.missing)
    source = open_file(path, options, allowance)
    present = set(source.names)
    absent = [name for name in columns.kinds if name not in present]
    if absent:
        listed = ", ".join(f'"{name}"' for name in absent)
        raise CommandError(
            f"the model needs {'columns' if len(absent) > 1 else 'a column'} that "
            f"{'are' if len(absent) > 1 else 'is'} not in the file: {listed}.",
            nearest(absent[0], source.names),
            file=path,
        )
    kept = [name for name in dict.fromkeys(also) if name not in columns.kinds]
    for name in kept:
        if name not in source.names:
            cure = nearest(name, source.names)
            raise CommandError("is not in the file.", cure, path, column=name)
    expected = {*columns.kinds, *kept, *spare}
    ignored = [name for name in source.names if name not in expected]
    notes = list(source.notes)
    if ignored:
        notes.append(f"columns that the model does not know are ignored: {', '.join(ignored)}")
    if odd is not None:
        return _converted(source, columns, odd, kept, allowance), notes
    odd = OddCells(source, strict=options.odd == "error")
    blocks = _converted(source, columns, odd, kept, allowance)
    return _telling(blocks, odd, notes), notes


def _telling(blocks: Iterator[Any], odd: OddCells, notes: list[str]) -> Iterator[Any]:
    yield from blocks
    notes += odd.notes()


def _converted(
    source: Source,
    columns: Columns,
    odd: OddCells,
    kept: Iterable[str] = (),
    allowance: Allowance | None = None,
) -> Iterator[Any]:
    first = 0
    kept = list(kept)
    for block in (allowance or Allowance()).rows(source.blocks([*columns.kinds, *kept])):
        table = convert_block(block, columns, source, first, odd)
        for name in kept:
            table = table.append_column(name, block.column(name))
        first += len(block)
        yield table
    odd.check()
