"""Combiners that learn from the decision profiles of unseen rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from coterie import fusion
from coterie.base import ClassifierTask, RegressorTask
from coterie.combining.combiner import Combiner
from coterie.combining.folds import Rowset, Unseen
from coterie.combining.named_members import Method, Named
from coterie.combining.weighing import scaled
from coterie.core import repetitions

Array = NDArray[np.float64]


class LevelOneData(NamedTuple):
    """The level-one data of stacking: what members say of unseen rows, and the truth.

    Attributes
    ----------
    profile : ndarray of shape (members, rows, outputs)
        What members say of rows they have not seen.
    truth : ndarray of shape (rows,)
        Codes of the classes, or numbers.
    weight : ndarray of shape (rows,) or None
        Weight of each row.
    """

    profile: Array
    truth: NDArray[Any]
    weight: Array | None

    @classmethod
    def of(cls, rows: Rowset, unseen: Unseen) -> LevelOneData:
        """The rows that all members have spoken of."""
        seen = unseen.covered
        weight = None if rows.weight is None else rows.weight[seen]
        return cls(unseen.profile, rows.target.encoded[seen, 0], weight)

    def counts(self) -> Array:
        """How many rows each row stands for: weights, of mean one if they are no repetitions."""
        if self.weight is None:
            return np.ones(len(self.truth))
        if repetitions(self.weight) is not None:
            return self.weight
        return self.weight / self.weight.mean()


class ProfiledClassifier(ClassifierTask, Combiner):
    """A classifier that combines probabilities; members without them vote zero or one."""

    member_kind: ClassVar[str] = "classifier"

    def _methods(self, members: Sequence[Named]) -> list[Method]:
        return [
            "predict_proba" if hasattr(member.estimator, "predict_proba") else "predict"
            for member in members
        ]

    def _combine(self, draft: Self, rows: Rowset, unseen: Unseen | None) -> None:
        assert unseen is not None, "it learns from unseen rows"
        self._learn(draft, LevelOneData.of(rows, unseen))

    def _learn(self, draft: Self, level_one: LevelOneData) -> None:
        """Set what is learnt on the draft; by default nothing."""

    def _mean_vote(self, X: Any) -> Array:
        return fusion.average(self._profile(X), self.weights_)


class ProfiledRegressor(RegressorTask, Combiner):
    """A regressor that averages its members."""

    member_kind: ClassVar[str] = "regressor"

    def _combine(self, draft: Self, rows: Rowset, unseen: Unseen | None) -> None:
        assert unseen is not None, "it learns from unseen rows"
        level_one = LevelOneData.of(rows, unseen)
        truth, size = scaled(level_one.truth)
        profile = level_one.profile[:, :, 0] / size
        self._learn(draft, LevelOneData(profile, truth, level_one.weight), size)

    def _learn(self, draft: Self, level_one: LevelOneData, size: float) -> None:
        """Set what is learnt on the draft; numbers are those of the target divided by `size`."""

    def _mean_vote(self, X: Any) -> Array:
        return fusion.average(self._profile(X)[:, :, 0], self.weights_)[:, None]
