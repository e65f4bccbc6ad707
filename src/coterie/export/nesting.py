"""How deep and how large the objects of a file are, before any of them is made."""

from __future__ import annotations

from typing import Any

from coterie.export.errors import ModelFileError

__all__ = ["DEEPEST", "LARGEST", "check_nesting"]

#: Levels of objects within objects. Saving gives up at fewer, and Python's own walks over tuples
#: have no limit but the stack.
DEEPEST = 250
#: Values of a model if everything that is referred to twice were there twice. A few objects, each
#: of which holds the one before it twice, would keep a hash or a comparison busy for ever.
LARGEST = 20_000_000


def check_nesting(entries: list[Any], root: Any) -> None:
    """Refuse objects that are nested too deeply, or are too large once written out.

    Parameters
    ----------
    entries : list
        The objects of a file, as JSON has them.
    root : value
        The model among them.

    Examples
    --------
    >>> twice = [{"items": [{"ref": n}, {"ref": n}]} for n in range(60)]
    >>> check_nesting([{"items": []}, *twice], None)
    Traceback (most recent call last):
    coterie.export.errors.ModelFileError: The file is invalid: object 22 is too large...
    """
    known: list[tuple[int, int]] = []
    for number, entry in enumerate([*entries, root]):
        depth, size = _measure(entry, known)
        if depth > DEEPEST:
            raise ModelFileError(
                f"The file is invalid: object {number} is nested {depth} levels deep."
            )
        if size > LARGEST:
            raise ModelFileError(
                f"The file is invalid: object {number} is too large once expanded."
            )
        known.append((depth, size))


def _measure(value: Any, known: list[tuple[int, int]]) -> tuple[int, int]:
    """Levels and values of something, what it refers to included."""
    deepest, size = 0, 1
    waiting = [(value, 1)]
    while waiting:
        value, level = waiting.pop()
        deepest, size = max(deepest, level), size + 1
        if isinstance(value, list):
            waiting += [(item, level + 1) for item in value]
        elif isinstance(value, dict):
            number = value.get("ref")
            if type(number) is int and 0 <= number < len(known):
                deepest, size = max(deepest, level + known[number][0]), size + known[number][1]
            else:
                waiting += [(item, level + 1) for item in value.values()]
    return deepest, size
