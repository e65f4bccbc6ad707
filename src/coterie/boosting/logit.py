"""LogitBoost: Newton steps on the log-likelihood, for two classes and for many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from coterie.boosting.additive import Additive, as_columns, class_shares, fit_weight, pair_signs
from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.boosting.line_search import Line, SoftmaxLine
from coterie.core import Allowed, at_least, between
from coterie.core.rule import Array, Ask, State, Step, normalised, rounding
from coterie.data import Target
from coterie.losses import Logistic, MarginLoss
from coterie.native import elementary

#: Smallest weight of a row; smaller ones would make the responses meaningless.
_FLOOR = 1e-10
#: With less than this in all, every row is as certain as it gets.
_SETTLED = 1e-12


@dataclass(frozen=True)
class LogitBoost(Additive):
    r"""Weighted least squares of :math:`z = (y^*-p)/w` under :math:`w = p(1-p)`.

    Two classes: :math:`p = 1/(1+e^{-2F})` and :math:`F \leftarrow F + \frac\eta2 f`. With J classes
    one member per class and round: :math:`p` is the softmax of :math:`F`, and :math:`F_j \leftarrow
    F_j + \eta \frac{J-1}{J} (f_j - \frac1J \sum_k f_k)`.

    Parameters
    ----------
    learning_rate : float
        Factor of every step.
    z_max : float
        Responses are clipped to this magnitude.
    min_change : float
        Boosting stops when the mean deviance changes by at most this in a round.
    """

    learning_rate: float = 1.0
    z_max: float = 4.0
    min_change: float = 1e-12
    descends: ClassVar[MarginLoss] = Logistic()
    gives: ClassVar[Literal["label", "proba", "score"]] = "score"

    def ask(self, state: State) -> Ask:
        """The responses, under the current weights at mean one."""
        return Ask(Target("values", self._response(state)), fit_weight(state.weight))

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Take half a step, or with J classes (J-1)/J of one, and weigh the rows anew."""
        n_scores = vote.shape[1]
        weight = as_columns(state.weight, n_scores)
        error = float((weight * (self._response(state) - vote) ** 2).sum())
        if np.abs(vote).max() <= rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        part = 0.5 if n_scores == 1 else (n_scores - 1) / n_scores
        alpha = self.learning_rate * self.length(state, vote, part)
        if alpha <= 0:
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        before = self._deviance(state)
        state.raw = centred(state.raw + alpha * vote)
        chance = self._chance(state.raw)
        variance = chance * (1.0 - chance)
        floored = normalised(state.initial[:, None] * np.maximum(variance, _FLOOR))
        state.weight = floored.reshape(state.weight.shape)
        after = self._deviance(state)
        facts = {"error": error, "alpha": alpha, "loss": after}
        facts["train_error"] = self.train_error(state)
        settled = elementary.dot(state.initial, variance.sum(axis=1)) <= _SETTLED
        over = settled or abs(before - after) <= self.min_change
        return Step(alpha, facts, stop="no_improvement" if over else "")

    def line(self, state: State, vote: Array) -> Line:
        """The deviance along a vote."""
        if vote.shape[1] == 1:
            return super().line(state, vote)
        return SoftmaxLine(self.descends, state.raw, centred(vote), state.initial, state.codes)

    def _response(self, state: State) -> Array:
        n_scores = state.raw.shape[1]
        chance = self._chance(state.raw)
        hit = pair_signs(state.codes, n_scores) > 0
        response = (hit - chance) / np.maximum(chance * (1.0 - chance), _FLOOR)
        return np.asarray(np.clip(response, -self.z_max, self.z_max))

    @staticmethod
    def _chance(raw: Array) -> Array:
        """Probability of the class of every score."""
        return np.asarray(
            elementary.expit(2 * raw) if raw.shape[1] == 1 else elementary.softmax(raw)
        )

    @staticmethod
    def _deviance(state: State) -> float:
        """Minus the mean log-likelihood."""
        if state.raw.shape[1] == 1:
            each = elementary.softplus(-2.0 * state.signs * state.raw[:, 0])
        else:
            each = -elementary.log_softmax(state.raw)[np.arange(len(state.raw)), state.codes]
        return elementary.dot(state.initial, each)

    def fallback(self, state: State) -> Array:
        """Half the log-odds of two classes; of many, the logarithms of their shares."""
        if state.raw.shape[1] == 1:
            return super().fallback(state)
        return centred(elementary.log(class_shares(state))[None, :])[0]

    def settle(self, raw: Array) -> Array:
        """Scores that add up to zero: members of different classes vote by themselves."""
        return centred(raw)

    def link(self, raw: Array) -> Array:
        r""":math:`1/(1+e^{-2F})`; with many classes, the softmax."""
        return super().link(raw) if raw.shape[1] == 1 else np.asarray(elementary.softmax(raw))


def centred(raw: Array) -> Array:
    """Scores of many classes that add up to zero in every row."""
    return raw if raw.shape[1] == 1 else np.asarray(raw - raw.mean(axis=1, keepdims=True))


@dataclass(eq=False, repr=False, kw_only=True)
class LogitBoostClassifier(BoostedClassifier):
    r"""LogitBoost: additive logistic regression, fitted by Newton steps.

    Each round fits the response :math:`z = (y^*-p)/(p(1-p))` by least squares under weights
    :math:`p(1-p)` and adds half of the fit to the score; :math:`p = 1/(1+e^{-2F})`. Many classes
    are fitted together, one member each per round, with scores that add up to zero, see
    `LogitBoost`. Its probabilities are maximum likelihood estimates. Full steps may overshoot: a
    learning rate of 0.1 to 0.5 is often better.

    Parameters
    ----------
    z_max : float, default=4.0
        Responses are clipped to this magnitude; with ``inf`` they are not, and the loss may
        increase.
    min_change : float, default=1e-12
        Boosting stops when the mean deviance changes by at most this in a round.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        All equal: half the learning rate, or with J classes (J-1)/J of it.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted squared error of each member in its round.
    trace_ : Trace
        Squared error, loss (mean negative log-likelihood) and training error by round.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Friedman, Hastie & Tibshirani, "Additive logistic regression: a statistical view of
       boosting", Ann. Stat. 28 (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogitBoostClassifier(n_estimators=20, learning_rate=0.5).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    z_max: float = 4.0
    min_change: float = 1e-12

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "z_max": between(0.0, np.inf, closed="right"),
        "min_change": at_least(0.0),
    }

    def _rule(self) -> LogitBoost:
        return LogitBoost(float(self.learning_rate), float(self.z_max), float(self.min_change))
