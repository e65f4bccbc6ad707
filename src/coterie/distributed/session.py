"""What a fit puts on a cluster, and takes away again."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError
from coterie.native import stop_if_told

_LOG = logging.getLogger("coterie.distributed")
PATIENCE = 1.0  # seconds between two looks at whether those who should answer are still there
_BLINK = 0.2  # seconds between two looks at a cluster without workers
_REACH = 3.0  # seconds for a worker to answer
_UNEASE = 5.0  # seconds without workers after which the user is told
_ATTEMPTS = 5  # at a partition: each ends when it has cost Dask's allowed number of workers
_CLIENT = (
    "X is a Dask collection, but there is no Dask client. Start one first: "
    "`from dask.distributed import Client; client = Client()` on this machine, or "
    "`Client('tcp://scheduler:8786')` on a cluster."
)
_EXTRA = (
    "Dask collections need the package distributed. Install it with `pip install 'coterie[dask]'`."
)
_ALONE = (
    "No worker is left on the cluster, and none came back within {seconds:g} s. Start workers and "
    "fit again. If they need more time to restart, call "
    "dask.config.set({{'coterie.worker-timeout': '30 minutes'}}). A LocalCluster gives up on a "
    "worker that does not restart within Dask's distributed.deploy.lost-worker-timeout; "
    "cluster.scale(...) starts new ones."
)
_CUT_OFF = "The connection to the Dask scheduler is lost ({why})."


#: Settings of Dask for clusters that are started for a fit: looking at themselves less often.
CALM = {
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "200ms",
    "distributed.worker.profile.enabled": False,
}


class WorkersLostError(RuntimeError):
    """No worker is left on the cluster, and none came back in time."""


class NotDistributedError(NotImplementedError):
    """The operation is supported in memory, but not on Dask collections."""

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
        self._chose = False

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
        if self._chose:
            self.client.direct_to_workers = None

    def go_direct(self) -> None:
        """Speak to workers without the detour by the scheduler, if all of them can be reached.

        The client does so until the session ends, unless its user has decided on that.
        """
        if self.client.direct_to_workers is None:
            self._chose = True
            known = self.client.run(_name_of, on_error="ignore")
            self.client.direct_to_workers = bool(self.client.sync(self._reaches, known))

    async def _reaches(self, known: dict[str, str]) -> bool:
        """Whether those who answer at the addresses of workers are the workers of these names."""
        asked = [self.client.rpc(address).identity() for address in known]
        try:
            found = await asyncio.wait_for(asyncio.gather(*asked), timeout=_REACH)
        except (OSError, TimeoutError):
            return False
        return [one["id"] for one in found] == list(known.values())

    def keep(self, futures: Iterable[Any]) -> list[Any]:
        """Remember futures until they are released."""
        kept = list(futures)
        self._futures.update(kept)
        return kept

    def release(self, futures: Sequence[Any]) -> None:
        """Take results away from the cluster, finished or not."""
        if futures and self.client.status == "running":
            self.client.cancel(futures, force=True)
        self.forget(futures)

    def forget(self, futures: Sequence[Any]) -> None:
        """Let results go that nothing needs any more but what was made of them, which stays."""
        self._futures.difference_update(futures)
        for future in futures:
            future.release()

    def workers(self) -> dict[str, int]:
        """Addresses of the workers with their numbers of threads, at least one of them.

        Waits for one to come back, as long as Dask's setting ``coterie.worker-timeout`` says.
        """
        began, told = time.monotonic(), False
        while True:
            found = self._threads()
            waited = time.monotonic() - began
            if found:
                if told:
                    _LOG.warning(f"A worker came back after {waited:.0f} s; the fit continues")
                return dict(sorted(found.items()))
            longest = worker_timeout()
            if waited > longest:
                raise WorkersLostError(_ALONE.format(seconds=longest))
            if waited > _UNEASE and not told:
                told = True
                _LOG.warning(
                    f"No worker is left on the cluster; waiting up to {longest:.0f} s for one to "
                    "come back"
                )
            time.sleep(_BLINK)

    def _threads(self) -> dict[str, int]:
        """Threads of the workers that the scheduler knows."""
        if self.client.status in ("closing", "closed"):
            raise ConnectionError(_CUT_OFF.format(why=f"the client is {self.client.status}"))
        try:
            found: dict[str, int] = self.client.nthreads()
        except OSError as error:
            raise ConnectionError(_CUT_OFF.format(why=error)) from error
        return found

    def start(
        self,
        function: Any,
        parts: Sequence[Any],
        *each: Sequence[Any],
        places: Sequence[str] | None = None,
    ) -> list[Any]:
        """Begin ``function(part, *own)`` for every part, where `each` has an entry of its own.

        `places` are the workers that must do it, if that matters.
        """
        import dask

        task = dask.delayed(function, pure=False)
        # What several parts are given is sent once.
        known = {id(own): dask.delayed(own, traverse=False) for own in chain(*each)}
        tasks = []
        for k, (part, *given) in enumerate(zip(parts, *each, strict=True)):
            with dask.annotate(**({} if places is None else {"workers": [places[k]]})):
                tasks.append(task(part, *(known[id(own)] for own in given)))
        return self.keep(self.client.compute(tasks))

    def wait(self, futures: Sequence[Any], look: Callable[[], None] | None = None) -> None:
        """Wait until all have ended, well or badly, unless there are no workers for too long.

        `look` is called now and then, and raises if there is no use in waiting on.
        """
        from distributed import CancelledError, wait

        while True:
            try:
                wait(futures, timeout=PATIENCE)
            except TimeoutError:
                stop_if_told()
                self.workers()
                if look is not None:
                    look()
            except CancelledError:
                alive = [future for future in futures if not future.cancelled()]
                if alive:
                    self.wait(alive, look)
                return
            else:
                return

    def gather(self, futures: Sequence[Any], look: Callable[[], None] | None = None) -> list[Any]:
        """The results, here. Dask computes anew what is lost on the way, if there are workers.

        `look` is called as by `wait`: who must do it may be lost.
        """
        loop = self.client.loop.asyncio_loop
        coming = self.client.gather(list(futures), asynchronous=True)
        gathering = asyncio.run_coroutine_threadsafe(coming, loop)
        try:
            while True:
                try:
                    found: list[Any] = gathering.result(timeout=PATIENCE)
                    return found
                except TimeoutError:
                    if gathering.done():  # then it is the results' own
                        raise
                    stop_if_told()
                    self.workers()
                    if look is not None:
                        look()
        finally:
            gathering.cancel()

    def run(
        self,
        function: Any,
        parts: Sequence[Any],
        *each: Sequence[Any],
        names: Sequence[int] | None = None,
        renew: Callable[[], None] | None = None,
        places: Sequence[str] | None = None,
        look: Callable[[], None] | None = None,
    ) -> list[Any]:
        """``function(part, *own)`` of every part; what the loss of workers spoilt is done again.

        Parameters
        ----------
        function : callable
            Runs on workers.
        parts, each : lists
            See `start`.
        names : list of int or None
            Numbers of the partitions for errors; None if these are all of them.
        renew : callable or None
            Mends entries of `parts` that were spoilt themselves, in place.
        places, look : list of str or None, callable or None
            See `start` and `wait`.
        """

        def start(some: Sequence[int]) -> list[Any]:
            own = [[given[k] for k in some] for given in each]
            where = None if places is None else [places[k] for k in some]
            return self.start(function, [parts[k] for k in some], *own, places=where)

        futures = start(range(len(parts)))
        try:
            for _ in range(_ATTEMPTS):
                self.wait(futures, look)
                _check(futures, names)
                again = [k for k, future in enumerate(futures) if is_spoilt(future)]
                found = None if again else self._unless_lost(futures, look)
                if found is not None:
                    return found
                self.release([futures[k] for k in again])
                if renew is not None:
                    renew()
                for k, future in zip(again, start(again) if again else (), strict=True):
                    futures[k] = future
            self.wait(futures, look)
            _check(futures, names, allow_loss=False)
            return self.gather(futures, look)
        finally:
            self.release(futures)

    def _unless_lost(self, futures: list[Any], look: Callable[[], None] | None) -> list[Any] | None:
        """The results; None if they were lost on the way."""
        try:
            return self.gather(futures, look)
        except Exception as error:
            if not is_loss(error):
                raise
            return None

    def fetch(self, collection: Any) -> Any:
        """All of a Dask collection, here. Integers of arrays travel as short as they can be."""
        from dask.array import Array as DaskArray

        whole: list[Any] = [collection]
        short = isinstance(collection, DaskArray) and collection.dtype.kind in "iu"
        if short:  # Dask would put blocks together in the type of the first
            rows = collection.rechunk(dict.fromkeys(range(1, collection.ndim), -1))
            whole = rows.map_blocks(_narrowed, dtype=rows.dtype).to_delayed().ravel().tolist()
        for _ in range(_ATTEMPTS):
            futures = self.keep(self.client.compute(whole))
            try:
                self.wait(futures)
                spoilt = [future for future in futures if is_spoilt(future)]
                if not spoilt:
                    found = self.gather(futures)
                    if not short:
                        return found[0]
                    return np.concatenate(found).astype(collection.dtype, copy=False)
                error = error_of(spoilt[0])
            finally:
                self.release(futures)
        raise error


def _narrowed(block: NDArray[Any]) -> NDArray[Any]:
    """Integers in the shortest type for them, of which those of several blocks fit the block's."""
    if not block.size:
        return block
    kind = np.result_type(np.min_scalar_type(block.min()), np.min_scalar_type(block.max()))
    return block.astype(kind) if kind.itemsize < block.itemsize else block


