"""The members of an ensemble as fitted estimators, one by one."""

from __future__ import annotations

from collections.abc import Iterable, MutableSequence
from typing import Any, Self, TypeVar, overload

M = TypeVar("M")


class LazyMembers(MutableSequence[M]):
    """Fitted estimators over the parts of a pool, made when they are asked for.

    A subclass says how to make one (`_make`). Whatever changes the sequence changes the owner, if
    that lets its ``estimators_`` be assigned to; predictions follow.

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

    @overload
    def __setitem__(self, index: int, value: M) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[M]) -> None: ...
    def __setitem__(self, index: Any, value: Any) -> None:
        members = list(self)
        members[index] = value
        self._put(members)

    def __delitem__(self, index: int | slice) -> None:
        members = list(self)
        del members[index]
        self._put(members)

    def insert(self, index: int, value: M) -> None:
        """Put a fitted estimator before the one at a position."""
        members = list(self)
        members.insert(index, value)
        self._put(members)

    def extend(self, values: Iterable[M]) -> None:
        """Put fitted estimators at the end."""
        self._put([*self, *values])

    def __iadd__(self, values: Iterable[M]) -> Self:
        self.extend(values)
        return self

    def __add__(self, values: Iterable[M]) -> list[M]:
        return [*self, *values]

    def __radd__(self, values: Iterable[M]) -> list[M]:
        return [*values, *self]

    def _put(self, members: list[M]) -> None:
        """Make other members those of the owner."""
        self._owner.estimators_ = members

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
