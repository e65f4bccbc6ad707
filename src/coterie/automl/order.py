"""Whether rows are in the order of time."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from coterie.data import Table

_FEWEST = 100  # rows below which a column may grow by chance
_VALUES = 3  # that must differ
_WORDS = {"year", "quarter", "month", "week", "date", "day", "days", "time", "timestamp"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def column_of_time(table: Table, names: Sequence[str]) -> str:
    """The first column that is named after time and never decreases; "" if there is none.

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
    for j, name in enumerate(names):
        if table.categories[j] is None and _WORDS & {w.lower() for w in _WORD.findall(name)}:
            known = table.values[:, j]
            known = known[~np.isnan(known)]
            steps = np.diff(known)
            if (steps >= 0).all() and np.count_nonzero(steps) >= _VALUES - 1:
                return name
    return ""
