"""Losses as plain functions of arrays, with their derivatives.

`MARGIN_LOSSES` are losses of the margin yF, for boosting by reweighting; `LOSSES` are losses of
raw scores, for gradient boosting.
"""

from coterie.losses.classification import ExponentialLoss, LogLoss, MultinomialLoss
from coterie.losses.columns import ColumnsLoss
from coterie.losses.counts import GammaLoss, PoissonLoss, TweedieLoss
from coterie.losses.cox import CoxLoss
from coterie.losses.custom import CustomLoss, SlopesLoss, UserLoss, check_loss
from coterie.losses.distribution import NormalLoss, QuantilesLoss
from coterie.losses.failure_time import FailureTimeLoss
from coterie.losses.focal import FocalLoss
from coterie.losses.lambda_rank import LambdaRankLoss
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
from coterie.losses.robust import FairLoss, LogCoshLoss, MapeLoss

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
        MapeLoss,
        FairLoss,
        LogCoshLoss,
    )
}
#: Losses of classes by name; with more than two classes the log loss is the multinomial one.
CLASSIFICATION_LOSSES: dict[str, type[PointwiseLoss]] = {
    loss.name: loss for loss in (LogLoss, ExponentialLoss, MultinomialLoss, FocalLoss)
}
#: All of them.
LOSSES: dict[str, type[PointwiseLoss]] = {**REGRESSION_LOSSES, **CLASSIFICATION_LOSSES}

__all__ = [
    "CLASSIFICATION_LOSSES",
    "LOSSES",
    "MARGIN_LOSSES",
    "REGRESSION_LOSSES",
    "AbsoluteError",
    "ColumnsLoss",
    "CoxLoss",
    "CustomLoss",
    "ExpectileLoss",
    "Exponential",
    "ExponentialLoss",
    "FailureTimeLoss",
    "FairLoss",
    "FocalLoss",
    "FunctionLoss",
    "GammaLoss",
    "HuberLoss",
    "LambdaRankLoss",
    "LogCoshLoss",
    "LogLoss",
    "Logistic",
    "Mada",
    "MapeLoss",
    "MarginLoss",
    "MultinomialLoss",
    "NormalLoss",
    "PointwiseLoss",
    "PoissonLoss",
    "QuantileLoss",
    "QuantilesLoss",
    "Savage",
    "Sigmoid",
    "SlopesLoss",
    "Squared",
    "SquaredError",
    "SquaredHinge",
    "Tangent",
    "TweedieLoss",
    "UserLoss",
    "check_loss",
    "derivative_gaps",
]
