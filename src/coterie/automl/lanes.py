"""Splits side by side: each is fitted in one thread, which wastes less than threads within fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from joblib import parallel_config
from threadpoolctl import threadpool_limits  # comes with scikit-learn

from coterie.base import JoblibExecutor, worker_count

Item = TypeVar("Item")
Result = TypeVar("Result")


class Lanes:
    """Threads, or workers of a cluster, that take one item after the other.

    Parameters
    ----------
    n_items : int
        How many there will be: no more threads than that are used.
    apart : bool, default=False
        Whether even a single lane is a thread of its own, in which members of others can be told
        to stop.

    Attributes
    ----------
    number : int
        How many items are worked on at a time.

    Examples
    --------
    >>> Lanes(3).map(abs, [-1, -2, -3])
    [1, 2, 3]
    """

    def __init__(self, n_items: int, *, apart: bool = False) -> None:
        self._threads = worker_count(None)
        self.number = max(1, min(self._threads, n_items))
        self._executor = JoblibExecutor(self.number, apart=apart)
        self._apart = apart

    def map(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """``task(item)`` for every item, in the order of the items.

        Members find one thread for each of them, and BLAS keeps to one as well.
        """
        if self.number == 1:
            return self._executor.map(self._with_all_threads(task), items)
        with (
            threadpool_limits(1, "blas"),
            parallel_config(backend="threading", n_jobs=self.number),
        ):
            return self._executor.map(task, items)

    def _with_all_threads(self, task: Callable[[Item], Result]) -> Callable[[Item], Result]:
        """The task with the threads that the caller may use, which another thread knows not of."""
        if not self._apart:
            return task

        def work(item: Item) -> Result:
            with parallel_config(backend="threading", n_jobs=self._threads):
                return task(item)

        return work

    def rounds(self, n_items: int) -> int:
        """How often the lanes are filled until so many items are done."""
        return -(-n_items // self.number)
