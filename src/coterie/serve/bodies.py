"""Rows in the body of a request, as a table with the types of the model's columns."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coterie.base import Committee
from coterie.data import ListSource
from coterie.files.convert import convert_block
from coterie.files.errors import CommandError, nearest
from coterie.files.formats import ReadOptions
from coterie.files.kinds import Columns
from coterie.files.models import Fitted
from coterie.files.odd import OddCells
from coterie.files.table import open_blocks
from coterie.serve.problems import Problem

__all__ = ["ENDINGS", "Rows", "read_body", "table_of", "taken", "typed"]

# Types of bodies, and the file each would be.
ENDINGS = {
    "text/csv": ".csv",
    "application/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    "application/vnd.apache.arrow.file": ".arrow",
    "application/vnd.apache.parquet": ".parquet",
    "application/x-parquet": ".parquet",
}
STREAM = "application/vnd.apache.arrow.stream"
_REQUEST = Path("the request")


@dataclass
class _RequestRows:
    """Columns that came in a request, for the messages of `convert_block`."""

    names: tuple[str, ...]
    path: Path = _REQUEST
    notes: list[str] = field(default_factory=list)

    def line(self, row: int) -> int:
        """The line that the row would have in a file with a header."""
        return row + 2

    def blocks(self, columns: Sequence[str]) -> Iterator[Any]:
        """There are none; rows come as a whole."""
        return iter(())


@dataclass(frozen=True)
class Rows:
    """Rows of JSON, of which no table has been made yet.

    A table of one row costs as much as one of a hundred, so rows of several requests share one.

    Attributes
    ----------
    cells : list of sequences
        For each row its cells, in the order of the model's columns.
    """

    cells: list[Sequence[Any]]

    def __len__(self) -> int:
        return len(self.cells)


def taken(fitted: Fitted, rows: Any) -> Any:
    """Rows as the model reads them soonest: lists, or the Arrow table that `table_of` makes.

    Parameters
    ----------
    fitted : Fitted
        The model.
    rows : Rows or pyarrow Table
        What `read_body` gave.
    """
    if not isinstance(rows, Rows) or not _reads_lists(fitted):
        return table_of(fitted, rows)
    names = tuple(fitted.given_names)
    columns = zip(names, zip(*rows.cells, strict=True), strict=True)
    return ListSource(tuple(_checked(name, values) for name, values in columns), names)


def _reads_lists(fitted: Fitted) -> bool:
    """Whether the model takes cells as they are; one for whole tables prepares columns first."""
    model = fitted.model
    prepares = hasattr(model, "preparation_") or hasattr(model, "file_columns_")
    return isinstance(model, Committee) and fitted.names is not None and not prepares


def table_of(fitted: Fitted, rows: Any) -> Any:
    """Rows as the Arrow table that the model takes.

    Parameters
    ----------
    fitted : Fitted
        The model.
    rows : Rows or pyarrow Table
        What `read_body` gave.
    """
    if not isinstance(rows, Rows):
        return rows
    columns = zip(fitted.given_names, zip(*rows.cells, strict=True), strict=True)
    return typed(fitted, {name: _cells(name, values) for name, values in columns})


def read_body(fitted: Fitted, content_type: str, body: bytes, max_rows: int) -> Any:
    """The rows of a request: as JSON gave them, or as the Arrow table that the model takes.

    Parameters
    ----------
    fitted : Fitted
        The model.
    content_type : str
        The type of the body; parameters such as a character set are ignored.
    body : bytes
        The body.
    max_rows : int
        The most rows that are admitted.
    """
    kind = content_type.partition(";")[0].strip().lower() or "application/json"
    if not body.strip():
        raise Problem("The request has no body.", "Send rows.", 400)
    if kind == "application/json":
        table = _of_json(fitted, body)
    elif kind == STREAM:
        table = typed(fitted, _stream_columns(body))
    elif kind in ENDINGS:
        table = _from_file(fitted, body, ENDINGS[kind], max_rows)
    else:
        known = ", ".join(["application/json", *ENDINGS, STREAM])
        raise Problem(f"Content type {kind!r} is not supported.", f"Send one of {known}.", 415)
    if len(table) > max_rows:
        raise Problem(f"More than {max_rows:,} rows.", "Send them in several requests.", 413)
    if len(table) == 0:
        raise Problem("The request has no rows.", "Send at least one.")
    return table


def typed(fitted: Fitted, columns: dict[str, Any]) -> Any:
    """Columns as they came, with the types of the fit and in its order.

    Parameters
    ----------
    fitted : Fitted
        The model.
    columns : dict of str to pyarrow array
        What came.
    """
    import pyarrow as pa

    known = getattr(fitted.model, "file_columns_", None)
    wanted = fitted.names
    if wanted is None:
        _check_number(fitted, columns)
        return pa.table(columns)
    _check_names(wanted, columns)
    block = pa.record_batch([columns[name] for name in wanted], names=wanted)
    if known is None:
        return pa.table(block)
    every = Columns.from_plain(known)
    source = _RequestRows(tuple(wanted))
    return convert_block(block, every.only(wanted), source, 0, OddCells(source, strict=True))


def _check_names(wanted: Sequence[str], columns: dict[str, Any]) -> None:
    missing = [name for name in wanted if name not in columns]
    if missing:
        listed = ", ".join(f'"{name}"' for name in missing)
        raise Problem(
            f"The model needs {'columns' if len(missing) > 1 else 'a column'} that "
            f"{'are' if len(missing) > 1 else 'is'} not in the request: {listed}.",
            nearest(missing[0], columns) if columns else "",
            field=missing[0],
        )


def _check_number(fitted: Fitted, columns: dict[str, Any]) -> None:
    wanted = int(fitted.model.n_features_in_)
    if len(columns) != wanted:
        raise Problem(
            f"The model was fitted on {wanted} columns without names; the request has "
            f"{len(columns)}."
        )


def _of_json(fitted: Fitted, body: bytes) -> Any:
    """A row, a list of rows, {"rows": […]} or {"columns": {…}}."""
    try:
        said = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Problem(f"The body is not valid JSON: {error}", status=400) from None
    if isinstance(said, dict) and isinstance(said.get("columns"), dict) and len(said) == 1:
        return typed(fitted, _of_columns(said["columns"]))
    if isinstance(said, dict):
        said = said["rows"] if set(said) == {"rows"} else [said]
    if not isinstance(said, list):
        raise Problem(
            "The body is neither a row nor a list of rows.",
            'Send [{"column": value, …}, …], {"rows": […]} or {"columns": {…}}.',
        )
    return _of_rows(fitted, said)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON; write null for a missing value")


def _of_columns(columns: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, values in columns.items():
        if not isinstance(values, list):
            raise Problem("The values of a column must be in a list.", field=name)
        found[name] = _cells(name, values)
    if len({len(values) for values in found.values()}) > 1:
        raise Problem("Columns have different lengths.")
    return found


def _of_rows(fitted: Fitted, rows: list[Any]) -> Rows:
    if fitted.names is None:
        return _unnamed(fitted, rows)
    names = fitted.names
    found: list[Sequence[Any]] = []
    for number, row in enumerate(rows):
        if isinstance(row, list) and len(row) == len(names):
            found.append(row)
            continue
        if not isinstance(row, dict):
            raise Problem("Not an object.", 'Write {"column": value, …}.', row=number)
        try:
            found.append([row[name] for name in names])
        except KeyError as error:
            absent = error.args[0]
            cure = f"{nearest(absent, row) if row else ''} Write null for a missing value."
            raise Problem(
                "This column is missing from the row.", cure.strip(), field=absent, row=number
            ) from None
    return Rows(found)


def _unnamed(fitted: Fitted, rows: list[Any]) -> Rows:
    wanted = int(fitted.model.n_features_in_)
    for number, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != wanted:
            raise Problem(
                f"Not a list of {wanted} numbers.",
                "The model was fitted on columns without names.",
                row=number,
            )
    return Rows(rows)


def _cells(name: str, values: Sequence[Any]) -> Any:
    """An Arrow array of JSON values."""
    import pyarrow as pa

    return pa.array(_checked(name, values))


def _checked(name: str, values: Sequence[Any]) -> Sequence[Any]:
    """JSON values of one type, or missing; integers and fractions may be mixed."""
    types = set(map(type, values)) - {type(None)}
    if types <= {int, float}:
        if int in types:
            values = [None if value is None else float(value) for value in values]
    elif len(types) > 1 or types - {str, bool}:
        first = next(type(value) for value in values if value is not None)
        odd = (k for k, v in enumerate(values) if v is not None and type(v) is not first)
        row = next(odd, next(k for k, v in enumerate(values) if v is not None))
        raise Problem(
            f"{json.dumps(values[row])[:60]} does not have the expected type.",
            "Send numbers throughout, or text throughout.",
            field=name,
            row=row,
        )
    return values


def _stream_columns(body: bytes) -> dict[str, Any]:
    import pyarrow as pa

    try:
        with pa.ipc.open_stream(pa.BufferReader(body)) as stream:
            table = stream.read_all()
        table.validate(full=True)
    except (pa.ArrowInvalid, OSError, ValueError) as error:
        raise Problem(f"The body cannot be read as an Arrow stream: {error}", status=400) from None
    return {name: table.column(name).combine_chunks() for name in table.column_names}


def _from_file(fitted: Fitted, body: bytes, ending: str, max_rows: int) -> Any:
    """Rows of a body that is like a file, read as `coterie predict` reads files."""
    import pyarrow as pa

    with tempfile.TemporaryDirectory(prefix="coterie-request-") as folder:
        path = Path(folder, f"request{ending}")
        path.write_bytes(body)
        try:
            columns, options = fitted.columns(path, ReadOptions(odd="error"))
            blocks, _ = open_blocks(path, columns, options, spare=fitted.targets)
            tables, rows = [], 0
            for block in blocks:
                tables.append(block)
                rows += len(block)
                if rows > max_rows:
                    raise Problem(
                        f"More than {max_rows:,} rows.", "Send them in several requests.", 413
                    )
        except CommandError as error:
            # The file is ours; its name would tell the client nothing.
            raise CommandError(error.message, error.cure, None, error.line, error.column) from None
        if not tables:
            raise Problem("The request has no rows.", "Send at least one.")
        return pa.concat_tables(tables, promote_options="permissive")
