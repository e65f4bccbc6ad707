"""The classes and functions that a model file may name: these and no others.

A file names a class by a tag, which stays the same when the class moves to another module: the name
by which `coterie` exports it or, for what is inside of models, the tag that the class has where it
is defined (`coterie.tags`). Nothing that a file says is ever imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from sklearn.pipeline import Pipeline

from coterie.export.errors import ModelFileError
from coterie.tags import CLASSES, FUNCTIONS, TAGS

__all__ = ["COTERIE", "METHODS", "class_of", "function_of", "function_tag", "tag_of"]

#: The package that exports all names; import statements would draw in layers above this one.
COTERIE: Any = import_module("coterie")
# The packages whose parts have tags, in the order in which these are looked for.
_PACKAGES = (
    *("native", "data", "losses", "fusion", "core", "learners", "base", "trees", "forests"),
    *("bagging", "boosting", "imbalance", "combining", "selection", "interpretation"),
    *("semisupervised", "clustering", "outliers", "conformal", "ranking", "survival", "automl"),
)
# What former versions had for a class of today; `coterie.export.former` makes its attributes.
_FORMER = {
    **dict.fromkeys(("Guest", "Seat", "Voter"), "ForeignMember"),
    # One class had two names, and the parameters that only the latter has today.
    "GradientBoostingClassifier": "HistGradientBoostingClassifier",
    "GradientBoostingRegressor": "HistGradientBoostingRegressor",
}
#: The methods that a model may keep bound: a rule's vote, which a pool casts.
METHODS = frozenset({"vote"})


def tag_of(cls: type) -> str | None:
    """The tag of a class, or None if models do not hold it.

    Parameters
    ----------
    cls : type
        The class itself; a class derived from it has no tag.

    Examples
    --------
    >>> from coterie import RandomForestClassifier
    >>> tag_of(RandomForestClassifier)
    'RandomForestClassifier'
    """
    if cls is Pipeline:
        return "Pipeline"
    return TAGS.get(cls) or (cls.__name__ if _public(cls.__name__) is cls else None)


def function_tag(function: Callable[..., Any]) -> str | None:
    """The tag of a function, or None if models do not hold it."""
    return TAGS.get(function)


def _public(tag: object) -> type | None:
    """The class that `coterie` exports under a name, if it does."""
    found = getattr(COTERIE, tag) if isinstance(tag, str) and tag in COTERIE.__all__ else None
    return found if isinstance(found, type) else None


def _known(parts: Mapping[str, Any], tag: object, what: str) -> Any:
    """What stands under a tag; packages are imported until it is there."""
    if isinstance(tag, str):
        for package in _PACKAGES:
            if tag in parts:
                break
            import_module(f"coterie.{package}")
        if tag in parts:
            return parts[tag]
    raise ModelFileError(
        f"The file contains a {what} {tag!r} that this version of coterie does not know. Update it."
    )


def class_of(tag: object) -> type:
    """The class of a tag.

    Parameters
    ----------
    tag : str
        As the file has it.
    """
    if tag == "Pipeline":
        return Pipeline
    if isinstance(tag, str):
        tag = _FORMER.get(tag, tag)
    cls: type = _public(tag) or _known(CLASSES, tag, "class")
    return cls


def function_of(tag: object) -> Callable[..., Any]:
    """The function of a tag."""
    function: Callable[..., Any] = _known(FUNCTIONS, tag, "function")
    return function
