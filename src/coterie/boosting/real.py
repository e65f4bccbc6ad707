"""Real AdaBoost for two classes and, as SAMME.R, for many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from coterie.boosting.additive import Additive, class_shares
from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.boosting.line_search import Line
from coterie.core import Allowed, between
from coterie.core.rule import Array, Ask, State, Step, exponential_sum, rounding, share
from coterie.data import Target
from coterie.native import elementary


@dataclass(frozen=True)
class RealAdaBoost(Additive):
    r"""Real AdaBoost: members vote with their confidence, :math:`\frac12 \ln\frac{p+s}{1-p+s}`.

    With K classes, :math:`f_k = (K-1)(\ln p_k - \frac1K \sum_j \ln p_j)` with no :math:`p` below
    :math:`s` (SAMME.R). All members weigh the same.

    Parameters
    ----------
    learning_rate : float
        Factor of every vote.
    smoothing : float
        The :math:`s` above, which bounds the vote of a member that is certain.
    """

    learning_rate: float = 1.0
    smoothing: float = 1e-3
    gives: ClassVar[Literal["label", "proba", "score"]] = "proba"
    spare_levels: ClassVar[int | None] = 1

    def begin(self, target: Target, weight: Array) -> State:
        """Scores zero; one weight per row, also of many classes."""
        return State(target, weight, weight, super().begin(target, weight).raw)

    def ask(self, state: State) -> Ask:
        """The labels, with the current weights scaled to mean one."""
        return Ask(state.target, state.weight * len(state.weight))

    def vote(self, output: Array) -> Array:
        """Half the smoothed log-odds; with many classes, centred logarithms."""
        n_classes = output.shape[1]
        if n_classes == 1:
            output = np.hstack([output, np.zeros_like(output)])
        if n_classes <= 2:
            log = elementary.log(output + self.smoothing)
            return np.asarray(0.5 * (log[:, 1:] - log[:, :1]))
        log = elementary.log(np.maximum(output, self.smoothing))
        return np.asarray((n_classes - 1) * (log - log.mean(axis=1, keepdims=True)))

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Add the vote and take the weights from the scores anew."""
        wrong = self.decide(vote) != state.codes
        error = share(state.weight, wrong)
        own = self.margin(state, vote)
        # A member too sure of itself may raise the loss; it is useless when no part of its vote
        # lowers it. SAMME.R asks for less: anything but silence.
        edge = elementary.dot(state.weight, own)
        if edge <= rounding(state) if vote.shape[1] == 1 else not vote.any():
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        rate = self.learning_rate * self.length(state, vote, 1.0)
        if rate <= 0:
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        facts = {"error": error, "alpha": rate}
        if vote.shape[1] == 1:
            facts["normaliser"] = elementary.dot(state.weight, elementary.exp(-rate * own))
        state.raw += rate * vote
        margin = self.margin(state, state.raw)
        state.weight, facts["loss"] = exponential_sum(state.initial, -margin)
        facts["train_error"] = self.train_error(state)
        return Step(rate, facts, stop="perfect" if error <= rounding(state) else "")

    @staticmethod
    def margin(state: State, scores: Array) -> Array:
        """The margin on which the exponential loss depends."""
        if scores.shape[1] == 1:
            return np.asarray(state.signs * scores[:, 0])
        return scores[np.arange(len(scores)), state.codes] / (scores.shape[1] - 1)

    def line(self, state: State, vote: Array) -> Line:
        """The loss along a vote."""
        margin, along = self.margin(state, state.raw), self.margin(state, vote)
        return Line(self.descends, margin, along, state.initial)

    def fallback(self, state: State) -> Array:
        """Half the log-odds of two classes; of many, what `link` turns into their shares."""
        if state.raw.shape[1] == 1:
            return super().fallback(state)
        log = elementary.log(class_shares(state))
        return np.asarray((len(log) - 1) * (log - log.mean()))

    def link(self, raw: Array) -> Array:
        r""":math:`1/(1+e^{-2F})`; with K classes, the softmax of :math:`F/(K-1)`."""
        if raw.shape[1] == 1:
            return super().link(raw)
        return np.asarray(elementary.softmax(raw / (raw.shape[1] - 1)))


@dataclass(eq=False, repr=False, kw_only=True)
class RealAdaBoostClassifier(BoostedClassifier):
    r"""Real AdaBoost: boosting with the members' class probabilities.

    Each round fits a member under weights :math:`D \propto D_0 e^{-yF}` and adds half its
    log-odds, :math:`F \leftarrow F + \eta \frac12 \ln\frac{p+s}{1-p+s}`, which minimises the
    exponential loss where the member is constant. Many classes are boosted as SAMME.R; members
    that give some class probability zero, as stumps do, then vote very strongly, and
    `AdaBoostClassifier` is often better.

    The split that reduces the loss most is the one with the smallest :math:`Z = 2 \sum_l
    \sqrt{W_{l+} W_{l-}}` over the leaves :math:`l`, the Hellinger criterion. coterie's trees do not
    offer it and split by the Gini index, another concave function of the class shares that is zero
    for pure leaves; a custom tree that splits by :math:`Z` can be passed as `estimator`.

    Parameters
    ----------
    smoothing : float, default=1e-3
        Added to the probabilities with two classes, and the smallest one of many: it keeps the vote
        of a pure leaf finite.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        All equal to the learning rate.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    trace_ : Trace
        Error, loss, training error and, with two classes, normaliser and bound by round.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Schapire & Singer, "Improved boosting algorithms using confidence-rated predictions",
       Mach. Learn. 37 (1999).
    .. [2] Friedman, Hastie & Tibshirani, "Additive logistic regression", Ann. Stat. 28 (2000).
    .. [3] Zhu, Zou, Rosset & Hastie, "Multi-class AdaBoost", Stat. Interface 2 (2009).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RealAdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    smoothing: float = 1e-3

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "smoothing": between(0.0, 1.0, closed="neither"),
    }

    def _rule(self) -> RealAdaBoost:
        return RealAdaBoost(float(self.learning_rate), float(self.smoothing))
