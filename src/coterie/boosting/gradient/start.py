"""Where gradient boosting starts: a constant, scores of the user, or another model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from coterie.boosting.gradient.board import Array
from coterie.core import ParameterError
from coterie.data import DataError, Table, Target
from coterie.learners import ForeignLearner, takes_weight
from coterie.losses import PointwiseLoss, UserLoss

# Probabilities of other models are kept this far from 0 and 1, where log odds are infinite.
_LEAST = 1e-6
# Apart from the streams of trees, and of rows.
_INIT_STREAM = 2**31 + 2


def constant_start(
    init: Any, loss: PointwiseLoss, y: Array, weight: Array | None, n_scores: int
) -> Array:
    """The score of every row before any tree, shape (n_scores,)."""
    if init is None:
        return loss.start(y, np.ones(len(y)) if weight is None else weight)
    if isinstance(init, str) or hasattr(init, "fit"):
        return np.zeros(n_scores)
    start = np.atleast_1d(np.asarray(init, dtype=np.float64))
    if start.shape not in ((1,), (n_scores,)) or not np.isfinite(start).all():
        raise ParameterError(
            f"init={init!r} is not allowed; use a finite number, or {n_scores} of them."
        )
    return np.broadcast_to(start, (n_scores,)).copy()


def read_init_score(
    given: Any, n_rows: int, n_scores: int, name: str, kept: NDArray[np.intp] | None = None
) -> Array | None:
    """Starting scores of the user, one row per row of ``X``; those of the `kept` rows."""
    if given is None:
        return None
    scores = np.asarray(given, dtype=np.float64)
    scores = scores[:, None] if scores.ndim == 1 else scores
    if scores.shape != (n_rows, n_scores):
        raise DataError(
            f"{name} has shape {np.shape(given)}; expected {n_scores} score(s) for each of the "
            f"{n_rows} rows."
        )
    scores = scores if kept is None else scores[kept]
    if not np.isfinite(scores).all():
        raise DataError(f"{name} contains NaN or infinity. Pass one finite score per row.")
    return scores


def fit_init(
    init: Any,
    table: Table,
    target: Target,
    weight: Array | None,
    entropy: int,
    *,
    strict: bool = False,
) -> Any:
    """The model to start from, fitted; what it has no seed for is seeded.

    One that takes no weights is refused if `strict`, as by scikit-learn's ``GradientBoosting*``,
    and otherwise fitted to rows drawn by weight.
    """
    if strict and weight is not None and not takes_weight(init):
        raise ValueError(
            f"The initial estimator {type(init).__name__} does not support sample weights. Omit "
            "the weights, or use an init model whose fit accepts sample_weight."
        )
    rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(_INIT_STREAM,)))
    learner = ForeignLearner(init, keeps_seeds=True, name="init")
    return learner.fit(table, target, weight, rng).estimator


def model_scores(
    model: Any, given: Any, loss: PointwiseLoss, classes: NDArray[Any] | None
) -> Array:
    """What a fitted model says of every row, as scores of the loss, shape (n_rows, n_scores)."""
    chances = is_classifier(model) or hasattr(model, "predict_proba")
    if classes is not None and chances:
        if not hasattr(model, "predict_proba"):
            raise ValueError(
                f"init={type(model).__name__} has no predict_proba. Wrap it, for example in "
                "sklearn.calibration.CalibratedClassifierCV."
            )
        said = np.asarray(model.predict_proba(given))
        shares = np.full((len(said), len(classes)), _LEAST)
        shares[:, np.searchsorted(classes, getattr(model, "classes_", classes))] = said
        if isinstance(loss, UserLoss):
            raise ValueError(
                "init is a classifier, but a custom loss does not define how probabilities are "
                "converted to scores. Pass initial scores to fit as init_score instead."
            )
        return loss.unlink(np.clip(shares, _LEAST, 1 - _LEAST))
    predicted = np.asarray(model.predict(given), dtype=np.float64)
    return loss.unlink(predicted)
