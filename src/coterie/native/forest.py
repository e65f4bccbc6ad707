"""Grown trees as flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coterie.native import _engine
from coterie.native.bins import addressable
from coterie.native.interrupts import in_main_thread
from coterie.native.linear import LinearLeaves
from coterie.tags import tagged

if TYPE_CHECKING:
    from coterie.native.sparse_codes import SparseRows

NODE = np.dtype([("threshold", "<f8"), ("column", "<u4"), ("left", "<i4")])
MISSING_LEFT = np.uint32(1 << 31)
CATEGORICAL = np.uint32(1 << 30)
_COLUMN = np.uint32(CATEGORICAL - 1)


@tagged
class Forest:
    """Many trees end to end, in arrays that pickle, map and travel as they are.

    A walk reads one 16-byte record per node. Children are neighbours: ``left`` and
    ``left + 1``, counted from the root of their tree; a leaf has ``left < 0`` and is
    number ``~left`` among the leaves of its tree. Slicing gives a forest of some trees
    without copying.

    Parameters
    ----------
    nodes : structured array of shape (total_nodes,)
        Fields ``threshold``, ``column`` (with flags for categories and missing values in
        the two highest bits) and ``left``.
    n_samples, weight, impurity : arrays of shape (total_nodes,)
        Training rows, their weight, and the impurity of each node; the latter two as float32
        unless their scale asks for float64.
    values : float64 array of shape (total_leaves, n_outputs)
        Class probabilities or means of the leaves.
    node_offsets, leaf_offsets, category_offsets : int64 arrays of shape (n_trees + 1,)
        Where each tree begins in ``nodes``, ``values`` and ``categories``.
    categories : uint64 array
        For each categorical node a word count and as many words of bits: who goes left.
    n_features : int
        Number of columns of the tables it walks.
    medians : float64 array of shape (total_nodes, n_outputs), optional
        What all nodes say, of trees whose inner nodes do not say the mean of their leaves.
    linear : LinearLeaves, optional
        What leaves add to their values, if they are linear in some columns.
    """

    __slots__ = (
        "_checked",
        "categories",
        "category_offsets",
        "impurity",
        "leaf_offsets",
        "linear",
        "medians",
        "n_features",
        "n_samples",
        "node_offsets",
        "nodes",
        "values",
        "weight",
    )

    def __init__(
        self,
        nodes: NDArray[Any],
        n_samples: NDArray[np.int32],
        weight: NDArray[np.floating[Any]],
        impurity: NDArray[np.floating[Any]],
        values: NDArray[np.float64],
        node_offsets: NDArray[np.int64],
        leaf_offsets: NDArray[np.int64],
        category_offsets: NDArray[np.int64],
        categories: NDArray[np.uint64],
        n_features: int,
        medians: NDArray[np.float64] | None = None,
        linear: LinearLeaves | None = None,
    ) -> None:
        nodes, node_offsets, leaf_offsets, category_offsets, categories, values = map(
            _in_native_order,
            (nodes, node_offsets, leaf_offsets, category_offsets, categories, values),
        )
        self.nodes = nodes
        self.n_samples = n_samples
        self.weight = weight
        self.impurity = impurity
        self.values = values
        self.node_offsets = node_offsets
        self.leaf_offsets = leaf_offsets
        self.category_offsets = category_offsets
        self.categories = categories
        self.n_features = n_features
        self.medians = medians
        self.linear = linear
        if linear is not None:
            linear.check(len(values), n_features)
        per_node = {len(nodes), len(n_samples), len(weight), len(impurity)}
        if medians is not None and medians.shape != (len(nodes), values.shape[1]):
            raise ValueError(f"damaged forest: medians of shape {medians.shape}")
        if len(per_node) > 1:
            raise ValueError(f"damaged forest: arrays of nodes differ in length {sorted(per_node)}")
        # The engine refuses arrays whose indices leave their range.
        self._checked = _engine.ForestArrays(
            np.ascontiguousarray(nodes).view(np.uint64),
            np.ascontiguousarray(node_offsets),
            np.ascontiguousarray(leaf_offsets),
            np.ascontiguousarray(category_offsets),
            np.ascontiguousarray(categories),
            np.ascontiguousarray(values),
            n_features,
        )

    @classmethod
    def of_tree(cls, grown: tuple[NDArray[Any], ...], n_features: int, n_outputs: int) -> Forest:
        """Wrap what the engine returns for one tree."""
        nodes, n_samples, weight, impurity, values, categories, medians = grown
        values = values.reshape(-1, n_outputs)
        return cls(
            nodes.view(NODE),
            n_samples,
            weight,
            impurity,
            values,
            np.array([0, len(nodes) // 2], dtype=np.int64),
            np.array([0, len(values)], dtype=np.int64),
            np.array([0, len(categories)], dtype=np.int64),
            categories,
            n_features,
            medians.reshape(-1, n_outputs) if len(medians) else None,
        )

    @classmethod
    def of_trees(cls, grown: Sequence[tuple[NDArray[Any], ...]], n_features: int) -> Forest:
        """Wrap what the engine returns for trees of one output, without medians."""
        if len(grown) == 1:
            return cls.of_tree(grown[0], n_features, 1)
        pieces = list(zip(*grown, strict=True))[:6]
        nodes, n_samples, weight, impurity, values, categories = map(np.concatenate, pieces)
        words, leaves, sets = (np.cumsum([0, *map(len, pieces[k])]) for k in (0, 4, 5))
        facts = nodes.view(NODE), n_samples, weight, impurity, values[:, np.newaxis]
        return cls(*facts, words // 2, leaves, sets, categories, n_features)

    @staticmethod
    def concatenate(forests: Sequence[Forest]) -> Forest:
        """Put forests end to end."""
        return Forest.assemble(list(forests))

    @staticmethod
    def assemble(parts: list[Forest]) -> Forest:
        """Put forests end to end and empty the list on the way.

        Each array of a part is let go once it is copied, so that a large forest is never in
        memory twice.
        """
        n_features = parts[0].n_features
        offsets: dict[str, Any] = {
            name: _join_offsets([getattr(part, name) for part in parts]) for name in _OFFSETS
        }
        have_medians = all(part.medians is not None for part in parts)
        names = (*_ARRAYS, "medians") if have_medians else _ARRAYS
        pieces = {name: [getattr(part, name) for part in parts] for name in names}
        linear = None
        if any(part.linear is not None for part in parts):
            each = (part.linear or LinearLeaves.none(len(part.values)) for part in parts)
            linear = LinearLeaves.concatenate(list(each))
        parts.clear()
        joined = {name: _join(pieces[name]) for name in names}
        return Forest(**joined, **offsets, n_features=n_features, linear=linear)

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self.node_offsets) - 1

    def __getitem__(self, which: int | slice | Sequence[int] | NDArray[Any]) -> Forest:
        """Return a forest of some of the trees; a slice of step one shares memory."""
        if isinstance(which, (int, np.integer)):
            at = range(len(self))[which]
            which = slice(at, at + 1)
        if isinstance(which, slice):
            start, stop, step = which.indices(len(self))
            if step == 1:
                return self._run(start, max(start, stop))
            which = range(start, stop, step)
        chosen = np.arange(len(self))[np.asarray(which)]
        return Forest.concatenate([self._run(t, t + 1) for t in chosen] or [self._run(0, 0)])

    def _run(self, start: int, stop: int) -> Forest:
        nodes = slice(self.node_offsets[start], self.node_offsets[stop])
        leaves = slice(self.leaf_offsets[start], self.leaf_offsets[stop])
        words = slice(self.category_offsets[start], self.category_offsets[stop])
        trees = slice(start, stop + 1)
        return Forest(
            self.nodes[nodes],
            self.n_samples[nodes],
            self.weight[nodes],
            self.impurity[nodes],
            self.values[leaves],
            self.node_offsets[trees] - self.node_offsets[start],
            self.leaf_offsets[trees] - self.leaf_offsets[start],
            self.category_offsets[trees] - self.category_offsets[start],
            self.categories[words],
            self.n_features,
            None if self.medians is None else self.medians[nodes],
            None if self.linear is None else self.linear[leaves],
        )

    def with_values(
        self, values: NDArray[np.float64], linear: LinearLeaves | None = None
    ) -> Forest:
        """Return the same trees with other values in their leaves, and perhaps other slopes."""
        fields = {name: getattr(self, name) for name in (*_ARRAYS, *_OFFSETS, "n_features")}
        fields["values"] = np.ascontiguousarray(values)
        return Forest(**fields, linear=linear or self.linear)

    def with_thresholds(self, thresholds: NDArray[np.float64]) -> Forest:
        """Return the same trees with other thresholds in nodes that ask for numbers."""
        nodes = self.nodes.copy()
        numeric = (nodes["left"] >= 0) & ~(nodes["column"] & CATEGORICAL).astype(bool)
        nodes["threshold"][numeric] = thresholds[numeric]
        fields = {name: getattr(self, name) for name in (*_ARRAYS, *_OFFSETS, "n_features")}
        return Forest(**{**fields, "nodes": nodes}, linear=self.linear)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arrays as arguments of the class, which checks them again."""
        return Forest, tuple(getattr(self, name) for name in _ARGUMENTS)

    def predict(
        self,
        X: NDArray[Any] | SparseRows,
        *,
        tree_weight: NDArray[np.float64] | None = None,
        n_outputs: int | None = None,
        n_threads: int = 1,
    ) -> NDArray[np.float64]:
        """Return the (weighted) sum over trees of the values of each row's leaves, (n, outputs).

        With `n_outputs`, trees of a single value take turns: tree t votes on output
        ``t % n_outputs``.
        """
        out = np.zeros((len(X), n_outputs or self.values.shape[1]))
        weights = (
            None if tree_weight is None else np.ascontiguousarray(tree_weight, dtype=np.float64)
        )
        _engine.predict(self._checked, _walked(X), weights, out, n_threads, in_main_thread())
        if self.linear is not None:
            self._add_linear(X, weights, out, n_threads)
        return out

    def _add_linear(
        self,
        X: NDArray[Any] | SparseRows,
        weights: NDArray[np.float64] | None,
        out: NDArray[np.float64],
        n_threads: int,
    ) -> None:
        """Add what leaves say of the columns."""
        assert self.linear is not None
        nodes = self.apply(X, n_threads=n_threads)
        cells = X if isinstance(X, np.ndarray) else X.rows
        for tree in range(len(self)):
            places = self.node_offsets[tree] + nodes[:, tree]
            leaves = self.leaf_offsets[tree] + ~self.nodes["left"][places]
            weight = 1.0 if weights is None else weights[tree]
            out[:, tree % out.shape[1]] += weight * self.linear.add_up(cells, leaves)

    def only_constants(self, wanted: str) -> None:
        """Raise TypeError if leaves are linear: what is `wanted` reads their values alone."""
        if self.linear is not None:
            raise TypeError(
                f"{wanted}: not supported for trees with linear leaves. Fit with "
                "linear_leaves=False."
            )

    def apply(self, X: NDArray[Any] | SparseRows, *, n_threads: int = 1) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree, numbered within its tree, (n, trees)."""
        out = np.empty((len(X), len(self)), dtype=np.int32)
        _engine.apply(self._checked, _walked(X), out, n_threads, in_main_thread())
        return out

    def decision_path(self, X: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all nodes each row passes, as row starts and node numbers over all trees."""
        return _engine.decision_path(self._checked, addressable(X))

    def node_values(self) -> NDArray[np.float64]:
        """Return the values of all nodes: medians, or weighted means of their leaves."""
        if self.medians is not None:
            return self.medians
        out = np.empty((len(self.nodes), self.values.shape[1]))
        _engine.node_values(self._checked, self.weight.astype(np.float64), out)
        return out

    def dependence(
        self,
        grid: NDArray[np.float64],
        columns: NDArray[np.integer],
        tree_weight: NDArray[np.float64],
        n_outputs: int | None = None,
    ) -> NDArray[np.float64]:
        """Return what the trees say of rows of which some columns are known, (n, outputs).

        A split on another column sends a row both ways, in the proportion of the training weight.
        With `n_outputs`, trees of a single value take turns as in `predict`.
        """
        self.only_constants("Partial dependence by recursion")
        width, turns = n_outputs or self.values.shape[1], n_outputs is not None
        out = np.zeros((len(grid), width))
        tree, nodes = np.arange(len(self)), self.node_offsets[:-1]
        share = np.repeat(np.asarray(tree_weight, np.float64)[:, None], len(grid), axis=1)
        while nodes.size:  # level by level
            left = self.nodes["left"][nodes]
            leaf = left < 0
            values = self.values[self.leaf_offsets[tree[leaf]] + ~left[leaf]]
            if turns:
                values = np.where(tree[leaf, None] % width == np.arange(width), values, 0.0)
            out += share[leaf].T @ values
            inner, tree, share = nodes[~leaf], tree[~leaf], share[~leaf]
            first = self.node_offsets[tree] + left[~leaf]
            goes_left = share * self._share_left(inner, first, grid, columns)
            nodes = np.concatenate([first, first + 1])
            tree, share = np.append(tree, tree), np.concatenate([goes_left, share - goes_left])
        return out

    def _share_left(
        self,
        inner: NDArray[np.int64],
        first: NDArray[np.int64],
        grid: NDArray[np.float64],
        columns: NDArray[np.integer],
    ) -> NDArray[np.float64]:
        """How much of each row of a grid goes left at inner nodes, (nodes, rows)."""
        # Of these nodes alone: a tree may have as many levels as it has nodes.
        weight = [self.weight[nodes].astype(np.float64) for nodes in (first, inner)]
        goes = np.repeat((weight[0] / weight[1])[:, None], len(grid), axis=1)
        asked = self.nodes["column"][inner] & _COLUMN
        for place, column in enumerate(columns):
            asks = asked == column
            records, cells = self.nodes[inner[asks]], grid[:, place]
            if (records["column"] & CATEGORICAL).any():
                raise ValueError(
                    f"Column {column} has categorical splits, which method='recursion' does not "
                    "support. Use method='brute'."
                )
            missing = (records["column"] & MISSING_LEFT)[:, None] > 0
            below = cells[None, :] <= records["threshold"][:, None]
            goes[asks] = np.where(np.isnan(cells)[None, :], missing, below)
        return goes

    def shap(
        self,
        X: NDArray[Any],
        *,
        background: NDArray[Any] | None = None,
        tree_weight: NDArray[np.float64] | None = None,
        n_threads: int = 1,
    ) -> NDArray[np.float64]:
        """Return the Shapley values of `predict`, (n, n_features + 1, outputs).

        The last of the columns is the expected value, what is said of a row of which nothing is
        known. Unknown columns are those of a row of the background; without one, a split on an
        unknown column sends a row both ways, in the proportion of the training weight.
        """
        self.only_constants("Shapley values")
        if background is not None and not len(background):
            raise ValueError("the background has no rows")
        others = np.empty((0, self.n_features)) if background is None else background
        weights = (
            None if tree_weight is None else np.ascontiguousarray(tree_weight, dtype=np.float64)
        )
        out = np.zeros((len(X), self.n_features + 1, self.values.shape[1]))
        _engine.shap(
            self._checked,
            self.weight.astype(np.float64),
            addressable(X),
            np.ascontiguousarray(others, dtype=np.float64),
            weights,
            out,
            n_threads,
            in_main_thread(),
        )
        return out

    def shap_interactions(
        self,
        X: NDArray[Any],
        *,
        tree_weight: NDArray[np.float64] | None = None,
        n_threads: int = 1,
    ) -> NDArray[np.float64]:
        """Return the Shapley interaction values of `predict`, (n, n_features, n_features, outputs).

        Half an interaction of two columns stands in either order, and what is left of the Shapley
        value of a column by itself on the diagonal; see `shap`, without a background.
        """
        self.only_constants("Shapley values")
        weights = (
            None if tree_weight is None else np.ascontiguousarray(tree_weight, dtype=np.float64)
        )
        out = np.zeros((len(X), self.n_features, self.n_features, self.values.shape[1]))
        _engine.shap_interactions(
            self._checked,
            self.weight.astype(np.float64),
            addressable(X),
            weights,
            out,
            n_threads,
            in_main_thread(),
        )
        return out

    @property
    def features(self) -> NDArray[np.int32]:
        """The column each inner node asks for (0 in leaves)."""
        return (self.nodes["column"] & _COLUMN).astype(np.int32)

    def tree_of_node(self) -> NDArray[np.int64]:
        """Return the tree each node belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.node_offsets))

    def importances(self) -> NDArray[np.float64]:
        """Return the total decrease of impurity by column, per unit of root weight, (trees, d)."""
        inner = np.flatnonzero(self.nodes["left"] >= 0)
        tree = self.tree_of_node()[inner]
        left = self.node_offsets[tree] + self.nodes["left"][inner]
        share = self.weight / self.weight[self.node_offsets[self.tree_of_node()]]
        risk = share.astype(np.float64) * self.impurity
        decrease = risk[inner] - risk[left] - risk[left + 1]
        cell = tree * self.n_features + self.features[inner]
        total = np.bincount(
            cell, weights=np.maximum(decrease, 0.0), minlength=len(self) * self.n_features
        )
        return total.astype(np.float64, copy=False).reshape(len(self), self.n_features)

    def depths(self) -> NDArray[np.int64]:
        """Return the depth of each tree; a lone root has depth 0."""
        start = self.node_offsets[:-1]
        tree, depth = np.arange(len(self)), np.zeros(len(self), dtype=np.int64)
        nodes = start.copy()
        while nodes.size:
            left = self.nodes["left"][nodes]
            inner = left >= 0
            tree, first = tree[inner], start[tree[inner]] + left[inner]
            depth[tree] += 1 if tree.size else 0
            nodes, tree = np.concatenate([first, first + 1]), np.concatenate([tree, tree])
        return depth

    def depth_first(self) -> NDArray[np.int64]:
        """Return the place of each node when its tree is written depth first, left before right."""
        start = self.node_offsets[self.tree_of_node()]
        places, sizes = np.zeros(len(self.nodes), np.int64), np.ones(len(self.nodes), np.int64)
        levels, nodes = [], self.node_offsets[:-1]
        while nodes.size:
            nodes = nodes[self.nodes["left"][nodes] >= 0]
            left = start[nodes] + self.nodes["left"][nodes]
            levels.append((nodes, left))
            nodes = np.concatenate([left, left + 1])
        for parents, left in reversed(levels):
            sizes[parents] += sizes[left] + sizes[left + 1]
        for parents, left in levels:
            places[left] = places[parents] + 1
            places[left + 1] = places[left] + sizes[left]
        return places

    def leaf_counts(self) -> NDArray[np.int64]:
        """Return the number of leaves of each tree."""
        return np.diff(self.leaf_offsets)

    def prune(self, alpha: float) -> Forest:
        """Return the smallest subtree of a single tree that is best at complexity alpha."""
        medians = None if self.medians is None else np.ascontiguousarray(self.medians).ravel()
        pruned = _engine.prune(self._checked, *self._node_facts(), medians, alpha)
        return Forest.of_tree(pruned, self.n_features, self.values.shape[1])

    def pruning_path(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return complexities and impurities of the nested best subtrees of a single tree."""
        return _engine.pruning_path(self._checked, *self._node_facts())

    def _node_facts(self) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
        return (
            np.ascontiguousarray(self.n_samples),
            self.weight.astype(np.float64),
            self.impurity.astype(np.float64),
        )


