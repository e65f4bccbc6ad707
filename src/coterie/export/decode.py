"""Plain data as a model again; nothing that the data names is imported or called."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import MISSING, fields, is_dataclass
from inspect import getattr_static
from types import MemberDescriptorType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from coterie.export.arrays import from_bytes, read_dtype, read_scalar
from coterie.export.attributes import check_attributes
from coterie.export.checks import BUILDERS, check, check_numbers
from coterie.export.encode import SCALARS, TYPES
from coterie.export.errors import ModelFileError, UntrustedTypesError
from coterie.export.foreign import read_foreign, untrusted
from coterie.export.former import as_today
from coterie.export.nesting import LARGEST, check_nesting
from coterie.export.registry import METHODS, class_of, function_of, tag_of
from coterie.export.seeds import read_seed

__all__ = ["Decoder"]


class Decoder:
    """Makes the objects of a file, each from those before it.

    Parameters
    ----------
    blocks : list of ndarray of uint8
        The bytes that entries refer to; their checksums are right.
    trusted : collection of str
        Foreign types that may be loaded.
    max_unpacked : int, optional
        The most bytes that foreign estimators may take once they are unpacked.

    Examples
    --------
    >>> Decoder([], ()).value({"tuple": [1, {"float": "inf"}]})
    (1, inf)
    """

    def __init__(
        self,
        blocks: list[NDArray[np.uint8]],
        trusted: Collection[str],
        max_unpacked: int = 1 << 28,
    ) -> None:
        self.blocks = blocks
        self.trusted = trusted
        self.max_unpacked = max_unpacked
        self.objects: list[Any] = []
        self.foreign: list[Any] = []  # those of other packages
        self.vouched_for: set[str] = set()  # types that only the caller's trust admits
        self._readers: dict[str, Callable[[Any], Any]] = {
            "ref": self._ref,
            "float": _float,
            "tuple": lambda items: tuple(self._items(items)),
            "set": lambda items: set(self._items(items)),
            "frozenset": lambda items: frozenset(self._items(items)),
            "dict": lambda pairs: dict(self._pairs(pairs)),
            "bunch": lambda pairs: Bunch(**dict(self._pairs(pairs))),
            "slice": lambda items: slice(*self._items(items, 3)),
            "range": self._range,
            "bytes": lambda digits: bytes.fromhex(_of(digits, str)),
            "complex": lambda items: complex(*self._items(items, 2)),
            "scalar": lambda items: read_scalar(*_of(items, list, 2)),
            "dtype": read_dtype,
            "type": _type,
            "function": function_of,
            "method": self._method,
        }

    def read(self, entries: Any, root: Any) -> Any:
        """The model.

        Parameters
        ----------
        entries : list of dict
            All objects, as `Encoder` wrote them.
        root : value
            The model among them.
        """
        check_nesting(_of(entries, list), root)
        self._check_trust(entries)
        for entry in entries:
            self.objects.append(self._entry(_of(entry, dict)))
        return self.value(root)

    def _check_trust(self, entries: list[Any]) -> None:
        """Name all foreign types that are not trusted at once, before anything is made."""
        foreign = [entry for entry in entries if isinstance(entry, dict) and "foreign" in entry]
        if foreign:
            blocks = (self._block(entry["foreign"]).tobytes() for entry in foreign)
            found = untrusted(blocks, self.max_unpacked)
            if found - set(self.trusted):
                raise UntrustedTypesError(found - set(self.trusted))
            self.vouched_for = found

    def value(self, value: Any) -> Any:
        """Something that JSON has as plain data."""
        if isinstance(value, SCALARS):
            return value
        if isinstance(value, list):
            return self._items(value)
        if not isinstance(value, dict) or len(value) != 1:
            raise ModelFileError(f"The file is damaged: {_short(value)} is not a value.")
        ((kind, content),) = value.items()
        if kind not in self._readers:
            raise ModelFileError(f"The file contains a value of an unknown kind, {kind!r}.")
        return self._readers[kind](content)

    def _entry(self, entry: dict[str, Any]) -> Any:
        kinds: dict[str, Callable[[dict[str, Any]], Any]] = {
            "class": self._instance,
            "array": self._array,
            "texts": self._texts,
            "foreign": self._foreign,
            "generator": lambda entry: read_seed(self.value(entry["generator"]), legacy=False),
            "random_state": lambda entry: read_seed(self.value(entry["random_state"]), legacy=True),
        }
        for kind, read in kinds.items():
            if kind in entry:
                return read(entry)
        raise ModelFileError(f"The file contains an object of an unknown kind, {_short(entry)}.")

    def _instance(self, entry: dict[str, Any]) -> Any:
        cls = class_of(entry["class"])
        if issubclass(cls, tuple):
            length = len(getattr(cls, "_fields", ()))
            items = self._items(entry.get("items"), length)
            check_attributes(cls, dict(zip(getattr(cls, "_fields", ()), items, strict=True)))
            return tuple.__new__(cls, items)
        state = {name: self.value(part) for name, part in _of(entry.get("state"), dict).items()}
        state = as_today(entry["class"], state)
        tag = tag_of(cls) or ""  # of today, where former versions had another
        check_attributes(cls, state)
        check_numbers(tag, state)
        build = BUILDERS.get(tag, lambda state: revive(cls, state))
        built = build(state)
        check(tag, built)
        return built

    def _array(self, entry: dict[str, Any]) -> NDArray[Any]:
        order = entry.get("order", "C")
        if order not in ("C", "F"):
            raise ModelFileError(f"The file is damaged: an array has the order {order!r}.")
        block = self._block(entry["array"])
        return from_bytes(block, read_dtype(entry.get("dtype")), _shape(entry), order)

    def _foreign(self, entry: dict[str, Any]) -> Any:
        made = read_foreign(self._block(entry["foreign"]).tobytes(), self.trusted)
        self.foreign.append(made)
        return made

    def _texts(self, entry: dict[str, Any]) -> NDArray[Any]:
        items = self._items(entry["texts"])
        if not all(isinstance(item, (*SCALARS, np.generic)) for item in items):
            raise ModelFileError("A text array in the file contains other values.")
        array = np.empty(len(items), dtype=object)
        array[:] = items
        array = array.reshape(_shape(entry))
        return array.astype(np.dtypes.StringDType()) if entry.get("dtype") == "T" else array

    def _block(self, number: Any) -> NDArray[np.uint8]:
        if type(number) is not int or not 0 <= number < len(self.blocks):
            raise ModelFileError(f"The file is damaged: there is no block {_short(number)}.")
        return self.blocks[number]

    def _ref(self, number: Any) -> Any:
        # Only what is there already: entries cannot go round in circles.
        if type(number) is not int or not 0 <= number < len(self.objects):
            raise ModelFileError(
                f"The file is damaged: an object refers to {_short(number)}, which is not before "
                "it."
            )
        return self.objects[number]

    def _items(self, items: Any, length: int | None = None) -> list[Any]:
        return [self.value(item) for item in _of(items, list, length)]

    def _pairs(self, pairs: Any) -> list[list[Any]]:
        return [self._items(pair, 2) for pair in _of(pairs, list)]

    def _range(self, content: Any) -> range:
        made = range(*self._items(content, 3))
        # It takes no room itself, but whatever makes an array of it does.
        if len(made) > LARGEST:
            raise ModelFileError(
                f"The file contains a range of {len(made)} numbers, which is not allowed."
            )
        return made

    def _method(self, content: Any) -> Any:
        owner, name = _of(content, list, 2)
        if name not in METHODS:
            raise ModelFileError(f"The file contains an unknown method, {_short(name)}.")
        return getattr(self.value(owner), name)


def revive(cls: type, state: dict[str, Any]) -> Any:
    """An object of a class with these attributes; no code of the class runs.

    What a later version added to a dataclass gets its default.

    Parameters
    ----------
    cls : type
        One of the registered classes.
    state : dict
        Its attributes.

    Examples
    --------
    >>> from coterie.core.trace import Trace
    >>> revive(Trace, {"reason": "time"})
    Trace(rounds=[], weights=[], reason='time')
    """
    own = {field.name: field for field in fields(cls)} if is_dataclass(cls) else {}
    for name in state:
        if not name.isidentifier() or name.startswith("__") or _taken(cls, name, own):
            raise ModelFileError(
                f"The file is damaged: a {cls.__name__} has no attribute {_short(name)}."
            )
    for name, field in own.items():
        if name in state or not field.init:
            continue
        if field.default_factory is not MISSING:
            state[name] = field.default_factory()
        elif field.default is not MISSING:
            state[name] = field.default
        else:
            raise ModelFileError(f"The file is damaged: a {cls.__name__} has no {name}.")
    built: Any = object.__new__(cls)
    for name, part in state.items():
        object.__setattr__(built, name, part)
    return built


def _taken(cls: type, name: str, own: Collection[str]) -> bool:
    """Whether a name is a method or property of the class, which no file may replace."""
    if name in own:
        return False
    found = getattr_static(cls, name, None)
    return hasattr(type(found), "__get__") and not isinstance(found, MemberDescriptorType)


def _of(value: Any, kind: type[Any], length: int | None = None) -> Any:
    if not isinstance(value, kind) or (length is not None and len(value) != length):
        raise ModelFileError(f"The file is damaged: {_short(value)} is not a {kind.__name__}.")
    return value


def _shape(entry: dict[str, Any]) -> tuple[int, ...]:
    shape = _of(entry.get("shape"), list)
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ModelFileError(f"The file is damaged: an array has the shape {_short(shape)}.")
    return tuple(shape)


def _float(text: Any) -> float:
    if text not in ("nan", "inf", "-inf"):
        raise ModelFileError(f"The file is damaged: {_short(text)} is not a number.")
    return float(text)


def _type(name: Any) -> type:
    if not isinstance(name, str) or name not in TYPES:
        raise ModelFileError(f"The file contains an unknown type, {_short(name)}.")
    return TYPES[name]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
