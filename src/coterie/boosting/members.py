"""The members of a booster, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from coterie.native import Forest

# What a native member has in common with its booster.
_SHARED = ("schema_", "n_features_in_", "feature_names_in_", "target_", "classes_", "n_classes_")


class Members(Sequence[Any]):
    """Fitted estimators over the parts of a booster's pool, made when they are asked for."""

    def __init__(self, booster: Any) -> None:
        self._booster = booster

    def __len__(self) -> int:
        return len(self._booster.pool_)

    def __getitem__(self, index: Any) -> Any:
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [self._make(number) for number in numbers]
        return self._make(numbers)

    def __repr__(self) -> str:
        return f"<{len(self)} fitted {type(self._booster.estimator_).__name__}>"

    def _make(self, number: int) -> Any:
        booster = self._booster
        member = booster.pool_.member(number)
        if not isinstance(member, Forest):
            return getattr(member, "estimator", member)
        tree = clone(booster.estimator_)
        for name in _SHARED:
            if hasattr(booster, name):
                setattr(tree, name, getattr(booster, name))
        tree.n_outputs_ = 1
        tree.max_features_ = booster.n_features_in_
        tree.pool_ = type(booster.pool_).of([member])
        return tree
