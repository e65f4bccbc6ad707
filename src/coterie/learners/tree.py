"""The native tree as a learner."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.data import Table, Target
from coterie.native import Effort, Forest, Growth, grow


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

    def fit(
        self,
        table: Table,
        target: Target,
        weight: NDArray[np.float64] | None,
        rng: Generator,
    ) -> Forest:
        """A forest of one tree."""
        assert table.codes is not None, "the table is not binned"
        assert table.bins is not None
        growth = self.growth
        if self.min_weight_fraction > 0:
            total = float(table.n_rows if weight is None else weight.sum())
            growth = replace(growth, min_weight_leaf=self.min_weight_fraction * total)
        tree = grow(
            table.codes,
            table.bins,
            target.native(),
            growth,
            weight=weight,
            seed=int(rng.integers(2**63)),
            effort=Effort(self.n_threads, self.stop),
        )
        return tree.prune(self.ccp_alpha) if self.ccp_alpha > 0 else tree
