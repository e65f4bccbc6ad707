"""What a search makes small or large, by name."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, r2_score, roc_auc_score

from coterie.core import ParameterError
from coterie.fusion.row_losses import brier_rows, error_rows, log_loss_rows

Array = NDArray[np.float64]

_EDGE = float(np.finfo(np.float64).eps)  # the least probability, as for scikit-learn
_REPEATS = 100
_CLUSTERINGS = (
    *("adjusted_mutual_info_score", "adjusted_rand_score", "completeness_score", "rand_score"),
    *("fowlkes_mallows_score", "homogeneity_score", "mutual_info_score", "v_measure_score"),
    "normalized_mutual_info_score",
)
_MOST = 3_000  # rows of which a bootstrap is made


@dataclass(frozen=True)
class Metric:
    """A score of predictions, with its uncertainty.

    Parameters
    ----------
    name : str
        What it is called.
    greater_is_better : bool
        The direction.
    rows : callable or None
        ``(truth, prediction) -> losses``, one for each row, if the score is a function of their
        mean. The truth is codes of classes or numbers; predictions are probabilities of shape
        (n, K), or numbers of shape (n,).
    whole : callable
        From the mean loss to the score; or, without `rows`, ``(truth, prediction, weight)`` to
        the score.
    """

    name: str
    greater_is_better: bool
    rows: Callable[[Any, Array], Array] | None
    whole: Callable[..., float]

    def __call__(self, truth: Any, prediction: Array, weight: Array | None = None) -> float:
        """The score."""
        if self.rows is None:
            return float(self.whole(truth, prediction, weight))
        return float(self.whole(np.average(self.rows(truth, prediction), weights=weight)))

    def loss(self, truth: Any, prediction: Array, weight: Array | None = None) -> float:
        """The score as something to make small."""
        score = self(truth, prediction, weight)
        return -score if self.greater_is_better else score

    def interval(
        self, truth: Any, prediction: Array, weight: Array | None = None, seed: int = 0
    ) -> tuple[float, float]:
        """A 95 % interval of the score: normal for means of rows, by a bootstrap otherwise."""
        if self.rows is None:
            return self._bootstrap(truth, prediction, weight, seed)
        losses = self.rows(truth, prediction)
        mean = np.average(losses, weights=weight)
        share = np.ones(len(losses)) if weight is None else weight / weight.mean()
        error = 1.96 * float(np.sqrt(np.average((share * (losses - mean)) ** 2) / len(losses)))
        ends = [float(self.whole(max(mean + side * error, 0.0))) for side in (-1, 1)]
        return min(ends), max(ends)

    def _bootstrap(
        self, truth: Any, prediction: Array, weight: Array | None, seed: int
    ) -> tuple[float, float]:
        rng, n = np.random.default_rng(seed), len(truth)
        size, centre = min(n, _MOST), self(truth, prediction, weight)
        scores = []
        for _ in range(_REPEATS):
            drawn = rng.integers(0, n, size)
            own = None if weight is None else weight[drawn]
            scores.append(self(truth[drawn], prediction[drawn], own))
        known = np.array(scores)[np.isfinite(scores)]
        spread = 1.96 * float(known.std()) * np.sqrt(size / n) if len(known) else np.nan
        return centre - spread, centre + spread


def _log_loss(codes: Any, chances: Array) -> Array:
    return log_loss_rows(chances, codes, _EDGE)


def _brier(codes: Any, chances: Array) -> Array:
    return brier_rows(chances, codes)


def _error(codes: Any, chances: Array) -> Array:
    return error_rows(chances, codes).astype(np.float64)


def _roc_auc(codes: Any, chances: Array, weight: Array | None) -> float:
    present = np.unique(codes)
    if len(present) < 2:
        return float("nan")
    if chances.shape[1] == 2:
        return _area(codes == 1, chances[:, 1], weight)
    return float(np.mean([_area(codes == k, chances[:, k], weight) for k in present]))


def _area(truth: NDArray[np.bool_], scores: Array, weight: Array | None) -> float:
    """Area under the ROC curve: by ranks if there are no weights, since searches ask often."""
    if weight is not None:
        return float(roc_auc_score(truth, scores, sample_weight=weight))
    n_yes = int(truth.sum())
    above = rankdata(scores)[truth].sum() - n_yes * (n_yes + 1) / 2
    return float(above / (n_yes * (len(truth) - n_yes)))


def _balanced(codes: Any, chances: Array, weight: Array | None) -> float:
    """Mean recall of the classes that are there; some may be absent from a part of the rows."""
    weight = np.ones(len(codes)) if weight is None else weight
    size = np.bincount(codes, weights=weight)
    right = np.bincount(codes, weights=weight * (chances.argmax(axis=1) == codes))
    return float(np.mean(right[size > 0] / size[size > 0]))


def _f1(codes: Any, chances: Array, weight: Array | None) -> float:
    said, average = chances.argmax(axis=1), "binary" if chances.shape[1] == 2 else "macro"
    options: dict[str, Any] = {"sample_weight": weight, "zero_division": 0.0}
    return float(f1_score(codes, said, average=average, **options))


def _squares(truth: Any, numbers: Array) -> Array:
    return np.asarray((truth - numbers) ** 2)


def _absolutes(truth: Any, numbers: Array) -> Array:
    return np.abs(truth - numbers)


def _log_squares(truth: Any, numbers: Array) -> Array:
    return np.asarray((np.log1p(truth) - np.log1p(np.maximum(numbers, 0.0))) ** 2)


def _r2(truth: Any, numbers: Array, weight: Array | None) -> float:
    if len(truth) < 2:
        return float("nan")
    return float(r2_score(truth, numbers, sample_weight=weight))


def _same(mean: float) -> float:
    return mean


CLASS_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("log_loss", False, _log_loss, _same),
        Metric("brier", False, _brier, _same),
        Metric("accuracy", True, _error, lambda mean: 1.0 - mean),
        Metric("error", False, _error, _same),
        Metric("balanced_accuracy", True, None, _balanced),
        Metric("f1", True, None, _f1),
        Metric("roc_auc", True, None, _roc_auc),
    )
}
NUMBER_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("rmse", False, _squares, np.sqrt),
        Metric("mse", False, _squares, _same),
        Metric("mae", False, _absolutes, _same),
        Metric("rmsle", False, _log_squares, np.sqrt),
        Metric("r2", True, None, _r2),
    )
}


class _Said(BaseEstimator):
    """What was said of rows, for a scorer that asks an estimator about them."""

    def fit(self, X: Any, y: Any = None) -> Any:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _SaidClasses(ClassifierMixin, _Said):
    def __init__(self, n_classes: int = 2) -> None:
        self.n_classes = n_classes

    @property
    def classes_(self) -> NDArray[np.intp]:
        return np.arange(self.n_classes)

    def predict(self, X: Array) -> Array:
        return np.asarray(X).argmax(axis=1)

    def predict_proba(self, X: Array) -> Array:
        return np.asarray(X)


class _SaidNumbers(RegressorMixin, _Said):
    def predict(self, X: Array) -> Array:
        return np.asarray(X)[:, 0]


def scorer_metric(name: str, task: str) -> Metric:
    """A metric that scikit-learn knows by name; scorers are always to be made large.

    Examples
    --------
    >>> metric = scorer_metric("neg_mean_absolute_error", "regression")
    >>> metric(np.array([1.0, 2.0]), np.array([1.0, 4.0])), metric.greater_is_better
    (-1.0, True)
    """
    scorer = get_scorer(name)

    def whole(truth: Any, said: Array, weight: Array | None) -> float:
        more = {} if weight is None else {"sample_weight": weight}
        labels = task == "classification"
        model = _SaidClasses(said.shape[1]) if labels else _SaidNumbers()
        rows = said if labels else said[:, None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes that nobody predicts
            return float(scorer(model, rows, truth, **more))

    return Metric(name, True, None, whole)


def find_metric(name: str, task: str) -> Metric:
    """The metric of that name; "auto" is the log-loss, or the root of the mean squared error.

    Parameters
    ----------
    name : str
        As the user gave it.
    task : {"classification", "regression"}
        What there is to predict.

    Examples
    --------
    >>> find_metric("auto", "regression").name
    'rmse'
    """
    known = CLASS_METRICS if task == "classification" else NUMBER_METRICS
    if name == "auto":
        return next(iter(known.values()))
    if name in known:
        return known[name]
    if name in get_scorer_names() and name not in _CLUSTERINGS:
        return scorer_metric(name, task)
    near = difflib.get_close_matches(name, [*known, *get_scorer_names()], n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ParameterError(
        f"metric={name!r} is not a metric for {task}. Choose 'auto', one of {', '.join(known)}, or "
        f"a name of sklearn.metrics.get_scorer_names().{hint}"
    )


def check_metric(metric: Metric, truth: Any, n_classes: int) -> None:
    """Say what a metric does not like about a target before any time is spent.

    Parameters
    ----------
    metric : Metric
        What is to be good.
    truth : ndarray of shape (n_rows,)
        Codes of classes, or numbers.
    n_classes : int
        Zero for numbers.
    """
    if metric.name in (CLASS_METRICS | NUMBER_METRICS):
        return
    said = (
        np.full((len(truth), n_classes), 1 / n_classes)
        if n_classes
        else np.full(len(truth), truth.mean())
    )
    try:
        metric(truth, said)
    except (ValueError, TypeError, AttributeError) as error:
        raise ParameterError(
            f"metric={metric.name!r} cannot be used for this target: {error}"
        ) from error
