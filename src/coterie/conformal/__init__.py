"""Prediction sets and intervals with a chosen coverage, for any model.

The life of a conformal model:

1. The model is fitted once; rows it has not seen come from its bags, its folds, or a split.
2. Every such row has a score: how badly its truth fits what was said (`class_scores`, residuals).
3. A new row's set holds whatever fits no worse than the score of a certain rank
   (`coterie.theory.ranks_of`); the share that may be outside is given then, not at the fit.
4. `coverage_report` compares what was asked with what came about.
"""

from coterie.conformal.class_scores import class_scores, true_ranks
from coterie.conformal.coverage_report import CoverageReport, CoverageRow, coverage_rows
from coterie.conformal.interval_regressor import ConformalRegressor, plus_interval
from coterie.conformal.out_of_fold import kept_coverage, kept_limit, kept_sets
from coterie.conformal.set_classifier import ConformalClassifier

__all__ = [
    "ConformalClassifier",
    "ConformalRegressor",
    "CoverageReport",
    "CoverageRow",
    "class_scores",
    "coverage_rows",
    "kept_coverage",
    "kept_limit",
    "kept_sets",
    "plus_interval",
    "true_ranks",
]
