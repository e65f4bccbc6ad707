"""The holders of all rows: asking them together, and replacing those that are lost."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from coterie.distributed.calls import (
    Call,
    HolderGoneError,
    Member,
    MemberGoneError,
    Number,
    seal,
)
from coterie.distributed.remote_table import RemoteTable
from coterie.distributed.row_holder import Held, Place, RowHolder
from coterie.distributed.session import Session, is_loss

Array = NDArray[Any]
_LOG = logging.getLogger("coterie.distributed")

_MOST_LOSSES = 50  # before something is finished: more are no accidents
FAN = 8  # holders that one speaks for; with more, some of those speak for others
_STANDSTILL = 120.0  # seconds in which paused workers may take nothing, while bins are put together


class HolderLostError(Exception):
    """A holder was lost and has been replaced; whatever was under way must begin anew."""


@dataclass(frozen=True)
class Share:
    """The partitions of one holder.

    Parameters
    ----------
    held : Held
        Their rows.
    parts : list of int
        Their numbers.
    rows : slice
        Where its rows are among all.
    starts : list of (int, int)
        Where the rows of each partition are within the holder: those that are learnt from, and
        those that are watched.
    """

    held: Held
    parts: Sequence[int]
    rows: slice
    starts: Sequence[tuple[int, int]] = ()


class Holders:
    """Actors that hold all rows of a binned table, some partitions each.

    Parameters
    ----------
    table : RemoteTable
        The rows, binned.
    kind : type, default=RowHolder
        What holders are.
    watched : RemoteTable, optional
        Further rows of the same partitions, which are only scored.

    Attributes
    ----------
    lost : int
        How many holders had to be replaced.
    fresh : set of int
        Holders that know nothing but their bins.
    """

    def __init__(
        self, table: RemoteTable, kind: type = RowHolder, watched: RemoteTable | None = None
    ) -> None:
        self.session: Session = table.partitions.session
        self.table, self.kind, self.watched, self.fresh = table, kind, watched, set[int]()
        workers = self.session.workers()
        self.shares = share_out(table, workers, watched)
        self._names, self._chosen = [""] * len(self.shares), [""] * len(self.shares)
        self.lost = self._since = self._calls = 0
        self._joined = False  # whether holders know whom they speak for
        self._futures: list[Any] = [None] * len(self.shares)
        self.actors: list[Any] = [None] * len(self.shares)
        self._make(range(len(self.shares)))
        rows = self.shares[-1].rows.stop
        cells = rows * len(self.shares[0].held.bins.categorical)
        width = np.dtype(self.shares[0].held.bins.dtype).itemsize
        where = f"{len(self.shares)} of {len(workers)} workers"
        _LOG.info(f"{rows:,} rows, {width * cells / 1e6:,.1f} MB of bins, on {where}")

    def ask(self, method: str, *given: Sequence[Any]) -> list[Any]:
        """``holder.method(...)`` of every holder at a time, each with its own arguments.

        Raises
        ------
        HolderLostError
            When one was lost; all are there again.
        """
        each: list[Any] = list(zip(*given, strict=True)) if given else [()] * len(self.actors)
        return self._exchange(dict(enumerate(seal(method, own) for own in each)))

    def ask_one(self, number: int, method: str, *given: Any) -> Any:
        """The same of one holder."""
        return self._exchange({number: seal(method, given)})[0]

    def ask_alike(self, method: str, *given: Any) -> list[Any]:
        """The same of every holder with the same arguments."""
        return self._exchange(dict.fromkeys(range(len(self.actors)), seal(method, given)))

    def lead(self, method: str, *given: Any) -> Any:
        """The same of the first holder, which asks all others and adds up what they answer.

        They do not go through the driver: one speaks for a few, some of these for others.
        """
        if not self._joined:
            self.ask("join", self._members())
            self._joined = True
        return self.ask_one(0, method, *given)

    def _members(self) -> list[list[Member]]:
        """Whom each holder speaks for."""
        where = self._where()
        found: list[list[Member]] = [[] for _ in self._futures]
        for number, future in enumerate(self._futures[1:], 1):
            # One that is lost meanwhile will not answer.
            member = Member(number, where.get(number, ""), future.key)
            found[(number - 1) // FAN].append(member)
        return found

    def _where(self) -> dict[int, str]:
        """The addresses of the holders that are not lost for all that the scheduler says."""
        from distributed import CancelledError

        there = {k: one for k, one in enumerate(self._futures) if self._is_there(k)}
        try:
            known = self.session.client.who_has(list(there.values())) if there else {}
        except CancelledError:  # all workers were restarted meanwhile
            return {}
        found = {number: known.get(future.key) for number, future in there.items()}
        return {number: next(iter(places)) for number, places in found.items() if places}

    def _exchange(self, questions: dict[int, bytes]) -> list[Any]:
        """Ask some holders at a time, and wait for all of them."""
        self._calls += 1
        count = Number(self._calls, 0)
        calls = {
            number: Call(self.actors[number], self._futures[number], count, asked)
            for number, asked in questions.items()
        }
        answers: list[Any] = []
        gone: dict[int, Exception] = {}
        for number, call in calls.items():
            try:
                answers.append(call.result())
            except HolderGoneError as error:
                gone[number] = error
            except MemberGoneError as error:
                gone[error.number] = error
        if gone:
            self._replace(list(gone), next(iter(gone.values())))
            raise HolderLostError(f"{len(gone)} of {len(self.actors)} holders were lost.")
        return answers

    def close(self) -> None:
        """Let go of all holders."""
        self.actors = []
        self.session.release([future for future in self._futures if future is not None])
        self._futures = []

    def _make(self, numbers: Sequence[int]) -> None:
        """Have holders made, on the workers that have fewest of them, and give them their rows."""
        self._joined = False
        while True:
            gone = [number for number in numbers if not self._is_there(number)]
            for number, worker in zip(gone, self._places(len(gone)), strict=True):
                self._submit(number, worker)
            for number in gone:
                self._await(number)
            try:
                if all(self._fill(numbers)):
                    return
            except HolderGoneError:
                pass
            lost = [number for number in numbers if not self._is_there(number)]
            self._lose(lost, OSError("Workers were lost while bins were put together."))

    def _is_there(self, number: int) -> bool:
        """Whether a holder was made, and is not lost for all that the scheduler says."""
        future = self._futures[number]
        return future is not None and future.status == "finished"

    def _fill(self, numbers: Sequence[int]) -> list[bool]:
        """Have the rows of holders encoded and written to their places; which of them were there.

        Raises
        ------
        HolderGoneError
            When one was lost meanwhile.
        """
        where = self._where()
        some: list[int] = []
        places: list[tuple[str, Place]] = []
        for number in numbers:
            if number not in where:
                raise HolderGoneError("Its worker is lost.")
            share, name = self.shares[number], self._names[number]
            for k, starts in zip(share.parts, share.starts, strict=True):
                some.append(k)
                bits = self._bits(self.table, k), self._bits(self.watched, k)
                places.append((where[number], Place(name, *bits, *starts)))
        look = _Standstill(self, numbers, {address for address, _ in places})
        return self.table.partitions.pour(self.table.known_bins, some, places, look)

    def _bits(self, table: RemoteTable | None, k: int) -> NDArray[np.uint8] | None:
        """Which rows of a partition are in a table, as bits; None if it has none, or all."""
        if table is None or table.rows is None:
            return None
        begin, end = self.table.partitions.offsets[k : k + 2]
        first, after = np.searchsorted(table.rows, [begin, end])
        known = np.zeros(end - begin, dtype=np.uint8)
        known[table.rows[first:after] - begin] = 1
        return np.packbits(known)

    def _places(self, count: int) -> list[str]:
        """Workers for new holders."""
        workers = list(self.session.workers())
        held = Counter(self._where().values())
        chosen = []
        for _ in range(count):
            chosen.append(min(workers, key=lambda worker: held[worker]))
            held[chosen[-1]] += 1
        return chosen

    def _submit(self, number: int, worker: str) -> None:
        """Have a holder made on a worker, or on another if that is gone meanwhile."""
        self.fresh.add(number)
        self._names[number], self._chosen[number] = uuid4().hex, worker
        future = self.session.client.submit(
            self.kind,
            self.shares[number].held,
            self._names[number],
            actor=True,
            workers=[worker],
            allow_other_workers=True,
            pure=False,
        )
        (self._futures[number],) = self.session.keep([future])

    def _await(self, number: int) -> None:
        """Wait for a holder, however often it must be made."""
        while True:
            try:
                made = self.session.gather([self._futures[number]], partial(self._look, number))
                (self.actors[number],) = made
                return
            except Exception as error:
                if not is_loss(error) and not isinstance(error, HolderGoneError):
                    raise
                self._lose([number], error)
            self._submit(number, *self._places(1))

    def _look(self, number: int) -> None:
        """Raise an error if a holder that is not there yet was to be made on a lost worker.

        Dask makes it on another, but not if there was none when it noticed the loss.
        """
        if not self._is_there(number) and self._chosen[number] not in self.session.workers():
            raise HolderGoneError("The worker on which it was to be made is lost.")

    def _lose(self, gone: Sequence[int], error: Exception) -> None:
        """Count losses, and let go of what is left of the holders."""
        self.lost += len(gone)
        self._since += len(gone)
        if self._since > _MOST_LOSSES:
            raise RuntimeError(
                f"Workers were lost {self._since} times before anything was finished. If they ran "
                "out of memory, use more workers or smaller partitions."
            ) from error
        self.session.release([self._futures[number] for number in gone])
        for number in gone:
            self._futures[number] = None

    def finished(self) -> None:
        """Note that something was finished in spite of losses."""
        self._since = 0

    def _replace(self, gone: Sequence[int], error: Exception) -> None:
        """Make lost holders again."""
        self._lose(gone, error)
        self._make(gone)
        rows = sum(s.rows.stop - s.rows.start for s in (self.shares[number] for number in gone))
        _LOG.warning(
            f"A worker was lost; {rows:,} rows were read again, and the round starts again"
        )


class _Standstill:
    """Looks whether holders still take their rows.

    Raises
    ------
    HolderGoneError
        When one was lost.
    RuntimeError
        When Dask has paused workers for lack of memory, and nothing happens any more.
    """

    def __init__(self, holders: Holders, numbers: Sequence[int], where: set[str]) -> None:
        self.holders, self.numbers, self.where = holders, numbers, where
        self.since = time.monotonic()

    def __call__(self) -> None:
        holders = self.holders
        if not all(holders._is_there(number) for number in self.numbers):
            raise HolderGoneError("Its worker is lost.")
        known = holders.session.client.scheduler_info()["workers"]
        if not any(known[one]["status"] == "paused" for one in self.where & known.keys()):
            self.since = time.monotonic()
        elif time.monotonic() - self.since > _STANDSTILL:
            raise RuntimeError(
                f"Dask has paused workers for {_STANDSTILL:g} s because their memory is full, so "
                "the fit cannot go on. Use more workers, workers with more memory, or smaller "
                "partitions."
            )


def share_out(
    table: RemoteTable, workers: dict[str, int], watched: RemoteTable | None = None
) -> list[Share]:
    """Neighbouring partitions for each worker, of about as many rows; none is empty."""
    learnt = table.sizes
    seen = np.zeros_like(learnt) if watched is None else watched.sizes
    sizes = learnt + seen
    ends = np.cumsum(sizes)
    # A partition belongs to the share in which its middle row lies.
    owner = ((ends - sizes / 2) * len(workers) / ends[-1]).astype(int)
    threads, shares, first = min(workers.values()), list[Share](), 0
    for share in range(len(workers)):
        parts = np.flatnonzero((owner == share) & (sizes > 0))
        if not len(parts):
            continue
        n_rows, n_watched = int(learnt[parts].sum()), int(seen[parts].sum())
        held = Held(table.schema, table.known_bins, n_rows, first, threads, n_watched)
        begins = [(np.cumsum(one[parts]) - one[parts]).tolist() for one in (learnt, seen)]
        rows = slice(first, first + n_rows)
        shares.append(Share(held, parts.tolist(), rows, list(zip(*begins, strict=True))))
        first = rows.stop
    return shares
