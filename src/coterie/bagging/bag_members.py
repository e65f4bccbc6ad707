"""The members of a bag, one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from coterie.base import LazyMembers
from coterie.native import Forest
from coterie.native.forest import CATEGORICAL, MISSING_LEFT
from coterie.trees.growth import resolve_max_features
from coterie.trees.single import SingleTree

# A mixin of committees: the checker is told so, and the order of bases stays free.
if TYPE_CHECKING:
    from coterie.base import Committee as Mixin
else:
    Mixin = object

# What a native member has in common with its ensemble.
_SHARED = ("target_", "classes_", "n_classes_", "n_outputs_")


class Members(LazyMembers[Any]):
    """Fitted estimators over the parts of a pool, native trees made when they are asked for.

    Member t predicts labels of the ensemble from the columns ``estimators_features_[t]``.
    """

    def _make(self, number: int) -> Any:
        member = self._owner.pool_.member(number)
        if isinstance(member, Forest):
            return self._tree(member, number)
        return getattr(member, "estimator", member)

    def _tree(self, forest: Forest, number: int) -> SingleTree:
        bag = self._owner
        tree = clone(bag._template(number))
        tree.random_state = bag.bags_.seed(number)
        self._share(tree, _SHARED)
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


class MembersShown(Mixin):
    """Shows the members of an ensemble as fitted estimators."""

    def _member(self) -> Any:
        """The estimator to fit."""
        raise NotImplementedError

    def _template(self, number: int) -> Any:
        """The unfitted estimator that a native member shows itself as."""
        return self._member()

    @property
    def estimators_(self) -> Members:
        """The fitted members, with native trees created on access."""
        return Members(self._settled())

    @property
    def estimator_(self) -> Any:
        """The unfitted estimator that members are clones of."""
        return self._member()


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
        for name in ("n_samples", "weight", "impurity", "values", "categories", "medians")
    }
    offsets = {
        name: getattr(forest, name) for name in ("node_offsets", "leaf_offsets", "category_offsets")
    }
    return Forest(nodes=nodes, **parts, **offsets, n_features=len(columns))
