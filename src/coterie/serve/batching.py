"""Rows of requests that wait are predicted together."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from coterie.serve.predictions import asked
from coterie.serve.shelf import Served

__all__ = ["Batcher"]


@dataclass
class _Waiting:
    table: Any
    answer: asyncio.Future[NDArray[Any]]


@dataclass
class Batcher:
    """Asks models in threads; requests that arrive meanwhile are put together.

    Nothing waits for company: a request that finds a thread free is answered at once. Predictions
    of a row do not depend on the rows beside it.

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
    n_batches: int = 0

    def __post_init__(self) -> None:
        self.pool = ThreadPoolExecutor(self.threads, thread_name_prefix="predict")

    async def ask(self, served: Served, table: Any) -> NDArray[Any]:
        """What a model says about the rows of one request."""
        answer = asyncio.get_running_loop().create_future()
        self.models[id(served)] = served
        self.queues[id(served)].append(_Waiting(table, answer))
        self._start()
        return await answer

    def _start(self) -> None:
        while self.running < self.threads and self.queues:
            # First come, first served among models.
            key = next(iter(self.queues))
            batch = self._take(self.queues[key])
            served = self.models[key]
            if not self.queues[key]:
                del self.queues[key], self.models[key]
            self.running += 1
            self.n_batches += 1
            asyncio.get_running_loop().create_task(self._run(served, batch))

    def _take(self, queue: list[_Waiting]) -> list[_Waiting]:
        rows, count = 0, 0
        for waiting in queue:
            rows += len(waiting.table)
            if count and (rows > self.max_rows or not _alike(queue[0], waiting)):
                break
            count += 1
        batch, queue[:] = queue[:count], queue[count:]
        return [one for one in batch if not one.answer.cancelled()]

    async def _run(self, served: Served, batch: list[_Waiting]) -> None:
        try:
            await self._answer(served, batch)
        finally:
            self.running -= 1
            self._start()

    async def _answer(self, served: Served, batch: list[_Waiting]) -> None:
        if not batch:
            return
        loop = asyncio.get_running_loop()
        try:
            said = await loop.run_in_executor(self.pool, asked, served, _together(batch))
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
            _tell(one, said[first : first + len(one.table)])
            first += len(one.table)

    def close(self) -> None:
        """Let the threads end."""
        self.pool.shutdown(wait=True, cancel_futures=True)


def _alike(one: _Waiting, other: _Waiting) -> bool:
    return bool(one.table.schema.equals(other.table.schema))


def _together(batch: list[_Waiting]) -> Any:
    import pyarrow as pa

    return batch[0].table if len(batch) == 1 else pa.concat_tables([one.table for one in batch])


def _tell(one: _Waiting, said: Any = None, error: Exception | None = None) -> None:
    if one.answer.done():  # the client has gone
        return
    if error is None:
        one.answer.set_result(said)
    else:
        one.answer.set_exception(error)
