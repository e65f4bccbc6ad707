"""What the votes of each round are multiplied by."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from coterie.core import ParameterError

#: The learning rate of a round, the first being number 0.
Rates = Callable[[int], float]


def read_rates(given: Any, n_rounds: int) -> Rates:
    """The learning rate of every round.

    Parameters
    ----------
    given : float, list of floats, or callable
        The same in all rounds; one per round; or a function of the round.
    n_rounds : int
        How many there will be at most.

    Examples
    --------
    >>> halving = read_rates(lambda t: 0.5**t, 10)
    >>> halving(0), halving(2)
    (1.0, 0.25)
    """
    if isinstance(given, Real):
        rate = float(given)
        return lambda round_: rate
    if callable(given):
        return lambda round_: _checked(given(round_), round_)
    each = np.asarray(given, dtype=np.float64)
    if each.ndim != 1 or len(each) < n_rounds:
        raise ParameterError(
            f"learning_rate has shape {each.shape}, but there may be {n_rounds} rounds. Pass one "
            "number per round, or a function of the round."
        )
    return lambda round_: _checked(each[round_], round_)


def _checked(rate: Any, round_: int) -> float:
    if not isinstance(rate, Real) or not 0.0 <= float(rate) < np.inf:
        raise ParameterError(
            f"learning_rate of round {round_} is {rate!r}; it must be a number >= 0."
        )
    return float(rate)
