"""Foreign types that are loaded without being named, and what must hold of each.

The list is short on purpose: scikit-learn's compiled code follows whatever its arrays say, so a
type is on it only if every array that compiled code reads is compared with the estimator that
holds it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from coterie.export.errors import ModelFileError

__all__ = ["TRUSTED", "check_estimator"]

_MULTIPLIED = ("coef", "intercept", "dual_coef", "support_vectors", "fit_X", "y")
_LINEAR = "coef_: rows? features; intercept_: rows?"
#: The sizes that arrays must have; a word is the same size throughout an estimator, and "features"
#: the number of its columns. A size with a question mark may be absent.
_SHAPES = {
    "linear_model._logistic.LogisticRegression": "coef_: rows features; intercept_: rows; "
    "classes_: classes",
    "linear_model._base.LinearRegression": _LINEAR,
    "linear_model._ridge.Ridge": _LINEAR,
    "linear_model._ridge.RidgeCV": _LINEAR,
    "linear_model._coordinate_descent.Lasso": _LINEAR,
    "linear_model._coordinate_descent.ElasticNet": _LINEAR,
    "naive_bayes.GaussianNB": "theta_: classes features; var_: classes features; "
    "class_prior_: classes; classes_: classes",
    "preprocessing._data.StandardScaler": "mean_: features; scale_: features; var_: features",
    "preprocessing._data.MinMaxScaler": "scale_: features; min_: features; data_min_: features; "
    "data_max_: features; data_range_: features",
    "preprocessing._data.QuantileTransformer": "quantiles_: quantiles features; "
    "references_: quantiles",
    "impute._base.SimpleImputer": "statistics_: features",
    "tree._classes.DecisionTreeClassifier": "",
    "tree._classes.DecisionTreeRegressor": "",
    "tree._classes.ExtraTreeClassifier": "",
    "tree._classes.ExtraTreeRegressor": "",
    "ensemble._forest.RandomForestClassifier": "",
    "ensemble._forest.RandomForestRegressor": "",
    "ensemble._forest.ExtraTreesClassifier": "",
    "ensemble._forest.ExtraTreesRegressor": "",
    "neighbors._classification.KNeighborsClassifier": "_fit_X: rows features; _y: rows outputs?; "
    "classes_: classes",
    "neighbors._regression.KNeighborsRegressor": "_fit_X: rows features; _y: rows outputs?",
    "neural_network._multilayer_perceptron.MLPClassifier": "",
    "neural_network._multilayer_perceptron.MLPRegressor": "",
    "svm._classes.SVC": "support_vectors_: vectors features; support_: vectors; "
    "_n_support: classes; classes_: classes; _dual_coef_: others vectors; "
    "dual_coef_: others vectors; _intercept_: pairs; intercept_: pairs",
    "svm._classes.SVR": "support_vectors_: vectors features; support_: vectors; _n_support: two; "
    "_dual_coef_: one vectors; dual_coef_: one vectors; _intercept_: one; intercept_: one",
    "preprocessing._encoders.OneHotEncoder": "_n_features_outs: features",
    "calibration.CalibratedClassifierCV": "classes_: classes",
    "calibration._CalibratedClassifier": "classes: classes",
    "dummy.DummyClassifier": "",
    "dummy.DummyRegressor": "",
    "compose._column_transformer.ColumnTransformer": "",
    "compose._target.TransformedTargetRegressor": "",
    "impute._base.MissingIndicator": "",
    "multioutput.MultiOutputClassifier": "",
    "pipeline.Pipeline": "",
}
_PARTS = {
    "calibration._SigmoidCalibration",
    "metrics._dist_metrics.EuclideanDistance64",
    "metrics._dist_metrics.ManhattanDistance64",
    "neighbors._ball_tree.BallTree",
    "neighbors._kd_tree.KDTree",
    "neural_network._stochastic_optimizers.AdamOptimizer",
    "neural_network._stochastic_optimizers.SGDOptimizer",
    "preprocessing._label.LabelBinarizer",
    "tree._tree.Tree",
    "utils._bunch.Bunch",
    *(
        f"model_selection._split.{name}"
        for name in (
            "GroupKFold",
            "GroupShuffleSplit",
            "KFold",
            "LeaveOneOut",
            "RepeatedKFold",
            "RepeatedStratifiedKFold",
            "ShuffleSplit",
            "StratifiedGroupKFold",
            "StratifiedKFold",
            "StratifiedShuffleSplit",
            "TimeSeriesSplit",
        )
    ),
}
#: Full names of the foreign types that need no trust.
TRUSTED = frozenset({f"sklearn.{name}" for name in (*_SHAPES, *_PARTS)} | {"numpy.dtype"})


def check_estimator(estimator: Any) -> None:
    """Refuse an estimator of scikit-learn whose arrays do not fit together.

    Parameters
    ----------
    estimator : estimator
        Of any class; those that are not known are left alone.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> check_estimator(Ridge().fit([[0.0], [1.0]], [0.0, 1.0]))
    """
    cls = type(estimator)
    name = f"{cls.__module__}.{cls.__qualname__}".removeprefix("sklearn.")
    if name not in _SHAPES:
        return
    known: dict[str, int] = {"one": 1, "two": 2}
    state = vars(estimator)
    if "n_features_in_" in state:
        n_features = state["n_features_in_"]
        _require(type(n_features) is int and n_features > 0, estimator, "n_features_in_")
        known["features"] = n_features
    for part in filter(None, _SHAPES[name].split("; ")):
        attribute, sizes = part.split(": ")
        if state.get(attribute) is not None:
            _check_sizes(estimator, attribute, sizes.split(), known)
    for kind, check in _CHECKS.items():
        if kind in name and known.get("features"):
            check(estimator, known)


def _require(holds: Any, estimator: Any, attribute: str) -> None:
    if not holds:
        raise ModelFileError(
            f"A scikit-learn {type(estimator).__name__} in the file is damaged: {attribute} does "
            "not "
            "match the other attributes."
        )


def _check_sizes(estimator: Any, attribute: str, sizes: list[str], known: dict[str, int]) -> None:
    """Refuse an array whose shape contradicts another array of the estimator."""
    array = vars(estimator)[attribute]
    is_array = isinstance(array, np.ndarray | float | int | np.generic | list)
    _require(is_array, estimator, attribute)
    shape = np.shape(array)
    if len(shape) < len(sizes):
        sizes = [size for size in sizes if not size.endswith("?")]
    _require(len(shape) == len(sizes), estimator, attribute)
    for length, size in zip(shape, sizes, strict=True):
        _require(known.setdefault(size.rstrip("?"), length) == length, estimator, attribute)
    numbers = np.asarray(array)
    if attribute not in ("classes_", "classes", "statistics_"):
        _require(numbers.dtype.kind in "iuf", estimator, attribute)
        # Quantiles, counts and the like may lack values; what is multiplied may not.
        if attribute.strip("_") in _MULTIPLIED:
            _require(np.isfinite(numbers).all(), estimator, attribute)


def _check_tree(estimator: Any, known: dict[str, int]) -> None:
    """Trees as wide as the estimator, and with as many classes and outputs."""
    tree = estimator.tree_
    _require(tree.n_features == known["features"], estimator, "tree_")
    _require(tree.n_outputs == estimator.n_outputs_, estimator, "n_outputs_")
    if hasattr(estimator, "classes_"):
        classes = estimator.classes_ if estimator.n_outputs_ > 1 else [estimator.classes_]
        lengths = [len(labels) for labels in classes]
        _require(np.array_equal(tree.n_classes, lengths), estimator, "classes_")
    _require(np.isfinite(tree.value).all(), estimator, "tree_")


def _check_members(estimator: Any, known: dict[str, int]) -> None:
    """Trees that ask for the columns of the forest, with its classes."""
    members = estimator.estimators_
    _require(isinstance(members, list) and members, estimator, "estimators_")
    for member in members:
        _require(type(member).__module__ == "sklearn.tree._classes", estimator, "estimators_")
        _require(member.n_features_in_ == known["features"], estimator, "estimators_")
        _require(member.n_outputs_ == estimator.n_outputs_, estimator, "estimators_")
        same = np.array_equal(getattr(member, "n_classes_", 0), getattr(estimator, "n_classes_", 0))
        _require(same, estimator, "n_classes_")


def _check_neighbors(estimator: Any, known: dict[str, int]) -> None:
    """Answers for all rows, which are those that the search goes through."""
    n_rows, codes = known["rows"], np.asarray(vars(estimator).get("_y"))
    _require(estimator.n_samples_fit_ == n_rows, estimator, "n_samples_fit_")
    wanted = estimator.n_neighbors
    _require(type(wanted) is int and 0 < wanted <= n_rows, estimator, "n_neighbors")
    _require(estimator._fit_X.dtype.kind == "f", estimator, "_fit_X")
    if hasattr(estimator, "classes_"):
        _require(codes.dtype.kind == "i" and codes.ndim == 1, estimator, "_y")
        inside = bool(((codes >= 0) & (codes < known["classes"])).all())
        _require(inside, estimator, "_y")
    if estimator._tree is not None:
        points = np.asarray(estimator._tree.get_arrays()[0])
        _require(points.shape == (n_rows, known["features"]), estimator, "_tree")


def _check_vectors(estimator: Any, known: dict[str, int]) -> None:
    """What libsvm reads: as many coefficients and counts as its loops go through."""
    state = vars(estimator)
    needed = ("support_vectors_", "support_", "_n_support", "_dual_coef_", "_intercept_")
    for name in (*needed, "_probA", "_probB"):
        _require(isinstance(state.get(name), np.ndarray), estimator, name)
    _require(state.get("_sparse") is False, estimator, "_sparse")
    _require(estimator.kernel in ("linear", "poly", "rbf", "sigmoid"), estimator, "kernel")
    _require("_impl" not in state, estimator, "_impl")
    counts, support = state["_n_support"], state["support_"]
    _require(counts.dtype == np.int32 and (counts >= 0).all(), estimator, "_n_support")
    _require(support.dtype == np.int32 and (support >= 0).all(), estimator, "support_")
    pairs = 1
    if "classes" in known:
        classes = known["classes"]
        pairs = classes * (classes - 1) // 2
        _require(int(counts.sum()) == known["vectors"], estimator, "_n_support")
        _require(classes > 1 and known["others"] == classes - 1, estimator, "_dual_coef_")
        _require(known["pairs"] == pairs, estimator, "_intercept_")
    else:
        _require(int(counts[0]) == known["vectors"], estimator, "_n_support")
    for name in ("_probA", "_probB"):
        _require(state[name].shape in ((0,), (pairs,)), estimator, name)
    shape = state.get("shape_fit_")
    _require(isinstance(shape, tuple) and len(shape) == 2, estimator, "shape_fit_")
    _require(shape[1] == known["features"], estimator, "shape_fit_")


def _check_layers(estimator: Any, known: dict[str, int]) -> None:
    """Layers each of which is as wide as the one before it is tall."""
    width = known["features"]
    layers, biases = estimator.coefs_, estimator.intercepts_
    _require(isinstance(layers, list) and isinstance(biases, list), estimator, "coefs_")
    _require(len(layers) == len(biases) == estimator.n_layers_ - 1, estimator, "n_layers_")
    for layer, bias in zip(layers, biases, strict=True):
        fits = isinstance(layer, np.ndarray) and layer.ndim == 2 and layer.shape[0] == width
        _require(fits and layer.dtype.kind == "f" and np.isfinite(layer).all(), estimator, "coefs_")
        width = layer.shape[1]
        fits = isinstance(bias, np.ndarray) and bias.shape == (width,)
        _require(fits and np.isfinite(bias).all(), estimator, "intercepts_")
    _require(width == estimator.n_outputs_, estimator, "n_outputs_")


def _check_encoder(estimator: Any, known: dict[str, int]) -> None:
    """Room for every code: the columns are filled by code that asks no questions."""
    state = vars(estimator)
    labels = state.get("categories_")
    _require(
        isinstance(labels, list) and len(labels) == known["features"], estimator, "categories_"
    )
    grouped = state.get("_default_to_infrequent_mappings") or [None] * len(labels)
    dropped = state.get("_drop_idx_after_grouping")
    dropped = [None] * len(labels) if dropped is None else dropped
    _require(len(grouped) == len(dropped) == len(labels), estimator, "_drop_idx_after_grouping")
    for column, room in enumerate(state["_n_features_outs"]):
        _require(isinstance(labels[column], np.ndarray), estimator, "categories_")
        codes = len(labels[column])
        if grouped[column] is not None:
            groups = np.asarray(grouped[column])
            fits = groups.dtype.kind == "i" and groups.shape == (codes,) and (groups >= 0).all()
            _require(fits, estimator, "_default_to_infrequent_mappings")
            codes = int(groups.max(initial=-1)) + 1
        _require(room == codes - (dropped[column] is not None), estimator, "_n_features_outs")


_CHECKS: dict[str, Callable[[Any, dict[str, int]], None]] = {
    "tree._classes.": _check_tree,
    "ensemble._forest.": _check_members,
    "neighbors._": _check_neighbors,
    "neural_network._multilayer": _check_layers,
    "svm._classes.": _check_vectors,
    "_encoders.OneHotEncoder": _check_encoder,
}
