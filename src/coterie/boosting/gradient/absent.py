"""A number that stands for a missing value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coterie.core import ParameterError

if TYPE_CHECKING:
    from coterie.data import Table


def without(table: Table, missing: float | None) -> Table:
    """The table with NaN in place of a number that stands for a missing value.

    Parameters
    ----------
    table : Table
        Rows that were just read.
    missing : float or None
        That number; None changes nothing. Categories are left alone.
    """
    if missing is None or np.isnan(missing):
        return table
    if table.values is None:
        raise ParameterError(
            f"missing={missing!r} needs a dense array or a data frame, but these rows are sparse "
            "or binned. Mark missing values as NaN."
        )
    numeric = [j for j in range(table.n_columns) if j not in table.schema.labels]
    there = np.zeros(table.values.shape, dtype=bool)
    there[:, numeric] = table.values[:, numeric] == missing
    if not there.any():
        return table
    return replace(table, values=np.where(there, np.nan, table.values).astype(table.values.dtype))
