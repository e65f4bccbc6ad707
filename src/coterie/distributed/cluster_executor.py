"""Members fitted on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from coterie.distributed.session import Session, error_of, is_loss, is_spoilt

Item = TypeVar("Item")
Result = TypeVar("Result")

_SHARES = 4  # tasks per thread, so that the slowest is not waited for too long
_ATTEMPTS = 10  # that bring nothing new: more are no accidents


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
        threads = sum(self.session.workers().values())
        size = max(1, -(-len(items) // (_SHARES * threads)))
        batches = [list(items[i : i + size]) for i in range(0, len(items), size)]
        found: dict[int, list[Result]] = {}
        fruitless = 0
        while len(found) < len(batches):
            before = len(found)
            loss = self._attempt(task, batches, found)
            fruitless = fruitless + 1 if len(found) == before else 0
            if fruitless == _ATTEMPTS:
                raise RuntimeError(
                    f"Workers were lost {fruitless} times while no member was finished. If memory "
                    "is what they lack, use workers with more of it."
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
            (shared,) = session.keep([session.client.scatter(task, broadcast=True, hash=False)])
        except OSError as error:  # of the way to a worker
            return error
        given = [shared] * len(missing), [batches[k] for k in missing]
        futures = session.keep(session.client.map(_fit_batch, *given, pure=False))
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


def _fit_batch(task: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return [task(item) for item in items]
