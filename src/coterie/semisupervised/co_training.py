"""Co-training: two members on two sets of columns label rows for one another; or a committee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from coterie.base import thread_count
from coterie.core import Allowed, Cast, Learner, Member, at_least, between, one_of
from coterie.core.params import a_list
from coterie.data import Table
from coterie.forests import RandomForestClassifier
from coterie.native import elementary
from coterie.semisupervised.lessons import (
    BinnedLearner,
    Lesson,
    Method,
    Positions,
    Round,
    Scene,
    Taught,
)
from coterie.semisupervised.unlabelled import AN_ESTIMATOR, TAUGHT, UnlabelledClassifier
from coterie.tags import tagged

Array = NDArray[np.float64]

_LEAST = 1e-9  # a probability that rules a class out still leaves the other view a say


def surest_rows(
    votes: Array, per_class: NDArray[np.integer], threshold: float = 0.0
) -> NDArray[np.bool_]:
    """The rows that a member is most confident about, a given number for each class.

    Parameters
    ----------
    votes : ndarray of shape (n_rows, n_classes)
        Probabilities. A row is assigned to its most probable class; in case of ties, the first rows
        are taken.
    per_class : ndarray of int of shape (n_classes,)
        Maximum number of rows per class.
    threshold : float, default=0.0
        Minimum probability.

    Returns
    -------
    ndarray of bool of shape (n_rows,)

    Examples
    --------
    >>> surest_rows(np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]]), np.array([1, 1]))
    array([ True, False,  True])
    """
    label = votes.argmax(axis=1)
    chosen = np.zeros(len(votes), dtype=bool)
    for code, most in enumerate(per_class):
        own = np.flatnonzero((label == code) & (votes[:, code] >= threshold))
        order = np.argsort(-votes[own, code], kind="stable")
        chosen[own[order[:most]]] = True
    return chosen


class CoTraining:
    """Members that label rows for all of them, each from its view.

    Parameters
    ----------
    learners : sequence of Learner
        One per view.
    per_class : ndarray of int
        Rows of each class that a member labels in a round.
    pool_size : int
        Unlabelled rows that are looked at in a round.
    threshold : float
        Minimum probability for a row to be labelled.
    """

    def __init__(
        self,
        learners: Sequence[Learner],
        per_class: NDArray[np.integer],
        pool_size: int,
        threshold: float,
    ) -> None:
        self.learners, self.per_class = learners, per_class
        self.pool_size, self.threshold = pool_size, threshold
        self.lesson: Lesson | None = None
        self.waiting: Positions = np.zeros(0, dtype=np.intp)
        self.pool: Positions = np.zeros(0, dtype=np.intp)

    def begin(self, scene: Scene) -> list[Lesson]:
        """The labelled rows, for every view."""
        self.lesson = scene.given()
        self.waiting = scene.stream(0).permutation(scene.unlabelled)
        return [self.lesson] * len(self.learners)

    def look(self, scene: Scene, members: list[Member], number: int) -> Round:
        """Let each member label the rows it is surest of."""
        n_new = self.pool_size - len(self.pool)
        self.pool = np.concatenate([self.pool, self.waiting[:n_new]])
        self.waiting = self.waiting[n_new:]
        if not len(self.pool):
            return Round({}, self.pool, [], "all_labeled")
        votes = [scene.votes(member, self.pool) for member in members]
        codes = self._claims(votes)
        taken = codes >= 0
        facts: list[dict[str, float]] = [{"taken": int(taken.sum()), "pool": len(self.pool)}]
        if not taken.any():
            return Round({}, self.pool[taken], facts, "no_candidate")
        rows = self.pool[taken]
        new = Lesson(rows, codes[taken].astype(np.int32), scene.weighing(rows))
        assert self.lesson is not None
        self.lesson = new.after(self.lesson)
        self.pool = self.pool[~taken]
        return Round(dict.fromkeys(range(len(members)), self.lesson), rows, facts)

    def _claims(self, votes: list[Array]) -> NDArray[np.intp]:
        """The class that each row of the pool is given, -1 for none."""
        codes = np.full(len(votes[0]), -1)
        alone = [surest_rows(vote, self.per_class, self.threshold) for vote in votes]
        labels = [vote.argmax(axis=1) for vote in votes]
        both = np.logical_and.reduce(alone)
        # Rows that all claim, and not for the same class, are given to nobody.
        free = ~(both & np.any([label != labels[0] for label in labels], axis=0))
        for vote, label in zip(votes, labels, strict=True):
            left = np.flatnonzero(free & (codes < 0))
            sure = left[surest_rows(vote[left], self.per_class, self.threshold)]
            codes[sure] = label[sure]
        return codes

    def end(self, scene: Scene, taught: Taught) -> Taught:
        """All members."""
        return taught


@tagged
@dataclass(frozen=True)
class LogVote:
    """Logarithms of probabilities, whose sums are those of products."""

    def __call__(self, output: Array) -> Array:
        """Logarithms, of at least a tiny probability."""
        return np.asarray(elementary.log(np.maximum(output, _LEAST)))


@dataclass(eq=False, repr=False, kw_only=True)
class PoolTaught(UnlabelledClassifier):
    """What both classifiers of this file share.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The ensemble; by default a random forest of 50 trees, because the probabilities of a single
        tree do not rank rows well.
    per_class : list of int, int or None, default=None
        Rows of each class that a member labels in a round; None is four times the share of the
        class among the labelled rows, and at least one.
    pool_size : int, default=75
        Number of unlabelled rows, drawn at random, that are considered in a round.
    threshold : float, default=0.0
        Minimum probability for a row to be labelled.
    max_iter : int, default=30
        Maximum number of rounds.
    """

    allowed: ClassVar[Mapping[str, Allowed]] = TAUGHT | {
        "estimator": AN_ESTIMATOR,
        "per_class": at_least(1) | one_of(None) | a_list,
        "pool_size": at_least(1),
        "threshold": between(0.0, 1.0),
    }

    estimator: Any = None
    per_class: Any = None
    pool_size: int = 75
    threshold: float = 0.0
    max_iter: int = 30

    def _member(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return RandomForestClassifier(50, draw="repeats")

    def _quota(self, scene: Scene) -> NDArray[np.int64]:
        """How many rows of each class are labelled by a member."""
        if self.per_class is None:
            lesson = scene.given()
            mass = np.bincount(lesson.codes, weights=lesson.weight, minlength=scene.n_classes)
            return np.maximum(1, np.rint(4 * mass / mass.sum())).astype(np.int64)
        quota = np.broadcast_to(np.asarray(self.per_class, dtype=np.int64), (scene.n_classes,))
        if (quota < 0).any() or not quota.any():
            raise ValueError(f"per_class={self.per_class!r} must be numbers >= 0, not all 0.")
        return quota

    def _pooled(self, scene: Scene, views: Sequence[Positions | None]) -> CoTraining:
        learners = [scene.learner(self, self._member(), columns) for columns in views]
        return CoTraining(learners, self._quota(scene), self.pool_size, self.threshold)


@dataclass(eq=False, repr=False, kw_only=True)
class CoTrainingClassifier(PoolTaught):
    r"""Co-training: two members on disjoint columns label rows for one another.

    Each round, each member labels the rows of a small pool about which it is most confident, in
    proportion to the class frequencies among the labels, and both are refitted with them. If each
    set of columns suffices to predict the class, and the two are independent given the class, rows
    labelled by one member are as good as new labelled rows for the other. Probabilities are
    multiplied: :math:`P(c|x) \propto P_1(c|x) P_2(c|x)`.

    Parameters
    ----------
    views : pair of lists of columns, {"random", "maxmin"} or None, default=None
        Names or positions of the columns of each member. "random", like None, splits them into
        random halves; "maxmin" assigns them alternately by a forest's importances, so that both
        views are strong.

    Attributes
    ----------
    classes_, transduction_, labeled_iter_ : see TriTrainingClassifier
        As documented there.
    termination_condition_, n_iter_, score_, supervised_score_ : see TriTrainingClassifier
        As documented there.
    views_ : list of two ndarrays
        Positions of the columns of each member.
    estimators_ : sequence of estimators
        The two members.
    trace_ : Trace
        Rows labelled by round.

    References
    ----------
    .. [1] Blum & Mitchell, "Combining labeled and unlabeled data with co-training", COLT (1998).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> known = np.where(np.arange(150) % 10 == 0, y, -1)
    >>> model = CoTrainingClassifier(views=([0, 2], [1, 3]), random_state=0, n_folds=None)
    >>> model.fit(X, known).score(X, y) > 0.9
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **PoolTaught.allowed,
        "views": one_of(None, "random", "maxmin") | a_list,
    }

    views: Any = None

    def _method(self, scene: Scene) -> Method:
        return self._pooled(scene, self._views(scene))

    def _views(self, scene: Scene) -> list[Positions]:
        """The columns of both members, sorted."""
        n_columns = scene.table.n_columns
        every = np.arange(n_columns)
        if n_columns < 2:
            if len(scene.unlabelled):
                raise ValueError(
                    "Co-training needs two views of the rows, but X has n_features=1. Use "
                    "CoTrainingByCommitteeClassifier, which needs only one."
                )
            return [every, every]
        if self.views is None or isinstance(self.views, str):
            order = scene.stream(1).permutation(n_columns)
            if self.views == "maxmin":
                learner = BinnedLearner(RandomForestClassifier(50))
                (judge,) = scene.fit([learner], [scene.given()], [scene.entropy % 2**63])
                shares = judge.estimator.feature_importances_  # type: ignore[union-attr]
                order = np.argsort(-shares, kind="stable")
            return [np.sort(order[0::2]), np.sort(order[1::2])]
        if len(self.views) != 2:
            raise ValueError(f"views must be two lists of columns, not {len(self.views)}.")
        pair = [np.unique(_positions(scene.table, view)) for view in self.views]
        shared = np.intersect1d(pair[0], pair[1]).tolist()
        if shared:
            raise ValueError(
                f"Columns {shared} are in both views, but co-training needs disjoint views."
            )
        if not all(len(view) for view in pair):
            raise ValueError("One of the views has no columns, but co-training needs two views.")
        return pair

    def _seat(self, scene: Scene, taught: Taught, members: list[Any], weights: Any = None) -> None:
        super()._seat(scene, taught, members, weights)
        self.views_ = self._views(scene)

    def _cast(self) -> Cast:
        return LogVote()

    def _answer(self, table: Table) -> Array:
        raw = self.pool_.raw(table, n_threads=thread_count(self.n_jobs))
        return np.asarray(elementary.softmax(raw))


