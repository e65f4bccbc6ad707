"""The trees of a gradient-boosted model, one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.base import LazyMembers
from coterie.boosting.gradient.tree_frame import split_gains
from coterie.core import Pool
from coterie.data import Schema, Target
from coterie.native import Forest
from coterie.trees import DecisionTreeRegressor

# Parameters that trees take over, where the booster has them.
_LIMITS = (
    *("max_depth", "max_leaf_nodes", "min_samples_split", "min_samples_leaf", "max_features"),
    *("min_weight_fraction_leaf", "min_impurity_decrease", "ccp_alpha"),
)


class GradientTrees(LazyMembers[Any]):
    """Fitted trees over the parts of a pool, made when they are asked for.

    A round with one tree per class gives a list of them. Their predictions are votes before the
    learning rate, see ``pool_.weights``.
    """

    def __repr__(self) -> str:
        return f"<trees of {len(self)} rounds>"

    def importances(self, kind: str) -> NDArray[np.float64]:
        """Shares of the columns of ``X`` in the gains (``"gain"``) or splits (``"split"``)."""
        forest, origin = self._owner.pool_.forest, self._owner.origin_
        n_columns = self._owner.n_features_in_
        if kind == "split":
            used = forest.features[forest.nodes["left"] >= 0]
            each = np.bincount(used, minlength=forest.n_features).astype(np.float64)
        else:
            # Forests count gains per unit of weight; later trees, with less to gain, count less.
            root = forest.weight[forest.node_offsets[:-1]].astype(np.float64)
            each = root @ forest.importances()
        total = np.bincount(origin, weights=each, minlength=n_columns)
        return total / (total.sum() or 1.0)

    def measure(self, kind: str) -> NDArray[np.float64]:
        """What the splits on each column of ``X`` amount to, see `GradientBooster.importances`."""
        forest, n_columns = self._owner.pool_.forest, self._owner.n_features_in_
        inner = forest.nodes["left"] >= 0
        column = self._owner.origin_[forest.features[inner]]
        splits = np.bincount(column, minlength=n_columns).astype(np.float64)
        if kind == "split":
            return splits
        each = forest.weight if kind.endswith("cover") else split_gains(forest)
        total = np.bincount(column, weights=each[inner], minlength=n_columns).astype(np.float64)
        return total if kind.startswith("total") else total / np.maximum(splits, 1.0)

    def _make(self, number: int) -> Any:
        member = self._owner.pool_.member(number)
        trees = [self._tree(member[k : k + 1]) for k in range(len(member))]
        return trees[0] if len(trees) == 1 else trees

    def _tree(self, forest: Forest) -> DecisionTreeRegressor:
        booster = self._owner
        limits = {name: getattr(booster, name) for name in _LIMITS if hasattr(booster, name)}
        tree = DecisionTreeRegressor(**limits)
        same = forest.n_features == booster.n_features_in_ and booster.ordered_ is None
        # Trees that see statistics in place of categories take them as plain numbers.
        tree.schema_ = booster.schema_ if same else Schema(forest.n_features)
        tree.n_features_in_ = forest.n_features
        if same and hasattr(booster, "feature_names_in_"):
            tree.feature_names_in_ = booster.feature_names_in_
        tree.n_outputs_ = forest.values.shape[1]
        tree.target_ = Target("values", np.empty((0, tree.n_outputs_)))
        tree.max_features_ = forest.n_features
        tree.pool_ = Pool.of([forest])
        return tree
