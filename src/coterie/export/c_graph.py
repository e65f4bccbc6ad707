"""The operators of an exported model as statements of C, for one row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.export.errors import OnnxError
from coterie.export.onnx_trees import TreeArrays

__all__ = ["CGraph"]

_MEMBER = 6
_BITS = 64
_PLAIN: dict[str, Callable[..., str]] = {
    "Add": lambda a, b: f"{a} + {b}",
    "Sub": lambda a, b: f"{a} - {b}",
    "Mul": lambda a, b: f"{a} * {b}",
    "Div": lambda a, b: f"{a} / {b}",
    "Neg": lambda a: f"-{a}",
    "Abs": lambda a: f"fabs({a})",
    "Exp": lambda a: f"exp({a})",
    "Log": lambda a: f"log({a})",
    "Sigmoid": lambda a: f"sigmoid({a})",
    "Min": lambda *parts: _nested("fmin", parts),
    "Max": lambda *parts: _nested("fmax", parts),
    "Clip": lambda a, low, high: f"fmin(fmax({a}, {low}), {high})",
    "Less": lambda a, b: f"{a} < {b}",
    "Greater": lambda a, b: f"{a} > {b}",
    "Or": lambda a, b: f"({a} != 0) || ({b} != 0)",
    "Where": lambda a, yes, no: f"{a} != 0 ? {yes} : {no}",
    "Sum": lambda *parts: " + ".join(parts),
    "Cast": lambda a: a,
    "Squeeze": lambda a, *_: a,
    "Identity": lambda a: a,
}


def _nested(name: str, parts: tuple[str, ...]) -> str:
    return parts[0] if len(parts) == 1 else f"{name}({parts[0]}, {_nested(name, parts[1:])})"


@dataclass(frozen=True)
class Value:
    """A result: its number of columns, and its numbers if they are known."""

    width: int
    known: NDArray[np.float64] | None = None


class CGraph:
    """What `onnx_graph.Graph` is for ONNX, as C that computes one row.

    Every result is an array of doubles, one for each column. Operators that models do not use are
    refused.

    Parameters
    ----------
    n_columns : int
        Columns of the input.

    Examples
    --------
    >>> graph = CGraph(2)
    >>> _ = graph.add("Mul", "X", graph.number(2.0))
    >>> print(graph.statements[0])
    double v1[2]; for (int i = 0; i < 2; ++i) v1[i] = X[i] * 2.0;
    """

    def __init__(self, n_columns: int) -> None:
        self.statements: list[str] = []
        self.tables: list[str] = []
        self.values = {"X": Value(n_columns)}
        self._cells = "X"

    def add(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Apply an operator; returns the name of its result."""
        special: dict[str, Callable[..., str]] = {
            "Concat": self._concat,
            "Softmax": self._softmax,
            "ReduceSum": self._total,
            "ArgMax": self._argmax,
            "Gather": self._gather,
        }
        if kind in special:
            return special[kind](*inputs)
        if kind not in _PLAIN:
            raise OnnxError(f"The operator {kind} cannot be exported to C.")
        width = max(self.values[name].width for name in inputs)
        name = self._new(width)
        said = _PLAIN[kind](*(self._at(one, "i") for one in inputs))
        self._say(f"{self._loop(width)} {name}[i] = {said};")
        return name

    def constant(self, array: NDArray[Any]) -> str:
        """An array that is part of the model; returns its name."""
        flat = np.asarray(array, dtype=np.float64).ravel()
        name = f"c{len(self.values)}"
        self.values[name] = Value(len(flat), flat)
        if len(flat) > 1:
            self.tables.append(_table("double", name, flat))
        return name

    def number(self, value: float) -> str:
        """A number; returns its name."""
        return self.constant(np.array(value))

    def forget_strange_codes(self, labels: Mapping[int, NDArray[Any]]) -> None:
        """Let trees see a missing value in place of a code that no category has."""
        if not labels:
            return
        name = self._cells = self._new(self.values["X"].width)
        self._say(f"memcpy({name}, X, sizeof {name});")
        for j, known in labels.items():
            cell = f"{name}[{j}]"
            self._say(f"if ({cell} < 0 || {cell} > {len(known) - 1}) {cell} = NAN;")

    def trees(self, arrays: TreeArrays, n_scores: int, source: str = "") -> str:
        """The scores that trees add up; they walk on a result, or on the input."""
        name, own = self._new(n_scores), f"t{len(self.tables)}"
        sets, place = _category_sets(arrays)
        after = [
            np.where(leaf == 1, ~number, number)
            for number, leaf in ((arrays.yes, arrays.yes_leaf), (arrays.no, arrays.no_leaf))
        ]
        flags = arrays.missing_true + 2 * (arrays.mode == _MEMBER)
        rows = zip(arrays.split, arrays.feature, *after, place, flags, strict=True)
        nodes = ", ".join(
            f"{{{_literal(float(s))}, {f}, {y}, {n}, {p}, {g}}}" for s, f, y, n, p, g in rows
        )
        self.tables.append(f"static const node {own}_nodes[] = {{{_wrapped(nodes)}}};")
        self.tables.append(_table("int32_t", f"{own}_roots", arrays.roots))
        self.tables.append(_table("int32_t", f"{own}_targets", arrays.target))
        self.tables.append(_table("double", f"{own}_weights", arrays.weight))
        self.tables.append(_table("uint64_t", f"{own}_sets", sets))
        self._say(f"memset({name}, 0, sizeof {name});")
        tables = ", ".join(f"{own}_{part}" for part in ("nodes", "roots"))
        parts = ", ".join(f"{own}_{part}" for part in ("sets", "targets", "weights"))
        self._say(
            f"add_trees({source or self._cells}, {tables}, {len(arrays.roots)}, {parts}, {name});"
        )
        return name

    def _new(self, width: int) -> str:
        name = f"v{len(self.values) - 1}"
        self.values[name] = Value(width)
        self.statements.append(f"double {name}[{width}];")
        return name

    def _say(self, text: str) -> None:
        """Add a statement; one that declares and one that fills share a line."""
        last = self.statements[-1] if self.statements else ""
        if last.startswith("double") and last.endswith("];"):
            self.statements[-1] = f"{last} {text}"
        else:
            self.statements.append(text)

    def _loop(self, width: int) -> str:
        return f"for (int i = 0; i < {width}; ++i)"

    def _at(self, name: str, index: str) -> str:
        """One number of a result; what has a single one lends it to all columns."""
        value = self.values[name]
        if value.width > 1:
            return f"{name}[{index}]"
        return f"{name}[0]" if value.known is None else _literal(float(value.known[0]))

    def _concat(self, *inputs: str) -> str:
        widths = [self.values[one].width for one in inputs]
        name = self._new(sum(widths))
        first = 0
        for one, width in zip(inputs, widths, strict=True):
            self._say(f"{self._loop(width)} {name}[{first} + i] = {self._at(one, 'i')};")
            first += width
        return name

    def _softmax(self, one: str) -> str:
        width = self.values[one].width
        name = self._new(width)
        self._say(f"softmax({one}, {width}, {name});")
        return name

    def _total(self, one: str, *_: str) -> str:
        name = self._new(1)
        self._say(f"{name}[0] = 0; {self._loop(self.values[one].width)} {name}[0] += {one}[i];")
        return name

    def _argmax(self, one: str) -> str:
        name = self._new(1)
        self._say(f"{name}[0] = argmax({one}, {self.values[one].width});")
        return name

    def _gather(self, one: str, places: str) -> str:
        known = self.values[places].known
        if known is None:
            raise OnnxError("Lookups of values by other values cannot be exported to C.")
        name = self._new(len(known))
        self._say(" ".join(f"{name}[{k}] = {one}[{int(j)}];" for k, j in enumerate(known)))
        return name


