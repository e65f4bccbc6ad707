"""SemiBoost: pseudo-labels that agree with labelled neighbours and with each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from coterie.bagging.coordinates import Coordinates, settle_rows
from coterie.base import thread_count
from coterie.boosting.adaboost import AdaBoost
from coterie.core import Allowed, Cast, Learner, Member, a_function, at_least, between, one_of
from coterie.data import Table
from coterie.forests import RandomTreesEmbedding
from coterie.learners import rows_given
from coterie.native import elementary
from coterie.semisupervised.assemble import AssembleClassifier
from coterie.semisupervised.lessons import Lesson, Round, Scene, Taught, teach
from coterie.semisupervised.unlabelled import AN_ESTIMATOR, UNLABELLED, UnlabelledClassifier
from coterie.trees import DecisionTreeClassifier

Array = NDArray[np.float64]

_DENSE = 5000  # rows up to which all pairs are compared
_NEIGHBOURS = 10
_MEDIAN_ROWS = 1000  # rows that the median distance is taken from


class Similarity(Protocol):
    """A symmetric matrix of similarities >= 0, of which only products with vectors are asked."""

    def __matmul__(self, vectors: Array) -> Array:
        """Its product with columns."""
        ...


class Pull(NamedTuple):
    """What speaks for each class of the unlabelled rows.

    Attributes
    ----------
    p, q : ndarray of shape (n_unlabelled,)
        For the second class, and for the first.
    """

    p: Array
    q: Array


def semi_boost_pull(to_labelled: Array, among: Similarity, scores: Array, balance: float) -> Pull:
    r"""Evidence for each with two classes, for every unlabelled row.

    With similarities S and scores H, :math:`p_i = e^{-2H_i} \sum_{j \in L, y_j = 1} S_{ij} +
    \frac{C}{2} e^{-H_i} \sum_{j \in U} S_{ij} e^{H_j}`, and q likewise with all signs turned. The
    sums are products of S with vectors, so S may be dense, sparse or given by factors.

    Parameters
    ----------
    to_labelled : ndarray of shape (n_unlabelled, 2)
        Sum of similarities to labelled rows of the first and of the second class.
    among : matrix of shape (n_unlabelled, n_unlabelled)
        Similarities of unlabelled rows.
    scores : ndarray of shape (n_unlabelled,)
        H, positive for the second class.
    balance : float
        C, the weight of pairs of unlabelled rows.

    Returns
    -------
    Pull

    Examples
    --------
    >>> S = np.exp(-np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> semi_boost_pull(np.array([[1.0, 0.0], [0.0, 1.0]]), S, np.zeros(2), 1.0)
    Pull(p=array([0.68393972, 1.68393972]), q=array([1.68393972, 0.68393972]))
    """
    # Exponents of differences: the largest is taken out first.
    most, least = float(scores.max()), float(scores.min())
    up = np.asarray(among @ np.exp(scores - most)) * np.exp(most - scores)
    down = np.asarray(among @ np.exp(least - scores)) * np.exp(scores - least)
    p = to_labelled[:, 1] * np.exp(-2 * scores) + balance / 2 * up
    q = to_labelled[:, 0] * np.exp(2 * scores) + balance / 2 * down
    return Pull(p, q)


def semi_boost_weight(pull: Pull, signs: Array) -> float:
    r"""Weight of a member, :math:`\frac14 \ln\frac{A}{B}`.

    A is the evidence for its predictions on the unlabelled rows, B the evidence against them.

    Parameters
    ----------
    pull : Pull
        Evidence for each class.
    signs : ndarray of shape (n_unlabelled,)
        1 where the member predicts the second class, -1 for the first.

    Examples
    --------
    >>> round(semi_boost_weight(Pull(np.array([3.0]), np.array([1.0])), np.array([1.0])), 6)
    0.274653
    """
    second = signs > 0
    right = float(pull.p[second].sum() + pull.q[~second].sum())
    wrong = float(pull.p[~second].sum() + pull.q[second].sum())
    if right <= 0:
        return 0.0
    least = np.finfo(np.float64).eps * (right + wrong)
    return float(0.25 * elementary.log(right / max(wrong, least)))


@dataclass(frozen=True)
class Alike:
    """Similarities between rows of a scene.

    Parameters
    ----------
    to_labelled : ndarray of shape (n_unlabelled, n_classes)
        Sums of similarities to the labelled rows of each class.
    among : matrix
        Similarities of unlabelled rows.
    """

    to_labelled: Array
    among: Any


class SemiBoosting:
    """One class against the others.

    Parameters
    ----------
    learner : Learner
        What fits a member to two classes.
    alike : Alike
        Similarities.
    code : int
        The class that is boosted for.
    sample : float
        Share of the unlabelled rows in a lesson.
    """

    def __init__(self, learner: Learner, alike: Alike, code: int, sample: float) -> None:
        self.learners: Sequence[Learner] = [learner]
        own = alike.to_labelled[:, code]
        rest = np.delete(alike.to_labelled, code, axis=1).sum(axis=1)
        self.to_labelled, self.among = np.column_stack([rest, own]), alike.among
        self.code, self.sample = code, sample
        self.scores = np.zeros(len(own))
        self.balance = 0.0
        self.weights: list[float] = []
        self.pull = Pull(self.scores, self.scores)

    def begin(self, scene: Scene) -> list[Lesson]:
        """Nothing: the first member is taught like the others."""
        self.balance = len(scene.labelled) / max(1, len(scene.unlabelled))
        return []

    def look(self, scene: Scene, members: list[Member], number: int) -> Round:
        """Weigh the last member, and choose the rows for the next."""
        if not self._weigh(scene, members):
            return Round({}, scene.labelled[:0], [], "too_weak")
        pull = self.pull = semi_boost_pull(self.to_labelled, self.among, self.scores, self.balance)
        surplus = pull.p - pull.q
        n_taken = int(np.ceil(self.sample * len(surplus)))
        order = np.argsort(-np.abs(surplus), kind="stable")[:n_taken]
        order = order[surplus[order] != 0]
        rows = scene.unlabelled[np.sort(order)]
        codes = (surplus[np.sort(order)] > 0).astype(np.int32)
        new = Lesson(rows, codes, scene.weighing(rows))
        given = scene.given()
        lesson = new.after(given._replace(codes=(given.codes == self.code).astype(np.int32)))
        facts = {"class": self.code, "cost": float((pull.p + pull.q).sum()), "taken": len(rows)}
        return Round({len(members): lesson}, rows, [facts])

    def _weigh(self, scene: Scene, members: list[Member]) -> bool:
        """Weigh a new member; one that is of no use is thrown away."""
        if len(members) == len(self.weights):
            return True
        said = scene.votes(members[-1], scene.unlabelled).argmax(axis=1)
        signs = np.where(said == 1, 1.0, -1.0)
        weight = semi_boost_weight(self.pull, signs)
        if weight <= 0:
            members.pop()
            return False
        self.weights.append(weight)
        self.scores = self.scores + weight * signs
        return True

    def end(self, scene: Scene, taught: Taught) -> Taught:
        """All members that are of use."""
        self._weigh(scene, taught.members)
        return replace(taught, weights=np.array(self.weights))


def similarities(scene: Scene, kind: Any, sigma: Any) -> Alike:
    """How alike rows are.

    Parameters
    ----------
    scene : Scene
        The rows.
    kind : {"auto", "rbf", "knn", "proximity"} or callable
        How to measure.
    sigma : float or "median"
        Width of the kernel.
    """
    rows = np.concatenate([scene.unlabelled, scene.labelled])
    n_unknown = len(scene.unlabelled)
    if kind == "proximity":
        forest = RandomTreesEmbedding(100, random_state=int(scene.seeds(1)[0]) % 2**31)
        codes = sparse.csr_array(forest.fit_transform(rows_given(scene.take(rows))))
        codes = codes / np.sqrt(100)
        return _sums(scene, Factored(codes[:n_unknown]), codes[:n_unknown] @ codes[n_unknown:].T)
    if callable(kind):
        whole = np.asarray(kind(rows_given(scene.take(rows))), dtype=np.float64)
        return _sums(scene, whole[:n_unknown, :n_unknown], whole[:n_unknown, n_unknown:])
    settled = settle_rows(scene.table, scene.target, scene.weight)
    points = Coordinates.learn(settled, scene.table.schema, 100)(scene.take(rows))
    if sigma == "median":
        few = points[:: max(1, len(points) // _MEDIAN_ROWS)]
        k = min(_NEIGHBOURS + 1, len(points))
        reach = cKDTree(points).query(few, k=[k])[0]
        sigma = float(np.median(reach)) or 1.0
    width = max(float(sigma), np.finfo(np.float64).tiny) ** 2
    if kind == "rbf" or (kind == "auto" and len(rows) <= _DENSE):
        whole = np.exp(-cdist(points[:n_unknown], points, "sqeuclidean") / width)
    else:
        whole = _neighbour_graph(points, width)[:n_unknown]
    return _sums(scene, whole[:, :n_unknown], whole[:, n_unknown:])


@dataclass(frozen=True)
class Factored:
    """A matrix that is a product of a sparse one with itself transposed."""

    codes: Any

    def __matmul__(self, vector: Array) -> Array:
        return np.asarray(self.codes @ (self.codes.T @ vector))


def _neighbour_graph(points: Array, width: float) -> sparse.csr_array:
    """Similarities of near neighbours, symmetric."""
    k = min(_NEIGHBOURS + 1, len(points))
    distance, near = cKDTree(points).query(points, k=k)
    distance, near = distance.reshape(len(points), k), near.reshape(len(points), k)
    rows = np.repeat(np.arange(len(points)), k)
    values = np.exp(-(distance.ravel() ** 2) / width)
    graph = sparse.csr_array((values, (rows, near.ravel())), shape=(len(points),) * 2)
    return graph.maximum(graph.T).tocsr()


def _sums(scene: Scene, among: Any, across: Any) -> Alike:
    """Similarities to labelled rows added up by class."""
    member = np.eye(scene.n_classes)[scene.codes[scene.labelled]]
    return Alike(np.asarray(across @ member), among)


@dataclass(eq=False, repr=False, kw_only=True)
class SemiBoostClassifier(UnlabelledClassifier):
    r"""SemiBoost: boosting with pseudo-labels that agree with those of similar rows.

    The cost is :math:`\sum_{i \in U} \sum_{j \in L} S_{ij} e^{-2 y_j H_i} + C \sum_{i,j \in U}
    S_{ij} e^{H_i - H_j}`: unlabelled rows should have the class of similar labelled rows, and
    similar rows the same class. Each round, the rows with the strongest evidence for a class are
    added to the labelled ones, and a member is fitted to both, with the weight :math:`\frac14 \ln
    (A/B)`, where A is the evidence for its predictions, and B the evidence against them. Many
    classes are boosted one against the rest, on the same similarities. The supervised ensemble for
    comparison is AdaBoost with the same base learner.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The base learner; by default a tree of depth 3.
    n_estimators : int, default=20
        Maximum number of rounds, per class if there are more than two.
    sample : float, default=0.1
        Share of the unlabelled rows that are pseudo-labelled for each member.
    similarity : {"auto", "rbf", "knn", "proximity"} or callable, default="auto"
        Similarity of rows: a Gaussian kernel of their distance ("rbf"), which "auto" uses for up to
        5,000 rows; the kernel restricted to nearest neighbours ("knn"), which it uses for more; the
        share of random trees in which they share a leaf; or a function of the rows that returns a
        matrix.
    sigma : float or "median", default="median"
        Width of the kernel; "median" is the median distance of rows to their tenth neighbour. The
        median distance of all pairs, a common choice, makes all rows similar and lets the largest
        class win.

    Attributes
    ----------
    classes_, transduction_, labeled_iter_ : see TriTrainingClassifier
        As documented there.
    termination_condition_, n_iter_, score_, supervised_score_ : see TriTrainingClassifier
        As documented there.
    estimators_ : sequence of estimators
        The members; each separates its class from the rest.
    member_classes_ : ndarray of int
        The class of each member; -1 for members of AdaBoost.
    trace_ : Trace
        Cost and rows by round and class.

    References
    ----------
    .. [1] Mallapragada, Jin, Jain & Liu, "SemiBoost: boosting for semi-supervised learning", IEEE
       Trans. Pattern Anal. Mach. Intell. 31 (2009).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> known = np.where(np.arange(len(y)) % 20 == 0, y, -1)
    >>> SemiBoostClassifier(random_state=0, n_folds=None).fit(X, known).score(X, y) > 0.85
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = UNLABELLED | {
        "estimator": AN_ESTIMATOR,
        "n_estimators": at_least(1),
        "sample": between(0.0, 1.0, closed="right"),
        "similarity": one_of("auto", "rbf", "knn", "proximity") | a_function,
        "sigma": one_of("median") | between(0.0, np.inf, closed="neither"),
    }

    estimator: Any = None
    n_estimators: int = 20
    sample: float = 0.1
    similarity: Literal["auto", "rbf", "knn", "proximity"] | Callable[[Any], Array] = "auto"
    sigma: Any = "median"

    def _member(self) -> Any:
        return DecisionTreeClassifier(max_depth=3) if self.estimator is None else self.estimator

    def _teach(self, scene: Scene) -> Taught:
        """One against the rest, or the second of two classes."""
        labelled = scene.labelled
        known = Scene(
            scene.take(labelled),
            scene.target.take(labelled),
            scene.weighing(labelled),
            scene.entropy,
            scene.executor,
            scene.n_threads,
        )
        boosted = AssembleClassifier(estimator=self._member(), n_estimators=self.n_estimators)
        first = boosted._teach(known)
        if not len(scene.unlabelled):
            return replace(first, facts={**first.facts, "classes": None})
        alike = similarities(scene, self.similarity, self.sigma)
        pair = replace(scene.target, classes=(np.arange(2),))
        codes = range(1, 2) if scene.n_classes == 2 else range(scene.n_classes)
        parts = []
        for code in codes:
            own = _against(scene, pair)
            method = SemiBoosting(own.learner(self, self._member()), alike, code, self.sample)
            parts.append(teach(own, method, self.n_estimators))
        return self._joined(first, parts, codes)

    def _joined(self, first: Taught, parts: list[Taught], codes: Any) -> Taught:
        members = [member for part in parts for member in part.members]
        if not members:
            # Nothing speaks for any class, so the supervised ensemble stays.
            facts = {**first.facts, "classes": None}
            return replace(first, rounds=parts[0].rounds, reason="too_weak", facts=facts)
        weights = np.concatenate([np.asarray(part.weights) for part in parts])
        owners = np.repeat(list(codes), [len(part.members) for part in parts])
        trace = parts[0].trace
        for part in parts[1:]:
            trace.rounds.extend(part.trace.rounds)
        return Taught(
            first.first,
            members,
            weights,
            np.max([part.rounds for part in parts], axis=0),
            parts[0].reason,
            max(part.n_rounds for part in parts),
            trace,
            {**first.facts, "classes": owners},
        )

    def _seat(self, scene: Scene, taught: Taught, members: list[Any], weights: Any = None) -> None:
        supervised = members is taught.first or taught.facts["classes"] is None
        if supervised:
            weights = taught.facts["first"]
        self.member_classes_ = (
            np.full(len(members), -1) if supervised else np.asarray(taught.facts["classes"])
        )
        super()._seat(scene, taught, members, weights)

    def _cast(self) -> Cast:
        return AdaBoost().vote

    def _answer(self, table: Table) -> Array:
        threads = thread_count(self.n_jobs)
        owners = self.member_classes_
        if (owners < 0).all():
            return AdaBoost().link(self.pool_.raw(table, n_threads=threads))
        raw = np.zeros((table.n_rows, len(self.classes_)))
        for code in np.unique(owners):
            own = self.pool_.take(np.flatnonzero(owners == code))
            raw[:, code] = own.raw(table, n_threads=threads)[:, 0]
        if len(self.classes_) == 2:
            return AdaBoost().link(raw[:, 1:])
        return np.asarray(elementary.softmax(2 * raw))


def _against(scene: Scene, pair: Any) -> Scene:
    """The scene of one class against the rest: lessons bring labels of two classes."""
    return replace(scene, target=replace(pair, encoded=scene.target.encoded))
