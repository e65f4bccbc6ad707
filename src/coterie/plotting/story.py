"""The rounds of a fitted booster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from coterie.core.rule import Array
from coterie.core.trace import Trace


def trace_of(model: Any) -> Trace:
    """The trace of a fitted booster with at least one round."""
    check_is_fitted(model)
    trace = getattr(model, "trace_", None)
    if not isinstance(trace, Trace):
        raise TypeError(
            f"{type(model).__name__} keeps no trace of its rounds; this plot needs one of "
            f"coterie's boosters."
        )
    if not len(trace):
        raise ValueError(
            f"This {type(model).__name__} has no rounds: boosting stopped at the first member "
            f"({trace.reason})."
        )
    return trace


def fact(trace: Trace, name: str) -> Array:
    """One number per round, or an error that says what there is instead."""
    if name not in trace.names:
        raise ValueError(
            f"The trace of this model does not contain {name!r}; it contains "
            f"{', '.join(trace.names)}."
        )
    return trace[name]


def optional_fact(trace: Trace, name: str) -> Array | None:
    """One number per round, or None where the rule does not state it."""
    return trace[name] if name in trace.names else None


def chosen_rounds(wanted: Any, n_rounds: int) -> list[int]:
    """Rounds asked for, counted from 1; by default first, last and two between.

    >>> chosen_rounds(None, 3), chosen_rounds(None, 100), chosen_rounds([5], 9)
    ([1, 2, 3], [1, 5, 22, 100], [5])
    """
    if wanted is None:
        spread = np.geomspace(1, n_rounds, num=min(4, n_rounds)).round()
        return [int(t) for t in np.unique(spread)]
    rounds = [int(t) for t in np.atleast_1d(wanted)]
    if not rounds or min(rounds) < 1 or max(rounds) > n_rounds:
        raise ValueError(f"Choose from the rounds 1 to {n_rounds}, not {rounds}.")
    return rounds


def codes_of(model: Any, y: Any) -> NDArray[np.intp]:
    """Position of each label among the classes of a fitted classifier."""
    labels = np.asarray(y)
    unknown = np.setdiff1d(labels, model.classes_)
    if len(unknown):
        raise ValueError(f"y contains {unknown[0]}, which is not one of the model's classes.")
    return np.searchsorted(model.classes_, labels)


def votes_of(model: Any, X: Any) -> Iterator[tuple[Array, Array]]:
    """After each round the score of every row, and the weighted vote that the round added."""
    before = 0.0
    for score in model.staged_decision_function(X):
        yield score, score - before
        before = score


def at_rounds(stages: Iterable[Any], rounds: Sequence[int]) -> NDArray[Any]:
    """What the stages are at some rounds, counted from 1, in that order; no later one is asked for.

    >>> at_rounds(iter([10, 20, 30]), [3, 1])
    array([30, 10])
    """
    kept = {}
    for t, stage in enumerate(stages, start=1):
        if t in rounds:
            kept[t] = stage
        if t == max(rounds):
            break
    return np.stack([kept[t] for t in rounds])
