"""AdaBoost.MH: one yes-or-no question per class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator
from scipy.special import expit, log_expit, softmax

from coterie.boosting.booster import BoostedClassifier
from coterie.core.rule import (
    Array,
    Ask,
    Rule,
    State,
    Step,
    exponential_weight,
    majority,
    rounding,
    smallest_error,
    two_sided,
)
from coterie.data import Target


@dataclass(frozen=True)
class AdaBoostMH(Rule):
    r"""Stagewise descent on :math:`\sum_{i,k} D_1(i,k) e^{-Y_{ik} F_k(x_i)}`.

    :math:`Y_{ik}` is +1 where k is the class of row i and -1 elsewhere, and
    :math:`D_1(i,k) = D_0(i)/K`. A round fits one member :math:`h_k = \pm 1` per class; together
    they have the edge :math:`r = \sum_{i,k} D(i,k) Y_{ik} h_k(x_i)` and weigh
    :math:`\alpha = \frac12 \ln\frac{1+r}{1-r}`. Of two classes both questions are the same, and
    the one about the second class is boosted: AdaBoost.

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\alpha`.
    """

    learning_rate: float = 1.0
    gives: ClassVar[Literal["label", "proba", "score"]] = "label"

    def begin(self, target: Target, weight: Array) -> State:
        """Scores zero, and the weight of a row in equal parts on all classes."""
        scores = _questions(target)
        pairs = np.repeat(weight[:, None] / scores, scores, axis=1)
        return State(target, weight, pairs, np.zeros(pairs.shape))

    def ask(self, state: State) -> Ask:
        """Whether each row is of class k, for every k, under weights at mean one."""
        n_rows, scores = state.weight.shape
        if scores == 1:
            return Ask(state.target, state.weight[:, 0] * n_rows)
        yes = (_answers(state) > 0).astype(np.int32)
        questions = Target("labels", yes, (np.array([0, 1]),) * scores, flat=False)
        # The weight of a class that has long been right may underflow: then the first weights do.
        weight = np.repeat(state.initial[:, None] * n_rows, scores, axis=1)
        mean = state.weight.mean(axis=0)
        return Ask(questions, np.divide(state.weight, mean, out=weight, where=mean > 0))

    def vote(self, output: Array) -> Array:
        """+1 for yes and -1 for no."""
        return np.where(majority(output) == 1, 1.0, -1.0)[:, None]

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the members by their joint edge and move weight to their wrong answers."""
        error = float(state.weight[vote != _answers(state)].sum())
        if error >= 0.5 - rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        counted = max(error, smallest_error(state))
        alpha = self.learning_rate * float(np.log((1 - counted) / counted)) / 2
        normaliser = (1 - error) * np.exp(-alpha) + error * np.exp(alpha)
        facts = {"error": error, "edge": 1 - 2 * error, "alpha": alpha, "normaliser": normaliser}
        facts |= self._advance(state, alpha * vote)
        return Step(alpha, facts, stop="perfect" if error <= rounding(state) else "")

    def _advance(self, state: State, step: Array) -> dict[str, float]:
        """Add the weighted vote, and take the distribution from the scores anew."""
        state.raw = state.raw + step
        first = self.begin(state.target, state.initial).weight
        margin = _answers(state) * state.raw
        state.weight = exponential_weight(first, -margin)
        loss = float(np.sum(first * np.exp(-margin)))
        wrong = self.decide(state.raw) != state.codes
        scores = state.raw.shape[1]
        # Where the wrong class leads, exp(-F_y) + exp(F_k) >= 2 of the K terms of the row.
        return {
            "loss": loss,
            "hamming": float(first[margin <= 0].sum()),
            "train_error": float(state.initial[wrong].sum()),
            "bound": max(scores / 2, 1.0) * loss,
        }

    def fallback(self, state: State) -> Array:
        """Half the log-odds of every class against the others."""
        yes = state.initial @ (_answers(state) > 0)
        low = smallest_error(state)
        share = np.clip(yes, low, 1 - low)
        return np.asarray(np.log(share / (1 - share)) / 2)

    def link(self, raw: Array) -> Array:
        r""":math:`1/(1+e^{-2F_k})`, the minimiser of the loss, divided by the sum over classes."""
        if raw.shape[1] == 1:
            return two_sided(expit(2 * raw[:, 0]))
        return np.asarray(softmax(log_expit(2 * raw), axis=1))


def _questions(target: Target) -> int:
    """How many questions are asked of a row; of two classes one."""
    n_classes = target.n_classes[0]
    return 1 if n_classes <= 2 else n_classes


def _answers(state: State) -> Array:
    """The right answers as -1 and +1, shape (n_rows, n_questions)."""
    scores = state.raw.shape[1]
    if scores == 1:
        return state.signs[:, None]
    return np.where(state.codes[:, None] == np.arange(scores), 1.0, -1.0)


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostMHClassifier(BoostedClassifier):
    r"""AdaBoost.MH, for many classes.

    A round asks of every class whether a row belongs to it: one two-class member per class, all
    of one common weight. The boosted distribution is on pairs of a row and a class, so the
    members of a class work on the rows whose answer is still wrong. Of two classes this is
    AdaBoost.

    Attributes
    ----------
    estimators_ : sequence
        The members of each round.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The :math:`\alpha_t`; ``decision_function`` is
        :math:`F_k = \sum_t \alpha_t h_{tk}` with :math:`h_{tk} = \pm 1`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weight of the wrong answers in each round.
    trace_ : Trace
        Error, edge, alpha, normaliser, loss, Hamming loss, training error and its bound by
        round. The loss, which is the product of the normalisers, bounds the Hamming loss, and K/2
        times the loss the training error.
    stop_reason_ : str
        Why boosting ended.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    See Also
    --------
    AdaBoostM2Classifier : One member per round that weighs all classes.
    AdaBoostClassifier : Members that name one class.

    References
    ----------
    .. [1] Schapire & Singer, "Improved boosting algorithms using confidence-rated predictions",
       Mach. Learn. 37 (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostMHClassifier(n_estimators=10).fit(X, y)
    >>> model.decision_function(X).shape
    (150, 3)
    >>> bool(model.trace_["train_error"][-1] <= model.trace_["bound"][-1])
    True
    """

    def _rule(self) -> AdaBoostMH:
        return AdaBoostMH(float(self.learning_rate))
