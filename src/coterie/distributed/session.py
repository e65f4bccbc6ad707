"""What a fit puts on a cluster, and takes away again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from coterie.data import DataError

_CLIENT = (
    "X is a Dask collection, and there is no Dask client to work on it. Start one first: "
    "`from dask.distributed import Client; client = Client()` on this machine, or "
    "`Client('tcp://scheduler:8786')` on a cluster."
)
_EXTRA = (
    "Rows in a Dask collection need the package distributed. Install it with "
    "`pip install 'coterie[dask]'`."
)


class NotDistributedError(NotImplementedError):
    """Something works in memory, but not on a Dask collection."""

    @classmethod
    def of(cls, what: str) -> NotDistributedError:
        """The error for a thing, with the cure."""
        return cls(
            f"{what} is not supported on Dask collections. If the table fits in memory, pass "
            "X.compute() and y.compute()."
        )


class Session:
    """A fit's dealings with a cluster: everything submitted is remembered, and let go at the end.

    Used as a context, it cleans up after success, failure and interrupts alike.

    Parameters
    ----------
    client : dask.distributed.Client
        The cluster's client.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._futures: set[Any] = set()

    @classmethod
    def open(cls) -> Session:
        """A session with the client of this thread."""
        try:
            from distributed import get_client
        except ImportError as error:
            raise ImportError(_EXTRA) from error
        try:
            return cls(get_client())
        except ValueError as error:
            raise ValueError(_CLIENT) from error

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.release(list(self._futures))

    def keep(self, futures: Iterable[Any]) -> list[Any]:
        """Remember futures until they are released."""
        kept = list(futures)
        self._futures.update(kept)
        return kept

    def release(self, futures: Sequence[Any]) -> None:
        """Take results away from the cluster, finished or not."""
        self._futures.difference_update(futures)
        if futures and self.client.status == "running":
            self.client.cancel(futures, force=True)
        for future in futures:
            future.release()

    def workers(self) -> dict[str, int]:
        """Addresses of the workers with their numbers of threads, at least one of them."""
        found: dict[str, int] = self.client.nthreads()
        while not found:
            self.client.wait_for_workers(1)
            found = self.client.nthreads()
        return dict(sorted(found.items()))

    def start(self, function: Any, parts: Sequence[Any], *each: Sequence[Any]) -> list[Any]:
        """Begin ``function(part, *own)`` for every part, where `each` has an entry of its own."""
        import dask

        task = dask.delayed(function, pure=False)
        # What several parts are given is sent once.
        known = {id(own): dask.delayed(own, traverse=False) for own in chain(*each)}
        tasks = [
            task(part, *(known[id(own)] for own in given))
            for part, *given in zip(parts, *each, strict=True)
        ]
        return self.keep(self.client.compute(tasks))

    def collect(self, futures: Sequence[Any], *, keep: bool = False) -> list[Any]:
        """The results; an error says which of the parts it is about."""
        from distributed import wait

        try:
            wait(futures)
            for number, future in enumerate(futures):
                if future.status == "error":
                    raise _named(number, future.exception())
            return [] if keep else self.client.gather(futures)
        finally:
            if not keep:
                self.release(list(futures))

    def run(self, function: Any, parts: Sequence[Any], *each: Sequence[Any]) -> list[Any]:
        """``function(part, *own)`` of every part."""
        return self.collect(self.start(function, parts, *each))


def _named(number: int, error: BaseException) -> Exception:
    """An error of a partition that says of which."""
    if isinstance(error, DataError):
        named: Exception = type(error)(f"Partition {number} of X: {error}")
    else:
        named = DataError(
            f"Partition {number} of X could not be computed ({type(error).__name__}: {error})."
        )
    named.__cause__ = error
    return named
