r"""Out-of-bag votes: every row is judged by the trees that did not see it.

.. math:: H_{oob}(x_i) = \frac{1}{|O_i|} \sum_{t \in O_i} h_t(x_i), \quad
   O_i = \{t : i \notin D_t\}

Rows that every tree saw have no out-of-bag vote: their prediction is NaN and scores leave them
out. Estimates are slightly pessimistic for few trees, as only about 37 % of the trees judge a row.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, get_scorer, r2_score

from coterie.base.task import decide, split_outputs
from coterie.core import Pool
from coterie.data import Table, Target


@dataclass(frozen=True)
class OobCurve:
    """Out-of-bag error after each tree.

    Attributes
    ----------
    n_trees : ndarray of shape (n_estimators,)
        1, 2, 3, ...
    error : ndarray of shape (n_estimators,)
        Share of wrong rows (with several outputs: of rows with any output wrong), or the mean
        squared error; NaN while no row has an out-of-bag vote.
    class_errors : ndarray of shape (n_estimators, n_classes) or None
        Share of wrong rows within each class; None for regression and for several outputs.
    coverage : ndarray of shape (n_estimators,)
        Share of rows with an out-of-bag vote.
    """

    n_trees: NDArray[np.int64]
    error: NDArray[np.float64]
    class_errors: NDArray[np.float64] | None
    coverage: NDArray[np.float64]


@dataclass(frozen=True)
class OobVotes:
    """Mean out-of-bag votes, NaN where there are none, and how they came about.

    Attributes
    ----------
    mean : ndarray of shape (n_rows, n_outputs)
        Mean vote of the trees that did not see the row.
    n_votes : ndarray of shape (n_rows,)
        Number of those trees.
    curve : OobCurve
        Error after each tree.
    """

    mean: NDArray[np.float64]
    n_votes: NDArray[np.int64]
    curve: OobCurve

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Rows with at least one vote."""
        return self.n_votes > 0


