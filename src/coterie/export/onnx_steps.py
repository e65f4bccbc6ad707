"""scikit-learn's transformers as ONNX operators."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from coterie.export.errors import OnnxError
from coterie.export.onnx_graph import Graph

__all__ = ["Cells", "positions", "transformed"]

Labels = NDArray[Any]


@dataclass(frozen=True)
class Cells:
    """Columns of numbers on their way through a pipeline.

    Parameters
    ----------
    tensor : str
        A result of shape (rows, columns).
    origins : tuple of int
        The column of the input that each column still is; -1 for those that were computed.
    labels : mapping of int to ndarray
        By column of the input, what its codes stand for. Text is given as codes; which ones is said
        by the first encoder that meets a column, unless it is known before.
    fills : mapping of int to object
        By column, the text that takes the place of a missing one.
    """

    tensor: str
    origins: tuple[int, ...]
    labels: MutableMapping[int, Labels]
    fills: dict[int, Any] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.origins)

    def take(self, graph: Graph, columns: list[int]) -> Cells:
        """Some of the columns."""
        if columns == list(range(self.width)):
            return self
        tensor = graph.add("Gather", self.tensor, graph.constant(np.array(columns)), axis=1)
        fills = {k: self.fills[j] for k, j in enumerate(columns) if j in self.fills}
        return Cells(tensor, tuple(self.origins[j] for j in columns), self.labels, fills)

    def made(self, tensor: str, width: int) -> Cells:
        """New columns in place of all of these."""
        return Cells(tensor, (-1,) * width, self.labels)


def transformed(graph: Graph, step: Any, cells: Cells) -> Cells:
    """What a fitted transformer makes of columns.

    Parameters
    ----------
    graph : Graph
        Where operators are added.
    step : transformer, "passthrough", "drop" or None
        Fitted.
    cells : Cells
        What it is shown.
    """
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return cells
    if isinstance(step, FunctionTransformer) and step.func is None:  # what is passed through
        return cells
    for kind, form in _STEPS.items():
        if isinstance(step, kind):
            return form(graph, step, cells)
    known = ", ".join(sorted(kind.__name__ for kind in _STEPS))
    raise OnnxError(
        f"The step {type(step).__name__} cannot be exported to ONNX; these can: {known}. Apply it "
        "before the model, and export the rest."
    )


def _pipeline(graph: Graph, step: Pipeline, cells: Cells) -> Cells:
    for _, one in step.steps:
        cells = transformed(graph, one, cells)
    return cells


def _columns(graph: Graph, step: ColumnTransformer, cells: Cells) -> Cells:
    names = list(getattr(step, "feature_names_in_", []))
    parts = []
    for _, one, chosen in step.transformers_:
        if isinstance(one, str) and one == "drop":
            continue
        places = _places(chosen, names, cells.width)
        if places:
            parts.append(transformed(graph, one, cells.take(graph, places)))
    return _beside(graph, parts)


def _places(chosen: Any, names: list[str], width: int) -> list[int]:
    """Positions of the columns that a part of a `ColumnTransformer` is given."""
    if isinstance(chosen, str):
        return [names.index(chosen)]
    if isinstance(chosen, slice):
        if isinstance(chosen.start, str) or isinstance(chosen.stop, str):  # the last is included
            first = 0 if chosen.start is None else names.index(chosen.start)
            last = width if chosen.stop is None else names.index(chosen.stop) + 1
            return list(range(width))[first:last]
        return list(range(width))[chosen]
    given = np.atleast_1d(np.asarray(chosen))
    if given.dtype == bool:
        return np.flatnonzero(given).tolist()
    if given.dtype.kind in "OUT":
        return [names.index(name) for name in given.tolist()]
    return [range(width)[j] for j in given.astype(int).tolist()]


def _beside(graph: Graph, parts: list[Cells]) -> Cells:
    if len(parts) == 1:
        return parts[0]
    tensor = graph.add("Concat", *(part.tensor for part in parts), axis=1)
    origins: tuple[int, ...] = sum((part.origins for part in parts), ())
    fills: dict[int, Any] = {}
    start = 0
    for part in parts:
        fills |= {start + j: value for j, value in part.fills.items()}
        start += part.width
    return Cells(tensor, origins, parts[0].labels, fills)


def _row(graph: Graph, values: Any) -> str:
    return graph.constant(np.asarray(values, dtype=np.float64).reshape(1, -1))


def _standard(graph: Graph, step: Any, cells: Cells) -> Cells:
    return _shifted(graph, cells, getattr(step, "mean_", None), step.scale_, step.with_mean)


def _robust(graph: Graph, step: Any, cells: Cells) -> Cells:
    return _shifted(graph, cells, step.center_, step.scale_, step.with_centering)


def _shifted(graph: Graph, cells: Cells, middle: Any, scale: Any, centred: bool) -> Cells:
    tensor = cells.tensor
    if centred and middle is not None:
        tensor = graph.add("Sub", tensor, _row(graph, middle))
    if scale is not None:
        tensor = graph.add("Div", tensor, _row(graph, scale))
    return cells.made(tensor, cells.width)


def _min_max(graph: Graph, step: Any, cells: Cells) -> Cells:
    tensor = graph.add("Mul", cells.tensor, _row(graph, step.scale_))
    tensor = graph.add("Add", tensor, _row(graph, step.min_))
    if step.clip:
        low, high = step.feature_range
        tensor = graph.add("Max", graph.add("Min", tensor, graph.number(high)), graph.number(low))
    return cells.made(tensor, cells.width)


def _max_abs(graph: Graph, step: Any, cells: Cells) -> Cells:
    return cells.made(graph.add("Div", cells.tensor, _row(graph, step.scale_)), cells.width)


def _imputed(graph: Graph, step: Any, cells: Cells) -> Cells:
    statistics = list(step.statistics_)
    missing = step.missing_values
    absent = missing is None or (isinstance(missing, float) and np.isnan(missing))
    if not absent and isinstance(missing, str):
        raise OnnxError(f"SimpleImputer(missing_values={missing!r}) cannot be exported to ONNX.")
    if absent:
        gone = graph.add("IsNaN", cells.tensor)
    else:
        gone = graph.add("Equal", cells.tensor, graph.number(float(missing)))
    texts = {j: value for j, value in enumerate(statistics) if isinstance(value, str)}
    numbers = [np.nan if j in texts else float(value) for j, value in enumerate(statistics)]
    filled = graph.add("Where", gone, _row(graph, numbers), cells.tensor)
    kept = [j for j, number in enumerate(numbers) if j in texts or not np.isnan(number)]
    done = replace(cells, tensor=filled, fills={**cells.fills, **texts}).take(graph, kept)
    if step.indicator_ is None:
        return done
    which = graph.constant(np.asarray(step.indicator_.features_))
    flags = graph.add("Cast", graph.add("Gather", gone, which, axis=1), to=11)  # double
    return _beside(graph, [done, cells.made(flags, len(step.indicator_.features_))])


def positions(graph: Graph, cells: Cells, column: int, known: Labels) -> tuple[str, str, str]:
    """Where the value of a column is among known ones, in three results.

    Returns
    -------
    column, hits, missing : str
        The column of shape (rows, 1), with text as codes; whether it is each of the known values,
        shape (rows, n_known); whether it is missing.
    """
    one = cells.take(graph, [column]).tensor
    origin = cells.origins[column]
    if _is_text(known):
        present = np.array([value for value in known.tolist() if isinstance(value, str)], object)
        if origin < 0:
            raise OnnxError("A step that encodes text receives numbers from another step.")
        codes = cells.labels.setdefault(origin, present).tolist()
        place = {label: float(code) for code, label in enumerate(codes)}
        fill = cells.fills.get(column)
        if fill is not None:
            code = graph.number(place.get(fill, -1.0))
            one = graph.add("Where", graph.add("IsNaN", one), code, one)
        wanted = [place.get(v, -2.0) if isinstance(v, str) else np.nan for v in known.tolist()]
    elif cells.labels.get(origin) is not None:
        raise OnnxError(f"Column {origin} is text for one step and numeric for another.")
    else:
        wanted = [np.nan if value is None else float(value) for value in known.tolist()]
    return one, graph.add("Equal", one, _row(graph, wanted)), graph.add("IsNaN", one)


def _is_text(known: Labels) -> bool:
    return any(isinstance(value, str) for value in np.asarray(known).tolist())


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _one_hot(graph: Graph, step: Any, cells: Cells) -> Cells:
    if step.min_frequency is not None or step.max_categories is not None:
        raise OnnxError(
            "OneHotEncoder with min_frequency or max_categories cannot be exported to ONNX."
        )
    parts = []
    for j, known in enumerate(step.categories_):
        _, hits, gone = positions(graph, cells, j, known)
        if len(known) and _is_missing(known[-1]):
            first = graph.constant(np.arange(len(known) - 1))
            hits = graph.add("Concat", graph.add("Gather", hits, first, axis=1), gone, axis=1)
        keep = np.arange(len(known))
        dropped = None if step.drop_idx_ is None else step.drop_idx_[j]
        if dropped is not None:
            keep = np.delete(keep, dropped)
            hits = graph.add("Gather", hits, graph.constant(keep), axis=1)
        parts.append(cells.made(graph.add("Cast", hits, to=11), len(keep)))
    return _beside(graph, parts)


def _ordinal(graph: Graph, step: Any, cells: Cells) -> Cells:
    if step.min_frequency is not None or step.max_categories is not None:
        raise OnnxError(
            "OrdinalEncoder with min_frequency or max_categories cannot be exported to ONNX."
        )
    unknown = step.unknown_value if step.handle_unknown == "use_encoded_value" else np.nan
    parts = []
    for j, known in enumerate(step.categories_):
        code = numbered(graph, cells, j, known, float(unknown), float(step.encoded_missing_value))
        parts.append(cells.made(code, 1))
    return _beside(graph, parts)


def numbered(
    graph: Graph, cells: Cells, column: int, known: Labels, unknown: float, missing: float
) -> str:
    """The position of a column's value among known ones, shape (rows, 1)."""
    _, hits, gone = positions(graph, cells, column, known)
    ones, axes = graph.add("Cast", hits, to=11), graph.constant(np.array([1]))
    weighed = graph.add("Mul", ones, _row(graph, np.arange(float(len(known)))))
    code = graph.add("ReduceSum", weighed, axes, keepdims=1)
    found = graph.add("Greater", graph.add("ReduceSum", ones, axes, keepdims=1), graph.number(0.5))
    code = graph.add("Where", found, code, graph.number(unknown))
    return graph.add("Where", gone, graph.number(missing), code)


_STEPS: dict[type, Callable[[Graph, Any, Cells], Cells]] = {
    ColumnTransformer: _columns,
    MaxAbsScaler: _max_abs,
    MinMaxScaler: _min_max,
    OneHotEncoder: _one_hot,
    OrdinalEncoder: _ordinal,
    Pipeline: _pipeline,
    RobustScaler: _robust,
    SimpleImputer: _imputed,
    StandardScaler: _standard,
}
