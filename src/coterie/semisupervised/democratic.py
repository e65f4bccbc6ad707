"""Democratic co-learning: a majority that is also heavier teaches those it outvotes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from coterie.bagging import KNNEnsembleClassifier
from coterie.core import Allowed, Learner, Member, between, one_of, repetitions
from coterie.core.params import a_list
from coterie.data import Table
from coterie.forests import RandomForestClassifier
from coterie.semisupervised.lessons import Lesson, Method, Round, Scene, Taught
from coterie.semisupervised.unlabelled import TAUGHT, UnlabelledClassifier
from coterie.trees import DecisionTreeClassifier

Array = NDArray[np.float64]


def wilson_interval(n_right: float, n_rows: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's confidence interval for a proportion.

    Parameters
    ----------
    n_right, n_rows : float
        Number of successes, and number of trials.
    confidence : float, default=0.95
        Confidence level of the interval.

    Returns
    -------
    tuple of two floats

    Examples
    --------
    >>> low, high = wilson_interval(9, 10)
    >>> round(low, 6), round(high, 6)
    (0.59585, 0.982124)
    """
    z2 = float(ndtri(0.5 + confidence / 2)) ** 2
    centre = (n_right + z2 / 2) / (n_rows + z2)
    share = n_right / n_rows
    half = np.sqrt(z2 * (share * (1 - share) / n_rows + z2 / (4 * n_rows**2)))
    half = float(half) / (1 + z2 / n_rows)
    return max(0.0, centre - half), min(1.0, centre + half)


def learning_gain(n_rows: float, n_wrong: float, n_new: float, n_new_wrong: float) -> float:
    r"""Gain in :math:`n (1 - 2 \epsilon/n)^2` from new labels; minus infinity if they are noise.

    Parameters
    ----------
    n_rows, n_wrong : float
        Number of training rows of a member, and the expected number of wrong labels among them.
    n_new, n_new_wrong : float
        The same for the new rows.

    Examples
    --------
    >>> round(learning_gain(10, 0, 6, 0.6), 6)
    3.69
    """
    total, wrong = n_rows + n_new, n_wrong + n_new_wrong
    if wrong / total > 0.5:  # the square hides the sign
        return -np.inf
    return float(total * (1 - 2 * wrong / total) ** 2 - n_rows * (1 - 2 * n_wrong / n_rows) ** 2)


def combine_groups(labels: NDArray[np.integer], weights: Array, n_classes: int) -> Array:
    r"""Confidence in each class, :math:`\frac{|G|+1/2}{|G|+1}` times the mean weight of its voters.

    Parameters
    ----------
    labels : ndarray of int of shape (n_members, n_rows)
        What members say.
    weights : ndarray of shape (n_members,)
        Confidence in each member.
    n_classes : int
        Number of classes; a class without votes has confidence 0.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)

    Examples
    --------
    >>> combine_groups(np.array([[0], [1], [1]]), np.array([0.788987, 0.716740, 0.572247]), 2)
    array([[0.59174025, 0.53707792]])
    """
    votes = labels[:, :, None] == np.arange(n_classes)
    size = votes.sum(axis=0)
    mean = (weights[:, None, None] * votes).sum(axis=0) / np.maximum(size, 1)
    # The factor alone would be a half for a class nobody votes for, more than a single vote is
    # worth at a weight below two thirds.
    return np.asarray(np.where(size > 0, (size + 0.5) / (size + 1.0) * mean, 0.0))


