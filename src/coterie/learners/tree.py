"""The native tree as a learner."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core import Cast
from coterie.core.rule import Ask
from coterie.data import Table, Target
from coterie.native import Effort, Forest, Growth, grow

# Rows whose leaves are looked up at a time.
_LOOKED_UP = 1 << 16
# Mean merits below this are zero: a weight of two and a row given twice differ by rounding.
_NO_GAIN = 1e-12


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
        Penalty per leaf in minimal cost-complexity pruning; 0 keeps the whole tree.
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
        return tree if self.ccp_alpha == 0 else tree.prune(self.ccp_alpha)

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

    def train_plausible(
        self,
        table: Table,
        ask: Ask,
        weight: NDArray[np.float64],
        rng: Generator,
        cast: Cast,
    ) -> tuple[Forest, NDArray[np.float64]]:
        """A forest of one tree whose leaves call the classes plausible that gain by it.

        Splits are those of least squared error in the merits. Of Gini impurity, which is the same
        measure, this is the like for label weights; trees of another criterion are grown by it, on
        the labels.
        """
        if self.growth.criterion != "gini":
            return self.train(table, ask.target, weight, rng, cast)
        assert ask.merits is not None, "nothing was asked about single classes"
        numeric = replace(self, growth=replace(self.growth, criterion="squared_error"))
        grown, leaves = numeric.place(table, Target("values", ask.merits), weight, rng)
        tree = grown.with_values((grown.values > _NO_GAIN).astype(np.float64))
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
    nodes = np.concatenate([tree.apply(rows)[:, 0] for _, rows in table.walks()])
    return np.asarray(~tree.nodes["left"][nodes])


def look_up(values: NDArray[np.float64], leaves: NDArray[np.int32]) -> NDArray[np.float64]:
    """``values[leaves]``, block by block: NumPy widens indices, and all of them would be many."""
    found = np.empty((len(leaves), values.shape[1]))
    for start in range(0, len(leaves), _LOOKED_UP):
        block = slice(start, start + _LOOKED_UP)
        found[block] = values[leaves[block]]
    return found
