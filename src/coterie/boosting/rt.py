"""AdaBoost.RT: regression where errors beyond a threshold are mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from coterie.boosting.booster import BOOSTER
from coterie.boosting.regression import BoostedRegressor, BoostNumbers
from coterie.core import Allowed, between, one_of
from coterie.core.rule import Array, State, Step, rounding, smallest_error
from coterie.native import elementary


@dataclass(frozen=True)
class AdaBoostRT(BoostNumbers):
    r"""AdaBoost.RT: only errors beyond a threshold count as mistakes.

    With :math:`\epsilon` the weight of the mistakes and :math:`\beta = \epsilon^p`, weights of the
    other rows are multiplied by :math:`\beta` and the member gets the weight :math:`\ln(1/\beta)`.

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\ln(1/\beta)`, in the weights of rows and members alike.
    threshold : float
        Largest error that does not count as a mistake.
    power : float
        The :math:`p`.
    error : {"relative", "scaled"}
        Measure errors relative to the row's own value, or in standard deviations of all values.
    """

    threshold: float = 0.2
    power: float = 2.0
    error: Literal["relative", "scaled"] = "relative"

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the member by the weight of its mistakes."""
        values = state.target.values[:, 0]
        mistaken = np.abs(values - vote[:, 0]) > self.threshold * self._unit(state, values)
        error = float(state.weight[mistaken].sum())
        if error >= 1 - rounding(state):
            return self._refuse(state, vote, error)
        perfect = error <= rounding(state)
        counted = max(error, smallest_error(state))
        alpha = -self.learning_rate * self.power * float(elementary.log(counted))
        step = Step(alpha, {"error": error, "alpha": alpha}, stop="perfect" if perfect else "")
        return self._accept(state, vote, (~mistaken).astype(np.float64), step)

    def _unit(self, state: State, values: Array) -> Array:
        """What an error of one is, row by row."""
        if self.error == "relative":
            # An error next to zero is a mistake unless it is mere rounding.
            return np.maximum(np.abs(values), 1e-12 * np.abs(values).max())
        centred = values - np.sum(state.initial * values)
        return np.full(len(values), np.sqrt(np.sum(state.initial * np.square(centred))))


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostRTRegressor(BoostedRegressor):
    r"""AdaBoost.RT: regression where errors beyond a threshold count as mistakes.

    Each round fits a member with weights that increase for rows where the last one was off by more
    than `threshold`; the prediction is the weighted mean of the members. Unlike in
    `AdaBoostRegressor`, a single outlier does not set the scale of all errors.

    Parameters
    ----------
    estimator : estimator, default=None
        The base learner; by default a `DecisionTreeRegressor` of depth 3.
    threshold : float, default=0.2
        Largest error that does not count as a mistake.
    power : float, default=2.0
        A member with a share :math:`\epsilon` of mistakes gets the weight :math:`-\ln\epsilon`
        times this number.
    error : {"relative", "scaled"}, default="relative"
        Measure errors relative to the row's own value, or in standard deviations of all values,
        which is preferable if values are close to zero.

    Attributes
    ----------
    estimators_, trace_, stop_reason_ : see AdaBoostRegressor
        As documented there.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The :math:`\ln(1/\beta_t)`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weight of the mistakes of each member in its round.

    References
    ----------
    .. [1] Solomatine & Shrestha, "AdaBoost.RT: a boosting algorithm for regression problems",
       IJCNN (2004).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AdaBoostRTRegressor(n_estimators=30).fit(X, y)
    >>> 0.4 < model.score(X, y) < 0.7
    True
    """

    answers_by = "ratio"

    threshold: float = 0.2
    power: float = 2.0
    error: Literal["relative", "scaled"] = "relative"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "threshold": between(0.0, np.inf, closed="neither"),
        "power": between(0.0, np.inf, closed="neither"),
        "error": one_of("relative", "scaled"),
    }

    def _rule(self) -> AdaBoostRT:
        rate, power = float(self.learning_rate), float(self.power)
        return AdaBoostRT(rate, float(self.threshold), power, self.error)
