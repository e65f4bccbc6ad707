"""Tri-training: two members that agree teach the third."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.core import Allowed, Learner, Member, one_of
from coterie.core.params import a_list
from coterie.semisupervised.lessons import Lesson, Method, Round, Scene, Taught
from coterie.semisupervised.unlabelled import AN_ESTIMATOR, TAUGHT, UnlabelledClassifier
from coterie.tags import tagged

Array = NDArray[np.float64]


class TriUpdate(NamedTuple):
    """What a member of tri-training is to do.

    Attributes
    ----------
    taken : int
        Number of rows it is taught; 0 leaves it as it is.
    before : int
        The number of rows of its last lesson, as the rule counts it.
    """

    taken: int
    before: int


def tri_training_update(
    error_before: float | Fraction, n_before: int, error: float | Fraction, n_rows: int
) -> TriUpdate:
    r"""How many of the rows on which two members agree are used to train the third.

    Using m new rows with error e is an improvement if :math:`e m < e' l'`, which follows from the
    bound on learning from noisy labels; if there are too many rows, as many are drawn as satisfy
    it. Ratios of counts are compared exactly: in floats ``floor(.15 / (.2 - .15) + 1)`` is 3, and 4
    in truth.

    Parameters
    ----------
    error_before : Fraction or float
        The error e' of the previous round, initially one half.
    n_before : int
        Number of rows l' of the previous round, initially 0.
    error : Fraction or float
        Error e of the two members where they agree.
    n_rows : int
        Rows m they agree on.

    Returns
    -------
    TriUpdate

    Examples
    --------
    >>> tri_training_update(0.5, 0, 0.1, 50)
    TriUpdate(taken=4, before=1)
    >>> tri_training_update(0.2, 10, 0.1, 15)
    TriUpdate(taken=15, before=10)
    """
    e_before, e = exact(error_before), exact(error)
    if e >= e_before:
        return TriUpdate(0, n_before)
    ratio = e / (e_before - e)
    if n_before == 0:
        n_before = floor(ratio + 1)
    if n_before >= n_rows:
        return TriUpdate(0, n_before)
    if e * n_rows < e_before * n_before:
        return TriUpdate(n_rows, n_before)
    if n_before > ratio:
        return TriUpdate(ceil(e_before * n_before / e - 1), n_before)
    return TriUpdate(0, n_before)


def exact(value: float | Fraction) -> Fraction:
    """The ratio of small numbers that a float stands for."""
    return value if isinstance(value, Fraction) else Fraction(value).limit_denominator(10**12)


@tagged
@dataclass(frozen=True)
class PluralityVote:
    """A vote for the most probable class, and so little of the probabilities as breaks ties.

    Parameters
    ----------
    n_members : int
        How many vote.
    """

    n_members: int

    def __call__(self, output: Array) -> Array:
        """Shares that sum to one."""
        one = np.eye(output.shape[1])[output.argmax(axis=1)]
        many = self.n_members + 1.0
        return np.asarray((many * one + output) / (many + 1.0))


class TriTraining:
    """The rule of Zhou & Li (2005).

    Parameters
    ----------
    learners : sequence of Learner
        What fits each of the three.
    bootstrap : bool
        Whether they begin with bootstraps.
    oob : bool
        Whether errors are measured on rows outside bags, as long as there are such.
    disagreement : bool
        Whether a member is taught only what it says otherwise.
    """

    def __init__(
        self, learners: Sequence[Learner], bootstrap: bool, oob: bool, disagreement: bool
    ) -> None:
        self.learners = learners
        self.bootstrap, self.oob, self.disagreement = bootstrap, oob, disagreement
        self.errors = [Fraction(1, 2)] * 3
        self.sizes = [0] * 3
        self.left_out: list[NDArray[np.bool_]] = []
        self.labels: list[tuple[Member, NDArray[np.intp]] | None] = [None] * 3

    def begin(self, scene: Scene) -> list[Lesson]:
        """Three bootstraps, or all labelled rows for each."""
        if not self.bootstrap:
            self.left_out = [np.zeros(len(scene.labelled), dtype=bool)] * 3
            return [scene.given()] * 3
        drawn = [scene.bag(int(seed)) for seed in scene.seeds(3)]
        self.left_out = [out for _, out in drawn]
        return [lesson for lesson, _ in drawn]

    def look(self, scene: Scene, members: list[Member], number: int) -> Round:
        """Decide for all three before anybody is fitted."""
        rows = np.concatenate([scene.labelled, scene.unlabelled])
        said = np.stack([self._labels(scene, member, rows, i) for i, member in enumerate(members)])
        known, unknown = np.split(said, [len(scene.labelled)], axis=1)
        lessons: dict[int, Lesson] = {}
        taken, facts = [], []
        for i in range(3):
            j, k = (other for other in range(3) if other != i)
            error = self._error(scene, known, i, j, k)
            agreed = unknown[j] == unknown[k]
            if self.disagreement:
                agreed &= unknown[i] != unknown[j]
            places = np.flatnonzero(agreed)
            before = self.errors[i]
            update = tri_training_update(before, self.sizes[i], error, len(places))
            self.sizes[i] = update.before
            facts.append(_facts(i, error, before, update, len(places)))
            if not update.taken:
                continue
            if update.taken < len(places):
                rng = scene.stream(number, i)
                places = np.sort(rng.choice(places, update.taken, replace=False))
            new = scene.unlabelled[places]
            codes = unknown[j][places].astype(np.int32)
            lessons[i] = Lesson(new, codes, scene.weighing(new)).after(scene.given())
            taken.append(new)
            self.errors[i], self.sizes[i] = error, update.taken
        for i in lessons:  # which have seen all labelled rows then
            self.left_out[i] = np.zeros(len(scene.labelled), dtype=bool)
        return Round(lessons, np.concatenate([[], *taken]).astype(np.intp), facts)

    def end(self, scene: Scene, taught: Taught) -> Taught:
        """All three."""
        return taught

    def _labels(self, scene: Scene, member: Member, rows: Any, i: int) -> NDArray[np.intp]:
        """What a member calls the rows; it is asked once."""
        last = self.labels[i]
        if last is None or last[0] is not member:
            last = member, scene.votes(member, rows).argmax(axis=1)
            self.labels[i] = last
        return last[1]

    def _error(self, scene: Scene, known: NDArray[Any], i: int, j: int, k: int) -> Fraction:
        """Share of mistakes where two members agree on labelled rows; a half if they never do."""
        truth = scene.codes[scene.labelled]
        agreed = known[j] == known[k]
        if self.oob:
            outside = self.left_out[j] & self.left_out[k]
            agreed = agreed & outside if (agreed & outside).any() else agreed
        wrong = agreed & (known[j] != truth)
        if scene.weight is None:
            counts = int(wrong.sum()), int(agreed.sum())
            return Fraction(*counts) if counts[1] else Fraction(1, 2)
        weight = scene.weight[scene.labelled]
        total = float(weight[agreed].sum())
        return exact(float(weight[wrong].sum()) / total) if total else Fraction(1, 2)


def _facts(
    member: int, error: Fraction, before: Fraction, update: TriUpdate, n_rows: int
) -> dict[str, float]:
    return {
        "member": member,
        "e": float(error),
        "e_before": float(before),
        "l_before": update.before,
        "candidates": n_rows,
        "taken": update.taken,
        "subsampled": float(0 < update.taken < n_rows),
    }


@dataclass(eq=False, repr=False, kw_only=True)
class TriTrainingClassifier(UnlabelledClassifier):
    r"""Tri-training: rows on which two of three members agree are used to train the third.

    Three members start from bootstrap samples of the labelled rows. Each round, the error :math:`e`
    of two members is measured on the labelled rows they agree on; the unlabelled rows they agree
    on, limited in number so that the noise shrinks fast enough (`coterie.semisupervised.
    tri_training_update`), are added to the labelled rows for the third. Training stops when no
    member improves. The three predict by plurality vote, or by the sum of their probabilities if
    all three differ.

    Unstable members, such as single trees, benefit most.

    Parameters
    ----------
    estimator : estimator, list of three, or None, default=None
        The base estimator; by default a fully grown native tree. Three different estimators are
        diverse enough without bootstrap samples.
    bootstrap : bool, default=True
        Whether members start from bootstrap samples of the labelled rows, or from all of them.
    error : {"resubstitution", "oob"}, default="resubstitution"
        Where errors are measured: on all labelled rows, as published, which is optimistic, or
        on those outside both bags while there are any.
    disagreement : bool, default=False
        Whether only rows that the member itself predicts differently are used.
    max_iter : int, default=30
        Maximum number of rounds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimators_ : sequence of estimators
        The three members.
    transduction_ : ndarray of shape (n_samples,)
        Labels of the training rows: those given, and predictions for the others.
    labeled_iter_ : ndarray of shape (n_samples,)
        The round in which a row was last pseudo-labelled, 0 for labelled rows and -1 for never.
    termination_condition_, n_iter_ : str, int
        Why training stopped, and the number of rounds.
    trace_ : Trace
        Error, previous error and number of new rows, by round and member.
    score_, supervised_score_ : float
        Accuracy on hidden labels, with and without the unlabelled rows.

    References
    ----------
    .. [1] Zhou & Li, "Tri-training: exploiting unlabeled data using three classifiers", IEEE
       Trans. Knowl. Data Eng. 17 (2005).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> known = np.where(np.arange(150) % 10 == 0, y, -1)
    >>> model = TriTrainingClassifier(random_state=0, n_folds=None).fit(X, known)
    >>> model.score(X, y) > 0.8
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = TAUGHT | {
        "estimator": AN_ESTIMATOR | a_list,
        "bootstrap": one_of(True, False),
        "error": one_of("resubstitution", "oob"),
        "disagreement": one_of(True, False),
    }
    answers_by = "mean"

    estimator: Any = None
    bootstrap: bool = True
    error: Literal["resubstitution", "oob"] = "resubstitution"
    disagreement: bool = False
    max_iter: int = 30

    def _method(self, scene: Scene) -> Method:
        members = self._members()
        if len(members) != 3:
            raise ValueError(
                f"Tri-training has three members, but estimator is a list of {len(members)}."
            )
        native = not isinstance(self.estimator, list | tuple)
        learners = [scene.learner(self, member, native=native) for member in members]
        return TriTraining(learners, self.bootstrap, self.error == "oob", self.disagreement)

    def _members(self) -> list[Any]:
        if isinstance(self.estimator, list | tuple):
            return list(self.estimator)
        return [self._member()] * 3

    def _cast(self) -> PluralityVote:
        return PluralityVote(3)
