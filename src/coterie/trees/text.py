"""A tree as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from coterie.trees.view import UNDEFINED


def export_text(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_depth: int = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """The rules of a tree, in the layout of ``sklearn.tree.export_text``.

    Splits by categories, which scikit-learn does not have, read ``colour in {blue, red}``.

    Parameters
    ----------
    decision_tree : estimator
        A fitted single tree, for example ``forest.estimators_[0]``.
    feature_names : sequence of str, optional
        Names of the columns, "feature_0" and so on when not given.
    class_names : sequence of str, optional
        Names of the classes in the order of ``classes_``.
    max_depth : int, default=10
        Deeper branches are truncated.
    spacing : int, default=3
        Width of a level.
    decimals : int, default=2
        Number of decimal places.
    show_weights : bool, default=False
        Whether a classifier's leaves show the weight of each class.

    Returns
    -------
    str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import DecisionTreeClassifier, export_text
    >>> tree = DecisionTreeClassifier(max_depth=1).fit(*load_iris(return_X_y=True))
    >>> print(export_text(tree, feature_names=["a", "b", "c", "d"]))
    |--- c <= 2.45
    |   |--- class: 0
    |--- c >  2.45
    |   |--- class: 1
    <BLANKLINE>
    """
    check_is_fitted(decision_tree)
    tree = decision_tree.tree_
    if feature_names is None:
        names = [f"feature_{j}" for j in range(tree.n_features)]
    elif len(feature_names) != tree.n_features:
        raise ValueError(
            f"feature_names must contain {tree.n_features} elements, got {len(feature_names)}"
        )
    else:
        names = list(feature_names)
    classes = _class_names(decision_tree, class_names)
    labels = decision_tree.schema_.labels
    printer = _Printer(tree, names, labels, classes, max_depth, spacing, decimals, show_weights)
    return "".join(f"{line}\n" for line in printer.lines())


def _class_names(decision_tree: Any, class_names: Sequence[str] | None) -> Sequence[Any] | None:
    if not is_classifier(decision_tree):
        return None
    classes: Sequence[Any] = decision_tree.classes_
    if class_names is None:
        return classes
    if len(class_names) != len(classes):
        raise ValueError(
            "When `class_names` is an array, it should contain as many items as "
            f"`decision_tree.classes_`. Got {len(class_names)} while the tree was fitted with "
            f"{len(classes)} classes."
        )
    return class_names


@dataclass(frozen=True)
class _Printer:
    tree: Any
    names: Sequence[str]
    labels: Mapping[int, Any]
    classes: Sequence[Any] | None
    max_depth: int
    spacing: int
    decimals: int
    show_weights: bool

    def lines(self) -> Iterator[str]:
        """The lines of the tree, without recursion as it may be deep."""
        bar = "|" + " " * self.spacing
        ahead: list[tuple[int, int, str]] = [(0, 1, "")]  # node, level, condition that leads to it
        while ahead:
            node, level, condition = ahead.pop()
            if condition:
                yield bar * (level - 2) + "|" + "-" * self.spacing + f" {condition}"
            indent = bar * (level - 1) + "|" + "-" * self.spacing
            if self.tree.feature[node] == UNDEFINED:
                yield f"{indent}{self._leaf(node)}"
            elif level > self.max_depth + 1:
                yield f"{indent} truncated branch of depth {self._depth(node)}"
            else:
                left, right = self._conditions(node)
                ahead.append((self.tree.children_right[node], level + 1, right))
                ahead.append((self.tree.children_left[node], level + 1, left))

    def _conditions(self, node: int) -> tuple[str, str]:
        column = self.tree.feature[node]
        name = self.names[column]
        if self.tree.is_categorical[node]:
            labels = [str(self.labels[column][c]) for c in self.tree.categories_left(node)]
            chosen = "{" + ", ".join(labels) + "}"
            return f"{name} in {chosen}", f"{name} not in {chosen}"
        threshold = f"{self.tree.threshold[node]:.{self.decimals}f}"
        return f"{name} <= {threshold}", f"{name} >  {threshold}"

    def _leaf(self, node: int) -> str:
        value = self.tree.value[node]
        value = value[0] if self.tree.n_outputs == 1 else value.T[0]
        if self.classes is None:
            return f" value: {self._listed(value)}"
        best = int(np.argmax(value))
        label = self.classes[best] if self.tree.n_outputs == 1 else best
        if not self.show_weights:
            return f" class: {label}"
        weights = self._listed(value * self.tree.weighted_n_node_samples[node])
        return f" weights: {weights} class: {label}"

    def _listed(self, numbers: Any) -> str:
        return "[" + ", ".join(f"{number:.{self.decimals}f}" for number in numbers) + "]"

    def _depth(self, node: int) -> int:
        """Levels of the subtree at `node`, without recursion as it may be deep."""
        levels, nodes = 0, np.array([node])
        while len(nodes):
            levels += 1
            nodes = nodes[self.tree.feature[nodes] != UNDEFINED]
            nodes = np.concatenate(
                [self.tree.children_left[nodes], self.tree.children_right[nodes]]
            )
        return levels
