"""Members in threads, or wherever a joblib backend puts them."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, cpu_count, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

Item = TypeVar("Item")
Result = TypeVar("Result")

# More workers than this never helps, and n_jobs=100_000 must not try to start them.
_MOST_WORKERS = 256
_PATIENCE = 0.02  # seconds between two looks at the workers


class JoblibExecutor:
    """Threads by default, since native code runs without the interpreter's lock.

    A backend chosen with ``joblib.parallel_config`` is respected, processes included. Threads are
    plain ones: an interrupt must end them wherever it strikes, and joblib's can be left waiting
    for one another.

    Parameters
    ----------
    n_jobs : int or None
        As in joblib: None is 1 unless a ``parallel_config`` says otherwise, -1 is every core.
    verbose : int
        Above 0, report progress; the more, the more often.

    Attributes
    ----------
    stop : ndarray of shape (1,), dtype uint8
        Handed to native code; set when the fit is interrupted, so that running trees end at
        once instead of growing on in the background.
    """

    def __init__(self, n_jobs: int | None, verbose: int = 0) -> None:
        self.n_jobs = n_jobs
        self.verbose = int(verbose)
        self.stop = np.zeros(1, dtype=np.uint8)

    def map(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """``task(item)`` for every item, in the order of the items."""
        workers = min(worker_count(self.n_jobs), len(items))
        backend, _ = get_active_backend(prefer="threads")
        try:
            if workers > 1 and not getattr(backend, "supports_sharedmem", False):
                jobs = Parallel(n_jobs=workers, verbose=self.verbose)
                return jobs(delayed(task)(item) for item in items)
            return _Crew(task, items, self.stop, _Reporter(len(items), self.verbose)).work(workers)
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


class _Crew:
    """Workers that take the next item each, until there are none or somebody says stop."""

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

    def work(self, workers: int) -> list[Any]:
        """All results; the first error of a worker is raised here."""
        if workers <= 1:
            self._take_items()
        else:
            crew = [threading.Thread(target=self._take_items, daemon=True) for _ in range(workers)]
            for worker in crew:
                worker.start()
            for worker in crew:
                while worker.is_alive() and not self.errors:
                    worker.join(_PATIENCE)  # an interrupt leaves from here
        if self.errors:
            raise self.errors[0]
        return self.results

    def _take_items(self) -> None:
        try:
            for number in self.numbers:
                if number >= len(self.items) or self.stop[0]:
                    return
                self.results[number] = self.task(self.items[number])
                self.reporter.tell(next(self.done))
        except BaseException as error:
            self.errors.append(error)


def worker_count(n_jobs: int | None) -> int:
    """How many workers `n_jobs` stands for here and now."""
    return min(effective_n_jobs(n_jobs), _MOST_WORKERS)


def thread_count(n_jobs: int | None) -> int:
    """How many native threads `n_jobs` stands for: never more than there are cores."""
    threads = effective_n_jobs(n_jobs)
    return threads if threads == 1 else min(threads, cpu_count())
