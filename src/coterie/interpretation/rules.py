"""Rules: the conditions on the paths from the root to the nodes of trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from coterie.core import Pool
from coterie.data import Schema, Table
from coterie.native import Forest
from coterie.native.forest import CATEGORICAL
from coterie.tags import tagged

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

# Conditions times rows that are looked at at a time.
_BLOCK = 1 << 22
# Steps on all ways from nodes to their roots, some 50 bytes each.
_MOST_EDGES = 1 << 25


@tagged
@dataclass(frozen=True, eq=False)
class Rules:
    """A collection of rules, each a conjunction of conditions on columns.

    A condition holds for numbers in the interval (low, high], or for categories of a set. It does
    not hold for missing values. A rule has at most one condition on a column.

    Parameters
    ----------
    schema : Schema
        Names of the columns and labels of categories.
    starts : ndarray of shape (n_rules + 1,)
        Conditions ``starts[r]:starts[r + 1]`` belong to rule r.
    column : ndarray of shape (n_conditions,)
        Which column a condition is on.
    low, high : ndarray of shape (n_conditions,)
        Bounds of its interval, possibly infinite.
    subset : ndarray of shape (n_conditions,)
        Which row of `masks` is its set of categories; -1 for numbers.
    masks : ndarray of bool of shape (n_sets, n_levels)
        Sets of categories, by code.
    """

    schema: Schema
    starts: Ints
    column: Ints
    low: Array
    high: Array
    subset: Ints
    masks: NDArray[np.bool_]

    def __len__(self) -> int:
        """Number of rules."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        """Number of conditions of each rule."""
        return np.diff(self.starts)

    def __getitem__(self, chosen: Any) -> Rules:
        """Some of the rules: a slice, a mask or positions."""
        which = np.arange(len(self))[chosen]
        sizes = self.lengths[which]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.starts[:-1][which] - starts[:-1], sizes) + np.arange(starts[-1])
        subset = self.subset[places]
        sets, line = np.unique(subset[subset >= 0], return_inverse=True)
        subset[subset >= 0] = line.ravel()
        return Rules(
            self.schema,
            starts,
            self.column[places],
            self.low[places],
            self.high[places],
            subset,
            self.masks[sets],
        )

    def __call__(self, X: Any) -> NDArray[np.bool_]:
        """Which rules hold for which rows, shape (n_rows, n_rules).

        Parameters
        ----------
        X : Table, array-like, data frame or sparse matrix of shape (n_rows, n_columns)
            The rows, with the columns of the schema.
        """
        table = X if isinstance(X, Table) else Table.under(self.schema, X)
        held = np.empty((table.n_rows, len(self)), dtype=bool)
        step = max(1, _BLOCK // max(1, len(self.column)))
        for rows, cells in table.blocks():
            for start in range(0, len(cells), step):
                block = slice(rows.start + start, rows.start + min(start + step, len(cells)))
                held[block] = self._holds(cells[start : start + step])
        return held

    def _holds(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        if not len(self):
            return np.empty((len(cells), 0), dtype=bool)
        asked = cells[:, self.column]
        true = (asked > self.low) & (asked <= self.high)  # false for NaN
        for place in np.flatnonzero(self.subset >= 0):
            codes = asked[:, place]
            known = ~np.isnan(codes)
            mask = self.masks[self.subset[place]]
            true[known, place] = mask[codes[known].astype(np.intp)]
        return np.asarray(np.logical_and.reduceat(true, self.starts[:-1], axis=1))

    def keys(self) -> list[bytes]:
        """Keys that identify rules: equal rules have equal keys in tables with the same schema."""
        facts = np.column_stack([self.column, self.low, self.high])
        sets = [b"" if s < 0 else np.packbits(self.masks[s]).tobytes() for s in self.subset]
        return [
            facts[a:b].tobytes() + b"".join(sets[a:b])
            for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)
        ]

    def text(self) -> list[str]:
        """The rules as text, such as ``alcohol > 11.2 and pH <= 3.3``."""
        each = [self._condition(place) for place in range(len(self.column))]
        pairs = zip(self.starts[:-1], self.starts[1:], strict=True)
        return [" and ".join(each[a:b]) for a, b in pairs]

    def _condition(self, place: int) -> str:
        column = int(self.column[place])
        name = column_name(self.schema, column)
        if self.subset[place] >= 0:
            labels = self.schema.labels[column]
            mask = self.masks[self.subset[place]][: len(labels)]
            if 2 * mask.sum() <= len(labels):
                return f"{name} in {{{', '.join(map(str, labels[mask]))}}}"
            return f"{name} not in {{{', '.join(map(str, labels[~mask]))}}}"
        low, high = self.low[place], self.high[place]
        if np.isinf(low):
            return f"{name} <= {high:.5g}"
        return f"{name} > {low:.5g}" if np.isinf(high) else f"{low:.5g} < {name} <= {high:.5g}"


def column_name(schema: Schema, column: int) -> str:
    """The name of a column, or ``x3`` if it has none."""
    return f"x{column}" if schema.names is None else schema.names[column]


def extract_rules(model: Any, *, max_conditions: int | None = None) -> Rules:
    """The rules of all nodes of a fitted tree or ensemble of native trees.

    Every node but the root is a rule: the conditions on the path to it. Conditions on one column
    become one interval, or one set of categories. A tree of u leaves has 2 (u - 1) rules, some of
    which may be the same as those of other trees.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest, bag or booster of this package with native trees as members.
    max_conditions : int, optional
        Leave out nodes that are deeper than this.

    Returns
    -------
    Rules
        In the order of the trees; ``rules.text()`` returns readable text, ``rules(X)`` which rules
        apply.

    References
    ----------
    .. [1] Friedman & Popescu, "Predictive learning via rule ensembles", Ann. Appl. Stat. 2 (2008).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import DecisionTreeClassifier, extract_rules
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y)
    >>> for rule in extract_rules(tree).text():
    ...     print(rule)
    petal length (cm) <= 2.45
    petal length (cm) > 2.45
    petal length (cm) > 2.45 and petal width (cm) <= 1.75
    petal length (cm) > 2.45 and petal width (cm) > 1.75
    """
    check_is_fitted(model)
    pool = getattr(model, "pool_", None)
    if not isinstance(pool, Pool) or not isinstance(pool.members, Forest):
        raise TypeError(
            f"{type(model).__name__} has no native trees to extract rules from. Pass a fitted "
            "tree, forest, bag or booster from coterie with native trees as members."
        )
    if getattr(model, "ordered_", None) is not None:
        raise ValueError("The trees split on target statistics, which cannot be written as rules.")
    return forest_rules(pool.forest, model.schema_, max_conditions)


def forest_rules(forest: Forest, schema: Schema, max_conditions: int | None = None) -> Rules:
    """The rules of all nodes of a native forest but the roots."""
    parent, depth = _parents(forest)
    limit = max_conditions or int(depth.max(initial=0))
    nodes = np.flatnonzero((depth > 0) & (depth <= limit))
    if depth[nodes].sum() > _MOST_EDGES:
        raise ValueError(
            f"The trees are up to {depth.max()} levels deep, and their rules would not fit into "
            "memory. Set max_conditions, for example to 10, or fit the model with max_depth."
        )
    # Every rule has an edge for each of its ancestors; climb for all rules at once.
    rule, edge, at = [], [], nodes.copy()
    which = np.arange(len(nodes))
    while len(at):
        rule.append(which)
        edge.append(at)
        at = parent[at]
        above = depth[at] > 0
        at, which = at[above], which[above]
    if not rule:
        return no_rules(schema)
    return _merged(forest, schema, np.concatenate(rule), np.concatenate(edge), parent)


def _parents(forest: Forest) -> tuple[Ints, Ints]:
    """Parent of every node (-1 for roots), and its depth, over all trees at once."""
    left = forest.nodes["left"]
    inner = np.flatnonzero(left >= 0)
    first = forest.node_offsets[forest.tree_of_node()[inner]] - forest.node_offsets[0] + left[inner]
    parent = np.full(len(left), -1, dtype=np.intp)
    parent[first] = parent[first + 1] = inner
    depth = np.zeros(len(left), dtype=np.intp)
    child = np.full(len(left), -1, dtype=np.intp)
    child[inner] = first
    level = np.flatnonzero(parent < 0)
    while len(level):
        above = level[child[level] >= 0]
        level = np.concatenate([child[above], child[above] + 1])
        depth[level] = depth[parent[level]] + 1
    return parent, depth


def _merged(forest: Forest, schema: Schema, rule: Ints, edge: Ints, parent: Ints) -> Rules:
    """One condition for each rule and column, out of the edges on the way."""
    above = parent[edge]
    column = forest.features[above].astype(np.intp)
    threshold = forest.nodes["threshold"][above]
    tree = forest.tree_of_node()
    root = forest.node_offsets[:-1] - forest.node_offsets[0]
    goes_left = edge == root[tree[edge]] + forest.nodes["left"][above]
    sets = forest.nodes["column"][above] & CATEGORICAL > 0
    low = np.where(goes_left | sets, -np.inf, threshold)
    high = np.where(goes_left & ~sets, threshold, np.inf)
    order = np.lexsort((column, rule))
    rule, column = rule[order], column[order]
    new = np.append(True, (np.diff(rule) != 0) | (np.diff(column) != 0))
    begin = np.flatnonzero(new)
    masks = np.zeros((0, 1), dtype=bool)
    subset = np.full(len(begin), -1, dtype=np.intp)
    if sets.any():
        lines, masks = _masks(forest, schema, above, goes_left, sets)
        held = np.concatenate([masks, np.ones((1, masks.shape[1]), dtype=bool)])[lines[order]]
        merged = np.logical_and.reduceat(held, begin, axis=0)
        is_set = sets[order][begin]
        bits = np.packbits(merged[is_set], axis=1)
        keys = bits.view(np.dtype((np.void, bits.shape[1]))).ravel()
        _, first, found = np.unique(keys, return_index=True, return_inverse=True)
        masks, subset[is_set] = merged[is_set][first], found.ravel()
    starts = np.append(np.flatnonzero(np.append(True, np.diff(rule[begin]) != 0)), len(begin))
    return Rules(
        schema,
        starts,
        column[begin],
        np.maximum.reduceat(low[order], begin),
        np.minimum.reduceat(high[order], begin),
        subset,
        masks,
    )


def _masks(
    forest: Forest,
    schema: Schema,
    above: Ints,
    goes_left: NDArray[np.bool_],
    sets: NDArray[np.bool_],
) -> tuple[Ints, NDArray[np.bool_]]:
    """For every edge a line of the masks, which say who passes it; the last line is for numbers."""
    n_levels = max(len(labels) for labels in schema.labels.values())
    sides, lines = np.unique(above[sets] * 2 + goes_left[sets], return_inverse=True)
    masks = np.zeros((len(sides), n_levels), dtype=bool)
    tree = forest.tree_of_node()
    offsets = forest.category_offsets - forest.category_offsets[0]
    for line, side in enumerate(sides.tolist()):
        node, left = divmod(side, 2)
        start = int(offsets[tree[node]] + forest.nodes["threshold"][node])
        words = forest.categories[start + 1 : start + 1 + int(forest.categories[start])]
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")[:n_levels]
        masks[line, : len(bits)] = bits > 0
        labels = schema.labels[int(forest.features[node])]
        if not left:
            masks[line] = ~masks[line]
        masks[line, len(labels) :] = False
    full = np.full(len(above), len(sides), dtype=np.intp)
    full[sets] = lines.ravel()
    return full, masks


def no_rules(schema: Schema) -> Rules:
    """No rules at all."""
    none = np.zeros(0, dtype=np.intp)
    empty = np.zeros(0)
    return Rules(
        schema, np.zeros(1, dtype=np.intp), none, empty, empty, none, np.zeros((0, 1), bool)
    )


def different(held: NDArray[np.bool_], lengths: Ints, *, opposites: bool = True) -> Ints:
    """Positions of rules that tell rows apart, one of those that tell them apart alike.

    Parameters
    ----------
    held : ndarray of bool of shape (n_rows, n_rules)
        Which rules hold for which rows.
    lengths : ndarray of shape (n_rules,)
        Number of conditions; of equal or opposite rules the shortest stays, among these the first.
    opposites : bool, default=True
        Whether a rule and its opposite tell rows apart alike.
    """
    share = held.mean(axis=0)
    useful = np.flatnonzero((share > 0) & (share < 1))
    if not len(useful):
        return useful
    useful = useful[np.argsort(lengths[useful], kind="stable")]
    # A rule and its opposite are told from each other by one row; turn all the same way there.
    turned = held[:, useful] ^ held[:1, useful] if opposites else held[:, useful]
    bits = np.ascontiguousarray(np.packbits(turned, axis=0).T)
    keys = bits.view(np.dtype((np.void, bits.shape[1]))).ravel()
    _, first = np.unique(keys, return_index=True)
    return np.sort(useful[first])
