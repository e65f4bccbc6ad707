"""AdaBoost.M1: AdaBoost of many classes with members better than even."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from coterie.boosting.adaboost import AdaBoost
from coterie.core.rule import (
    Array,
    State,
    Step,
    majority,
    rounding,
    share,
    smallest_error,
)
from coterie.native import elementary


@dataclass(frozen=True)
class AdaBoostM1(AdaBoost):
    r"""AdaBoost.M1: AdaBoost of many classes with members better than even.

    A member of weighted error :math:`\epsilon < 1/2` has :math:`\ln(1/\beta)` votes for its class,
    :math:`\beta = \epsilon/(1-\epsilon)`. With two classes it weighs half of that, and the score is
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
        """-1 or +1; with many classes, 1 for the predicted one and 0 elsewhere."""
        if output.shape[1] <= 2:
            return super().vote(output)
        return np.eye(output.shape[1])[majority(output)]

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the member by its error, and let half of the weight lie on its mistakes."""
        wrong = self.decide(vote) != state.codes
        error = share(state.weight, wrong)
        if error >= 0.5 - rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        counted = error
        if error <= rounding(state):
            counted = self.perfect_error or smallest_error(state)
        own = float(elementary.log((1 - counted) / counted))
        two_classes = state.raw.shape[1] == 1
        alpha = self.learning_rate * self.length(state, vote, own / 2 if two_classes else own)
        if alpha <= 0:
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        facts = self._advance(state, vote, alpha, wrong, error)
        half = alpha if two_classes else alpha / 2
        grown = float(elementary.exp(half))
        facts["normaliser"] = (1 - error) / grown + error * grown
        return Step(alpha, facts, stop="perfect" if error <= rounding(state) else "")

    @staticmethod
    def margin(state: State, scores: Array, out: Array | None = None) -> Array:
        """Votes for the right class beyond half of all."""
        if scores.shape[1] == 1:
            return AdaBoost.margin(state, scores)
        return np.asarray(scores[np.arange(len(scores)), state.codes] - scores.sum(axis=1) / 2)

    def fallback(self, state: State) -> Array:
        """The logarithm of the classes' shares; with two classes, half the log-odds."""
        if state.raw.shape[1] == 1:
            return super().fallback(state)
        shares = np.bincount(state.codes, weights=state.initial, minlength=state.raw.shape[1])
        return np.asarray(elementary.log(np.clip(shares, smallest_error(state), None)))

    def link(self, raw: Array) -> Array:
        """Proportional to the exponential of the votes."""
        return super().link(raw) if raw.shape[1] == 1 else np.asarray(elementary.softmax(raw))
