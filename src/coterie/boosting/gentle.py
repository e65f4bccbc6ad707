"""GentleBoost: Newton steps on the exponential loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from coterie.boosting.additive import Additive, as_columns, fit_weight, pair_signs, pair_sum
from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.core import Allowed
from coterie.core.rule import Array, Ask, State, Step, rounding
from coterie.data import Target

#: More than this on a single pair, and the next member would learn from nothing else.
_CONCENTRATED = 1 - 1e-12


@dataclass(frozen=True)
class GentleBoost(Additive):
    r"""Weighted least squares of the labels :math:`\pm 1`, a Newton step on :math:`e^{-yF}`.

    With many classes, one member per class and round, on pairs of row and class weighted together:
    :math:`D_{ik} \propto D_0(i) e^{-Y_{ik} F_k(x_i)}` with :math:`Y_{ik} = 1` for the row's own
    class and -1 for the others.

    Parameters
    ----------
    learning_rate : float
        Factor of every vote.
    """

    learning_rate: float = 1.0
    gives: ClassVar[Literal["label", "proba", "score"]] = "score"

    def ask(self, state: State) -> Ask:
        """The signs as numbers, under the current weights at mean one."""
        signs = pair_signs(state.codes, state.raw.shape[1])
        return Ask(Target("values", signs), fit_weight(state.weight))

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Add the vote and take the weights from the scores anew."""
        n_scores = vote.shape[1]
        signs = pair_signs(state.codes, n_scores)
        weight = as_columns(state.weight, n_scores)
        error = float((weight * (signs - vote) ** 2).sum())
        if np.abs(vote).max() <= rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        rate = self.learning_rate * self.length(state, vote, 1.0)
        if rate <= 0:
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        facts = {"error": error, "alpha": rate}
        if n_scores == 1:
            _, facts["normaliser"] = pair_sum(state.weight, -rate * signs * vote)
        state.raw += rate * vote
        state.weight, facts["loss"] = pair_sum(state.initial, -signs * state.raw)
        facts["train_error"] = self.train_error(state)
        concentrated = state.weight.max() > _CONCENTRATED
        return Step(rate, facts, stop="no_improvement" if concentrated else "")


@dataclass(eq=False, repr=False, kw_only=True)
class GentleBoostClassifier(BoostedClassifier):
    r"""GentleBoost: members fit the labels by least squares, and their votes stay small.

    Each round fits the labels :math:`y = \pm 1` by weighted least squares under :math:`D \propto
    D_0 e^{-yF}` and adds the fit, :math:`F \leftarrow F + \eta f`. The vote of a leaf is
    :math:`(W_+ - W_-)/(W_+ + W_-)`, between -1 and 1, while Real AdaBoost uses the logarithm of a
    ratio: no row can gain or lose much weight in a round, which makes the method robust. With many
    classes there is one member per class and round; see `GentleBoost`.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        All equal to the learning rate.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted squared error of each member in its round.
    trace_ : Trace
        Squared error, loss, training error and, with two classes, normaliser and bound by round.
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
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GentleBoostClassifier(n_estimators=20).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = BOOSTER

    def _rule(self) -> GentleBoost:
        return GentleBoost(float(self.learning_rate))
