"""Weights that are a running product of factors, for rules that cannot take them from scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie.core.rule import Array, State, exponential_weight
from coterie.data import Target


@dataclass(slots=True)
class RunningState(State):
    r"""A state whose weights are :math:`D_0 e^{\text{exponent}}`, normalised.

    Factors are added up as logarithms, so that weights neither drift nor underflow for good.

    Attributes
    ----------
    exponent : ndarray of shape (n_rows,)
        Logarithm of the product of all factors so far.
    """

    exponent: Array

    @classmethod
    def start(cls, target: Target, weight: Array, n_scores: int) -> RunningState:
        """Scores zero, and no factor yet."""
        return cls(target, weight, weight, np.zeros((len(weight), n_scores)), np.zeros(len(weight)))

    @staticmethod
    def of(state: State) -> RunningState:
        """The state as what the rule began with."""
        assert isinstance(state, RunningState), "the state was made by another rule"
        return state

    def multiply(self, exponent: Array) -> None:
        """Multiply the weight of each row by the exponential of `exponent`."""
        self.exponent = self.exponent + exponent
        self.weight = exponential_weight(self.initial, self.exponent)
