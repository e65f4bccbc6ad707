"""The members of a booster, one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from coterie.base import LazyMembers
from coterie.core import member_seeds
from coterie.data import Target
from coterie.native import Forest

# What a native member has in common with its booster.
_SHARED = ("schema_", "n_features_in_", "feature_names_in_", "target_", "classes_", "n_classes_")


class Members(LazyMembers[Any]):
    """Fitted estimators over the parts of a booster's pool, made when they are asked for.

    A round that fits one member per class gives a list of them.
    """

    def _make(self, number: int) -> Any:
        member = self._owner.pool_.member(number)
        if not isinstance(member, Forest):
            parts = getattr(member, "members", (member,))
            fitted = [getattr(part, "estimator", part) for part in parts]
        else:
            fitted = [self._tree(member[k : k + 1], len(member)) for k in range(len(member))]
            self._seed(fitted, number)
        return fitted[0] if len(fitted) == 1 else fitted

    def _seed(self, trees: list[Any], number: int) -> None:
        """Show each tree with a seed of its own, as in scikit-learn."""
        entropy = getattr(self._owner, "entropy_", None)
        if entropy is None:
            return
        (seed,) = member_seeds(entropy, number, number + 1).tolist()
        for k, tree in enumerate(trees):
            tree.random_state = (seed + k) % 2**32

    def _tree(self, forest: Forest, width: int) -> Any:
        booster = self._owner
        tree = clone(booster.estimator_)
        self._share(tree, _SHARED)
        if width > 1:  # one tree per class: is it this class, or how much of it
            tree.target_ = Target.labels(np.array([0, 1])).empty()
            tree.classes_, tree.n_classes_ = tree.target_.classes[0], 2
        tree.n_outputs_ = forest.values.shape[1] if tree.task == "regression" else 1
        tree.max_features_ = booster.n_features_in_
        tree.pool_ = type(booster.pool_).of([forest])
        return tree
