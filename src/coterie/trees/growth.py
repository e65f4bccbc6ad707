"""From scikit-learn's words for the shape of a tree to the engine's plain numbers."""

from __future__ import annotations

import math
import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.base.class_weight import a_class_weight
from coterie.core import (
    Allowed,
    ParameterError,
    a_list,
    a_random_state,
    at_least,
    between,
    fraction,
    one_of,
)
from coterie.data import Table, Target
from coterie.native import Growth

CLASSIFICATION = {
    "gini": "gini",
    "entropy": "entropy",
    "log_loss": "entropy",
    "misclassification": "misclassification",
}
REGRESSION = {
    "squared_error": "squared_error",
    "friedman_mse": "friedman_mse",
    "absolute_error": "absolute_error",
    "poisson": "poisson",
}


an_n_jobs = Allowed(
    lambda v: v is None or (isinstance(v, Integral) and not isinstance(v, bool) and v != 0),
    "an integer other than 0 or None",
)

SHAPE: dict[str, Allowed] = {
    "max_depth": at_least(1) | one_of(None),
    "min_samples_split": at_least(2) | fraction(),
    "min_samples_leaf": at_least(1) | fraction("neither"),
    "min_weight_fraction_leaf": between(0.0, 0.5),
    "max_features": at_least(1) | fraction() | one_of("sqrt", "log2", "log2+1", "third", None),
    "max_leaf_nodes": at_least(2) | one_of(None),
    "min_impurity_decrease": at_least(0.0),
    "ccp_alpha": at_least(0.0),
    "monotonic_cst": a_list | one_of(None),
    "random_state": a_random_state,
    "max_bins": between(2, 65535),
    "categorical_features": one_of("from_dtype", None) | a_list,
    "n_jobs": an_n_jobs,
}
LABELS = {"criterion": one_of(*CLASSIFICATION), "class_weight": a_class_weight}
VALUES = {"criterion": one_of(*REGRESSION)}


def drop_friedman(estimator: Any) -> None:
    """Put "squared_error" in place of "friedman_mse", with a warning, as scikit-learn does."""
    if isinstance(estimator.criterion, str) and estimator.criterion == "friedman_mse":
        estimator.criterion = "squared_error"
        warnings.warn(
            'criterion="friedman_mse" is deprecated, because it chooses the same splits as '
            '"squared_error". Use that instead.',
            FutureWarning,
            stacklevel=4,  # where the estimator is made
        )


def resolve_growth(params: Any, table: Table, target: Target, *, random_thresholds: bool) -> Growth:
    """The engine's settings for an estimator's parameters on this table."""
    n_rows, n_columns = table.shape
    criteria = CLASSIFICATION if target.kind == "labels" else REGRESSION
    criterion = criteria[params.criterion]
    if criterion == "poisson":
        check_counts(target)
    # No limit beyond the number of rows matters, and the engine counts in 64 bits.
    leaf = min(resolve_count(params.min_samples_leaf, n_rows), n_rows + 1)
    split = max(2, min(resolve_count(params.min_samples_split, n_rows), n_rows + 1), 2 * leaf)
    columns = resolve_max_features(params.max_features, n_columns)
    return Growth(
        criterion=criterion,
        max_depth=_at_most(params.max_depth, n_rows),
        max_leaf_nodes=_at_most(params.max_leaf_nodes, n_rows + 1),
        min_samples_split=split,
        min_samples_leaf=leaf,
        min_impurity_decrease=float(params.min_impurity_decrease),
        max_features=None if columns == n_columns else columns,
        random_thresholds=random_thresholds,
        monotone=resolve_monotone(params.monotonic_cst, n_columns, target),
    )


def _at_most(limit: int | None, ceiling: int) -> int | None:
    return None if limit is None else min(int(limit), ceiling)


def resolve_count(value: float, n_rows: int) -> int:
    """A number of rows given as such, or as a fraction of all rows, rounded up.

    Examples
    --------
    >>> resolve_count(5, 150), resolve_count(0.05, 150)
    (5, 8)
    """
    return int(value) if isinstance(value, Integral) else math.ceil(value * n_rows)


def resolve_max_features(value: float | str | None, n_columns: int) -> int:
    """How many columns are looked at per node.

    Examples
    --------
    >>> [resolve_max_features(word, 30) for word in ("log2", "log2+1", "sqrt", "third", 0.5, None)]
    [4, 5, 5, 10, 15, 30]
    """
    if value is None:
        number = n_columns
    elif isinstance(value, str):
        number = {
            "sqrt": math.isqrt(n_columns),
            # bit_length - 1 is the floor of log2, without rounding trouble.
            "log2": n_columns.bit_length() - 1,
            "log2+1": n_columns.bit_length(),
            "third": n_columns // 3,
        }[value]
    elif isinstance(value, Integral):
        number = int(value)
    else:
        number = int(value * n_columns)
    return min(max(1, number), n_columns)


def resolve_monotone(
    directions: ArrayLike | None, n_columns: int, target: Target
) -> NDArray[np.int8] | None:
    """One of -1, 0, 1 per column, or None when nothing is constrained."""
    if directions is None:
        return None
    if target.n_outputs > 1:
        raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
    if target.kind == "labels" and len(target.classes[0]) > 2:
        raise ValueError(
            "Monotonicity constraints are not supported with multiclass classification"
        )
    given = np.asarray(directions)
    if given.shape != (n_columns,):
        shape = len(given) if given.ndim == 1 else given.shape
        raise ParameterError(
            f"monotonic_cst has shape {shape} but the input data X has {n_columns} features."
        )
    if not np.all(np.isin(given, (-1, 0, 1))):
        raise ParameterError(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(given)}"
        )
    return given.astype(np.int8) if given.any() else None


def check_counts(target: Target) -> None:
    """Refuse targets that the Poisson deviance cannot explain."""
    if np.any(target.values < 0):
        raise ValueError(
            "Some value(s) of y are negative which is not allowed for Poisson regression."
        )
    if target.values.sum() <= 0:
        raise ValueError(
            "Sum of y is not strictly positive which is necessary for Poisson regression."
        )
