"""The members of a bag, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from coterie.native import Forest
from coterie.native.forest import CATEGORICAL, MISSING_LEFT
from coterie.trees.growth import resolve_max_features
from coterie.trees.single import SingleTree

# What a native member has in common with its ensemble.
_SHARED = ("target_", "classes_", "n_classes_", "n_outputs_")


class Members(Sequence[Any]):
    """Fitted estimators over the parts of a pool, native trees made when they are asked for.

    Member t predicts labels of the ensemble from the columns ``estimators_features_[t]``.
    """

    def __init__(self, bag: Any) -> None:
        self._bag = bag

    def __len__(self) -> int:
        return len(self._bag.pool_)

    def __getitem__(self, index: Any) -> Any:
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [self._make(number) for number in numbers]
        return self._make(numbers)

    def __repr__(self) -> str:
        return f"<{len(self)} fitted {type(self._bag.estimator_).__name__}>"

    def _make(self, number: int) -> Any:
        member = self._bag.pool_.member(number)
        if isinstance(member, Forest):
            return self._tree(member, number)
        return getattr(member, "estimator", member)

    def _tree(self, forest: Forest, number: int) -> SingleTree:
        bag = self._bag
        tree = clone(bag._template(number))
        tree.random_state = bag.bags_.seed(number)
        for name in _SHARED:
            if hasattr(bag, name):
                setattr(tree, name, getattr(bag, name))
        columns, schema = bag.bags_.columns(number), bag.schema_
        if columns is not None:
            forest, schema = narrow(forest, columns), schema.select(columns)
        tree.schema_, tree.n_features_in_ = schema, schema.n_columns
        if schema.names is not None:
            tree.feature_names_in_ = np.array(schema.names, dtype=object)
        tree.max_features_ = resolve_max_features(tree.max_features, schema.n_columns)
        tree.pool_ = replace(bag.pool_[number : number + 1], members=forest, cast=None)
        tree.pool_ = replace(tree.pool_, weights=np.ones(1))
        return tree


def narrow(forest: Forest, columns: NDArray[np.intp]) -> Forest:
    """A tree over some columns of a table as a tree over a table of these columns."""
    flags = CATEGORICAL | MISSING_LEFT
    nodes = forest.nodes.copy()
    inner = nodes["left"] >= 0
    # Of a column that is there twice the first one is asked.
    place = np.searchsorted(columns, forest.features)
    nodes["column"] = np.where(inner, place.astype(np.uint32) | (nodes["column"] & flags), 0)
    parts = {
        name: getattr(forest, name)
        for name in ("n_samples", "weight", "impurity", "values", "categories")
    }
    offsets = {
        name: getattr(forest, name) for name in ("node_offsets", "leaf_offsets", "category_offsets")
    }
    return Forest(nodes=nodes, **parts, **offsets, n_features=len(columns))