def _majority(
    said: NDArray[np.intp], weights: Array, n_classes: int
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The class that most members say of each row, and whether they are heavier than any others."""
    votes = said[:, :, None] == np.arange(n_classes)
    mass = (weights[:, None, None] * votes).sum(axis=0)
    winner, place = votes.sum(axis=0).argmax(axis=1), np.arange(said.shape[1])
    own = mass[place, winner]
    mass[place, winner] = -1.0
    return winner, own > mass.max(axis=1)


class Democratic:
    """The rule of Zhou & Goldman (2004).

    Parameters
    ----------
    learners : sequence of Learner
        Different ones, at least three.
    confidence : float
        Of intervals.
    """

    def __init__(self, learners: Sequence[Learner], confidence: float) -> None:
        self.learners, self.confidence = learners, confidence
        self.lessons: list[Lesson] = []
        self.wrong = np.zeros(len(learners))
        self.taught: list[NDArray[np.bool_]] = []

    def begin(self, scene: Scene) -> list[Lesson]:
        """The labelled rows for all."""
        self.lessons = [scene.given()] * len(self.learners)
        self.taught = [np.zeros(len(scene.unlabelled), dtype=bool) for _ in self.learners]
        return self.lessons

    def look(self, scene: Scene, members: list[Member], number: int) -> Round:
        """Outvoted members are taught, if the lesson is expected to be worth its mistakes."""
        said = np.stack([scene.votes(m, scene.unlabelled).argmax(axis=1) for m in members])
        weights = self.weights(scene, members)
        winner, heavier = _majority(said, weights, scene.n_classes)
        own = zip(members, self.lessons, strict=True)
        wrong = 1.0 - float(np.mean([self._interval(scene, *pair)[0] for pair in own]))
        lessons: dict[int, Lesson] = {}
        rows, facts = [], []
        for i, lesson in enumerate(self.lessons):
            new = np.flatnonzero(heavier & (said[i] != winner) & ~self.taught[i])
            gain = learning_gain(len(lesson.rows), self.wrong[i], len(new), wrong * len(new))
            facts.append({"member": i, "candidates": len(new), "gain": gain, "weight": weights[i]})
            if gain > 0 and len(new):
                at = scene.unlabelled[new]
                more = Lesson(at, winner[new].astype(np.int32), scene.weighing(at))
                lessons[i] = more.after(lesson)
                self.taught[i][new] = True
                self.wrong[i] += wrong * len(new)
                rows.append(at)
        for i, lesson in lessons.items():
            self.lessons[i] = lesson
        return Round(lessons, np.unique(np.concatenate([[], *rows])).astype(np.intp), facts)

    def _interval(self, scene: Scene, member: Member, lesson: Lesson) -> tuple[float, float]:
        """Interval of a member's accuracy on the rows of a lesson."""
        right = scene.votes(member, lesson.rows).argmax(axis=1) == lesson.codes
        if lesson.weight is None:
            return wilson_interval(float(right.sum()), len(right), self.confidence)
        # Whole numbers repeat rows; other weights tell shares, not how much is known.
        total = float(lesson.weight.sum())
        n_rows = len(right) if repetitions(lesson.weight) is None else total
        n_right = float(lesson.weight[right].sum()) / total * n_rows
        return wilson_interval(n_right, n_rows, self.confidence)

    def weights(self, scene: Scene, members: list[Member]) -> Array:
        """Confidence in each member: the middle of the interval of its accuracy."""
        given = scene.given()
        return np.array([sum(self._interval(scene, m, given)) / 2 for m in members])

    def end(self, scene: Scene, taught: Taught) -> Taught:
        """All members, with the confidence in each."""
        first = self.weights(scene, taught.first)
        facts = {"first": first}
        return replace(taught, weights=self.weights(scene, taught.members), facts=facts)


@dataclass(eq=False, repr=False, kw_only=True)
class DemocraticCoLearningClassifier(UnlabelledClassifier):
    r"""Democratic co-learning: different learners; the majority labels rows for the others.

    Members are different algorithms on all columns. Each has a weight, the centre of Wilson's
    interval for its accuracy on the labelled rows. A row is pseudo-labelled for the members that
    are outvoted by a majority with a larger total weight; the new rows are used if they increase
    :math:`|L_i| (1 - 2 \epsilon_i / |L_i|)^2`, with the error rate estimated from the lower bounds
    of the intervals. Only members with a weight above 1/2 predict.

    Parameters
    ----------
    estimators : list of (str, estimator), or None, default=None
        At least three different learners; by default a tree, nearest neighbours and a small forest,
        which all support missing values and categories.
    confidence : float, default=0.95
        Confidence level of the intervals.
    max_iter : int, default=30
        Maximum number of rounds.

    Attributes
    ----------
    classes_, transduction_, labeled_iter_ : see TriTrainingClassifier
        As documented there.
    termination_condition_, n_iter_, score_, supervised_score_ : see TriTrainingClassifier
        As documented there.
    estimators_ : sequence of estimators
        The members.
    confidence_ : ndarray of shape (n_members,)
        Their weights.
    trace_ : Trace
        Candidates and gain by round and member.

    References
    ----------
    .. [1] Zhou & Goldman, "Democratic co-learning", ICTAI (2004).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> known = np.where(np.arange(150) % 5 == 0, y, -1)
    >>> model = DemocraticCoLearningClassifier(random_state=0, n_folds=None).fit(X, known)
    >>> model.score(X, y) > 0.9
    True
    """

    min_members: ClassVar[int] = 3
    allowed: ClassVar[Mapping[str, Allowed]] = TAUGHT | {
        "estimators": a_list | one_of(None),
        "confidence": between(0.0, 1.0, closed="neither"),
    }

    estimators: Any = None
    confidence: float = 0.95
    max_iter: int = 30

    def _named(self) -> list[tuple[Any, Any]]:
        if self.estimators is not None:
            pairs = [pair if isinstance(pair, tuple) else (None, pair) for pair in self.estimators]
            if len(pairs) < self.min_members:
                raise ValueError(
                    "Democratic co-learning needs at least 3 different members, got "
                    f"{len(pairs)} in estimators."
                )
            return pairs
        return [
            ("tree", DecisionTreeClassifier()),
            ("neighbours", KNNEnsembleClassifier(n_estimators=1)),
            ("forest", RandomForestClassifier(30, draw="repeats")),
        ]

    def _member(self) -> Any:
        return DecisionTreeClassifier()

    def _method(self, scene: Scene) -> Method:
        learners = [
            replace(scene.learner(self, member, native=False), name=name)  # type: ignore[type-var]
            for name, member in self._named()
        ]
        return Democratic(learners, self.confidence)

    def _seat(self, scene: Scene, taught: Taught, members: list[Any], weights: Any = None) -> None:
        super()._seat(scene, taught, members)
        self.confidence_ = taught.facts["first"] if weights is None else weights

    def _answer(self, table: Table) -> Array:
        heavy = np.flatnonzero(self.confidence_ > 0.5)
        weights = self.confidence_
        if not len(heavy):
            heavy, weights = np.arange(len(weights)), np.ones(len(weights))
            warnings.warn(
                "No member is right on more than half of the labelled rows, so all have equal "
                "votes.",
                UserWarning,
                stacklevel=4,
            )
        labels = self.pool_.take(heavy).votes(table).argmax(axis=2)
        found = combine_groups(labels, weights[heavy], len(self.classes_))
        return np.asarray(found / found.sum(axis=1, keepdims=True))
