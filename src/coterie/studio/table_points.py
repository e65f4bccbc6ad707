"""Points of a table for the explorer: two of its columns, or a projection of all."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.serve.problems import Problem
from coterie.studio.plane import Plane
from coterie.studio.scene import MOST_CLASSES

NUMERIC = frozenset({"integer", "number", "decimal_comma", "thousands"})


def table_points(reading: Any, target: Any, columns: Any, most: int) -> dict[str, Any]:
    """Rows of a table as points, and their classes or numbers.

    Parameters
    ----------
    reading : Reading
        From `coterie.files.read_table`.
    target : str
        A column: its classes if it is text or has few values, otherwise its numbers.
    columns : list of str, or "pca"
        One or two columns of numbers, or the principal components of all of them. Numbers are
        drawn over the first only.
    most : int
        Of more rows, a random sample is drawn, the same each time.

    Returns
    -------
    dict
        ``X``, ``y``, ``task``, the names of ``columns`` and ``classes``, and ``left_out``: the
        number of rows with missing values.
    """
    numeric = [name for name, kind in reading.columns.kinds.items() if kind in NUMERIC]
    if target not in reading.table.schema.names:
        raise Problem(f"Column {target!r} is not in the table.", field="target")
    inputs = [name for name in numeric if name != target]
    chosen = inputs if columns == "pca" else columns
    if not isinstance(chosen, list) or not chosen or not set(map(str, chosen)) <= set(inputs):
        raise Problem(
            "Choose one or two columns of numbers other than the target.",
            f"Available: {', '.join(inputs) or 'none'}.",
            field="columns",
        )
    X = np.column_stack([_numbers(reading.table.column(name)) for name in chosen])
    y, classes = _target(reading.table.column(target), numeric=target in numeric)
    whole = np.isfinite(X).all(axis=1) & (np.isfinite(y) if classes is None else y >= 0)
    rows = np.flatnonzero(whole)
    kept = np.sort(np.random.default_rng(0).permutation(rows)[:most])
    if len(kept) < 2:
        raise Problem("Fewer than two rows are complete.", "Choose other columns.")
    names, points = [str(name) for name in chosen[:2]], X[kept][:, :2]
    if columns == "pca" and len(inputs) > 1:
        plane = Plane.over(X[kept], "pca", 8)
        names, points = list(plane.names), plane.points
    if classes is not None and points.shape[1] == 1:
        raise Problem("Classes need two columns.", "Choose another one.", field="columns")
    width = 2 if classes is not None else 1
    return {
        "task": "numbers" if classes is None else "classes",
        "X": points[:, :width].round(6).tolist(),
        "y": y[kept].tolist(),
        "columns": names[:width],
        "classes": classes or [],
        "rows": len(y),
        "left_out": int(len(y) - len(rows)),
    }


def _numbers(cells: Any) -> Any:
    return np.asarray(cells.to_numpy(), dtype=np.float64)


def _target(cells: Any, *, numeric: bool) -> tuple[Any, list[str] | None]:
    """Numbers, or codes of classes with their names; missing cells are NaN or -1."""
    distinct = cells.drop_null().unique()
    if numeric and len(distinct) > MOST_CLASSES:
        return _numbers(cells), None
    if not 2 <= len(distinct) <= MOST_CLASSES:
        raise Problem(
            f"The target has {len(distinct)} different values; from 2 to {MOST_CLASSES} classes "
            "can be drawn.",
            "Choose another one.",
            field="target",
        )
    labels = sorted(distinct.to_pylist())
    codes = {label: code for code, label in enumerate(labels)}
    y = np.array([codes.get(cell, -1) for cell in cells.to_pylist()])
    return y, [str(label)[:60] for label in labels]
