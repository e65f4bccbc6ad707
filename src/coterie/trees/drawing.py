"""Trees as pictures, drawn by scikit-learn, which knows no splits by categories."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import sklearn
from sklearn import tree as sklearn_tree

from coterie.trees.view import UNDEFINED

# What scikit-learn writes of a set of categories, whose threshold is not a number.
_NO_THRESHOLD = re.compile(r" (?:<=|&le;) nan")
_MOST = 4  # categories named in a node


def plot_tree(decision_tree: Any, **options: Any) -> list[Any]:
    """Draw a tree with Matplotlib, as ``sklearn.tree.plot_tree`` does.

    Splits by categories read ``colour in {blue, red}``.

    Parameters
    ----------
    decision_tree : estimator
        A fitted single tree, for example ``forest.estimators_[0]``.
    **options
        ``max_depth``, ``feature_names``, ``class_names``, ``label``, ``filled``, ``impurity``,
        ``node_ids``, ``proportion``, ``rounded``, ``precision``, ``ax`` and ``fontsize``, as in
        scikit-learn.

    Returns
    -------
    list of matplotlib annotations
        The boxes and the labels of the arrows.

    See Also
    --------
    export_graphviz : The same for Graphviz.
    export_text : The rules as text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import DecisionTreeClassifier, plot_tree
    >>> tree = DecisionTreeClassifier(max_depth=1).fit(*load_iris(return_X_y=True))
    >>> boxes = plot_tree(tree, impurity=False)
    >>> boxes[0].get_text().splitlines()[0]
    'x[2] <= 2.45'
    """
    try:
        boxes = _unchecked(sklearn_tree.plot_tree, decision_tree, **options)
    except ImportError as error:
        raise ImportError(
            "Drawing a tree needs Matplotlib, which is not installed: pip install 'coterie[plot]'"
        ) from error
    named = _sets(decision_tree, options.get("max_depth"))
    for box in boxes:
        box.set_text(_name_sets(box.get_text(), named))
    return boxes


def export_graphviz(decision_tree: Any, out_file: Any = None, **options: Any) -> str | None:
    r"""Write a tree in the DOT language, as ``sklearn.tree.export_graphviz`` does.

    Splits by categories read ``colour in {blue, red}``.

    Parameters
    ----------
    decision_tree : estimator
        A fitted single tree, for example ``forest.estimators_[0]``.
    out_file : path or file, optional
        Where to write; without it the text is returned.
    **options
        ``max_depth``, ``feature_names``, ``class_names``, ``label``, ``filled``,
        ``leaves_parallel``, ``impurity``, ``node_ids``, ``proportion``, ``rotate``, ``rounded``,
        ``special_characters``, ``precision`` and ``fontname``, as in scikit-learn.

    Returns
    -------
    str or None
        The text, if there is no `out_file`.

    See Also
    --------
    plot_tree : The same with Matplotlib.
    export_text : The rules as text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import DecisionTreeClassifier, export_graphviz
    >>> tree = DecisionTreeClassifier(max_depth=1).fit(*load_iris(return_X_y=True))
    >>> print(export_graphviz(tree, impurity=False).splitlines()[3])
    0 [label="x[2] <= 2.45\nsamples = 150\nvalue = [50.0, 50.0, 50.0]"] ;
    """
    text = _unchecked(sklearn_tree.export_graphviz, decision_tree, None, **options)
    escape = html.escape if options.get("special_characters") else _escape_quotes
    text = _name_sets(text, _sets(decision_tree, options.get("max_depth")), escape)
    if out_file is None:
        return str(text)
    if hasattr(out_file, "write"):
        out_file.write(text)
    else:
        with open(out_file, "w", encoding="utf-8") as file:
            file.write(text)
    return None


def _unchecked(draw: Callable[..., Any], decision_tree: Any, *given: Any, **options: Any) -> Any:
    """Draw any tree: scikit-learn would refuse all classes but its own."""
    with sklearn.config_context(skip_parameter_validation=True):
        try:
            return draw(decision_tree, *given, **options)
        except RecursionError as error:
            depth = decision_tree.get_depth()
            raise ValueError(
                f"The tree is {depth} levels deep, too deep to be drawn. Set max_depth, for "
                "example to 10, or use export_text."
            ) from error


def _sets(decision_tree: Any, max_depth: int | None) -> Iterator[str]:
    """The categories that go left, of each split by categories, in the order of drawing."""
    tree, labels = decision_tree.tree_, decision_tree.schema_.labels
    below = [(0, 0)]
    while below:
        node, depth = below.pop()
        if tree.feature[node] == UNDEFINED or (max_depth is not None and depth > max_depth):
            continue
        if tree.is_categorical[node]:
            chosen = [str(labels[tree.feature[node]][c]) for c in tree.categories_left(node)]
            more = [f"{len(chosen) - _MOST} more"] if len(chosen) > _MOST + 1 else []
            yield ", ".join(chosen[:_MOST] + more if more else chosen)
        below += [(tree.children_right[node], depth + 1), (tree.children_left[node], depth + 1)]


def _name_sets(text: str, sets: Iterator[str], escape: Callable[[str], str] = str) -> str:
    return _NO_THRESHOLD.sub(lambda _: f" in {{{escape(next(sets))}}}", text)


def _escape_quotes(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
