"""Blocks as they were read, turned into typed columns."""

from __future__ import annotations

from typing import Any

from coterie.files.errors import CommandError
from coterie.files.formats import Source
from coterie.files.kinds import PATTERNS, SHOWN, Columns, is_text, known_cells
from coterie.files.odd import OddCells, quoted
from coterie.files.wide import bundles, cut

__all__ = ["convert_block"]


def convert_block(
    block: Any, columns: Columns, source: Source, first: int, odd: OddCells | None = None
) -> Any:
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
    odd : OddCells, optional
        Notes cells that do not fit, which count as missing then. Without it the first one is an
        error.

    Returns
    -------
    pyarrow Table
        Integers as int64, numbers as float64, times as timestamps, text as strings.
    """
    import pyarrow as pa

    odd = OddCells(source, strict=True) if odd is None else odd
    arrays = dict.fromkeys(columns.kinds)
    for names, cells in bundles(block, columns.kinds):
        kind = columns.kinds[names[0]]
        whole = _convert_bundle(cells, kind, columns.missing) if len(names) > 1 else None
        for name, found in cut(names, whole) if whole is not None else ():
            odd.pass_by(name, kind, len(found) - found.null_count)
            arrays[name] = found
    for name in (name for name, found in arrays.items() if found is None):
        arrays[name] = _convert_column(block, name, columns, source, first, odd)
    return pa.table(arrays)


def _convert_bundle(cells: Any, kind: str, missing: tuple[str, ...]) -> Any:
    """Several columns at once; None if there is more to say about a cell of one of them."""
    import pyarrow as pa

    try:
        found = _convert(cells, kind, missing)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    return None if _first_infinite(found) is not None else found


def _convert_column(
    block: Any, name: str, columns: Columns, source: Source, first: int, odd: OddCells
) -> Any:
    import pyarrow as pa

    cells, kind = block.column(name), columns.kinds[name]
    try:
        found = _convert(cells, kind, columns.missing)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        if not is_text(cells.type) or kind not in PATTERNS:
            raise _wrong_type(cells, kind, error, source, name) from error
        known = known_cells(cells, columns.missing)
        fits = _fitting(known, kind)
        odd.take(name, kind, known, fits, first)
        found = _convert_text(_masked(known, fits), kind)
    else:
        odd.pass_by(name, kind, len(found) - found.null_count)
    _check_finite(found, cells, source, first, name)
    return found


def _convert(cells: Any, kind: str, missing: tuple[str, ...]) -> Any:
    import pyarrow as pa

    if kind == "empty" or pa.types.is_null(cells.type):
        return pa.nulls(len(cells), _arrow_type(kind))
    if is_text(cells.type):
        return _convert_text(known_cells(cells, missing), kind)
    if kind == "text":
        return cells.cast(pa.string())
    if (kind == "time") != pa.types.is_temporal(cells.type):
        # Arrow would make moments of whole numbers, and whole numbers of moments.
        raise pa.ArrowInvalid("these types cannot be converted to each other")
    if kind == "integer" and pa.types.is_floating(cells.type):
        return cells.cast(pa.float64())
    if pa.types.is_integer(cells.type):
        return _convert_whole(cells, kind)
    return cells.cast(_arrow_type(kind))


def _convert_whole(cells: Any, kind: str) -> Any:
    """Integers of any width: those that int64 cannot hold become the nearest double."""
    import pyarrow as pa

    try:
        return cells.cast(_arrow_type(kind))
    except pa.ArrowInvalid:
        return cells.cast(pa.float64(), safe=False)


def _convert_text(known: Any, kind: str) -> Any:
    import pyarrow as pa
    from pyarrow import compute as pc

    if kind == "text":
        return known
    if kind in ("decimal_comma", "thousands") and not pc.all(_fitting(known, kind)).as_py():
        # Without its commas or points it could be read all the same, as another number.
        raise pa.ArrowInvalid("the text has another format")
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


def _fitting(known: Any, kind: str) -> Any:
    """Which cells can be converted; so can those that are missing."""
    import pyarrow as pa
    from pyarrow import compute as pc

    # See `_convert_text`: fractions are fine among whole numbers.
    pattern = PATTERNS["number" if kind == "integer" else kind]
    fits = pc.fill_null(pc.match_substring_regex(known, pattern), True)
    if kind != "time":
        return fits
    # Days that are written well need not exist.
    texts = pc.unique(known.filter(fits).drop_null()).to_pylist()
    impossible = [text for text in texts if not _is_moment(text)]
    return pc.and_(fits, pc.invert(pc.is_in(known, pa.array(impossible, known.type))))


def _is_moment(text: str) -> bool:
    import pyarrow as pa

    try:
        pa.scalar(text).cast(_arrow_type("time"))
    except pa.ArrowInvalid:
        return False
    return True


def _masked(known: Any, fits: Any) -> Any:
    import pyarrow as pa
    from pyarrow import compute as pc

    return pc.if_else(fits, known, pa.scalar(None, known.type))


def _check_finite(found: Any, cells: Any, source: Source, first: int, name: str) -> None:
    """Refuse infinite numbers where their line is still known."""
    row = _first_infinite(found)
    if row is not None:
        line = source.line(first + row)
        where = "" if line is not None else f"row {first + row + 1:,}: "
        raise CommandError(
            f"{where}{quoted(str(cells[row].as_py()))} is infinite.",
            "Write a finite number, or leave the cell empty if the value is unknown.",
            source.path,
            line,
            name,
        )


def _first_infinite(found: Any) -> int | None:
    import pyarrow as pa
    from pyarrow import compute as pc

    if not pa.types.is_floating(found.type):
        return None
    infinite = pc.is_inf(found)
    if not pc.any(infinite).as_py():
        return None
    return int(pc.indices_nonzero(infinite)[0].as_py())


def _wrong_type(cells: Any, kind: str, error: Exception, source: Source, name: str) -> CommandError:
    return CommandError(
        f"contains {cells.type}, but {SHOWN.get(kind, kind)} are expected: {error}",
        "Convert the column to the type it had in the training data.",
        source.path,
        column=name,
    )
