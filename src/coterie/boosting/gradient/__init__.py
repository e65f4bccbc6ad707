"""Gradient boosting: trees grown on the slopes of a loss.

`estimators` holds the four estimators over `base`; `fit` puts together what `settings` read from
their parameters; `loop` runs the rounds, and every other module is one of their steps. `boosted`
holds two more, whose settings come from `default_rules`, and whose models `averaged` joins.
"""

from coterie.boosting.gradient.boosted import BoostedTreesClassifier, BoostedTreesRegressor
from coterie.boosting.gradient.estimators import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from coterie.boosting.gradient.fast import FastPredictor
from coterie.boosting.gradient.statistics import OrderedTargetEncoder

__all__ = [
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "FastPredictor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "OrderedTargetEncoder",
]
