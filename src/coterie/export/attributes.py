"""The types of what objects hold, compared with what their classes say they hold."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from coterie.core import ParameterError, Pool, check_params
from coterie.core.trace import Trace
from coterie.data import Target
from coterie.data.schema import Schema
from coterie.export.errors import ModelFileError

__all__ = ["check_attributes", "fits"]

# Fitted attributes mean the same in every estimator, so they are told by their names.
_FITTED: dict[str, tuple[type, ...]] = {
    "n_features_in_": (int,),
    "n_outputs_": (int,),
    "n_iter_": (int, np.ndarray, list, np.integer),
    "feature_names_in_": (np.ndarray,),
    "schema_": (Schema,),
    "pool_": (Pool,),
    "trace_": (Trace, list),
    "target_": (Target,),
    "classes_": (np.ndarray, list),
    "estimators_": (list, tuple),
}
_NUMBERS: dict[Any, tuple[type, ...]] = {
    float: (int, float, np.number),
    int: (int, np.integer),
    bool: (bool, np.bool_),
}
_CONTAINERS = (list, tuple, set, frozenset, dict)


def check_attributes(cls: type, state: dict[str, Any]) -> None:
    """Refuse attributes that are of another type than the class says, and name the first.

    Parameters
    ----------
    cls : type
        One of the registered classes.
    state : dict
        Attributes for an object of it.

    Examples
    --------
    >>> from coterie.data.schema import Schema
    >>> check_attributes(Schema, {"n_columns": "3"})
    Traceback (most recent call last):
    coterie.export.errors.ModelFileError: The file is damaged: n_columns of a Schema is a str.
    """
    hints = _hints(cls)
    for name, value in state.items():
        if name in hints and not fits(value, hints[name]):
            _refuse(cls, name, value)
        if name in _FITTED and not isinstance(value, _FITTED[name]):
            _refuse(cls, name, value)
    if not callable(getattr(cls, "get_params", None)):
        return
    _check_names(cls, state)
    allowed = getattr(cls, "allowed", None)
    if allowed:
        known = {name: word for name, word in allowed.items() if name in state}
        try:
            check_params(cls.__name__, state, known)
        except ParameterError as error:
            raise ModelFileError(f"The file is damaged: {error}") from error


def _check_names(cls: type, state: dict[str, Any]) -> None:
    """What an estimator holds is a parameter, or it ends or begins with an underscore."""
    params = _params(cls)
    for name in state:
        if name not in params and not name.endswith("_") and not name.startswith("_"):
            raise ModelFileError(f"The file is damaged: a {cls.__name__} has no {name}.")


@cache
def _params(cls: type) -> frozenset[str]:
    return frozenset(inspect.signature(cls).parameters)


def _refuse(cls: type, name: str, value: Any) -> None:
    raise ModelFileError(
        f"The file is damaged: {name} of a {cls.__name__} is a {type(value).__name__}."
    )


@cache
def _hints(cls: type) -> dict[str, Any]:
    """What the class says of its attributes; nothing if it says what cannot be looked up."""
    try:
        return get_type_hints(cls)
    except NameError:  # a name that only type checkers import
        return {}


def fits(value: Any, hint: Any) -> bool:
    """Whether a value may be of a type; hints that say more than types do are taken to fit.

    Parameters
    ----------
    value : object
        Anything.
    hint : type or generic alias
        As in an annotation.

    Examples
    --------
    >>> fits({"a": 1}, dict[str, int]), fits(["a", 1], list[str])
    (True, False)
    """
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in get_args(hint))
    if origin is Literal:
        return any(type(value) is type(word) and value == word for word in get_args(hint))
    if hint is Any or hint is None:
        return hint is Any or value is None
    if origin in _CONTAINERS:
        return _holds(value, origin, get_args(hint))
    if inspect.isclass(origin) and origin is not Callable:
        hint = origin
    if hint in _NUMBERS:
        is_flag = isinstance(value, bool | np.bool_)
        return is_flag if hint is bool else isinstance(value, _NUMBERS[hint]) and not is_flag
    if not inspect.isclass(hint) or getattr(hint, "_is_protocol", False):
        return True
    return isinstance(value, hint)


def _holds(value: Any, kind: Any, parts: tuple[Any, ...]) -> bool:
    """Whether a container is of a kind and holds what it should."""
    if not isinstance(value, kind):
        return False
    if kind is dict:
        keys, values = parts or (Any, Any)
        return all(fits(k, keys) and fits(v, values) for k, v in value.items())
    if kind is tuple and parts and parts[-1] is not Ellipsis:
        if len(parts) != len(value):
            return False
        return all(fits(item, part) for item, part in zip(value, parts, strict=True))
    return not parts or all(fits(item, parts[0]) for item in value)
