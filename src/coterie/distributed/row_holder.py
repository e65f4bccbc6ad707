"""What a worker holds of a table while trees grow, and does with it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from coterie.core import Pool
from coterie.data import Schema, Table
from coterie.distributed.calls import (
    Member,
    Neighbour,
    Number,
    call_members,
    seal,
    sealed_answer,
)
from coterie.distributed.course import Found, Step, decide_tree, layout_of
from coterie.distributed.lines import open_door
from coterie.native import Bins, Forest, NewtonGrowth, NewtonTable, Slopes
from coterie.native.halves import Shard

Array = NDArray[Any]

_COPIED = 0.15  # bins beyond this part of a worker's memory are kept by rows only


def together(answers: Sequence[Any]) -> Any:
    """The sum of the answers of several holders, None if none of them has any.

    They are histograms and numbers of rows (`Found`), scales of slopes, or arrays.
    """
    known = [answer for answer in answers if answer is not None]
    if not known:
        return None
    first, *others = known
    for other in others:
        if isinstance(first, np.ndarray):
            first += other
        else:
            first.add(other)
    return first


@dataclass(frozen=True)
class Held:
    """Which rows a holder has.

    Parameters
    ----------
    schema, bins : Schema, Bins
        The columns.
    n_rows : int
        How many rows are learnt from.
    first_row : int
        Number of the first of them among the rows of all holders.
    n_threads : int
        Threads of the engine.
    n_watched : int
        How many rows are only scored.
    """

    schema: Schema
    bins: Bins
    n_rows: int
    first_row: int
    n_threads: int = 1
    n_watched: int = 0


class Place(NamedTuple):
    """Where the rows of a partition belong.

    Parameters
    ----------
    name : str
        Of the holder.
    learnt, watched : uint8 arrays or None
        Which rows are learnt from, and which are watched, as bits (`numpy.packbits`); None if all
        are learnt from.
    first, first_watched : int
        Where the first of either goes.
    """

    name: str
    learnt: NDArray[np.uint8] | None
    watched: NDArray[np.uint8] | None
    first: int
    first_watched: int


#: Holders in this process by name.
_KNOWN: WeakValueDictionary[str, RowHolder] = WeakValueDictionary()


def pour(codes: Array, place: Place) -> bool:
    """Give the bins of a partition to the holder in this process; whether it is here."""
    holder = _KNOWN.get(place.name)
    if holder is None:
        return False
    holder.take(codes, place)
    return True


class RowHolder:
    """The bins of some partitions, on a worker.

    They are written to their places one partition at a time, see `pour`: so no more than a
    partition is held twice.

    Parameters
    ----------
    held : Held
        Which rows, and where they belong.
    name : str, default=""
        By which tasks on this worker find the holder.
    """

    def __init__(self, held: Held, name: str = "") -> None:
        shape, kind = (held.n_rows, len(held.bins.categorical)), held.bins.dtype
        self.held, self.name = held, name
        self.codes = np.empty(shape, dtype=kind)
        # Parting rows is faster by columns, but that takes as much memory again.
        short = self.codes.nbytes > _COPIED * memory_limit()
        self.by_column = self.codes if short else np.empty(shape, dtype=kind, order="F")
        self.watched = np.empty((held.n_watched, shape[1]), dtype=kind)
        self.shard: Shard | None = None
        self.leaves: NDArray[np.int32] | None = None  # -1 where a row was not learnt from
        self.noted: NDArray[np.int32] = np.empty(held.n_rows, dtype=np.int32)
        self.answered = self.asked = Number(-1, 0)
        self.members: Sequence[Neighbour] = ()
        self.thread = ThreadPoolExecutor(1)
        _KNOWN[name] = self

    def take(self, codes: Array, place: Place) -> None:
        """Write the bins of a partition to where they belong."""
        own = codes if place.learnt is None else codes[_mask(place.learnt, codes)]
        at = slice(place.first, place.first + len(own))
        self.codes[at] = own
        if self.by_column is not self.codes:
            self.by_column[at] = own
        if place.watched is not None:
            seen = codes[_mask(place.watched, codes)]
            self.watched[place.first_watched : place.first_watched + len(seen)] = seen

    @cached_property
    def table(self) -> NewtonTable:
        """The rows that are learnt from, laid out for trees."""
        return NewtonTable(self.codes, self.by_column, self.held.bins)

    async def answer(self, number: tuple[int, int], asked: bytes) -> NDArray[np.uint8]:
        """What a method says to a call, both sealed; see `Call`.

        Dask has one thread for all actors of a worker, but one of them may wait here for another.
        """
        run, loop, count = copy_context().run, asyncio.get_running_loop(), Number(*number)
        return await loop.run_in_executor(self.thread, run, self.answer_here, count, asked)

    def answer_here(self, number: Number, asked: bytes) -> NDArray[np.uint8]:
        """The same, in this thread."""
        self.asked = number
        said = sealed_answer(self, asked)
        self.answered = number
        return said

    def answer_in_turn(self, number: tuple[int, int], asked: bytes) -> NDArray[np.uint8]:
        """The same in the thread of `answer`, for callers in threads of their own."""
        return self.thread.submit(self.answer_here, Number(*number), asked).result()

    def open_door(self) -> tuple[int, bytes] | None:
        """Let another holder call past Dask; see `coterie.distributed.lines`."""
        from distributed import get_worker

        return open_door(self, get_worker().address)

    def join(self, members: Sequence[Member]) -> None:
        """Speak for other holders, too, when answers are added up."""
        self.members = ()  # lines that are open are closed
        self.members = [Neighbour(member) for member in members]

    def add_up(self, method: str, *given: Any) -> Any:
        """The answers of this holder and of all that it speaks for, added up; see `together`.

        Raises
        ------
        MemberGoneError
            When one of them will never answer.
        """
        self.asked = Number(self.asked.call, self.asked.exchange + 1)
        calls = call_members(self.members, self.asked, seal("add_up", (method, *given)))
        own = getattr(self, method)(*given)
        return together([own, *(call.result() for call in calls)])

    def grow(
        self, growth: NewtonGrowth, seed: int, scale: Any, *calls: tuple[Any, ...]
    ) -> tuple[Forest, Forest]:
        """Have all holders grow a tree; see `decide_tree`.

        Without a scale of all slopes, the last of some calls of all holders says it.
        """
        if scale is None:
            scale = self.add_up("several", *calls)
        return decide_tree(self.add_up, self.layout, growth, scale, seed)

    @cached_property
    def layout(self) -> NewtonTable:
        """How the rows of all holders are laid out."""
        return layout_of(self.held.bins)

    async def pulse(self) -> Number:
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
        if not self.held.n_rows or (slopes.rows is not None and not len(slopes.rows)):
            return None
        # Workers give memory back to the system at once, and asking for it anew takes long.
        memory = self.table.workspace
        held, notes = self.held, self.noted
        self.shard = Shard(
            self.table, slopes, growth, held.first_row, held.n_threads, memory, notes
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
        self.leaves = self.noted
        if known is not None:
            self.leaves = np.full(self.held.n_rows, -1, dtype=np.int32)
            self.leaves[known] = self.noted[known]
        self.shard = None  # and with it memory as large as the rows
        return sums

    def find_leaves(self, tree: Forest) -> Array:
        """The leaves of all rows."""
        return self._walk(tree).astype(_narrow(len(tree.values)), copy=False)

    def _walk(self, tree: Forest) -> NDArray[np.int32]:
        """The leaves of all rows, those that were not learnt from by walking the tree."""
        if self.leaves is self.noted:  # all were learnt from
            return self.leaves
        if self.leaves is None:
            self.leaves = np.full(self.held.n_rows, -1, dtype=np.int32)
        unseen = np.flatnonzero(self.leaves < 0)
        if len(unseen):
            walked = [tree.apply(cells)[:, 0] for _, cells in self._table().take(unseen).blocks()]
            self.leaves[unseen] = ~tree.nodes["left"][np.concatenate(walked)]
        return self.leaves

    def votes(self, pool: Pool) -> Array:
        """What members say of all rows."""
        return pool.raw(self._table(), n_threads=self.held.n_threads)

    def watched_votes(self, pool: Pool) -> Array:
        """What members say of the watched rows."""
        return pool.raw(self._table(self.watched), n_threads=self.held.n_threads)

    def watched_leaves(self, trees: Forest) -> Array:
        """The leaves of the watched rows, among those of all trees; a column for every tree."""
        kind = _narrow(len(trees.values))
        found = np.empty((len(self.watched), len(trees)), dtype=kind, order="F")
        for rows, cells in self._table(self.watched).blocks():
            nodes = trees.apply(cells, n_threads=self.held.n_threads) + trees.node_offsets[:-1]
            found[rows] = ~trees.nodes["left"][nodes] + trees.leaf_offsets[:-1]
        return found

    def _table(self, codes: Array | None = None) -> Table:
        codes = self.codes if codes is None else codes
        return Table(self.held.schema, None, None, self.held.bins, codes)


def _mask(bits: NDArray[np.uint8], rows: Array) -> NDArray[np.bool_]:
    return np.unpackbits(bits, count=len(rows)).view(np.bool_)


def memory_limit() -> float:
    """Bytes that the process of this worker may use."""
    from distributed import get_worker

    try:
        limit = get_worker().memory_manager.memory_limit
    except ValueError:  # this is no worker
        limit = None
    return limit or math.inf


def _narrow(n_leaves: int) -> Any:
    """The shortest type for numbers of leaves: they travel with every tree."""
    return np.uint8 if n_leaves <= 256 else np.uint16 if n_leaves <= 65_536 else np.int32
