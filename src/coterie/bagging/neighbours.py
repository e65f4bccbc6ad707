"""An ensemble of nearest neighbours that differ in columns, scales, metric and number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from coterie.bagging.coordinates import Array, Coordinates, Rows, settle_rows
from coterie.base import Admitted, ClassifierTask, Committee, JoblibExecutor, worker_count
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    View,
    at_least,
    draw_entropy,
    fraction,
    gather,
    member_seeds,
    one_of,
    repetitions,
)
from coterie.data import Table, Target
from coterie.tags import tagged
from coterie.trees.growth import SHAPE

_BLOCK = 1 << 22  # distances held at a time
_FLAT = 15  # coordinates; with more, a search tree is slower than trying all points


@tagged
@dataclass(frozen=True)
class Neighbourhood:
    """Training rows as points, shared by all members.

    Attributes
    ----------
    coordinates : Coordinates
        Where rows lie.
    points : ndarray of shape (n_points, n_coordinates)
        The training rows, each as often as it is repeated.
    codes : ndarray of shape (n_points,)
        Their classes.
    weight : ndarray of shape (n_points,) or None
        Their weights, when these are not repetitions.
    n_classes : int
        Number of classes.
    """

    coordinates: Coordinates
    points: Array
    codes: NDArray[np.intp]
    weight: Array | None
    n_classes: int

    @classmethod
    def settle(cls, table: Table, target: Target, weight: Array | None, max_levels: int) -> Self:
        """The rows of a table in an order that depends on what they hold only."""
        rows = settle_rows(table, target, weight)
        importance = None
        if repetitions(weight) is None:
            importance = rows.weight if weight is not None else None
        elif weight is not None:
            times = rows.weight.astype(np.intp)
            rows = Rows(*(np.repeat(part, times, axis=0) for part in rows))
            rows = rows._replace(weight=np.ones(len(rows.weight)))
        coordinates = Coordinates.learn(rows, table.schema, max_levels)
        codes = rows.encoded[:, 0].astype(np.intp)
        points = coordinates.place(rows.cells)
        return cls(coordinates, points, codes, importance, target.n_classes[0])


@tagged
@dataclass(frozen=True)
class Neighbours:
    """A member: the nearest of some training rows, by a metric of its own.

    Parameters
    ----------
    home : Neighbourhood
        The training rows.
    scales : ndarray of shape (n_coordinates,)
        What each coordinate is multiplied by; zero for columns it does not look at.
    rows : ndarray or None
        Points it knows, or None for all.
    n_neighbors : int
        Neighbours that vote.
    p : int
        Power of the metric: 1 or 2.
    weights : {"distance", "uniform"}
        Whether nearer neighbours get more weight.
    """

    home: Neighbourhood
    scales: Array
    rows: NDArray[np.intp] | None
    n_neighbors: int
    p: int
    weights: str
    known: Any = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        known = self._see(self.home.points if self.rows is None else self.home.points[self.rows])
        # Rows that are equal would make a balanced tree slow.
        tree = KDTree(known, balanced_tree=False) if known.shape[1] <= _FLAT else known
        object.__setattr__(self, "known", tree)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it takes to make it again; the training rows are shared by all members."""
        parts = (self.home, self.scales, self.rows, self.n_neighbors, self.p, self.weights)
        return Neighbours, parts

    def _see(self, points: Array) -> Array:
        used = np.flatnonzero(self.scales)
        return points[:, used] * self.scales[used]

    def predict(self, table: Table) -> Array:
        """Shares of the classes among the nearest neighbours, shape (n_rows, n_classes)."""
        places = self._see(self.home.coordinates(table))
        step = max(1, _BLOCK // len(self.home.points))
        parts = [self._vote(places[start : start + step]) for start in range(0, len(places), step)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _nearest(self, places: Array) -> tuple[Array, NDArray[np.intp]]:
        """Distances and positions of the nearest points, shape (n_rows, n_neighbors)."""
        k = self.n_neighbors
        if isinstance(self.known, KDTree):
            distances, near = self.known.query(places, k=np.arange(1, k + 1), p=self.p)
            return distances, near
        apart = cdist(places, self.known, "cityblock" if self.p == 1 else "euclidean")
        near = np.argpartition(apart, k - 1, axis=1)[:, :k]
        return np.take_along_axis(apart, near, axis=1), near

    def _vote(self, places: Array) -> Array:
        home = self.home
        distances, near = self._nearest(places)
        say = nearness(distances) if self.weights == "distance" else np.ones(near.shape)
        points = near if self.rows is None else self.rows[near]
        if home.weight is not None:
            say = say * home.weight[points]
        spot = np.arange(len(places))[:, None] * home.n_classes + home.codes[points]
        total = np.bincount(spot.ravel(), say.ravel(), len(places) * home.n_classes)
        votes = total.reshape(len(places), home.n_classes)
        return votes / votes.sum(axis=1, keepdims=True)


def nearness(distances: Array) -> Array:
    """One over the distance in units of the smallest; no distance at all has all the say.

    Examples
    --------
    >>> nearness(np.array([[1.0, 2.0], [0.0, 2.0], [0.0, 0.0]]))
    array([[1. , 0.5],
           [1. , 0. ],
           [1. , 1. ]])
    """
    nearest, here = distances.min(axis=1, keepdims=True), distances == 0
    say = np.divide(nearest, distances, out=here.astype(np.float64), where=~here)
    return np.asarray(say)


@dataclass(frozen=True)
class NeighbourLearner:
    """Makes a member: draws columns, scales, metric, number of neighbours and rows.

    Parameters
    ----------
    home : Neighbourhood
        The training rows.
    n_columns, n_draws : int
        Columns of the table, and how many of them a member looks at.
    n_known : int
        Points a member knows.
    ensemble : KNNEnsembleClassifier
        What else may be drawn.
    """

    home: Neighbourhood
    n_columns: int
    n_draws: int
    n_known: int
    ensemble: KNNEnsembleClassifier

    def fit(self, table: Table, target: Target, weight: Array | None, rng: Generator) -> Neighbours:
        """A member."""
        choice, n_points = self.ensemble, len(self.home.points)
        stretch = np.zeros(self.n_columns)
        chosen = rng.choice(self.n_columns, self.n_draws, replace=False)
        stretch[chosen] = rng.uniform(*choice.scale_range, size=self.n_draws)
        number, power = rng.choice(choice.n_neighbors), rng.choice(choice.p)
        rows = None
        if self.n_known < n_points:
            rows = np.sort(rng.choice(n_points, self.n_known, replace=False))
        scales = stretch[self.home.coordinates.columns]
        number = min(int(number), self.n_known)
        return Neighbours(self.home, scales, rows, number, int(power), choice.weights)


def _whole_numbers(low: int, high: float, wording: str) -> Allowed:
    """A tuple or list of integers within bounds."""

    def admits(value: object) -> bool:
        if not isinstance(value, tuple | list) or not value:
            return False
        return all(
            isinstance(v, Integral) and not isinstance(v, bool) and low <= int(v) <= high
            for v in value
        )

    return Allowed(admits, wording)


def _is_range(value: object) -> bool:
    if not isinstance(value, tuple | list) or len(value) != 2:
        return False
    numbers = all(isinstance(v, Real) and not isinstance(v, bool) for v in value)
    return numbers and 0 < value[0] <= value[1] < np.inf


@dataclass(eq=False, repr=False, kw_only=True)
class KNNEnsembleClassifier(ClassifierTask, Committee):
    r"""An average of nearest-neighbour models with different columns, scales, metrics and sizes.

    Resampling rows hardly changes the nearest neighbours, so bagging them has no effect: the
    nearest row is in 63 % of the bags, and its vote wins. Different columns or metrics do change
    them. Every member uses a subset of the columns, multiplied by random factors :math:`a_j`, and
    lets its k nearest training rows vote with the inverse of their distance,

    .. math:: d(x, z) = \Big(\sum_j |a_j (x_j - z_j)|^p\Big)^{1/p} .

    Columns of numbers are standardised, a category is one coordinate per level, and missing
    numbers are the mean, with a coordinate that marks them.

    Gains are largest where many columns are noise or redundant. Where every column counts, one
    well-chosen number of neighbours can be as good. Every member keeps its columns of all rows in a
    search tree of its own; files keep the rows once.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of members.
    max_features : int or float, default=0.5
        Columns per member: a number, or a fraction, rounded up.
    scale_range : tuple of two numbers, default=(0.25, 1.75)
        Range from which the factors of the columns are drawn.
    n_neighbors : tuple of int, default=(1, 3, 5, 7, 9)
        Numbers of neighbours to draw from.
    p : tuple of int, default=(1, 2)
        Powers of the metric to draw from: 1 is the Manhattan distance, 2 the Euclidean distance.
    max_samples : float, default=1.0
        Share of the rows per member, drawn without replacement.
    weights : {"distance", "uniform"}, default="distance"
        Whether nearer neighbours get more weight.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; member t depends only on it and on t.
    n_jobs : int, default=None
        Number of members that work in parallel.
    verbose : int, default=0
        Progress messages.
    max_bins : int, default=32
        Maximum number of categories per column that get their own coordinate, the most frequent
        first.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_, estimators_ : Pool, list of members
        The members; ``pool_[:t]`` is the ensemble of the first t. They share the training rows.

    References
    ----------
    .. [1] Bay, "Nearest neighbor classification from multiple feature subsets", Intelligent Data
       Analysis 3 (1999).
    .. [2] Hall & Samworth, "Properties of bagged nearest neighbour classifiers", J. R. Stat. Soc.
       B 67 (2005).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> KNNEnsembleClassifier(random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.95
    True
    """

    n_estimators: int = 50
    max_features: float = 0.5
    scale_range: tuple[float, float] = (0.25, 1.75)
    n_neighbors: tuple[int, ...] = (1, 3, 5, 7, 9)
    p: tuple[int, ...] = (1, 2)
    max_samples: float = 1.0
    weights: Literal["distance", "uniform"] = "distance"
    random_state: RandomLike = None
    n_jobs: int | None = None
    verbose: int = 0
    max_bins: int = 32
    categorical_features: Any = "from_dtype"

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = {
        "n_estimators": at_least(1),
        "max_features": at_least(1) | fraction(),
        "scale_range": Allowed(_is_range, "two numbers a, b with 0 < a <= b"),
        "n_neighbors": _whole_numbers(1, np.inf, "a tuple of integers >= 1"),
        "p": _whole_numbers(1, 2, "a tuple of 1 and 2"),
        "max_samples": fraction(),
        "weights": one_of("distance", "uniform"),
        "verbose": at_least(0) | one_of(True, False),
        **{name: SHAPE[name] for name in ("random_state", "n_jobs", "max_bins")},
        "categorical_features": SHAPE["categorical_features"],
    }

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table, target, weight, _ = admitted
        home = Neighbourhood.settle(table, target, weight, self.max_bins)
        n_columns, n_points = table.n_columns, len(home.points)
        share = self.max_features
        n_draws = share if isinstance(share, Integral) else np.ceil(share * n_columns)
        n_known = max(1, int(np.ceil(self.max_samples * n_points)))
        learner = NeighbourLearner(
            home, n_columns, int(min(n_draws, n_columns)), n_known, self._copy(without_results=True)
        )
        members = gather(
            learner,
            View(table, target),
            seeds=member_seeds(draw_entropy(self.random_state), 0, self.n_estimators),
            executor=JoblibExecutor(self.n_jobs, self.verbose),
        )
        draft.pool_ = Pool.of(members)

    def _mean_vote(self, X: Any) -> Array:
        table = self._admit(X)
        members, total = self.estimators_, np.zeros((table.n_rows, self.n_classes_))
        # A few at a time: the sum is made in the order of the members, whoever is first.
        step = 4 * worker_count(self.n_jobs)
        for start in range(0, len(members), step):
            part = members[start : start + step]
            for vote in JoblibExecutor(self.n_jobs).map(lambda m: m.predict(table), part):
                total += vote
        return total / len(members)

    @property
    def estimators_(self) -> list[Any]:
        """The members."""
        pool = self._settled().pool_
        return [pool.member(t) for t in range(len(pool))]
