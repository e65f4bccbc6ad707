"""Many columns of few rows: there, calls take longer than cells, so columns share them.

Columns of one type are put one below the other, treated as a single long column, and cut apart.
Those that seem to hold numbers are parsed as such at once, which takes a fraction of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["WIDE", "bundles", "cut", "narrowed", "seem_numbers", "spellings"]

WIDE = 2_000  # columns, from which a table is wide
# A number whatever decimal commas there are: three digits after a point may be thousands.
_NUMBER = re.compile(r"[+-]?(\d+|\d*\.(\d{1,2}|\d{4,})|\d*\.?\d+[eE][+-]?\d+)")
_LARGEST_WHOLE = 2.0**53

_LONG = 10_000  # rows, from which a column is worth calls of its own
_CELLS = 1 << 20  # of columns that are taken together


def bundles(block: Any, kinds: Mapping[str, Any]) -> Iterator[tuple[list[str], Any]]:
    """Names of columns that are treated alike, and their cells one below the other.

    Parameters
    ----------
    block : pyarrow RecordBatch
        Some rows.
    kinds : dict of str
        The columns, and what is to be the same for those that come together, besides the type.

    Examples
    --------
    >>> import pyarrow as pa
    >>> block = pa.record_batch({"a": [1, 2], "b": ["x", "y"], "c": [3, 4]})
    >>> [(names, cells.to_pylist()) for names, cells in bundles(block, dict.fromkeys("abc"))]
    [(['a', 'c'], [1, 2, 3, 4]), (['b'], ['x', 'y'])]
    """
    import pyarrow as pa

    columns = dict(zip(block.schema.names, block.columns, strict=True))
    alike: dict[Any, list[str]] = {}
    for name, kind in kinds.items():
        alike.setdefault((columns[name].type, kind), []).append(name)
    at_once = max(1, _CELLS // max(1, len(block))) if len(block) < _LONG else 1
    for (type_, _), names in alike.items():
        # Each column has a dictionary of its own.
        step = 1 if pa.types.is_dictionary(type_) else at_once
        for start in range(0, len(names), step):
            some = names[start : start + step]
            cells = [columns[name] for name in some]
            yield some, cells[0] if len(cells) == 1 else pa.concat_arrays(cells)


def cut(names: list[str], cells: Any) -> Iterator[tuple[str, Any]]:
    """Each column of a bundle with its part of the cells.

    Parameters
    ----------
    names : list of str
        The columns.
    cells : pyarrow array
        What became of their cells, one column below the other.
    """
    n_rows = len(cells) // len(names)
    for number, name in enumerate(names):
        yield name, cells.slice(number * n_rows, n_rows)


def seem_numbers(rows: Sequence[Sequence[str]], missing: Sequence[str]) -> list[bool]:
    """Which columns hold plain numbers in the first rows of a text file.

    Parameters
    ----------
    rows : list of lists of str
        The cells of some rows.
    missing : sequence of str
        Texts that mean a missing value, in small letters.

    Examples
    --------
    >>> seem_numbers([["1", "x", "1.234", "?"], ["2.5", "3", "2", "?"]], ["?"])
    [True, False, False, False]
    """
    return [_seems_number(cells, missing) for cells in zip(*rows, strict=True)]


def _seems_number(cells: tuple[str, ...], missing: Sequence[str]) -> bool:
    known = [cell for cell in cells if cell.strip().lower() not in missing]
    return bool(known) and all(_NUMBER.fullmatch(cell.strip()) for cell in known)


def spellings(missing: Sequence[str]) -> list[str]:
    """Usual ways to write the texts that mean a missing value.

    Examples
    --------
    >>> spellings(["na"])
    ['NA', 'Na', 'na']
    """
    return sorted({way(text) for text in missing for way in (str, str.upper, str.title)})


def narrowed(block: Any, names: Sequence[str]) -> Any:
    """A block in which columns of numbers that are whole are of a whole type.

    Parameters
    ----------
    block : pyarrow RecordBatch
        Some rows.
    names : sequence of str
        Columns of numbers, parsed as float64.

    Raises
    ------
    ArrowInvalid
        If a whole number is so large that digits of it may be lost.
    """
    import pyarrow as pa
    from pyarrow import compute as pc

    whole: dict[str, Any] = {}
    for some, cells in bundles(block, dict.fromkeys(names)):
        odd = pc.fill_null(pc.not_equal(pc.floor(cells), cells), False)
        fractions = odd.to_numpy(zero_copy_only=False).reshape(len(some), -1).any(axis=1)
        for (name, column), fraction in zip(cut(some, cells), fractions.tolist(), strict=True):
            if not fraction:
                if (pc.max(pc.abs(column)).as_py() or 0.0) >= _LARGEST_WHOLE:
                    raise pa.ArrowInvalid("too large for a float64")
                whole[name] = column.cast(pa.int64())
    if not whole:
        return block
    arrays = zip(block.schema.names, block.columns, strict=True)
    return pa.record_batch({name: whole.get(name, column) for name, column in arrays})
