"""The two axes of a picture, and the rows that a model is asked about to fill it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: What is drawn: one or two columns by position or name, or "pca".
Columns = Sequence[int | str] | str | None


@dataclass(frozen=True)
class Plane:
    """A flat view of a table: where its rows lie, and a grid of rows that covers the picture.

    Parameters
    ----------
    points : ndarray of shape (n_rows, 2)
        Places of the rows; of a single column the second number is 0.
    box : tuple of four float
        Least and greatest place on both axes.
    names : tuple of str
        What the axes are called.
    grid : array or data frame
        Rows that a model can be asked about, from the lower left, x running fastest; of a single
        column one row of them. What is not drawn is held at a typical value.
    drawn : tuple of int
        Positions of the columns on the axes; empty for a projection, which has no cuts.
    typical : list of float or None
        The value at which each column is held, None for text.
    """

    points: Array
    box: tuple[float, float, float, float]
    names: tuple[str, str]
    grid: Any
    drawn: tuple[int, ...]
    typical: list[float | None]
    basis: tuple[Array, Array] | None = None

    @classmethod
    def over(cls, X: Any, columns: Columns, resolution: int) -> Plane:
        """The view of a table along some columns, or of its two principal components.

        Examples
        --------
        >>> plane = Plane.over([[0.0, 1.0], [2.0, 5.0]], None, 3)
        >>> plane.names, len(plane.grid)
        (('column 0', 'column 1'), 9)
        """
        names = column_names(X)
        if columns == "pca":
            return cls._projected(X, resolution)
        wanted = range(min(2, width(X))) if columns is None else columns
        if isinstance(wanted, str):
            raise ValueError(f'columns must be one or two columns, or "pca", not {wanted!r}.')
        drawn = tuple(_position(column, names) for column in wanted)
        if len(drawn) not in (1, 2):
            raise ValueError(f"One or two columns can be drawn, not {len(drawn)}.")
        points = _places(X, drawn)
        box = _box(points)
        axes = _axes(box, resolution, len(drawn))
        shown = (names[drawn[0]], names[drawn[1]] if len(drawn) == 2 else "")
        grid, typical = _filled(X, dict(zip(drawn, axes, strict=False)))
        return cls(points, box, shown, grid, drawn, typical)

    @classmethod
    def _projected(cls, X: Any, resolution: int) -> Plane:
        table = _numbers(X)
        centre, spread = table.mean(axis=0), table.std(axis=0)
        spread[spread == 0] = 1.0
        directions = np.linalg.svd((table - centre) / spread, full_matrices=False)[2][:2]
        if len(directions) < 2:
            raise ValueError("A projection needs at least two columns.")
        into, back = directions.T / spread[:, None], directions * spread
        points = (table - centre) @ into
        box = _box(points)
        x, y = _axes(box, resolution, 2)
        grid = np.stack([x, y], axis=1) @ back + centre
        names = ("first component", "second component")
        return cls(points, box, names, _like(X, grid), (), [], (centre, into))

    def place(self, X: Any) -> Array:
        """Where further rows of the same table lie."""
        if self.basis is not None:
            centre, into = self.basis
            return np.asarray((_numbers(X) - centre) @ into)
        return _places(X, self.drawn)


def column_names(X: Any) -> list[str]:
    """Names of the columns, made up where there are none."""
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    return [f"column {place}" for place in range(width(X))]


def width(X: Any) -> int:
    """Number of columns."""
    return len(X.columns) if hasattr(X, "columns") else int(np.asarray(X).shape[1])


def join_rows(first: Any, second: Any) -> Any:
    """Rows of two tables of the same kind, one after the other."""
    if not hasattr(first, "columns"):
        return np.concatenate([np.asarray(first), np.asarray(second)])
    return nw.concat([nw.from_native(first), nw.from_native(second)]).to_native()


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a table."""
    if not hasattr(X, "columns"):
        return np.asarray(X)[rows]
    return nw.from_native(X, eager_only=True)[rows.tolist()].to_native()


def _position(column: int | str, names: list[str]) -> int:
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"Column {column!r} is not in the table.")
        return names.index(column)
    if not -len(names) <= column < len(names):
        raise ValueError(f"There is no column {column}; the table has {len(names)} columns.")
    return int(column) % len(names)


def _column(X: Any, place: int) -> Array:
    """The numbers of one column."""
    if not hasattr(X, "columns"):
        return np.asarray(np.asarray(X)[:, place], dtype=np.float64)
    frame = nw.from_native(X, eager_only=True)
    series = frame[frame.columns[place]]
    if not (series.dtype.is_numeric() or series.dtype == nw.Boolean):
        raise ValueError(f"Column {series.name!r} is not numeric and cannot be used as an axis.")
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _numbers(X: Any) -> Array:
    table = np.stack([_column(X, place) for place in range(width(X))], axis=1)
    gaps = np.isnan(table)
    return np.where(gaps, np.nanmean(table, axis=0), table) if gaps.any() else table


def _places(X: Any, drawn: tuple[int, ...]) -> Array:
    across = [_column(X, place) for place in drawn]
    return np.stack([*across, np.zeros_like(across[0])][:2], axis=1)


def _box(points: Array) -> tuple[float, float, float, float]:
    """A little beyond the outermost points."""
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    beyond = np.where(high > low, 0.08 * (high - low), 1.0)
    low, high = low - beyond, high + beyond
    return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def _axes(
    box: tuple[float, float, float, float], resolution: int, n_axes: int
) -> tuple[Array, Array]:
    """Centres of the grid's cells, x running fastest."""
    middle = (np.arange(resolution) + 0.5) / resolution
    x = box[0] + middle * (box[1] - box[0])
    y = box[2] + middle * (box[3] - box[2])
    if n_axes == 1:
        return x, x
    return np.tile(x, resolution), np.repeat(y, resolution)


def _filled(X: Any, drawn: dict[int, Array]) -> tuple[Any, list[float | None]]:
    """Rows with given columns, the others at a typical value."""
    length = len(next(iter(drawn.values())))
    if not hasattr(X, "columns"):
        typical = np.nanmedian(np.asarray(X, dtype=np.float64), axis=0)
        rows = np.tile(typical, (length, 1))
        for place, values in drawn.items():
            rows[:, place] = values
        return rows, [float(value) for value in typical]
    frame = nw.from_native(X, eager_only=True)
    held: list[float | None] = []
    columns = {}
    for place, name in enumerate(frame.columns):
        at, value = _typical(frame[name])
        held.append(value)
        columns[name] = frame[name][[at] * length]
        if place in drawn:
            columns[name] = nw.new_series(name, drawn[place], backend=frame.implementation)
    return frame[[0] * length].with_columns(**columns).to_native(), held


def _typical(series: Any) -> tuple[int, float | None]:
    """The row with a typical value of a column: the one closest to the median, or most common."""
    if series.dtype.is_numeric():
        values = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
        away = np.abs(values - np.nanmedian(values))
        at = int(np.nanargmin(away))
        return at, float(values[at])
    shown = series.cast(nw.String).to_list()
    common = max(set(shown), key=lambda value: (shown.count(value), str(value)))
    return shown.index(common), None


def _like(X: Any, rows: Array) -> Any:
    """Numbers as a table of the kind of X."""
    if not hasattr(X, "columns"):
        return rows
    frame = nw.from_native(X, eager_only=True)
    columns = {name: rows[:, place] for place, name in enumerate(frame.columns)}
    return nw.from_dict(columns, backend=frame.implementation).to_native()
