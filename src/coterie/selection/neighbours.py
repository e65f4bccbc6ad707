"""Nearest neighbours of many queries: exactly, or nearly so and faster.

A search is an object with ``fit(points)`` and ``kneighbors(queries, n_neighbors)``, which returns
distances and positions of shape (queries, k), nearest first; scikit-learn's `NearestNeighbors` is
one.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from coterie.native import NearPoints
from coterie.tags import tagged

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

_FLAT = 6  # coordinates; with more, a search tree is slower than comparing with all points
_WIDE = 64  # coordinates; with more, rounding would leave too many candidates
_BLOCK = 1 << 21  # rough distances held at a time: what stays near the processor
_FEW = 1 << 17  # differences of coordinates held at a time, likewise
_SPARE = 8  # candidates beyond k, as rough distances may put them in another order
_CLOSE = 4  # the same, if no more than rounding may change the order
_FOLD = 32  # points whose smallest distance is looked at first


@tagged
class ExactSearch:
    """The nearest points by Euclidean distance; in case of ties, the first.

    In few dimensions a search tree is used. In more, candidates are found by comparing with all
    points, see `NearPoints`, or by matrix products in single precision where there are very many
    dimensions, and exact distances put them in order.
    """

    def fit(self, points: Array) -> Self:
        """Remember the points, shape (n_points, n_coordinates)."""
        self.points = points
        self.known: NearPoints | None = None
        if points.shape[1] <= _FLAT:
            # Points that are equal would make a balanced tree slow.
            self.tree: Any = KDTree(points, balanced_tree=False)
        elif points.shape[1] <= _WIDE:
            self.tree, self.known = None, NearPoints(points)
        else:
            self.tree = None
            self.centre = points.mean(axis=0)
            n_points, width = points.shape
            n_padded = -(-n_points // _FOLD) * _FOLD
            # Squared distance, but for the query's own square, is one product with these.
            self.rough = np.zeros((width + 1, n_padded), dtype=np.float32)
            self.rough[:width, :n_points] = -2 * (points - self.centre).T
            self.rough[width] = np.finfo(np.float32).max  # nobody is near what is not there
            self.rough[width, :n_points] = ((points - self.centre) ** 2).sum(axis=1)
        return self

    def kneighbors(self, queries: Array, n_neighbors: int) -> tuple[Array, Ints]:
        """Distances and positions of the nearest points, shape (queries, n_neighbors)."""
        if self.tree is not None:
            distances, near = self.tree.query(queries, k=np.arange(1, n_neighbors + 1))
            return distances, near
        if self.known is not None:
            near = self.known.nearest(queries, min(n_neighbors + _CLOSE, len(self.points)))
            return nearest_of(queries, self.points, near, n_neighbors)
        step = max(1, _BLOCK // len(self.points))
        parts = [
            self._compare(queries[start : start + step], n_neighbors)
            for start in range(0, len(queries), step)
        ]
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _compare(self, queries: Array, k: int) -> tuple[Array, Ints]:
        n_points = len(self.points)
        if k + _SPARE >= n_points:
            near = np.broadcast_to(np.arange(n_points), (len(queries), n_points))
        else:
            rough = np.ones((len(queries), queries.shape[1] + 1), dtype=np.float32)
            rough[:, :-1] = queries - self.centre
            near = smallest(rough @ self.rough, k + _SPARE)
        return nearest_of(queries, self.points, near, k)


@tagged
class ApproximateSearch:
    """Nearly the nearest points: only cells near the query are searched.

    Points are sorted into cells around centres, found by a few rounds of k-means; a query looks
    into the cells of its `n_probes` nearest centres. It misses a neighbour now and then.

    Parameters
    ----------
    n_cells : int, optional
        Number of cells; by default the square root of the number of points.
    n_probes : int, default=8
        Cells that are searched for each query.
    seed : int, default=0
        Chooses the first centres.

    Examples
    --------
    >>> points = np.random.default_rng(0).normal(size=(1000, 20))
    >>> search = ApproximateSearch().fit(points)
    >>> search.kneighbors(points[:1], 1)[1]
    array([[0]])
    """

    def __init__(self, n_cells: int | None = None, n_probes: int = 8, seed: int = 0) -> None:
        self.n_cells = n_cells
        self.n_probes = n_probes
        self.seed = seed

    def fit(self, points: Array) -> Self:
        """Sort the points into cells."""
        n_points = len(points)
        n_cells = min(n_points, self.n_cells or max(1, int(np.sqrt(n_points))))
        rng = np.random.default_rng(self.seed)
        centres = points[np.sort(rng.choice(n_points, n_cells, replace=False))]
        few = points[:: max(1, n_points // (32 * n_cells))]  # enough to place the centres
        for _ in range(4):
            place = ExactSearch().fit(centres).kneighbors(few, 1)[1][:, 0]
            order, counts = np.argsort(place, kind="stable"), np.bincount(place, minlength=n_cells)
            filled = counts > 0
            starts = (np.cumsum(counts) - counts)[filled]
            centres[filled] = np.add.reduceat(few[order], starts) / counts[filled, None]
        self.points, self.centres = points, ExactSearch().fit(centres)
        place = self.centres.kneighbors(points, 1)[1][:, 0]
        self.order = np.argsort(place, kind="stable")
        self.ends = np.cumsum(np.bincount(place, minlength=n_cells))
        return self

    def kneighbors(self, queries: Array, n_neighbors: int) -> tuple[Array, Ints]:
        """Distances and positions of points near the queries, shape (queries, n_neighbors)."""
        sizes = np.diff(self.ends, prepend=0)
        n_probes = min(self.n_probes, len(sizes))
        # The smallest cells together must hold enough points, or a query could come out short.
        while np.sort(sizes)[:n_probes].sum() < n_neighbors and n_probes < len(sizes):
            n_probes += 1
        probes = self.centres.kneighbors(queries, n_probes)[1]
        distances = np.full((len(queries), n_neighbors), np.inf)
        near = np.zeros((len(queries), n_neighbors), dtype=np.intp)
        order = np.argsort(probes.ravel(), kind="stable")
        stops = np.cumsum(np.bincount(probes.ravel(), minlength=len(sizes)))
        for cell, (start, stop) in enumerate(
            zip(stops - np.diff(stops, prepend=0), stops, strict=True)
        ):
            inside = self.order[self.ends[cell] - sizes[cell] : self.ends[cell]]
            rows = order[start:stop] // n_probes
            if len(rows) and len(inside):
                self._visit(queries, rows, inside, distances, near)
        return distances, near

    def _visit(
        self, queries: Array, rows: Ints, inside: Ints, distances: Array, near: Ints
    ) -> None:
        """Let the queries `rows` see the points `inside` one cell, and keep the nearest."""
        k = distances.shape[1]
        own, points = queries[rows], self.points[inside]
        apart = (own**2).sum(axis=1)[:, None] + (points**2).sum(axis=1) - 2 * own @ points.T
        few = min(k, len(inside))
        best = np.argpartition(apart, few - 1, axis=1)[:, :few]
        found = np.sqrt(((own[:, None, :] - points[best]) ** 2).sum(axis=2))
        both = np.hstack([distances[rows], found])
        names = np.hstack([near[rows], inside[best]])
        kept = np.argsort(both, axis=1, kind="stable")[:, :k]
        distances[rows] = np.take_along_axis(both, kept, axis=1)
        near[rows] = np.take_along_axis(names, kept, axis=1)


def smallest(values: NDArray[np.float32], number: int) -> Ints:
    """Columns of the `number` smallest values of each row, in no order.

    Columns are folded first: the smallest values lie in the folds with the smallest minima, of
    which there are far fewer to compare.
    """
    n_rows, n_columns = values.shape
    width = n_columns // _FOLD
    if number * 4 >= width:
        return np.argpartition(values, number - 1, axis=1)[:, :number]
    minima = values.reshape(n_rows, _FOLD, width).min(axis=1)
    folds = np.argpartition(minima, number - 1, axis=1)[:, :number]
    columns = (folds[:, None, :] + width * np.arange(_FOLD)[:, None]).reshape(n_rows, -1)
    chosen = np.take_along_axis(values, columns, axis=1)
    best = np.argpartition(chosen, number - 1, axis=1)[:, :number]
    return np.take_along_axis(columns, best, axis=1)


def nearest_of(queries: Array, points: Array, near: Any, k: int) -> tuple[Array, Ints]:
    """The k nearest of some candidates of each query, by exact distances.

    Parameters
    ----------
    queries, points : ndarray of shape (n, n_coordinates)
        Where they are.
    near : ndarray of int of shape (queries, candidates)
        Positions of points.
    k : int
        How many to keep.
    """
    step = max(1, _FEW // max(1, near.shape[1] * points.shape[1]))
    distances = np.empty((len(queries), k))
    found = np.empty((len(queries), k), dtype=np.intp)
    for start in range(0, len(queries), step):
        part = slice(start, start + step)
        candidates = np.sort(near[part], axis=1)  # so that among equals the first is taken
        off = points[candidates] - queries[part, None, :]
        squares = np.einsum("qck,qck->qc", off, off)
        order = np.argsort(squares, axis=1, kind="stable")[:, :k]
        distances[part] = np.sqrt(np.take_along_axis(squares, order, axis=1))
        found[part] = np.take_along_axis(candidates, order, axis=1)
    return distances, found


SEARCHES = {"exact": ExactSearch, "approximate": ApproximateSearch}
