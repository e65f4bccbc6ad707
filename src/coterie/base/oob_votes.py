r"""Out-of-bag votes: every row is judged by the members that did not see it.

.. math:: H_{oob}(x_i) = \frac{\sum_{t \in O_i} w_t h_t(x_i)}{\sum_{t \in O_i} w_t}, \quad
   O_i = \{t : i \notin D_t\}

Rows that every member saw have no out-of-bag vote: their prediction is NaN and scores leave them
out. Estimates are slightly pessimistic for few members, as only about 37 % of the bags miss a row.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, get_scorer, r2_score

from coterie.base.scoring import Answers, StandIn, ask, of_predictions
from coterie.base.task import decide, split_outputs
from coterie.core import Pool
from coterie.data import Table, Target
from coterie.tags import tagged

Array = NDArray[np.float64]
Metric = bool | str | Callable[..., float]


@tagged
@dataclass(frozen=True)
class OobCurve:
    """Out-of-bag error after each member.

    Attributes
    ----------
    n_members : ndarray of shape (n_estimators,)
        1, 2, 3, ...
    error : ndarray of shape (n_estimators,)
        Share of wrong rows (with several outputs: of rows with any output wrong), or the mean
        squared error; NaN while no row has an out-of-bag vote.
    class_errors : ndarray of shape (n_estimators, n_classes) or None
        Share of wrong rows within each class; None for regression and for several outputs.
    coverage : ndarray of shape (n_estimators,)
        Share of rows with an out-of-bag vote.
    scores : ndarray of shape (n_estimators,) or None
        The requested metric, on the rows that have a vote; None if none was requested.
    """

    n_members: NDArray[np.int64]
    error: Array
    class_errors: Array | None
    coverage: Array
    scores: Array | None = None

    @property
    def n_trees(self) -> NDArray[np.int64]:
        """The same as `n_members`."""
        return self.n_members

    def enough(self, tolerance: float = 0.01) -> int:
        """The smallest number of members after which the error stays within `tolerance`.

        Parameters
        ----------
        tolerance : float, default=0.01
            Tolerance, as a share of the last error.

        Examples
        --------
        >>> error = np.array([0.5, 0.3, 0.2, 0.25, 0.2, 0.199])
        >>> OobCurve(np.arange(1, 7), error, None, np.ones(6)).enough(0.01)
        5
        """
        limit = self.error[-1] * (1.0 + tolerance)
        beyond = np.flatnonzero(~(self.error <= limit))
        return int(beyond[-1]) + 2 if len(beyond) else 1


@dataclass(frozen=True)
class OobVotes:
    """Mean out-of-bag votes, NaN where there are none, and how they came about.

    Attributes
    ----------
    mean : ndarray of shape (n_rows, n_outputs)
        Mean vote of the members that did not see the row.
    n_votes : ndarray of shape (n_rows,)
        Number of those members.
    curve : OobCurve
        Error after each member.
    """

    mean: Array
    n_votes: NDArray[np.int64]
    curve: OobCurve

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Rows with at least one vote."""
        return self.n_votes > 0


class OobJudge:
    """Hears the votes of members on rows they did not see, one member after the other.

    Parameters
    ----------
    table, target : Table, Target
        The training rows.
    weight : ndarray of shape (n_rows,), optional
        Weights of the rows in the curve.
    metric : True, scorer, name of a scorer or callable, optional
        Scored after every member.
    n_threads : int
        Native threads.
    """

    def __init__(
        self,
        table: Table,
        target: Target,
        *,
        weight: Array | None = None,
        metric: Metric | None = None,
        n_threads: int = 1,
    ) -> None:
        self.table, self.target, self.weight = table, target, weight
        self.metric, self.n_threads = metric, n_threads
        self.total = np.zeros((table.n_rows, sum(target.n_classes) or target.n_outputs))
        self.mass = np.zeros(table.n_rows)
        self.n_votes = np.zeros(table.n_rows, dtype=np.int64)
        self.book = _LossBook(target, weight)
        self.scores: list[float] = []

    def hear(self, member: Pool, unseen: NDArray[np.bool_]) -> float:
        """Let a pool of one vote on the rows it has not seen; give the error so far."""
        # A member without weight has no say.
        rows = np.flatnonzero(unseen) if member.weights[0] > 0 else np.zeros(0, np.intp)
        if len(rows):
            self.total[rows] += member.raw(self.table.take(rows), n_threads=self.n_threads)
            self.mass[rows] += member.weights[0]
            self.n_votes[rows] += 1
        error = self.book.enter(rows, self._mean(rows))
        if self.metric is not None:
            self.scores.append(score_votes(self.metric, self.target, self.verdict(), self.weight))
        return error

    def _mean(self, rows: Any) -> Array:
        total, mass = self.total[rows], self.mass[rows, None]
        return np.divide(total, mass, out=np.full_like(total, np.nan), where=mass > 0)

    def verdict(self) -> OobVotes:
        """The votes heard so far."""
        curve = self.book.close(np.array(self.scores) if self.scores else None)
        return OobVotes(self._mean(slice(None)), self.n_votes, curve)


