"""Pruned ensembles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from coterie.base import ClassifierTask, RegressorTask
from coterie.core import Allowed, a_function, one_of
from coterie.forests import RandomForestClassifier, RandomForestRegressor
from coterie.selection.pruning.methods import NUMBER_ORDERS, ORDERS, Find
from coterie.selection.pruning.pruned import PRUNING, Pruned


@dataclass(eq=False, repr=False, kw_only=True)
class PrunedEnsembleClassifier(ClassifierTask, Pruned):
    r"""A pruned ensemble of classifiers: only the most useful members are kept.

    Many could be better than all: a fifth to a third of a bag of trees, well chosen, is often as
    accurate as the whole, with less time and memory in proportion. Members are ordered on held-out
    rows, and the size is chosen on rows that were not used for the order. Boosted members keep
    their weights; but pruning suits members that are fitted independently, and often hurts boosted
    ones.

    ====================  ========================================================================
    `order`               which members come first
    ====================  ========================================================================
    "reduced_error"       at each step, the one that gives the vote the lowest error
    "complementarity"     at each step, the one most often right where the vote so far is wrong
    "margin_distance"     at each step, the one that brings rows closest to a small margin
    "orientation"         those closest to the direction that corrects the vote of all
    "boosting"            at each step, the one with the lowest error under AdaBoost's weights
    "kappa"               pairs that agree least
    "margin_diversity"    those that are right where the vote of all is close
    "accuracy"            the most accurate, regardless of the others
    "clusters"            the best of each cluster of similar members
    "gasen"               those with the largest weights in the optimal weighted vote
    "quadratic"           for each size, those with the lowest individual and pairwise errors
    "pareto"              an evolutionary search for few errors and few members at once
    ====================  ========================================================================

    Parameters
    ----------
    order : str or callable, default="reduced_error"
        A name from the table; or a function of votes of shape (members, rows, classes), NaN where a
        member has no vote, positions of the true classes, and ``sample_weight``. It returns the
        members in the order in which they are to be kept, or a list of arrays of members, such as
        ``functools.partial(gasen_order, solver="ga")``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    order_ : ndarray of int of shape (n_members,) or None
        All members, the first to keep first; None where sub-ensembles are not parts of one another.
    members_, size_ : ndarray of int, int
        The members that are kept, and how many there are.
    n_members_ : int
        How many there were.
    curve_ : PruningCurve
        Errors by size; the last is that of all members.
    pool_, estimators_ : Pool, list of models
        The members that are kept. Native trees stay native.
    ensemble_ : fitted ensemble or list of models
        The ensemble without the others; of the same kind if it is a bag or forest of this library.

    References
    ----------
    .. [1] Martínez-Muñoz, Hernández-Lobato & Suárez, "An analysis of ensemble pruning techniques
       based on ordered aggregation", IEEE Trans. Pattern Anal. Mach. Intell. 31 (2009).
    .. [2] Zhou, Wu & Tang, "Ensembling neural networks: many could be better than all",
       Artificial Intelligence 137 (2002).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from coterie import BaggingClassifier
    >>> X, y = make_moons(600, noise=0.3, random_state=0)
    >>> bag = BaggingClassifier(n_estimators=60, random_state=0)
    >>> model = PrunedEnsembleClassifier(bag, max_size=0.25, random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.85
    True
    >>> model.size_ <= 15
    True
    """

    order: Any = "reduced_error"

    orders: ClassVar[Mapping[str, Find]] = ORDERS
    allowed: ClassVar[Mapping[str, Allowed]] = {**PRUNING, "order": one_of(*ORDERS) | a_function}

    def _default_pool(self) -> Any:
        return RandomForestClassifier(
            draw="repeats",
            max_bins=self.max_bins,
            categorical_features=self.categorical_features,
            n_jobs=self.n_jobs,
        )


@dataclass(eq=False, repr=False, kw_only=True)
class PrunedEnsembleRegressor(RegressorTask, Pruned):
    r"""A pruned ensemble of regressors: only the most useful members are kept.

    As `PrunedEnsembleClassifier`, for regression: the sub-ensemble predicts the (weighted) mean of
    its members.

    ====================  ========================================================================
    `order`               which members come first
    ====================  ========================================================================
    "reduced_error"       at each step, the one that gives the mean the lowest squared error
    "complementarity"     at each step, the one whose errors oppose those of the mean so far
    "orientation"         those that deviate from the mean of all towards the truth
    "accuracy"            those with the lowest squared error, regardless of the others
    "clusters"            the best of each cluster of similar members
    "gasen"               those with the largest weights in the optimal weighted mean
    "quadratic"           for each size, the mean with the lowest squared error
    "pareto"              an evolutionary search for little error and few members at once
    ====================  ========================================================================

    Parameters
    ----------
    order : str or callable, default="reduced_error"
        A name from the table; or a function of predictions of shape (members, rows, 1), NaN where a
        member has none, true numbers, and ``sample_weight``. It returns the members in the order in
        which they are to be kept, or a list of arrays of members.

    Attributes
    ----------
    order_ : ndarray of int of shape (n_members,) or None
        All members, the first to keep first; None where sub-ensembles are not parts of one another.
    members_, size_ : ndarray of int, int
        The members that are kept, and how many there are.
    n_members_ : int
        How many there were.
    curve_ : PruningCurve
        Mean squared errors by size; the last is that of all members.
    pool_, estimators_ : Pool, list of models
        The members that are kept. Native trees stay native.
    ensemble_ : fitted ensemble or list of models
        The ensemble without the others; of the same kind if it is a bag or forest of this library.

    References
    ----------
    .. [1] Hernández-Lobato, Martínez-Muñoz & Suárez, "Empirical analysis and evaluation of
       approximate techniques for pruning regression bagging ensembles", Neurocomputing 74 (2011).

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from coterie import BaggingRegressor
    >>> X, y = make_friedman1(600, random_state=0)
    >>> bag = BaggingRegressor(n_estimators=60, random_state=0)
    >>> model = PrunedEnsembleRegressor(bag, size=0.25, random_state=0).fit(X[::2], y[::2])
    >>> model.size_, model.score(X[1::2], y[1::2]) > 0.7
    (15, True)
    """

    order: Any = "reduced_error"

    orders: ClassVar[Mapping[str, Find]] = NUMBER_ORDERS
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **PRUNING,
        "order": one_of(*NUMBER_ORDERS) | a_function,
    }

    def _default_pool(self) -> Any:
        return RandomForestRegressor(
            draw="repeats",
            max_bins=self.max_bins,
            categorical_features=self.categorical_features,
            n_jobs=self.n_jobs,
        )
