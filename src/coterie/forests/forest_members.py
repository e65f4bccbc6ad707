"""The trees of a forest, one by one."""

from __future__ import annotations

from typing import Any

from coterie.base import LazyMembers
from coterie.trees.growth import resolve_max_features
from coterie.trees.single import SingleTree

# What a tree has in common with its forest.
_SHARED = (
    "schema_",
    "target_",
    "n_features_in_",
    "feature_names_in_",
    "classes_",
    "n_classes_",
    "n_outputs_",
)


class Trees(LazyMembers[SingleTree]):
    """Fitted single trees over the parts of a forest's pool, made when they are asked for.

    A tree predicts the forest's own labels. ``clone(tree)`` fitted on the rows of
    ``estimators_samples_`` grows the same tree.
    """

    def _make(self, number: int) -> SingleTree:
        forest = self._owner
        tree = template(forest)
        tree.random_state = forest.bags_.seed(number)
        self._share(tree, _SHARED)
        tree.max_features_ = resolve_max_features(forest.max_features, forest.n_features_in_)
        tree.pool_ = forest.pool_[number : number + 1]
        return tree


def template(forest: Any) -> SingleTree:
    """An unfitted tree with the forest's parameters."""
    tree = forest.member_class()
    names = tree.get_params(deep=False).keys() & forest.get_params(deep=False).keys()
    # Class weights are the forest's business: its trees get them as sample weights.
    tree.set_params(**{n: getattr(forest, n) for n in names - {"class_weight", "n_jobs"}})
    return tree
