"""Rotation forests: every tree sees the columns turned another way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from coterie.bagging.bag import BAG, TRUTH, VOTING, Bag, BagClassifierTask
from coterie.base import RegressorTask
from coterie.core import (
    Allowed,
    Columns,
    Learner,
    Member,
    View,
    at_least,
    content_order,
    fraction,
    repetitions,
)
from coterie.data import Schema, Table, Target
from coterie.native import Forest
from coterie.tags import tagged
from coterie.trees.single import SingleTree

Array = NDArray[np.float64]


@tagged
@dataclass(frozen=True)
class Scale:
    """Columns brought to mean 0 and deviation 1, missing values to the mean.

    Parameters
    ----------
    unit, mean, deviation : ndarray of shape (n_columns,)
        ``(x / unit - mean) / deviation``; dividing by the largest magnitude first keeps squares
        from overflowing.
    """

    unit: Array
    mean: Array
    deviation: Array

    @classmethod
    def learn(cls, values: Array, weight: Array) -> Scale:
        """From rows in an order of their own, so that sums do not depend on how they came."""
        known = ~np.isnan(values)
        unit = np.max(np.abs(values), axis=0, initial=0.0, where=known)
        unit = np.where(unit > 0, unit, 1.0)
        small = np.where(known, values, 0.0) / unit
        mass = known * weight[:, None]
        total = np.maximum(mass.sum(axis=0), np.finfo(float).tiny)
        mean = (mass * small).sum(axis=0) / total
        deviation = np.sqrt((mass * (small - mean) ** 2).sum(axis=0) / total)
        return cls(unit, mean, np.where(deviation > 1e-12, deviation, 1.0))

    def __call__(self, values: Array) -> Array:
        """The scaled columns, without missing values."""
        scaled = (values.astype(np.float64) / self.unit - self.mean) / self.deviation
        return np.where(np.isnan(scaled), 0.0, scaled)


@tagged
@dataclass(frozen=True)
class Rotation:
    """Groups of columns turned onto axes of their own; categories stay as they are.

    Parameters
    ----------
    scale : Scale
        Of the columns of numbers.
    numbers : ndarray of int
        Which columns hold numbers.
    groups : ndarray of int of shape (n_groups, size)
        Positions in `numbers`; -1 fills up the last group.
    loadings : ndarray of shape (n_groups, size, size)
        Orthogonal matrices: column k of the rotated group is what the k-th component says.
    """

    scale: Scale
    numbers: NDArray[np.intp]
    groups: NDArray[np.intp]
    loadings: Array

    def __call__(self, values: NDArray[Any]) -> Array:
        """Rotated columns in the places of those they are made of."""
        rotated = values.astype(np.float64)
        scaled = np.pad(self.scale(values[:, self.numbers]), ((0, 0), (0, 1)))
        size = self.groups.shape[1]
        turned = np.zeros((len(values), *self.groups.shape))
        for j in range(size):
            # Term by term, so that a row comes out the same wherever it stands.
            turned += scaled[:, self.groups[:, j], None] * self.loadings[:, j]
        real = self.groups >= 0
        rotated[:, self.numbers[self.groups[real]]] = turned[:, real]
        return rotated

    @property
    def matrix(self) -> Array:
        """The rotation of all scaled columns of numbers, orthogonal."""
        n = len(self.numbers)
        matrix = np.zeros((n, n))
        for group, loadings in zip(self.groups, self.loadings, strict=True):
            real = group[group >= 0]
            matrix[np.ix_(real, real)] = loadings[: len(real), : len(real)]
        return matrix


def principal_axes(covariances: Array) -> Array:
    """Orthonormal eigenvectors in columns, largest first, each with its largest entry positive.

    All are kept: where there is no variance, any completion of the basis will do.
    """
    axes = np.linalg.eigh(covariances)[1][:, :, ::-1]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None, :], axis=1)
    signs: Array = np.where(largest < 0, -1.0, 1.0)
    return np.asarray(axes * signs)


@tagged
@dataclass(frozen=True)
class RotationSampler:
    """Draws rotations.

    Parameters
    ----------
    size : int
        Columns per group.
    share : float
        Share of the rows of the chosen classes in the sample that components are made of.
    class_subset : bool
        Whether each group looks at some of the classes only.
    """

    file_tag: ClassVar[str] = "Turner"

    size: int
    share: float
    class_subset: bool

    def draw(self, view: View, rng: Generator) -> Rotation:
        """A rotation of the columns of numbers; only rows of positive weight are looked at."""
        values, weight = dense(view.table), view.weight
        weight = np.ones(len(values)) if weight is None else weight
        rows = content_order(view.table, view.target, weight)
        rows = rows[weight[rows] > 0]
        categorical = view.table.schema.categorical
        numbers = np.arange(values.shape[1])
        numbers = numbers if categorical is None else numbers[~categorical]
        ordered = values[np.ix_(rows, numbers)].astype(np.float64)
        scale = Scale.learn(ordered, weight[rows])
        groups = self._groups(len(numbers), rng)
        codes = view.target.codes[rows, 0] if view.target.kind == "labels" else None
        sample = Sample(codes if self.class_subset else None, weight[rows], self.share)
        scaled = np.pad(scale(ordered), ((0, 0), (0, 1)))
        covariances = np.stack([_spread(scaled[:, group], sample, rng) for group in groups])
        # A place that only fills up gets an axis of its own, after all others.
        filler = groups < 0
        covariances[np.nonzero(filler)[0], np.nonzero(filler)[1], np.nonzero(filler)[1]] = -1.0
        return Rotation(scale, numbers, groups, principal_axes(covariances))

    def _groups(self, n_columns: int, rng: Generator) -> NDArray[np.intp]:
        size = max(1, min(self.size, n_columns))
        n_groups = max(1, -(-n_columns // size))
        groups = np.full(n_groups * size, -1, dtype=np.intp)
        groups[:n_columns] = rng.permutation(n_columns)
        return groups.reshape(n_groups, size)


@dataclass(frozen=True)
class Sample:
    """Draws bootstrap samples of the rows of some classes."""

    codes: NDArray[np.int32] | None
    weight: Array
    share: float

    def counts(self, rng: Generator) -> Array:
        """The weight of every row in the sample."""
        mine = np.ones(len(self.weight), dtype=bool)
        if self.codes is not None:
            present = np.unique(self.codes)
            kept = rng.random(len(present)) < 0.5
            if not kept.any():
                kept[rng.integers(len(present))] = True
            mine = np.isin(self.codes, present[kept])
        rows = np.flatnonzero(mine)
        repeats = repetitions(self.weight)
        lengths = np.ones(len(rows)) if repeats is None else repeats[rows]
        ends = np.cumsum(lengths)
        points = rng.integers(0, int(ends[-1]), max(1, round(self.share * int(ends[-1]))))
        counts = np.bincount(rows[np.searchsorted(ends, points, "right")], minlength=len(mine))
        return np.asarray(counts * (self.weight if repeats is None else 1.0), dtype=np.float64)


def _spread(columns: Array, sample: Sample, rng: Generator) -> Array:
    """Covariance of some columns in a sample."""
    counts = sample.counts(rng)
    rows = np.flatnonzero(counts)
    chosen, share = columns[rows], counts[rows] / counts.sum()
    centred = chosen - share @ chosen
    return np.asarray((centred * share[:, None]).T @ centred)


def dense(table: Table) -> NDArray[Any]:
    """All cells of a table as one array."""
    parts = [values for _, values in table.blocks()]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


ROTATION: dict[str, Allowed] = BAG | {
    "n_features_per_group": at_least(1),
    "sample_fraction": fraction(),
    "class_subset": TRUTH,
    "bootstrap": TRUTH,
}


@tagged
@dataclass(frozen=True)
class RotatedMember:
    """A member behind its rotation."""

    file_tag: ClassVar[str] = "Turned"

    rotation: Rotation
    member: Member
    schema: Schema

    def predict(self, table: Table) -> Array:
        """What the member says of the rotated rows."""
        rotated = self.rotation(dense(table))
        if isinstance(self.member, Forest):
            return self.member.predict(rotated)
        return self.member.predict(Table(self.schema, rotated))


@dataclass(frozen=True)
class RotationLearner:
    """Draws a rotation, and fits another learner on rotated rows.

    Parameters
    ----------
    learner : Learner
        Fits the member.
    sampler : RotationSampler
        Draws rotations.
    max_bins : int
        Groups a rotated column is cut into.
    """

    learner: Learner
    sampler: RotationSampler
    max_bins: int

    def fit(
        self, table: Table, target: Target, weight: Array | None, rng: Generator
    ) -> RotatedMember:
        """A member behind its rotation."""
        rotation = self.sampler.draw(View(table, target, weight), rng.spawn(1)[0])
        turned = Table(table.schema, rotation(dense(table))).bin(max_bins=self.max_bins)
        return RotatedMember(rotation, self.learner.fit(turned, target, weight, rng), table.schema)


@tagged
class RotatedEstimator(BaseEstimator):
    """A fitted estimator behind its rotation, as ``estimators_`` shows it.

    Parameters
    ----------
    rotation : Rotation
        Turns rows of numbers; ``rotation.matrix`` is orthogonal.
    estimator : fitted estimator
        Predicts rotated rows.
    """

    def __init__(self, rotation: Rotation, estimator: Any) -> None:
        self.rotation = rotation
        self.estimator = estimator

    def predict(self, X: Any) -> NDArray[Any]:
        """Predictions for rows of numbers, shape (n_samples,).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        """
        predicted: NDArray[Any] = self.estimator.predict(self.rotation(np.asarray(X)))
        return predicted


@dataclass(eq=False, repr=False)
class Rotating(Bag):
    """Members that see rotated columns.

    Parameters
    ----------
    estimator : estimator, default=None
        The base estimator, fitted to rotated columns; by default a fully grown native tree.
    n_features_per_group : int, default=3
        Number of columns rotated together; the last group may be smaller.
    sample_fraction : float, default=0.75
        Size of the bootstrap sample from which the axes of a group are computed, as a share of the
        rows of its classes.
    class_subset : bool, default=True
        Whether every group uses a random non-empty subset of the classes, which makes rotations
        differ more.
    bootstrap : bool, default=False
        Whether members see bootstrap samples, which leaves out-of-bag rows for evaluation, or all
        rows.
    """

    answers_by = None

    _: KW_ONLY
    n_features_per_group: int = 3
    sample_fraction: float = 0.75
    class_subset: bool = True
    bootstrap: bool = False

    allowed: ClassVar[Mapping[str, Allowed]] = ROTATION

    def _learner(
        self, member: Any, view: View, choice: Columns | None, n_threads: int, stop: Any
    ) -> Learner:
        inner = super()._learner(member, view, choice, n_threads, stop)
        sampler = RotationSampler(
            self.n_features_per_group, self.sample_fraction, self.class_subset
        )
        return RotationLearner(inner, sampler, self.max_bins)

    @property
    def estimators_(self) -> list[RotatedEstimator]:  # type: ignore[override]
        """The fitted members, with their rotations."""
        this = self._settled()
        members = [this.pool_.member(t) for t in range(len(this.pool_))]
        return [
            RotatedEstimator(m.rotation, this._inner(m.member, t)) for t, m in enumerate(members)
        ]

    def _inner(self, member: Any, number: int) -> Any:
        """A member as an estimator of rotated rows."""
        if not isinstance(member, Forest):
            return member.estimator
        plain = self._copy()
        plain.pool_ = replace(self.pool_, members=member, weights=np.ones(1))
        plain.bags_ = replace(self.bags_, seeds=self.bags_.seeds[number : number + 1], before=None)
        plain.schema_ = replace(self.schema_, names=None)
        tree: SingleTree = super(Rotating, plain).estimators_[0]
        return tree


@dataclass(eq=False, repr=False)
class RotationForestClassifier(BagClassifierTask, Rotating):
    r"""A rotation forest: trees on all rows, each with randomly rotated columns.

    For every tree, the columns are divided at random into groups. Each group is rotated onto its
    principal axes, computed from a bootstrap sample of the rows of a random subset of the classes;
    all axes are kept, so the rotation :math:`R`, :math:`R^T R = I`, loses no information. Trees
    split along axes, so every rotation gives a different tree, each about as accurate as on the
    original columns: diversity at hardly any cost in accuracy. Columns are scaled to deviation one
    first, as principal axes depend on the scale; missing values count as the mean, categories are
    not rotated.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        Class labels.
    estimators_ : list of RotatedEstimator
        The members, each with its ``rotation``.
    pool_ : Pool
        All members; ``pool_[:t]`` is the ensemble of the first t.

    References
    ----------
    .. [1] Rodríguez, Kuncheva & Alonso, "Rotation forest: a new classifier ensemble method", IEEE
       Trans. Pattern Anal. Mach. Intell. 28 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = RotationForestClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    _: KW_ONLY
    voting: Literal["auto", "soft", "hard"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = ROTATION | VOTING


@dataclass(eq=False, repr=False)
class RotationForestRegressor(RegressorTask, Rotating):
    """A rotation forest for regression; see `RotationForestClassifier`.

    There are no classes to choose from, so rotations differ only by groups and samples.

    Attributes
    ----------
    estimators_, pool_ : see RotationForestClassifier
        As documented there.

    References
    ----------
    .. [1] Rodríguez, Kuncheva & Alonso, "Rotation forest: a new classifier ensemble method", IEEE
       Trans. Pattern Anal. Mach. Intell. 28 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RotationForestRegressor(n_estimators=30, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.3
    True
    """
