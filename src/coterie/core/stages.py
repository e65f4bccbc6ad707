"""Pools whose members are all weighed anew after every round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from coterie.core.pool import Pool
from coterie.data import Table
from coterie.tags import tagged


@tagged
@dataclass(frozen=True)
class StagedPool(Pool):
    """A pool that knows the weights of its members after each round.

    ``pool[:t]`` is the pool as it was after ``t`` rounds, with the weights of that round: what a
    fit of ``t`` rounds gives. Members of weight zero are not asked when votes are added up.

    Parameters
    ----------
    members, weights, width, cast
        As in `Pool`; `weights` are those of the last stage.
    stages : ndarray of shape (n_members * (n_members + 1) / 2,)
        The weights after one round, after two and so on, one after the other.

    Examples
    --------
    >>> pool = StagedPool.staged(Pool((), np.empty(0)), [])
    >>> len(pool)
    0
    """

    stages: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    @classmethod
    def staged(cls, pool: Pool, stages: Sequence[NDArray[np.float64]]) -> StagedPool:
        """The members of `pool` with the weights after each round; of `t` members, `t` stages."""
        flat = np.concatenate([np.empty(0), *stages])
        weights = np.array(stages[-1]) if len(stages) else pool.weights
        return cls(pool.members, weights, pool.width, pool.cast, flat)

    def stage(self, size: int) -> NDArray[np.float64]:
        """The weights of the first `size` members after as many rounds."""
        begin = size * (size - 1) // 2
        return self.stages[begin : begin + size]

    def __getitem__(self, part: slice) -> Pool:
        """The pool after some rounds; any other part is a pool with the last weights."""
        start, stop, step = part.indices(len(self))
        plain = Pool(self.members, self.weights, self.width, self.cast)[part]
        if start or step != 1:
            return plain
        stages = self.stages[: stop * (stop + 1) // 2]
        return replace(self, members=plain.members, weights=self.stage(stop), stages=stages)

    def raw(self, table: Table, *, n_threads: int = 1) -> NDArray[np.float64]:
        """Weighted sum of the votes of all members that weigh something."""
        heavy = np.flatnonzero(self.weights)
        if not 0 < len(heavy) < len(self):
            return super().raw(table, n_threads=n_threads)
        members = [self.member(int(t)) for t in heavy]
        pool = Pool.of(members, self.weights[heavy], cast=self.cast)
        return pool.raw(table, n_threads=n_threads)