def _category_sets(arrays: TreeArrays) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Bits of the categories that are a yes, and where each node's begin.

    A set is a number of words, and as many words.
    """
    place = np.zeros(len(arrays.mode), dtype=np.int64)
    words: list[int] = [0]
    ends = np.flatnonzero(np.isnan(arrays.members))
    begins = np.append(0, ends[:-1] + 1) if len(ends) else ends
    asking = np.flatnonzero(arrays.mode == _MEMBER)
    for node, first, last in zip(asking, begins, ends, strict=True):
        codes = arrays.members[first:last].astype(int).tolist()
        n_words = max(codes) // _BITS + 1
        own = [0] * n_words
        for code in codes:
            own[code // _BITS] |= 1 << (code % _BITS)
        place[node] = len(words)
        words += [n_words, *own]
    return np.array(words, dtype=np.uint64), place


def _literal(value: float) -> str:
    if np.isnan(value):
        return "NAN"
    if np.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return f"({value!r})" if value < 0 else repr(value)


def _table(kind: str, name: str, values: NDArray[Any]) -> str:
    if kind == "double":
        cells = [_literal(float(value)) for value in values]
    else:
        cells = [f"{value}{'u' if kind == 'uint64_t' else ''}" for value in values.tolist()]
    return f"static const {kind} {name}[] = {{{_wrapped(', '.join(cells))}}};"


def _wrapped(text: str, width: int = 2000) -> str:
    """Long lists on several lines, which compilers and editors like better."""
    if len(text) <= width:
        return text
    lines, line = [], ""
    for part in text.split(" "):
        if len(line) + len(part) > width:
            lines.append(line)
            line = ""
        line += f"{part} "
    return "\n  ".join([*lines, line])
