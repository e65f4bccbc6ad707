"""Ensembles of native ensembles as ONNX operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from coterie.automl.combine import NOTHING, Blend
from coterie.export.errors import OnnxError
from coterie.export.onnx_graph import Graph
from coterie.export.onnx_links import shares
from coterie.export.onnx_native import Answer, is_native, native_answer, sum_of_votes
from coterie.export.onnx_pipelines import (
    SIMPLE,
    cells_of,
    last_step,
    simple_answer,
    steps_before,
    view_of,
)
from coterie.export.onnx_stacks import calibrated, column, probabilities, profiled
from coterie.export.onnx_steps import Cells
from coterie.export.onnx_view import View
from coterie.export.registry import COTERIE, tag_of
from coterie.learners import ForeignMember
from coterie.native import Forest

__all__ = ["answer", "is_known", "refuse_unknown"]

Form = Callable[[Graph, Any, View], Answer]
Floats = NDArray[np.float64]

_FLOOR = 1e-6  # of probabilities whose logarithm a blend takes


def answer(graph: Graph, model: Any, view: View) -> Answer:
    """What a model says.

    Parameters
    ----------
    graph : Graph
        Where operators are added.
    model : estimator
        Fitted.
    view : View
        What it sees of the input.
    """
    refuse_unknown(model)
    if isinstance(model, Pipeline):
        last, cells = steps_before(graph, model, cells_of(graph, view))
        return _after_steps(graph, last, cells)
    if isinstance(model, SIMPLE):
        return simple_answer(graph, model, cells_of(graph, view))
    return _FORMS.get(type(model).__name__, native_answer)(graph, model, view)


def _after_steps(graph: Graph, model: Any, cells: Cells) -> Answer:
    """What a model says of columns that other operators made."""
    if isinstance(model, SIMPLE):
        return simple_answer(graph, model, cells)
    return answer(graph, model, view_of(graph, model.schema_, cells))


def refuse_unknown(model: Any) -> None:
    """Refuse a model of a class that has no form in ONNX, fitted or not."""
    model = last_step(model)
    if not can_be_said(model):
        exported = ((name, getattr(COTERIE, name)) for name in sorted(COTERIE.__all__))
        known = [name for name, cls in exported if isinstance(cls, type) and is_known(cls)]
        raise OnnxError(
            f"A {type(model).__name__} cannot be exported to ONNX; these can: "
            f"{', '.join(known)}. Export its members one by one, or save it with "
            "coterie.save."
        )


_PREPARED = {"date": "dates", "number": "amounts", "list": "lists", "text": "texts"}


def _table(graph: Graph, model: Any, view: View) -> Answer:
    """Fold models answer with their mean, and a blend combines members."""
    preparation = model.preparation_
    if preparation.names:
        kinds = dict.fromkeys(_PREPARED[preparation.kind(name)] for name in preparation.names)
        raise OnnxError(
            f"This {type(model).__name__} reads {' and '.join(kinds)} "
            f"({', '.join(preparation.names)}), which cannot be exported to ONNX. Convert them "
            "to numbers, such as days, before the fit."
        )
    _refuse_foreigners(
        ((member.name, one) for member in model.members_ for one in member.models),
        'Fit with members="native" (coterie fit --members native), which tries native members '
        "only.",
    )
    cells = view.cells(model.schema_)
    said = []
    for member, seat in zip(model.members_, model.pool_.members, strict=True):
        sight = cells if len(seat.used) == len(cells.columns) else cells.take(seat.used)
        said.append(_named(member.name, graph, seat, sight))
    return Answer(_blended(graph, model.blend_, said, is_classifier(model)))


def _blended(graph: Graph, blend: Blend, said: Sequence[str], labels: bool) -> str:
    """The operators of `Blend`."""
    mixed = _mixed(graph, blend, said, labels)
    if not blend.least:
        return mixed
    return shares(graph, graph.add("Max", mixed, graph.number(blend.least)))


def _mixed(graph: Graph, blend: Blend, said: Sequence[str], labels: bool) -> str:
    if blend.logs:
        said = [_logs(graph, one) for one in said]
    total = _weighted(graph, said, blend.weights)
    if blend.shift is not None:
        total = graph.add("Add", total, graph.constant(np.asarray(blend.shift, np.float64)))
    if blend.logs:
        return graph.add("Softmax", total, axis=1)
    if not labels:
        return total
    nothing = graph.add("Less", total, graph.number(NOTHING))
    mean = shares(graph, graph.add("Where", nothing, graph.number(blend.floor), total))
    if blend.tau == 1.0:
        return mean
    cooled = graph.add("Div", _logs(graph, mean), graph.number(blend.tau))
    said = graph.add("Softmax", cooled, axis=1)
    if not blend.floor:
        return said
    raised = graph.add("Max", said, graph.number(blend.floor))
    return shares(graph, graph.add("Where", nothing, raised, said))


def _logs(graph: Graph, values: str) -> str:
    return graph.add("Log", graph.add("Max", values, graph.number(_FLOOR)))


def _vote(graph: Graph, model: Any, view: View) -> Answer:
    """Averaged probabilities, or numbers."""
    settings = {"voting": ("soft", "mean"), "rule": ("mean",), "ties": ("first",)}
    for name, fine in settings.items():
        value = getattr(model, name, fine[0])
        if callable(value) or value not in fine:
            raise OnnxError(
                f"This {type(model).__name__} has {name}={value!r}; with {name}={fine[0]!r} it "
                "can be exported."
            )
    if getattr(model, "reject", False):
        raise OnnxError(
            "Votes that may be rejected cannot be exported to ONNX: fit without reject."
        )
    said = _members_say(graph, model, view)
    weights = np.asarray(model.weights_, dtype=np.float64)
    if not getattr(model, "sum_", False):
        weights = weights / weights.sum()
    return Answer(_weighted(graph, said, weights))


def _members_say(graph: Graph, model: Any, view: View) -> list[str]:
    """What each member of a combiner says."""
    names = [n for n, e in model.named_estimators_.items() if not isinstance(e, str)]
    seats = model.pool_.members
    _refuse_foreigners(
        (name, one) for name, seat in zip(names, seats, strict=True) for one in _models(seat)
    )
    return [_named(name, graph, seat, view) for name, seat in zip(names, seats, strict=True)]


def _stack(graph: Graph, model: Any, view: View) -> Answer:
    """What the second level makes of what members say."""
    if model.n_outputs_ > 1:
        raise OnnxError("A multilabel stack cannot be exported to ONNX: fit one stack per label.")
    asked = set(model.stack_method_) - {"predict_proba" if is_classifier(model) else "predict"}
    if asked:
        raise OnnxError(
            f"This stack uses {', '.join(sorted(asked))} of its members; it can be exported if "
            "all members have predict_proba."
        )
    said, final = _members_say(graph, model, view), model.final_estimator_
    if isinstance(model.final_estimator, str):
        n_outputs = len(model.classes_) if is_classifier(model) else 1
        support = profiled(graph, final, said, n_outputs)
        if not is_classifier(model):
            return Answer(support)
        codes = graph.add("ArgMax", support, axis=1, keepdims=0)
        return Answer(probabilities(graph, support, n_outputs), codes)
    if not can_be_said(final):
        _refuse_foreigners([("final_estimator", final)])
    if is_classifier(model) and len(model.classes_) == 2:
        said = [column(graph, one, 1) for one in said]
    if model.passthrough:
        said = [*said, cells_of(graph, view).tensor]
    beside = said[0] if len(said) == 1 else graph.add("Concat", *said, axis=1)
    width = sum(model.n_each_) + (len(view.columns) if model.passthrough else 0)
    return _after_steps(graph, final, Cells(beside, (-1,) * width, {}))


def _calibrated(graph: Graph, model: Any, view: View) -> Answer:
    """Means of calibrated probabilities, or calibrated means."""
    said = _members_say(graph, model, view)
    if model.calibrate == "members":
        said = [
            calibrated(graph, maps, one) for maps, one in zip(model.calibrators_, said, strict=True)
        ]
    mean = _weighted(graph, said, np.full(len(said), 1.0 / len(said)))
    if model.calibrate == "members":
        return Answer(mean)
    return Answer(calibrated(graph, model.calibrators_[0], mean))


def _pruned(graph: Graph, model: Any, view: View) -> Answer:
    """The weighted mean of the members that were kept."""
    panel = model.panel_
    share = 1.0 / panel.pool.weights.sum()
    if isinstance(panel.pool.members, Forest):
        codes = view.codes(panel.schema)
        mean, _ = sum_of_votes(graph, panel.pool, codes, view, share)
        places = panel.places
        return Answer(mean if places is None else _spread(graph, mean, places, panel.n_outputs))
    voters = panel.pool.members
    pairs = [(f"member {t}", getattr(one, "estimator", one)) for t, one in enumerate(voters)]
    _refuse_foreigners(pairs)
    said = []
    for voter, (name, one) in zip(voters, pairs, strict=True):
        sight = view if voter.columns is None else view.take(voter.columns)
        values = _with_name(name, graph, one, sight)
        said.append(_by_classes(graph, voter, values))
    return Answer(_weighted(graph, said, panel.pool.weights * share))


def _models(seat: Any) -> list[Any]:
    return [part.estimator for part in getattr(seat, "seats", (seat,))]


def _named(name: str, graph: Graph, seat: Any, view: View) -> str:
    """What the models on a seat say on average, by the classes of the ensemble."""
    said = []
    for part in getattr(seat, "seats", (seat,)):
        values = _with_name(name, graph, part.estimator, view)
        said.append(_by_classes(graph, part, values))
    return _weighted(graph, said, np.full(len(said), 1.0 / len(said)))


def _by_classes(graph: Graph, member: ForeignMember, values: str) -> str:
    """What a member says, by the classes of the ensemble."""
    places = member.places
    if places is None or len(places) == len(member.classes[0]):
        return values
    return _spread(graph, values, places, len(member.classes[0]))


def _with_name(name: str, graph: Graph, model: Any, view: View) -> str:
    """What a member says; what is wrong with it is told with its name."""
    try:
        return answer(graph, model, view).values
    except OnnxError as error:
        raise OnnxError(f"{name}: {error}") from error


def _weighted(graph: Graph, said: Sequence[str], weights: Floats) -> str:
    """The weighted sum of results."""
    parts = [
        one if weight == 1.0 else graph.add("Mul", one, graph.number(weight))
        for one, weight in zip(said, weights.tolist(), strict=True)
        if weight
    ]
    return parts[0] if len(parts) == 1 else graph.add("Sum", *parts)


def _spread(graph: Graph, values: str, places: NDArray[np.intp], n_classes: int) -> str:
    """Probabilities of some classes among those of all."""
    # No product with a matrix: onnxruntime fuses that with weights, in single precision.
    first = graph.add("Gather", values, graph.constant(np.array([0])), axis=1)
    padded = graph.add("Concat", values, graph.add("Sub", first, first), axis=1)
    order = np.full(n_classes, len(places))
    order[places] = np.arange(len(places))
    return graph.add("Gather", padded, graph.constant(order), axis=1)


def _refuse_foreigners(members: Iterable[tuple[str, Any]], cure: str = "") -> None:
    """Name all members that have no form here."""
    strange: dict[str, str] = {}
    for name, model in members:
        if not can_be_said(last_step(model)):
            strange[name] = type(model).__name__
    if strange:
        listed = ", ".join(f"{name} ({kind})" for name, kind in strange.items())
        cure = cure or "Remove them, or save the model with coterie.save."
        raise OnnxError(f"These members cannot be exported to ONNX: {listed}. {cure}")


_FORMS: dict[str, Form] = {
    "CalibratedEnsembleClassifier": _calibrated,
    "EnsembleSelectionClassifier": _vote,
    "EnsembleSelectionRegressor": _vote,
    "PrunedEnsembleClassifier": _pruned,
    "PrunedEnsembleRegressor": _pruned,
    "StackingClassifier": _stack,
    "StackingRegressor": _stack,
    "TableClassifier": _table,
    "TableRegressor": _table,
    "VotingClassifier": _vote,
    "VotingRegressor": _vote,
    "WeightedAverageRegressor": _vote,
}


def can_be_said(model: Any) -> bool:
    """Whether a model that is no pipeline has a form in ONNX."""
    return isinstance(model, SIMPLE) or is_known(type(model))


def is_known(cls: type) -> bool:
    """Whether models of a class have a form in ONNX."""
    return is_native(cls) or tag_of(cls) in _FORMS
