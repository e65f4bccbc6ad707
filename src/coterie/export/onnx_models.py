"""Ensembles of native trees as ONNX models."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from coterie.base.atomic import write_whole
from coterie.data import Schema
from coterie.export.errors import OnnxError
from coterie.export.onnx_composites import answer, refuse_unknown
from coterie.export.onnx_graph import Graph
from coterie.export.onnx_native import Answer
from coterie.export.onnx_pipelines import SIMPLE, last_step
from coterie.export.onnx_view import View

__all__ = ["to_onnx"]


def to_onnx(model: Any, path: str | os.PathLike[str] | None = None) -> Any:
    """Convert an ensemble of native trees to an ONNX model with the same predictions.

    Trees become one operator ``TreeEnsemble`` (ai.onnx.ml, version 5) in double precision for
    each native ensemble; those that combine others become the operators of the combination, and
    so do the steps of a scikit-learn pipeline that ends in a model of coterie. The
    input ``X`` holds doubles, one column for each in ``feature_names_in_`` and in that order,
    whether it is used or not, NaN where something is missing; a categorical column holds the codes
    of its categories, their positions in the list that the metadata entry ``categories`` has for
    it; any other code, such as -1, is a category that was not seen at fit. A classifier has the
    outputs ``label`` and ``probabilities``, a regressor has ``prediction``.

    Parameters
    ----------
    model : estimator
        Fitted: a tree, forest, bag of native trees, gradient boosting, or a kind of boosting that
        adds up what its trees say; soft votes, averages, stacks, calibrated ensembles, ensemble
        selection and pruned ensembles of such members, of scikit-learn's linear models and of
        pipelines with these at the end; a pipeline of scalers, `SimpleImputer`, `OneHotEncoder`,
        `OrdinalEncoder` and `ColumnTransformer` with such a model at the end, whose text columns
        are given as codes too; what `fit_table` returns if its members are such, as those of
        ``members="native"`` always are, and if no column holds dates.
    path : str or path, optional
        Where to write the model; the file is written atomically.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    OnnxError
        If the model cannot be converted; the error gives the reason.

    References
    ----------
    .. [1] ONNX contributors, "Operators of ai.onnx.ml: TreeEnsemble", 2024.

    Examples
    --------
    >>> import coterie
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = coterie.RandomForestClassifier(random_state=0).fit(X, y)
    >>> [output.name for output in coterie.to_onnx(model).graph.output]
    ['label', 'probabilities']
    """
    refuse_unknown(model)
    check_is_fitted(model)
    last = last_step(model)
    if isinstance(last, SIMPLE):
        raise OnnxError(
            f"A {type(last).__name__} is not a coterie model. To export it to ONNX, use skl2onnx."
        )
    schema = _input_schema(model) if isinstance(model, Pipeline) else model.schema_
    graph = Graph(type(last).__name__, schema.n_columns)
    graph.forget_strange_codes(schema.labels)
    said = answer(graph, model, View.whole(schema))
    if is_classifier(last):
        _put_classes(graph, last.target_.classes[0], said)
    else:
        _put_numbers(graph, last.n_outputs_, said.values)
    made = graph.model(schema)
    if path is not None:
        write_whole(path, [made.SerializeToString()])
    return made


def _input_schema(model: Pipeline) -> Schema:
    """The columns of a pipeline; encoders tell on the way which categories text has."""
    names = getattr(model, "feature_names_in_", None)
    return Schema(model.n_features_in_, None if names is None else tuple(map(str, names)))


def _put_classes(graph: Graph, classes: NDArray[Any], said: Answer) -> None:
    codes = said.codes or graph.add("ArgMax", said.values, axis=1, keepdims=0)
    labels = graph.add("Gather", graph.constant(classes), codes, axis=0)
    graph.output(labels, "label", [None], like=classes)
    graph.output(said.values, "probabilities", [None, len(classes)])


def _put_numbers(graph: Graph, n_outputs: int, values: str) -> None:
    if n_outputs == 1:
        values = graph.add("Squeeze", values, graph.constant(np.array([1])))
    graph.output(values, "prediction", [None] if n_outputs == 1 else [None, n_outputs])