def collect_votes(
    pool: Pool,
    table: Table,
    target: Target,
    bags: Iterable[NDArray[np.int64]],
    *,
    weight: NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> OobVotes:
    """Let every tree vote on the rows outside its bag, in the order of the trees.

    Parameters
    ----------
    pool : Pool
        The trees.
    table, target : Table, Target
        The training rows.
    bags : iterable of ndarray of shape (n_rows,)
        How often each row is in the bag of each tree.
    weight : ndarray of shape (n_rows,), optional
        Weights of the rows in the curve.
    n_threads : int
        Native threads.
    """
    total = np.zeros((table.n_rows, sum(target.n_classes) or target.n_outputs))
    n_votes = np.zeros(table.n_rows, dtype=np.int64)
    book = _LossBook(target, weight)
    for tree, counts in enumerate(bags):
        rows = np.flatnonzero(counts == 0)
        if len(rows):
            total[rows] += pool[tree : tree + 1].raw(table.take(rows), n_threads=n_threads)
            n_votes[rows] += 1
        book.enter(rows, total[rows] / n_votes[rows, None])
    mean = np.full_like(total, np.nan)
    np.divide(total, n_votes[:, None], out=mean, where=n_votes[:, None] > 0)
    return OobVotes(mean, n_votes, book.close())


class _LossBook:
    """Loss of every row so far, and the errors after each tree."""

    def __init__(self, target: Target, weight: NDArray[np.float64] | None) -> None:
        self.target = target
        self.weight = np.ones(target.n_rows) if weight is None else weight
        self.loss = np.zeros(target.n_rows)
        self.covered = np.zeros(target.n_rows)
        self.by_class = target.kind == "labels" and target.n_outputs == 1
        self.errors: list[NDArray[np.float64]] = []
        self.coverage: list[float] = []

    def enter(self, rows: NDArray[np.intp], mean: NDArray[np.float64]) -> None:
        """Note the new mean votes of some rows."""
        if self.target.kind == "values":
            self.loss[rows] = ((mean - self.target.values[rows]) ** 2).mean(axis=1)
        else:
            guess = [part.argmax(axis=1) for part in split_outputs(self.target, mean)]
            self.loss[rows] = (np.column_stack(guess) != self.target.codes[rows]).any(axis=1)
        self.covered[rows] = self.weight[rows]
        groups = self.target.codes[:, 0] if self.by_class else np.zeros(len(self.loss), np.intp)
        size = len(self.target.classes[0]) if self.by_class else 1
        lost = np.bincount(groups, self.covered * self.loss, size)
        seen = np.bincount(groups, self.covered, size)
        self.errors.append(np.stack([np.append(lost, lost.sum()), np.append(seen, seen.sum())]))
        self.coverage.append(np.count_nonzero(self.covered) / len(self.covered))

    def close(self) -> OobCurve:
        """The curve."""
        lost, seen = np.stack(self.errors, axis=1)
        error = np.divide(lost, seen, out=np.full_like(lost, np.nan), where=seen > 0)
        return OobCurve(
            n_trees=np.arange(1, len(error) + 1),
            error=error[:, -1],
            class_errors=error[:, :-1] if self.by_class else None,
            coverage=np.array(self.coverage),
        )


def warn_if_uncovered(covered: NDArray[np.bool_]) -> None:
    """Say so when rows have no out-of-bag vote."""
    if not covered.all():
        warnings.warn(
            "Some inputs do not have OOB scores. This probably means too few trees were used to "
            f"compute any reliable OOB estimates: {np.count_nonzero(~covered)} of {len(covered)} "
            "rows are in every bag; their predictions are NaN and the score leaves them out.",
            UserWarning,
            stacklevel=2,
        )


def score_votes(
    metric: bool | str | Callable[..., float],
    target: Target,
    votes: OobVotes,
    weight: NDArray[np.float64] | None,
) -> float:
    """Score of the out-of-bag predictions on the rows that have one.

    Parameters
    ----------
    metric : True, scorer, name of a scorer, or callable(y_true, y_pred)
        True is accuracy, or R². Scorers may ask for probabilities. A callable that takes
        ``sample_weight`` gets it when `fit` did.
    target : Target
        The truth.
    votes : OobVotes
        Mean votes.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    """
    covered = votes.covered
    if not covered.any():
        return float("nan")
    truth = target.decode(target.encoded)[covered]
    voter = (_LabelVoter if target.kind == "labels" else _ValueVoter)(target, votes.mean[covered])
    if isinstance(metric, str):
        metric = get_scorer(metric)
    elif metric is True:
        metric = accuracy_score if target.kind == "labels" else r2_score
    assert callable(metric)
    names = list(inspect.signature(metric).parameters)
    if names and names[0] == "estimator":
        return metric(voter, np.zeros((len(truth), 1)), truth)
    if weight is not None and "sample_weight" in names:
        return metric(truth, voter.predict(None), sample_weight=weight[covered])
    return metric(truth, voter.predict(None))


class _LabelVoter(ClassifierMixin, BaseEstimator):
    """Stands in for a classifier so that any scorer can be asked about votes already counted."""

    def __init__(self, target: Target, votes: NDArray[np.float64]) -> None:
        self.target = target
        self.votes = votes
        self.classes_ = target.classes[0] if target.n_outputs == 1 else list(target.classes)

    def predict(self, X: Any) -> NDArray[Any]:
        return decide(self.target, self.votes)

    def predict_proba(self, X: Any) -> Any:
        parts = split_outputs(self.target, self.votes)
        return parts[0] if len(parts) == 1 else parts


class _ValueVoter(RegressorMixin, BaseEstimator):
    """Stands in for a regressor so that any scorer can be asked about votes already counted."""

    def __init__(self, target: Target, votes: NDArray[np.float64]) -> None:
        self.target = target
        self.votes = votes

    def predict(self, X: Any) -> NDArray[np.float64]:
        return self.votes[:, 0] if self.votes.shape[1] == 1 else self.votes
