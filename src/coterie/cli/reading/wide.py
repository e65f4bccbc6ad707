"""Many columns of few rows: there, calls take longer than cells, so columns share them.

Columns of one type are put one below the other, treated as a single long column, and cut apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["bundles", "cut"]

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
