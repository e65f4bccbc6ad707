"""Measures of predictions: what they are called and what they say in plain words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import get_scorer_names

from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS, Metric, scorer_metric

Array = NDArray[np.float64]


class Words(NamedTuple):
    """What a measure is called and what it means; `share` is shown in per cent."""

    label: str
    meaning: str
    share: bool = False


WORDS = {
    "accuracy": Words("accuracy", "share of rows predicted correctly", share=True),
    "error": Words("error", "share of rows predicted incorrectly", share=True),
    "balanced_accuracy": Words("balanced accuracy", "mean recall of the classes", share=True),
    "log_loss": Words("log-loss", "mean negative log-probability of the true class; 0 is perfect"),
    "brier": Words("Brier score", "squared error of the probabilities; 0 is perfect"),
    "f1": Words("F1", "harmonic mean of precision and recall"),
    "roc_auc": Words(
        "ROC AUC",
        "how often a row of a class gets a higher probability for that class than a "
        "row of another class",
    ),
    "rmse": Words("RMSE", "root mean squared error; large errors count more"),
    "mse": Words("MSE", "mean squared error"),
    "mae": Words("mean absolute error", "how far predictions are off on average"),
    "rmsle": Words("RMSLE", "root mean squared error of the logarithms"),
    "r2": Words("R²", "share of the variance explained; 1 is perfect"),
}
_SHOWN = {
    "regression": ("rmse", "mae", "r2"),
    "binary": ("accuracy", "balanced_accuracy", "log_loss", "brier", "roc_auc"),
    "multiclass": ("accuracy", "balanced_accuracy", "log_loss", "brier", "roc_auc"),
}


def words_for(name: str) -> Words:
    """What to call a measure; one that is not known is called by its name."""
    return WORDS.get(name, Words(name.replace("_", " "), ""))


def names_for(task: str) -> tuple[str, ...]:
    """Measures that a report shows for a task."""
    return _SHOWN[task]


def metric_of(name: str, numbers: bool) -> Metric | None:
    """The metric of a name, or None for one of the user's own."""
    known = (NUMBER_METRICS if numbers else CLASS_METRICS).get(name)
    if known is None and name in get_scorer_names():
        return scorer_metric(name, "regression" if numbers else "classification")
    return known


def measured(name: str, truth: NDArray[Any], predictions: Array) -> float | None:
    """The value of a measure, or None if it is not known or not defined on these rows.

    Predictions are numbers (n,) or probabilities (n, K); `truth` holds numbers or columns.
    """
    metric = metric_of(name, predictions.ndim == 1)
    value = metric(truth, predictions) if metric else np.nan
    return value if np.isfinite(value) else None
