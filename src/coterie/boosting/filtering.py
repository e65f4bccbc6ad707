"""Boosting by filtering: a hierarchy of three predictors each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray
from sklearn.base import clone

from coterie.base import Admitted, ClassifierTask, Committee, thread_count
from coterie.boosting.booster import BOOSTER
from coterie.boosting.booster_members import Members
from coterie.boosting.learner import member_bins, member_learner
from coterie.core import (
    Allowed,
    Member,
    Pool,
    RandomLike,
    at_least,
    draw_entropy,
    fraction,
    one_of,
)
from coterie.core.learner import numbered
from coterie.core.rule import Array, majority
from coterie.core.train import Trainer
from coterie.data import Table, Target
from coterie.tags import tagged
from coterie.trees import DecisionTreeClassifier
from coterie.trees.single import is_native


class Answer(NamedTuple):
    """What a part of the hierarchy says of rows: class codes, and class probabilities."""

    codes: NDArray[np.intp]
    proba: Array


@tagged
@dataclass(frozen=True)
class Part:
    """A part of the hierarchy: one member, or three parts that vote.

    Attributes
    ----------
    member : int
        Position of the member in the pool, or -1.
    parts : tuple of three Part, or empty
        The three that vote.
    reason : str
        Why no three parts vote here: "perfect" or "too_weak" (the first one), "few_rows" (for the
        second or the third), "agreement" (nothing for the third to decide), or "levels".
    """

    member: int = -1
    parts: tuple[Part, ...] = ()
    reason: str = ""

    def answer(self, votes: Array) -> Answer:
        """The answer for all rows, from the probabilities of all members."""
        if not self.parts:
            proba = votes[self.member]
            return Answer(majority(proba), proba)
        return decide_of_three(*(part.answer(votes) for part in self.parts))

    def shares(self, votes: Array) -> Array:
        """The share of the three in favour of each class, shape (n_rows, n_classes).

        Where all three differ the last one decides, and it alone is counted.
        """
        first, second, third = (part.answer(votes).codes for part in self.parts or (self,) * 3)
        one = np.eye(votes.shape[2])
        differ = (first != second) & (first != third) & (second != third)
        decided = one[first] + one[second] + one[third]
        return np.where(differ[:, None], one[third], decided) / 3


def decide_of_three(first: Answer, second: Answer, third: Answer) -> Answer:
    """What the first two agree on; where they do not, what the third says.

    The probability is the mean over those who said what was decided.
    """
    agreed = first.codes == second.codes
    codes = np.where(agreed, first.codes, third.codes)
    total, count = np.zeros(first.proba.shape), np.zeros(len(codes))
    for number, one in enumerate((first, second, third)):
        # The third is not asked where the first two agree.
        used = (one.codes == codes) & (~agreed if number == 2 else True)
        total += np.where(used[:, None], one.proba, 0.0)
        count += used
    return Answer(codes, total / count[:, None])


@dataclass(frozen=True)
class Reweight:
    """All three learn from all rows; what Schapire's filters let pass is told by weights.

    Parameters
    ----------
    wrong_share : float
        How much of what the second learns from the first got wrong.
    """

    wrong_share: float = 0.5

    def split(self, weight: Array, rng: Generator) -> tuple[Array, Array, Array]:
        """The rows the three learn from, as weights."""
        return weight, weight, weight

    def draw(self, weight: Array, rng: Generator) -> Array:
        """What a member learns from of a source of rows."""
        return weight

    def balance(self, weight: Array, wrong: NDArray[np.bool_], rng: Generator) -> Array:
        """As much of the weight on the rows that the first got wrong as shall be there."""
        return shared_out(weight, wrong, self.wrong_share)


@dataclass(frozen=True)
class Partition(Reweight):
    """Each of the three learns from a third of the rows that the others did not see."""

    def split(self, weight: Array, rng: Generator) -> tuple[Array, Array, Array]:
        """Three random parts."""
        place = np.full(len(weight), -1)
        rows = rng.permutation(np.flatnonzero(weight))
        place[rows] = np.arange(len(rows)) * 3 // max(len(rows), 1)
        first, second, third = (np.where(place == k, weight, 0.0) for k in range(3))
        return first, second, third

    def balance(self, weight: Array, wrong: NDArray[np.bool_], rng: Generator) -> Array:
        """All rows that the first got wrong, and so much of the others as goes with it."""
        rows = rng.permutation(np.flatnonzero((weight > 0) & ~wrong))
        most = weight[wrong].sum() * (1 - self.wrong_share) / self.wrong_share
        kept = rows[np.cumsum(weight[rows]) <= most * (1 + 1e-9)]
        balanced = np.where(wrong, weight, 0.0)
        balanced[kept] = weight[kept]
        return balanced


@dataclass(frozen=True)
class Replacement(Reweight):
    """Each of the three learns from rows drawn with replacement from what its filter lets pass."""

    def draw(self, weight: Array, rng: Generator) -> Array:
        """As many rows as there are, drawn by their weights."""
        counts = rng.multinomial(int(np.count_nonzero(weight)), weight / weight.sum())
        return counts.astype(np.float64)

    def balance(self, weight: Array, wrong: NDArray[np.bool_], rng: Generator) -> Array:
        """A coin, fair by default, says whether the first got the next row right or wrong."""
        shares = shared_out(weight, wrong, self.wrong_share)
        counts = rng.multinomial(int(np.count_nonzero(weight)), shares)
        return counts.astype(np.float64)


SAMPLING: dict[str, type[Reweight]] = {
    "reweight": Reweight,
    "partition": Partition,
    "replacement": Replacement,
}


def shared_out(weight: Array, wrong: NDArray[np.bool_], part: float = 0.5) -> Array:
    r"""A part of the weight on wrong rows, and the rest on the others.

    For a half, :math:`D/2\epsilon` and :math:`D/2(1-\epsilon)`.

    Examples
    --------
    >>> shared_out(np.array([0.25, 0.25, 0.5]), np.array([True, False, False]))
    array([0.5       , 0.16666667, 0.33333333])
    """
    error, right = weight[wrong].sum(), weight[~wrong].sum()
    return np.asarray(weight * np.where(wrong, part / error, (1 - part) / right))


def _as_it_is(output: Array) -> Array:
    return output


@dataclass
class Hierarchy:
    """Fits the parts, from the first to the last.

    1. The first part learns from the rows as they are.
    2. The second learns from rows of which the first got half wrong, or another part of your
       choice: it must know something that the first does not.
    3. The third learns from the rows on which the two differ.
    4. The majority of the three is the answer. Each of them is such a hierarchy of one level less.
    """

    learner: Trainer
    table: Table
    target: Target
    sampling: Reweight
    min_samples: int
    rng: Generator
    members: list[Member] = field(default_factory=list)

    def learn(self, level: int, weight: Array) -> tuple[Part, Answer]:
        """A part of at most `level` levels, and its answer for every row."""
        sampling, rng = self.sampling, self.rng
        sources = sampling.split(weight, rng) if level else (weight,) * 3
        if level == 0 or self._few(sources[0]):
            return self._lone(weight, "few_rows" if level else "levels")
        first, its = self.learn(level - 1, sampling.draw(sources[0], rng))
        size = len(self.members)
        wrong = its.codes != self.target.codes[:, 0]
        reason = self._needless(sources[1], wrong)
        if reason:
            return Part(first.member, first.parts, reason), its
        second_weight = sampling.balance(sources[1], wrong, rng)
        if self._few(second_weight):
            return Part(first.member, first.parts, "few_rows"), its
        second, others = self.learn(level - 1, second_weight)
        # Rows that the second had no use for are as new to the third as its own.
        source = np.where(second_weight > 0, sources[2], np.maximum(sources[1], sources[2]))
        left = np.where(its.codes != others.codes, source, 0.0)
        reason = self._undecidable(left)
        if reason:
            del self.members[size:]  # those of the second, which has no say
            return Part(first.member, first.parts, reason), its
        third, last = self.learn(level - 1, sampling.draw(left, rng))
        return Part(parts=(first, second, third)), decide_of_three(its, others, last)

    def _lone(self, weight: Array, reason: str) -> tuple[Part, Answer]:
        """One member."""
        scaled = weight * (np.count_nonzero(weight) / weight.sum())
        learner = numbered(self.learner, len(self.members))
        member, proba = learner.train(self.table, self.target, scaled, self.rng, _as_it_is)
        self.members.append(member)
        part = Part(len(self.members) - 1, reason=reason)
        return part, Answer(majority(proba), proba)

    def _needless(self, weight: Array, wrong: NDArray[np.bool_]) -> str:
        """Why there is nothing to learn from the mistakes of the first, if so."""
        total = weight.sum()
        if not total:
            return "few_rows"
        error = weight[wrong].sum() / total
        rounding = 8 * len(weight) * float(np.finfo(np.float64).eps)
        if error <= rounding:
            return "perfect"
        return "too_weak" if error >= 0.5 - rounding else ""

    def _undecidable(self, weight: Array) -> str:
        """Why a third part would not help, if so."""
        seen = np.unique(self.target.codes[weight > 0, 0])
        if len(seen) < 2:
            return "agreement"
        return "few_rows" if self._few(weight) else ""

    def _few(self, weight: Array) -> bool:
        return int(np.count_nonzero(weight)) < self.min_samples


# Parameters that mean the same in every booster.
_SHARED = ("estimator", "random_state", "n_jobs", "max_bins", "categorical_features")


@dataclass(eq=False, repr=False)
class BoostByFilteringClassifier(ClassifierTask, Committee):
    r"""The first boosting algorithm: majority votes of three, applied recursively.

    The first member is trained on the original rows, the second on rows of which the first
    misclassifies half, and the third on the rows on which the two differ. If each has the error
    :math:`\beta < 1/2` on its training rows, their majority vote has the error :math:`3\beta^2 -
    2\beta^3 < \beta`; three such triples form the next level.

    It is of historical interest, and useful for streams that are too large to store: rows that a
    filter rejects need not be kept. On a table in memory `AdaBoostClassifier` does better.

    Parameters
    ----------
    estimator : estimator, default=None
        The base learner; by default a tree of three levels.
    levels : {0, 1, 2, 3}, default=1
        Levels of recursion: there are at most :math:`3^{levels}` members.
    sampling : {"reweight", "partition", "replacement"}, default="reweight"
        Training rows of the three members: all rows, with weights equivalent to the filters; a
        third of the rows each; or rows drawn with replacement.
    balance : float, default=0.5
        Share of the second member's training rows that the first misclassifies. With one half, as
        in the paper, the first is no better than chance there; with less, the second learns more of
        what the first already knows.
    min_samples : int, default=None
        Minimum number of rows to fit a second or third member; with fewer, only the first is used.
        By default 1 with "reweight", otherwise the larger of 10 and twice the number of classes.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    n_jobs : int, default=None
        Number of threads within native trees and for prediction.
    max_bins : int, default=255
        Maximum number of bins per column in native trees.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical.

    Attributes
    ----------
    hierarchy_ : Part
        Which members vote together, level by level. ``decision_function`` is the mean of the three
        votes at the top, from -1 to 1 for the second of two classes; with many classes, the share
        of the three votes for each class, and only the third counts where all three differ.
    estimators_ : sequence of estimators
        The members.
    stop_reason_ : str
        "levels" if three members vote at the top; otherwise the reason why only the first is used:
        "perfect", "too_weak" (its error is 1/2 or more), "few_rows", or "agreement" (there are no
        rows on which the first two differ, or they are all of one class).
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Schapire, "The strength of weak learnability", Mach. Learn. 5 (1990).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BoostByFilteringClassifier(levels=2).fit(X, y)
    >>> len(model.estimators_) <= 9
    True
    """

    estimator: Any = None
    _: KW_ONLY
    levels: int = 1
    sampling: Literal["reweight", "partition", "replacement"] = "reweight"
    balance: float = 0.5
    min_samples: int | None = None
    random_state: RandomLike = None
    n_jobs: int | None = None
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **{name: BOOSTER[name] for name in _SHARED},
        "levels": one_of(0, 1, 2, 3),
        "sampling": one_of(*SAMPLING),
        "balance": fraction("neither"),
        "min_samples": at_least(1) | one_of(None),
    }

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table, target, weight, _ = admitted
        member = DecisionTreeClassifier(max_depth=3) if self.estimator is None else self.estimator
        threads = thread_count(self.n_jobs)
        if is_native(member):
            bins = member_bins(type(self).__name__, self.max_bins, member)
            table = table.bin(weight=weight, max_bins=bins, n_threads=threads)
        fewest = self.min_samples
        if fewest is None:
            fewest = 1 if self.sampling == "reweight" else max(10, 2 * target.n_classes[0])
        rng = np.random.default_rng(SeedSequence(draw_entropy(self.random_state)))
        gives: Any = "proba" if hasattr(member, "predict_proba") else "label"
        learner = member_learner(type(self).__name__, member, gives, table, target, threads)
        sampling = SAMPLING[self.sampling](float(self.balance))
        hierarchy = Hierarchy(learner, table, target, sampling, fewest, rng)
        full = np.ones(table.n_rows) if weight is None else weight
        part, _ = hierarchy.learn(self.levels, full / full.sum())
        draft.hierarchy_, draft.pool_ = part, Pool.of(hierarchy.members)
        draft.stop_reason_ = part.reason or "levels"
        draft.estimator_ = clone(member)

    @property
    def estimators_(self) -> Members:
        """The fitted members, created on access."""
        return Members(self._settled())

    def decision_function(self, X: Any) -> Array:
        """The share of the three votes for each class; with two classes, from -1 to 1.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        this = self._settled()
        shares = this.hierarchy_.shares(this._votes(X))
        if shares.shape[1] == 1:
            return -shares[:, 0]  # the first class, for want of a second
        return shares if shares.shape[1] > 2 else 2 * shares[:, 1] - 1

    def predict(self, X: Any) -> NDArray[Any]:
        """The majority vote of the three; where all differ, the prediction of the third.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        return this.target_.decode(this.hierarchy_.answer(this._votes(X)).codes)

    def predict_proba(self, X: Any) -> Array:
        """The mean probabilities of the members that voted for the predicted class; not calibrated.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        this = self._settled()
        return this.hierarchy_.answer(this._votes(X)).proba

    def _votes(self, X: Any) -> Array:
        """Class probabilities of all members, shape (n_members, n_samples, n_classes)."""
        return self.pool_.votes(self._admit(X), n_threads=thread_count(self.n_jobs))
