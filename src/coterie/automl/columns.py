"""What the columns hold, and which of them members see."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.automl.records import Column
from coterie.data import Table

Array = NDArray[Any]

SAMPLE = 100_000  # rows of a long table that are looked at
_TOGETHER = 4_000_000  # cells that are sorted at a time
_FEWEST = 50  # rows below which nothing is taken for an identifier
_ID_NAME = re.compile(r"(^|[_\W])(id|uuid|guid|key|index|rownames?|row)($|[_\W])|Id$|ID$", re.I)
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


def read_columns(table: Table, names: list[str], origin: list[str]) -> Reading:
    """Look at every column; constant ones, identifiers and sentences are left out.

    Parameters
    ----------
    table : Table
        The rows.
    names : list of str
        Names of its columns.
    origin : list of str
        The column each of them was made of: another one for the parts of a date.

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
        counts, made = (missing[j], distinct[j]), origin[j] != name
        columns.append(_look(name, some[:, j], counts, labels[j], whole=bool(whole[j]), made=made))
    used = np.flatnonzero([column.used for column in columns])
    if not len(used):
        return Reading(columns, used).using_all()
    return Reading(columns, used)


def no_use(frame: Any) -> list[Column]:
    """Columns that are not worth being read, by the first rows of a table that is read in blocks.

    These are identifiers and sentences, and text of which more than half of the rows have a value
    of their own: it would have more labels than can be counted.
    """
    table = Table.read(frame)
    names = list(table.names or ())
    columns = read_columns(table, names, names).columns
    known = [table.n_rows * (1 - column.missing) for column in columns]
    found = []
    for column, number, labels in zip(columns, known, table.categories, strict=True):
        if column.note in ("identifier", "sentences"):
            found.append(replace(column, used=False))
        elif labels is not None and number >= _FEWEST and column.distinct > 0.5 * number:
            found.append(replace(column, kind="text", used=False, note="many labels"))
    return found


def _integers(table: Table, n_columns: int) -> NDArray[np.bool_]:
    """Columns that were given as integers; floats that happen to be whole are not."""
    source = table.source
    frame = getattr(source, "frame", None)
    if frame is not None:
        return np.array([dtype.is_integer() for dtype in frame.schema.dtypes()])
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
    made: bool,
) -> Column:
    missing, distinct = counts
    kind = "date" if made else "number" if labels is None else "category"
    if distinct <= 1:
        note = "no value" if distinct == 0 else "always the same"
        # Being there or not may still say something.
        if distinct == 0 or missing == 0:
            return Column(name, kind, missing, distinct, False, note)
        return Column(name, kind, missing, distinct, True, "one value or none")
    if labels is None and (not whole or made):
        return Column(name, kind, missing, distinct)
    known = cells[~np.isnan(cells)]
    if labels is not None:
        if len(known) >= _FEWEST and _is_prose(labels) and distinct > 0.2 * len(known):
            return Column(name, "text", missing, distinct, False, "sentences")
        if len(known) >= _FEWEST and distinct > 0.95 * len(known):
            return Column(name, "text", missing, distinct, False, "identifier")
    elif len(known) >= _FEWEST and distinct == len(known):
        steps = np.diff(known)
        counted = bool((steps > 0).all() or (steps < 0).all())
        if counted or _ID_NAME.search(name) or np.ptp(known) == len(known) - 1:
            return Column(name, kind, missing, distinct, False, "identifier")
    return Column(name, kind, missing, distinct)


def _is_prose(labels: Array) -> bool:
    some = [str(label) for label in labels[:200]]
    return bool(np.mean([text.count(" ") + 1 for text in some]) >= _WORDS)
