"""Members fitted on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from coterie.distributed.session import Session

Item = TypeVar("Item")
Result = TypeVar("Result")

_SHARES = 4  # tasks per thread, so that the slowest is not waited for too long
_ATTEMPTS = 10


class ClusterExecutor:
    """Hands what all members share to every worker once, and a few members to each in turn.

    Parameters
    ----------
    session : Session
        The cluster.
    """

    def __init__(self, session: Session) -> None:
        self.session = session

    def map(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """``task(item)`` for every item, in the order of the items.

        What a lost worker was at is done again by others.
        """
        from distributed import CancelledError
        from distributed.scheduler import KilledWorker

        for attempt in range(_ATTEMPTS):
            try:
                return self._map(task, items)
            except (CancelledError, KilledWorker):
                # All workers that had what members share are gone.
                if attempt == _ATTEMPTS - 1:
                    raise
        return []

    def _map(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        session, threads = self.session, sum(self.session.workers().values())
        (shared,) = session.keep([session.client.scatter(task, broadcast=True, hash=False)])
        size = max(1, -(-len(items) // (_SHARES * threads)))
        batches = [list(items[i : i + size]) for i in range(0, len(items), size)]
        given = [shared] * len(batches)
        futures = session.keep(session.client.map(_fit_batch, given, batches, pure=False))
        try:
            return [member for batch in session.client.gather(futures) for member in batch]
        finally:
            session.release([shared, *futures])


def _fit_batch(task: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return [task(item) for item in items]
