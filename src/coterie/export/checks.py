"""What must hold of the objects of a file before anything uses them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from coterie.core import Pool
from coterie.core.stages import StagedPool
from coterie.export.errors import ModelFileError
from coterie.native import Forest
from coterie.native.forest import NODE

__all__ = ["BUILDERS", "check"]

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
    _require(not np.isnan(state["values"]).any(), "a leaf holds no number")
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
    _require(not np.isnan(array).any(), f"{name} are no numbers")


#: Objects that are not made from their attributes alone, by tag.
BUILDERS: dict[str, Callable[[dict[str, Any]], Any]] = {"Forest": build_forest}
_CHECKS: dict[str, Callable[[Any], None]] = {
    "Neighbours": check_neighbours,
    "Pool": check_pool,
    "Schema": check_schema,
    "StagedPool": check_staged,
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
