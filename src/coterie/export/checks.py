"""What must hold of the objects of a file before anything uses them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from coterie.core import Pool
from coterie.core.stages import StagedPool
from coterie.export.errors import ModelFileError
from coterie.learners import class_places
from coterie.native import Forest, LinearLeaves
from coterie.native.forest import CATEGORICAL, NODE

__all__ = ["BUILDERS", "check", "check_numbers"]

_ROUNDING = 1e-9
# Far more than a target may be; sums of more would overflow.
_LARGEST = 1e150
_VOTES_ARE_SHARES = ("trees", "forests", "bagging", "imbalance", "semisupervised")
_CELLS = ("Bins", "Ground", "Neighbourhood", "Rules")
_SUMMED = (
    *("Blend", "ConvexStack", "Coordinates", "DecisionTemplates", "FeatureWeightedStack"),
    *("GateInputs", "Histogram", "Linear", "LinearStack", "NetworkMember", "Networks"),
    *("Origin", "Rotation", "RuleMean", "RuleModel", "Scale"),
)
_SUMMED_NAMES = ("gate_coef_", "variances_")
_SMEARED = ("OutputSmearingClassifier",)  # its trees learn smeared numbers
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
        raise ModelFileError(f"The file is damaged: {problem}.")


def build_forest(state: dict[str, Any]) -> Forest:
    """A forest, whose arrays are looked through before the engine sees them.

    Parameters
    ----------
    state : dict
        Its arrays and its number of columns.
    """
    parts = _FOREST | ({"medians": _FOREST["values"]} if "medians" in state else {})
    linear = state.get("linear")
    named = {*parts, "n_features"} | ({"linear"} if linear is not None else set())
    _require(set(state) == named, "a forest has missing or unknown parts")
    _require(linear is None or _are_linear(linear), "the linear leaves of a forest are invalid")
    for name, (dtype, ndim) in parts.items():
        array = state[name]
        _require(isinstance(array, np.ndarray), f"{name} of a forest is not an array")
        fits = array.dtype == dtype if dtype is not None else array.dtype.char in "fd"
        _require(fits and array.ndim == ndim, f"{name} of a forest has the wrong type or shape")
    n_features = state["n_features"]
    _require(type(n_features) is int and n_features > 0, "a forest has no columns")
    for name in ("values", "medians") if "medians" in state else ("values",):
        _require(_are_moderate(state[name]), f"{name} of a forest are too large or not finite")
        width = state["values"].shape[1]
        _require(state[name].shape[1] == width, f"{name} of a forest have the wrong width")
    _require((state["n_samples"] >= 0).all(), "n_samples of a forest contains negative numbers")
    for name in ("weight", "impurity"):
        _require(bool(np.isfinite(state[name]).all()), f"{name} of a forest is not finite")
    _require((state["weight"] >= 0).all(), "a forest has negative weights")
    try:
        return Forest(**state)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"The file is damaged: {error}") from error


def _are_linear(leaves: Any) -> bool:
    """Whether arrays of linear leaves are of the types they should be; `Forest` checks the rest."""
    if not isinstance(leaves, LinearLeaves):
        return False
    kinds = {"columns": "<i4", "slopes": "<f8", "centres": "<f8"}
    arrays = [(getattr(leaves, name), np.dtype(kind)) for name, kind in kinds.items()]
    return all(isinstance(array, np.ndarray) and array.dtype == kind for array, kind in arrays)


def check_pool(pool: Pool) -> None:
    """As many weights as members, and members that can vote."""
    members, width = pool.members, pool.width
    _require(type(width) is int and width >= 1, "the width of a pool is invalid")
    if not isinstance(members, Forest):
        _require(isinstance(members, tuple), "a pool has no members")
        able = all(callable(getattr(member, "predict", None)) for member in members)
        _require(able, "a member cannot predict")
    _require(len(members) % width == 0, "the number of trees does not match the number of members")
    _vector(pool.weights, len(members) // width, "the weights of a pool")
    _require(pool.cast is None or callable(pool.cast), "the votes of a pool cannot be computed")


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
        _require(isinstance(names, tuple) and len(names) == n_columns, "some columns have no name")
        _require(all(isinstance(name, str) for name in names), "a column name is not text")
    _require(isinstance(schema.labels, dict), "the categories of the columns are missing")
    for column, labels in schema.labels.items():
        _require(
            type(column) is int and 0 <= column < n_columns,
            "categories belong to a column that does not exist",
        )
        _require(
            isinstance(labels, np.ndarray) and labels.ndim == 1,
            "the categories of a column are not an array",
        )
    _require(isinstance(schema.moments, dict), "the date columns are not listed")
    for column, kind in schema.moments.items():
        _require(
            type(column) is int and 0 <= column < n_columns,
            "dates belong to a column that does not exist",
        )
        _require(isinstance(kind, str), "the type of a date column is not text")


def check_target(target: Any) -> None:
    """Encoded rows of as many outputs as there are classes, and codes of classes."""
    encoded, classes = target.encoded, target.classes
    _require(encoded.ndim == 2, "the encoded target is not a matrix")
    for labels in classes:
        _require(labels.ndim == 1 and len(labels) > 0, "the classes of the target are invalid")
    if target.kind == "labels":
        _require(encoded.dtype == np.int32, "the encoded target does not contain class codes")
        _require(
            len(classes) == encoded.shape[1], "the classes of the target do not match its outputs"
        )
        for column, labels in enumerate(classes):
            codes = encoded[:, column]
            inside = bool(((codes >= 0) & (codes < len(labels))).all())
            _require(inside, "the encoded target contains codes without a class")
    else:
        _require(encoded.dtype == np.float64, "the encoded target does not contain numbers")


def check_estimator(model: Any) -> None:
    """Fitted attributes that agree with each other."""
    fitted = vars(model)
    schema, pool = fitted.get("schema_"), fitted.get("pool_")
    if schema is None:
        was_fitted = any(name.endswith("_") for name in fitted)
        _require(not was_fitted, "a fitted model does not know its columns")
        return
    _check_sizes(fitted, schema.n_columns)
    family = type(model).__module__.split(".")[1]
    if pool is not None and "start_" not in fitted and family != "boosting":
        # Votes are averaged, and a mean is divided by the sum.
        _require(pool.weights.sum() != 0 or not len(pool), "the weights of a pool add up to zero")
    if pool is not None:
        _check_origin(fitted.get("origin_"), pool.members, schema.n_columns)
    if pool is not None and "hazards_" in fitted:
        n_curves = len(fitted["hazards_"].offsets) - 1
        _require(n_curves == len(pool.forest.values), "hazards_ do not match the leaves")
    if pool is None or family not in _VOTES_ARE_SHARES:
        return
    _require(bool((pool.weights >= 0).all()), "the weights of a vote are negative")
    if family in ("trees", "forests"):
        _require(isinstance(pool.members, Forest), "pool_ contains no trees")
    if family == "trees":
        _require(len(pool.members) == 1, "a single tree consists of several trees")
    if isinstance(pool.members, Forest):
        _check_trees_of(model, schema, pool)


def _check_sizes(fitted: dict[str, Any], n_columns: int) -> None:
    """As many columns and classes everywhere."""
    _require(fitted.get("n_outputs_", 1) >= 1, "a model has no outputs")
    if not getattr(
        fitted.get("preparation_"), "names", ()
    ):  # parts of dates are columns of their own
        said = fitted.get("n_features_in_", n_columns)
        _require(said == n_columns, "n_features_in_ does not match the number of columns")
        if "feature_importances_" in fitted:
            _vector(fitted["feature_importances_"], n_columns, "feature_importances_")
    if fitted.get("start_") is not None:
        _vector(fitted["start_"], np.size(fitted["start_"]), "start_")
    target, classes = fitted.get("target_"), fitted.get("classes_")
    # Of several outputs, some models have a class for each output instead.
    if target is not None and classes is not None and len(target.classes) == 1:
        same = np.shape(classes) == np.shape(target.classes[0])
        _require(same, "classes_ and target_ do not match")


def _check_trees_of(model: Any, schema: Any, pool: Pool) -> None:
    """Trees that walk the columns of a model, know their labels and vote for its classes."""
    forest = pool.forest
    fits = forest.n_features == schema.n_columns
    _require(fits, "the trees and schema_ have different numbers of columns")
    _check_categories(forest, schema.labels)
    target = vars(model).get("target_")
    if getattr(model, "task", None) != "classification":
        return
    if target is not None and pool.width == 1 and pool.cast is None:
        n_classes = sum(map(len, target.classes))
        _require(forest.values.shape[1] == n_classes, "the trees and classes_ do not match")
    if type(model).__name__ not in _SMEARED:
        _require(
            _are_shares(forest.values), "the leaf values of a classifier are not probabilities"
        )


def _check_origin(origin: Any, forest: Any, n_columns: int) -> None:
    """For each column that trees walk, the column of the table that it was made of."""
    if isinstance(origin, np.ndarray) and isinstance(forest, Forest):
        fits = origin.dtype.kind == "i" and origin.shape == (forest.n_features,)
        inside = fits and ((origin >= 0) & (origin < n_columns)).all()
        _require(bool(inside), "origin_ refers to columns that do not exist")


def _check_categories(forest: Forest, labels: Any) -> None:
    """Sets of categories that hold no code beyond the labels of their column."""
    nodes = forest.nodes
    split = np.flatnonzero((nodes["left"] >= 0) & (nodes["column"] & CATEGORICAL > 0))
    if not split.size:
        return
    counts = np.zeros(forest.n_features, dtype=np.int64)
    for column, known in labels.items():
        counts[column] = len(known)
    start = nodes["threshold"][split].astype(np.int64)
    start += forest.category_offsets[forest.tree_of_node()[split]]
    words = forest.categories[start].astype(np.int64)
    n_labels = counts[forest.features[split]]
    last = forest.categories[start + words]
    spare = (64 * words - n_labels).clip(0, 64)  # of the last word
    free = np.where(spare == 0, 0, last >> (64 - spare.clip(1, 63)).astype(np.uint64))
    inside = (words >= 1) & (spare < 64) & (free == 0)
    _require(bool(inside.all()), "trees use categories that their columns do not have")


def _are_shares(values: Any) -> bool:
    """Whether leaves hold probabilities, which sum to one for each output."""
    if not values.size:
        return True
    totals = values.sum(axis=1)
    inside = values.min() >= -_ROUNDING and values.max() <= 1 + _ROUNDING
    whole = np.abs(totals - np.round(totals[0])).max() <= 1e-6 and totals[0] > 0.5
    return bool(inside and whole)


def check_neighbours(member: Any) -> None:
    """Rows that are there, and an index over them."""
    points, rows = member.home.points, member.rows
    _require(
        isinstance(points, np.ndarray) and points.ndim == 2, "nearest neighbours have no points"
    )
    _require(
        np.isfinite(points).all() and points.dtype.kind == "f",
        "the points of nearest neighbours are not finite",
    )
    _vector(member.scales, points.shape[1], "the scales of nearest neighbours")
    codes, n_classes = member.home.codes, member.home.n_classes
    fits = codes.dtype.kind == "i" and codes.shape == (len(points),)
    _require(fits and n_classes > 0, "nearest neighbours have no classes")
    _require(
        codes.min(initial=0) >= 0 and n_classes > codes.max(initial=0),
        "nearest neighbours have codes without a class",
    )
    _require(n_classes <= max(2, len(points)), "there are more classes than nearest neighbours")
    known = len(points)
    if rows is not None:
        _require(
            isinstance(rows, np.ndarray) and rows.dtype.kind == "i",
            "the rows of nearest neighbours are not integers",
        )
        inside = ((rows >= 0) & (rows < len(points))).all()
        _require(bool(inside), "nearest neighbours refer to rows that do not exist")
        known = len(rows)
    _require(
        type(member.n_neighbors) is int and 0 < member.n_neighbors <= known,
        "n_neighbors does not match the number of rows",
    )
    member.__post_init__()


def check_hazards(hazards: Any) -> None:
    """Steps of one leaf after those of another."""
    offsets, steps = hazards.offsets, hazards.steps
    is_vector = offsets.dtype == np.int64 and offsets.ndim == 1 and len(offsets) > 0
    _require(is_vector, "the offsets of the leaves are not integers")
    for name in ("times", "steps"):
        _vector(getattr(hazards, name), int(offsets[-1]), f"the {name} of the leaves")
    _require(
        offsets[0] == 0 and (np.diff(offsets) >= 0).all(),
        "the offsets of the leaves are not increasing",
    )
    _require(bool((steps >= 0).all()), "hazards are negative")


def check_bags(bags: Any) -> None:
    """Seeds, and a way to draw rows that are there."""
    _require(
        bags.seeds.dtype.kind == "i" and bags.seeds.ndim == 1,
        "the seeds of the bags are not integers",
    )
    _require(
        bags.draw is None or callable(getattr(bags.draw, "counts", None)), "bags cannot draw rows"
    )
    _require(
        bags.choice is None or callable(getattr(bags.choice, "draw", None)),
        "bags cannot draw columns",
    )
    if bags.kept is not None:
        rows = bags.kept
        fits = rows.dtype.kind == "i" and rows.ndim == 1 and len(rows) <= bags.n_rows
        inside = fits and ((rows >= 0) & (rows < bags.n_rows)).all()
        _require(bool(inside), "bags refer to rows that do not exist")


def _vector(array: Any, length: int, name: str) -> None:
    """Refuse what is not so many numbers."""
    is_vector = isinstance(array, np.ndarray) and array.dtype.kind == "f"
    _require(is_vector and array.shape == (length,), f"{name} are not {length} numbers")
    _require(_are_moderate(array), f"{name} are too large or not finite")


def _are_moderate(array: Any) -> bool:
    """Whether all numbers are finite, and their sums are."""
    return bool((np.abs(array) <= _LARGEST).all())


def check_numbers(tag: str, state: dict[str, Any]) -> None:
    """Refuse numbers that would overflow as soon as anything is made of them.

    Parameters
    ----------
    tag : str
        What holds them; cells of tables may be as large as they like.
    state : dict
        Its attributes.

    Examples
    --------
    >>> check_numbers("Scale", {"mean": np.array([1e308])})
    Traceback (most recent call last):
    coterie.export.errors.ModelFileError: The file is damaged: mean of a Scale is too large...
    """
    if tag in _CELLS:
        return
    for name, array in state.items():
        if isinstance(array, np.ndarray) and array.dtype == np.float64:
            huge = ~(np.abs(array) <= _LARGEST)  # so NaN is huge too
            if tag not in _SUMMED and name not in _SUMMED_NAMES:
                huge &= np.isfinite(array)  # infinity may stand for none
            _require(not huge.any(), f"{name} of a {tag} is too large or not finite")


def check_labels(member: Any) -> None:
    """A member that says nothing but labels of its committee."""
    said, known = getattr(member.estimator, "classes_", None), member.known
    for classes in member.classes:
        _require(classes.ndim == 1 and len(classes) > 0, "a member has no classes")
    if known is not None:
        fits = not isinstance(said, np.ndarray) or said.shape == known.shape
        _require(fits, "the classes of a member do not match")
        said = known
    parts = said if isinstance(said, list) else [said]
    if len(parts) == len(member.classes):
        for classes, part in zip(member.classes, parts, strict=True):
            if isinstance(part, np.ndarray) and part.ndim == 1:
                class_places(classes, part)


def check_prior(model: Any) -> None:
    """Frequencies of classes, or a mean; nothing if it was not fitted."""
    if hasattr(model, "mean_"):
        _require(abs(model.mean_) <= _LARGEST, "mean_ is too large or not finite")
    if hasattr(model, "frequencies_"):
        _vector(model.frequencies_, len(model.classes_), "frequencies_")
        _require(_are_shares(model.frequencies_[None]), "frequencies_ are not probabilities")


def check_network(model: Any) -> None:
    """Weights that follow one upon the other; nothing if it was not fitted."""
    if not hasattr(model, "weights_"):
        return
    weights, shifts = model.weights_, model.shifts_
    fits = len(weights) == len(shifts) > 0 and all(
        weight.ndim == shift.ndim == 3 and shift.shape == (len(weight), 1, weight.shape[2])
        for weight, shift in zip(weights, shifts, strict=True)
    )
    for before, after in itertools.pairwise(weights) if fits else ():
        fits &= len(before) == len(after) and before.shape[2] == after.shape[1]
    _require(fits, "the layers of a network do not fit together")
    if hasattr(model, "classes_"):
        _require(weights[-1].shape[2] == len(model.classes_), "a network lacks classes")


#: Objects that are not made from their attributes alone, by tag.
BUILDERS: dict[str, Callable[[dict[str, Any]], Any]] = {"Forest": build_forest}
_CHECKS: dict[str, Callable[[Any], None]] = {
    "Bags": check_bags,
    "ForeignMember": check_labels,
    "LeafHazards": check_hazards,
    "Neighbours": check_neighbours,
    "NetworkClassifier": check_network,
    "NetworkRegressor": check_network,
    "Pool": check_pool,
    "PriorClassifier": check_prior,
    "PriorRegressor": check_prior,
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
