"""Where the work of independent members is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Applies a function to items, anywhere, and gives the results back in order."""

    @property
    def width(self) -> int:
        """How many items are worked on at a time."""
        ...

    def map(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        """``task(item)`` for every item, in the order of the items."""
        ...


class Serial:
    """One after the other, here and now."""

    width = 1

    def map(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        """``task(item)`` for every item, each when it is asked for."""
        return map(task, items)
