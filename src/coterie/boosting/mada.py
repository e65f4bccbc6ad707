"""MadaBoost: AdaBoost whose weights never exceed the initial ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator

from coterie.boosting.adaboost import AdaBoost, AdaBoostClassifier
from coterie.boosting.booster import BoostedClassifier
from coterie.core import Allowed, between
from coterie.core.rule import Array, State, Step, normalised, two_sided
from coterie.losses import Mada, MarginLoss
from coterie.native import elementary


@dataclass(frozen=True)
class MadaBoost(AdaBoost):
    r"""AdaBoost with weights :math:`D_0 \min(1, e^{-yF})` in place of :math:`D_0 e^{-yF}`.

    Many classes: SAMME with its weights capped in the same way.

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\alpha`.
    perfect : {"keep", "drop", "restart"}
        How to weight a member without errors; see `AdaBoost`.
    min_mass : float
        Boosting stops when the sum of all weights, before normalisation, is at most this.
    """

    min_mass: float = 1e-3
    descends: ClassVar[MarginLoss] = Mada()
    spare_levels: ClassVar[int | None] = 1

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """As AdaBoost; ends when every row is well beyond the margin."""
        step = super().tell(state, vote, rng)
        if step.keep and not step.stop and step.facts["mass"] <= self.min_mass:
            return replace(step, stop="no_improvement")
        return step

    def _advance(
        self, state: State, vote: Array, alpha: float, wrong: Any, error: float
    ) -> dict[str, float]:
        facts = super()._advance(state, vote, alpha, wrong, error)
        facts.pop("normaliser", None)  # its product bounds the error of AdaBoost only
        margin = self.margin(state, state.raw)
        capped = state.initial * elementary.exp(-np.maximum(margin, 0.0))
        # Rows that are far beyond the margin may have no weight left at all.
        if capped.any():
            state.weight = normalised(capped)
        loss = capped - state.initial * np.minimum(margin, 0.0)
        return {**facts, "loss": float(loss.sum()), "mass": float(capped.sum())}

    def link(self, raw: Array) -> Array:
        r""":math:`1/(1+e^{-F})`, the minimiser of its loss; with many classes, by analogy."""
        if raw.shape[1] == 1:
            return two_sided(elementary.expit(raw[:, 0]))
        n_classes = raw.shape[1]
        return np.asarray(elementary.softmax(raw * (n_classes - 1) / (2 * n_classes)))


@dataclass(eq=False, repr=False, kw_only=True)
class MadaBoostClassifier(BoostedClassifier):
    r"""MadaBoost: AdaBoost with bounded weights, which is robust to mislabelled rows.

    Members and their weights :math:`\alpha` are those of AdaBoost, but no row weight exceeds its
    initial value: :math:`w = D_0 \min(1, e^{-yF})`. This minimises the loss :math:`e^{-z}` for
    :math:`z > 0` and :math:`1 - z` otherwise, whose slope is bounded. Many classes are boosted as
    SAMME with capped weights.

    Parameters
    ----------
    perfect : {"keep", "drop", "restart"}, default="keep"
        How to weight a member without errors; see `AdaBoost`.
    min_mass : float, default=1e-3
        Boosting stops when the sum of all row weights, initially 1, is at most this.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The :math:`\alpha_t`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    trace_ : Trace
        Error, edge, alpha, loss, training error and mass by round.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Domingo & Watanabe, "MadaBoost: a modification of AdaBoost", COLT (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MadaBoostClassifier(n_estimators=20).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    perfect: Literal["keep", "drop", "restart"] = "keep"
    min_mass: float = 1e-3

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **AdaBoostClassifier.allowed,
        "min_mass": between(0.0, 1.0, closed="left"),
    }

    def _rule(self) -> MadaBoost:
        return MadaBoost(float(self.learning_rate), self.perfect, float(self.min_mass))
