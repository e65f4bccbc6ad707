"""Native ensembles as ONNX operators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from coterie.boosting.calibrated_costs import CalibratedCosts
from coterie.boosting.descender import Origin
from coterie.core import Pool
from coterie.export.errors import OnnxError
from coterie.export.onnx_graph import Graph
from coterie.export.onnx_links import loss_link, number_link, pair, rule_link
from coterie.export.onnx_trees import tree_arrays
from coterie.export.onnx_view import View
from coterie.export.registry import tag_of
from coterie.native import Forest

__all__ = ["Answer", "is_native", "native_answer", "sum_of_votes"]


def is_native(cls: type) -> bool:
    """Whether ensembles of a class have a form in ONNX if their members are native trees."""
    return tag_of(cls) is not None and getattr(cls, "answers_by", None) is not None


class Answer(NamedTuple):
    """What a model says, as results of a graph.

    Attributes
    ----------
    values : str
        Probabilities of shape (rows, classes), or numbers of shape (rows, outputs).
    codes : str or None
        Positions of the classes it names; None if they are those of the largest probabilities.
    """

    values: str
    codes: str | None = None


def native_answer(graph: Graph, model: Any, view: View) -> Answer:
    """What an ensemble of native trees says.

    Parameters
    ----------
    graph : Graph
        Where operators are added.
    model : estimator
        Fitted, of a class that `is_native`.
    view : View
        What it sees of the input.
    """
    _refuse_the_inexpressible(model)
    pool: Pool = model.pool_
    share = 1.0 / pool.weights.sum() if model.answers_by == "mean" else 1.0
    raw, n_scores = sum_of_votes(graph, pool, view.codes(model.schema_), view, share)
    start = _start(model)
    if start is not None and np.any(start):
        raw = graph.add("Add", raw, graph.constant(np.asarray(start, np.float64)[None, :]))
    if is_classifier(model):
        return _classes(graph, model, raw, n_scores)
    return Answer(_numbers(graph, model, raw))


def sum_of_votes(
    graph: Graph, pool: Pool, codes: dict[int, NDArray[np.int64]], view: View, share: float
) -> tuple[str, int]:
    """The weighted sum of the votes of native trees, and its number of columns.

    Parameters
    ----------
    graph : Graph
        Where operators are added.
    pool : Pool
        The trees.
    codes : dict
        As `View.codes` returns it.
    view : View
        What the trees see of the input.
    share : float
        What weights are multiplied by.
    """
    ballots, weights = pool.ballots, np.repeat(pool.weights * share, pool.width)
    # The mean probability of the first of two classes is what the second leaves.
    halved = share != 1.0 and pool.width == 1 and _adds_up(ballots.values)
    if halved:
        ballots = ballots.with_values(np.ascontiguousarray(ballots.values[:, 1:]))
    arrays = tree_arrays(ballots, weights, codes, pool.width)
    n_scores = pool.width if pool.width > 1 else ballots.values.shape[1]
    raw = graph.trees(replace(arrays, feature=view.columns[arrays.feature]), n_scores, view.source)
    return (pair(graph, raw), 2) if halved else (raw, n_scores)


def _adds_up(votes: NDArray[np.float64]) -> bool:
    """Whether votes are probabilities of two classes."""
    return votes.shape[1] == 2 and bool(np.abs(votes.sum(axis=1) - 1.0).max(initial=0.0) < 1e-13)


def _refuse_the_inexpressible(model: Any) -> None:
    origin = getattr(model, "origin_", None)
    problems = {
        "has members that are not native trees": not isinstance(model.pool_.members, Forest),
        "has no members": not len(model.pool_),
        "has linear leaves": getattr(model.pool_.members, "linear", None) is not None,
        "has several classification outputs": is_classifier(model)
        and len(model.target_.classes) != 1,
        "has a single class": is_classifier(model) and len(model.target_.classes[0]) == 1,
        "starts from an init model": vars(model).get("init_") is not None
        or vars(model).get("start_model_") is not None
        or getattr(origin, "member", None) is not None,
        "has a number for missing values": getattr(model, "missing", None) is not None,
        "encodes categories by target statistics": getattr(model, "ordered_", None) is not None,
        "uses prior_correction": bool(getattr(model, "prior_correction", False)),
    }
    found = [problem for problem, there in problems.items() if there]
    if found:
        raise OnnxError(
            f"This {type(model).__name__} {found[0]}, which cannot be exported to ONNX."
        )


def _start(model: Any) -> NDArray[np.float64] | None:
    """The score before any member, where there is one."""
    origin, start = getattr(model, "origin_", None), getattr(model, "start_", None)
    return origin.constant if isinstance(origin, Origin) else start


def _classes(graph: Graph, model: Any, raw: str, n_scores: int) -> Answer:
    rule = getattr(model, "rule_", None)
    if isinstance(rule, CalibratedCosts):
        raw = _calibrated(graph, rule, raw, n_scores, len(model.pool_))
    if model.answers_by == "mean":
        probabilities = raw
    else:
        by_loss = model.answers_by == "loss"
        link = loss_link(model.loss_) if by_loss else rule_link(model.rule_, n_scores)
        if link is None:
            name = type(model).__name__
            raise OnnxError(
                f"The link function of this {name}, from scores to probabilities, "
                "cannot be exported to ONNX."
            )
        probabilities = link(graph, raw, n_scores)
    if n_scores > 1:
        return Answer(probabilities, graph.add("ArgMax", raw, axis=1, keepdims=0))
    above = graph.add("Greater", raw, graph.number(0.0))
    flat = graph.add("Squeeze", above, graph.constant(np.array([1])))
    return Answer(probabilities, graph.add("Cast", flat, to=7))  # int64


def _calibrated(graph: Graph, rule: CalibratedCosts, raw: str, n_scores: int, size: int) -> str:
    """Scores as the rule shows them, which is a slope and a shift."""
    at = [rule.shown(rule.settle(np.full((1, n_scores), score)), size) for score in (0.0, 1.0)]
    steep = graph.add("Mul", raw, graph.number(float((at[1] - at[0])[0, 0])))
    return graph.add("Add", steep, graph.constant(at[0]))


def _numbers(graph: Graph, model: Any, raw: str) -> str:
    if model.answers_by == "ratio":
        first, second = (graph.constant(np.array([column])) for column in (0, 1))
        return graph.add(
            "Div", graph.add("Gather", raw, first, axis=1), graph.add("Gather", raw, second, axis=1)
        )
    if model.answers_by != "loss":
        return raw
    link = number_link(model.loss_)
    if link is None:
        name = type(model).__name__
        raise OnnxError(f"The loss {model.loss_!r} of this {name} has no link function in ONNX.")
    return link(graph, raw)
