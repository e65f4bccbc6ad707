"""Virtual rows: inputs like those of a table, for a teacher to label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from coterie.data import Table
from coterie.data.cells import from_days
from coterie.tags import tagged

Array = NDArray[np.float64]

# Rows that neighbours are looked for among: more of them make little difference but time.
_MOST_ANCHORS = 4096


@tagged
@dataclass(frozen=True)
class Prototypes:
    """The different rows of a table, and how much of its weight each has.

    They are in an order of their own, so that what is drawn from them depends neither on the
    order of the rows nor on whether a row is repeated or weighted.

    Attributes
    ----------
    cells : ndarray of shape (n_different, n_columns)
        Cells; categories are codes, NaN is missing.
    mass : ndarray of shape (n_different,)
        Share of the weight, in all 1.
    row : ndarray of shape (n_rows,)
        Which of them each row of the table is.
    categorical : ndarray of bool of shape (n_columns,)
        Columns of codes.
    """

    cells: Array
    mass: Array
    row: NDArray[np.intp]
    categorical: NDArray[np.bool_]

    @classmethod
    def of(cls, table: Table, weight: Array | None) -> Prototypes:
        """Find the different rows of a table."""
        # + 0.0 turns -0.0 into 0.0: rows are compared by their bits.
        cells = dense_cells(table) + 0.0
        keys = cells.view(np.dtype((np.void, cells.strides[0]))).ravel()
        _, first, row = np.unique(keys, return_index=True, return_inverse=True)
        share = np.ones(len(cells)) if weight is None else weight / weight.max()
        mass: Any = np.bincount(row.ravel(), weights=share)
        mask = table.schema.categorical
        categorical = np.zeros(table.n_columns, dtype=bool) if mask is None else mask
        return cls(cells[first], mass / mass.sum(), row.ravel(), categorical)

    def draw(self, size: int | tuple[int, int], rng: Generator) -> NDArray[np.intp]:
        """Numbers of rows, drawn by their mass."""
        ends = np.cumsum(self.mass)
        found = np.searchsorted(ends, rng.random(size) * ends[-1], side="right")
        return np.minimum(found, len(ends) - 1)

    def any_cell(self, n_rows: int, rng: Generator) -> Array:
        """Cells of rows that are drawn anew for every column."""
        rows = self.draw((n_rows, self.cells.shape[1]), rng)
        return np.take_along_axis(self.cells, rows, axis=0)


def dense_cells(table: Table) -> Array:
    """All cells as float64, rows side by side in memory."""
    return np.concatenate(
        [np.ascontiguousarray(cells, dtype=np.float64) for _, cells in table.blocks()]
    )


def swap(rows: Prototypes, n_rows: int, rng: Generator, share: float = 0.25) -> Array:
    """Rows a quarter of whose cells are from other rows (Breiman and Shang 1996)."""
    made = rows.cells[rows.draw(n_rows, rng)]
    other = rows.any_cell(n_rows, rng)
    return np.where(rng.random(made.shape) < share, other, made)


def marginal(rows: Prototypes, n_rows: int, rng: Generator) -> Array:
    """Rows whose cells are all from different rows: columns become independent."""
    return rows.any_cell(n_rows, rng)


def uniform(rows: Prototypes, n_rows: int, rng: Generator) -> Array:
    """Numbers between the smallest and the largest of their column, any category (NeC4.5)."""
    cells = rows.cells
    known = ~np.isnan(cells)
    low = np.where(known, cells, np.inf).min(axis=0)
    high = np.where(known, cells, -np.inf).max(axis=0)
    low, high = np.where(known.any(axis=0), low, np.nan), np.where(known.any(axis=0), high, np.nan)
    point = rng.random((n_rows, cells.shape[1]))
    levels = low + np.floor(point * (high - low + 1.0)) if rows.categorical.any() else 0.0
    # Written so that the span of huge numbers does not overflow.
    numbers = low * (1.0 - point) + high * point
    made = np.where(rows.categorical, levels, numbers)
    missing = np.isnan(rows.any_cell(n_rows, rng))  # as often as in the table
    return np.where(missing, np.nan, made)


def munge(rows: Prototypes, n_rows: int, rng: Generator, share: float = 0.5) -> Array:
    """Rows moved towards, and around, their nearest neighbour (Bucila et al. 2006).

    Half of the numbers a are drawn from the normal distribution around the neighbour's a', of
    standard deviation abs(a - a'); half of the categories are the neighbour's.
    """
    anchors = np.arange(len(rows.cells))
    if len(anchors) > _MOST_ANCHORS:
        anchors = np.sort(rng.choice(len(anchors), _MOST_ANCHORS, replace=False, p=rows.mass))
    cells = rows.cells[anchors]
    part = Prototypes(
        cells, rows.mass[anchors] / rows.mass[anchors].sum(), rows.row, rows.categorical
    )
    base = part.draw(n_rows, rng)
    made, near = cells[base], cells[_nearest(cells, rows.categorical)[base]]
    moved = rng.random(made.shape) < share
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = near + rng.standard_normal(made.shape) * np.abs(made - near)
    numbers = np.where(np.isfinite(numbers), numbers, near)
    return np.where(moved, np.where(rows.categorical, near, numbers), made)


def _nearest(cells: Array, categorical: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The nearest other row of each; columns in units of their range, gaps at their middle."""
    if len(cells) < 2:
        return np.zeros(len(cells), dtype=np.intp)
    scale = np.where(np.isnan(cells), 0.0, np.abs(cells)).max(axis=0)
    scaled = cells / np.where(scale > 0, scale, 1.0)
    known = np.where(np.isnan(scaled), 0.0, scaled)
    low, high = known.min(axis=0), known.max(axis=0)
    place = np.where(np.isnan(scaled), 0.5, (known - low) / np.where(high > low, high - low, 1.0))
    search = NearestNeighbors(n_neighbors=2).fit(place)
    near = search.kneighbors(place, return_distance=False)
    return np.where(near[:, 0] == np.arange(len(cells)), near[:, 1], near[:, 0])


#: Ways to make virtual rows: from the different rows, how many, and a stream.
GENERATORS: dict[str, Callable[..., Array]] = {
    "swap": swap,
    "munge": munge,
    "marginal": marginal,
    "uniform": uniform,
}


def virtual_table(table: Table, cells: Array) -> Table:
    """A table of these cells, in the container of `table`: a frame, an array or sparse.

    Categories are taken from rows that have them, so that their type stays.
    """
    given = table.given()
    if sparse.issparse(given):
        return Table.under(table.schema, sparse.csr_array(cells))
    labels = table.schema.labels
    if nw.dependencies.is_into_dataframe(given):
        frame = nw.from_native(given, eager_only=True)
        known = dense_cells(table) if labels else np.empty((0, 0))
        columns = {}
        for j, name in enumerate(frame.columns):
            if j in labels:
                columns[name] = frame[name][_holders(known[:, j], cells[:, j])]
            elif j in table.schema.moments:
                columns[name] = from_days(cells[:, j], frame[name])
            else:
                columns[name] = nw.new_series(
                    name, np.ascontiguousarray(cells[:, j]), backend=frame.implementation
                )
        return Table.under(table.schema, nw.from_dict(columns).to_native())
    if not labels:
        return Table.under(table.schema, cells)
    shown = cells.astype(object)
    for j, names in labels.items():
        missing = np.isnan(cells[:, j])
        codes = np.where(missing, len(names), cells[:, j]).astype(np.intp)
        shown[:, j] = np.asarray([*names, None], dtype=object)[codes]
    return Table.under(table.schema, shown)


def _holders(known: Array, wanted: Array) -> list[int]:
    """For every wanted code a row that has it."""
    codes, first = np.unique(np.where(np.isnan(known), -1.0, known), return_index=True)
    places = np.searchsorted(codes, np.where(np.isnan(wanted), -1.0, wanted))
    holders: list[int] = first[places].tolist()
    return holders
