"""A grid over two columns of a table, the others held still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.rule import Array


@dataclass(frozen=True)
class Grid:
    """Points at which a model is asked to draw its decisions over two columns.

    Parameters
    ----------
    x, y : ndarray of shape (resolution,)
        Values of the two columns.
    rows : ndarray or data frame of shape (resolution * resolution, n_columns)
        The points as rows, x running fastest; columns that are not drawn are at their medians.
    points : ndarray of shape (n_rows, 2)
        The two columns of the table itself.
    names : tuple of str
        What the two columns are called.

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
        columns : sequence of two int or str
            The columns to draw, by position or name.
        resolution : int
            Points along each axis.

        Returns
        -------
        Grid
        """
        table = np.asarray(X, dtype=np.float64)
        names = [str(name) for name in getattr(X, "columns", ())]
        first, second = (_position(column, names) for column in columns)
        x, y = (_reach(table[:, column], resolution) for column in (first, second))
        rows = np.tile(np.nanmedian(table, axis=0), (resolution**2, 1))
        rows[:, first], rows[:, second] = np.tile(x, resolution), np.repeat(y, resolution)
        called = [names[column] if names else f"column {column}" for column in (first, second)]
        given = type(X)(dict(zip(X.columns, rows.T, strict=True))) if names else rows
        return cls(x, y, given, table[:, [first, second]], (called[0], called[1]))

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
