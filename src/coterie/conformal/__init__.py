"""Prediction sets and intervals with a chosen coverage, for any model.

Steps of a conformal model:

1. The model is fitted once; rows it has not seen come from its bags, its folds, or a split.
2. Every such row has a score: how badly the prediction fits the true value (`class_scores`,
   residuals).
3. The set of a new row contains all values with a score up to that of a certain rank
   (`coterie.theory.ranks_of`); the error rate is chosen at prediction time, not in `fit`.
4. `coverage_report` compares the target coverage with the observed coverage.
"""

from coterie.conformal.class_scores import class_scores, true_ranks
from coterie.conformal.coverage_report import CoverageReport, CoverageRow, coverage_rows
from coterie.conformal.interval_regressor import ConformalRegressor, plus_interval
from coterie.conformal.out_of_fold import kept_coverage, kept_limit, kept_sets
from coterie.conformal.set_classifier import ConformalClassifier
from coterie.conformal.shift import density_ratio

__all__ = [
    "ConformalClassifier",
    "ConformalRegressor",
    "CoverageReport",
    "CoverageRow",
    "class_scores",
    "coverage_rows",
    "density_ratio",
    "kept_coverage",
    "kept_limit",
    "kept_sets",
    "plus_interval",
    "true_ranks",
]
