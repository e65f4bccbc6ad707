"""Friedman's gradient boosting with any regressor as member and any loss of raw scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.random import SeedSequence, default_rng

from coterie.base import ClassifierTask, RegressorTask
from coterie.boosting.descender import DESCENDER, Descender, Origin, OriginScores
from coterie.boosting.predictions import StagedClasses
from coterie.core import Allowed, between, fraction, has, instance_of, one_of
from coterie.core.rule import Array
from coterie.data import Table, Target
from coterie.learners import ForeignLearner
from coterie.losses import (
    REGRESSION_LOSSES,
    ExponentialLoss,
    LogLoss,
    MultinomialLoss,
    PointwiseLoss,
    TweedieLoss,
)

if TYPE_CHECKING:
    Mixin = Descender
else:
    Mixin = object

#: Losses that are shaped by a level, and what they call it.
_LEVELS = {"huber": "alpha", "quantile": "tau", "expectile": "tau"}
#: Apart from the streams of members and of rows.
_INIT_STREAM = 2**31 + 2

FUNCTIONAL: dict[str, Allowed] = {
    **DESCENDER,
    "init": has("fit", "predict", "get_params") | one_of("zero", None),
}


@dataclass(eq=False, repr=False, kw_only=True)
class WithInit(Mixin):
    """Scores that start where the user says.

    Parameters
    ----------
    init : estimator, "zero" or None, default=None
        Initial model: the best constant, scores of zero, or an estimator that is fitted first and
        whose predictions the members then improve. A classifier needs `predict_proba`.
    """

    init: Any = None

    def _origin(
        self, loss: PointwiseLoss, rows: tuple[Table, Target, Array | None], entropy: int
    ) -> Origin:
        table, target, weight = rows
        origin = super()._origin(loss, rows, entropy)
        if self.init is None:
            return origin
        zeros = np.zeros_like(origin.constant)
        if isinstance(self.init, str):
            return Origin(loss, zeros)
        if target.kind == "labels" and not hasattr(self.init, "predict_proba"):
            raise ValueError(
                f"init={self.init!r} has no predict_proba, which a classifier needs to start "
                "from. Wrap it, for example in sklearn.calibration.CalibratedClassifierCV."
            )
        rng = default_rng(SeedSequence(entropy, spawn_key=(_INIT_STREAM,)))
        init = ForeignLearner(self.init, name="init").fit(table, target, weight, rng)
        return Origin(loss, zeros, init)


@dataclass(eq=False, repr=False, kw_only=True)
class FunctionalGradientBoostingRegressor(OriginScores, RegressorTask, WithInit, Descender):
    r"""Friedman's gradient boosting for regression, with any loss and any regressor.

    From the best constant :math:`F_0`, each round fits a member h to the pseudo-residuals :math:`r
    = -\partial L(y, F) / \partial F` by least squares and steps along it, :math:`F \leftarrow F +
    \eta\rho h` with :math:`\rho = \arg\min_\rho \sum_i w_i L(y_i, F(x_i) + \rho h(x_i))`. A native
    tree instead gets a separate optimal step for every leaf, exact if the loss allows it: quantiles
    of residuals for the absolute error and quantiles, ratios of sums for counts. Members need not
    be trees: splines, linear models on few columns, neural networks or pipelines can be used.

    Parameters
    ----------
    loss : str or PointwiseLoss, default="squared_error"
        "squared_error", "absolute_error", "huber", "quantile", "expectile", "poisson", "gamma"
        or "tweedie"; or an object of `coterie.losses`, such as ``HuberLoss(delta=2.0)`` or
        a `CustomLoss` of your own functions.
    alpha : float, default=0.9
        Level of the "huber", "quantile" and "expectile" losses.
    power : float, default=1.5
        The "tweedie" loss: power of the mean by which the variance grows, between 1 and 2.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The factors :math:`\eta\rho`.
    train_score_ : ndarray of shape (n_rounds,)
        Mean loss of the training rows after each round.
    oob_scores_, oob_improvement_ : ndarrays of shape (n_rounds,)
        With ``subsample < 1.0``, the mean loss of the rows left out, and its decrease. The round at
        which the cumulative improvement peaks is a conservative estimate of the best number of
        rounds.
    loss_ : PointwiseLoss
        The loss that was minimised.
    origin_ : Origin
        Scores before the first round.
    trace_ : Trace
        Factor and loss by round.
    stop_reason_ : str
        Why boosting stopped.

    References
    ----------
    .. [1] Friedman, "Greedy function approximation: a gradient boosting machine", Ann. Stat. 29
       (2001).
    .. [2] Friedman, "Stochastic gradient boosting", Comput. Stat. Data Anal. 38 (2002).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = FunctionalGradientBoostingRegressor(loss="huber", init=LinearRegression())
    >>> model.fit(X, y).score(X, y) > 0.7
    True
    """

    answers_by = "loss"

    loss: str | PointwiseLoss = "squared_error"
    alpha: float = 0.9
    power: float = 1.5

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **FUNCTIONAL,
        "loss": one_of(*REGRESSION_LOSSES) | instance_of(PointwiseLoss),
        "alpha": fraction("neither"),
        "power": between(1.0, 2.0, closed="neither"),
    }

    def _loss(self, target: Target, weight: Array | None) -> PointwiseLoss:
        if isinstance(self.loss, PointwiseLoss):
            return self.loss
        if self.loss == "tweedie":
            return TweedieLoss(float(self.power))
        level = {_LEVELS[self.loss]: float(self.alpha)} if self.loss in _LEVELS else {}
        return REGRESSION_LOSSES[self.loss](**level)

    def _answer(self, raw: Array) -> Array:
        return self.loss_.point(raw)


@dataclass(eq=False, repr=False, kw_only=True)
class FunctionalGradientBoostingClassifier(
    OriginScores, StagedClasses, ClassifierTask, WithInit, Descender
):
    r"""Friedman's gradient boosting for classification, with any loss and any regressor.

    As `FunctionalGradientBoostingRegressor`, with scores that the link of the loss turns into
    probabilities. Two classes have one score, the log odds; K classes have K scores and K members
    a round, each fitted to :math:`[y = k] - p_k`. A leaf of a native tree takes one Newton step,
    or the exact step for the exponential loss.

    Parameters
    ----------
    loss : {"log_loss", "exponential"} or PointwiseLoss, default="log_loss"
        "exponential" is for two classes; a loss object receives the class codes 0, 1, ...

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members; with many classes, a list per round.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The factors :math:`\eta\rho`.
    train_score_ : ndarray of shape (n_rounds,)
        Mean loss of the training rows after each round.
    oob_scores_, oob_improvement_ : ndarrays of shape (n_rounds,)
        With ``subsample < 1.0``, the mean loss of the rows left out, and its decrease.
    loss_ : PointwiseLoss
        The loss that was minimised.
    origin_ : Origin
        Scores before the first round.
    trace_ : Trace
        Factor and loss by round.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Friedman, "Greedy function approximation: a gradient boosting machine", Ann. Stat. 29
       (2001).
    .. [2] Friedman, "Stochastic gradient boosting", Comput. Stat. Data Anal. 38 (2002).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FunctionalGradientBoostingClassifier(n_estimators=20, subsample=0.5)
    >>> model.fit(X, y).score(X, y) > 0.97
    True
    """

    answers_by = "rule"

    loss: str | PointwiseLoss = "log_loss"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **FUNCTIONAL,
        "loss": one_of("log_loss", "exponential") | instance_of(PointwiseLoss),
    }

    def _loss(self, target: Target, weight: Array | None) -> PointwiseLoss:
        n_classes = target.n_classes[0]
        if isinstance(self.loss, PointwiseLoss):
            return _fitting(self.loss, n_classes)
        if self.loss == "exponential":
            return _fitting(ExponentialLoss(), n_classes)
        return LogLoss() if n_classes <= 2 else MultinomialLoss(n_classes)


def _fitting(loss: PointwiseLoss, n_classes: int) -> PointwiseLoss:
    """The loss, if it has as many scores as the classes need."""
    scores, needed = loss.n_scores(n_classes), 1 if n_classes <= 2 else n_classes
    if scores != needed:
        raise ValueError(
            f"loss={loss!r} is for {'two' if scores == 1 else scores} classes, but y has "
            f"{n_classes} classes. Use loss='log_loss'."
        )
    return loss