def _positions(table: Table, columns: Any) -> Positions:
    """Columns by name or position as positions."""
    chosen = np.atleast_1d(np.asarray(columns))
    if chosen.dtype.kind != "U":
        if chosen.dtype.kind != "b" and (np.abs(chosen + 0.5) > table.n_columns).any():
            raise ValueError(
                f"Column {int(chosen[np.abs(chosen + 0.5).argmax()])} in views is not in the "
                f"table, which has {table.n_columns} columns."
            )
        return np.arange(table.n_columns)[chosen]
    names = list(table.names or ())
    unknown = [name for name in chosen.tolist() if name not in names]
    if unknown:
        raise ValueError(f"Column {unknown[0]!r} in views is not in the table.")
    return np.array([names.index(name) for name in chosen.tolist()], dtype=np.intp)


@dataclass(eq=False, repr=False, kw_only=True)
class CoTrainingByCommitteeClassifier(PoolTaught):
    """Co-training by committee: an ensemble labels rows for itself, by the share of its votes.

    If there are no two views of the rows, the members of an ensemble take their place: rows on
    which most members agree are labelled, in proportion to the class frequencies among the labels,
    and the ensemble is refitted.

    Attributes
    ----------
    classes_, transduction_, labeled_iter_ : see TriTrainingClassifier
        As documented there.
    termination_condition_, n_iter_, score_, supervised_score_ : see TriTrainingClassifier
        As documented there.
    estimators_ : sequence of estimators
        The ensemble, alone.
    trace_ : Trace
        Rows labelled by round.

    References
    ----------
    .. [1] Hady & Schwenker, "Co-training by committee: a new semi-supervised learning framework",
       ICDM workshops (2008).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> known = np.where(np.arange(150) % 10 == 0, y, -1)
    >>> model = CoTrainingByCommitteeClassifier(random_state=0, n_folds=None)
    >>> model.fit(X, known).score(X, y) > 0.9
    True
    """

    answers_by = "mean"

    def _method(self, scene: Scene) -> Method:
        return self._pooled(scene, [None])
