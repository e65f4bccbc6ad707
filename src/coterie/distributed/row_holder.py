"""What a worker holds of a table while trees grow, and does with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.core import Pool
from coterie.data import Schema, Table
from coterie.native import Bins, Forest, NewtonGrowth, NewtonTable, Slopes
from coterie.native.halves import Shard

Array = NDArray[Any]

_COPIED = 0.15  # bins beyond this part of a worker's memory are kept by rows only


@dataclass
class Step:
    """What the driver asks of all holders at a time, in this order.

    Parameters
    ----------
    opening : tuple or None
        Scale of all slopes and the seed, to begin a tree.
    parts : list of (node, split)
        Nodes whose rows are parted.
    divides : list of (node, left)
        Nodes whose parts become nodes.
    counts : list of (node, barren)
        Nodes to be counted.
    codes : list of (node, column, size)
        Nodes whose rows are counted by their code in a column.
    """

    opening: tuple[Any, int] | None = None
    parts: list[tuple[int, Any]] = field(default_factory=list)
    divides: list[tuple[int, int]] = field(default_factory=list)
    counts: list[tuple[int, Array]] = field(default_factory=list)
    codes: list[tuple[int, int, int]] = field(default_factory=list)


class Found(NamedTuple):
    """What a holder answers; entries of all holders are added up."""

    lefts: Array
    histograms: list[Array]
    codes: list[Array]

    @property
    def arrays(self) -> list[Array]:
        """All that is added up."""
        return [self.lefts, *self.histograms, *self.codes]

    @classmethod
    def together(cls, parts: Sequence[Found]) -> Found:
        """The sums of several answers, which are exact in any order."""
        first, *others = parts
        for other in others:
            for mine, its in zip(first.arrays, other.arrays, strict=True):
                mine += its
        return first


class Raised(NamedTuple):
    """The answer of a holder whose method has failed."""

    error: Exception


@dataclass(frozen=True)
class Held:
    """Which rows a holder has.

    Parameters
    ----------
    schema, bins : Schema, Bins
        The columns.
    rows : list of int arrays or None
        The rows of each of its partitions; None for all.
    first_row : int
        Number of its first row among the rows of all holders.
    n_threads : int
        Threads of the engine.
    """

    schema: Schema
    bins: Bins
    rows: Sequence[Array | None]
    first_row: int
    n_threads: int = 1


class RowHolder:
    """The bins of some partitions, on a worker.

    Parameters
    ----------
    held : Held
        Which rows, and where they belong.
    *encoded : uint8 or uint16 arrays
        The bins of the partitions.
    """

    def __init__(self, held: Held, *encoded: Array) -> None:
        pairs = zip(encoded, held.rows, strict=True)
        parts = [codes if rows is None else codes[rows] for codes, rows in pairs]
        codes = np.ascontiguousarray(parts[0] if len(parts) == 1 else np.concatenate(parts))
        self.held = held
        # Parting rows is faster by columns, but that takes as much memory again.
        short = codes.nbytes > _COPIED * memory_limit()
        self.table = NewtonTable(codes, codes if short else np.asfortranarray(codes), held.bins)
        self.shard: Shard | None = None
        self.leaves: NDArray[np.int32] | None = None  # -1 where a row was not learnt from
        self.answered = -1

    def answer(self, number: int, asked: bytes) -> bytes:
        """What a method says to a call, both sealed; see `Call`."""
        from distributed.protocol import pickle

        try:
            method, given = pickle.loads(asked)
            said = pickle.dumps(getattr(self, method)(*given))
        except Exception as error:
            said = _sealed_error(error)
        self.answered = number
        return said

    async def pulse(self) -> int:
        """The number of the last call that was answered; told even while another is worked on."""
        return self.answered

    def several(self, *calls: tuple[Any, ...]) -> Any:
        """Some methods with what they are given, one after the other; the last one's answer."""
        said = None
        for method, *given in calls:
            said = getattr(self, method)(*given)
        return said

    def begin(self, growth: NewtonGrowth, slopes: Slopes) -> Any:
        """Take the slopes of a tree; their scale, or None if no row is learnt from."""
        self.leaves = self.shard = None
        if slopes.rows is not None and not len(slopes.rows):
            return None
        # Workers give memory back to the system at once, and asking for it anew takes long.
        memory = self.table.workspace
        self.shard = Shard(
            self.table, slopes, growth, self.held.first_row, self.held.n_threads, memory
        )
        return self.shard.scale()

    def step(self, step: Step) -> Found | None:
        """Work on the tree; None if no row is learnt from."""
        shard = self.shard
        if shard is None:
            return None
        if step.opening is not None:
            scale, seed = step.opening
            shard.open(scale, seed=seed)
        lefts = [shard.rows.part(node, split) for node, split in step.parts]
        for node, left in step.divides:
            shard.rows.divide(node, left)
        return Found(
            np.array(lefts, dtype=np.int64),
            [shard.histogram(node, barren) for node, barren in step.counts],
            [shard.codes(*asked) for asked in step.codes],
        )

    def leaf_sums(self, nodes: list[int]) -> Array:
        """Sums of the slopes of leaves; notes the leaf of every row that was learnt from."""
        if self.shard is None:
            return np.zeros((len(nodes), 2))
        sums = np.array(self.shard.rows.leaf_sums(nodes), dtype=np.float64).reshape(-1, 2)
        known = self.shard.slopes.rows
        self.leaves = self.shard.leaves
        if known is not None:
            self.leaves = np.full(len(self.table.codes), -1, dtype=np.int32)
            self.leaves[known] = self.shard.leaves[known]
        self.shard = None  # and with it memory as large as the rows
        return sums

    def find_leaves(self, tree: Forest) -> Array:
        """The leaves of all rows."""
        return self._walk(tree).astype(_narrow(len(tree.values)), copy=False)

    def _walk(self, tree: Forest) -> NDArray[np.int32]:
        """The leaves of all rows, those that were not learnt from by walking the tree."""
        if self.leaves is None:
            self.leaves = np.full(len(self.table.codes), -1, dtype=np.int32)
        unseen = np.flatnonzero(self.leaves < 0)
        if len(unseen):
            walked = [tree.apply(cells)[:, 0] for _, cells in self._table().take(unseen).blocks()]
            self.leaves[unseen] = ~tree.nodes["left"][np.concatenate(walked)]
        return self.leaves

    def votes(self, pool: Pool) -> Array:
        """What members say of all rows."""
        return pool.raw(self._table(), n_threads=self.held.n_threads)

    def _table(self) -> Table:
        return Table(self.held.schema, None, None, self.held.bins, self.table.codes)


def memory_limit() -> float:
    """Bytes that the process of this worker may use."""
    from distributed import get_worker

    try:
        limit = get_worker().memory_manager.memory_limit
    except ValueError:  # this is no worker
        limit = None
    return limit or math.inf


def _sealed_error(error: Exception) -> bytes:
    """An error as an answer; one that cannot travel, by its words."""
    from distributed.protocol import pickle

    try:
        return pickle.dumps(Raised(error))
    except Exception:
        return pickle.dumps(Raised(RuntimeError(f"{type(error).__name__}: {error}")))


def _narrow(n_leaves: int) -> Any:
    """The shortest type for numbers of leaves: they travel with every tree."""
    return np.uint8 if n_leaves <= 256 else np.uint16 if n_leaves <= 65_536 else np.int32
