"""Whether rows are in the order of time."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coterie.data import Table

_FEWEST = 100  # rows below which a column may grow by chance
_VALUES = 3  # that must differ
_RUN = 20  # rows of a value, on average, that cannot be chance
_WORDS = {"year", "quarter", "month", "week", "date", "day", "days", "time", "timestamp"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def column_of_time(table: Table, names: Sequence[str]) -> str:
    """The first column that is named after time and in order; "" if there is none.

    In order is what never decreases, and what takes each of a few values in one run of rows, as
    months do that are sorted as text.

    Parameters
    ----------
    table : Table
        The rows.
    names : sequence of str
        Names of the columns.

    Examples
    --------
    >>> days = Table.read(np.arange(200.0).reshape(-1, 1) // 10)
    >>> column_of_time(days, ["sale_date"]), column_of_time(days, ["size"])
    ('sale_date', '')
    """
    if table.values is None or table.n_rows < _FEWEST:
        return ""
    labels = table.schema.labels
    for j, name in enumerate(names):
        if j not in labels and _WORDS & {w.lower() for w in _WORD.findall(name)}:
            known = table.values[:, j]
            known = known[~np.isnan(known)]
            if _in_order(known):
                return name
    return ""


def _in_order(values: NDArray[np.float64]) -> bool:
    steps = np.diff(values)
    n_changes = np.count_nonzero(steps)
    if n_changes < _VALUES - 1:
        return False
    one_run_each = n_changes < len(values) / _RUN and n_changes == len(np.unique(values)) - 1
    return bool((steps >= 0).all() or one_run_each)
