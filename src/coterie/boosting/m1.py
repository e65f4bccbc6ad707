"""AdaBoost.M1: AdaBoost of many classes with members better than even."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import softmax

from coterie.boosting.adaboost import AdaBoost
from coterie.core.rule import (
    Array,
    State,
    Step,
    exponential_weight,
    majority,
    rounding,
    smallest_error,
)


@dataclass(frozen=True)
class AdaBoostM1(AdaBoost):
    r"""AdaBoost.M1: AdaBoost of many classes with members better than even.

    A member of weighted error :math:`\epsilon < 1/2` has :math:`\ln(1/\beta)` votes for its class,
    :math:`\beta = \epsilon/(1-\epsilon)`. Of two classes it weighs half of that, and the score is
    half the difference of the votes: AdaBoost.

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\ln(1/\beta)`.
    perfect_error : float, optional
        What a member without error is counted with; by default half the lightest row.
    """

    perfect_error: float | None = None

    def vote(self, output: Array) -> Array:
        """-1 or +1; of many classes, 1 for the predicted one and 0 elsewhere."""
        if output.shape[1] <= 2:
            return super().vote(output)
        return np.eye(output.shape[1])[majority(output)]

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the member by its error, and let half of the weight lie on its mistakes."""
        wrong = self.decide(vote) != state.codes
        error = float(state.weight[wrong].sum())
        if error >= 0.5 - rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        counted = error
        if error <= rounding(state):
            counted = self.perfect_error or smallest_error(state)
        half = self.learning_rate * float(np.log((1 - counted) / counted)) / 2
        two_classes = state.raw.shape[1] == 1
        alpha = half if two_classes else 2 * half
        state.raw = state.raw + alpha * vote
        own = state.raw[np.arange(len(vote)), state.codes if not two_classes else 0]
        state.weight = exponential_weight(state.initial, -(state.signs if two_classes else 1) * own)
        facts = {
            "error": error,
            "edge": 1 - 2 * error,
            "alpha": alpha,
            "normaliser": (1 - error) * np.exp(-half) + error * np.exp(half),
        }
        return Step(alpha, facts, stop="perfect" if error <= rounding(state) else "")

    def fallback(self, state: State) -> Array:
        """The logarithm of the classes' shares; of two classes, half the log-odds."""
        if state.raw.shape[1] == 1:
            return super().fallback(state)
        share = np.bincount(state.codes, weights=state.initial, minlength=state.raw.shape[1])
        return np.asarray(np.log(np.clip(share, smallest_error(state), None)))

    def link(self, raw: Array) -> Array:
        """Proportional to the exponential of the votes."""
        return super().link(raw) if raw.shape[1] == 1 else np.asarray(softmax(raw, axis=1))
