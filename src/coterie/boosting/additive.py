"""What rules share that put several scores side by side: signs, weights and shares of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from coterie.boosting.line_search import Line
from coterie.boosting.steps import Steered
from coterie.core.rule import (
    Array,
    Rule,
    State,
    exponential_sum,
    normalised,
    share,
    smallest_error,
    two_sided,
)
from coterie.data import Target
from coterie.losses import Exponential, MarginLoss
from coterie.native import elementary


@dataclass(frozen=True)
class Additive(Steered, Rule):
    """A sum of real-valued votes: one score for two classes, otherwise one per class.

    The scores are half log-odds: of the second class against the first, or of each class against
    the others.
    """

    descends: ClassVar[MarginLoss] = Exponential()

    def begin(self, target: Target, weight: Array) -> State:
        """Scores zero: one for two classes, otherwise one per class."""
        n_classes = target.n_classes[0]
        scores = 1 if n_classes <= 2 else n_classes
        spread = weight if scores == 1 else np.repeat(weight[:, None] / scores, scores, axis=1)
        return State(target, weight, spread, np.zeros((len(weight), scores)))

    def line(self, state: State, vote: Array) -> Line:
        """The loss along a vote, over all pairs of row and score."""
        n_scores = vote.shape[1]
        signs = pair_signs(state.codes, n_scores)
        weight = np.repeat(state.initial / n_scores, n_scores)
        return Line(self.descends, (signs * state.raw).ravel(), (signs * vote).ravel(), weight)

    def fallback(self, state: State) -> Array:
        """Half the log-odds of the classes."""
        shares = class_shares(state)
        return np.asarray(0.5 * elementary.log(shares / (1.0 - shares)))

    def link(self, raw: Array) -> Array:
        r""":math:`1/(1+e^{-2F})`; with many classes, one of these each, divided by their sum."""
        if raw.shape[1] == 1:
            return two_sided(elementary.expit(2 * raw[:, 0]))
        return np.asarray(elementary.softmax(elementary.log_expit(2 * raw)))

    def train_error(self, state: State) -> float:
        """Share of the training weight on rows whose score is wrong."""
        return share(state.initial, self.decide(state.raw) != state.codes)


def pair_signs(codes: NDArray[np.int32], n_scores: int) -> Array:
    """+1 where a score is that of the row's class and -1 elsewhere, shape (n_rows, n_scores).

    One score belongs to the second of two classes.

    Examples
    --------
    >>> pair_signs(np.array([0, 1], dtype=np.int32), 1).ravel()
    array([-1.,  1.])
    >>> pair_signs(np.array([0, 2], dtype=np.int32), 3)
    array([[ 1., -1., -1.],
           [-1., -1.,  1.]])
    """
    own = np.arange(n_scores) if n_scores > 1 else np.ones(1)
    return np.where(codes[:, None] == own, 1.0, -1.0)


def pair_sum(initial: Array, exponent: Array) -> tuple[Array, float]:
    r"""The distribution :math:`\propto D_0 e^{\text{exponent}}` over all pairs of row and score.

    Of shape (n_rows,) for one score. Also the mean over the scores that it was divided by.
    """
    n_scores = exponent.shape[1]
    if n_scores == 1:
        return exponential_sum(initial, exponent[:, 0])
    return exponential_sum(initial[:, None] / n_scores, exponent)


def fit_weight(weight: Array) -> Array:
    """Weights at mean one in every column: what members with limits on weight expect."""
    n_rows, total = len(weight), weight.sum(axis=0)
    # A column that has vanished beside the others is fitted evenly.
    scaled = np.divide(weight, total, out=np.full(weight.shape, 1 / n_rows), where=total > 0)
    return np.asarray(scaled * n_rows)


def as_columns(weight: Array, n_scores: int) -> Array:
    """Weights of shape (n_rows,) or (n_rows, n_scores) as a matrix."""
    return weight.reshape(len(weight), n_scores)


def class_shares(state: State) -> Array:
    """Share of every score's class in the initial weight, away from 0 and 1."""
    n_scores = state.raw.shape[1]
    signs = pair_signs(state.codes, n_scores)
    shares = (normalised(state.initial)[:, None] * (signs > 0)).sum(axis=0)
    least = min(smallest_error(state), 0.25)
    return np.asarray(np.clip(shares, least, 1.0 - least))
