"""A model answers for a few rows before it is handed out, as no check of its parts finds all."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from coterie.data.schema import Schema
from coterie.export.errors import ModelFileError
from coterie.export.foreign_trees import walk

__all__ = ["rehearse"]

_ROUNDING = 1e-6
_ROWS = 11  # one row would fit arrays of any length
# Two threads that put filters of warnings aside at once may leave them aside for good.
_ONE_AT_A_TIME = threading.Lock()


def rehearse(model: Any, foreign: Iterable[Any] = ()) -> None:
    """Refuse a fitted model that fails for a few plain rows, or says what cannot be.

    Models that need not know such rows are left alone: those that are not fitted, that read dates,
    or that hold encoders of others which refuse labels they have not seen.

    Parameters
    ----------
    model : estimator
        With all its members.
    foreign : iterable of estimators
        The members of other packages in it.

    Examples
    --------
    >>> import coterie
    >>> tree = coterie.DecisionTreeRegressor().fit([[0.0], [1.0]], [3.0, 4.0])
    >>> rehearse(tree)
    >>> tree.pool_ = None
    >>> rehearse(tree)
    Traceback (most recent call last):
    coterie.export.errors.ModelFileError: The file is damaged: the model fails to predict: ...
    """
    if isinstance(model, Pipeline):
        model = model.steps[-1][1] if model.steps else None
    schema = getattr(model, "__dict__", {}).get("schema_")
    if not isinstance(schema, Schema) or _reads_dates(model) or any(map(_is_particular, foreign)):
        return
    problem = ""
    try:
        rows = _rows(schema)
        with _ONE_AT_A_TIME, warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            problem = _odd_answers(model, rows)
    except ImportError:
        pass  # a package is missing, which is no fault of the file
    except Exception as error:
        raise ModelFileError(
            f"The file is damaged: the model fails to predict: {type(error).__name__}: {error}"
        ) from error
    if problem:
        raise ModelFileError(f"The file is damaged: {problem}.")


def _reads_dates(model: Any) -> bool:
    """Whether cells of the row would have to be dates."""
    return bool(getattr(getattr(model, "preparation_", None), "names", ()))


def _is_particular(estimator: Any) -> bool:
    """Whether an estimator of others may refuse a row for what its cells are."""
    for part in walk(estimator):
        if isinstance(part, OneHotEncoder) and part.handle_unknown == "error":
            return True
        if isinstance(part, ColumnTransformer) and hasattr(part, "feature_names_in_"):
            return True  # it wants a frame
    return False


def _rows(schema: Schema) -> NDArray[Any]:
    """Small integers, labels where columns have labels, and nothing where they have dates."""
    kind = object if schema.labels else np.float64
    rows = np.repeat(np.arange(float(_ROWS))[:, None], schema.n_columns, axis=1).astype(kind)
    for column, labels in schema.labels.items():
        rows[:, column] = [labels[k % len(labels)] if len(labels) else None for k in range(_ROWS)]
    rows[:, list(schema.moments)] = np.nan
    return rows


def _odd_answers(model: Any, rows: NDArray[Any]) -> str:
    """What of the answers for rows cannot be, or nothing."""
    if not hasattr(model, "predict") and hasattr(model, "transform"):
        shape = model.transform(rows).shape
        return "" if shape[0] == _ROWS else f"the model returns {shape[0]} rows for {_ROWS}"
    said = np.asarray(model.predict(rows))
    if said.shape[:1] != (_ROWS,):
        return f"the model returns predictions of shape {said.shape} for {_ROWS} rows"
    # Far from the rows of the fit, a number may grow out of bounds, but it is a number.
    if said.dtype.kind == "f" and np.isnan(said).any():
        return "the model predicts NaN"
    if hasattr(model, "predict_proba"):
        shares, classes = model.predict_proba(rows), model.classes_
        # A row may have several labels at once: chances of each, which need not add up.
        apart = not isinstance(shares, list) and said.ndim > 1
        if not isinstance(shares, list):
            shares, classes = [shares], [classes]
        for share, labels in zip(shares, classes, strict=True):
            if not _are_probabilities(np.asarray(share), len(labels), apart=apart):
                return "the probabilities of the model do not add up to one"
    return _odd_sets(model, rows)


def _odd_sets(model: Any, rows: NDArray[Any]) -> str:
    """What of prediction sets or intervals cannot be, or nothing."""
    if getattr(model, "by", None) is not None:
        return ""  # these rows need not be of a group that was calibrated
    for method in ("predict_set", "predict_interval"):
        if hasattr(model, method):
            said = np.asarray(getattr(model, method)(rows))
            if said.shape[:1] != (_ROWS,) or (said.dtype.kind == "f" and np.isnan(said).any()):
                return f"{method} does not return a value for each row"
    return ""


def _are_probabilities(share: NDArray[Any], n_classes: int, *, apart: bool) -> bool:
    if share.dtype.kind != "f" or share.shape != (_ROWS, n_classes):
        return False
    inside = bool(((share >= -_ROUNDING) & (share <= 1 + _ROUNDING)).all())
    return inside and (apart or bool((np.abs(share.sum(axis=1) - 1) <= _ROUNDING).all()))
