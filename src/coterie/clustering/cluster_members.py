"""Clusterings to agree on: k-means in many ways, leaves of random trees, or any clusterers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.cluster import KMeans, MiniBatchKMeans

from coterie.forests import RandomTreesEmbedding
from coterie.learners import seeded, takes_weight
from coterie.tags import tagged

Array = NDArray[np.float64]
Codes = NDArray[np.int32]

_MANY = 50_000  # rows from which small batches must do
_BATCH = 4096
_BLOCK = 1 << 22  # distances that are computed at a time
_STEPS = 20  # of k-means: members need not be good
_DRAWS = 2**53  # at most: weights may be huge
_TREES = 50
_DEPTH = 5


@tagged
@dataclass(frozen=True)
class Centres:
    """Centres of clusters, in all columns, in some, or in projections of them.

    Parameters
    ----------
    centres : ndarray of shape (n_clusters, n_coordinates)
        The centres.
    columns : ndarray of int or None
        The columns they lie in, None for all.
    directions : ndarray of shape (n_columns, n_coordinates) or None
        What rows are projected on before.
    """

    centres: Array
    columns: NDArray[np.intp] | None = None
    directions: Array | None = None

    def predict(self, points: Array) -> Codes:
        """The nearest centre of every row."""
        shown = self.show(points)
        found = np.empty(len(shown), dtype=np.int32)
        half = (self.centres**2).sum(axis=1) / 2
        step = max(1, _BLOCK // len(self.centres))
        for start in range(0, len(shown), step):
            rows = slice(start, start + step)
            found[rows] = (half - shown[rows] @ self.centres.T).argmin(axis=1)
        return found

    def show(self, points: Array) -> Array:
        """Rows as they are clustered."""
        if self.columns is not None:
            points = points[:, self.columns]
        return points if self.directions is None else points @ self.directions


@dataclass(frozen=True)
class KMeansMaker:
    """Makes members by k-means on standardised numbers.

    Parameters
    ----------
    kind : {"kmeans", "subspace", "projection", "bootstrap"}
        All columns; half of them, drawn; random directions; or a bag of the rows.
    n_least, n_most : int
        Range that the number of clusters is drawn from.
    """

    kind: Literal["kmeans", "subspace", "projection", "bootstrap"]
    n_least: int
    n_most: int

    def fit(self, points: Array, weight: Array, rng: Generator) -> tuple[Centres, Any]:
        """A member, and the rows it is of: None for all."""
        n_rows, n_columns = points.shape
        columns = directions = bag = None
        if self.kind == "subspace":
            columns = np.sort(rng.choice(n_columns, -(-n_columns // 2), replace=False))
        elif self.kind == "projection":
            size = min(n_columns, int(np.ceil(2 * np.log2(max(2, n_rows)))))
            directions = rng.normal(size=(n_columns, size)) / np.sqrt(size)
        elif self.kind == "bootstrap":
            n_draws = int(np.clip(np.rint(weight.sum()), 1, _DRAWS))
            draws = rng.multinomial(n_draws, weight / weight.sum())
            bag = np.flatnonzero(draws)
            weight = draws[bag].astype(np.float64)
        way = Centres(np.zeros((1, 1)), columns, directions)
        shown = way.show(points if bag is None else points[bag])
        n_clusters = int(rng.integers(self.n_least, self.n_most + 1))
        centres = _centres(shown, weight, min(n_clusters, len(shown)), rng)
        return Centres(centres, columns, directions), bag


def _centres(points: Array, weight: Array, n_clusters: int, rng: Generator) -> Array:
    """Centres of k-means from one random start."""
    settings: dict[str, Any] = {"init": "random", "n_init": 1, "max_iter": _STEPS}
    settings["random_state"] = int(rng.integers(2**31))
    if len(points) > _MANY:
        settings |= {"batch_size": _BATCH, "max_iter": 1, "compute_labels": False}
        model: Any = MiniBatchKMeans(n_clusters, **settings)
    else:
        model = KMeans(n_clusters, **settings)
    return np.asarray(model.fit(points, sample_weight=weight).cluster_centers_, dtype=np.float64)


@tagged
@dataclass(frozen=True)
class LeafClusters:
    """Clusters of the leaves that rows end in, in trees grown on noise.

    Parameters
    ----------
    trees : RandomTreesEmbedding
        The trees.
    centres : ndarray of shape (n_clusters, n_leaves)
        Centres among the indicators of leaves.
    """

    trees: Any
    centres: Array

    def predict(self, rows: Any) -> Codes:
        """The nearest centre of every row."""
        codes = self.trees.transform(rows)
        half = (self.centres**2).sum(axis=1) / 2
        return np.asarray((half - codes @ self.centres.T).argmin(axis=1), dtype=np.int32)


@dataclass(frozen=True)
class LeafMaker:
    """Makes members by k-means on the leaves of random trees.

    Parameters
    ----------
    n_least, n_most : int
        Range that the number of clusters is drawn from.
    """

    n_least: int
    n_most: int

    def fit(self, rows: Any, weight: Array, rng: Generator) -> LeafClusters:
        """A member."""
        trees = RandomTreesEmbedding(
            _TREES, max_depth=_DEPTH, random_state=int(rng.integers(2**31))
        )
        codes = trees.fit_transform(rows, sample_weight=weight)
        n_clusters = min(int(rng.integers(self.n_least, self.n_most + 1)), codes.shape[0])
        return LeafClusters(trees, _centres_of_leaves(codes, weight, n_clusters, rng))


def _centres_of_leaves(codes: Any, weight: Array, n_clusters: int, rng: Generator) -> Array:
    settings: dict[str, Any] = {"init": "random", "n_init": 1, "random_state": 0}
    settings["random_state"] = int(rng.integers(2**31))
    model: Any
    if codes.shape[0] > _MANY // 10:
        model = MiniBatchKMeans(
            n_clusters, batch_size=_BATCH, max_iter=1, compute_labels=False, **settings
        )
    else:
        model = KMeans(n_clusters, max_iter=_STEPS, **settings)
    return np.asarray(model.fit(codes, sample_weight=weight).cluster_centers_, dtype=np.float64)


def fit_clusterer(clusterer: Any, rows: Any, weight: Array | None, rng: Generator) -> Any:
    """A fitted copy of any clusterer.

    Parameters
    ----------
    clusterer : clusterer
        With ``fit`` and ``labels_``, or ``fit_predict``.
    rows : array or frame
        The rows.
    weight : ndarray or None
        Their weights, given to those that take them.
    rng : Generator
        Seeds the copy.
    """
    copy = seeded(clusterer, rng)
    if weight is not None and takes_weight(copy):
        return copy.fit(rows, sample_weight=weight)
    fitted = copy.fit(rows)
    if not hasattr(fitted, "labels_") and not hasattr(fitted, "predict"):
        fitted.labels_ = np.asarray(copy.fit_predict(rows))
    return fitted


def labels_of(fitted: Any, rows: Any) -> Codes:
    """Clusters of the rows that a clusterer was fitted to."""
    found = getattr(fitted, "labels_", None)
    if found is None:  # mixtures and others that only predict
        found = fitted.predict(rows)
    return np.asarray(found).astype(np.int32)
