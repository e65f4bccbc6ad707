"""A model as plain data: values for JSON, and blocks of bytes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, cached_property
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from coterie.export.arrays import as_bytes, dtype_name
from coterie.export.errors import SaveError
from coterie.export.foreign import foreign_bytes, is_foreign
from coterie.export.registry import METHODS, function_tag, tag_of
from coterie.export.seeds import Seed, seed_state

__all__ = ["SCALARS", "TYPES", "Encoder"]

Block = NDArray[np.uint8]

#: What JSON has itself; text in an array of objects may be any of these.
SCALARS = (type(None), bool, int, float, str)
#: Types that may be somebody's parameter, by name.
TYPES: dict[str, type] = {
    **{kind.__name__: kind for kind in (bool, int, float, str, object)},
    **{kind.__name__: kind for kind in (np.float32, np.float64, np.int32, np.int64)},
}
# What is made anew from the rest when a model is read.
_MADE_ANEW = {"Forest": {"_checked"}, "Neighbours": {"known"}}
# What is left out where there is none.
_OPTIONAL = {"Forest": {"medians", "linear"}}


class Encoder:
    """Turns objects into numbered entries, each after those it refers to.

    Something that appears twice is written once. Lists, dictionaries and the like are written where
    they appear; arrays, estimators and other objects are entries.

    Attributes
    ----------
    objects : list of dict
        The entries, ready for JSON.
    blocks : list of ndarray of uint8
        The bytes they refer to by number.

    Examples
    --------
    >>> Encoder().value((1, float("inf")), "model")
    {'tuple': [1, {'float': 'inf'}]}
    """

    def __init__(self) -> None:
        self.objects: list[dict[str, Any]] = []
        self.blocks: list[Block] = []
        # The objects are kept alive as long as their identities are used.
        self._seen: dict[int, tuple[int, Any]] = {}
        self._open: set[int] = set()
        self._plain: dict[type, Callable[[Any, str], Any]] = {
            float: self._float,
            list: self._items,
            tuple: lambda value, path: {"tuple": self._items(value, path)},
            set: lambda value, path: {"set": self._items(_ordered(value), path)},
            frozenset: lambda value, path: {"frozenset": self._items(_ordered(value), path)},
            dict: lambda value, path: {"dict": self._pairs(value, path)},
            Bunch: lambda value, path: {"bunch": self._pairs(value, path)},
            slice: lambda value, path: {
                "slice": self._items((value.start, value.stop, value.step), path)
            },
            range: lambda value, path: {"range": [value.start, value.stop, value.step]},
            bytes: lambda value, path: {"bytes": value.hex()},
            complex: lambda value, path: {
                "complex": [self._float(value.real, path), self._float(value.imag, path)]
            },
            MethodType: self._method,
        }

    def value(self, value: Any, path: str) -> Any:
        """Something as JSON has it.

        Parameters
        ----------
        value : object
            Anything that models hold.
        path : str
            Where it is; named in errors.
        """
        kind = type(value)
        if kind in SCALARS and kind is not float:
            return value
        if kind in self._plain:
            return self._guarded(value, path, self._plain[kind])
        if isinstance(value, np.generic):
            return self._scalar(value, path)
        if isinstance(value, np.dtype):
            return {"dtype": _named(value, path)}
        if isinstance(value, FunctionType | BuiltinFunctionType | np.ufunc):
            return self._function(value, path)
        if isinstance(value, type) and value in TYPES.values():
            return {"type": value.__name__}
        return {"ref": self._number(value, path)}

    def _guarded(self, value: Any, path: str, encode: Callable[[Any, str], Any]) -> Any:
        """Encode something that is not made of itself."""
        if id(value) in self._open:
            raise SaveError(path, "contains itself, which a model file cannot represent.")
        self._open.add(id(value))
        try:
            return encode(value, path)
        except RecursionError:
            raise SaveError(path, "is nested too deeply for a model file.") from None
        finally:
            self._open.discard(id(value))

    def _number(self, value: Any, path: str) -> int:
        """The number of the entry of an object."""
        if id(value) not in self._seen:
            entry = self._guarded(value, path, self._entry)
            self._seen[id(value)] = len(self.objects), value
            self.objects.append(entry)
        return self._seen[id(value)][0]

    def _entry(self, value: Any, path: str) -> dict[str, Any]:
        tag = tag_of(type(value))
        if isinstance(value, np.ndarray):
            return self._array(value, path)
        if isinstance(value, Seed):
            return self._seed(value, path)
        if tag == "Pipeline" and not _holds_ours(value):
            tag = None
        if tag is not None and isinstance(value, tuple):
            return {"class": tag, "items": self._items(value, path)}
        if tag is not None:
            state = state_of(value, tag)
            return {
                "class": tag,
                "state": {name: self.value(part, f"{path}.{name}") for name, part in state.items()},
            }
        if type(value).__module__.partition(".")[0] == "coterie":
            raise SaveError(
                path,
                f"is a {type(value).__name__}, which fitted models do not contain. If it is part "
                "of a model, mark it with coterie.tags.tagged.",
            )
        if is_foreign(value):
            self.blocks.append(np.frombuffer(foreign_bytes(value, path), dtype=np.uint8))
            name = f"{type(value).__module__}.{type(value).__qualname__}"
            return {"foreign": len(self.blocks) - 1, "name": name}
        raise SaveError(
            path,
            f"is a {type(value).__module__}.{type(value).__qualname__}, which cannot be stored "
            "in a model file. Set it to None or to an object of coterie or scikit-learn, or "
            "pickle the model.",
        )

    def _array(self, array: NDArray[Any], path: str) -> dict[str, Any]:
        if array.dtype.kind in ("O", "T"):
            texts = [self._text(item, path) for item in array.ravel().tolist()]
            return {"texts": texts, "dtype": array.dtype.kind, "shape": list(array.shape)}
        name = _named(array.dtype, path)
        block, order = as_bytes(np.asarray(array))
        self.blocks.append(block)
        where = {"array": len(self.blocks) - 1, "dtype": name, "shape": list(array.shape)}
        return where if order == "C" else where | {"order": order}

    def _text(self, item: Any, path: str) -> Any:
        if not isinstance(item, (*SCALARS, np.generic)):
            raise SaveError(
                f"{path}[...]",
                f"is a {type(item).__name__} in an array of objects; model files support text, "
                "numbers and None there. Convert the column or the labels.",
            )
        return self.value(item, f"{path}[...]")

    def _seed(self, seed: Seed, path: str) -> dict[str, Any]:
        state = seed_state(seed)
        if state is None:
            raise SaveError(path, "is a random generator that is not one of NumPy's own.")
        kind = "generator" if isinstance(seed, np.random.Generator) else "random_state"
        return {kind: self.value(state, path)}

    def _items(self, values: Any, path: str) -> list[Any]:
        return [self.value(item, f"{path}[{i}]") for i, item in enumerate(values)]

    def _pairs(self, values: dict[Any, Any], path: str) -> list[list[Any]]:
        return [
            [self.value(key, f"{path} (a key)"), self.value(item, f"{path}[{key!r}]")]
            for key, item in values.items()
        ]

    def _float(self, value: float, path: str) -> Any:
        return value if math.isfinite(value) else {"float": repr(value)}

    def _scalar(self, value: np.generic, path: str) -> dict[str, Any]:
        array = np.asarray(value)
        name = _named(array.dtype, path)
        return {"scalar": [name, as_bytes(array)[0].tobytes().hex()]}

    def _function(self, function: Any, path: str) -> dict[str, Any]:
        tag = function_tag(function) if isinstance(function, FunctionType) else None
        if tag is None:
            raise SaveError(
                path,
                f"is the function {getattr(function, '__qualname__', function)}, and model files "
                "contain no code. Use one of the names that coterie knows, set it to None before "
                "you save, or pickle the model.",
            )
        return {"function": tag}

    def _method(self, method: MethodType, path: str) -> dict[str, Any]:
        name = method.__name__
        if name not in METHODS or tag_of(type(method.__self__)) is None:
            raise SaveError(
                path, f"is the method {method.__qualname__}, and model files contain no code."
            )
        return {"method": [self.value(method.__self__, f"{path}.__self__"), name]}


def state_of(value: Any, tag: str) -> dict[str, Any]:
    """The attributes of an object, without what is made anew from the others.

    Parameters
    ----------
    value : object
        One of a class with a tag.
    tag : str
        Its tag.
    """
    slots, derived = _layout(type(value))  # type: ignore[arg-type]  # classes can be hashed
    skipped = _MADE_ANEW.get(tag, set()) | derived
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    held |= getattr(value, "__dict__", {})
    skipped |= {name for name in _OPTIONAL.get(tag, ()) if held[name] is None}
    return {name: part for name, part in held.items() if name not in skipped}


@cache
def _layout(cls: type) -> tuple[tuple[str, ...], frozenset[str]]:
    """The slots of a class, and the names of what its objects work out once."""
    slots = tuple(name for base in cls.__mro__ for name in base.__dict__.get("__slots__", ()))
    known = {name: part for base in reversed(cls.__mro__) for name, part in vars(base).items()}
    return slots, frozenset(n for n, part in known.items() if isinstance(part, cached_property))


def _holds_ours(pipeline: Any) -> bool:
    """Whether a pipeline has steps that are coterie's, or pipelines with such steps."""
    return any(
        tag_of(type(step)) is not None and (tag_of(type(step)) != "Pipeline" or _holds_ours(step))
        for _, step in pipeline.steps
    )


def _named(dtype: np.dtype[Any], path: str) -> str:
    name = dtype_name(dtype)
    if name is None:
        raise SaveError(path, f"has the type {dtype}, which model files do not support.")
    return name


def _ordered(values: Any) -> list[Any]:
    """The elements of a set in an order that does not depend on chance."""
    return sorted(values, key=lambda item: (type(item).__name__, repr(item)))
