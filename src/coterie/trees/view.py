"""A fitted tree under scikit-learn's names."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.core import Pool
from coterie.data import Table
from coterie.native.forest import CATEGORICAL, MISSING_LEFT

LEAF = -1
UNDEFINED = -2
#: Of scikit-learn's trees too: some who draw trees look for this very type, and not for `int64`.
_WHOLE = np.longlong


class TreeView:
    """The nodes of one tree as arrays, named as in ``sklearn.tree``'s ``tree_``.

    Nodes are numbered depth first, beginning with the root. A row goes left when its value is at
    most the threshold, or its category is in the left set. Arrays cannot be written to.

    Parameters
    ----------
    pool : Pool
        A pool of one tree.
    n_classes : tuple of int
        Classes per output; ones for regression.

    Attributes
    ----------
    children_left, children_right : ndarray of shape (node_count,)
        Children, -1 for a leaf.
    feature : ndarray of shape (node_count,)
        Column of the split, -2 for a leaf.
    threshold : ndarray of shape (node_count,)
        Threshold of the split, NaN for a set of categories, -2 for a leaf.
    is_categorical, missing_go_to_left : ndarray of shape (node_count,)
        Whether a node is split by a set of categories (see `categories_left`), and whether
        missing values go left.
    value : ndarray of shape (node_count, n_outputs, max_n_classes)
        Class probabilities, means, or medians.
    impurity, n_node_samples, weighted_n_node_samples : ndarray of shape (node_count,)
        Impurity, rows and weight in each node.
    node_count, n_leaves, max_depth, n_features, n_outputs : int
        Sizes of the tree.
    """

    def __init__(self, pool: Pool, n_classes: tuple[int, ...]) -> None:
        self._pool = pool
        self._forest = forest = pool.forest
        self.n_classes = np.array(n_classes)
        self.n_outputs = len(n_classes)
        self.max_n_classes = max(n_classes)
        self.n_features = forest.n_features
        self.node_count = len(forest.nodes)
        self.n_leaves = int(forest.leaf_counts()[0])
        self.max_depth = int(forest.depths()[0])

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Number of each node of the forest."""
        return self._forest.depth_first()

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The node of the forest that has each number."""
        return np.argsort(self._places)

    def _shown(self, of_forest: NDArray[Any], kind: Any) -> NDArray[Any]:
        """A value per node, by number, which cannot be written to: the forest would not follow."""
        shown = of_forest[self._order].astype(kind)
        shown.setflags(write=False)
        return shown

    @cached_property
    def _nodes(self) -> NDArray[Any]:
        return self._shown(self._forest.nodes, self._forest.nodes.dtype)

    @cached_property
    def _is_leaf(self) -> NDArray[np.bool_]:
        return np.asarray(self._nodes["left"] < 0)

    def _children(self, step: int) -> NDArray[np.int64]:
        left = self._forest.nodes["left"]
        child = np.full(len(left), LEAF)
        child[left >= 0] = self._places[left[left >= 0] + step]
        return self._shown(child, _WHOLE)

    @cached_property
    def children_left(self) -> NDArray[np.int64]:
        """Left child of each node, -1 for a leaf."""
        return self._children(0)

    @cached_property
    def children_right(self) -> NDArray[np.int64]:
        """Right child of each node, -1 for a leaf."""
        return self._children(1)

    @cached_property
    def feature(self) -> NDArray[np.int64]:
        """Column of each split, -2 for a leaf."""
        inner = self._forest.nodes["left"] >= 0
        return self._shown(np.where(inner, self._forest.features, UNDEFINED), _WHOLE)

    @cached_property
    def threshold(self) -> NDArray[np.float64]:
        """Threshold of each split: NaN for a set of categories, -2 for a leaf."""
        threshold = np.where(self._is_leaf, float(UNDEFINED), self._nodes["threshold"])
        threshold[self.is_categorical] = np.nan
        threshold.setflags(write=False)
        return threshold

    @cached_property
    def is_categorical(self) -> NDArray[np.bool_]:
        """Whether each node is split by a set of categories."""
        return ~self._is_leaf & (self._nodes["column"] & CATEGORICAL > 0)

    @cached_property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """Whether missing values go left at each node."""
        goes = (~self._is_leaf & (self._nodes["column"] & MISSING_LEFT > 0)).astype(np.uint8)
        goes.setflags(write=False)
        return goes

    def categories_left(self, node: int) -> NDArray[np.int64]:
        """Codes of the categories that go left at a node split by categories."""
        start = int(self._nodes["threshold"][node])
        words = self._forest.categories[start + 1 : start + 1 + int(self._forest.categories[start])]
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
        return np.flatnonzero(bits)

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """Class probabilities, means or medians, shape (node_count, n_outputs, max_n_classes)."""
        flat = self._forest.node_values()
        value = np.zeros((self.node_count, self.n_outputs, self.max_n_classes))
        start = 0
        for output, size in enumerate(self.n_classes):
            value[:, output, :size] = flat[:, start : start + size]
            start += size
        return self._shown(value, np.float64)

    @cached_property
    def impurity(self) -> NDArray[np.float64]:
        """Impurity of each node."""
        return self._shown(self._forest.impurity, np.float64)

    @cached_property
    def n_node_samples(self) -> NDArray[np.int64]:
        """Training rows in each node."""
        return self._shown(self._forest.n_samples, _WHOLE)

    @cached_property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """Weight of the training rows in each node."""
        return self._shown(self._forest.weight, np.float64)

    def compute_feature_importances(self, normalize: bool = True) -> NDArray[np.float64]:
        """Total decrease of impurity per column, summing to 1 unless there is no split."""
        total = self._forest.importances()[0]
        return total / total.sum() if normalize and total.sum() > 0 else total

    def compute_node_depths(self) -> NDArray[np.int64]:
        """Depth of each node, 1 for the root."""
        depths = np.ones(self.node_count, dtype=np.int64)
        for node in np.flatnonzero(~self._is_leaf):
            # Children come after their parent, so one pass is enough.
            depths[self.children_left[node]] = depths[self.children_right[node]] = depths[node] + 1
        return depths

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Node number of the leaf of each row of an array or sparse matrix."""
        return numbered_leaves(self._pool, Table.read(X))[:, 0]

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Value of the leaf of each row, shape (n_rows, max_n_classes) or as in ``value``."""
        value = self.value[self.apply(X)]
        return value[:, 0] if self.n_outputs == 1 else value

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Ones where a row passes a node, shape (n_rows, node_count)."""
        return numbered_paths(self._pool, Table.read(X))


def numbered_leaves(pool: Pool, table: Table, n_threads: int = 1) -> NDArray[np.int64]:
    """The leaf of every row in each tree, as its number in ``tree_``, shape (n_rows, n_trees)."""
    leaves, starts = pool.leaves(table, n_threads=n_threads), pool.forest.node_offsets[:-1]
    return pool.forest.depth_first()[leaves + starts]


def numbered_paths(pool: Pool, table: Table) -> sparse.csr_matrix:
    """Ones where a row passes a node of a tree, numbered as in ``tree_``."""
    forest, paths = pool.forest, pool.paths(table)
    places = forest.depth_first() + forest.node_offsets[forest.tree_of_node()]
    indices = places[paths.indices] - forest.node_offsets[0]
    numbered = sparse.csr_matrix((paths.data, indices, paths.indptr), shape=paths.shape)
    numbered.sort_indices()
    return numbered
