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
from coterie.bagging.random_rotation import Rotation, Turner, dense
from coterie.base import RegressorTask
from coterie.core import (
    Allowed,
    Columns,
    Learner,
    Member,
    View,
    at_least,
    fraction,
)
from coterie.data import Schema, Table, Target
from coterie.native import Forest
from coterie.tags import tagged
from coterie.trees.single import SingleTree

Array = NDArray[np.float64]

ROTATION: dict[str, Allowed] = BAG | {
    "n_features_per_group": at_least(1),
    "sample_fraction": fraction(),
    "class_subset": TRUTH,
    "bootstrap": TRUTH,
}


@tagged
@dataclass(frozen=True)
class Turned:
    """A member behind its rotation."""

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
    turner : Turner
        Draws rotations.
    max_bins : int
        Groups a rotated column is cut into.
    """

    learner: Learner
    turner: Turner
    max_bins: int

    def fit(self, table: Table, target: Target, weight: Array | None, rng: Generator) -> Turned:
        """A member behind its rotation."""
        rotation = self.turner.draw(View(table, target, weight), rng.spawn(1)[0])
        turned = Table(table.schema, rotation(dense(table))).bin(max_bins=self.max_bins)
        return Turned(rotation, self.learner.fit(turned, target, weight, rng), table.schema)


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
        What to fit on rotated columns; by default a native tree, grown in full.
    n_features_per_group : int, default=3
        Columns turned together; the last group may be smaller.
    sample_fraction : float, default=0.75
        Size of the bootstrap sample that the axes of a group are found from, as a share of the
        rows of the classes it looks at.
    class_subset : bool, default=True
        Whether every group looks at a random non-empty subset of the classes, which makes
        rotations differ more.
    bootstrap : bool, default=False
        Whether members see bootstrap samples, so that out-of-bag rows can judge them, or all rows.
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
        turner = Turner(self.n_features_per_group, self.sample_fraction, self.class_subset)
        return RotationLearner(inner, turner, self.max_bins)

    @property
    def estimators_(self) -> list[RotatedEstimator]:  # type: ignore[override]
        """The fitted members behind their rotations."""
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
    r"""A rotation forest: trees on all rows, their columns turned at random.

    For every tree the columns are cut at random into groups. Each group is turned onto its
    principal axes, found from a bootstrap sample of the rows of a random subset of the classes;
    all axes are kept, so that the rotation :math:`R`, :math:`R^T R = I`, loses nothing. Trees
    split along axes, and so every rotation makes another tree, each as accurate as on the whole
    table: diversity at hardly any cost in accuracy. Columns are scaled to deviation one first, as
    principal axes depend on the scale; missing values count as the mean, categories are not
    rotated.

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
    """A rotation forest for numbers, averaged; see `RotationForestClassifier`.

    There are no classes to choose from, so rotations differ by groups and samples only.

    Attributes
    ----------
    estimators_, pool_ : see RotationForestClassifier
        The same as there.

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
