"""Signatures in the order in which docstrings list parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

Class = TypeVar("Class", bound=type)


def own_first(cls: Class) -> Class:
    """A dataclass whose signature has its own keywords before those of its bases.

    A dataclass lists the fields of its bases first, which suits parameters that extend a well-known
    list. Where a base holds the housekeeping, such as seeds and threads, that is the wrong end to
    begin with. A field that is declared again stands where it was declared last.

    Parameters
    ----------
    cls : dataclass
        What keywords are and mean stays the same.

    Returns
    -------
    dataclass
        The same.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(kw_only=True)
    ... class Base:
    ...     seed: int = 0
    >>> @own_first
    ... @dataclass(kw_only=True)
    ... class Derived(Base):
    ...     depth: int = 1
    >>> list(inspect.signature(Derived).parameters)
    ['depth', 'seed']
    """
    return _sorted(cls, [name for base in cls.__mro__ for name in inspect.get_annotations(base)])


def in_order(*names: str) -> Callable[[Class], Class]:
    """A dataclass whose signature has some keywords next to one another, in another order.

    Parameters
    ----------
    *names : str
        They stand where the first of them does in the class as it is.

    Returns
    -------
    callable
        A decorator of dataclasses.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @in_order("seed", "depth")
    ... @dataclass(kw_only=True)
    ... class Made:
    ...     depth: int = 1
    ...     seed: int = 0
    >>> list(inspect.signature(Made).parameters)
    ['seed', 'depth']
    """

    def decorate(cls: Class) -> Class:
        order = list(inspect.signature(cls).parameters)
        place = min(map(order.index, names))
        others = [name for name in order if name not in names]
        return _sorted(cls, [*others[:place], *names, *others[place:]])

    return decorate


def _sorted(cls: Class, order: list[str]) -> Class:
    """The class with keywords in this order."""
    init = vars(cls)["__init__"]
    signature = inspect.signature(init)
    parameters = list(signature.parameters.values())
    keywords = [each for each in parameters if each.kind is each.KEYWORD_ONLY]
    keywords.sort(key=lambda each: order.index(each.name))
    others = [each for each in parameters if each.kind is not each.KEYWORD_ONLY]
    init.__signature__ = signature.replace(parameters=[*others, *keywords])
    return cls
