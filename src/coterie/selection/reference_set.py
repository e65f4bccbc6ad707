"""The reference set (DSEL) on which members are evaluated.

1. `divide` sets aside rows that the pool does not see. It goes by what rows hold: equal rows stay
   together, and neither their order nor whether a row is repeated or weighted changes anything.
2. `ReferenceSet.lay` puts the judged rows in space, each once, and remembers how often it was
   there.
3. `ReferenceSet.near` finds the neighbours of queries; a row that was there three times takes three
   of the k places.
"""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.bagging.coordinates import Coordinates, Rows, dense_cells
from coterie.base import Admitted
from coterie.core import repetitions
from coterie.data import Table
from coterie.data.hashes import mix
from coterie.native import cell_hashes
from coterie.selection.neighbours import SEARCHES
from coterie.tags import tagged

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


class Near(NamedTuple):
    """Neighbours of queries: positions, distances and importances, shape (queries, k)."""

    neighbours: Ints
    distances: Array
    importance: Array | None


class Order(NamedTuple):
    """Rows by what they hold.

    Attributes
    ----------
    rows : ndarray of int of shape (n_rows,)
        Positions of rows, equal ones side by side; classes are kept together.
    starts : ndarray of int of shape (n_distinct,)
        Where in `rows` each distinct one begins.
    """

    rows: Ints
    starts: Ints

    @classmethod
    def settle(cls, admitted: Admitted, seed: int) -> Order:
        """Rows in an order that depends on the seed and on what they hold only."""
        encoded = admitted.target.encoded
        contents = np.hstack([dense_cells(admitted.table), encoded.astype(np.float64)])
        start = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        keys = mix(cell_hashes(contents) ^ start)
        classes = encoded[:, 0] if admitted.target.kind == "labels" else np.zeros(len(keys))
        ties = np.zeros(len(keys)) if admitted.weight is None else admitted.weight
        rows = np.lexsort((ties, keys, classes))
        new = np.append(True, keys[rows][1:] != keys[rows][:-1])
        return cls(rows, np.flatnonzero(new))


def divide(admitted: Admitted, share: float, seed: int) -> tuple[Ints, Ints]:
    """Rows to fit the pool to, and the reference set, stratified by class.

    Parameters
    ----------
    admitted : Admitted
        The rows.
    share : float
        Share of the distinct rows that judge.
    seed : int
        Decides which.
    """
    rows, starts = Order.settle(admitted, seed)
    number = np.arange(len(starts))
    judges = np.floor((number + 1) * share) > np.floor(number * share)
    if not judges.any() or judges.all():
        warnings.warn(
            f"With {len(starts)} distinct rows, none can be held out as the reference set, so "
            "the pool is evaluated on its training rows, which is over-optimistic. Use more rows.",
            UserWarning,
            stacklevel=2,
        )
        return rows, rows
    aside = np.repeat(judges, np.diff(np.append(starts, len(rows))))
    return rows[~aside], rows[aside]


@tagged
@dataclass(frozen=True)
class ReferenceSet:
    """Judged rows in space, each once.

    Attributes
    ----------
    coordinates : Coordinates
        Where rows lie.
    points : ndarray of shape (n_points, n_coordinates)
        The judged rows.
    encoded : ndarray of shape (n_points,)
        Codes of their classes, or numbers.
    times : ndarray of int of shape (n_points,) or None
        How often each was there; None for once.
    importance : ndarray of shape (n_points,) or None
        Weights that are no repetitions.
    search : "exact", "approximate" or object
        How neighbours are found.
    """

    file_tag: ClassVar[str] = "Ground"

    coordinates: Coordinates | None
    points: Array
    encoded: NDArray[Any]
    times: Ints | None
    importance: Array | None
    search: Any

    @classmethod
    def lay(cls, admitted: Admitted, max_levels: int, search: Any) -> tuple[ReferenceSet, Ints]:
        """The ground, and the position of each of its points among the rows."""
        rows, starts = Order.settle(admitted, 0)
        weight = admitted.weight
        repeats = repetitions(weight)
        counts = np.diff(np.append(starts, len(rows)))
        importance = None
        if repeats is not None:
            counts = np.add.reduceat(repeats[rows], starts)
        elif weight is not None:
            importance = np.add.reduceat(weight[rows], starts) / counts
            importance /= importance.mean()
        first = rows[starts]
        cells, encoded = dense_cells(admitted.table)[first], admitted.target.encoded[first]
        mass = counts if importance is None else counts * importance
        coordinates = Coordinates.learn(
            Rows(cells, encoded, mass.astype(np.float64)), admitted.table.schema, max_levels
        )
        times = None if (counts == 1).all() else counts
        points = coordinates.place(cells)
        ground = cls(coordinates, points, encoded[:, 0], times, importance, search)
        return ground, first

    def among(self, points: Array) -> ReferenceSet:
        """The same rows at other places: their output profiles."""
        return replace(self, coordinates=None, points=points)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields; the index is built again."""
        return {name: value for name, value in vars(self).items() if name != "index"}

    @cached_property
    def index(self) -> Any:
        """The search over the points."""
        search = SEARCHES[self.search]() if isinstance(self.search, str) else deepcopy(self.search)
        return search.fit(self.points)

    @property
    def counts(self) -> Array:
        """Weight of each row."""
        times = np.ones(len(self.points)) if self.times is None else self.times.astype(np.float64)
        return times if self.importance is None else times * self.importance

    def place(self, table: Table) -> Array:
        """Where the rows of a table lie."""
        assert self.coordinates is not None, "profiles are not places of rows"
        return self.coordinates(table)

    def near(self, queries: Array, k: int, itself: Ints | None = None) -> Near:
        """The k nearest judged rows of each query, repeated ones as often as they were there.

        Parameters
        ----------
        queries : ndarray of shape (n_queries, n_coordinates)
            Where the queries lie.
        k : int
            Number of neighbours; fewer if there are not as many.
        itself : ndarray of int of shape (n_queries,), optional
            The row that each query is, which is not its own neighbour.
        """
        spare = 0 if itself is None else 1
        wanted = min(k + spare, len(self.points))
        distances, near = self.index.kneighbors(queries, wanted)
        near, distances = np.asarray(near, dtype=np.intp), np.asarray(distances, dtype=np.float64)
        if itself is not None and wanted > 1:
            own = near == itself[:, None]
            own[:, -1] |= ~own.any(axis=1)  # it is farther away than its copies elsewhere
            kept = np.argsort(own, axis=1, kind="stable")[:, :-1]
            near = np.take_along_axis(near, kept, axis=1)
            distances = np.take_along_axis(distances, kept, axis=1)
        if self.times is not None:
            slots = _slots(self.times[near], k)
            near = np.take_along_axis(near, slots, axis=1)
            distances = np.take_along_axis(distances, slots, axis=1)
        weight = None if self.importance is None else self.importance[near]
        return Near(near[:, :k], distances[:, :k], weight if weight is None else weight[:, :k])


def _slots(times: Ints, k: int) -> Ints:
    """Which neighbour takes each of at most k places, shape (queries, places).

    Every query has as many places: the fewest that neighbours can fill.
    """
    ends = np.cumsum(times, axis=1)
    n_places = min(k, int(ends[:, -1].min()))
    return np.stack([(ends <= place).sum(axis=1) for place in range(n_places)], axis=1)
