"""AdaBoost.M2: members that say how plausible every class is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from coterie.boosting.booster import BoostedClassifier
from coterie.boosting.line_search import Line
from coterie.boosting.steps import Steered
from coterie.core.rule import (
    Array,
    Ask,
    Rule,
    State,
    Step,
    exponential_weight,
    rounding,
    smallest_error,
    two_sided,
)
from coterie.data import Target
from coterie.losses import Exponential
from coterie.native import elementary


@dataclass(slots=True)
class PairState(State):
    """The state of boosting on pairs of a row and a wrong class.

    Attributes
    ----------
    pairs : ndarray of shape (n_rows, n_classes)
        The distribution on pairs; zero where the class is the right one. The weight of a row is
        the sum of its pairs.
    """

    pairs: Array


@dataclass(frozen=True)
class AdaBoostM2(Steered, Rule):
    r"""Stagewise descent on :math:`\sum_i \sum_{k \ne y_i} B_1(i,k) e^{F_k(x_i) - F_{y_i}(x_i)}`.

    If a member assigns plausibilities :math:`P(x, k) \in [0, 1]`, its pseudo-loss is
    :math:`\epsilon = \frac12 \sum_{i,k \ne y_i} B(i,k) (1 - P(x_i, y_i) + P(x_i, k))`, it weighs
    :math:`\alpha = \frac12 \ln\frac{1-\epsilon}{\epsilon}`, and the scores are :math:`F_k = \sum_t
    \alpha_t P_t(\cdot, k)`. With two classes only their difference matters: the single score is
    :math:`F_2 - F_1`.

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\alpha`.
    """

    learning_rate: float = 1.0
    gives: ClassVar[Literal["label", "proba", "score"]] = "proba"
    spare_levels: ClassVar[int | None] = 1

    def begin(self, target: Target, weight: Array) -> PairState:
        """Scores zero, and the weight of a row shared among its wrong classes."""
        n_classes = target.n_classes[0]
        raw = np.zeros((len(weight), 1 if n_classes <= 2 else n_classes))
        pairs = _shared(weight, target.codes[:, 0], max(n_classes, 2))
        return PairState(target, weight, weight, raw, pairs)

    def ask(self, state: State) -> Ask:
        """The labels and the current weights at mean one; with many classes, label weights too."""
        weight = state.weight * len(state.weight)
        if not isinstance(state, PairState) or state.raw.shape[1] == 1:
            return Ask(state.target, weight)
        rows = state.weight[:, None]
        merits = np.divide(-state.pairs, rows, out=np.zeros(state.pairs.shape), where=rows > 0)
        merits[np.arange(len(merits)), state.codes] = 1.0
        return Ask(state.target, weight, merits=merits)

    def vote(self, output: Array) -> Array:
        """The plausibilities; with two classes, by how much the second is more plausible."""
        n_classes = output.shape[1]
        if n_classes == 1:
            return -output
        return output[:, 1:] - output[:, :1] if n_classes == 2 else output

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the member by its pseudo-loss and move weight to the pairs it confuses."""
        assert isinstance(state, PairState)
        gap = _gaps(vote, state)
        error = float(np.sum(state.pairs * (1 - gap)) / 2)
        if error >= 0.5 - rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        counted = error if error > rounding(state) else smallest_error(state)
        own = float(elementary.log((1 - counted) / counted)) / 2
        alpha = self.learning_rate * self.length(state, vote, own)
        if alpha <= 0:
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        normaliser = float(np.sum(state.pairs * elementary.exp(-alpha * gap)))
        facts = {"error": error, "edge": 1 - 2 * error, "alpha": alpha, "normaliser": normaliser}
        facts |= self._advance(state, alpha * vote)
        return Step(alpha, facts, stop="perfect" if error <= rounding(state) else "")

    def line(self, state: State, vote: Array) -> Line:
        """The loss along a vote, over all pairs of a row and a wrong class."""
        pairs = _shared(state.initial, state.codes, max(vote.shape[1], 2))
        margin, along = _gaps(state.raw, state), _gaps(vote, state)
        return Line(Exponential(), margin.ravel(), along.ravel(), pairs.ravel())

    def _advance(self, state: PairState, step: Array) -> dict[str, float]:
        """Add the weighted vote, and take the distribution from the scores anew."""
        state.raw = state.raw + step
        n_classes = state.pairs.shape[1]
        first = _shared(state.initial, state.codes, n_classes)
        gap = _gaps(state.raw, state)
        state.pairs = exponential_weight(first, -gap)
        state.weight = state.pairs.sum(axis=1)
        loss = float(np.sum(first * elementary.exp(-gap)))
        wrong = self.decide(state.raw) != state.codes
        # A wrong row has a pair of exp(-gap) >= 1, and that pair has 1 / (K - 1) of its weight.
        return {
            "loss": loss,
            "train_error": float(state.initial[wrong].sum()),
            "bound": (n_classes - 1) * loss,
        }

    def fallback(self, state: State) -> Array:
        """Half the logarithm of the classes' shares; with two classes, half the log-odds."""
        n_scores = state.raw.shape[1]
        share = np.bincount(state.codes, weights=state.initial, minlength=max(n_scores, 2))
        score = elementary.log(np.clip(share, smallest_error(state), None)) / 2
        return np.asarray(score if n_scores > 1 else score[1:] - score[:1])

    def link(self, raw: Array) -> Array:
        r""":math:`p_k \propto e^{2 F_k}`, which is AdaBoost's link for two classes."""
        if raw.shape[1] == 1:
            return two_sided(elementary.expit(2 * raw[:, 0]))
        return np.asarray(elementary.softmax(2 * raw))


def _shared(weight: Array, codes: np.ndarray, n_classes: int) -> Array:
    """The weight of each row in equal parts on its wrong classes, shape (n_rows, n_classes)."""
    pairs = np.repeat(weight[:, None] / (n_classes - 1), n_classes, axis=1)
    pairs[np.arange(len(pairs)), codes] = 0.0
    return pairs


def _gaps(score: Array, state: State) -> Array:
    """By how much the score of the right class leads each class, shape (n_rows, n_classes)."""
    if score.shape[1] == 1:
        score = np.hstack([-score / 2, score / 2])
    return np.asarray(score[np.arange(len(score)), state.codes][:, None] - score)


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostM2Classifier(BoostedClassifier):
    r"""AdaBoost.M2, for many classes and members with class probabilities.

    A member need not predict the right class in more than half of the cases: it is enough that it
    finds the right class more plausible than wrong ones. The weights are on pairs of a row and a
    wrong class, so weight moves to classes that are confused with one another. With two classes and
    members that predict probabilities of 0 and 1, this is AdaBoost.

    With many classes, native trees receive all pair weights: a leaf considers a class plausible if
    its rows weigh more than the pairs in which it is the wrong class, which minimises the
    pseudo-loss of the leaf; `predict_proba` of such a member is 0 or 1 for each class separately.
    Trees with another `criterion` than "gini", and other estimators, are fitted to labels with the
    sum of each row's pair weights.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The :math:`\alpha_t`; ``decision_function`` is :math:`\sum_t \alpha_t P_t(x, k)`, and of
        two classes the difference of the two.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Pseudo-loss of each member in its round.
    trace_ : Trace
        Pseudo-loss, edge, alpha, normaliser, loss, training error and its bound by round.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    See Also
    --------
    AdaBoostMHClassifier : One yes-or-no question per class.
    AdaBoostClassifier : Members that name one class.

    References
    ----------
    .. [1] Freund & Schapire, "A decision-theoretic generalization of on-line learning and an
       application to boosting", J. Comput. Syst. Sci. 55 (1997).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostM2Classifier(n_estimators=4).fit(X, y)
    >>> model.estimator_errors_.round(4)
    array([0.02  , 0.0436, 0.0528, 0.0461])
    """

    def _rule(self) -> AdaBoostM2:
        return AdaBoostM2(float(self.learning_rate))
