"""Native ensembles as ONNX models."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

import coterie
from coterie.boosting.descender import Origin
from coterie.core import Pool
from coterie.export.atomic import write_whole
from coterie.export.onnx_graph import Graph
from coterie.export.onnx_links import loss_link, number_link, rule_link
from coterie.export.onnx_trees import tree_arrays
from coterie.native import Forest

__all__ = ["OnnxError", "to_onnx"]

# Those whose answer is the mean of what their members say.
_MEANS = {
    "BaggingClassifier",
    "BaggingRegressor",
    "BalancedBaggingClassifier",
    "BalancedRandomForestClassifier",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "OutputFlippingClassifier",
    "OutputSmearingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomParametersClassifier",
    "RandomParametersRegressor",
    "RandomPatchesClassifier",
    "RandomPatchesRegressor",
    "RandomSubspaceClassifier",
    "RandomSubspaceRegressor",
}
_SUMS = {"IteratedBaggingRegressor"}
# Those whose scores a rule turns into classes.
_RULED = {
    "AdaBoostClassifier",
    "AdaBoostM2Classifier",
    "AdaBoostMHClassifier",
    "AdaBoostVClassifier",
    "AnyBoostClassifier",
    "BoostingClassifier",
    "CostSensitiveBoostClassifier",
    "ERLPBoostClassifier",
    "FunctionalGradientBoostingClassifier",
    "GentleBoostClassifier",
    "LPBoostClassifier",
    "LogitBoostClassifier",
    "MadaBoostClassifier",
    "RUSBoostClassifier",
    "RealAdaBoostClassifier",
    "SoftBoostClassifier",
    "TotalBoostClassifier",
}
_GRADIENT = {"GradientBoostingClassifier", "GradientBoostingRegressor"}
_NUMBERS = {"FunctionalGradientBoostingRegressor"}
_RATIOS = {"AdaBoostRTRegressor"}
_KNOWN = _MEANS | _SUMS | _RULED | _GRADIENT | _NUMBERS | _RATIOS


class OnnxError(ValueError):
    """A model that cannot be an ONNX model, and why.

    Examples
    --------
    >>> issubclass(OnnxError, ValueError)
    True
    """


def to_onnx(model: Any, path: str | os.PathLike[str] | None = None) -> Any:
    """Turn an ensemble of native trees into an ONNX model with the same predictions.

    Trees become one operator ``TreeEnsemble`` (ai.onnx.ml, version 5) in double precision. The
    input ``X`` holds doubles, NaN where something is missing; a categorical column holds the codes
    of its categories, their positions in the list that the metadata entry ``categories`` has for
    it. A classifier has the outputs ``label`` and ``probabilities``, a regressor has
    ``prediction``.

    Parameters
    ----------
    model : estimator
        Fitted: a tree, forest, bag of native trees, gradient boosting, or a kind of boosting that
        adds up what its trees say.
    path : str or path, optional
        Where to write the model, as a whole or not at all.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    OnnxError
        If the model cannot be expressed; the error says why.

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
    name = type(model).__name__
    if getattr(coterie, name, None) is not type(model) or name not in _KNOWN:
        raise OnnxError(
            f"A {name} has no form in ONNX here; these have: {', '.join(sorted(_KNOWN))}. Export "
            "its members one by one, or save it with coterie.save."
        )
    check_is_fitted(model)
    _refuse_the_inexpressible(model)
    graph = Graph(name, model.schema_.n_columns)
    raw, n_scores = _scores(graph, model)
    if is_classifier(model):
        _classify(graph, model, raw, n_scores)
    else:
        _predict(graph, model, raw, n_scores)
    made = graph.model(model.schema_)
    if path is not None:
        write_whole(path, [made.SerializeToString()])
    return made


def _refuse_the_inexpressible(model: Any) -> None:
    origin = getattr(model, "origin_", None)
    problems = {
        "has members that are not native trees": not isinstance(model.pool_.members, Forest),
        "has no members": not len(model.pool_),
        "has several outputs of classes": is_classifier(model) and len(model.target_.classes) != 1,
        "knows a single class": is_classifier(model) and len(model.target_.classes[0]) == 1,
        "starts from another model": getattr(model, "init_", None) is not None
        or getattr(origin, "member", None) is not None,
        "encodes categories by their targets": getattr(model, "ordered_", None) is not None,
        "corrects its probabilities by the prior": bool(getattr(model, "prior_correction", False)),
    }
    found = [problem for problem, there in problems.items() if there]
    if found:
        raise OnnxError(f"This {type(model).__name__} {found[0]}, which ONNX cannot express here.")


def _scores(graph: Graph, model: Any) -> tuple[str, int]:
    """The sum of the votes, and its number of columns."""
    pool: Pool = model.pool_
    ballots, weights = pool.ballots, np.repeat(pool.weights, pool.width)
    if type(model).__name__ in _MEANS:
        weights = weights / pool.weights.sum()
    levels = {j: len(labels) for j, labels in model.schema_.labels.items()}
    n_scores = pool.width if pool.width > 1 else ballots.values.shape[1]
    raw = graph.trees(tree_arrays(ballots, weights, levels, pool.width), n_scores)
    start = _start(model)
    if start is not None and np.any(start):
        raw = graph.add("Add", raw, graph.constant(np.asarray(start, np.float64)[None, :]))
    return raw, n_scores


def _start(model: Any) -> NDArray[np.float64] | None:
    """The score before any member, where there is one."""
    origin, start = getattr(model, "origin_", None), getattr(model, "start_", None)
    return origin.constant if isinstance(origin, Origin) else start


def _classify(graph: Graph, model: Any, raw: str, n_scores: int) -> None:
    name, classes = type(model).__name__, model.target_.classes[0]
    if name in _MEANS:
        probabilities = raw
    else:
        link = loss_link(model.loss_) if name in _GRADIENT else rule_link(model.rule_, n_scores)
        if link is None:
            raise OnnxError(f"The link of this {name} from scores to probabilities is not in ONNX.")
        probabilities = link(graph, raw, n_scores)
    if n_scores > 1:
        codes = graph.add("ArgMax", raw, axis=1, keepdims=0)
    else:
        above = graph.add("Greater", raw, graph.number(0.0))
        flat = graph.add("Squeeze", above, graph.constant(np.array([1])))
        codes = graph.add("Cast", flat, to=7)  # int64
    labels = graph.add("Gather", graph.constant(classes), codes, axis=0)
    graph.output(labels, "label", [None], like=classes)
    graph.output(probabilities, "probabilities", [None, len(classes)])


def _predict(graph: Graph, model: Any, raw: str, n_scores: int) -> None:
    name = type(model).__name__
    if name in _RATIOS:
        first, second = (graph.constant(np.array([column])) for column in (0, 1))
        raw = graph.add(
            "Div", graph.add("Gather", raw, first, axis=1), graph.add("Gather", raw, second, axis=1)
        )
        n_scores = 1
    elif name in _GRADIENT | _NUMBERS:
        link = number_link(model.loss_)
        if link is None:
            raise OnnxError(f"The loss {model.loss_!r} of this {name} has no link in ONNX.")
        raw = link(graph, raw)
    if n_scores == 1:
        raw = graph.add("Squeeze", raw, graph.constant(np.array([1])))
    graph.output(raw, "prediction", [None] if n_scores == 1 else [None, n_scores])
