"""The native tree as a learner."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core import Cast
from coterie.data import Table, Target
from coterie.native import Effort, Forest, Growth, grow

# Rows whose leaves are looked up at a time.
_LOOKED_UP = 1 << 16


@dataclass(frozen=True)
class TreeLearner:
    """Grows one native tree on a binned table.

    Parameters
    ----------
    growth : Growth
        How to grow, in plain numbers.
    min_weight_fraction : float
        Smallest share of the member's total weight in a leaf.
    ccp_alpha : float
        Price of a leaf in minimal cost-complexity pruning; 0 keeps the whole tree.
    n_threads : int
        Threads within the tree; the tree does not depend on it.
    stop : ndarray of shape (1,), dtype uint8, or None
        Set to 1 by another thread to end growing at once.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.data import Table, Target
    >>> table = Table.read(np.arange(4.0)[:, None]).bin()
    >>> target = Target.numbers(np.array([0.0, 0.0, 1.0, 3.0]))
    >>> tree = TreeLearner(Growth(max_depth=1)).fit(table, target, None, np.random.default_rng(0))
    >>> tree.predict(table.values).ravel()
    array([0.33333333, 0.33333333, 0.33333333, 3.        ])
    """

    growth: Growth
    min_weight_fraction: float = 0.0
    ccp_alpha: float = 0.0
    n_threads: int = 1
    stop: NDArray[np.uint8] | None = field(default=None, compare=False, repr=False)

    def among(self, columns: NDArray[np.intp]) -> TreeLearner:
        """The same learner, whose trees use some of the columns only."""
        chosen = np.unique(columns).astype(np.int32)
        return replace(self, growth=replace(self.growth, columns=chosen))

    def fit(
        self,
        table: Table,
        target: Target,
        weight: NDArray[np.float64] | None,
        rng: Generator,
    ) -> Forest:
        """A forest of one tree."""
        tree = self._grow(table, target, weight, rng, None)
        if self.ccp_alpha == 0:
            return tree
        tree = tree.prune(self.ccp_alpha)
        if self.growth.criterion != "absolute_error":
            return tree
        # Leaves that took the place of branches need the medians of their rows.
        weights = np.ones(table.n_rows) if weight is None else weight
        leaves, n_leaves = find_leaves(tree, table), len(tree.values)
        medians = group_medians(leaves, target.values[:, 0], weights, n_groups=n_leaves)
        return tree.with_values(medians[:, None])

    def train(
        self,
        table: Table,
        target: Target,
        weight: NDArray[np.float64],
        rng: Generator,
        cast: Cast,
    ) -> tuple[Forest, NDArray[np.float64]]:
        """A forest of one tree, and its vote on every row of the table.

        Leaves are cast, not rows; rows then look up the vote of their leaf.
        """
        tree, leaves = self.place(table, target, weight, rng)
        return tree, look_up(cast(tree.values), leaves)

    def place(
        self, table: Table, target: Target, weight: NDArray[np.float64], rng: Generator
    ) -> tuple[Forest, NDArray[np.int32]]:
        """A forest of one tree, and the leaf of every row of the table: its row in ``values``."""
        if self.ccp_alpha > 0:
            tree = self.fit(table, target, weight, rng)
            return tree, find_leaves(tree, table)
        leaves = np.full(table.n_rows, -1, dtype=np.int32)
        tree = self._grow(table, target, weight, rng, leaves)
        if leaves.min() < 0:  # rows of zero weight were not visited
            unseen = np.flatnonzero(leaves < 0)
            leaves[unseen] = find_leaves(tree, table.take(unseen))
        return tree, leaves

    def _grow(
        self,
        table: Table,
        target: Target,
        weight: NDArray[np.float64] | None,
        rng: Generator,
        leaves: NDArray[np.int32] | None,
    ) -> Forest:
        assert table.codes is not None, "the table is not binned"
        assert table.bins is not None
        growth = self.growth
        if self.min_weight_fraction > 0:
            total = float(table.n_rows if weight is None else weight.sum())
            growth = replace(growth, min_weight_leaf=self.min_weight_fraction * total)
        return grow(
            table.codes,
            table.bins,
            target.native(),
            growth,
            weight=weight,
            seed=int(rng.integers(2**63)),
            leaves=leaves,
            effort=Effort(self.n_threads, self.stop),
        )


def find_leaves(tree: Forest, table: Table) -> NDArray[np.int32]:
    """The leaf of every row in a single tree, block by block."""
    nodes = np.concatenate([tree.apply(values)[:, 0] for _, values in table.blocks()])
    return np.asarray(~tree.nodes["left"][nodes])


def group_medians(
    groups: NDArray[np.integer],
    values: NDArray[np.float64],
    weight: NDArray[np.float64],
    *,
    n_groups: int,
) -> NDArray[np.float64]:
    """Weighted median of the values of each group; halfway between two that are medians both.

    Examples
    --------
    >>> group_medians(
    ...     np.array([0, 1, 0, 0, 0]), np.arange(5.0), np.array([1.0, 1, 1, 1, 1]), n_groups=2
    ... )
    array([2.5, 1. ])
    """
    order = np.lexsort((values, groups))
    order = order[weight[order] > 0]
    groups, values, weight = groups[order], values[order], weight[order]
    total = np.bincount(groups, weight, minlength=n_groups)
    ends = np.searchsorted(groups, np.arange(n_groups), side="right")
    starts = np.append(0, ends[:-1])
    passed = np.concatenate([np.cumsum(weight[a:b]) for a, b in zip(starts, ends, strict=True)])
    half = total[groups] / 2
    found = [
        np.bincount(groups, behind, minlength=n_groups).astype(np.int64)
        for behind in (passed < half, passed <= half)
    ]
    lower, upper = (values[np.minimum(starts + number, ends - 1)] for number in found)
    return np.asarray((lower + upper) / 2)


def look_up(values: NDArray[np.float64], leaves: NDArray[np.int32]) -> NDArray[np.float64]:
    """``values[leaves]``, block by block: NumPy widens indices, and all of them would be many."""
    found = np.empty((len(leaves), values.shape[1]))
    for start in range(0, len(leaves), _LOOKED_UP):
        block = slice(start, start + _LOOKED_UP)
        found[block] = values[leaves[block]]
    return found
