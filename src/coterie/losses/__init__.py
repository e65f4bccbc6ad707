"""Losses as plain functions of arrays, with their derivatives."""

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

__all__ = [
    "MARGIN_LOSSES",
    "Exponential",
    "FunctionLoss",
    "Logistic",
    "Mada",
    "MarginLoss",
    "Savage",
    "Sigmoid",
    "Squared",
    "SquaredHinge",
    "Tangent",
    "derivative_gaps",
]
