"""Plots of fitted models, in the style of scikit-learn's displays.

Each class computes its data with ``from_estimator``, from any fitted ensemble or list of models, or
with ``from_predictions``, from the members' predictions; it keeps them as attributes and draws them
with ``plot``. Matplotlib is imported when something is drawn, not before.
"""

from coterie.plotting.ambiguity import AmbiguityDisplay
from coterie.plotting.bias_variance_bars import BiasVarianceDisplay
from coterie.plotting.bound import BoundDisplay
from coterie.plotting.co_association import CoAssociationDisplay
from coterie.plotting.consensus import ConsensusDisplay
from coterie.plotting.coverage import RiskCoverageDisplay
from coterie.plotting.dissent import DissentDisplay
from coterie.plotting.error_curve import ErrorCurveDisplay
from coterie.plotting.grid import Grid
from coterie.plotting.importance_bars import ImportancesDisplay, ShapDisplay
from coterie.plotting.isolation_map import IsolationDisplay
from coterie.plotting.kappa_error import KappaErrorDisplay
from coterie.plotting.learning_curve import LearningCurveDisplay
from coterie.plotting.margin_bound import MarginBoundDisplay
from coterie.plotting.margins import MarginDisplay
from coterie.plotting.member_curves import MemberCurvesDisplay
from coterie.plotting.pairs import PairwiseDisplay
from coterie.plotting.proximity import ProximityDisplay
from coterie.plotting.pruning import PruningCurveDisplay
from coterie.plotting.pseudo_labels import PseudoLabelDisplay
from coterie.plotting.regions import RegionsDisplay
from coterie.plotting.reliability import ReliabilityDisplay
from coterie.plotting.round_picture import RoundPictureDisplay
from coterie.plotting.rounds import RoundsDisplay
from coterie.plotting.set_coverage import CoverageDisplay
from coterie.plotting.similarity import SimilarityDisplay
from coterie.plotting.weights import WeightsDisplay

__all__ = [
    "AmbiguityDisplay",
    "BiasVarianceDisplay",
    "BoundDisplay",
    "CoAssociationDisplay",
    "ConsensusDisplay",
    "CoverageDisplay",
    "DissentDisplay",
    "ErrorCurveDisplay",
    "Grid",
    "ImportancesDisplay",
    "IsolationDisplay",
    "KappaErrorDisplay",
    "LearningCurveDisplay",
    "MarginBoundDisplay",
    "MarginDisplay",
    "MemberCurvesDisplay",
    "PairwiseDisplay",
    "ProximityDisplay",
    "PruningCurveDisplay",
    "PseudoLabelDisplay",
    "RegionsDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "RoundPictureDisplay",
    "RoundsDisplay",
    "ShapDisplay",
    "SimilarityDisplay",
    "WeightsDisplay",
]
