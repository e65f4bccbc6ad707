"""Native trees as the attributes of ONNX's operator ``TreeEnsemble``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.native import Forest
from coterie.native.forest import CATEGORICAL, MISSING_LEFT

__all__ = ["TreeArrays", "tree_arrays"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_LESS_OR_EQUAL, _MEMBER = 0, 6
_COLUMN = np.uint32(CATEGORICAL - 1)


@dataclass(frozen=True)
class TreeArrays:
    """Inner nodes and leaves of many trees, in the words of the operator.

    Parameters
    ----------
    feature, mode, missing_true : ndarray of shape (n_inner,)
        The column a node asks for, how it compares, and whether missing values are a yes.
    split : ndarray of shape (n_inner,)
        What it compares with.
    yes, yes_leaf, no, no_leaf : ndarray of shape (n_inner,)
        Number of the next node or leaf, and whether it is a leaf.
    members : ndarray
        The categories that are a yes, node by node, each list ended by NaN.
    roots : ndarray of shape (n_trees,)
        First node of each tree.
    target, weight : ndarray of shape (n_leaves,)
        To which score a leaf adds how much.
    """

    feature: Ints
    mode: NDArray[np.uint8]
    missing_true: Ints
    split: Floats
    yes: Ints
    yes_leaf: Ints
    no: Ints
    no_leaf: Ints
    members: Floats
    roots: Ints
    target: Ints
    weight: Floats

    def after(self, other: TreeArrays) -> TreeArrays:
        """These trees behind others, with their numbers moved on."""
        nodes, leaves = len(other.feature), len(other.target)
        moved = {
            "yes": self.yes + np.where(self.yes_leaf, leaves, nodes),
            "no": self.no + np.where(self.no_leaf, leaves, nodes),
            "roots": self.roots + nodes,
        }
        return TreeArrays(
            **{
                name: np.concatenate([getattr(other, name), moved.get(name, getattr(self, name))])
                for name in self.__dataclass_fields__
            }
        )


def tree_arrays(
    forest: Forest, weights: Floats, codes: Mapping[int, Ints], width: int = 1
) -> TreeArrays:
    """A forest whose leaves hold votes, weighed.

    A leaf of the operator adds to one score. A tree whose leaves vote on several is written as
    often as a leaf has votes that are not zero.

    Parameters
    ----------
    forest : Forest
        The trees, with votes in their leaves.
    weights : ndarray of shape (n_trees,)
        What the votes of each tree are multiplied by.
    codes : mapping of int to ndarray
        For each categorical column and every code of the input, the code that the trees have for
        it; -1 if they do not know it.
    width : int, default=1
        With more than one, trees vote in turn on as many scores.
    """
    votes = forest.values * np.repeat(weights, forest.leaf_counts())[:, None]
    if width > 1:
        turn = np.repeat(np.arange(len(forest)) % width, forest.leaf_counts())
        votes = np.where(turn[:, None] == np.arange(width), votes, 0.0)
    count = (votes != 0).sum(axis=1)
    most = np.maximum.reduceat(count, forest.leaf_offsets[:-1])
    # The scores of each leaf, those it votes on first.
    order = np.argsort(votes == 0, axis=1, kind="stable")
    whole: TreeArrays | None = None
    for copy in range(max(int(most.max()), 1)):
        chosen = np.flatnonzero(most > copy) if copy else np.arange(len(forest))
        rows = np.repeat(most > copy if copy else np.ones(len(forest), bool), forest.leaf_counts())
        target = order[rows, copy]
        weight = votes[rows, target]
        part = forest if len(chosen) == len(forest) else forest[chosen]
        arrays = _one_vote(part, target, weight, codes)
        whole = arrays if whole is None else arrays.after(whole)
    assert whole is not None
    return whole


def _one_vote(
    forest: Forest, target: Ints, weight: Floats, codes: Mapping[int, Ints]
) -> TreeArrays:
    """Trees each leaf of which votes on one score."""
    nodes, n_trees = forest.nodes, len(forest)
    tree = np.repeat(np.arange(n_trees), np.diff(forest.node_offsets))
    inner = nodes["left"] >= 0
    number = np.where(inner, np.cumsum(inner) - 1, forest.leaf_offsets[tree] + ~nodes["left"])
    first = (forest.node_offsets[tree] + nodes["left"])[inner]
    asked = nodes[inner]
    split, mode, members = _questions(asked, forest, tree[inner], codes)
    lone = ~inner[forest.node_offsets[:-1]]  # trees that are one leaf
    extra = number[forest.node_offsets[:-1][lone]]
    roots = number[forest.node_offsets[:-1]].copy()
    roots[lone] = inner.sum() + np.arange(lone.sum())
    none, ones = np.zeros(len(extra), np.int64), np.ones(len(extra), np.int64)
    made = TreeArrays(
        feature=np.append((asked["column"] & _COLUMN).astype(np.int64), none),
        mode=np.append(mode, none.astype(np.uint8)),
        missing_true=np.append((asked["column"] & MISSING_LEFT > 0).astype(np.int64), none),
        split=np.append(split, none.astype(np.float64)),
        yes=np.append(number[first], extra),
        yes_leaf=np.append((~inner[first]).astype(np.int64), ones),
        no=np.append(number[first + 1], extra),
        no_leaf=np.append((~inner[first + 1]).astype(np.int64), ones),
        members=members,
        roots=roots,
        target=target.astype(np.int64),
        weight=weight,
    )
    return _spaced(made)


def _spaced(trees: TreeArrays) -> TreeArrays:
    """The same trees with a node that says no between two that ask one column for categories.

    onnxruntime (1.31 at least) takes such a pair for one question.
    """
    after = np.where(trees.no_leaf == 1, 0, trees.no)
    pair = (trees.no_leaf == 0) & (trees.mode == _MEMBER) & (trees.mode[after] == _MEMBER)
    first = np.flatnonzero(pair & (trees.feature[after] == trees.feature))
    none, ones = np.zeros(len(first), np.int64), np.ones(len(first), np.int64)
    no = trees.no.copy()
    no[first] = len(no) + np.arange(len(first))
    return replace(
        trees,
        feature=np.append(trees.feature, trees.feature[first]),
        mode=np.append(trees.mode, none.astype(np.uint8)),
        missing_true=np.append(trees.missing_true, none),
        split=np.append(trees.split, -ones.astype(np.float64)),  # codes are from 0 on
        yes=np.append(trees.yes, none),
        yes_leaf=np.append(trees.yes_leaf, ones),
        no=np.append(no, trees.no[first]),
        no_leaf=np.append(trees.no_leaf, none),
    )


def _questions(
    asked: NDArray[Any], forest: Forest, tree: Ints, codes: Mapping[int, Ints]
) -> tuple[Floats, NDArray[np.uint8], Floats]:
    """What each inner node compares with and how, and the categories of those that ask for them."""
    split = asked["threshold"].copy()
    mode = np.full(len(asked), _LESS_OR_EQUAL, dtype=np.uint8)
    members: list[Floats] = []
    seen: dict[tuple[int, bytes], tuple[float, Floats | None]] = {}  # many nodes ask the same
    for node in np.flatnonzero(asked["column"] & CATEGORICAL):
        start = int(forest.category_offsets[tree[node]]) + int(split[node])
        words = forest.categories[start + 1 : start + 1 + int(forest.categories[start])]
        column = int(asked["column"][node])
        key = (column, words.tobytes())
        if key not in seen:
            seen[key] = _question(words, codes[column & int(_COLUMN)], bool(column & MISSING_LEFT))
        split[node], asks = seen[key]
        if asks is not None:
            mode[node] = _MEMBER
            members.append(asks)
    return split, mode, np.concatenate([np.empty(0), *members])


def _question(
    words: NDArray[np.uint64], known: Ints, missing_left: bool
) -> tuple[float, Floats | None]:
    """What a node that asks for categories compares with, and their list if it has one."""
    goes = _goes_left(words, int(known.max(initial=-1)) + 1, missing_left)
    left = np.append(goes, missing_left)[known]  # -1 is the last: unknown is missing
    if left.all() or not left.any():
        return (float(len(known)) if left.all() else -1.0), None  # codes are from 0 on
    return 0.0, np.append(np.flatnonzero(left).astype(np.float64), np.nan)


def _goes_left(words: NDArray[np.uint64], n_levels: int, missing_left: bool) -> NDArray[np.bool_]:
    """Which categories go left; those beyond the words go where missing values go."""
    bits = np.unpackbits(
        np.ascontiguousarray(words).astype("<u8").view(np.uint8), bitorder="little"
    ).astype(bool)[:n_levels]
    return np.append(bits, np.full(n_levels - len(bits), missing_left))
