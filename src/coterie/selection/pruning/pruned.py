"""What pruned ensembles share, whatever is predicted."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from coterie.base import Admitted, thread_count
from coterie.base.bagged import Bagged
from coterie.core import (
    Allowed,
    Pool,
    at_least,
    draw_entropy,
    fraction,
    member_seeds,
    one_of,
)
from coterie.selection.adapted import AdaptedPool
from coterie.selection.pooled import POOLED, Pooled
from coterie.selection.pruning.choice import Pruning, prune
from coterie.selection.pruning.curve import Judgement, PruningCurve
from coterie.selection.pruning.judges import judge, judge_by_folds
from coterie.selection.pruning.methods import Find
from coterie.selection.pruning.weighted_members import check_vote, keep, seat_weighted, unseen_rows
from coterie.selection.reference_set import divide, part

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


class Found(Pooled):
    """What is known after a fit; no fields of a dataclass, which would be parameters."""

    panel_: AdaptedPool
    ensemble_: Any
    order_: NDArray[np.intp] | None
    members_: NDArray[np.intp]
    size_: int
    curve_: PruningCurve
    n_members_: int


@dataclass(eq=False, repr=False)
class Pruned(Found):
    """A pool of which only some members are kept.

    Parameters
    ----------
    size : "auto", "best", int or float, default="auto"
        How many members to keep: the smallest size whose error, on rows that were not used for the
        order, is within one standard error of the lowest one; the size with the lowest error
        ("best"), which is often nearly all; a number, or a share of all.
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
                "There are no held-out rows to evaluate the members on: all are kept. Use "
                "more rows, or another `validate`.",
                UserWarning,
                stacklevel=4,
            )
            chosen, draft.order_ = np.arange(n_members), np.arange(n_members)
            nothing = np.full(1, np.nan)
            draft.curve_ = PruningCurve(np.array([n_members]), nothing, nothing, nothing)
        else:
            found = prune(
                judged,
                self._find(),
                panel.pool.weights,
                labels=self.task == "classification",
                n_folds=self.choice_folds,
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
                'prefit=True all rows judge; "oob" says that they are the rows of its fit.'
            )
        model, unseen = self.estimator, None
        panel = seat_weighted(model, self._classes(admitted))
        if self.validate == "oob":
            unseen = unseen_rows(model, n_samples)
            unseen = unseen if admitted.kept is None else unseen[:, admitted.kept]
        return Trial(model, panel, self._judge(panel, admitted, split, unseen))

    def _fitted(self, admitted: Admitted, split: int, seed: int) -> Trial:
        """A pool fitted here, judged by rows that its members have not seen."""
        classes, validate = self._classes(admitted), self.validate
        if validate == "oob" or (validate == "auto" and draws_bags(self.estimator_)):
            model = self._fit_pool(admitted, seed)
            panel, unseen = seat_weighted(model, classes), unseen_rows(model, admitted.table.n_rows)
            trial = Trial(model, panel, self._judge(panel, admitted, split, unseen))
            if validate == "oob" or len(trial.judged.covered().truth) > 1:
                return trial
        if validate == "auto" or isinstance(validate, float):
            share = _SHARE if validate == "auto" else validate
            learn, held = divide(admitted, share, split)
            model = self._fit_pool(part(admitted, learn), seed)
            panel = seat_weighted(model, classes)
            return Trial(model, panel, self._judge(panel, part(admitted, held), split))

        def fit(rows: Admitted) -> AdaptedPool:
            return seat_weighted(self._fit_pool(rows, seed), classes)

        model, threads = self._fit_pool(admitted, seed), thread_count(self.n_jobs)
        judged = judge_by_folds(fit, admitted, split, int(validate), threads)
        return Trial(model, seat_weighted(model, classes), judged)

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
