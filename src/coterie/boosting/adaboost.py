"""AdaBoost for two classes and, as SAMME, for many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator

from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.boosting.line_search import Line
from coterie.boosting.steps import Steered
from coterie.core import Allowed, one_of
from coterie.core.rule import (
    Array,
    Ask,
    Rule,
    State,
    Step,
    exponential_sum,
    majority,
    normalised,
    rounding,
    share,
    smallest_error,
    two_sided,
)
from coterie.data import Target
from coterie.losses import Exponential, MarginLoss
from coterie.native import elementary


@dataclass(frozen=True)
class AdaBoost(Steered, Rule):
    r"""Discrete AdaBoost: stagewise descent on :math:`\sum_i D_0(i) e^{-y_i F(x_i)}`.

    With weighted error :math:`\epsilon`, the weight of a member is, for two classes, :math:`\alpha
    = \frac12 \ln\frac{1-\epsilon}{\epsilon}`, which minimises the loss along it; of K classes
    :math:`\alpha = \ln\frac{1-\epsilon}{\epsilon} + \ln(K-1)` (SAMME).

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\alpha`.
    perfect : {"keep", "drop", "restart"}
        What happens to a member without errors: it is kept as if it misclassified half a row; or
        dropped, which ends boosting; or kept, and boosting restarts from random weights.
    step : StepRule
        Step size along a member; by default as above.
    """

    learning_rate: float = 1.0
    perfect: Literal["keep", "drop", "restart"] = "keep"
    gives: ClassVar[Literal["label", "proba", "score"]] = "label"
    descends: ClassVar[MarginLoss] = Exponential()

    def begin(self, target: Target, weight: Array) -> State:
        """Scores zero: one for two classes, otherwise one per class."""
        n_classes = target.n_classes[0]
        scores = 1 if n_classes <= 2 else n_classes
        return State(target, weight, weight, np.zeros((len(weight), scores)))

    def ask(self, state: State) -> Ask:
        """The labels, with the current weights scaled to mean one."""
        if state.weight is state.initial:
            return Ask(state.target, state.weight * len(state.weight))
        return Ask(state.target, state.weight, scale=float(len(state.weight)))

    def vote(self, output: Array) -> Array:
        r"""-1 or +1; with K classes, 1 for the predicted one and :math:`-1/(K-1)` elsewhere."""
        n_classes, choice = output.shape[1], majority(output)
        if n_classes <= 2:
            return np.where(choice == 1, 1.0, -1.0)[:, None]
        vote = np.full(output.shape, -1.0 / (n_classes - 1))
        vote[np.arange(len(vote)), choice] = 1.0
        return vote

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Compute the member's weight from its error, and move weight to its mistakes."""
        n_classes = max(state.raw.shape[1], 2)
        wrong = self.decide(vote) != state.codes
        error = share(state.weight, wrong)
        if error >= 1 - 1 / n_classes - rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        perfect = error <= rounding(state)
        if perfect and self.perfect == "drop" and state.raw.any():
            return Step(0.0, {"error": error}, keep=False, stop="perfect")
        counted = smallest_error(state) if perfect else error
        odds = elementary.log((1 - counted) / counted)
        own = odds / 2 if n_classes == 2 else odds + elementary.log(n_classes - 1)
        alpha = self.learning_rate * self.length(state, vote, float(own))
        if alpha <= 0:
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        facts = self._advance(state, vote, alpha, wrong, error)
        if perfect and self.perfect == "restart":
            state.weight = normalised(state.initial * rng.exponential(size=len(wrong)))
        stop = "perfect" if perfect and self.perfect != "restart" else ""
        return Step(alpha, facts, stop=stop)

    def _advance(
        self, state: State, vote: Array, alpha: float, wrong: Any, error: float
    ) -> dict[str, float]:
        r"""Add the weighted vote, and take the weights from the scores anew.

        Weights multiplied round after round would drift and underflow; from the scores they are
        exact. With K classes, :math:`\sum_t \alpha_t [h_t \ne y] = (K-1)(A - F_y)/K`.
        """
        state.weight = state.initial  # of a million rows, every array is eight megabytes
        vote *= alpha
        state.raw += vote
        facts = {"error": error, "edge": 1 - 2 * error, "alpha": alpha}
        if state.raw.shape[1] == 1:
            grown = float(elementary.exp(alpha))
            facts["normaliser"] = (1 - error) / grown + error * grown
        exponent = self.margin(state, state.raw, out=vote[:, 0])
        np.negative(exponent, out=exponent)
        state.weight, loss = exponential_sum(state.initial, exponent, out=exponent)
        wrong = self.decide(state.raw) != state.codes
        return {**facts, "loss": loss, "train_error": share(state.initial, wrong)}

    @staticmethod
    def margin(state: State, scores: Array, out: Array | None = None) -> Array:
        """The margin on which the loss depends; for two classes it may be written to `out`."""
        if scores.shape[1] == 1:
            return np.multiply(scores[:, 0], state.signs, out=out)
        n_classes = scores.shape[1]
        return scores[np.arange(len(scores)), state.codes] * (n_classes - 1) / n_classes

    def line(self, state: State, vote: Array) -> Line:
        """The loss along a vote."""
        margin, along = self.margin(state, state.raw), self.margin(state, vote)
        return Line(self.descends, margin, along, state.initial)

    def fallback(self, state: State) -> Array:
        """Half the log-odds of the classes."""
        shares = np.bincount(state.codes, weights=state.initial, minlength=state.raw.shape[1])
        shares = np.clip(shares, smallest_error(state), None)
        if state.raw.shape[1] == 1:
            second = shares[1] if len(shares) > 1 else smallest_error(state)
            return np.array([0.5 * elementary.log(second / shares[0])])
        n_classes = len(shares)
        return np.asarray(elementary.log(shares) * n_classes / (n_classes - 1))

    def link(self, raw: Array) -> Array:
        r""":math:`1/(1+e^{-2F})`, the minimiser of the exponential loss; of many, its softmax."""
        if raw.shape[1] == 1:
            return two_sided(elementary.expit(2 * raw[:, 0]))
        n_classes = raw.shape[1]
        return np.asarray(elementary.softmax(raw * (n_classes - 1) / n_classes))


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostClassifier(BoostedClassifier):
    r"""AdaBoost, a drop-in replacement for ``sklearn.ensemble.AdaBoostClassifier``.

    Each round fits a member with weights that increase for rows that the members so far
    misclassify. Two classes are boosted with Freund and Schapire's algorithm, more with SAMME.
    Missing values, categories, early stopping and warm starts are supported; any estimator can be a
    member, with or without `sample_weight`.

    Parameters
    ----------
    perfect : {"keep", "drop", "restart"}, default="keep"
        How to weight a member without errors; see `AdaBoost`.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The :math:`\alpha_t`; of two classes with the factor 1/2, so that
        ``decision_function`` is :math:`\sum_t \alpha_t h_t` with :math:`h_t = \pm 1`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    trace_ : Trace
        Error, edge, alpha, normaliser, loss, training error and its bound by round.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Freund & Schapire, "A decision-theoretic generalization of on-line learning and an
       application to boosting", J. Comput. Syst. Sci. 55 (1997).
    .. [2] Zhu, Zou, Rosset & Hastie, "Multi-class AdaBoost", Stat. Interface 2 (2009).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.99
    """

    perfect: Literal["keep", "drop", "restart"] = "keep"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "perfect": one_of("keep", "drop", "restart"),
    }

    def _rule(self) -> AdaBoost:
        return AdaBoost(float(self.learning_rate), self.perfect)
