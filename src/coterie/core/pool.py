"""A pool: fitted members and their weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.core.learner import Foreign, Member
from coterie.data import Table
from coterie.native import Forest

Kind = TypeVar("Kind", bound=np.generic)


@dataclass(frozen=True)
class Pool:
    """Members and weights; a part of a pool is a pool.

    ``pool[:t]`` is the pool as it was after ``t`` members, so every staged view is a slice.
    Native members live in one flat forest: slices share its memory, and it pickles as a handful
    of arrays.

    Parameters
    ----------
    members : Forest or tuple of members
        All native trees in one forest, or foreign members.
    weights : ndarray of shape (n_members,)
        What each vote is multiplied by.
    """

    members: Forest | tuple[Foreign, ...]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, members: Sequence[Member], weights: NDArray[np.float64] | None = None) -> Pool:
        """A pool of `members`, each of weight one unless told otherwise."""
        native = [member for member in members if isinstance(member, Forest)]
        foreign = tuple(member for member in members if not isinstance(member, Forest))
        if native and foreign:
            raise TypeError(_MIXED)
        joined = Forest.concatenate(native) if native else foreign
        return cls(joined, np.ones(len(joined)) if weights is None else weights)

    @classmethod
    def taking(cls, members: list[Member]) -> Pool:
        """A pool of `members`, which empties the list: no tree is in memory twice."""
        if not all(isinstance(member, Forest) for member in members):
            return cls.of(members)
        forest = Forest.assemble(members)  # type: ignore[arg-type]  # as was just checked
        return cls(forest, np.ones(len(forest)))

    def __len__(self) -> int:
        """Number of members."""
        return len(self.members)

    def __getitem__(self, part: slice) -> Pool:
        """The pool of some of the members."""
        return Pool(self.members[part], self.weights[part])

    def __add__(self, other: Pool) -> Pool:
        """The members of both pools, these first."""
        weights = np.concatenate([self.weights, other.weights])
        if isinstance(self.members, Forest) and isinstance(other.members, Forest):
            return Pool(Forest.concatenate([self.members, other.members]), weights)
        if isinstance(self.members, tuple) and isinstance(other.members, tuple):
            return Pool(self.members + other.members, weights)
        raise TypeError(_MIXED)

    @property
    def forest(self) -> Forest:
        """The native trees."""
        if not isinstance(self.members, Forest):
            raise TypeError("the members of this pool are not native trees")
        return self.members

    def raw(self, table: Table, *, n_threads: int = 1) -> NDArray[np.float64]:
        """Weighted sum of the votes, shape (n_rows, n_outputs); no tensor of votes is built."""
        if isinstance(self.members, Forest):
            forest, weights = self.members, self.weights
            return _by_rows(
                table, lambda x: forest.predict(x, tree_weight=weights, n_threads=n_threads)
            )
        first, *others = self.members
        total = self.weights[0] * first.predict(table)
        for weight, member in zip(self.weights[1:], others, strict=True):
            total += weight * member.predict(table)
        return np.asarray(total)

    def votes(self, table: Table, *, n_threads: int = 1) -> NDArray[np.float64]:
        """Every vote by itself and unweighted, shape (n_members, n_rows, n_outputs)."""
        if isinstance(self.members, Forest):
            predicts = [
                partial(self.members[t : t + 1].predict, n_threads=n_threads)
                for t in range(len(self))
            ]
            return np.stack([_by_rows(table, predict) for predict in predicts])
        return np.stack([member.predict(table) for member in self.members])

    def leaves(self, table: Table, *, n_threads: int = 1) -> NDArray[np.int32]:
        """Node each row ends in, numbered within each tree, shape (n_rows, n_members)."""
        forest = self.forest
        return _by_rows(table, lambda x: forest.apply(x, n_threads=n_threads))

    def paths(self, table: Table) -> sparse.csr_array:
        """Which nodes of all trees each row passes, shape (n_rows, n_nodes)."""
        forest = self.forest
        n_nodes = int(forest.node_offsets[-1] - forest.node_offsets[0])

        def indicator(x: NDArray[Any]) -> sparse.csr_array:
            indptr, indices = forest.decision_path(x)
            ones = np.ones(len(indices), dtype=np.int64)
            return sparse.csr_array((ones, indices, indptr), shape=(len(x), n_nodes))

        return sparse.vstack([indicator(x) for _, x in table.blocks()], format="csr")


_MIXED = "a pool holds native trees or foreign members, not both"


def _by_rows(table: Table, compute: Callable[[NDArray[Any]], NDArray[Kind]]) -> NDArray[Kind]:
    """``compute`` of every row, shape (n_rows, ...); a sparse table goes block by block."""
    parts = [compute(values) for _, values in table.blocks()]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
