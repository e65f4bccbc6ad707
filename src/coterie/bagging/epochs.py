"""Members that learn in epochs, stopped by rows outside their bag."""

from __future__ import annotations

import inspect
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from coterie.core import Learner, at_least, check_params
from coterie.core.watch import Patience
from coterie.data import Table, Target
from coterie.learners import ForeignLearner, ForeignMember, adapt, naming, rows_given, seeded
from coterie.tags import tagged
from coterie.trees.single import is_native

Array = NDArray[np.float64]

# With fewer rows outside the bag than this, a part of the bag is held out instead.
_FEWEST, _HELD_OUT = 10, 0.2


@dataclass(frozen=True)
class Watched(ForeignMember):
    """A member that was stopped by rows outside its bag.

    Parameters
    ----------
    history : tuple of float
        Loss on these rows after each epoch; empty when the estimator watched them itself.
    """

    history: tuple[float, ...] = ()


@tagged
@dataclass(frozen=True)
class EarlyStopping:
    """Train members in epochs, and keep each at its best score on out-of-bag rows.

    Supported members are those with ``partial_fit`` (one epoch per call), and those whose ``fit``
    takes ``X_val`` and ``y_val`` or ``eval_set``, which monitor the rows themselves. The loss is
    the log loss, the error rate if there are no probabilities, or the mean squared error.

    Parameters
    ----------
    max_epochs : int, default=200
        Maximum number of epochs.
    patience : int, default=10
        Number of epochs without improvement before stopping.
    tol : float, default=1e-4
        Smallest decrease of the loss that counts.
    """

    max_epochs: int = 200
    patience: int = 10
    tol: float = 1e-4

    def around(self, learner: Learner, member: Any) -> Learner:
        """A learner that stops members early."""
        words = {"max_epochs": at_least(1), "patience": at_least(1), "tol": at_least(0.0)}
        check_params("EarlyStopping", vars(self), words)
        able = hasattr(member, "partial_fit") or _own_watch(member) is not None
        if is_native(member) or not able:
            raise ValueError(
                f"{type(member).__name__} cannot be stopped early: it has no partial_fit, and "
                "its fit accepts neither X_val and y_val nor eval_set."
            )
        return StoppedLearner(member, self)


def _own_watch(member: Any) -> str | None:
    """The parameter by which `fit` takes rows to watch, if it does."""
    for name in ("X_val", "eval_set"):
        if has_fit_parameter(member, name):
            return name
    return None


@dataclass(frozen=True)
class StoppedLearner:
    """Fits clones of an estimator until rows outside the bag have had enough.

    Parameters
    ----------
    estimator : estimator
        What to clone.
    rule : EarlyStopping
        When to stop.
    columns, spare : ndarray or None
        The columns to show, and the rows to watch.
    name : str, int or None
        Named in errors.
    """

    estimator: Any
    rule: EarlyStopping
    columns: NDArray[np.intp] | None = None
    spare: NDArray[np.bool_] | None = None
    name: str | int | None = None

    def among(self, columns: NDArray[np.intp]) -> StoppedLearner:
        """The same learner on some of the columns."""
        return replace(self, columns=columns)

    def numbered(self, number: int) -> StoppedLearner:
        """The same learner for the member at a position."""
        return replace(self, name=number)

    def watching(self, spare: NDArray[np.bool_]) -> StoppedLearner:
        """The same learner, which may look at some rows."""
        return replace(self, spare=spare)

    def fit(
        self, table: Table, target: Target, weight: Array | None, rng: Generator
    ) -> ForeignMember:
        """A fitted clone in its best state."""
        weight = np.ones(table.n_rows) if weight is None else weight
        weight, watch = self._split(target, weight, rng)
        inside = np.unique(target.encoded[weight > 0, 0])
        if target.kind == "labels" and len(inside) == 1:
            learner = ForeignLearner(self.estimator, columns=self.columns)
            return learner.fit(table, target, weight, rng)
        estimator = seeded(self.estimator, rng)
        rows, counts = self._rows(estimator, weight)
        shown, held = target.take(rows), target.take(watch)
        X, y = rows_given(table, rows, self.columns), shown.decode(shown.encoded)
        Xv, yv = rows_given(table, watch, self.columns), held.decode(held.encoded)
        extra = {} if counts is None else {"sample_weight": counts}
        name = _own_watch(estimator)
        judge = Watched(**vars(adapt(estimator, target.classes, None, self.columns, self.name)))
        with naming(estimator, self.name, X):
            if name is not None:
                pair = {"X_val": Xv, "y_val": yv} if name == "X_val" else {"eval_set": [(Xv, yv)]}
                estimator.fit(X, y, **extra, **pair)
                return judge
            best, history = self._epochs(judge, (X, y, extra), table.take(watch), held)
        return replace(judge, estimator=best, history=tuple(history))

    def _epochs(
        self, judge: Watched, shown: tuple[Any, Any, dict[str, Any]], table: Table, held: Target
    ) -> tuple[Any, list[float]]:
        """The estimator in its best state, and the loss after each epoch."""
        estimator, (X, y, extra) = judge.estimator, shown
        if held.kind == "labels":
            extra = extra | {"classes": held.classes[0]}
        best, history = estimator, list[float]()
        patience = Patience(self.rule.patience, self.rule.tol)
        for epoch in range(1, self.rule.max_epochs + 1):
            estimator.partial_fit(X, y, **(extra if epoch == 1 else _later(extra)))
            history.append(loss_of(judge.predict(table), held))
            over = patience.tell(-history[-1])
            if epoch == 1 or history[-1] < min(history[:-1]):
                best = deepcopy(estimator)
            if over:
                break
        return best, history

    def _split(
        self, target: Target, weight: Array, rng: Generator
    ) -> tuple[Array, NDArray[np.intp]]:
        """Weights of the rows to learn from, and the rows to watch."""
        watch = np.zeros(0, dtype=np.intp) if self.spare is None else np.flatnonzero(self.spare)
        if len(watch) >= max(_FEWEST, sum(target.n_classes)):
            return weight, watch
        bag = np.flatnonzero(weight)
        held = rng.choice(bag, max(1, round(_HELD_OUT * len(bag))), replace=False)
        if len(held) == len(bag):
            return weight, bag
        left = weight.copy()
        left[held] = 0.0
        return left, np.sort(held)

    @staticmethod
    def _rows(estimator: Any, weight: Array) -> tuple[NDArray[np.intp], Array | None]:
        """Rows to show, and their weights if they are passed on."""
        inside = np.flatnonzero(weight)
        method = estimator.fit if _own_watch(estimator) is not None else estimator.partial_fit
        if "sample_weight" in inspect.signature(method).parameters:
            return inside, weight[inside]
        return np.repeat(inside, np.maximum(1, np.rint(weight[inside])).astype(np.intp)), None


def _later(extra: dict[str, Any]) -> dict[str, Any]:
    """What is passed after the first epoch: the classes are known by then."""
    return {name: value for name, value in extra.items() if name != "classes"}


def loss_of(votes: Array, target: Target) -> float:
    """Mean log loss of probabilities, or mean squared error of numbers."""
    if target.kind == "values":
        return float(((votes - target.values) ** 2).mean())
    given = np.take_along_axis(votes, target.codes[:, :1].astype(np.intp), axis=1)
    return float(-np.log(np.maximum(given, 1e-6)).mean())
