"""Rounds of the boosters of LightGBM and XGBoost.

Neither package is imported unless a model is its own: models are known by where they come from.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

Array = NDArray[np.float64]

_HOMES = ("lightgbm", "xgboost")


def home(model: Any) -> str:
    """The package that a booster belongs to; empty for all other models.

    >>> home([])
    ''
    """
    for kind in type(model).__mro__:
        root = kind.__module__.partition(".")[0]
        if root in _HOMES:
            return root
    return ""


def is_booster(model: Any) -> bool:
    """Whether a model is of LightGBM or XGBoost."""
    return bool(home(model))


def is_raw(model: Any) -> bool:
    """Whether it is a booster itself, without scikit-learn's interface."""
    return is_booster(model) and not hasattr(model, "get_params")


def n_rounds(model: Any) -> int:
    """Number of rounds that predictions are made of."""
    if home(model) == "lightgbm":
        booster = model if is_raw(model) else model.booster_
        return (
            int(booster.best_iteration)
            if booster.best_iteration > 0
            else int(booster.current_iteration())
        )
    if not is_raw(model):
        # Early stopping sets it, and asking for it otherwise is an error.
        best = getattr(model, "best_iteration", None)
        return int(model.get_booster().num_boosted_rounds()) if best is None else int(best) + 1
    return int(model.num_boosted_rounds())


def n_columns(model: Any) -> int:
    """Number of columns that a raw booster was fitted on."""
    return int(model.num_feature() if home(model) == "lightgbm" else model.num_features())


def outcome(model: Any, X: Any) -> tuple[NDArray[Any], NDArray[Any] | None, Array | None]:
    """Labels or numbers, classes and probabilities of a raw booster.

    Classes are 0, 1, 2 and so on, as raw boosters know no others.
    """
    if home(model) == "lightgbm":
        said = np.asarray(model.predict(X), dtype=np.float64)
        goal = _lightgbm_goal(model)
        if goal == "binary":
            said = np.column_stack((1.0 - said, said))
        elif not goal.startswith("multiclass"):
            return said, None, None
        return said.argmax(axis=1), np.arange(said.shape[1]), said
    data, goal = _matrix(X), _xgboost_goal(model)
    if not goal.startswith(("binary", "multi")):
        return np.asarray(model.predict(data), dtype=np.float64), None, None
    raw = np.asarray(model.predict(data, output_margin=True), dtype=np.float64)
    if goal.startswith("multi"):
        return raw.argmax(axis=1), np.arange(raw.shape[1]), softmax(raw, axis=1)
    chances = np.column_stack((expit(-raw), expit(raw)))
    known = chances if goal != "binary:hinge" else None
    return (raw > 0).astype(np.intp), np.arange(2), known


def staged_raw(model: Any, X: Any, sizes: NDArray[np.intp]) -> Array:
    """Raw scores after so many rounds, shape (sizes, rows, scores).

    Each round is asked once: scores of blocks of rounds are added up.
    """
    if is_raw(model) and home(model) == "xgboost":
        X = _matrix(X)
    starts = np.concatenate([[0], sizes[:-1]])
    blocks = [_block(model, X, int(a), int(b)) for a, b in zip(starts, sizes, strict=True)]
    if home(model) == "xgboost" and sizes[-1] > 1:
        # Every answer holds the score that boosting started from; two of them hold it twice.
        begin = _block(model, X, 0, 1) + _block(model, X, 1, 2) - _block(model, X, 0, 2)
        blocks = [blocks[0], *(block - begin for block in blocks[1:])]
    return np.cumsum(np.stack(blocks), axis=0)


def decided(raw: Array, vote: NDArray[Any], classes: NDArray[Any] | None) -> NDArray[Any] | None:
    """What raw scores say; None if it is not known how numbers are made of them."""
    if classes is None:
        numbers = raw[:, :, 0]
        for link in (np.asarray, np.exp):
            if np.allclose(link(numbers[-1]), vote, rtol=1e-4, atol=1e-4):
                return np.asarray(link(numbers))
        return None
    codes = raw.argmax(axis=2) if raw.shape[2] > 1 else (raw[:, :, 0] > 0).astype(np.intp)
    return np.asarray(classes[codes])


def staged_chances(raw: Array, chances: Array | None) -> Array | None:
    """Probabilities that raw scores say; None if those of the whole are made in another way."""
    if chances is None:
        return None
    if raw.shape[2] == 1:
        second = expit(raw[:, :, 0])
        found = np.stack((1.0 - second, second), axis=2)
    else:
        found = softmax(raw, axis=2)
    return found if np.allclose(found[-1], chances, atol=1e-4) else None


def _block(model: Any, X: Any, start: int, stop: int) -> Array:
    """Raw scores of the rounds from `start` to before `stop`, shape (rows, scores)."""
    if home(model) == "lightgbm":
        said = model.predict(X, raw_score=True, start_iteration=start, num_iteration=stop - start)
    else:
        said = model.predict(X, output_margin=True, iteration_range=(start, stop))
    return np.asarray(said, dtype=np.float64).reshape(len(said), -1)


def _lightgbm_goal(model: Any) -> str:
    """For example "binary" or "regression", which a booster writes into its file only."""
    for line in model.model_to_string(num_iteration=1).splitlines():
        if line.startswith("objective="):
            return str(line.removeprefix("objective=").split()[0])
    return ""


def _xgboost_goal(model: Any) -> str:
    return str(json.loads(model.save_config())["learner"]["objective"]["name"])


def _matrix(X: Any) -> Any:
    """Rows as XGBoost wants them."""
    import xgboost

    return X if isinstance(X, xgboost.DMatrix) else xgboost.DMatrix(X, enable_categorical=True)
