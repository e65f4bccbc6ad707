"""Members in joblib's threads or processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from joblib import Parallel, cpu_count, delayed, effective_n_jobs

Item = TypeVar("Item")
Result = TypeVar("Result")

# More workers than this never helps, and n_jobs=100_000 must not try to start them.
_MOST_WORKERS = 256


class JoblibExecutor:
    """Threads by default, since native code runs without the interpreter's lock.

    A backend chosen with ``joblib.parallel_config`` is respected, processes included.

    Parameters
    ----------
    n_jobs : int or None
        As in joblib: None is 1 unless a ``parallel_config`` says otherwise, -1 is every core.
    verbose : int
        Progress messages, as in joblib.

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
        try:
            if workers <= 1 and not self.verbose:
                return [task(item) for item in items]
            jobs = Parallel(n_jobs=max(workers, 1), verbose=self.verbose, prefer="threads")
            return jobs(delayed(task)(item) for item in items)
        except BaseException:
            self.stop[0] = 1
            raise


def worker_count(n_jobs: int | None) -> int:
    """How many workers `n_jobs` stands for here and now."""
    return min(effective_n_jobs(n_jobs), _MOST_WORKERS)


def thread_count(n_jobs: int | None) -> int:
    """How many native threads `n_jobs` stands for: never more than there are cores."""
    threads = effective_n_jobs(n_jobs)
    return threads if threads == 1 else min(threads, cpu_count())
