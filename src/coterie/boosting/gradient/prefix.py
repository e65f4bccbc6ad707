"""The first rounds of a fitted model, which are a model."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from coterie.core.trace import Trace


def check_rounds(wanted: Any, n_rounds: int) -> int:
    """A number of rounds, if a model of `n_rounds` has so many."""
    whole = isinstance(wanted, Integral) and not isinstance(wanted, bool)
    if not whole or not 1 <= int(wanted) <= n_rounds:
        raise ValueError(
            f"n_rounds={wanted!r} is not allowed; it must be an integer from 1 to {n_rounds}, "
            "the number of rounds of the model."
        )
    return int(wanted)


def rounds_of(part: Any, n_rounds: int) -> int:
    """How many rounds ``model[part]`` has; only the first rounds are a model."""
    if not isinstance(part, slice):
        raise TypeError(
            f"model[{part!r}] is not defined: model[:10] is the model after 10 rounds, and "
            "estimators_ holds the trees of each round."
        )
    start, stop, step = part.indices(n_rounds)
    if start != 0 or step != 1 or stop < 1:
        raise ValueError(
            f"model[{_written(part)}] is not a model, because every round builds on all earlier "
            "ones. Use model[:n] with n >= 1."
        )
    return stop


def _written(part: slice) -> str:
    return ":".join("" if end is None else str(end) for end in (part.start, part.stop, part.step))


def shorten(twin: Any, size: int) -> None:
    """Leave out what later rounds added to a fitted model, a copy that nobody else holds."""
    before = len(twin.trace_)
    twin.pool_, twin.n_iter_ = twin.pool_[:size], size
    twin.trace_ = Trace(twin.trace_.rounds[:size], reason=twin.trace_.reason)
    twin.best_iteration_ = min(twin.best_iteration_, size)
    for name, values in vars(twin).items():
        # One number per round, or one more for the start.
        if name in _BY_ROUND and isinstance(values, np.ndarray) and len(values):
            setattr(twin, name, values[: size + len(values) - before])
    twin.evals_result_ = {
        name: {scoring: values[:size] for scoring, values in measured.items()}
        for name, measured in getattr(twin, "evals_result_", {}).items()
    }
    if hasattr(twin, "oob_scores_"):
        twin.oob_score_ = float(twin.oob_scores_[-1])


_BY_ROUND = ("train_score_", "validation_score_", "oob_scores_", "oob_improvement_")
