"""What the boosters with a clock share: yes-or-no questions, one set of margins, one potential."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from scipy.optimize import brentq

from coterie.boosting.additive import class_shares, fit_weight, pair_signs
from coterie.core.rule import (
    Array,
    Ask,
    Rule,
    State,
    majority,
    share,
    two_sided,
)
from coterie.data import Target
from coterie.native import elementary
from coterie.trees import DecisionTreeClassifier

if TYPE_CHECKING:
    from coterie.boosting.booster import BoostedClassifier as Mixin
else:
    Mixin = object


@dataclass(slots=True)
class TimedState(State):
    """A state with a clock.

    Attributes
    ----------
    pairs : ndarray of shape (n_rows, n_scores)
        The weight of every question at the start; it sums to one.
    clock : float
        What the clock shows.
    """

    pairs: Array
    clock: float


@dataclass(frozen=True)
class Timed(Rule):
    r"""Boosting under a potential of margin and time.

    With two classes a row has one margin :math:`yF(x)`. Of many there is one question per class,
    "is it class k?", with a score, a member per round and a margin :math:`\pm F_k(x)` of its own;
    all share one clock and one weight per round. The question of a row's own class counts half of
    the row, the others together the other half: to say no to everything is then no better than a
    coin, however many classes there are.
    """

    gives: ClassVar[Literal["label", "proba", "score"]] = "label"

    def start_clock(self) -> float:
        """The clock before the first round."""
        raise NotImplementedError

    def begin(self, target: Target, weight: Array) -> TimedState:
        """Scores zero: one for two classes, otherwise one per class."""
        n_classes = target.n_classes[0]
        pairs = weight[:, None]
        if n_classes > 2:
            own = target.codes[:, :1] == np.arange(n_classes)
            pairs = pairs * np.where(own, 0.5, 0.5 / (n_classes - 1))
        raw = np.zeros(pairs.shape)
        spread = pairs[:, 0] if n_classes <= 2 else pairs
        return TimedState(target, weight, spread, raw, pairs, self.start_clock())

    def ask(self, state: State) -> Ask:
        """Whether each row is of class k, under the current weights at mean one."""
        weight, n_scores = fit_weight(state.weight), state.raw.shape[1]
        if n_scores == 1:
            return Ask(state.target, weight)
        yes = (pair_signs(state.codes, n_scores) > 0).astype(np.int32)
        return Ask(Target("labels", yes, (np.arange(2),) * n_scores, flat=False), weight)

    def vote(self, output: Array) -> Array:
        """-1 or +1."""
        return np.where(majority(output) == 1, 1.0, -1.0)[:, None]

    def fallback(self, state: State) -> Array:
        """Half the log-odds of the classes."""
        shares = class_shares(state)
        return np.asarray(0.5 * elementary.log(shares / (1.0 - shares)))

    def confidence(self, raw: Array) -> Array:
        """Confidence in a positive answer, from 0 to 1."""
        raise NotImplementedError

    def link(self, raw: Array) -> Array:
        """The confidence; with many classes, divided by the sum over them."""
        sure = self.confidence(raw)
        if raw.shape[1] == 1:
            return two_sided(sure[:, 0])
        total = sure.sum(axis=1, keepdims=True)
        even = np.full(sure.shape, 1.0 / raw.shape[1])
        return np.divide(sure, total, out=even, where=total > 0)

    def train_error(self, state: State) -> float:
        """Share of the training weight on rows whose score is wrong."""
        return share(state.initial, self.decide(state.raw) != state.codes)


@dataclass(eq=False, repr=False, kw_only=True)
class TimedBooster(Mixin):
    """A booster with a clock.

    Parameters
    ----------
    estimator : estimator, default=None
        The base learner; by default the tree with one split and the smallest weighted error. Stumps
        chosen by purity may have no edge while others still do, which would stop boosting too soon.
    n_estimators : int, default=200
        Maximum number of rounds; boosting stops earlier when its time is up.
    """

    answers_by = None

    n_estimators: int = 200

    def _member(self, gives: str, target: Target) -> Any:
        return least_error_stump() if self.estimator is None else self.estimator


def least_error_stump() -> DecisionTreeClassifier:
    """The default member of rules with a clock: stumps of least impurity may have no edge."""
    return DecisionTreeClassifier(criterion="misclassification", max_depth=1)


def margins_of(state: State, scores: Array) -> Array:
    """Scores or votes times the right answers, of all questions in one row after the other."""
    return (pair_signs(state.codes, scores.shape[1]) * scores).ravel()


def edge_of(weight: Array, right: Array) -> tuple[float, float]:
    """Weighted error and edge of answers that are right (+1) or wrong (-1)."""
    edge = elementary.dot(weight, right) / float(weight.sum())
    return (1.0 - edge) / 2, edge


def spread_like(state: State, weight: Array) -> Array:
    """Weights of all questions as a distribution in the shape of the state's own."""
    return np.asarray((weight / weight.sum()).reshape(state.weight.shape))


def root_between(function: Callable[[float], float], low: float, high: float) -> float:
    """Where the function is zero, if it changes its sign; otherwise the end nearer to zero.

    Examples
    --------
    >>> root_between(lambda x: x - 2.0, 0.0, 5.0)
    2.0
    >>> root_between(lambda x: x + 1e-18, 0.0, 5.0)
    0.0
    """
    ends = function(low), function(high)
    # What was negative a moment ago may be positive now, by rounding.
    if ends[0] * ends[1] > 0:
        return low if abs(ends[0]) < abs(ends[1]) else high
    return float(brentq(function, low, high, xtol=1e-13, rtol=1e-13))
