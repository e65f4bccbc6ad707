"""The trees of a model as a data frame, one row per node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.core import Pool
from coterie.native import Forest
from coterie.trees.view import LEAF, TreeView

Columns = dict[str, NDArray[Any]]


def split_gains(forest: Forest) -> NDArray[np.float64]:
    """What every split gained, in units of :math:`G^2/H`; NaN in leaves."""
    inner = np.flatnonzero(forest.nodes["left"] >= 0)
    left = forest.node_offsets[forest.tree_of_node()[inner]] + forest.nodes["left"][inner]
    risk = forest.weight.astype(np.float64) * forest.impurity
    gains = np.full(len(forest.nodes), np.nan)
    gains[inner] = np.maximum(risk[inner] - risk[left] - risk[left + 1], 0.0)
    return gains


def tree_columns(model: Any) -> Columns:
    """The columns of the frame, see `GradientBooster.trees_to_frame`."""
    pool, origin = model.pool_, model.origin_
    names = model.schema_.names or [f"x{j}" for j in range(model.n_features_in_)]
    scores = _scores(model, len(model.start_))
    parts = []
    for number in range(len(pool.forest)):
        round_, score = divmod(number, pool.width)
        tree = pool.forest[number]
        part = _nodes(tree, [names[j] for j in origin], model)
        n_nodes = len(part["node"])
        head: Columns = {"round": np.full(n_nodes, round_), "tree": np.full(n_nodes, number)}
        if pool.width > 1:
            head["score"] = np.full(n_nodes, scores[score])
        tail = _values(tree, float(pool.weights[round_]), scores)
        parts.append({**head, **part, **tail})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _scores(model: Any, n_scores: int) -> list[str]:
    classes = getattr(model, "classes_", None)
    if classes is None or len(classes) != n_scores:
        return [str(k) for k in range(n_scores)]
    return [str(label) for label in classes]


def _nodes(tree: Forest, names: list[Any], model: Any) -> Columns:
    """What each node is, numbered as in `apply`."""
    view = TreeView(Pool(tree, np.ones(1)), (1,))
    inner = view.children_left != LEAF
    order = np.argsort(tree.depth_first())
    parent = np.full(len(inner), LEAF)
    for children in (view.children_left, view.children_right):
        parent[children[inner]] = np.flatnonzero(inner)
    depth = np.zeros(len(inner), dtype=np.int64)
    for node in range(1, len(inner)):  # parents come before their children
        depth[node] = depth[parent[node]] + 1
    column = np.array([names[j] if j >= 0 else None for j in view.feature], dtype=object)
    side = np.where(view.missing_go_to_left == 1, "left", "right").astype(object)
    side[~inner] = None
    return {
        "node": np.arange(len(inner)),
        "depth": depth,
        "parent": parent,
        "left": np.asarray(view.children_left),
        "right": np.asarray(view.children_right),
        "column": column,
        "threshold": np.where(inner, view.threshold, np.nan),
        "categories": np.array(
            [_set(view, node, model) if known else None for node, known in enumerate(inner)],
            dtype=object,
        ),
        "missing": side,
        "gain": split_gains(tree)[order],
        "weight": tree.weight[order].astype(np.float64),
        "n_samples": tree.n_samples[order],
    }


def _set(view: TreeView, node: int, model: Any) -> str | None:
    """The categories that go left, written one after the other."""
    if not view.is_categorical[node]:
        return None
    labels = model.schema_.labels.get(int(view.feature[node]))
    codes = view.categories_left(node)
    return " | ".join(str(code if labels is None else labels[code]) for code in codes)


def _values(tree: Forest, weight: float, scores: list[str]) -> Columns:
    """What each node adds to the scores."""
    values = weight * tree.node_values()[np.argsort(tree.depth_first())]
    if values.shape[1] == 1:
        return {"value": values[:, 0]}
    return {f"value_{name}": values[:, k] for k, name in enumerate(scores)}


def to_frame(columns: Columns, backend: Any) -> Any:
    """A frame of a library that narwhals knows."""
    import narwhals as nw

    shown = {name: values.tolist() for name, values in columns.items()}
    return nw.from_dict(shown, backend=backend).to_native()