def _name_of(dask_worker: Any) -> str:
    """A name that no other worker ever has."""
    name: str = dask_worker.id
    return name


def worker_timeout() -> float:
    """Seconds that a fit waits for a worker when there is none."""
    import dask
    from dask.utils import parse_timedelta

    return float(parse_timedelta(dask.config.get("coterie.worker-timeout", "5 minutes")))


def is_spoilt(future: Any) -> bool:
    """Whether a task ended because workers did, and not by an error of its own."""
    return future.status in ("error", "cancelled") and is_loss(error_of(future))


def is_loss(error: BaseException | None) -> bool:
    """Whether an error is what Dask says of tasks whose workers were lost."""
    from distributed import CancelledError
    from distributed.scheduler import KilledWorker

    lost_actor = isinstance(error, RuntimeError) and "holding Actor was lost" in str(error)
    return lost_actor or isinstance(error, CancelledError | KilledWorker)


def error_of(future: Any) -> BaseException:
    """The error of a task that has failed."""
    from distributed import CancelledError

    if future.status == "cancelled":
        return CancelledError(future.key)
    try:
        error: BaseException | None = future.exception(timeout=PATIENCE)
    except (CancelledError, TimeoutError) as gone:
        error = gone
    return CancelledError(future.key) if error is None else error


def _check(futures: Sequence[Any], names: Sequence[int] | None, *, allow_loss: bool = True) -> None:
    """Raise the first error of parts; it says which of them."""
    for k, future in enumerate(futures):
        if future.status in ("error", "cancelled") and not (allow_loss and is_spoilt(future)):
            raise named(k if names is None else names[k], error_of(future))


def named(number: int, error: BaseException) -> Exception:
    """An error of a partition that says of which."""
    from distributed.scheduler import KilledWorker

    if isinstance(error, DataError):
        found: Exception = type(error)(f"Partition {number} of X: {error}")
    elif isinstance(error, KilledWorker):
        found = RuntimeError(
            f"Partition {number} of X could not be computed: every worker that tried was lost. If "
            "they ran out of memory, use smaller partitions, or workers with more memory."
        )
    else:
        found = DataError(
            f"Partition {number} of X could not be computed ({type(error).__name__}: {error})."
        )
    found.__cause__ = error
    return found
