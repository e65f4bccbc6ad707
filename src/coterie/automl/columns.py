"""What the columns hold, and which of them members see."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.automl.records import Column
from coterie.data import Table
from coterie.data.column_types import column_types

Array = NDArray[Any]

SAMPLE = 100_000  # rows of a long table that are looked at
_TOGETHER = 4_000_000  # cells that are sorted at a time
_FEWEST = 50  # rows below which nothing is taken for an identifier
_ID_NAME = re.compile(r"(^|[_\W])(id|uuid|guid|key|index|rownames?|row)($|[_\W])|Id$|ID$", re.I)
_ALWAYS = 0.999  # share of the rows
_WORDS = 4.0  # on average, from which a text is taken for sentences


@dataclass(frozen=True)
class Reading:
    """Columns as they were read.

    Parameters
    ----------
    columns : list of Column
        In the order of the table.
    used : ndarray of int
        Positions of those that members see.
    """

    columns: list[Column]
    used: NDArray[np.intp]

    def using_all(self) -> Reading:
        """The same with every column seen."""
        return Reading([replace(c, used=True) for c in self.columns], np.arange(len(self.columns)))


def read_columns(table: Table, names: list[str], made: list[str]) -> Reading:
    """Look at every column; constant ones, identifiers and sentences are left out.

    Parameters
    ----------
    table : Table
        The rows.
    names : list of str
        Names of its columns.
    made : list of str
        What each of them was made of, such as "date" or "text"; "" for those of the table.

    Returns
    -------
    Reading
        If nothing were left, all columns are used.
    """
    if table.values is None:
        every = [Column(name, "number", 0.0, 0) for name in names]
        return Reading(every, np.arange(len(names)))
    step = max(1, table.n_rows // SAMPLE)
    some = table.values[::step]
    labels, whole = table.categories, _integers(table, len(names))
    missing, distinct = _counts(some)
    columns = []
    for j, name in enumerate(names):
        counts = missing[j], distinct[j]
        columns.append(
            _look(name, some[:, j], counts, labels[j], whole=bool(whole[j]), made=made[j])
        )
    used = np.flatnonzero([column.used for column in columns])
    if not len(used):
        return Reading(columns, used).using_all()
    return Reading(columns, used)


def of_the_table(
    columns: Sequence[Column], origin: Sequence[str], note: Callable[[str], str]
) -> list[Column]:
    """Columns that were made, told of under the names of those that they were made of.

    Parameters
    ----------
    columns : sequence of Column
        Those that members might see.
    origin : sequence of str
        What each of them was made of.
    note : callable
        What was done to a column, "" if nothing was.

    Examples
    --------
    >>> parts = [Column("when.days", "date", 0.1, 9), Column("when.hour", "date", 0.1, 1, False)]
    >>> of_the_table(parts, ["when"] * 2, lambda name: "days and hour")
    [Column(name='when', kind='date', missing=0.1, distinct=9, used=True, note='days and hour')]
    """
    parts: dict[str, list[Column]] = {}
    for column, name in zip(columns, origin, strict=True):
        parts.setdefault(name, []).append(column)
    found = []
    for name, own in parts.items():
        first = own[0]
        if len(own) == 1 and name == first.name and not note(name):
            found.append(first)
            continue
        # What is said of a single part is not said of the whole.
        notes = [note(name), first.note if len({column.note for column in own}) == 1 else ""]
        found.append(
            replace(
                first,
                name=name,
                distinct=max(column.distinct for column in own),
                used=any(column.used for column in own),
                note=", ".join(filter(None, notes)),
            )
        )
    return found


def no_use(frame: Any) -> list[Column]:
    """Columns that are not worth being read, by the first rows of a table that is read in blocks.

    These are identifiers and sentences, and text of which more than half of the rows have a value
    of their own: it would have more labels than can be counted.
    """
    table = Table.read(frame)
    names = list(table.names or ())
    columns = read_columns(table, names, [""] * len(names)).columns
    known = [table.n_rows * (1 - column.missing) for column in columns]
    found = []
    for column, number, labels in zip(columns, known, table.categories, strict=True):
        if column.note in ("identifier", "free text"):
            found.append(replace(column, used=False))
        elif labels is not None and number >= _FEWEST and column.distinct > 0.5 * number:
            found.append(replace(column, kind="text", used=False, note="too many categories"))
    return found


def _integers(table: Table, n_columns: int) -> NDArray[np.bool_]:
    """Columns that were given as integers; floats that happen to be whole are not."""
    source = table.source
    frame = getattr(source, "frame", None)
    if frame is not None:
        return np.array([dtype.is_integer() for dtype in column_types(frame).values()])
    values = getattr(source, "values", None)
    kind = getattr(getattr(values, "dtype", None), "kind", "f")
    return np.full(n_columns, kind in "iu")


def _counts(cells: Array) -> tuple[list[float], list[int]]:
    """The share of missing cells in every column, and the number of different values.

    Some columns are sorted at a time: calls for each of very many take long.
    """
    missing: list[float] = []
    distinct: list[int] = []
    step = max(1, _TOGETHER // len(cells))
    for start in range(0, cells.shape[1], step):
        block = np.sort(cells[:, start : start + step], axis=0)  # NaN comes last
        known = ~np.isnan(block)
        new = known[1:] & (block[1:] != block[:-1])
        missing += (~known).mean(axis=0).tolist()
        distinct += (new.sum(axis=0) + known[0]).tolist()
    return missing, distinct


def _look(
    name: str,
    cells: Array,
    counts: tuple[float, int],
    labels: Array | None,
    *,
    whole: bool,
    made: str,
) -> Column:
    missing, distinct = counts
    kind = made or ("number" if labels is None else "category")
    if distinct <= 1:
        note = "no values" if distinct == 0 else "constant"
        # Being there or not may still say something.
        if distinct == 0 or missing == 0:
            return Column(name, kind, missing, distinct, False, note)
        return Column(name, kind, missing, distinct, True, "one value, or missing")
    if labels is None and (not whole or made):
        return Column(name, kind, missing, distinct, note=_rare(cells) if distinct == 2 else "")
    known = cells[~np.isnan(cells)]
    if labels is not None:
        if len(known) >= _FEWEST and _is_prose(labels) and distinct > 0.2 * len(known):
            return Column(name, "text", missing, distinct, False, "free text")
        if len(known) >= _FEWEST and distinct > 0.95 * len(known):
            return Column(name, "text", missing, distinct, False, "identifier")
    elif len(known) >= _FEWEST and distinct == len(known):
        steps = np.diff(known)
        counted = bool((steps > 0).all() or (steps < 0).all())
        if counted or _ID_NAME.search(name) or np.ptp(known) == len(known) - 1:
            return Column(name, kind, missing, distinct, False, "identifier")
    return Column(name, kind, missing, distinct, note=_rare(cells) if distinct == 2 else "")


def _rare(cells: Array) -> str:
    """A note if all but a few rows of a column of two values have the same one."""
    known = cells[~np.isnan(cells)]
    share = np.mean(known == known[0])
    return "nearly constant" if max(share, 1 - share) > _ALWAYS else ""


def _is_prose(labels: Array) -> bool:
    some = [str(label) for label in labels[:200]]
    return bool(np.mean([text.count(" ") + 1 for text in some]) >= _WORDS)
