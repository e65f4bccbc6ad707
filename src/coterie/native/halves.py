"""The two halves of growing a tree on slopes, driven from Python.

:func:`coterie.native.grow_newton` runs the same loop in the engine. Here the sums pass through
the driver's hands, so that they can be those of rows in several places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coterie.native import _engine
from coterie.native.forest import Forest

if TYPE_CHECKING:
    from coterie.native.newton import NewtonGrowth, NewtonTable, Slopes

Add = Callable[[Sequence[NDArray[Any]]], NDArray[Any]]


@dataclass
class Shard:
    """Some of the rows of a tree: a part of the table and its slopes.

    Parameters
    ----------
    table : NewtonTable
        The binned rows; all shards must be laid out alike.
    slopes : Slopes
        What to fit.
    growth : NewtonGrowth
        How to grow.
    first_row : int, default=0
        Number of the first row among the rows of all shards.
    n_threads : int, default=1
        Threads of the engine.
    workspace : Workspace, optional
        Memory that the shard of another tree has left.
    leaves : int32 array of shape (n_rows,), optional
        Where to note the leaves of rows.
    """

    table: NewtonTable
    slopes: Slopes
    growth: NewtonGrowth
    first_row: int = 0
    n_threads: int = 1
    workspace: _engine.Workspace = field(default_factory=_engine.Workspace)
    leaves: NDArray[np.int32] | None = None
    rows: _engine.RowSide = field(init=False)

    def scale(self) -> _engine.SlopeScale:
        """Measure the slopes; the scales of all shards are added up before any opens."""
        return _engine.measure_slopes(*self._arrays())

    def open(self, scale: _engine.SlopeScale, *, seed: int) -> None:
        """Make the row side, given the scale of all rows."""
        if self.leaves is None:
            self.leaves = np.empty(len(self.table.by_column), dtype=np.int32)
        table, slopes, growth = self._arrays()
        self.rows = _engine.RowSide(
            table=table,
            slopes=slopes,
            growth=growth,
            scale=scale,
            seed=seed,
            first_row=self.first_row,
            leaves=self.leaves,
            workspace=self.workspace,
            n_threads=self.n_threads,
        )

    def histogram(self, node: int, barren: NDArray[np.uint8]) -> NDArray[Any]:
        """Count the rows of a node; `barren` tells the columns it has no use for."""
        counts = np.zeros(self.rows.histogram_bytes, dtype=np.uint8)
        self.rows.count(node, barren, counts)
        return counts.view(np.int64 if self.rows.packed else np.float64)

    def codes(self, node: int, column: int, size: int) -> NDArray[np.uint32]:
        """Count the rows of a node by their code in a column."""
        counts = np.zeros(size, dtype=np.uint32)
        self.rows.count_codes(node, column, counts)
        return counts

    def _arrays(self) -> tuple[_engine.NewtonTable, _engine.NewtonSlopes, _engine.NewtonPlan]:
        growth = self.growth.arrays(self.table.n_columns)
        return self.table.arrays(), self.slopes.arrays(), growth


def grow_from_shards(shards: Sequence[Shard], *, add: Add, seed: int = 0) -> Forest:
    """Grow one tree on rows that are spread over shards.

    Parameters
    ----------
    shards : list of Shard
        The rows, in their order. Each notes the leaves of its rows that were learnt from.
    add : callable
        Adds up the arrays of the shards.
    seed : int, default=0
        Of columns drawn and of roundings.

    Returns
    -------
    Forest
        A forest of one tree.
    """
    first = shards[0]
    scale = first.scale()
    for shard in shards[1:]:
        scale.add(shard.scale())
    for shard in shards:
        shard.open(scale, seed=seed)
    d = first.table.n_columns
    growth = first.growth.arrays(d)
    decider = _engine.Decider(table=first.table.arrays(), growth=growth, scale=scale, seed=seed)

    def codes(node: int, column: int, size: int) -> NDArray[Any]:
        return add([shard.codes(node, column, size) for shard in shards])

    while True:
        for node in decider.to_part():
            split = decider.split(node)
            moved = [np.array([shard.rows.part(node, split)]) for shard in shards]
            left = decider.parted(node, int(add(moved)[0]))
            if left:
                for shard in shards:
                    shard.rows.divide(node, left)
        for node in decider.to_count():
            barren = decider.barren(node)
            counted = add([shard.histogram(node, barren) for shard in shards])
            decider.tell(node, counted.view(np.uint8))
        decider.decide(codes)
        if not decider.to_part():
            break
    leaves = decider.leaves()
    sums = add([np.array(shard.rows.leaf_sums(leaves)) for shard in shards])
    return Forest.of_tree(decider.write(sums), n_features=d, n_outputs=1)
