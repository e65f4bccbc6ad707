"""The holders of all rows: asking them together, and replacing those that are lost."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.distributed.calls import Call, HolderGoneError, seal
from coterie.distributed.remote_table import RemoteTable
from coterie.distributed.row_holder import Held, RowHolder
from coterie.distributed.session import Session, is_loss, named

Array = NDArray[Any]
_LOG = logging.getLogger("coterie.distributed")

_MOST_LOSSES = 50  # before something is finished: more are no accidents


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
    """

    held: Held
    parts: Sequence[int]
    rows: slice


class Holders:
    """Actors that hold all rows of a binned table, some partitions each.

    Parameters
    ----------
    table : RemoteTable
        The rows, binned.
    kind : type, default=RowHolder
        What holders are.

    Attributes
    ----------
    lost : int
        How many holders had to be replaced.
    fresh : set of int
        Holders that know nothing but their bins.
    """

    def __init__(self, table: RemoteTable, kind: type = RowHolder) -> None:
        self.session: Session = table.partitions.session
        self.table, self.kind, self.fresh = table, kind, set[int]()
        workers = self.session.workers()
        self.shares = share_out(table, workers)
        self.lost = self._since = self._calls = 0
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

    def _exchange(self, questions: dict[int, bytes]) -> list[Any]:
        """Ask some holders at a time, and wait for all of them."""
        self._calls += 1
        calls = {
            number: Call(self.actors[number], self._futures[number], self._calls, asked)
            for number, asked in questions.items()
        }
        answers: list[Any] = []
        gone: dict[int, Exception] = {}
        for number, call in calls.items():
            try:
                answers.append(call.result())
            except HolderGoneError as error:
                gone[number] = error
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
        """Have holders made, on the workers that have fewest of them."""
        parts = [k for number in numbers for k in self.shares[number].parts]
        self.table.renew(parts)
        for number, worker in zip(numbers, self._places(len(numbers)), strict=True):
            self._submit(number, worker)
        for number in numbers:
            self._await(number)
        self.table.let_go(parts)

    def _places(self, count: int) -> list[str]:
        """Workers for new holders."""
        workers = list(self.session.workers())
        there = [future for future in self._futures if future is not None]
        known = self.session.client.who_has(there) if there else {}
        held = Counter(worker for where in known.values() for worker in where)
        chosen = []
        for _ in range(count):
            chosen.append(min(workers, key=lambda worker: held[worker]))
            held[chosen[-1]] += 1
        return chosen

    def _submit(self, number: int, worker: str) -> None:
        """Have a holder made on a worker, or on another if that is gone meanwhile."""
        share = self.shares[number]
        self.fresh.add(number)
        future = self.session.client.submit(
            self.kind,
            share.held,
            *(self.table.encoded[k] for k in share.parts),
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
                (self.actors[number],) = self.session.gather([self._futures[number]])
                return
            except Exception as error:
                if not is_loss(error):
                    raise self._explained(number, error) from error
                self._lose([number], error)
            self.table.renew(self.shares[number].parts)
            self._submit(number, *self._places(1))

    def _explained(self, number: int, error: Exception) -> Exception:
        """An error in making a holder, which says if a partition is to blame."""
        for k in self.shares[number].parts:
            if getattr(self.table.encoded[k], "status", "") == "error":
                return named(k, error)
        return error

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


def share_out(table: RemoteTable, workers: dict[str, int]) -> list[Share]:
    """Neighbouring partitions for each worker, of about as many rows; none is empty."""
    partitions, own = table.partitions, table.partitions.split(table.rows)
    assert table.bins is not None
    pairs = zip(np.diff(partitions.offsets), own, strict=True)
    sizes = np.array([size if rows is None else len(rows) for size, rows in pairs])
    ends = np.cumsum(sizes)
    n_rows, number = int(ends[-1]), len(workers)
    # A partition belongs to the share in which its middle row lies.
    owner = ((ends - sizes / 2) * number / n_rows).astype(int)
    threads = min(workers.values())
    shares, first = [], 0
    for share in range(number):
        parts = np.flatnonzero((owner == share) & (sizes > 0))
        if not len(parts):
            continue
        rows = [own[k] for k in parts]
        held = Held(table.schema, table.bins, rows, first, threads)
        after = first + int(sizes[parts].sum())
        shares.append(Share(held, parts.tolist(), slice(first, after)))
        first = after
    return shares
