"""An ensemble, round by round: what it says after each, and what each round adds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from coterie.core.trace import Trace
from coterie.data import Table
from coterie.plotting.ballots import ballot_of
from coterie.plotting.replay import story_of

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Unrolled:
    """Answers of an ensemble for the same rows after every round.

    Parameters
    ----------
    scores : ndarray of shape (rounds, rows, columns)
        Of classes one column per class, or a single one for two classes, of which a positive
        number means the second; of numbers the prediction.
    votes : ndarray of shape (rounds, rows, columns)
        What the member of each round says, in the same way; of boosted numbers, what it adds.
    classes : ndarray or None
        Class labels; None for numbers.
    bounded : bool
        Whether votes lie between -1 and 1, so that dividing by the weights gives margins.
    """

    scores: Array
    votes: Array
    classes: NDArray[Any] | None
    bounded: bool

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.scores)

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for numbers."""
        return 0 if self.classes is None else len(self.classes)


def unroll(model: Any, X: Any, most: int) -> Unrolled:
    """Ask a fitted ensemble about rows, after each of its first rounds.

    Parameters
    ----------
    model : fitted ensemble
        A booster, a bag, a forest, or anything with members.
    X : array-like or data frame
        The rows.
    most : int
        Rounds beyond this many are left out.
    """
    if not is_classifier(model):
        return _numbers(model, X, most)
    classes = np.asarray(model.classes_)
    if hasattr(model, "staged_decision_function"):
        scores = _stack(model.staged_decision_function(X), most)
        votes, bounded = _votes(model, X, scores)
        return Unrolled(scores, votes, classes, bounded)
    ballot = ballot_of(model, X)
    votes = ballot.counted()[:most]
    weights = np.ones(len(votes)) if ballot.weights is None else ballot.weights[: len(votes)]
    mass = np.cumsum(weights)[:, None, None]
    scores = np.cumsum(weights[:, None, None] * votes, axis=0) / np.where(mass == 0, 1.0, mass)
    # Sums of equal votes differ by rounding.
    return Unrolled(np.round(scores, 9), votes, classes, bounded=True)


def codes_of_scores(scores: Array) -> Codes:
    """The class that scores decide for; a two-class score of 0 is the first class.

    >>> codes_of_scores(np.array([[-0.5], [0.0], [2.0]]))
    array([0, 0, 1])
    """
    if scores.shape[-1] == 1:
        return np.asarray(scores[..., 0] > 0).astype(np.intp)
    return np.asarray(scores.argmax(axis=-1))


def leads(scores: Array) -> Array:
    """How far the class decided for is ahead of the next.

    >>> leads(np.array([[0.5, 0.2, 0.3]]))
    array([0.2])
    """
    if scores.shape[-1] == 1:
        return np.asarray(np.abs(scores[..., 0]))
    best = np.partition(scores, -2, axis=-1)
    return np.asarray(best[..., -1] - best[..., -2])


def margins_of_scores(scores: Array, truth: Codes) -> Array:
    """How far the true class is ahead of the best other one; negative where it is not.

    >>> margins_of_scores(np.array([[-0.5], [2.0]]), np.array([0, 0]))
    array([ 0.5, -2. ])
    """
    if scores.shape[-1] == 1:
        return np.asarray(np.where(truth > 0, 1.0, -1.0) * scores[..., 0])
    own = np.eye(scores.shape[-1], dtype=bool)[truth]
    true = np.where(own, scores, -np.inf).max(axis=-1)
    return np.asarray(true - np.where(own, -np.inf, scores).max(axis=-1))


def trace_for(model: Any, X: Any, y: Any) -> Trace | None:
    """The trace of a booster; of AdaBoost from elsewhere, replayed on its training rows."""
    trace = getattr(model, "trace_", None)
    if isinstance(trace, Trace):
        return trace
    if hasattr(model, "estimator_errors_") and is_classifier(model):
        return story_of(model, X, y)
    return None


def trace_columns(trace: Trace | None, n_rounds: int) -> dict[str, list[float | None]]:
    """The facts of the rounds, without the clock; NaN becomes None."""
    if trace is None:
        return {}
    left_out = {"seconds", "restarts", "attempt", "model"}
    return {
        name: plain(values[:n_rounds])
        for name, values in trace.columns().items()
        if name not in left_out
    }


def plain(values: Iterable[Any]) -> list[float | None]:
    """Numbers for JSON: six digits, None where there is none.

    >>> plain([0.123456789, np.nan])
    [0.123457, None]
    """
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values]


def _numbers(model: Any, X: Any, most: int) -> Unrolled:
    if hasattr(model, "staged_predict"):
        scores = _stack(model.staged_predict(X), most)
        if hasattr(model, "estimator_errors_"):  # members predict the target itself
            return Unrolled(scores, ballot_of(model, X).said[: len(scores)], None, False)
        return Unrolled(scores, _steps(scores), None, False)
    ballot = ballot_of(model, X)
    scores = np.stack([said for said in islice(ballot.staged(), most)])[:, :, None]
    return Unrolled(scores, ballot.said[:most], None, False)


def _votes(model: Any, X: Any, scores: Array) -> tuple[Array, bool]:
    """What the members say, as the rule counts it; otherwise what each round added."""
    rule = getattr(model, "rule_", None)
    if rule is None or not hasattr(model, "schema_"):
        return _steps(scores), False
    votes = model.pool_.votes(Table.under(model.schema_, X))[: len(scores)]
    if votes.shape != scores.shape:
        return _steps(scores), False
    return votes, rule.gives == "label"


def _steps(scores: Array) -> Array:
    return np.diff(scores, axis=0, prepend=0.0)


def _stack(stages: Iterable[Any], most: int) -> Array:
    kept = [np.asarray(stage, dtype=np.float64) for stage in islice(stages, most)]
    if not kept:
        raise ValueError("The ensemble has no rounds to show: it stopped before the first member.")
    return np.stack([stage.reshape(len(stage), -1) for stage in kept])
