"""scikit-learn's pipelines, linear and constant models as ONNX operators."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeCV,
)
from sklearn.pipeline import Pipeline

from coterie.automl.prior import PRIORS
from coterie.data import Schema
from coterie.export.errors import OnnxError
from coterie.export.onnx_graph import Graph
from coterie.export.onnx_links import pair, shares
from coterie.export.onnx_native import Answer
from coterie.export.onnx_steps import Cells, numbered, transformed
from coterie.export.onnx_view import View

__all__ = ["SIMPLE", "cells_of", "last_step", "simple_answer", "steps_before", "view_of"]

_LOGISTIC = (LogisticRegression, LogisticRegressionCV)
_CONSTANT = (DummyClassifier, DummyRegressor, *PRIORS)
#: Foreign models that have a form of their own.
SIMPLE = (
    *_LOGISTIC,
    *(LinearRegression, Ridge, RidgeCV, Lasso, LassoCV, ElasticNet, ElasticNetCV),
    *_CONSTANT,
)


def last_step(model: Any) -> Any:
    """The model at the end of a pipeline, or the model itself."""
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model


def cells_of(graph: Graph, view: View) -> Cells:
    """The columns that a view shows, for steps of a pipeline."""
    labels = {int(view.columns[j]): known for j, known in view.labels.items()}
    if not view.source and len(view.columns) == graph.n_columns and isinstance(view.labels, dict):
        labels = view.labels  # what encoders tell of the input is told to all
    width = graph.n_columns if not view.source else int(view.columns.max()) + 1
    whole = Cells(view.source or "X", tuple(range(width)), labels)
    return whole.take(graph, view.columns.tolist())


def view_of(graph: Graph, schema: Schema, cells: Cells) -> View:
    """What a model of this library sees of columns that steps have made.

    Parameters
    ----------
    graph : Graph
        Where operators are added.
    schema : Schema
        The columns as the model knows them; its categories become codes.
    cells : Cells
        The columns.
    """
    if len(schema.labels):
        parts = [
            numbered(graph, cells, j, schema.labels[j], np.nan, np.nan)
            if j in schema.labels
            else cells.take(graph, [j]).tensor
            for j in range(schema.n_columns)
        ]
        cells = cells.made(graph.add("Concat", *parts, axis=1), len(parts))
    return View(np.arange(schema.n_columns), schema.labels, source=cells.tensor)


def steps_before(graph: Graph, model: Pipeline, cells: Cells) -> tuple[Any, Cells]:
    """The model at the end of a pipeline, and what it is shown."""
    while isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            cells = transformed(graph, step, cells)
        model = model.steps[-1][1]
    return model, cells


def simple_answer(graph: Graph, model: Any, cells: Cells) -> Answer:
    """What a linear or a constant model says."""
    if isinstance(model, _CONSTANT):
        return _constant_answer(graph, model, cells)
    coef = np.asarray(model.coef_, dtype=np.float64)
    coef = coef.reshape(-1, cells.width)
    level = np.broadcast_to(np.asarray(model.intercept_, np.float64), (len(coef),))
    raw = graph.add("MatMul", cells.tensor, graph.constant(np.ascontiguousarray(coef.T)))
    raw = graph.add("Add", raw, graph.constant(level.reshape(1, -1).copy()))
    if not isinstance(model, _LOGISTIC):
        return Answer(raw)
    if len(coef) == 1:
        return Answer(pair(graph, graph.add("Sigmoid", raw)))
    if getattr(model, "solver", "") == "liblinear":  # one class against the rest
        return Answer(shares(graph, graph.add("Sigmoid", raw)))
    return Answer(graph.add("Softmax", raw, axis=1))


def _constant_answer(graph: Graph, model: Any, cells: Cells) -> Answer:
    """The same numbers for every row, whatever its cells hold."""
    if isinstance(model, DummyRegressor):
        said = np.ravel(model.constant_)
    elif isinstance(model, PRIORS):
        ask = getattr(model, "predict_proba", model.predict)
        said = ask(np.zeros((1, 1)))[0]
    elif model.strategy in ("stratified", "uniform"):
        raise OnnxError(
            f"DummyClassifier(strategy={model.strategy!r}) predicts at random, which cannot be "
            "exported to ONNX."
        )
    else:
        said = model.predict_proba(np.zeros((1, 1)))[0]
    first = graph.add("Gather", cells.tensor, graph.constant(np.array([0])), axis=1)
    values = graph.constant(np.asarray(said, dtype=np.float64).reshape(1, -1))
    # No cell is less than itself, a missing one neither.
    return Answer(graph.add("Where", graph.add("Less", first, first), values, values))
