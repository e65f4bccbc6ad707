"""From the parameters of gradient boosting to the engine's plain numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from coterie.boosting.gradient.dart import Dart
from coterie.boosting.gradient.linear_leaves import LinearFit
from coterie.boosting.gradient.rates import read_rates
from coterie.boosting.gradient.rows import Goss, RowDraw, SomeRows, all_rows
from coterie.boosting.gradient.trees import Shares
from coterie.core import (
    Allowed,
    ParameterError,
    a_function,
    a_list,
    at_least,
    between,
    fraction,
    has,
    instance_of,
    one_of,
)
from coterie.data import Schema, Table, Target
from coterie.losses import PointwiseLoss
from coterie.native import NewtonGrowth
from coterie.trees.growth import SHAPE, resolve_max_features, resolve_monotone

TRUTH = one_of(True, False)
_SHARE = between(0.0, 1.0)
_SYMMETRIC_DEPTH = 6  # unless the user says otherwise
_SHOWN = 5  # of the names that are not known

FURTHER: dict[str, Allowed] = {
    "min_child_weight": at_least(0.0),
    "l1_regularization": at_least(0.0),
    "min_split_gain": at_least(0.0),
    "max_delta_step": at_least(0.0),
    "growth": one_of("leaf", "level", "symmetric"),
    "linear_leaves": TRUTH,
    "linear_l2": at_least(0.0),
    "boosting": one_of("plain", "goss", "dart"),
    "top_rate": _SHARE,
    "other_rate": between(0.0, 1.0, closed="right"),
    "drop_rate": _SHARE,
    "skip_drop": _SHARE,
    "normalise": one_of("tree", "forest"),
    "colsample_bytree": fraction(),
    "colsample_bylevel": fraction(),
    "high_cardinality": one_of("split", "ordered"),
    "missing": instance_of(int, float) | one_of(None),
    "importance_type": one_of("gain", "split"),
    "keep_best": TRUTH,
    "callbacks": instance_of(list, tuple) | one_of(None),
    "n_jobs": SHAPE["n_jobs"],
}

_NUMBERS = between(-np.inf, np.inf, closed="neither") | a_list
an_init = one_of("zero", None) | has("fit", "predict", "get_params") | _NUMBERS
# In scikit-learn's words, and what else there is.
a_class_init = Allowed(
    lambda v: (one_of("zero", None) | _NUMBERS).admits(v) or _can_start_classes(v),
    "a str among {'zero'}, None or an object implementing 'fit' and 'predict_proba'",
    _NUMBERS.wording,
)


def _can_start_classes(model: Any) -> bool:
    """Whether a model gives probabilities; of a regressor, its numbers are scores."""
    if isinstance(model, type) or not has("fit", "get_params").admits(model):
        return False
    method = "predict" if is_regressor(model) else "predict_proba"
    return hasattr(model, method)


a_loss = has("value", "slopes", "link", "start") | a_function


def resolve_rows(params: Any) -> RowDraw:
    """Which rows a round sees."""
    if params.boosting == "goss":
        if params.subsample < 1.0:
            raise ParameterError(
                f"subsample={params.subsample} cannot be combined with boosting='goss', which "
                "samples rows in its own way: set top_rate and other_rate instead."
            )
        if params.top_rate + params.other_rate > 1.0:
            raise ParameterError(
                f"top_rate={params.top_rate} and other_rate={params.other_rate} are shares of all "
                "rows and must not add up to more than 1."
            )
        first = read_rates(params.learning_rate, params.max_iter)(0)
        return Goss(params.top_rate, params.other_rate, begin=_warm_up(first))
    return all_rows if params.subsample == 1.0 else SomeRows(params.subsample)


def _warm_up(rate: float) -> int:
    """Rounds before gradients tell rows apart."""
    return math.ceil(1 / rate) if rate > 0 else 0


def resolve_dart(params: Any) -> Dart | None:
    """What drops trees, if anything does."""
    if params.boosting != "dart":
        return None
    return Dart(params.drop_rate, params.skip_drop, params.normalise)


def resolve_linear(
    params: Any, table: Table, loss: PointwiseLoss, vector: bool
) -> LinearFit | None:
    """What makes leaves linear, if anything does."""
    if not params.linear_leaves:
        return None
    refused = {
        "monotonic_cst": params.monotonic_cst is not None,
        "l1_regularization": params.l1_regularization > 0,
        "max_delta_step": params.max_delta_step > 0,
        f"loss={params.loss!r}, whose leaf values are not Newton steps": loss.adaptive,
        "one tree for all scores": vector,
        "a sparse or binned table": not isinstance(table.values, np.ndarray),
    }
    for name, given in refused.items():
        if given:
            raise ParameterError(f"linear_leaves=True cannot be combined with {name}.")
    return LinearFit(float(params.linear_l2), float(params.l2_regularization), loss.longest_step)


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
        in_middle=params.splits == "gradient",
        min_samples_split=min(int(params.min_samples_split), n_rows + 1),
        min_samples_leaf=min(int(params.min_samples_leaf), n_rows + 1),
        min_child_weight=float(params.min_child_weight),
        l1=float(params.l1_regularization),
        l2=float(params.l2_regularization),
        min_gain=float(params.min_split_gain),
        max_delta_step=float(params.max_delta_step),
        level_features=None if per_level == per_tree else per_level,
        max_features=None if per_node == per_level else per_node,
        monotone=_monotone(params, schema, target, origin),
        interactions=_interactions(params.interaction_cst, schema, origin),
    )
    return growth, None if per_tree == n_columns else per_tree


def resolve_shares(params: Any) -> Shares | None:
    """Limits of trees that are shares of the weight they grow on, if there are such."""
    shares = Shares(float(params.min_weight_fraction_leaf), float(params.min_impurity_decrease))
    return None if shares == Shares() else shares


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
            raise ParameterError(
                f"{name} cannot be combined with trees shared by all scores; set multiclass to "
                "'per_class' or multioutput to 'per_output'."
            )


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
    params: Any, schema: Schema, target: Target, origin: NDArray[np.intp]
) -> NDArray[np.int8] | None:
    given, owner = params.monotonic_cst, params.owner
    n_columns = schema.n_columns
    if isinstance(given, Mapping):
        given = _by_name(given, schema, owner)
    if given is not None and np.shape(given) != (n_columns,):
        raise ParameterError(
            f"monotonic_cst has shape {np.shape(given)} but the input data X has {n_columns} "
            "features."
        )
    if given is not None and not np.isin(given, (-1, 0, 1)).all():
        raise ParameterError(
            "monotonic_cst must be an array-like of -1, 0 or 1. Observed values: "
            f"{np.unique(given).tolist()}."
        )
    if given is not None and target.kind == "labels" and len(target.classes[0]) > 2:
        raise ParameterError(
            "monotonic constraints are not supported for multiclass classification; y has "
            f"{len(target.classes[0])} classes."
        )
    directions = resolve_monotone(given, n_columns, target)
    if directions is None:
        return None
    for j in schema.labels:
        if directions[j]:
            raise ParameterError(
                "Categorical features cannot have monotonic constraints, since categories have "
                f"no order. Set the constraint of {schema.column(j)} to 0."
            )
    return directions[origin]


def _by_name(given: Mapping[Any, int], schema: Schema, owner: str) -> NDArray[Any]:
    names = schema.names
    if names is None:
        raise ParameterError(
            f"{owner} was not fitted on data with feature names. Pass monotonic_cst as an integer "
            "array instead."
        )
    unknown = sorted(str(name) for name in given if name not in names)
    if unknown:
        shown = unknown if len(unknown) <= _SHOWN else [*unknown[:_SHOWN], "..."]
        raise ParameterError(
            f"monotonic_cst contains {len(unknown)} unexpected feature names: {shown}."
        )
    directions: NDArray[Any] = np.zeros(schema.n_columns, dtype=np.int64)
    for name, direction in given.items():
        if direction not in (-1, 0, 1):
            raise ParameterError(
                f"monotonic_cst[{name!r}] must be either -1, 0 or 1. Got {direction!r}."
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
        if not all(isinstance(group, Collection) and not isinstance(group, str) for group in given):
            raise ParameterError(
                "Interaction constraints must be a sequence of tuples or lists, such as "
                f"[(0, 1), (2,)]; got {given!r}."
            )
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
        "Interaction constraints must consist of integer indices in [0, n_features - 1] = [0, "
        f"{n_columns - 1}], specifying the position of features, or of their names; got {column!r}."
    )
