"""Members fitted on the workers of a cluster."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from coterie.distributed.session import Session, error_of, is_loss, is_spoilt

Item = TypeVar("Item")
Result = TypeVar("Result")

_SHARES = 4  # tasks per thread, so that the slowest is not waited for too long
_ATTEMPTS = 10  # that bring nothing new: more are no accidents
_LARGE = 1 << 16  # bytes of an array that is worth looking after by itself


class ClusterExecutor:
    """Hands what all members share to every worker once, and a few members to each in turn.

    Large arrays within it are known by their content: if several tasks have the same rows, as the
    candidates of a search do, these are sent once.

    Parameters
    ----------
    session : Session
        The cluster.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._sent: dict[bytes, Any] = {}

    @property
    def width(self) -> int:
        """How many items are worked on at a time."""
        return sum(self.session.workers().values())

    def map(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """``task(item)`` for every item, in the order of the items.

        What a lost worker was at is done again by others.
        """
        size = max(1, -(-len(items) // (_SHARES * self.width)))
        batches = [list(items[i : i + size]) for i in range(0, len(items), size)]
        found: dict[int, list[Result]] = {}
        fruitless = 0
        while len(found) < len(batches):
            before = len(found)
            loss = self._attempt(task, batches, found)
            fruitless = fruitless + 1 if len(found) == before else 0
            if fruitless == _ATTEMPTS:
                raise RuntimeError(
                    f"Workers were lost {fruitless} times before any member was finished. If they "
                    "ran out of memory, use workers with more memory."
                ) from loss
        return [member for k in range(len(batches)) for member in found[k]]

    def _attempt(
        self,
        task: Callable[[Item], Result],
        batches: Sequence[list[Item]],
        found: dict[int, list[Result]],
    ) -> BaseException | None:
        """Fit the batches that are not found yet; what hindered it, if workers were lost."""
        session = self.session
        session.workers()
        missing = [k for k in range(len(batches)) if k not in found]
        try:
            shared, arrays = self._share(task)
        except OSError as error:  # of the way to a worker
            return error
        submit = session.client.submit
        futures = session.keep(
            submit(_fit_batch, shared, batches[k], *arrays, pure=False) for k in missing
        )
        try:
            session.wait(futures)
            losses = []
            for k, future in zip(missing, futures, strict=True):
                loss = self._take(future, k, found)
                if loss is not None:
                    losses.append(loss)
            return losses[0] if losses else None
        finally:
            session.release([shared, *futures])

    def _share(self, task: Callable[[Any], Any]) -> tuple[Any, list[Any]]:
        """A task on every worker, and the large arrays that belong to it."""
        import cloudpickle  # comes with Dask

        parts: list[Any] = []

        def is_small(part: Any) -> bool:
            with part.raw() as memory:
                large = memory.nbytes >= _LARGE
                if large:
                    parts.append(np.frombuffer(memory, dtype=np.uint8))
            return not large

        said = cloudpickle.dumps(task, protocol=5, buffer_callback=is_small)
        arrays = [self._send(part) for part in parts]
        return self._scatter(said), arrays

    def _send(self, array: Any) -> Any:
        """The future of an array, which is sent unless the workers have it."""
        known = hashlib.sha256(array).digest()
        future = self._sent.get(known)
        if future is None or future.status != "finished":
            future = self._sent[known] = self._scatter(array)
        return future

    def _scatter(self, value: Any) -> Any:
        # To one worker, from which others take it: while it is sent to all of them, Dask would try
        # for ever to reach one that is lost.
        (future,) = self.session.keep([self.session.client.scatter(value, hash=False)])
        return future

    def _take(self, future: Any, number: int, found: dict[int, Any]) -> BaseException | None:
        """Note the members of a batch; the error if they are lost, while their own is raised."""
        if is_spoilt(future):
            return error_of(future)
        try:
            (found[number],) = self.session.gather([future])
        except Exception as error:
            if not is_loss(error):
                raise
            return error
        return None


def _fit_batch(said: bytes, items: Sequence[Any], *arrays: Any) -> list[Any]:
    """What a task makes of some items; `arrays` are the large ones that belong to it."""
    task = pickle.loads(said, buffers=arrays)
    return [task(item) for item in items]
