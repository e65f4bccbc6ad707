"""From the parameters of gradient boosting to the engine's plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.base.scoring import a_scoring
from coterie.boosting.gradient.dart import Dart
from coterie.boosting.gradient.rows import Goss, RowDraw, SomeRows, all_rows
from coterie.core import (
    Allowed,
    ParameterError,
    a_list,
    a_random_state,
    at_least,
    between,
    fraction,
    has,
    instance_of,
    one_of,
)
from coterie.data import Schema, Target
from coterie.native import NewtonGrowth
from coterie.trees.growth import SHAPE, resolve_max_features, resolve_monotone

_TRUTH = one_of(True, False)
_POSITIVE = between(0.0, np.inf, closed="neither")
_SHARE = between(0.0, 1.0)
_SYMMETRIC_DEPTH = 6  # unless the user says otherwise

GRADIENT: dict[str, Allowed] = {
    "learning_rate": _POSITIVE,
    "max_iter": at_least(1),
    "max_leaf_nodes": SHAPE["max_leaf_nodes"],
    "max_depth": SHAPE["max_depth"],
    "min_samples_leaf": at_least(1),
    "l2_regularization": at_least(0.0),
    "max_features": SHAPE["max_features"],
    "max_bins": SHAPE["max_bins"],
    "categorical_features": SHAPE["categorical_features"],
    "monotonic_cst": a_list | instance_of(dict) | one_of(None),
    "interaction_cst": one_of("pairwise", "no_interactions", None) | instance_of(list, tuple),
    "warm_start": _TRUTH,
    "early_stopping": one_of("auto", True, False),
    "scoring": a_scoring("error", "loss"),
    "validation_fraction": fraction("neither") | at_least(1) | one_of(None),
    "n_iter_no_change": at_least(1),
    "tol": at_least(0.0),
    "verbose": at_least(0) | _TRUTH,
    "random_state": a_random_state,
    "min_child_weight": at_least(0.0),
    "l1_regularization": at_least(0.0),
    "min_split_gain": at_least(0.0),
    "max_delta_step": at_least(0.0),
    "growth": one_of("leaf", "level", "symmetric"),
    "boosting": one_of("plain", "goss", "dart"),
    "subsample": fraction(),
    "top_rate": _SHARE,
    "other_rate": between(0.0, 1.0, closed="right"),
    "drop_rate": _SHARE,
    "skip_drop": _SHARE,
    "normalise": one_of("tree", "forest"),
    "colsample_bytree": fraction(),
    "colsample_bylevel": fraction(),
    "init": one_of("zero", None)
    | between(-np.inf, np.inf, closed="neither")
    | a_list
    | has("fit", "predict", "get_params"),
    "high_cardinality": one_of("split", "ordered"),
    "importance_type": one_of("gain", "split"),
    "callbacks": instance_of(list, tuple) | one_of(None),
    "n_jobs": SHAPE["n_jobs"],
}

a_loss = has("value", "slopes", "link", "start")


def resolve_rows(params: Any) -> RowDraw:
    """Which rows a round sees."""
    if params.boosting == "goss":
        if params.subsample < 1.0:
            raise ParameterError(
                f"subsample={params.subsample} does not go with boosting='goss', which draws rows "
                "by itself: set top_rate and other_rate."
            )
        if params.top_rate + params.other_rate > 1.0:
            raise ParameterError(
                f"top_rate={params.top_rate} and other_rate={params.other_rate} are shares of all "
                "rows and must not add up to more than 1."
            )
        return Goss(params.top_rate, params.other_rate, begin=math.ceil(1 / params.learning_rate))
    return all_rows if params.subsample == 1.0 else SomeRows(params.subsample)


def resolve_dart(params: Any) -> Dart | None:
    """What drops trees, if anything does."""
    if params.boosting != "dart":
        return None
    return Dart(params.drop_rate, params.skip_drop, params.normalise)


def resolve_newton(
    params: Any, schema: Schema, target: Target, origin: NDArray[np.intp]
) -> tuple[NewtonGrowth, int | None]:
    """How a tree grows, and how many columns are drawn for it (None for all).

    Parameters
    ----------
    params : estimator
        The user's settings.
    schema : Schema
        The columns of ``X``.
    target : Target
        What is to be learnt.
    origin : int array
        For every column that trees see, the column of ``X`` it was made of.
    """
    n_rows, n_columns = target.n_rows, len(origin)
    per_tree = _share(params.colsample_bytree, n_columns)
    per_level = _share(params.colsample_bylevel, per_tree)
    per_node = per_features(params.max_features, per_level)
    symmetric = params.growth == "symmetric"
    depth = _SYMMETRIC_DEPTH if symmetric and params.max_depth is None else params.max_depth
    # No limit beyond the number of rows matters, and the engine counts in 64 bits.
    growth = NewtonGrowth(
        max_leaf_nodes=_at_most(params.max_leaf_nodes, n_rows + 1),
        max_depth=_at_most(depth, n_rows),
        level_wise=params.growth == "level",
        symmetric=symmetric,
        min_samples_leaf=min(int(params.min_samples_leaf), n_rows + 1),
        min_child_weight=float(params.min_child_weight),
        l1=float(params.l1_regularization),
        l2=float(params.l2_regularization),
        min_gain=float(params.min_split_gain),
        max_delta_step=float(params.max_delta_step),
        level_features=None if per_level == per_tree else per_level,
        max_features=None if per_node == per_level else per_node,
        monotone=_monotone(params.monotonic_cst, schema, target, origin),
        interactions=_interactions(params.interaction_cst, schema, origin),
    )
    return growth, None if per_tree == n_columns else per_tree


def check_vector(growth: NewtonGrowth) -> None:
    """Refuse what trees with vectors in their leaves cannot do."""
    refused = {
        "l1_regularization": growth.l1 > 0,
        "max_delta_step": growth.max_delta_step > 0,
        "growth": growth.level_wise or growth.symmetric,
        "colsample_bylevel": growth.level_features is not None,
    }
    for name, given in refused.items():
        if given:
            raise ParameterError(f"{name} does not go with multiclass='vector'; use 'per_class'.")


def per_features(value: float | str | None, n_columns: int) -> int:
    """Columns looked at per node; a share of them is rounded up, as in scikit-learn.

    Examples
    --------
    >>> per_features(0.3, 5), per_features(2, 5), per_features("sqrt", 5)
    (2, 2, 2)
    """
    if value is not None and not isinstance(value, str | Integral):
        return _share(value, n_columns)
    return resolve_max_features(value, n_columns)


def _share(share: float, number: int) -> int:
    return max(1, math.ceil(share * number))


def _at_most(limit: int | None, ceiling: int) -> int | None:
    return None if limit is None else min(int(limit), ceiling)


def _monotone(
    given: Any, schema: Schema, target: Target, origin: NDArray[np.intp]
) -> NDArray[np.int8] | None:
    n_columns = schema.n_columns
    if isinstance(given, Mapping):
        given = _by_name(given, schema, n_columns)
    directions = resolve_monotone(given, n_columns, target)
    if directions is None:
        return None
    for j in schema.labels:
        if directions[j]:
            raise ParameterError(
                f"monotonic_cst constrains {schema.column(j)}, which is categorical: categories "
                "have no order. Set its direction to 0."
            )
    return directions[origin]


def _by_name(given: Mapping[Any, int], schema: Schema, n_columns: int) -> NDArray[Any]:
    directions: NDArray[Any] = np.zeros(n_columns, dtype=np.int64)
    names = schema.names
    for name, direction in given.items():
        if names is None:
            raise ParameterError(
                "monotonic_cst is a dict of column names, but X has none. Give a list with one "
                "of -1, 0, 1 per column, or a data frame."
            )
        if name not in names:
            raise ParameterError(f"monotonic_cst contains unexpected feature names: {name!r}.")
        if direction not in (-1, 0, 1):
            raise ParameterError(
                f"monotonic_cst must be -1, 0 or 1 for each column; {name!r} has {direction!r}."
            )
        directions[names.index(name)] = direction
    return directions


def _interactions(given: Any, schema: Schema, origin: NDArray[np.intp]) -> NDArray[np.bool_] | None:
    """Groups of columns that may meet on a path, one row each."""
    if given is None:
        return None
    n_columns = schema.n_columns
    if isinstance(given, str):
        size = 2 if given == "pairwise" and n_columns > 1 else 1
        groups: list[Any] = list(combinations(range(n_columns), size))
    else:
        groups = [[_number(column, schema, n_columns) for column in group] for group in given]
        rest = set(range(n_columns)) - {column for group in groups for column in group}
        groups += [sorted(rest)] if rest else []
    allowed = np.zeros((len(groups), n_columns), dtype=bool)
    for row, group in zip(allowed, groups, strict=True):
        row[list(group)] = True
    return np.ascontiguousarray(allowed[:, origin])


def _number(column: Any, schema: Schema, n_columns: int) -> int:
    names = schema.names
    if isinstance(column, str) and names is not None and column in names:
        return names.index(column)
    if isinstance(column, int | np.integer) and 0 <= column < n_columns:
        return int(column)
    raise ParameterError(
        f"interaction_cst holds {column!r}; give groups of column names, or of numbers from 0 to "
        f"{n_columns - 1}."
    )
