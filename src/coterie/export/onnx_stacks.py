"""Second levels and calibration as ONNX operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from coterie.combining.calibration import ClassMaps
from coterie.combining.meta import ConvexStack, LinearStack
from coterie.export.errors import OnnxError
from coterie.export.onnx_graph import Graph
from coterie.export.onnx_links import pair
from coterie.fusion.calibration import (
    EDGE,
    BetaMap,
    IsotonicMap,
    PlattMap,
    TemperatureMap,
)

__all__ = ["calibrated", "column", "probabilities", "profiled"]

_NOTHING = 1e-12  # below which support is none


def column(graph: Graph, values: str, place: int) -> str:
    """One of the columns, shape (rows, 1)."""
    return graph.add("Gather", values, graph.constant(np.array([place])), axis=1)


def probabilities(graph: Graph, support: str, n_classes: int) -> str:
    """Support divided by its sum, and even where there is none."""
    small = graph.add("Less", support, graph.number(_NOTHING))
    clipped = graph.add("Where", small, graph.number(0.0), support)
    total = graph.add("ReduceSum", clipped, graph.constant(np.array([1])), keepdims=1)
    some = graph.add("Greater", total, graph.number(0.0))
    safe = graph.add("Where", some, total, graph.number(1.0))
    share = graph.add("Div", clipped, safe)
    return graph.add("Where", some, share, graph.number(1.0 / n_classes))


def profiled(graph: Graph, level: Any, said: Sequence[str], n_outputs: int) -> str:
    """What a second level that knows its inputs makes of the members' votes."""
    if isinstance(level, ConvexStack):
        parts = [
            graph.add("Mul", one, graph.number(weight))
            for one, weight in zip(said, level.weights.tolist(), strict=True)
        ]
        return parts[0] if len(parts) == 1 else graph.add("Sum", *parts)
    if not isinstance(level, LinearStack):
        raise OnnxError(
            f"The second level {type(level).__name__} cannot be exported to ONNX. Use another "
            "final_estimator, such as a logistic regression."
        )
    coef = level.coef
    if level.inputs == "class":  # each class sees its own columns only
        wide = np.zeros((n_outputs, len(said), n_outputs))
        for k in range(n_outputs):
            wide[k, :, k] = coef[k]
        coef = wide.reshape(n_outputs, -1)
    beside = said[0] if len(said) == 1 else graph.add("Concat", *said, axis=1)
    raw = graph.add("MatMul", beside, graph.constant(np.ascontiguousarray(coef.T)))
    return graph.add("Add", raw, graph.constant(level.intercept.reshape(1, -1)))


def calibrated(graph: Graph, maps: ClassMaps, said: str) -> str:
    """Probabilities after calibration."""
    if maps.scores:
        raise OnnxError(
            "Calibrated scores cannot be exported to ONNX: use members with predict_proba."
        )
    if maps.method == "identity":
        return said
    low, high = maps.bounds
    given = graph.add("Max", graph.add("Min", said, graph.number(high)), graph.number(low))
    if isinstance(maps.maps[0], TemperatureMap):
        cooled = graph.add("Div", _log(graph, given), graph.number(maps.maps[0].tau))
        return graph.add("Softmax", cooled, axis=1)
    places = [1] if maps.n_classes == 2 else range(maps.n_classes)
    mapped = [
        _MAPS[type(one)](graph, one, column(graph, given, place))
        for one, place in zip(maps.maps, places, strict=True)
    ]
    if maps.n_classes == 2:
        return pair(graph, mapped[0])
    return probabilities(graph, graph.add("Concat", *mapped, axis=1), maps.n_classes)


def _log(graph: Graph, chance: str) -> str:
    edges = graph.number(EDGE), graph.number(1.0 - EDGE)
    return graph.add("Log", graph.add("Max", graph.add("Min", chance, edges[1]), edges[0]))


def _log_rest(graph: Graph, chance: str) -> str:
    return _log(graph, graph.add("Sub", graph.number(1.0), chance))


def _platt(graph: Graph, one: PlattMap, chance: str) -> str:
    odds = graph.add("Sub", _log(graph, chance), _log_rest(graph, chance))
    steep = graph.add("Mul", odds, graph.number(-one.slope))
    return graph.add("Sigmoid", graph.add("Add", steep, graph.number(-one.shift)))


def _beta(graph: Graph, one: BetaMap, chance: str) -> str:
    first = graph.add("Mul", _log(graph, chance), graph.number(one.a))
    second = graph.add("Mul", _log_rest(graph, chance), graph.number(one.b))
    odds = graph.add("Add", graph.add("Sub", first, second), graph.number(one.c))
    return graph.add("Sigmoid", odds)


def _isotonic(graph: Graph, one: IsotonicMap, chance: str) -> str:
    """The lowest value and what every stretch between two points adds."""
    points, values = one.points, one.values
    lowest = graph.number(float(values[0]))
    rise = np.diff(values)
    if not len(rise):
        return graph.add("Add", graph.add("Sub", chance, chance), lowest)
    axes = graph.constant(np.array([1]))
    if one.interpolate:
        run = np.diff(points)
        begun = graph.add("Sub", chance, graph.constant(points[None, :-1].copy()))
        begun = graph.add("Max", begun, graph.number(0.0))
        begun = graph.add("Min", begun, graph.constant(run[None, :]))
        slopes = np.divide(rise, run, out=np.zeros_like(rise), where=run > 0)
        gained = graph.add("Mul", begun, graph.constant(slopes[None, :]))
    else:
        passed = graph.add("GreaterOrEqual", chance, graph.constant(points[None, 1:].copy()))
        gained = graph.add("Mul", graph.add("Cast", passed, to=11), graph.constant(rise[None, :]))
    return graph.add("Add", graph.add("ReduceSum", gained, axes, keepdims=1), lowest)


_MAPS: dict[type, Callable[[Graph, Any, str], str]] = {
    PlattMap: _platt,
    BetaMap: _beta,
    IsotonicMap: _isotonic,
}
