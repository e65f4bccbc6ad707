"""Boosting by filtering: a hierarchy of three predictors each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import SeedSequence
from sklearn.base import clone

from coterie.base import Admitted, ClassifierTask, Committee, thread_count
from coterie.boosting.booster import BOOSTER
from coterie.boosting.booster_members import Members
from coterie.boosting.hierarchy import SAMPLING, Hierarchy
from coterie.boosting.learner import member_bins, member_learner
from coterie.boosting.predictions import ScoredClasses
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    at_least,
    draw_entropy,
    fraction,
    one_of,
)
from coterie.core.rule import Array, Rule
from coterie.trees import DecisionTreeClassifier
from coterie.trees.single import SingleTree

# Parameters that mean the same in every booster.
_SHARED = ("estimator", "random_state", "n_jobs", "max_bins", "categorical_features")


@dataclass(eq=False, repr=False)
class BoostByFilteringClassifier(ScoredClasses, ClassifierTask, Committee):
    r"""The first boosting algorithm: the majority of three, applied to itself.

    The first predictor learns from the rows as they are, the second from rows of which the first
    got half wrong, the third from the rows on which the two differ. If each has the error
    :math:`\beta < 1/2` on what it learns from, their majority has
    :math:`3\beta^2 - 2\beta^3 < \beta`; three such triples make the next level.

    It is of interest for its history, and for streams that are too large to keep: rows that a
    filter does not let pass need not be stored. On a table `AdaBoostClassifier` does better.

    Parameters
    ----------
    estimator : estimator, default=None
        What to boost; by default a tree of three levels.
    levels : {0, 1, 2, 3}, default=1
        How often three are made of one: at most :math:`3^{levels}` members.
    sampling : {"reweight", "partition", "replacement"}, default="reweight"
        What the three learn from: all rows under weights that do what the filters would, a third
        of the rows each, or rows drawn with replacement.
    balance : float, default=0.5
        How much of what the second predictor learns from the first got wrong. With a half, as in
        the paper, the first is no better than a coin there; with less, the second is told more of
        what the first knows already.
    min_samples : int, default=None
        The fewest rows to fit a second or third predictor on; with fewer, the first one is alone.
        By default 1 with "reweight", otherwise the larger of 10 and twice the number of classes.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    n_jobs : int, default=None
        Threads within native trees, and of prediction.
    max_bins : int, default=255
        Groups a column is cut into for native trees.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns of numbers to be taken as categories.

    Attributes
    ----------
    hierarchy_ : Part
        Which members vote with which, level by level. ``decision_function`` is the mean of the
        three votes at the top, from -1 to 1 for the second of two classes; of many classes, the
        share of the three in favour of each, and where all three differ the third alone counts.
    estimators_ : sequence of estimators
        The members.
    stop_reason_ : str
        "levels" if three predictors vote at the top, otherwise why the first one is alone:
        "perfect", "too_weak" (its error is 1/2 or more), "few_rows", or "agreement" (the rows on
        which the first two differ are all of one class, or none).
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
        if isinstance(member, SingleTree):
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
        draft.estimator_, draft.rule_ = clone(member), Rule()

    @property
    def estimators_(self) -> Members:
        """The fitted members, made when asked for."""
        return Members(self._settled())

    def _raw(self, X: Any) -> Array:
        """The share of the three in favour of each class; of two classes, from -1 to 1."""
        shares = self.hierarchy_.shares(self._votes(X))
        if shares.shape[1] == 1:
            return -shares  # the first class, for want of a second
        return shares if shares.shape[1] > 2 else 2 * shares[:, 1:] - 1

    def predict_proba(self, X: Any) -> Array:
        """The mean probabilities of those who said what was decided; not calibrated.

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
