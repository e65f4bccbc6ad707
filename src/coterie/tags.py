"""The names under which classes and functions stand in model files.

A class that models hold carries the mark `tagged`, or descends from a class with the
mark `tagged_family`, as rules, losses and samplers do. Its tag is its own name. A class that is
renamed, or whose name another one has, says so in its body, and files written before still load::

    file_tag: ClassVar[str] = "FormerName"

What is marked here is all that a file can name: `coterie.export.registry` looks tags up, and never
imports what a file says.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, TypeVar

__all__ = ["CLASSES", "FUNCTIONS", "TAGS", "tagged", "tagged_family"]

#: Classes and functions by their tags, as far as their modules were imported.
CLASSES: dict[str, type] = {}
FUNCTIONS: dict[str, FunctionType] = {}
#: The tags of both.
TAGS: dict[Any, str] = {}


Named = TypeVar("Named", bound=Any)
Family = TypeVar("Family", bound=type)


def tagged(named: Named) -> Named:
    """Allow objects of a class, or a function, in model files.

    Parameters
    ----------
    named : type or function
        Of coterie's own; what others define, derived classes included, is left out.

    Returns
    -------
    type or function
        The same.

    Examples
    --------
    >>> from coterie.data import Schema
    >>> TAGS[Schema], CLASSES["Schema"] is Schema
    ('Schema', True)
    """
    if named.__module__.partition(".")[0] != "coterie":
        return named
    tag = vars(named).get("file_tag", named.__name__)
    known: dict[str, Any] = CLASSES if isinstance(named, type) else FUNCTIONS
    other = known.get(tag)
    # A dataclass with slots is a second class of the same name, and takes the place of the first.
    if other is not None and _home(other) != _home(named):
        raise TypeError(
            f"{_home(named)} and {_home(other)} would both be called {tag!r} in model files. "
            "Give the newer one its own file_tag."
        )
    TAGS.pop(other, None)
    known[tag] = named
    TAGS[named] = tag
    return named


def tagged_family(base: Family) -> Family:
    """`tagged` for a base class and all its subclasses, except those of other packages."""

    def enlist(cls: type) -> None:
        tagged(cls)

    base.__init_subclass__ = classmethod(enlist)  # type: ignore[assignment]
    return tagged(base)


def _home(named: Any) -> str:
    return f"{named.__module__}.{named.__qualname__}"
