"""Boosting: members are fitted one after another, each to correct the errors of the previous ones.

A new algorithm is one file: a `coterie.core.rule.Rule` that defines the target of the next member
and its weight, and a thin estimator; see `coterie.core.boost` for the loop.
"""

from coterie.boosting.adaboost import AdaBoost, AdaBoostClassifier
from coterie.boosting.anyboost import AnyBoost, AnyBoostClassifier
from coterie.boosting.brown import BrownBoost, BrownBoostClassifier
from coterie.boosting.certificate import Certificate, certificate
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
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    FastPredictor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    OrderedTargetEncoder,
)
from coterie.boosting.logit import LogitBoost, LogitBoostClassifier
from coterie.boosting.m2 import AdaBoostM2, AdaBoostM2Classifier
from coterie.boosting.mada import MadaBoost, MadaBoostClassifier
from coterie.boosting.margin.adaboostv import AdaBoostV, AdaBoostVClassifier
from coterie.boosting.margin.erlp import ERLPBoost, ERLPBoostClassifier
from coterie.boosting.margin.lp import LPBoost, LPBoostClassifier
from coterie.boosting.margin.soft import SoftBoost, SoftBoostClassifier
from coterie.boosting.margin.total import TotalBoost, TotalBoostClassifier
from coterie.boosting.mh import AdaBoostMH, AdaBoostMHClassifier
from coterie.boosting.multiboost import MultiBoostClassifier
from coterie.boosting.real import RealAdaBoost, RealAdaBoostClassifier
from coterie.boosting.regression import AdaBoostR2, AdaBoostRegressor
from coterie.boosting.robust import RobustBoost, RobustBoostClassifier
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
    "AdaBoostV",
    "AdaBoostVClassifier",
    "AnyBoost",
    "AnyBoostClassifier",
    "BoostByFilteringClassifier",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "BoostingClassifier",
    "BrownBoost",
    "BrownBoostClassifier",
    "Certificate",
    "CostSensitiveBoostClassifier",
    "ERLPBoost",
    "ERLPBoostClassifier",
    "FastPredictor",
    "FunctionalGradientBoostingClassifier",
    "FunctionalGradientBoostingRegressor",
    "GentleBoost",
    "GentleBoostClassifier",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "LPBoost",
    "LPBoostClassifier",
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
    "RobustBoost",
    "RobustBoostClassifier",
    "SoftBoost",
    "SoftBoostClassifier",
    "TotalBoost",
    "TotalBoostClassifier",
    "certificate",
]