def collect_votes(
    pool: Pool,
    table: Table,
    target: Target,
    bags: Iterable[NDArray[Any]],
    *,
    weight: Array | None = None,
    metric: Metric | None = None,
    n_threads: int = 1,
) -> OobVotes:
    """Let every member vote on the rows it has not seen, in the order of the members.

    Parameters
    ----------
    pool : Pool
        The members.
    table, target : Table, Target
        The training rows.
    bags : iterable of ndarray of shape (n_rows,)
        How often, or whether, each member saw each row.
    weight : ndarray of shape (n_rows,), optional
        Weights of the rows in the curve.
    metric : True, scorer, name of a scorer or callable, optional
        Scored after every member.
    n_threads : int
        Native threads.
    """
    judge = OobJudge(table, target, weight=weight, metric=metric, n_threads=n_threads)
    for number, seen in enumerate(bags):
        judge.hear(pool[number : number + 1], seen == 0)
    return judge.verdict()


class _LossBook:
    """Loss of every row so far, and the errors after each member."""

    def __init__(self, target: Target, weight: Array | None) -> None:
        self.target = target
        self.weight = np.ones(target.n_rows) if weight is None else weight
        self.loss = np.zeros(target.n_rows)
        self.covered = np.zeros(target.n_rows)
        self.by_class = target.kind == "labels" and target.n_outputs == 1
        self.errors: list[Array] = []
        self.coverage: list[float] = []

    def enter(self, rows: NDArray[np.intp], mean: Array) -> float:
        """Note the new mean votes of some rows; give the error of all so far."""
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
        return float(lost.sum() / seen.sum()) if seen.any() else float("nan")

    def close(self, scores: Array | None) -> OobCurve:
        """The curve."""
        lost, seen = np.stack(self.errors, axis=1)
        error = np.divide(lost, seen, out=np.full_like(lost, np.nan), where=seen > 0)
        return OobCurve(
            n_members=np.arange(1, len(error) + 1),
            error=error[:, -1],
            class_errors=error[:, :-1] if self.by_class else None,
            coverage=np.array(self.coverage),
            scores=scores,
        )


def warn_if_uncovered(covered: NDArray[np.bool_], members: str = "trees") -> None:
    """Say so when rows have no out-of-bag vote, in scikit-learn's words."""
    if not covered.all():
        oob = "OOB" if members == "trees" else "oob"
        warnings.warn(
            f"Some inputs do not have OOB scores. This probably means too few {members} were "
            f"used to compute any reliable {oob} estimates. {np.count_nonzero(~covered)} of "
            f"{len(covered)} rows are in every bag; their predictions are NaN, and they are "
            "excluded from the score.",
            UserWarning,
            stacklevel=2,
        )


def score_votes(
    metric: Metric,
    target: Target,
    votes: OobVotes,
    weight: Array | None,
) -> float:
    """Score of the out-of-bag predictions on the rows that have one.

    Parameters
    ----------
    metric : True, scorer, name of a scorer, or callable(y_true, y_pred)
        True is accuracy, or R². Scorers may ask for probabilities. Whatever takes
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
    voter = StandIn(_answers(target), np.zeros((len(truth), 1)), votes.mean[covered])
    weight = None if weight is None else weight[covered]
    return ask(_as_scorer(metric, target), voter, truth, weight)


def _as_scorer(metric: Metric, target: Target) -> Callable[..., float]:
    if isinstance(metric, str):
        return get_scorer(metric)
    if metric is True:
        return of_predictions(accuracy_score if target.kind == "labels" else r2_score)
    assert callable(metric)
    first = next(iter(inspect.signature(metric).parameters), "")
    return metric if first == "estimator" else of_predictions(metric)


def _answers(target: Target) -> Answers:
    """How mean votes become predictions."""
    single = target.n_outputs == 1
    if target.kind == "values":
        return Answers(lambda votes: votes[:, 0] if single else votes)

    def shares(votes: Array) -> Any:
        parts = split_outputs(target, votes)
        return parts[0] if single else parts

    classes = target.classes[0] if single else list(target.classes)
    return Answers(partial(decide, target), shares, classes=classes)
