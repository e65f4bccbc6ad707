"""What must hold of the objects of a file before anything uses them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from coterie.core import Pool
from coterie.core.stages import StagedPool
from coterie.export.errors import ModelFileError
from coterie.native import Forest
from coterie.native.forest import NODE

__all__ = ["BUILDERS", "check"]

_ROUNDING = 1e-9
_FOREST = {
    "nodes": (NODE, 1),
    "n_samples": (np.dtype("<i4"), 1),
    "weight": (None, 1),
    "impurity": (None, 1),
    "values": (np.dtype("<f8"), 2),
    "node_offsets": (np.dtype("<i8"), 1),
    "leaf_offsets": (np.dtype("<i8"), 1),
    "category_offsets": (np.dtype("<i8"), 1),
    "categories": (np.dtype("<u8"), 1),
}


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ModelFileError(f"the file is damaged: {problem}")


def build_forest(state: dict[str, Any]) -> Forest:
    """A forest, whose arrays are looked through before the engine sees them.

    Parameters
    ----------
    state : dict
        Its arrays and its number of columns.
    """
    _require(set(state) == {*_FOREST, "n_features"}, "a forest has other parts than it should")
    for name, (dtype, ndim) in _FOREST.items():
        array = state[name]
        _require(isinstance(array, np.ndarray), f"{name} of a forest is no array")
        fits = array.dtype == dtype if dtype is not None else array.dtype.char in "fd"
        _require(fits and array.ndim == ndim, f"{name} of a forest is of another type or shape")
    n_features = state["n_features"]
    _require(type(n_features) is int and n_features > 0, "a forest walks no columns")
    _require(bool(np.isfinite(state["values"]).all()), "values of a forest are not finite")
    _require((state["n_samples"] >= 0).all(), "n_samples of a forest are negative")
    for name in ("weight", "impurity"):
        _require(bool(np.isfinite(state[name]).all()), f"{name} of a forest is not finite")
    _require((state["weight"] >= 0).all(), "weight of a forest is negative")
    try:
        return Forest(**state)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"the file is damaged: {error}") from error


def check_pool(pool: Pool) -> None:
    """As many weights as members, and members that can vote."""
    members, width = pool.members, pool.width
    _require(type(width) is int and width >= 1, "a pool has no width")
    if not isinstance(members, Forest):
        _require(isinstance(members, tuple), "a pool has no members")
        able = all(callable(getattr(member, "predict", None)) for member in members)
        _require(able, "a member cannot predict")
    _require(len(members) % width == 0, "trees do not add up to members")
    _vector(pool.weights, len(members) // width, "the weights of a pool")
    _require(pool.cast is None or callable(pool.cast), "a pool cannot cast its votes")


def check_staged(pool: StagedPool) -> None:
    """A pool with weights for every stage."""
    check_pool(pool)
    _vector(pool.stages, len(pool) * (len(pool) + 1) // 2, "the stages of a pool")


def check_schema(schema: Any) -> None:
    """Columns, names for all of them or none, and labels for some."""
    n_columns = schema.n_columns
    _require(type(n_columns) is int and n_columns > 0, "a schema has no columns")
    names = schema.names
    if names is not None:
        _require(isinstance(names, tuple) and len(names) == n_columns, "columns lack names")
        _require(all(isinstance(name, str) for name in names), "a name is no text")
    _require(isinstance(schema.labels, dict), "a schema has no labels")
    for column, labels in schema.labels.items():
        _require(type(column) is int and 0 <= column < n_columns, "labels of no column")
        _require(isinstance(labels, np.ndarray) and labels.ndim == 1, "labels are no array")


def check_target(target: Any) -> None:
    """Encoded rows of as many outputs as there are classes, and codes of classes."""
    encoded, classes = target.encoded, target.classes
    _require(encoded.ndim == 2, "encoded of a Target is no table")
    for labels in classes:
        _require(labels.ndim == 1 and len(labels) > 0, "classes of a Target are not labels")
    if target.kind == "labels":
        _require(encoded.dtype == np.int32, "encoded of a Target holds no codes")
        _require(len(classes) == encoded.shape[1], "classes of a Target do not fit its outputs")
        for column, labels in enumerate(classes):
            codes = encoded[:, column]
            inside = bool(((codes >= 0) & (codes < len(labels))).all())
            _require(inside, "encoded of a Target holds codes of no class")
    else:
        _require(encoded.dtype == np.float64, "encoded of a Target holds no numbers")


def check_estimator(model: Any) -> None:
    """Fitted attributes that agree with each other."""
    fitted = vars(model)
    schema, pool = fitted.get("schema_"), fitted.get("pool_")
    if schema is not None:
        said = fitted.get("n_features_in_", schema.n_columns)
        _require(said == schema.n_columns, "n_features_in_ is not the number of columns")
    family = type(model).__module__.split(".")[:2]
    if pool is None or family not in (["coterie", "trees"], ["coterie", "forests"]):
        return
    _require(isinstance(pool.members, Forest), "pool_ holds no trees")
    if schema is not None:
        fits = pool.members.n_features == schema.n_columns
        _require(fits, "trees walk other columns than those of schema_")
    if getattr(model, "task", None) == "classification":
        values = pool.members.values
        _require(_are_shares(values), "values of a forest of a classifier are no probabilities")


def _are_shares(values: Any) -> bool:
    """Whether leaves hold probabilities, which add up to one for each output."""
    if not values.size:
        return True
    totals = values.sum(axis=1)
    inside = values.min() >= -_ROUNDING and values.max() <= 1 + _ROUNDING
    whole = np.abs(totals - np.round(totals[0])).max() <= 1e-6 and totals[0] > 0.5
    return bool(inside and whole)


def check_neighbours(member: Any) -> None:
    """Rows that are there, and an index over them."""
    points, rows = member.home.points, member.rows
    _require(isinstance(points, np.ndarray) and points.ndim == 2, "neighbours without points")
    _require(np.isfinite(points).all() and points.dtype.kind == "f", "points that are nowhere")
    _vector(member.scales, points.shape[1], "the scales of neighbours")
    known = len(points)
    if rows is not None:
        _require(isinstance(rows, np.ndarray) and rows.dtype.kind == "i", "rows are no numbers")
        inside = ((rows >= 0) & (rows < len(points))).all()
        _require(bool(inside), "rows that are not there")
        known = len(rows)
    _require(type(member.n_neighbors) is int and 0 < member.n_neighbors <= known, "too few rows")
    member.__post_init__()


def _vector(array: Any, length: int, name: str) -> None:
    """Refuse what is not so many numbers."""
    is_vector = isinstance(array, np.ndarray) and array.dtype.kind == "f"
    _require(is_vector and array.shape == (length,), f"{name} are not {length} numbers")
    _require(bool(np.isfinite(array).all()), f"{name} are not finite")


#: Objects that are not made from their attributes alone, by tag.
BUILDERS: dict[str, Callable[[dict[str, Any]], Any]] = {"Forest": build_forest}
_CHECKS: dict[str, Callable[[Any], None]] = {
    "Neighbours": check_neighbours,
    "Pool": check_pool,
    "Schema": check_schema,
    "StagedPool": check_staged,
    "Target": check_target,
}


def check(tag: str, built: Any) -> None:
    """Refuse an object that was not made by a fit.

    Parameters
    ----------
    tag : str
        What it is.
    built : object
        The object with all its attributes.
    """
    if tag in _CHECKS:
        _CHECKS[tag](built)
    elif isinstance(built, BaseEstimator):
        check_estimator(built)
