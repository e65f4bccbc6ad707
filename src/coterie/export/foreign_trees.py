"""Range checks for what compiled code reads in foreign estimators: it follows any index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from coterie.export.errors import ModelFileError
from coterie.export.foreign_types import check_estimator
from coterie.export.seeds import check_seed

__all__ = ["check_trees", "walk"]

_TREE = "sklearn.tree._tree"
_SEARCHES = ("sklearn.neighbors._ball_tree", "sklearn.neighbors._kd_tree")


def check_trees(estimator: Any) -> None:
    """Refuse an estimator with a part that leaves its range, wherever in it that is.

    Trees, searches for neighbours, sparse matrices and random generators are looked through
    whoever holds them, and estimators as far as their type is known.

    Parameters
    ----------
    estimator : estimator
        One of scikit-learn's, or one that holds such.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> check_trees(DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0]))
    """
    for value in walk(estimator):
        if type(value).__module__ == _TREE:
            _check_tree(value)
        elif type(value).__module__ in _SEARCHES:
            _check_search(value)
        elif sparse.issparse(value):
            _check_sparse(value)
        elif isinstance(value, np.random.Generator | np.random.RandomState):
            check_seed(value)
        else:
            check_estimator(value)


def walk(estimator: Any) -> Iterator[Any]:
    """Everything that an estimator is made of, each once, from the outside in.

    Parameters
    ----------
    estimator : estimator
        It comes first itself.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> "mean" in list(walk(DummyRegressor()))
    True
    """
    seen: set[int] = set()
    waiting = [estimator]
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            yield value
            waiting += _parts(value)


def _parts(value: Any) -> list[Any]:
    """What an object is made of, as far as trees can be in it."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, np.ndarray):
        return list(value.ravel()) if value.dtype == object else []
    return list(getattr(value, "__dict__", {}).values())


def _check_sparse(matrix: Any) -> None:
    """Refuse a sparse matrix with cells that it has no room for."""
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
            return
    except ValueError as error:
        raise ModelFileError(f"A sparse matrix in the file is damaged: {error}") from error
    raise ModelFileError(f"A sparse matrix in the file has the unsupported format {matrix.format}.")


def _check_tree(tree: Any) -> None:
    left, right, column = tree.children_left, tree.children_right, tree.feature
    n = len(left)
    inner = np.flatnonzero((left != -1) | (right != -1))
    for children in (left[inner], right[inner]):
        # A child comes after its parent, so that no walk goes round in circles.
        if not ((children > inner) & (children < n)).all():
            raise ModelFileError(
                "A scikit-learn tree in the file is damaged: children are out of range."
            )
    below = np.concatenate([left[inner], right[inner]])
    if np.bincount(below, minlength=1).max(initial=0) > 1:
        raise ModelFileError("A scikit-learn tree in the file is damaged: a node has two parents.")
    if not ((column[inner] >= 0) & (column[inner] < tree.n_features)).all():
        raise ModelFileError(
            "A scikit-learn tree in the file is damaged: columns are out of range."
        )
    depth, level = 0, inner[inner == 0]
    while level.size:
        depth += 1
        below = np.unique(np.concatenate([left[level], right[level]]))
        level = below[left[below] != -1]
    if n == 0 or tree.max_depth < depth:
        raise ModelFileError("A scikit-learn tree in the file is damaged: its depth is wrong.")


def _check_search(search: Any) -> None:
    """Refuse a search for neighbours that would look where nothing is."""
    points, rows, nodes, bounds = (np.asarray(part) for part in search.get_arrays())
    n, n_nodes = len(points), len(nodes)
    start, end, number = nodes["idx_start"], nodes["idx_end"], np.arange(n_nodes)
    said = [part for part in search.__getstate__() if type(part) is int]
    holds = (
        points.ndim == 2
        and np.array_equal(np.sort(rows), np.arange(n))
        and bounds.ndim == 3
        and bounds.shape[1:] == (n_nodes, points.shape[1])
        and bool(((start >= 0) & (start <= end) & (end <= n)).all())
        and bool(((nodes["is_leaf"] != 0) | (2 * number + 2 < n_nodes)).all())
        and n_nodes > 0
        and said[2] == n_nodes  # after the leaf size and the number of levels
    )
    if not holds:
        raise ModelFileError("A neighbour search in the file is damaged: indices are out of range.")
