"""A parameter is documented once, where it is declared, and shown on all that inherit it."""

from __future__ import annotations

import inspect
import re

_SECTION = re.compile(r"^(Parameters|Attributes|References|Notes|Examples)\n-+\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\w[\w, ]*) : .*\n(?:[ \t]+\S.*\n|\n(?=[ \t]))*", re.MULTILINE)


def parameters_of(doc: str) -> dict[str, str]:
    r"""The entries of the section "Parameters" by name, in order.

    Examples
    --------
    >>> list(parameters_of("Grow.\n\nParameters\n----------\ndepth : int\n    How deep.\n"))
    ['depth']
    """
    match = next((m for m in _SECTION.finditer(doc) if m[1] == "Parameters"), None)
    if match is None:
        return {}
    following = _SECTION.search(doc, match.end())
    section = doc[match.end() : following.start() if following else len(doc)].rstrip() + "\n"
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(section)}


def with_inherited_parameters(doc: str | None, bases: tuple[type, ...]) -> str | None:
    """The docstring with the entries of its bases' parameters that it does not have itself.

    Parameters
    ----------
    doc : str or None
        Docstring of a class.
    bases : tuple of classes
        Where parameters may come from.

    Returns
    -------
    str or None
        None when there is no docstring to begin with.
    """
    if doc is None:
        return None
    text = inspect.cleandoc(doc) + "\n"
    own = parameters_of(text)
    known = {name.strip() for names in own for name in names.split(",")}
    inherited: dict[str, str] = {}
    for base in bases:
        for names, entry in parameters_of(inspect.cleandoc(base.__doc__ or "") + "\n").items():
            if not known & {name.strip() for name in names.split(",")}:
                inherited.setdefault(names, entry)
    if not inherited:
        return doc
    entries = "".join([*own.values(), *inherited.values()])
    section = f"Parameters\n----------\n{entries}\n"
    place = [m for m in _SECTION.finditer(text)]
    mine = next((m for m in place if m[1] == "Parameters"), None)
    if mine is None:
        at = place[0].start() if place else len(text)
        return text[:at].rstrip() + "\n\n" + section + text[at:]
    after = next((m.start() for m in place if m.start() > mine.start()), len(text))
    return text[: mine.start()] + section + text[after:]
