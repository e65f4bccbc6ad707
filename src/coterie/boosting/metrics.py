"""What is measured on rows held out after every round, and watched by early stopping."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names

from coterie.base import split_outputs
from coterie.core import Allowed
from coterie.core.rule import Array, Rule
from coterie.data import Target

Scorer = Callable[..., float]


@dataclass(frozen=True)
class Metric:
    """A number that says how good answers are.

    Parameters
    ----------
    name : str
        What it is called in the trace, after "validation_".
    scorer : callable or None
        ``scorer(estimator, X, y)``, larger is better; None is the booster's own error.
    larger : bool
        Whether larger is better; if not, the trace has minus what the scorer says.
    """

    name: str
    scorer: Scorer | None = None
    larger: bool = False

    @property
    def fact(self) -> str:
        """Its name in the trace."""
        return f"validation_{self.name}"

    def best(self, values: Array) -> int:
        """Position of the best value; among equals the first."""
        return int(np.argmax(values) if self.larger else np.argmin(values))


def read_metrics(metrics: Any) -> tuple[Metric, ...]:
    """The metrics that one or several names or scorers stand for.

    Examples
    --------
    >>> [(m.name, m.larger) for m in read_metrics(["error", "log_loss", "roc_auc"])]
    [('error', False), ('log_loss', False), ('roc_auc', True)]
    """
    several = [metrics] if metrics is None or _is_one(metrics) else metrics
    read = tuple(_read(metric, number) for number, metric in enumerate(several, start=1))
    names = [metric.name for metric in read]
    if len(set(names)) < len(names):
        raise ValueError(f"metrics has the same name twice: {', '.join(names)}.")
    return read


def _read(metric: Any, number: int) -> Metric:
    if metric is None or metric == "error":
        return Metric("error")
    if not isinstance(metric, str):
        return Metric(getattr(metric, "__name__", f"score_{number}"), metric, larger=True)
    known = get_scorer_names()
    if metric in known:
        return Metric(metric, get_scorer(metric), larger=True)
    return Metric(metric, get_scorer(f"neg_{metric}"))


def _is_one(metric: Any) -> bool:
    if isinstance(metric, str):
        known = get_scorer_names()
        return metric == "error" or metric in known or f"neg_{metric}" in known
    return callable(metric)


def _are_metrics(metrics: Any) -> bool:
    if metrics is None or _is_one(metrics):
        return True
    several = isinstance(metrics, Sequence) and not isinstance(metrics, str) and len(metrics) > 0
    return several and all(_is_one(metric) for metric in metrics)


some_metrics = Allowed(
    _are_metrics,
    "'error', a scorer's name as in sklearn.metrics.get_scorer_names() with or without its 'neg_', "
    "a function (estimator, X, y) -> float, a list of these, or None",
)


class Snapshot(BaseEstimator):
    """An ensemble as it is after a round, for the rows whose scores are known.

    Scorers take it for an estimator; nothing is computed again for them.
    """

    def __init__(self, rows: Any = None, raw: Any = None) -> None:
        self.rows, self.raw = rows, raw

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _scores(self, X: Any) -> Array:
        if X is not self.rows:
            raise ValueError("A metric may ask for predictions of the rows it was given only.")
        return np.asarray(self.raw)


class ClassSnapshot(ClassifierMixin, Snapshot):
    """A classifier after a round."""

    def __init__(
        self, rows: Any = None, raw: Any = None, rule: Any = None, target: Any = None
    ) -> None:
        super().__init__(rows, raw)
        self.rule, self.target = rule, target

    @property
    def classes_(self) -> Any:
        """Class labels."""
        classes = self.target.classes
        return classes[0] if len(classes) == 1 else list(classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The classes decided for."""
        return np.asarray(self.target.decode(self.rule.decide(self._scores(X))))

    def predict_proba(self, X: Any) -> Any:
        """Class probabilities; of several outputs a list."""
        chance = self.rule.link(self.rule.settle(self._scores(X)))
        return chance if self.target.n_outputs == 1 else split_outputs(self.target, chance)

    def decision_function(self, X: Any) -> Array:
        """The scores."""
        raw = self.rule.settle(self._scores(X))
        return np.asarray(raw[:, 0] if raw.shape[1] == 1 else raw)


class NumberSnapshot(RegressorMixin, Snapshot):
    """A regressor after a round."""

    def predict(self, X: Any) -> Array:
        """The weighted mean of the members' predictions."""
        raw = self._scores(X)
        return np.asarray(raw[:, 0] / raw[:, 1])


@dataclass(frozen=True)
class Measures:
    """Measures scores by one or several metrics, as a `Monitor` wants it.

    Parameters
    ----------
    metrics : sequence of Metric
        What to measure.
    error : callable
        ``(raw, target, weight) -> float``, the booster's own error.
    rule : Rule
        What turns scores into answers.
    rows : array, data frame or sparse matrix
        The rows, as the user gave them.
    weight : ndarray of shape (n_rows,) or None
        Their weights.
    """

    metrics: Sequence[Metric]
    error: Callable[[Array, Target, Array | None], float]
    rule: Rule
    rows: Any
    weight: Array | None

    def __call__(self, raw: Array, target: Target) -> dict[str, float]:
        """Facts of the round."""
        return {metric.fact: self._measure(metric, raw, target) for metric in self.metrics}

    def _measure(self, metric: Metric, raw: Array, target: Target) -> float:
        if metric.scorer is None:
            return self.error(raw, target, self.weight)
        if target.kind == "labels":
            snapshot: Any = ClassSnapshot(self.rows, raw, self.rule, target)
        else:
            snapshot = NumberSnapshot(self.rows, raw)
        y = target.decode(target.encoded)
        value = float(metric.scorer(snapshot, self.rows, y, **self._options(metric.scorer)))
        if math.isnan(value):
            raise ValueError(
                f"The metric {metric.name!r} is not defined on the rows held out. Hold out more "
                "rows, or choose another metric."
            )
        return value if metric.larger else -value

    def _options(self, scorer: Scorer) -> dict[str, Any]:
        """Weights, if there are any and the scorer takes them."""
        if self.weight is None or "sample_weight" not in inspect.signature(scorer).parameters:
            return {}
        return {"sample_weight": self.weight}
