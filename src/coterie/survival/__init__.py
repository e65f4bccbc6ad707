"""Survival analysis: the time until an event, with censored rows.

`GradientBoostingSurvival` and `RandomSurvivalForest` are the estimators; the other names are curves
and metrics, plain functions of times, events and predictions.
"""

from coterie.survival.boosted_survival import GradientBoostingSurvival
from coterie.survival.brier import brier_score, integrated_brier_score
from coterie.survival.calibration import survival_calibration
from coterie.survival.concordance import (
    concordance_index,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
)
from coterie.survival.incidence import (
    StepFunction,
    kaplan_meier,
    log_rank_test,
    nelson_aalen,
)
from coterie.survival.outcomes import make_outcomes
from coterie.survival.survival_forest import RandomSurvivalForest

__all__ = [
    "GradientBoostingSurvival",
    "RandomSurvivalForest",
    "StepFunction",
    "brier_score",
    "concordance_index",
    "concordance_index_ipcw",
    "cumulative_dynamic_auc",
    "integrated_brier_score",
    "kaplan_meier",
    "log_rank_test",
    "make_outcomes",
    "nelson_aalen",
    "survival_calibration",
]