_SMALL = 1 << 20  # bytes that may be in memory twice
_ARRAYS = ("nodes", "n_samples", "weight", "impurity", "values", "categories")
_OFFSETS = ("node_offsets", "leaf_offsets", "category_offsets")
# Of Forest, in its order.
_ARGUMENTS = (*_ARRAYS[:-1], *_OFFSETS, "categories", "n_features", "medians", "linear")


def _walked(X: NDArray[Any] | SparseRows) -> Any:
    """Rows as the engine walks them."""
    return addressable(X) if isinstance(X, np.ndarray) else X.checked


def _join(pieces: list[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate along the first axis, dropping each piece once it is copied."""
    if sum(piece.nbytes for piece in pieces) < _SMALL:
        return np.concatenate(pieces)
    shape = (sum(len(piece) for piece in pieces), *pieces[0].shape[1:])
    kinds = {piece.dtype for piece in pieces}
    whole = np.empty(shape, dtype=kinds.pop() if len(kinds) == 1 else np.result_type(*kinds))
    end = len(whole)
    while pieces:
        piece = pieces.pop()
        whole[end - len(piece) : end] = piece
        end -= len(piece)
    return whole


def _join_offsets(pieces: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Where each tree begins once the forests stand end to end."""
    shifted, end = [pieces[0]], pieces[0][-1]
    for piece in pieces[1:]:
        shifted.append(piece[1:] + end)
        end = end + piece[-1]
    return np.concatenate(shifted)


def _in_native_order(array: NDArray[Any]) -> NDArray[Any]:
    """An array that a machine of the other byte order may have written, as this one reads it."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
