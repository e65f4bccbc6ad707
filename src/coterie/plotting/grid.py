"""A grid over two columns of a table, the others held still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.rule import Array


@dataclass(frozen=True)
class Grid:
    """The grid of points at which a model is evaluated to draw it over two columns.

    Parameters
    ----------
    x, y : ndarray of shape (resolution,)
        Values of the two columns. With a single column, y is -1 and 1 and means nothing.
    rows : ndarray or data frame of shape (len(y) * resolution, n_columns)
        The points as rows, x running fastest; columns that are not drawn are at their medians.
    points : ndarray of shape (n_rows, 2)
        The two columns of the table itself; of a single one, with spread-out heights.
    names : tuple of str
        Names of the two columns; the second is empty if there is none.

    Examples
    --------
    >>> from coterie.plotting import Grid
    >>> grid = Grid.over([[0.0, 1.0], [2.0, 5.0]], (0, 1), resolution=3)
    >>> grid.x, grid.rows.shape
    (array([-0.16,  1.  ,  2.16]), (9, 2))
    """

    x: Array
    y: Array
    rows: Any
    points: Array
    names: tuple[str, str]

    @classmethod
    def over(cls, X: Any, columns: Sequence[int | str], resolution: int) -> Grid:
        """A grid that reaches a little beyond the rows of `X`.

        Parameters
        ----------
        X : array-like or data frame of numbers
            Rows; columns that are not drawn are held at their medians.
        columns : sequence of one or two int or str
            The columns to draw, by position or name; of a table with one column, only the first.
        resolution : int
            Points along each axis.

        Returns
        -------
        Grid
        """
        table = np.asarray(X, dtype=np.float64)
        names = [str(name) for name in getattr(X, "columns", ())]
        drawn = [_position(column, names) for column in columns][: table.shape[1]]
        if len(drawn) not in (1, 2):
            raise ValueError(f"One or two columns can be drawn, not {len(drawn)}.")
        x = _reach(table[:, drawn[0]], resolution)
        y = _reach(table[:, drawn[1]], resolution) if drawn[1:] else np.array([-1.0, 1.0])
        rows = np.tile(np.nanmedian(table, axis=0), (len(y) * resolution, 1))
        rows[:, drawn[0]] = np.tile(x, len(y))
        rows[:, drawn[1:]] = np.repeat(y, resolution)[:, None]
        called = [names[column] if names else f"column {column}" for column in drawn]
        given = type(X)(dict(zip(X.columns, rows.T, strict=True))) if names else rows
        # Multiples of the golden ratio fill an interval evenly, and neighbours are far apart.
        heights = np.arange(len(table)) * 0.618034 % 1 - 0.5
        points = table[:, drawn] if drawn[1:] else np.column_stack([table[:, drawn[0]], heights])
        return cls(x, y, given, points, (called[0], (*called, "")[1]))

    def pick(self, columns: Any) -> Any:
        """The points with some of the columns only, as an array."""
        return np.asarray(self.rows)[:, columns]

    def image(self, values: Any) -> Any:
        """One value per point as a picture, shape (resolution, resolution)."""
        return np.asarray(values).reshape(len(self.y), len(self.x))


def _position(column: int | str, names: Sequence[str]) -> int:
    if not isinstance(column, str):
        return int(column)
    if column not in names:
        raise ValueError(f"Column {column!r} is not in the table.")
    return list(names).index(column)


def _reach(values: Array, resolution: int) -> Array:
    """Steps from below the smallest to above the largest value."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    beyond = 0.08 * (high - low) or 0.5
    return np.linspace(low - beyond, high + beyond, resolution)
