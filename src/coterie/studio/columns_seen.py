"""What is in a table, column by column, for someone who opens it."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.files.kinds import SHOWN
from coterie.studio.table_points import NUMERIC

_BINS = 16
_MOST_VALUES = 8


def describe_columns(reading: Any) -> list[dict[str, Any]]:
    """Kind, holes and distribution of each column of a table that was read.

    Parameters
    ----------
    reading : Reading
        From `coterie.files.read_table`.

    Returns
    -------
    list of dict
    """
    table, kinds = reading.table, reading.columns.kinds
    return [
        _column(name, kinds.get(name, "empty"), table.column(name)) for name in table.schema.names
    ]


def _column(name: str, kind: str, cells: Any) -> dict[str, Any]:
    known = cells.drop_null()
    found: dict[str, Any] = {
        "name": name,
        "kind": SHOWN.get(kind, kind),
        "missing": 1.0 - len(known) / max(len(cells), 1),
        "distinct": len(known.unique()),
        "findings": _findings(len(known), len(cells), len(known.unique()), kind),
    }
    if kind in NUMERIC and len(known):
        values = known.to_numpy().astype(np.float64)
        counts, edges = np.histogram(values[np.isfinite(values)], bins=_BINS)
        found["histogram"] = {"counts": counts.tolist(), "edges": edges.round(6).tolist()}
        found["example"] = float(np.median(values))
    elif len(known):
        counted = sorted(known.value_counts().to_pylist(), key=lambda one: -one["counts"])
        top = [[str(one["values"])[:60], one["counts"]] for one in counted[:_MOST_VALUES]]
        found["values"], found["example"] = top, str(counted[0]["values"])
    return found


def _findings(known: int, rows: int, distinct: int, kind: str) -> list[str]:
    found = []
    if distinct <= 1:
        found.append("constant, so it is not useful")
    if known < rows / 2:
        found.append("more than half missing")
    if kind in ("text", "integer") and distinct == known == rows and rows > 20:
        found.append("different in every row: perhaps an identifier")
    return found
