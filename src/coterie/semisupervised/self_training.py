"""Self-training whose threshold is measured out of bag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.base.oob_estimates import OutOfBag
from coterie.core import Allowed, Learner, Member, at_least, between, one_of
from coterie.forests import RandomForestClassifier
from coterie.learners import ForeignMember, rows_given
from coterie.semisupervised.lessons import Lesson, Method, Round, Scene, Taught
from coterie.semisupervised.unlabelled import (
    AN_ESTIMATOR,
    TAUGHT,
    UnlabelledClassifier,
    label_folds,
)

Array = NDArray[np.float64]

_PER_CLASS = 20  # labelled rows of every class from which classes have thresholds of their own
_WORSE = 0.05  # a loss of accuracy on labelled rows that ends it


def precise_threshold(
    confidence: Array, right: NDArray[np.bool_], precision: float, min_rows: int = 5
) -> float:
    """The lowest confidence above which predictions are precise enough.

    Parameters
    ----------
    confidence : ndarray of shape (n,)
        Confidence of predictions for rows whose class is known.
    right : ndarray of bool of shape (n,)
        Whether they were right.
    precision : float
        Required share of correct predictions.
    min_rows : int, default=5
        Minimum number of predictions.

    Returns
    -------
    float
        Infinity if there is none.

    Examples
    --------
    >>> precise_threshold(np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 1, 0, 1]) > 0, 1.0, 2)
    0.8
    """
    order = np.argsort(-confidence, kind="stable")
    sorted_confidence = confidence[order]
    share = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    # Rows of equal confidence are above the threshold together.
    last = np.append(sorted_confidence[1:] != sorted_confidence[:-1], True)[: len(order)]
    good = last & (share >= precision) & (np.arange(1, len(order) + 1) >= min_rows)
    return float(sorted_confidence[np.flatnonzero(good)[-1]]) if good.any() else np.inf


class SelfTraining:
    """One member that labels rows for itself.

    Parameters
    ----------
    learner : Learner
        What fits it.
    settings : SelfTrainingClassifier
        Whose parameters say when a row is taken.
    """

    def __init__(self, learner: Learner, settings: Any) -> None:
        self.learners: Sequence[Learner] = [learner]
        self.settings = settings
        self.lesson: Lesson | None = None
        self.best: tuple[float, Member | None, NDArray[np.int16] | None] = (-1.0, None, None)
        self.rounds = np.zeros(0, dtype=np.int16)

    def begin(self, scene: Scene) -> list[Lesson]:
        """The labelled rows."""
        self.lesson = scene.given()
        self.rounds = np.where(scene.codes >= 0, 0, -1).astype(np.int16)
        return [self.lesson]

    def look(self, scene: Scene, members: list[Member], number: int) -> Round:
        """Judge the last round, and take the rows that it is sure enough of."""
        (member,) = members
        if self.settings.criterion == "threshold":
            return self._constant(scene, member, number)
        accuracy, honest, known = self._judge(scene, member)
        if accuracy < self.best[0] - _WORSE:
            return Round({}, scene.labelled[:0], [{"accuracy": accuracy}], "worse")
        rows, votes, n_fresh = self._candidates(scene, member, honest)
        if not len(rows):
            return Round({}, rows, [{"accuracy": accuracy}], "all_labeled")
        limits = self._limits(scene, honest[known], known)
        chosen = self._choose(scene, votes[:n_fresh], limits)
        # Rows of earlier rounds stay as long as those that have not seen them are sure of them.
        again = votes[n_fresh:].max(axis=1) >= limits[votes[n_fresh:].argmax(axis=1)]
        chosen = np.append(chosen, n_fresh + np.flatnonzero(again))
        facts = {"accuracy": accuracy, "threshold": float(limits.min()), "taken": len(chosen)}
        taken = rows[chosen]
        if not len(taken):
            return Round({}, taken, [facts], "no_candidate")
        confidence = votes[chosen].max(axis=1)
        codes = votes[chosen].argmax(axis=1).astype(np.int32)
        new = Lesson(taken, codes, scene.weighing(taken, confidence))
        former = scene.given() if self.settings.forget else self._lesson
        lesson = new.after(former)
        if _alike(lesson, self._lesson):
            return Round({}, taken, [facts])
        self.lesson = lesson
        self.rounds[taken] = number
        return Round({0: lesson}, taken, [facts])

    def end(self, scene: Scene, taught: Taught) -> Taught:
        """The member of the best round, or the last."""
        if self.settings.keep == "last" or not len(scene.unlabelled):
            return taught
        if taught.reason == "max_iter":  # the last member was not judged yet
            self._judge(scene, taught.members[0])
        _, member, rounds = self.best
        if member is None or rounds is None:
            return taught
        return replace(taught, members=[member], rounds=rounds)

    @property
    def _lesson(self) -> Lesson:
        assert self.lesson is not None
        return self.lesson

    def _constant(self, scene: Scene, member: Member, number: int) -> Round:
        """Take whatever is above a constant threshold, as scikit-learn does."""
        if self.settings.keep == "best":
            self._judge(scene, member)
        rows = np.setdiff1d(scene.unlabelled, self._lesson.rows)
        if not len(rows):
            return Round({}, rows, [], "all_labeled")
        votes = scene.votes(member, rows)
        sure = votes.max(axis=1) > self.settings.threshold
        taken = rows[sure]
        facts: list[dict[str, float]] = [{"taken": len(taken)}]
        if not len(taken):
            return Round({}, taken, facts)
        codes = votes[sure].argmax(axis=1).astype(np.int32)
        self.lesson = Lesson(taken, codes, scene.weighing(taken)).after(self._lesson)
        self.rounds[taken] = number
        return Round({0: self.lesson}, taken, facts)

    def _honest(self, scene: Scene, member: Member) -> Array:
        """What the ensemble says of the rows of its lesson without having seen them."""
        lesson = self._lesson
        fitted = member.estimator if isinstance(member, ForeignMember) else None
        if isinstance(fitted, OutOfBag) and fitted.bags_.spares:
            return _out_of_bag(scene, fitted, lesson)
        votes = np.full((len(lesson.rows), scene.n_classes), np.nan)
        for held in self._folds(scene):
            rest = Lesson(
                lesson.rows[~held],
                lesson.codes[~held],
                None if lesson.weight is None else lesson.weight[~held],
            )
            (other,) = scene.fit(self.learners, [rest], [int(scene.seeds(1)[0])])
            votes[held] = scene.votes(other, lesson.rows[held])
        return votes

    def _folds(self, scene: Scene) -> list[NDArray[np.bool_]]:
        """Rows of the lesson to hold out in turn, those with pseudo-labels among them."""
        folds, rows = label_folds(scene, 3), self._lesson.rows
        turn = np.full(scene.table.n_rows, -1)
        for number, fold in enumerate(folds):
            turn[fold] = number
            turn[scene.unlabelled[number :: len(folds)]] = number
        return [turn[rows] == number for number in range(len(folds))]

    def _judge(self, scene: Scene, member: Member) -> tuple[float, Array, Any]:
        """Accuracy on labelled rows, honest votes, and where among them these rows are.

        The best member so far is kept.
        """
        lesson, honest = self._lesson, self._honest(scene, member)
        known = np.flatnonzero(scene.codes[lesson.rows] >= 0)
        heard = known[~np.isnan(honest[known, 0])]
        rows = lesson.rows[heard]
        right = honest[heard].argmax(axis=1) == scene.codes[rows]
        weight = scene.weighing(rows)
        accuracy = float(np.average(right, weights=weight)) if len(rows) else 0.0
        if accuracy > self.best[0]:
            self.best = accuracy, member, self.rounds.copy()
        return accuracy, honest, known

    def _candidates(self, scene: Scene, member: Member, honest: Array) -> tuple[Any, Array, int]:
        """Unlabelled rows that may be taken, and what is said of them by who has not seen them.

        Those that are not taught yet come first; the last answer is how many.
        """
        lesson = self._lesson
        fresh = np.setdiff1d(scene.unlabelled, lesson.rows)
        votes = scene.votes(member, fresh)
        if not self.settings.forget:
            return fresh, votes, len(fresh)
        taught = np.flatnonzero(scene.codes[lesson.rows] < 0)
        heard = taught[~np.isnan(honest[taught, 0])]
        rows = np.concatenate([fresh, lesson.rows[heard]])
        return rows, np.concatenate([votes, honest[heard]]), len(fresh)

    def _limits(self, scene: Scene, honest: Array, known: Any) -> Array:
        """The least confidence of each class."""
        heard = ~np.isnan(honest[:, 0])
        codes = scene.codes[self._lesson.rows[known][heard]]
        said, confidence = honest[heard].argmax(axis=1), honest[heard].max(axis=1)
        wanted, few = self.settings.precision, self.settings.min_rows
        n_classes = scene.n_classes
        if np.bincount(codes, minlength=n_classes).min() < _PER_CLASS:
            pooled = precise_threshold(confidence, said == codes, wanted, few)
            return np.full(n_classes, pooled)
        limits = np.empty(n_classes)
        for code in range(n_classes):
            own = said == code
            limits[code] = precise_threshold(confidence[own], codes[own] == code, wanted, few)
        return limits

    def _choose(self, scene: Scene, votes: Array, limits: Array) -> Any:
        """The surest rows above their limits, in the shares of the labels and not too many."""
        label, confidence = votes.argmax(axis=1), votes.max(axis=1)
        most = int(np.ceil(self.settings.max_share * len(scene.unlabelled)))
        sure = np.flatnonzero(confidence >= limits[label])
        order = sure[np.argsort(-confidence[sure], kind="stable")]
        if not self.settings.balance or not len(order):
            return np.sort(order[:most])
        given = scene.given()
        mass = np.bincount(given.codes, weights=given.weight, minlength=scene.n_classes)
        share = mass / mass.sum()
        found = np.bincount(label[order], minlength=scene.n_classes)
        # As many as keep the shares: the scarcest class decides.
        total = min(most, *(np.floor(found[c] / share[c]) for c in np.flatnonzero(found)))
        quota = np.ceil(total * share).astype(int)
        chosen = [order[label[order] == code][: quota[code]] for code in range(scene.n_classes)]
        return np.sort(np.concatenate(chosen))


def _alike(first: Lesson, second: Lesson) -> bool:
    """Whether two lessons teach the same of the same rows."""
    pairs = [np.lexsort((lesson.codes, lesson.rows)) for lesson in (first, second)]
    return len(first.rows) == len(second.rows) and bool(
        (first.rows[pairs[0]] == second.rows[pairs[1]]).all()
        and (first.codes[pairs[0]] == second.codes[pairs[1]]).all()
    )


def _out_of_bag(scene: Scene, fitted: Any, lesson: Lesson) -> Array:
    """Out-of-bag votes on the rows of a lesson, in all classes."""
    part = scene.take(lesson.rows)
    own = fitted.schema_ is part.schema
    rows = part.binned_rows() if own else rows_given(part)
    votes = fitted.oob_features(rows)
    every = np.full((len(votes), scene.n_classes), 0.0)
    every[:, np.searchsorted(scene.target.classes[0], fitted.classes_)] = votes
    return np.where(np.isnan(votes[:, :1]), np.nan, every)


@dataclass(eq=False, repr=False, kw_only=True)
class SelfTrainingClassifier(UnlabelledClassifier):
    """Self-training of a bagged ensemble, with a threshold estimated out of bag.

    The ensemble labels the rows it is confident about and is refitted with them. The confidence
    threshold is not a constant: it is the confidence above which the ensemble's out-of-bag
    predictions on labelled rows were right often enough. Pseudo-labelled rows are predicted again
    in every round by members that have not seen them, so mistakes can be corrected, and the round
    with the best out-of-bag accuracy on labelled rows is kept.

    Parameters
    ----------
    estimator : estimator or None, default=None
        What to fit: by default a `RandomForestClassifier`. For ensembles without bags, out-of-fold
        predictions replace out-of-bag ones.
    criterion : {"precision", "threshold"}, default="precision"
        Whether the threshold is measured, or constant as in scikit-learn, where all rows above it
        are taken with full weight.
    precision : float, default=0.95
        Required share of correct predictions; with more than 1, no row is ever pseudo-labelled.
    threshold : float, default=0.75
        The constant.
    min_rows : int, default=5
        Minimum number of labelled rows needed to estimate the threshold.
    max_share : float, default=0.2
        Maximum number of rows newly pseudo-labelled in a round, as a share of the unlabelled rows.
    balance : bool, default=True
        Whether rows are taken in the class shares of the labels.
    forget : bool, default=True
        Whether pseudo-labelled rows are predicted again in every round, and dropped if their
        confidence is below the threshold then. With a constant
        threshold they never are, as in scikit-learn.
    keep : {"best", "last"}, default="best"
        The round whose ensemble is kept.
    max_iter : int, default=10
        Maximum number of rounds.

    Attributes
    ----------
    classes_, transduction_, labeled_iter_ : see TriTrainingClassifier
        As documented there.
    termination_condition_, n_iter_, score_, supervised_score_ : see TriTrainingClassifier
        As documented there.
    estimators_ : sequence of estimators
        The ensemble, alone.
    trace_ : Trace
        Accuracy on labelled rows, threshold and rows taken by round.

    References
    ----------
    .. [1] Yarowsky, "Unsupervised word sense disambiguation rivaling supervised methods", ACL
       (1995).
    .. [2] Tanha, van Someren & Afsarmanesh, "Semi-supervised self-training for decision tree
       classifiers", Int. J. Mach. Learn. Cybern. 8 (2017).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> known = np.where(np.arange(150) % 5 == 0, y, -1)
    >>> SelfTrainingClassifier(random_state=0, n_folds=None).fit(X, known).score(X, y) > 0.9
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = TAUGHT | {
        "estimator": AN_ESTIMATOR,
        "criterion": one_of("precision", "threshold"),
        "precision": between(0.0, 2.0),
        "threshold": between(0.0, 1.0),
        "min_rows": at_least(1),
        "max_share": between(0.0, 1.0, closed="right"),
        "balance": one_of(True, False),
        "forget": one_of(True, False),
        "keep": one_of("best", "last"),
    }
    answers_by = "mean"

    estimator: Any = None
    criterion: Literal["precision", "threshold"] = "precision"
    precision: float = 0.95
    threshold: float = 0.75
    min_rows: int = 5
    max_share: float = 0.2
    balance: bool = True
    forget: bool = True
    keep: Literal["best", "last"] = "best"
    max_iter: int = 10

    def _member(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return RandomForestClassifier(draw="repeats")

    def _method(self, scene: Scene) -> Method:
        return SelfTraining(scene.learner(self, self._member()), self)
