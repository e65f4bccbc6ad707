"""Losses as plain functions of arrays, with their derivatives.

`MARGIN_LOSSES` are losses of the margin yF, for boosting by reweighting; `LOSSES` are losses of
raw scores, for gradient boosting.
"""

from coterie.losses.classification import ExponentialLoss, LogLoss, MultinomialLoss
from coterie.losses.counts import GammaLoss, PoissonLoss, TweedieLoss
from coterie.losses.custom import CustomLoss, check_loss
from coterie.losses.distribution import NormalLoss, QuantilesLoss
from coterie.losses.margin import (
    MARGIN_LOSSES,
    Exponential,
    FunctionLoss,
    Logistic,
    Mada,
    MarginLoss,
    Savage,
    Sigmoid,
    Squared,
    SquaredHinge,
    Tangent,
    derivative_gaps,
)
from coterie.losses.pointwise import PointwiseLoss
from coterie.losses.regression import (
    AbsoluteError,
    ExpectileLoss,
    HuberLoss,
    QuantileLoss,
    SquaredError,
)

#: Losses of numbers by name.
REGRESSION_LOSSES: dict[str, type[PointwiseLoss]] = {
    loss.name: loss
    for loss in (
        SquaredError,
        AbsoluteError,
        HuberLoss,
        QuantileLoss,
        ExpectileLoss,
        PoissonLoss,
        GammaLoss,
        TweedieLoss,
    )
}
#: Losses of classes by name; with more than two classes the log loss is the multinomial one.
CLASSIFICATION_LOSSES: dict[str, type[PointwiseLoss]] = {
    loss.name: loss for loss in (LogLoss, ExponentialLoss, MultinomialLoss)
}
#: All of them.
LOSSES: dict[str, type[PointwiseLoss]] = {**REGRESSION_LOSSES, **CLASSIFICATION_LOSSES}

__all__ = [
    "CLASSIFICATION_LOSSES",
    "LOSSES",
    "MARGIN_LOSSES",
    "REGRESSION_LOSSES",
    "AbsoluteError",
    "CustomLoss",
    "ExpectileLoss",
    "Exponential",
    "ExponentialLoss",
    "FunctionLoss",
    "GammaLoss",
    "HuberLoss",
    "LogLoss",
    "Logistic",
    "Mada",
    "MarginLoss",
    "MultinomialLoss",
    "NormalLoss",
    "PointwiseLoss",
    "PoissonLoss",
    "QuantileLoss",
    "QuantilesLoss",
    "Savage",
    "Sigmoid",
    "Squared",
    "SquaredError",
    "SquaredHinge",
    "Tangent",
    "TweedieLoss",
    "check_loss",
    "derivative_gaps",
]
