"""The trees of an ensemble as plain lists, for drawing."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Trees of more nodes are described, not drawn.
MOST_NODES = 63


def trees_of(model: Any, n_rounds: int) -> list[dict[str, Any] | None]:
    """The tree of each round: its nodes where it is small, its size where it is not.

    Rounds without a tree, or with several, have None.
    """
    members = getattr(model, "estimators_", None)
    if members is None:
        return [None] * n_rounds
    columns = getattr(model, "estimators_features_", None)
    found: list[dict[str, Any] | None] = []
    for number in range(min(n_rounds, len(members))):
        member = members[number]
        if isinstance(member, list | np.ndarray):
            member = member[0] if len(member) == 1 else None
        shown = None if columns is None else columns[number]
        found.append(_tree(getattr(member, "tree_", None), shown))
    return found + [None] * (n_rounds - len(found))


def _tree(tree: Any, columns: Any) -> dict[str, Any] | None:
    if tree is None:
        return None
    sizes = {"leaves": int(tree.n_leaves), "depth": int(tree.max_depth)}
    categorical = getattr(tree, "is_categorical", None)
    if tree.node_count > MOST_NODES or (categorical is not None and categorical.any()):
        return sizes
    features = np.asarray(tree.feature)
    if columns is not None:
        features = np.where(features >= 0, np.asarray(columns)[np.maximum(features, 0)], -2)
    value = np.asarray(tree.value, dtype=np.float64)[:, 0, :]
    said = value[:, 0] if value.shape[1] == 1 else value.argmax(axis=1)
    return sizes | {
        "kind": "number" if value.shape[1] == 1 else "class",
        "feature": features.tolist(),
        "threshold": [float(f"{cut:.6g}") for cut in tree.threshold],
        "left": np.asarray(tree.children_left).tolist(),
        "right": np.asarray(tree.children_right).tolist(),
        "value": [float(f"{one:.4g}") for one in said],
    }
