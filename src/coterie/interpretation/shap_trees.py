"""Trees in the form that the package `shap` takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core import Pool
from coterie.native import Forest
from coterie.trees import TreeView

__all__ = ["shap_trees"]


def shap_trees(model: Any) -> dict[str, Any]:
    """Convert a tree or an ensemble of trees for ``shap.TreeExplainer``.

    The explainer supports the classes of a few packages, and a dictionary of plain arrays for all
    others: ``shap.TreeExplainer(shap_trees(model))``. Scores are on the scale of `shap_values`,
    which gives the same values faster and also for splits by categories.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or booster of this package with native trees as members.

    Returns
    -------
    dict
        ``"trees"``, each with its children, columns, thresholds, values and weights of nodes, and
        ``"base_offset"``, the initial score of a booster.

    See Also
    --------
    shap_values : Exact Shapley values without the package.

    Examples
    --------
    >>> from coterie import DecisionTreeRegressor
    >>> both = DecisionTreeRegressor().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 80])
    >>> trees = shap_trees(both)["trees"]
    >>> trees[0]["values"].ravel()
    array([20.,  0., 40.,  0., 80.])
    """
    check_is_fitted(model)
    pool = getattr(model, "pool_", None)
    if not isinstance(pool, Pool) or not isinstance(pool.members, Forest):
        raise TypeError(
            "shap_trees needs a model whose members are all coterie trees, not "
            f"{type(model).__name__}. Use shap_values, or shap.PermutationExplainer."
        )
    if getattr(model, "ordered_", None) is not None:
        raise ValueError(
            "The trees of this model split on target statistics of text columns, not on the "
            "columns themselves. Use shap_values, which adds up their contributions."
        )
    start = getattr(model, "start_", None)
    pool.members.only_constants("Trees for shap")
    forest, weights = pool.spread(), np.repeat(pool.weights, pool.width)
    if start is None:  # votes are averaged
        weights = weights / pool.weights.sum()
    trees = [_tree(model, forest[t], weights[t]) for t in range(len(forest))]
    offset = np.zeros(forest.values.shape[1]) if start is None else np.asarray(start, float)
    if hasattr(model, "rule_") and start is not None:
        offset = model.rule_.settle(offset.reshape(1, -1))[0]
    single = len(offset) == 1
    return {
        "trees": trees,
        "base_offset": float(offset[0]) if single else offset,
        "tree_output": "raw_value",
        "objective": None,
        "input_dtype": np.float64,
        "internal_dtype": np.float64,
    }


def _tree(model: Any, tree: Forest, weight: float) -> dict[str, Any]:
    view = TreeView(Pool.of([tree]), (1,) * tree.values.shape[1])
    if view.is_categorical.any():
        raise ValueError(
            "shap.TreeExplainer cannot represent splits by sets of categories. Use shap_values, "
            "or encode the categories as numbers before the fit."
        )
    values = view.value[:, :, 0] * weight
    if hasattr(model, "rule_") and hasattr(model, "start_"):
        values = model.rule_.settle(values)  # linear, so parts of a score are settled one by one
    default = np.where(view.missing_go_to_left, view.children_left, view.children_right)
    inner = view.children_left >= 0
    return {
        "children_left": view.children_left.astype(np.int32),
        "children_right": view.children_right.astype(np.int32),
        "children_default": np.where(inner, default, -1).astype(np.int32),
        "features": view.feature.astype(np.int32),
        "thresholds": np.where(inner, view.threshold, -2.0),
        "values": values,
        "node_sample_weight": view.weighted_n_node_samples.astype(np.float64),
    }
