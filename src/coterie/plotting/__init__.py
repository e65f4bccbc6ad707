"""Pictures of fitted models, in the manner of scikit-learn's displays.

Each class computes its data with ``from_estimator``, keeps them as attributes and draws them with
``plot``. Matplotlib is imported when something is drawn, not before.
"""

from coterie.plotting.bound import BoundDisplay
from coterie.plotting.coverage import RiskCoverageDisplay
from coterie.plotting.margin_bound import MarginBoundDisplay
from coterie.plotting.margins import MarginDisplay
from coterie.plotting.regions import RegionsDisplay
from coterie.plotting.reliability import ReliabilityDisplay
from coterie.plotting.rounds import RoundsDisplay
from coterie.plotting.weights import WeightsDisplay

__all__ = [
    "BoundDisplay",
    "MarginBoundDisplay",
    "MarginDisplay",
    "RegionsDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "RoundsDisplay",
    "WeightsDisplay",
]
