"""Members in threads, or wherever a joblib backend puts them."""

from __future__ import annotations

import ctypes
import itertools
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, cpu_count, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

from coterie.core.executor import Executor
from coterie.native import obey, stop_if_told

Item = TypeVar("Item")
Result = TypeVar("Result")

# More workers than this never helps, and n_jobs=100_000 must not try to start them.
_MOST_WORKERS = 256
_PATIENCE = 0.02  # seconds between two looks at the workers
_INSISTENCE = 1.0  # seconds after which workers are told again to stop
# Where members are fitted instead, if somebody said so.
_ELSEWHERE: ContextVar[Executor | None] = ContextVar("elsewhere", default=None)


@contextmanager
def members_on(executor: Executor) -> Iterator[None]:
    """Let an executor fit the members meanwhile, in place of the threads of this process."""
    token = _ELSEWHERE.set(executor)
    try:
        yield
    finally:
        _ELSEWHERE.reset(token)


class JoblibExecutor:
    """Threads by default, since native code runs without the interpreter's lock.

    A backend chosen with ``joblib.parallel_config`` is respected, processes included. Threads are
    plain ones: an interrupt must end them wherever it strikes, and joblib's can be left waiting
    for one another. An error or an interrupt leaves `map` when all threads have ended; a second
    interrupt leaves at once, and the process does not end before they do.

    Parameters
    ----------
    n_jobs : int or None
        As in joblib: None is 1 unless a ``parallel_config`` says otherwise, -1 is every core.
    verbose : int
        Above 0, report progress; the more, the more often.
    apart : bool, default=False
        Whether a single worker is a thread of its own, too: there it can be told to stop.

    Attributes
    ----------
    stop : ndarray of shape (1,), dtype uint8
        Handed to native code; set when the fit is interrupted, so that running trees end at
        once instead of growing on in the background.
    """

    def __init__(self, n_jobs: int | None, verbose: int = 0, *, apart: bool = False) -> None:
        self.n_jobs, self.apart = n_jobs, apart
        self.verbose = int(verbose)
        self.stop = np.zeros(1, dtype=np.uint8)

    @property
    def width(self) -> int:
        """How many items are worked on at a time."""
        return worker_count(self.n_jobs)

    def map(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """``task(item)`` for every item, in the order of the items."""
        elsewhere = _ELSEWHERE.get()
        if elsewhere is not None:
            return list(elsewhere.map(task, items))
        workers = min(worker_count(self.n_jobs), len(items))
        backend, _ = get_active_backend(prefer="threads")
        try:
            if workers > 1 and not getattr(backend, "supports_sharedmem", False):
                jobs = Parallel(n_jobs=workers, verbose=self.verbose)
                return jobs(delayed(task)(item) for item in items)
            crew = _Crew(task, items, self.stop, _Reporter(len(items), self.verbose))
            return crew.work(workers, inline=workers <= 1 and not self.apart)
        except BaseException:
            self.stop[0] = 1
            raise


class _Reporter:
    """Says how many tasks are done, at most once in a while."""

    def __init__(self, total: int, verbose: int) -> None:
        self.total, self.verbose = total, verbose
        self.every = 10.0 / max(verbose, 1)
        self.began = self.last = time.monotonic()

    def tell(self, done: int) -> None:
        now = time.monotonic()
        if not self.verbose or (done < self.total and now - self.last < self.every):
            return
        self.last = now
        print(f"Done {done} of {self.total} in {now - self.began:.1f} s", file=sys.stderr)


class _Cancelled(BaseException):
    """Raised in the midst of a worker. No KeyboardInterrupt: some estimators catch those."""


class _Crew:
    """Workers that take the next item each, until there are none or somebody says stop.

    They are no daemons. Those are torn out of native code when the interpreter ends, which aborts
    the process; these it waits for. When the work is cancelled, native code sees the flag, Python
    code meets an exception, and compiled code of others ends what it is at: nothing can stop that.
    """

    def __init__(
        self,
        task: Callable[[Any], Any],
        items: Sequence[Any],
        stop: NDArray[np.uint8],
        reporter: _Reporter,
    ) -> None:
        self.task, self.items, self.stop, self.reporter = task, items, stop, reporter
        self.results: list[Any] = [None] * len(items)
        self.errors: list[BaseException] = []
        self.numbers = itertools.count()  # the next one is taken atomically
        self.done = itertools.count(1)
        self.inside: set[int] = set()  # threads in which an exception may be raised
        self.told: set[int] = set()  # threads in which one was raised
        self.quiet = threading.Event()  # nobody is about to raise one
        self.quiet.set()

    def work(self, workers: int, *, inline: bool) -> list[Any]:
        """All results; the first error of a worker is raised here."""
        if inline:
            self._take_items()
        else:
            crew = [_Worker(self) for _ in range(workers)]
            try:
                for worker in crew:
                    worker.start()
                for worker in crew:
                    while not (worker.gone.wait(_PATIENCE) or self.errors):
                        stop_if_told()  # an interrupt leaves from here, too
            except BaseException:
                self._dismiss(crew)
                raise
            if self.errors:
                self._dismiss(crew)
            for worker in crew:
                worker.join()
        if self.errors:
            raise self.errors[0]
        return self.results

    def _dismiss(self, crew: Sequence[_Worker]) -> None:
        """Tell the workers to stop and wait for them; a second interrupt waits no longer."""
        self.stop[0] = 1
        if any(worker.ident is None for worker in crew):
            time.sleep(_PATIENCE)  # an interrupt can strike while one is being started
        left = [worker for worker in crew if worker.ident is not None]
        told = -np.inf
        while left:
            try:
                # Once more if need be: finalisers and callbacks swallow what is raised in them.
                if time.monotonic() - told >= _INSISTENCE and self._tell(left):
                    told = time.monotonic()
                left[0].gone.wait(_PATIENCE)
                left = [worker for worker in left if not worker.gone.is_set()]
            except _Cancelled:
                pass  # this is a worker of another crew, and is about to stop
        for worker in crew:
            if worker.gone.is_set():
                worker.join()

    def _tell(self, workers: Sequence[_Worker]) -> bool:
        """Raise an exception in the workers; False if some could not be told yet."""
        self.quiet.clear()
        everybody = True
        try:
            for worker in workers:
                ident = worker.ident
                if ident not in self.inside or worker.gone.is_set():
                    continue
                if _starts_a_thread(ident):
                    everybody = False
                    continue
                self.told.add(ident)
                _raise_in(ident, _Cancelled)
        finally:
            self.quiet.set()
        return everybody

    def serve(self) -> None:
        """The life of a worker. Nothing is raised in it before it is inside or after it left."""
        ident = threading.get_ident()
        obey(self.stop)
        try:
            try:
                self.inside.add(ident)
                self._take_items()
            finally:
                self.inside.discard(ident)
                self.quiet.wait(1.0)  # whoever took it for inside has told it by then
                # Not without need: under a profiler, Python 3.11 never comes back from it.
                if ident in self.told:
                    _raise_in(ident, None)
        except _Cancelled:
            pass  # on its way out

    def _take_items(self) -> None:
        try:
            for number in self.numbers:
                if number >= len(self.items) or self.stop[0]:
                    return
                self.results[number] = self.task(self.items[number])
                self.reporter.tell(next(self.done))
        except BaseException as error:
            self.errors.append(error)


class _Worker(threading.Thread):
    """A thread that tells when it is done.

    ``join`` and ``is_alive`` do not: Python 3.11 takes a thread for ended once an interrupt has
    struck while it was being joined.
    """

    def __init__(self, crew: _Crew) -> None:
        super().__init__(daemon=False)
        self.crew, self.gone = crew, threading.Event()

    def run(self) -> None:
        """Serve the crew."""
        try:
            self.crew.serve()
        finally:
            self.gone.set()
            del self.crew


def _starts_a_thread(ident: int) -> bool:
    """Whether a thread is waiting for another one to begin.

    Until that one runs, it goes by the number of the thread that starts it: an exception meant for
    the one would end the other before it can say that it has begun, and both would wait for ever.
    """
    frame = sys._current_frames().get(ident)
    while frame is not None and frame.f_code is not threading.Thread.start.__code__:
        frame = frame.f_back
    return frame is not None


def _raise_in(ident: int, error: type[BaseException] | None) -> None:
    """Raise an exception in another thread at its next step in Python; None takes it back."""
    thrown = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), thrown)


def worker_count(n_jobs: int | None) -> int:
    """How many workers `n_jobs` stands for here and now; if they are elsewhere, how many are."""
    elsewhere = _ELSEWHERE.get()
    if elsewhere is not None:
        return elsewhere.width
    return min(effective_n_jobs(n_jobs), _MOST_WORKERS)


def thread_count(n_jobs: int | None) -> int:
    """How many native threads `n_jobs` stands for: never more than there are cores.

    Left to joblib's backend for Dask it is one: that counts the workers of a cluster, each of which
    may be at a fit of its own.
    """
    backend, _ = get_active_backend()
    if n_jobs is None and type(backend).__module__ == "joblib._dask":
        return 1
    threads = effective_n_jobs(n_jobs)
    return threads if threads == 1 else min(threads, cpu_count())
