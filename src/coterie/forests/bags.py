"""Which rows each tree saw, drawn again from its seed instead of stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from coterie.core import Bootstrap, RowAxis, shaking_stream


@dataclass(frozen=True)
class Bags:
    """The bags of a forest.

    Parameters
    ----------
    seeds : ndarray of shape (n_trees,)
        Seed of each tree.
    n_draws : ndarray of shape (n_trees,)
        Rows drawn for each tree, 0 when it saw every row.
    axis : RowAxis or None
        What is drawn from; None when no tree draws.
    n_rows : int
        Rows of the training data.
    kept : ndarray or None
        Rows of positive weight when some have none; the others are in no bag.
    before : Bags or None
        Bags of the trees before these, if they were fitted to other rows.
    """

    seeds: NDArray[np.int64]
    n_draws: NDArray[np.int64]
    axis: RowAxis | None
    n_rows: int
    kept: NDArray[np.intp] | None = None
    before: Bags | None = None

    def __len__(self) -> int:
        """Number of trees."""
        return len(self.seeds) + (0 if self.before is None else len(self.before))

    def seed(self, tree: int) -> int:
        """Seed of a tree."""
        bags, tree = self._home(tree)
        return int(bags.seeds[tree])

    def after(self, earlier: Bags) -> Bags:
        """These bags behind those of an earlier fit."""
        if not self._same_rows(earlier):
            return replace(self, before=earlier)
        return replace(
            self,
            seeds=np.concatenate([earlier.seeds, self.seeds]),
            n_draws=np.concatenate([earlier.n_draws, self.n_draws]),
            before=earlier.before,
        )

    def drawn(self, tree: int) -> NDArray[np.int64]:
        """How often each row of positive weight is in the bag of a tree."""
        bags, tree = self._home(tree)
        n_draws = int(bags.n_draws[tree])
        if bags.axis is None or n_draws == 0:
            return np.ones(bags.n_rows if bags.kept is None else len(bags.kept), dtype=np.int64)
        return Bootstrap(bags.axis, n_draws).counts(shaking_stream(int(bags.seeds[tree])))

    def counts(self, tree: int) -> NDArray[np.int64]:
        """How often each training row is in the bag of a tree."""
        bags, _ = self._home(tree)
        drawn = self.drawn(tree)
        if bags.kept is None:
            return drawn
        counts = np.zeros(bags.n_rows, dtype=np.int64)
        counts[bags.kept] = drawn
        return counts

    def samples(self) -> Iterator[NDArray[np.int32]]:
        """The rows in each bag, repeated as often as they were drawn."""
        for tree in range(len(self)):
            counts = self.counts(tree)
            yield np.repeat(np.arange(len(counts), dtype=np.int32), counts)

    def outside(self) -> NDArray[np.bool_]:
        """Whether each row is outside each bag, shape (n_rows, n_trees)."""
        outside = np.empty((self.n_rows, len(self)), dtype=bool, order="F")
        for tree in range(len(self)):
            outside[:, tree] = self.counts(tree) == 0
        return outside

    def check_judges(self) -> None:
        """Refuse to judge rows by trees whose bags say nothing about them."""
        if not self.n_draws.any():
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if self.before is not None:
            raise ValueError(
                "Out of bag estimation needs trees that drew from the same rows, but a warm "
                "start fitted some of them to others."
            )

    def _home(self, tree: int) -> tuple[Bags, int]:
        """The bags a tree belongs to, and its number there."""
        n_before = 0 if self.before is None else len(self.before)
        if self.before is not None and tree < n_before:
            return self.before._home(tree)
        return self, tree - n_before

    def _same_rows(self, other: Bags) -> bool:
        if self.n_rows != other.n_rows or not _equal(self.kept, other.kept):
            return False
        if self.axis is None or other.axis is None:
            return self.axis is other.axis
        return _equal(self.axis.order, other.axis.order) and _equal(self.axis.ends, other.axis.ends)


def _equal(first: NDArray[np.integer] | None, second: NDArray[np.integer] | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)
