"""The holders of all rows: asking them together, and replacing those that are lost."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.distributed.remote_table import RemoteTable
from coterie.distributed.row_holder import Held, RowHolder
from coterie.distributed.session import Session

Array = NDArray[Any]
_LOG = logging.getLogger("coterie.distributed")

# What a call to an actor says when its worker, or the way to it, is gone. Dask has no one error
# for it: the connection breaks (OSError), or the actor or its worker is not known any more.
_GONE = ("Actor", "actor", "Worker", "worker", "Unable to contact", "cancelled", "lost")


_PATIENCE = 2.0  # seconds between two looks at whether a holder is still there
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
    encoded : list of futures
        Their bins.
    rows : slice
        Where its rows are among all.
    """

    held: Held
    encoded: Sequence[Any]
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
        self.kind, self.fresh = kind, set[int]()
        self.shares = share_out(table, self.session.workers())
        self.lost = self._since = 0
        workers = list(self.session.workers())
        self._futures: list[Any] = [None] * len(self.shares)
        self.actors: list[Any] = [None] * len(self.shares)
        for number in range(len(self.shares)):
            self._submit(number, workers[number % len(workers)])
        for number in range(len(self.shares)):
            self._await(number)
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
        asked: list[Any] = []
        answers: list[Any] = []
        gone: dict[int, Exception] = {}
        for number, (actor, own) in enumerate(zip(self.actors, each, strict=True)):
            try:
                asked.append(getattr(actor, method)(*own))
            except Exception as error:
                _check_gone(error)
                gone[number] = error
                asked.append(None)
        for number, future in enumerate(asked):
            try:
                answers.append(None if future is None else self._result(number, future))
            except Exception as error:
                _check_gone(error)
                gone[number] = error
        if gone:
            self._replace(list(gone), next(iter(gone.values())))
            raise HolderLostError(f"{len(gone)} of {len(self.actors)} holders were lost.")
        return answers

    def ask_one(self, number: int, method: str, *given: Any) -> Any:
        """The same of one holder."""
        try:
            return self._result(number, getattr(self.actors[number], method)(*given))
        except Exception as error:
            _check_gone(error)
            self._replace([number], error)
            raise HolderLostError(f"Holder {number} was lost.") from error

    def ask_alike(self, method: str, *given: Any) -> list[Any]:
        """The same of every holder with the same arguments."""
        return self.ask(method, *([one] * len(self.actors) for one in given))

    def _result(self, number: int, future: Any) -> Any:
        """The answer of a holder; a call that breaks off on its way is never answered."""
        while True:
            try:
                return future.result(timeout=_PATIENCE)
            except TimeoutError as error:
                if self._futures[number].status != "finished":
                    raise OSError("The worker that held the rows is gone.") from error

    def close(self) -> None:
        """Let go of all holders."""
        self.actors = []
        self.session.release([future for future in self._futures if future is not None])
        self._futures = []

    def _submit(self, number: int, worker: str) -> None:
        """Have a holder made on a worker, or on another if that is gone meanwhile."""
        share = self.shares[number]
        self.fresh.add(number)
        future = self.session.client.submit(
            self.kind,
            share.held,
            *share.encoded,
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
                self.actors[number] = self._futures[number].result()
                return
            except Exception as error:
                _check_gone(error)
                self._lose([number], error)
                self._submit(number, next(iter(self.session.workers())))

    def _lose(self, gone: Sequence[int], error: Exception) -> None:
        """Count losses, and let go of what is left of the holders."""
        self.lost += len(gone)
        self._since += len(gone)
        if self._since > _MOST_LOSSES:
            raise RuntimeError(
                f"Workers were lost {self._since} times while nothing was finished. If memory is "
                "what they lack, use more of them or smaller partitions."
            ) from error
        self.session.release([self._futures[number] for number in gone])

    def finished(self) -> None:
        """Note that something was finished in spite of losses."""
        self._since = 0

    def _replace(self, gone: Sequence[int], error: Exception) -> None:
        """Make lost holders again."""
        self._lose(gone, error)
        workers = list(self.session.workers())
        for place, number in enumerate(gone):
            self._submit(number, workers[place % len(workers)])
        for number in gone:
            self._await(number)
        rows = sum(s.rows.stop - s.rows.start for s in (self.shares[number] for number in gone))
        _LOG.warning(f"A worker was lost; {rows:,} rows were read again, the round begins anew")


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
        shares.append(Share(held, [table.encoded[k] for k in parts], slice(first, after)))
        first = after
    return shares


def _check_gone(error: Exception) -> None:
    """Raise any error that does not say that a holder is lost."""
    from distributed.scheduler import KilledWorker

    if isinstance(error, OSError | KilledWorker):
        return
    kind = type(error).__module__.partition(".")[0]
    said = str(error)
    if kind == "distributed" or (
        isinstance(error, ValueError | KeyError | RuntimeError)
        and any(word in said for word in _GONE)
    ):
        return
    raise error
