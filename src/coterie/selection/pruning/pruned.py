"""Pruned ensembles: pools of which only some members are kept."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from coterie.base import Admitted, ClassifierTask, RegressorTask, thread_count
from coterie.base.bagged import Bagged
from coterie.core import (
    Allowed,
    Pool,
    a_function,
    at_least,
    draw_entropy,
    fraction,
    member_seeds,
    one_of,
)
from coterie.forests import RandomForestClassifier, RandomForestRegressor
from coterie.selection.adapted import AdaptedPool
from coterie.selection.pooled import POOLED, Pooled
from coterie.selection.pruning.choice import Pruning, prune
from coterie.selection.pruning.curve import Judgement, PruningCurve
from coterie.selection.pruning.judges import judge, judge_by_folds
from coterie.selection.pruning.methods import NUMBER_ORDERS, ORDERS, Find
from coterie.selection.pruning.weighted_members import adapt_weighted, check_vote, keep, unseen_rows
from coterie.selection.reference_set import divide

Array = NDArray[np.float64]

_SHARE = 0.25  # of the rows is set aside where there are no bags

PRUNING: dict[str, Allowed] = {
    **POOLED,
    "size": one_of("auto", "best") | at_least(1) | fraction(),
    "max_size": at_least(1) | fraction(),
    "validate": one_of("auto", "oob") | at_least(2) | fraction("neither"),
    "choice_folds": at_least(2),
}


class Trial(NamedTuple):
    """A fitted pool and what its members say of rows they have not seen."""

    model: Any
    panel: AdaptedPool
    judged: Judgement


@dataclass(eq=False, repr=False)
class Pruned(Pooled):
    """A pool of which only some members are kept.

    Parameters
    ----------
    size : "auto", "best", int or float, default="auto"
        How many members to keep: the smallest size whose error, on rows that were not used for the
        order, exceeds the lowest one by at most one standard error of the difference; the size
        with the lowest error ("best"), which is often nearly all; a number, or a share of all.
    max_size : int or float, default=1.0
        Upper limit for "auto" and "best": a number, or a share of all.
    validate : "auto", "oob", float or int, default="auto"
        The rows that members are ordered on: "oob" for their out-of-bag rows, a share of the rows
        to hold out, or a number of folds, where the t-th members of the pools fitted without a fold
        stand for the t-th member. By default "oob" if there are bags that leave rows out, else a
        quarter of the rows.
    choice_folds : int, default=2
        Number of folds of these rows for choosing the size: in turn, members are ordered on all
        folds but one and sizes are evaluated on that one. The final order uses all of these rows.
    prefit : bool, default=False
        Whether the pool is already fitted. Then all rows are used for evaluation and must be new to
        it or, with ``validate="oob"``, be its training rows in the same order.
    max_bins : int, default=255
        Maximum number of bins per column for the default pool.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to be treated as categorical, besides those of text or a categorical type.
    """

    _: KW_ONLY
    size: Any = "auto"
    max_size: Any = 1.0
    validate: Any = "auto"
    choice_folds: int = 2

    # Known after a fit.
    panel_: AdaptedPool = field(init=False)
    order_: NDArray[np.intp] | None = field(init=False)
    members_: NDArray[np.intp] = field(init=False)
    size_: int = field(init=False)
    curve_: PruningCurve = field(init=False)
    n_members_: int = field(init=False)

    #: Functions by name.
    orders: ClassVar[Mapping[str, Find]]
    order: Any

    def _find(self) -> Find:
        return self.orders[self.order] if isinstance(self.order, str) else self.order

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        entropy = draw_entropy(self.random_state)
        split, seed = member_seeds(entropy, 0, 2).tolist()
        if self.prefit:
            admitted = self._check_prefit(draft, admitted)
            trial = self._given(admitted, n_samples, split)
        else:
            trial = self._fitted(admitted, split, seed)
        panel, n_members = trial.panel, trial.panel.n_members
        check_vote(trial.model, panel, admitted.table, self._classes(admitted))
        judged = trial.judged.covered()
        draft.n_members_ = n_members
        if not len(judged.truth):
            warnings.warn(
                "There are no held-out rows to evaluate the members on, so all members are kept. "
                "Use more rows, or another `validate`.",
                UserWarning,
                stacklevel=4,
            )
            chosen, draft.order_ = np.arange(n_members), np.arange(n_members)
            nothing = np.full(1, np.nan)
            draft.curve_ = PruningCurve(np.array([n_members]), *(nothing,) * 4)
        else:
            found = prune(
                judged,
                self._find(),
                panel.pool.weights,
                labels=self.task == "classification",
                n_folds=self.choice_folds,
                most=number(self.max_size, n_members),
            )
            chosen = found.subset(self._wanted(found, n_members))
            draft.order_, draft.curve_ = found.order, found.curve
        draft.members_, draft.size_ = chosen, len(chosen)
        draft.panel_ = replace(panel, pool=panel.pool.take(chosen))
        draft.ensemble_ = keep(trial.model, chosen)

    def _wanted(self, found: Pruning, n_members: int) -> int:
        """How many members to keep."""
        if self.size in ("auto", "best"):
            return found.curve.best(float(self.size == "auto"), number(self.max_size, n_members))
        size = number(self.size, n_members)
        if size > n_members:
            raise ValueError(
                f"size={self.size} is more than the {n_members} members; use a smaller size."
            )
        return size

    def _classes(self, admitted: Admitted) -> Any:
        return admitted.target.classes[0] if self.task == "classification" else None

    def _given(self, admitted: Admitted, n_samples: int, split: int) -> Trial:
        """A fitted pool, judged by the rows."""
        if self.validate not in ("auto", "oob"):
            raise ValueError(
                f"validate={self.validate!r} needs a pool that is not yet fitted. With "
                'prefit=True all rows are used to evaluate members; use "oob" if they are the '
                "training rows of the pool."
            )
        model, unseen = self.estimator, None
        panel = adapt_weighted(model, self._classes(admitted))
        if self.validate == "oob":
            unseen = unseen_rows(model, n_samples)
            unseen = unseen if admitted.kept is None else unseen[:, admitted.kept]
        return Trial(model, panel, self._judge(panel, admitted, split, unseen))

    def _fitted(self, admitted: Admitted, split: int, seed: int) -> Trial:
        """A pool fitted here, judged by rows that its members have not seen."""
        classes, validate = self._classes(admitted), self.validate
        if validate == "oob" or (validate == "auto" and draws_bags(self.estimator_)):
            model = self._fit_pool(admitted, seed)
            panel, unseen = (
                adapt_weighted(model, classes),
                unseen_rows(model, admitted.table.n_rows),
            )
            trial = Trial(model, panel, self._judge(panel, admitted, split, unseen))
            if validate == "oob" or len(trial.judged.covered().truth) > 1:
                return trial
        if validate == "auto" or isinstance(validate, float):
            share = _SHARE if validate == "auto" else validate
            learn, held = divide(admitted, share, split)
            model = self._fit_pool(admitted.take(learn), seed)
            panel = adapt_weighted(model, classes)
            return Trial(model, panel, self._judge(panel, admitted.take(held), split))

        def fit(rows: Admitted) -> AdaptedPool:
            return adapt_weighted(self._fit_pool(rows, seed), classes)

        model, threads = self._fit_pool(admitted, seed), thread_count(self.n_jobs)
        judged = judge_by_folds(fit, admitted, split, int(validate), threads)
        return Trial(model, adapt_weighted(model, classes), judged)

    def _judge(
        self,
        panel: AdaptedPool,
        rows: Admitted,
        split: int,
        unseen: NDArray[np.bool_] | None = None,
    ) -> Judgement:
        return judge(panel, rows, split, unseen=unseen, n_threads=thread_count(self.n_jobs))

    def _mean_vote(self, X: Any) -> Array:
        return self.panel_.mean(self._admit(X), thread_count(self.n_jobs))

    @property
    def pool_(self) -> Pool:  # type: ignore[override]  # the panel has it
        """The members that are kept."""
        check_is_fitted(self, "panel_")
        return self.panel_.pool

    @property
    def estimators_(self) -> Any:
        """The fitted members that are kept."""
        ensemble = self._settled().ensemble_
        return ensemble if isinstance(ensemble, list) else ensemble.estimators_


def number(size: Any, n_members: int) -> int:
    """A number of members, from a number or a share.

    Examples
    --------
    >>> number(3, 10), number(0.25, 10), number(0.01, 10), number(1.0, 10)
    (3, 2, 1, 10)
    """
    return max(1, int(size * n_members)) if isinstance(size, float) else int(size)


def draws_bags(model: Any) -> bool:
    """Whether members of an ensemble that is to be fitted will see only some of the rows."""
    tells = isinstance(model, Bagged) or hasattr(type(model), "estimators_samples_")
    return tells and bool(getattr(model, "bootstrap", False))


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
        All members, in the order in which they are kept; None if the sub-ensembles are not nested.
    members_, size_ : ndarray of int, int
        The members that are kept, and how many there are.
    n_members_ : int
        How many there were.
    curve_ : PruningCurve
        Errors by size; the last is that of all members.
    pool_, estimators_ : Pool, list of models
        The members that are kept. Native trees stay native.
    ensemble_ : fitted ensemble or list of models
        The pruned ensemble; of the same class if it is a bagging model or forest of coterie.

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
        All members, in the order in which they are kept; None if the sub-ensembles are not nested.
    members_, size_ : ndarray of int, int
        The members that are kept, and how many there are.
    n_members_ : int
        How many there were.
    curve_ : PruningCurve
        Mean squared errors by size; the last is that of all members.
    pool_, estimators_ : Pool, list of models
        The members that are kept. Native trees stay native.
    ensemble_ : fitted ensemble or list of models
        The pruned ensemble; of the same class if it is a bagging model or forest of coterie.

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
