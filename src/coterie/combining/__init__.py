"""Combining members chosen by the user: votes, averages, stacks and related methods.

Members may be any estimators with scikit-learn's interface. Combiners learn from rows that the
members have not seen, in one pass over folds or out-of-bag rows (`folds`).
"""

from coterie.combining.averaging import VotingRegressor, WeightedAverageRegressor
from coterie.combining.bayes import (
    BayesianModelAveragingClassifier,
    BayesianModelAveragingRegressor,
)
from coterie.combining.calibration import CalibratedEnsembleClassifier
from coterie.combining.deep_forest import DeepForestClassifier, DeepForestRegressor
from coterie.combining.evidence import DecisionTemplatesClassifier, DempsterShaferClassifier
from coterie.combining.experts import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from coterie.combining.reject_option import (
    RejectOptionClassifier,
    RiskCoverage,
    risk_coverage,
)
from coterie.combining.selecting import EnsembleSelectionClassifier, EnsembleSelectionRegressor
from coterie.combining.splits import RowFolds
from coterie.combining.stacking import StackingClassifier, StackingRegressor
from coterie.combining.stackingc import StackingCClassifier
from coterie.combining.voting import VotingClassifier
from coterie.combining.window_forest import WindowForestTransformer

__all__ = [
    "BayesianModelAveragingClassifier",
    "BayesianModelAveragingRegressor",
    "CalibratedEnsembleClassifier",
    "DecisionTemplatesClassifier",
    "DeepForestClassifier",
    "DeepForestRegressor",
    "DempsterShaferClassifier",
    "EnsembleSelectionClassifier",
    "EnsembleSelectionRegressor",
    "MixtureOfExpertsClassifier",
    "MixtureOfExpertsRegressor",
    "RejectOptionClassifier",
    "RiskCoverage",
    "RowFolds",
    "StackingCClassifier",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "WeightedAverageRegressor",
    "WindowForestTransformer",
    "risk_coverage",
]
