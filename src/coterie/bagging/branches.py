"""What rows a tree did not see can do for it: cut branches, and say what its nodes hold.

Functions take a forest of one native tree, rows, and what is known of these rows. Nodes are
numbered so that children come after their parent.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from coterie.data import Table, Target
from coterie.native import Forest

Array = NDArray[np.float64]


def parents(tree: Forest) -> NDArray[np.intp]:
    """The parent of every node, -1 for the root."""
    inner = np.flatnonzero(tree.nodes["left"] >= 0)
    parent = np.full(len(tree.nodes), -1, dtype=np.intp)
    parent[tree.nodes["left"][inner]] = inner
    parent[tree.nodes["left"][inner] + 1] = inner
    return parent


def node_sums(tree: Forest, table: Table, facts: Array) -> Array:
    """Sum over the rows that pass each node of some facts about them, (n_nodes, n_facts)."""
    sums = np.zeros((len(tree.nodes), facts.shape[1]))
    for rows, values in table.walks():
        np.add.at(sums, tree.apply(values)[:, 0], facts[rows])
    parent = parents(tree)
    for node in range(len(sums) - 1, 0, -1):
        sums[parent[node]] += sums[node]
    return sums


def one_hot_facts(target: Target) -> Array:
    """Classes of every row as ones and zeros, outputs side by side."""
    parts = [np.eye(n)[c] for n, c in zip(target.n_classes, target.codes.T, strict=True)]
    return np.concatenate(parts, axis=1)


def losses_as_leaves(tree: Forest, table: Table, target: Target) -> Array:
    """What the rows would lose at each node if it were a leaf: errors, or squared errors."""
    values = tree.node_values()
    if target.kind == "labels":
        counts = node_sums(tree, table, one_hot_facts(target))
        ends = np.cumsum(target.n_classes)[:-1]
        lost = np.zeros(len(values))
        for held, said in zip(
            np.split(counts, ends, axis=1), np.split(values, ends, axis=1), strict=True
        ):
            right = np.take_along_axis(held, said.argmax(axis=1)[:, None], axis=1)[:, 0]
            lost += held.sum(axis=1) - right
        return lost
    y = target.values
    width = y.shape[1]
    sums = node_sums(tree, table, np.hstack([y, y**2, np.ones((len(y), 1))]))
    total, squares, count = sums[:, :width], sums[:, width : 2 * width], sums[:, -1:]
    loss = squares - 2.0 * values * total + values**2 * count
    return np.asarray(np.maximum(loss, 0.0).sum(axis=1))


def prune_branches(
    tree: Forest, table: Table, target: Target, *, empty: Literal["prune", "keep"] = "prune"
) -> Forest:
    r"""Reduced-error pruning: cut every branch that rows not seen in growing do better without.

    From the leaves up, a node becomes a leaf if that loses no more on the rows than its branch
    does: :math:`loss(v) \le loss(left) + loss(right)`; a tie makes the tree smaller.

    Parameters
    ----------
    tree : Forest
        One native tree.
    table, target : Table, Target
        Rows that it has not seen.
    empty : {"prune", "keep"}, default="prune"
        Whether a branch that no row reaches is cut: nothing speaks for it.

    Returns
    -------
    Forest
        The smaller tree; its loss on the rows is not larger.

    References
    ----------
    .. [1] Quinlan, "Simplifying decision trees", Int. J. Man-Machine Studies 27 (1987).
    """
    alone = losses_as_leaves(tree, table, target)
    reached = node_sums(tree, table, np.ones((table.n_rows, 1)))[:, 0] > 0
    left = tree.nodes["left"]
    best, cut = alone.copy(), left < 0
    tolerance = 1e-12 * max(1.0, float(alone[0]))
    for node in range(len(left) - 1, -1, -1):
        if left[node] < 0:
            continue
        branch = best[left[node]] + best[left[node] + 1]
        if alone[node] <= branch + tolerance and (reached[node] or empty == "prune"):
            cut[node] = True
        else:
            best[node] = branch
    return cut_at(tree, cut)


def prune_by_price(tree: Forest, table: Table, target: Target, *, n_prices: int = 50) -> Forest:
    r"""Cost-complexity pruning with the price of a leaf chosen by rows not seen in growing.

    The subtrees that are best at some price :math:`\alpha` of a leaf are nested; the one of
    smallest loss on the rows is taken, the smaller of two that are equal.

    Parameters
    ----------
    tree : Forest
        One native tree.
    table, target : Table, Target
        Rows that it has not seen.
    n_prices : int, default=50
        Subtrees looked at, at most, evenly along the path.

    Returns
    -------
    Forest
        The smaller tree; its loss on the rows is not larger.

    References
    ----------
    .. [1] Kiran & Serra, "Cost-complexity pruning of random forests", ISMM (2017).
    """
    prices = np.unique(tree.pruning_path()[0])
    chosen = np.unique(np.linspace(0, len(prices) - 1, n_prices).round().astype(np.intp))
    best, lowest = tree, tree_loss(tree, table, target)
    for price in prices[chosen]:
        smaller = tree.prune(float(price))
        loss = tree_loss(smaller, table, target)
        if loss <= lowest:
            best, lowest = smaller, loss
    return best


def tree_loss(tree: Forest, table: Table, target: Target) -> float:
    """Errors, or squared errors, of a tree on some rows."""
    votes = np.concatenate([tree.predict(values) for _, values in table.walks()])
    if target.kind == "values":
        return float(((votes - target.values) ** 2).sum())
    parts = np.split(votes, np.cumsum(target.n_classes)[:-1], axis=1)
    guess = np.column_stack([part.argmax(axis=1) for part in parts])
    return float((guess != target.codes).sum())


def cut_at(tree: Forest, cut: NDArray[np.bool_]) -> Forest:
    """The tree with the marked nodes as leaves, which say the mean of what was below them."""
    parent = parents(tree)
    kept = np.ones(len(cut), dtype=bool)
    for node in range(1, len(cut)):
        kept[node] = kept[parent[node]] and not cut[parent[node]]
    values = tree.node_values()
    leaf = cut & kept
    number = np.cumsum(kept) - 1
    nodes = tree.nodes.copy()
    inner = kept & ~cut
    nodes["left"][inner] = number[tree.nodes["left"][inner]]
    nodes["left"][leaf] = ~np.arange(np.count_nonzero(leaf), dtype=np.int32)
    nodes["column"][leaf] = 0
    nodes["threshold"][leaf] = 0.0
    facts = {name: getattr(tree, name)[kept] for name in ("n_samples", "weight", "impurity")}
    return Forest(
        nodes=nodes[kept],
        **facts,
        values=np.ascontiguousarray(values[leaf]),
        node_offsets=np.array([0, np.count_nonzero(kept)], dtype=np.int64),
        leaf_offsets=np.array([0, np.count_nonzero(leaf)], dtype=np.int64),
        category_offsets=tree.category_offsets - tree.category_offsets[0],
        categories=tree.categories,
        n_features=tree.n_features,
    )


def node_posteriors(
    tree: Forest,
    table: Table,
    target: Target,
    prior: Array,
    *,
    strength: float = 2.0,
    source: Literal["oob", "both", "inbag"] = "oob",
) -> Array:
    r"""What every node holds, by rows not seen in growing, shrunk towards its parent.

    .. math:: p_v = \frac{m_v + s\, p_{parent(v)}}{|m_v| + s}

    with the counts :math:`m_v` of the rows at the node, and the prior above the root. A node that
    no row reaches holds what its parent holds. For numbers, means take the place of shares.

    Parameters
    ----------
    tree : Forest
        One native tree.
    table, target : Table, Target
        Rows that it has not seen.
    prior : ndarray of shape (n_outputs,)
        Shares of the classes, or means, of all training rows.
    strength : float, default=2.0
        `s`: how many rows the parent stands for.
    source : {"oob", "both", "inbag"}, default="oob"
        Count the rows given, those the tree was grown on, or both.

    Returns
    -------
    ndarray of shape (n_nodes, n_outputs)
    """
    facts = one_hot_facts(target) if target.kind == "labels" else target.values
    width = facts.shape[1]
    sums = np.zeros((len(tree.nodes), width + 1))
    if source in ("oob", "both"):
        sums += node_sums(tree, table, np.hstack([facts, np.ones((table.n_rows, 1))]))
    if source in ("inbag", "both"):
        weight = tree.weight.astype(np.float64)[:, None]
        sums += np.hstack([tree.node_values() * weight, weight])
    held, mass = sums[:, :width], sums[:, width]
    parent = parents(tree)
    posterior = np.empty_like(held)
    for node in range(len(held)):
        above = prior if node == 0 else posterior[parent[node]]
        total = mass[node] + strength
        posterior[node] = above if total <= 0 else (held[node] + strength * above) / total
    return posterior


def with_posteriors(tree: Forest, posteriors: Array) -> Forest:
    """The tree whose leaves say what the posteriors of their nodes are."""
    leaves = np.flatnonzero(tree.nodes["left"] < 0)
    values = np.empty_like(tree.values)
    values[~tree.nodes["left"][leaves]] = posteriors[leaves]
    return tree.with_values(values)
