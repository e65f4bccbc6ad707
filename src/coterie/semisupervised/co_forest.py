"""Co-forest: all trees but one label rows for that one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.core import Allowed, Learner, Member, Pool, at_least, between, one_of
from coterie.learners import TreeLearner
from coterie.semisupervised.lessons import Lesson, Method, Round, Scene, Taught
from coterie.semisupervised.tri_training import exact
from coterie.semisupervised.unlabelled import TAUGHT, UnlabelledClassifier
from coterie.trees import DecisionTreeClassifier
from coterie.trees.growth import LABELS, SHAPE, resolve_growth

Array = NDArray[np.float64]

_GROWTH = (
    *("max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf"),
    *("max_features", "max_leaf_nodes", "min_impurity_decrease", "ccp_alpha"),
)


def companion_errors(
    votes: Array,
    outside: NDArray[np.bool_],
    truth: NDArray[np.integer],
    threshold: float,
    weight: Array | None = None,
) -> Array:
    """For each tree, the out-of-bag error of all other trees, on rows they are confident about.

    Only trees that did not see a row vote on it. The votes of each tree are subtracted from the sum
    of all votes, so nothing is summed twice.

    Parameters
    ----------
    votes : ndarray of shape (n_trees, n_rows, n_classes)
        Distributions of the trees.
    outside : ndarray of bool of shape (n_trees, n_rows)
        Whether a row is outside the bag of a tree.
    truth : ndarray of int of shape (n_rows,)
        Class codes.
    threshold : float
        Rows count if the probability of the most probable class exceeds this.
    weight : ndarray of shape (n_rows,), optional
        Weights of the rows.

    Returns
    -------
    ndarray of shape (n_trees,)
        One half where no row counts.

    Examples
    --------
    >>> votes = np.array([[[1.0, 0.0]], [[1.0, 0.0]], [[0.0, 1.0]]])
    >>> companion_errors(votes, np.ones((3, 1), dtype=bool), np.array([0]), 0.75)
    array([0.5, 0.5, 0. ])
    """
    heard = votes * outside[:, :, None]
    total, count = heard.sum(axis=0), outside.sum(axis=0)
    errors = np.full(len(votes), 0.5)
    weight = np.ones(len(truth)) if weight is None else weight
    for tree in range(len(votes)):
        n_heard = count - outside[tree]
        mean = (total - heard[tree]) / np.maximum(n_heard, 1)[:, None]
        judged = (n_heard > 0) & (mean.max(axis=1) > threshold)
        mass = weight[judged].sum()
        if mass > 0:
            wrong = judged & (mean.argmax(axis=1) != truth)
            errors[tree] = weight[wrong].sum() / mass
    return errors


def rows_to_try(error_before: float, mass_before: float, error: float) -> int:
    """How many unlabelled rows may be taught at a new error, if all of them are taken.

    Floats stand for the ratios they come from: rounding would try a row too many where the number
    is whole.

    Parameters
    ----------
    error_before, mass_before : float
        Error and total weight of the last lesson.
    error : float
        The new error, not 0.

    Examples
    --------
    >>> rows_to_try(0.2, 10.0, 0.1)
    19
    """
    former = exact(float(error_before)) * exact(float(mass_before))
    return max(0, ceil(former / exact(float(error)) - 1))


class CoForest:
    """The rule of Li & Zhou (2007).

    Parameters
    ----------
    learner : Learner
        Grows a tree.
    n_trees : int
        Number of trees.
    threshold : float
        Confidence above which a row is taught.
    refit : {"bag", "all"}
        Whether a tree keeps its bootstrap of the labelled rows, or sees all of them once taught.
    """

    def __init__(self, learner: Learner, n_trees: int, threshold: float, refit: str) -> None:
        self.learners: Sequence[Learner] = [learner]
        self.n_trees, self.threshold, self.refit = n_trees, threshold, refit
        self.errors = np.full(n_trees, 0.5)
        self.masses = np.zeros(n_trees)
        self.taught = np.zeros(n_trees, dtype=bool)
        self.bags: list[Lesson] = []
        self.outside = np.zeros((0, 0), dtype=bool)

    def begin(self, scene: Scene) -> list[Lesson]:
        """A bootstrap for every tree."""
        drawn = [scene.bag(int(seed)) for seed in scene.seeds(self.n_trees)]
        self.bags = [lesson for lesson, _ in drawn]
        self.outside = np.stack([out for _, out in drawn])
        return self.bags

    def look(self, scene: Scene, members: list[Member], number: int) -> Round:
        """Decide for all trees before any is fitted."""
        known = np.stack([scene.votes(member, scene.labelled) for member in members])
        truth, weight = scene.codes[scene.labelled], scene.weighing(scene.labelled)
        errors = companion_errors(known, self.outside, truth, self.threshold, weight)
        total = Pool.of(members).raw(scene.take(scene.unlabelled), n_threads=scene.n_threads)
        jobs = range(len(members))
        found = scene.executor.map(
            lambda i: self._lesson(scene, members[i], i, float(errors[i]), total, number), jobs
        )
        lessons: dict[int, Lesson] = {}
        facts = []
        for i, lesson in enumerate(found):
            taken = 0 if lesson is None else len(lesson.rows)
            facts.append({"member": i, "e": errors[i], "e_before": self.errors[i], "taken": taken})
            if lesson is None:
                continue
            confidence = np.asarray(lesson.weight)
            self.errors[i], self.masses[i], self.taught[i] = errors[i], confidence.sum(), True
            new = lesson._replace(weight=scene.weighing(lesson.rows, confidence))
            lessons[i] = new.after(self.bags[i] if self.refit == "bag" else scene.given())
        rows = [lesson.rows for lesson in found if lesson is not None]
        return Round(lessons, np.unique(np.concatenate([[], *rows])).astype(np.intp), facts)

    def _lesson(
        self, scene: Scene, tree: Member, i: int, error: float, total: Array, number: int
    ) -> Lesson | None:
        """What the other trees teach one; None if it is not better than its last lesson."""
        if error >= self.errors[i]:
            return None
        n_unknown = len(scene.unlabelled)
        if self.masses[i] == 0:
            self.masses[i] = min(n_unknown / 10, 100)
        n_tried = n_unknown
        if error > 0:
            n_tried = min(n_unknown, rows_to_try(self.errors[i], self.masses[i], error))
        places = scene.stream(number, i).permutation(n_unknown)[:n_tried]
        rows = scene.unlabelled[places]
        mean = (total[places] - scene.votes(tree, rows)) / (self.n_trees - 1)
        confidence = mean.max(axis=1, initial=0.0)
        sure = confidence > self.threshold
        mass = float(confidence[sure].sum())
        better = error * mass < self.errors[i] * self.masses[i]
        if not (self.masses[i] < sure.sum() and better):
            return None
        return Lesson(rows[sure], mean[sure].argmax(axis=1).astype(np.int32), confidence[sure])

    def end(self, scene: Scene, taught: Taught) -> Taught:
        """All trees."""
        # Before its first lesson, the mass of a tree is but a guess to start from.
        masses = np.where(self.taught, self.masses, 0.0)
        return replace(taught, facts={"errors": self.errors, "masses": masses})


@dataclass(eq=False, repr=False, kw_only=True)
class CoForestClassifier(UnlabelledClassifier):
    r"""Co-forest: a random forest whose trees label unlabelled rows for one another.

    For every tree, the other trees act as teachers. Their error :math:`e_i` is measured out of bag
    on labelled rows about which they are confident; as long as it falls, the unlabelled rows about
    which they are confident (with a share of the votes above `threshold`) are added to the tree's
    bootstrap sample, weighted by that share, and the tree is grown again. The new rows, with total
    weight :math:`W_i`, must satisfy :math:`e_i W_i < e'_i W'_i`, where primes mark the previous
    round of that tree, so that the noise shrinks.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees.
    threshold : float, default=0.75
        Share of the other trees' votes above which a row is pseudo-labelled.
    refit : {"bag", "all"}, default="bag"
        Whether a regrown tree keeps its own bootstrap sample of the labelled rows, so that
        out-of-bag errors stay unbiased, or sees all of them, as in the authors' program.
    max_iter : int, default=30
        Maximum number of rounds.
    criterion, max_depth, min_samples_split, min_samples_leaf : see RandomForestClassifier
        The shape of trees.
    min_weight_fraction_leaf, max_features, max_leaf_nodes : see RandomForestClassifier
        The shape of trees.
    min_impurity_decrease, ccp_alpha : see RandomForestClassifier
        The shape of trees.

    Attributes
    ----------
    classes_, transduction_, labeled_iter_ : see TriTrainingClassifier
        As documented there.
    termination_condition_, n_iter_, score_, supervised_score_ : see TriTrainingClassifier
        As documented there.
    estimators_ : sequence of trees
        The trees.
    oob_errors_ : ndarray of shape (n_estimators,)
        Error of the other trees when each tree was last regrown.
    pseudo_weight_ : ndarray of shape (n_estimators,)
        Total weight of its last pseudo-labelled rows, 0 for trees that were never regrown.
    trace_ : Trace
        Error, earlier error and rows by round and tree.

    References
    ----------
    .. [1] Li & Zhou, "Improve computer-aided diagnosis with machine learning techniques using
       undiagnosed samples", IEEE Trans. Syst. Man Cybern. A 37 (2007).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> known = np.where(np.arange(150) % 10 == 0, y, -1)
    >>> CoForestClassifier(random_state=0, n_folds=None).fit(X, known).score(X, y) > 0.9
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = (
        TAUGHT
        | {name: SHAPE[name] for name in _GROWTH}
        | {
            "n_estimators": at_least(1),
            "threshold": between(0.0, 1.0),
            "refit": one_of("bag", "all"),
            "criterion": LABELS["criterion"],
        }
    )
    answers_by = "mean"

    n_estimators: int = 50
    threshold: float = 0.75
    refit: Literal["bag", "all"] = "bag"
    max_iter: int = 30
    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: float | str | None = "sqrt"
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    ccp_alpha: float = 0.0

    def _method(self, scene: Scene) -> Method:
        if self.n_estimators < 3 and len(scene.unlabelled):
            raise ValueError(
                "Co-forest needs at least 3 trees, so that two can label rows for the third; got "
                f"{self.n_estimators}."
            )
        tree = self._member()
        growth = resolve_growth(tree, scene.table, scene.target, random_thresholds=False)
        learner = TreeLearner(
            growth,
            self.min_weight_fraction_leaf,
            float(self.ccp_alpha),
            stop=scene.executor.stop,
        )
        return CoForest(learner, self.n_estimators, self.threshold, self.refit)

    def _member(self) -> Any:
        return DecisionTreeClassifier(
            criterion=self.criterion, **{name: getattr(self, name) for name in _GROWTH}
        )

    def _seat(self, scene: Scene, taught: Taught, members: list[Any], weights: Any = None) -> None:
        super()._seat(scene, taught, members, weights)
        self.oob_errors_, self.pseudo_weight_ = taught.facts["errors"], taught.facts["masses"]
