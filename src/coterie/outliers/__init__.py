"""Outlier detectors: forests that isolate rows, and ensembles of any detectors.

Steps of a detector:

1. `fit` reads a table, without a target; rows of zero weight are left out.
2. The detector learns what is normal (`_learn`) and how to score rows (`_normality`).
3. ``offset_`` is the threshold: a constant, or a quantile of the scores.
4. ``score_samples`` returns how normal rows are; ``predict`` returns 1 or -1.
"""

from coterie.outliers.combined import FeatureBaggingDetector, OutlierEnsemble
from coterie.outliers.isolation_forest import (
    ExtendedIsolationForest,
    IsolationForest,
    average_path,
    isolation_score,
)
from coterie.outliers.loda import LODADetector, n_histogram_bins
from coterie.outliers.p_values import (
    NoveltyTestDetector,
    benjamini_hochberg,
    novelty_p_values,
)
from coterie.outliers.scores import (
    average_of_maxima,
    breadth_first,
    calibrate,
    combine,
    groups_of,
    maximum_of_averages,
    standardize,
    thresholded_sum,
)

__all__ = [
    "ExtendedIsolationForest",
    "FeatureBaggingDetector",
    "IsolationForest",
    "LODADetector",
    "NoveltyTestDetector",
    "OutlierEnsemble",
    "average_of_maxima",
    "average_path",
    "benjamini_hochberg",
    "breadth_first",
    "calibrate",
    "combine",
    "groups_of",
    "isolation_score",
    "maximum_of_averages",
    "n_histogram_bins",
    "novelty_p_values",
    "standardize",
    "thresholded_sum",
]
