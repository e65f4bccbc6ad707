"""Rows of requests that wait are predicted together."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from coterie.serve.bodies import Rows, taken
from coterie.serve.predictions import asked
from coterie.serve.shelf import Served

__all__ = ["Batcher"]

# What takes so few rows is Python's own work, of which two threads do no more than one.
_FEW = 100


@dataclass
class _Waiting:
    rows: Any
    answer: asyncio.Future[NDArray[Any]]


@dataclass
class Batcher:
    """Asks models in threads; requests that arrive meanwhile are put together.

    Nothing waits for company: a request that finds a thread free is answered at once, except that
    few rows wait for others that are few. Predictions of a row do not depend on the rows beside it.

    Parameters
    ----------
    threads : int
        Number of predictions that run in parallel.
    max_rows : int
        Rows that are predicted together at most; a larger request goes alone.
    """

    threads: int
    max_rows: int
    queues: dict[int, list[_Waiting]] = field(default_factory=lambda: defaultdict(list))
    models: dict[int, Served] = field(default_factory=dict)
    running: int = 0
    few_running: bool = False
    n_batches: int = 0

    def __post_init__(self) -> None:
        self.pool = ThreadPoolExecutor(self.threads, thread_name_prefix="predict")

    async def ask(self, served: Served, rows: Any) -> NDArray[Any]:
        """What a model says about the rows of one request."""
        answer = asyncio.get_running_loop().create_future()
        self.models[id(served)] = served
        self.queues[id(served)].append(_Waiting(rows, answer))
        self._start()
        return await answer

    def _start(self) -> None:
        # First come, first served among models.
        for key in list(self.queues):
            while self.running < self.threads and self.queues[key]:
                few = sum(len(one.rows) for one in self.queues[key]) < _FEW
                if self.few_running and few:
                    break
                batch = self._take(self.queues[key])
                self.running += 1
                self.n_batches += 1
                self.few_running |= few
                asyncio.get_running_loop().create_task(self._run(self.models[key], batch, few))
            if not self.queues[key]:
                del self.queues[key], self.models[key]

    def _take(self, queue: list[_Waiting]) -> list[_Waiting]:
        rows, count = 0, 0
        for waiting in queue:
            rows += len(waiting.rows)
            if count and (rows > self.max_rows or not _alike(queue[0], waiting)):
                break
            count += 1
        batch, queue[:] = queue[:count], queue[count:]
        return [one for one in batch if not one.answer.cancelled()]

    async def _run(self, served: Served, batch: list[_Waiting], few: bool) -> None:
        try:
            await self._answer(served, batch)
        finally:
            self.running -= 1
            self.few_running &= not few
            self._start()

    async def _answer(self, served: Served, batch: list[_Waiting]) -> None:
        if not batch:
            return
        loop = asyncio.get_running_loop()
        try:
            said = await loop.run_in_executor(self.pool, _ask, served, batch)
        except Exception as error:
            if len(batch) == 1:
                _tell(batch[0], error=error)
                return
            # One bad request must not harm the others.
            for one in batch:
                await self._answer(served, [one])
            return
        first = 0
        for one in batch:
            _tell(one, said[first : first + len(one.rows)])
            first += len(one.rows)

    def close(self) -> None:
        """Let the threads end."""
        self.pool.shutdown(wait=True, cancel_futures=True)


def _alike(one: _Waiting, other: _Waiting) -> bool:
    if isinstance(one.rows, Rows) or isinstance(other.rows, Rows):
        return type(one.rows) is type(other.rows)
    return bool(one.rows.schema.equals(other.rows.schema))


def _ask(served: Served, batch: list[_Waiting]) -> NDArray[Any]:
    import pyarrow as pa

    rows = [one.rows for one in batch]
    if isinstance(rows[0], Rows):
        together = Rows([cells for one in rows for cells in one.cells])
        return asked(served, taken(served.fitted, together))
    return asked(served, rows[0] if len(rows) == 1 else pa.concat_tables(rows))


def _tell(one: _Waiting, said: Any = None, error: Exception | None = None) -> None:
    if one.answer.done():  # the client has gone
        return
    if error is None:
        one.answer.set_result(said)
    else:
        one.answer.set_exception(error)
