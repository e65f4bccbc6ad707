"""The members of an ensemble as fitted estimators, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, overload

M = TypeVar("M")


class LazyMembers(Sequence[M]):
    """Fitted estimators over the parts of a pool, made when they are asked for.

    A subclass says how to make one (`_make`).

    Parameters
    ----------
    owner : fitted Committee
        Whose members they are.
    """

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __len__(self) -> int:
        return len(self._owner.pool_)

    @overload
    def __getitem__(self, index: int) -> M: ...
    @overload
    def __getitem__(self, index: slice) -> list[M]: ...
    def __getitem__(self, index: int | slice) -> M | list[M]:
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [self._make(number) for number in numbers]
        return self._make(numbers)

    def __repr__(self) -> str:
        return f"<{len(self)} fitted {type(self._owner.estimator_).__name__}>"

    def _make(self, number: int) -> M:
        """The member of this number."""
        raise NotImplementedError

    def _share(self, member: Any, names: Iterable[str]) -> None:
        """Give a member the attributes of its owner, as far as there are such."""
        for name in names:
            if hasattr(self._owner, name):
                setattr(member, name, getattr(self._owner, name))
