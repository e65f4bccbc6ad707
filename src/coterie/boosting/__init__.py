"""Boosting: members fitted one after the other, each where the ones before fell short.

A new algorithm is one file: a `coterie.core.rule.Rule` that says what the next member fits and
what it weighs, and a thin estimator; see `coterie.core.boost` for who calls what.
"""

from coterie.boosting.adaboost import AdaBoost, AdaBoostClassifier
from coterie.boosting.anyboost import AnyBoost, AnyBoostClassifier
from coterie.boosting.costs import CostSensitiveBoostClassifier
from coterie.boosting.distribution import (
    NormalBoostingRegressor,
    QuantileBoostingRegressor,
)
from coterie.boosting.filtering import BoostByFilteringClassifier
from coterie.boosting.functional import (
    FunctionalGradientBoostingClassifier,
    FunctionalGradientBoostingRegressor,
)
from coterie.boosting.generic import RULES, BoostingClassifier
from coterie.boosting.gentle import GentleBoost, GentleBoostClassifier
from coterie.boosting.gradient import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from coterie.boosting.gradient_statistics import OrderedTargetEncoder
from coterie.boosting.logit import LogitBoost, LogitBoostClassifier
from coterie.boosting.m2 import AdaBoostM2, AdaBoostM2Classifier
from coterie.boosting.mada import MadaBoost, MadaBoostClassifier
from coterie.boosting.mh import AdaBoostMH, AdaBoostMHClassifier
from coterie.boosting.multiboost import MultiBoostClassifier
from coterie.boosting.real import RealAdaBoost, RealAdaBoostClassifier
from coterie.boosting.regression import AdaBoostR2, AdaBoostRegressor
from coterie.boosting.rt import AdaBoostRT, AdaBoostRTRegressor

__all__ = [
    "RULES",
    "AdaBoost",
    "AdaBoostClassifier",
    "AdaBoostM2",
    "AdaBoostM2Classifier",
    "AdaBoostMH",
    "AdaBoostMHClassifier",
    "AdaBoostR2",
    "AdaBoostRT",
    "AdaBoostRTRegressor",
    "AdaBoostRegressor",
    "AnyBoost",
    "AnyBoostClassifier",
    "BoostByFilteringClassifier",
    "BoostingClassifier",
    "CostSensitiveBoostClassifier",
    "FunctionalGradientBoostingClassifier",
    "FunctionalGradientBoostingRegressor",
    "GentleBoost",
    "GentleBoostClassifier",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "LogitBoost",
    "LogitBoostClassifier",
    "MadaBoost",
    "MadaBoostClassifier",
    "MultiBoostClassifier",
    "NormalBoostingRegressor",
    "OrderedTargetEncoder",
    "QuantileBoostingRegressor",
    "RealAdaBoost",
    "RealAdaBoostClassifier",
]
