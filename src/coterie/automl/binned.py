"""Rows of which only the bins are known: tables too large to be held as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.automl.splits import Plan, Rows
from coterie.data import BinnedRows, Schema, Table

HELD_OUT = 0.1  # share of the rows, the last ones, that members are judged by
PLAN = Plan(round(1 / HELD_OUT), hold_out=True)
_SAMPLE = 20_000  # rows that are turned into numbers to be looked at


def is_binned(table: Table) -> bool:
    """Whether bins are all that is known of a table."""
    return table.values is None and table.sparse is None


def member_rows(table: Table) -> BinnedRows:
    """What members see of a table: no names, and codes in place of the labels of categories.

    They share the memory of the table, and so fitted members can be asked about the cells of any
    table that was read under the same schema.
    """
    assert table.bins is not None
    assert isinstance(table.codes, np.ndarray)
    codes = {j: np.arange(len(labels), dtype=float) for j, labels in table.schema.labels.items()}
    return BinnedRows(Schema(table.n_columns, None, codes), table.bins, table.codes)


def look_at_some(table: Table, truth: NDArray[Any]) -> tuple[Table, NDArray[Any]]:
    """Some rows, evenly spaced, as numbers, with their target."""
    every = slice(None, None, max(1, table.n_rows // _SAMPLE))
    return Table(table.schema, table.take(every).given()), truth[every]


def hold_out_last(n_rows: int) -> list[tuple[Rows, Rows]]:
    """One split, whose held-out rows are the last ones; neighbours, so that nothing is copied.

    Examples
    --------
    >>> [(train, test)] = hold_out_last(30)
    >>> train[-1], test
    (np.int32(26), array([27, 28, 29], dtype=int32))
    """
    cut = n_rows - max(1, round(HELD_OUT * n_rows))
    rows: Any = np.arange(n_rows, dtype=np.int32)
    return [(rows[:cut], rows[cut:])] if cut else []
