"""Compare a tree of ours with scikit-learn's, split for split.

Where both choose the same split of a node, the walk goes on. Where they differ, both splits
must be equally good (a tie); then scikit-learn grows anew on each side of our split, and the
walk goes on with that. Where growing anew is not the same (a limit on the whole tree), every
split of ours below the tie is held against an exhaustive search instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
LEAF = -1
# Impurities and weights of nodes are kept in float32.
TOLERANCE = 1e-6
SMALL = 20


def moments(criterion: str, y: Array) -> Array:
    """Columns whose weighted sums give the impurity: classes, or powers of y."""
    if criterion in ("gini", "entropy", "misclassification"):
        return np.eye(y.max() + 1)[y]
    if criterion == "poisson":
        return np.column_stack([y, np.where(y > 0, y * np.log(np.where(y > 0, y, 1)), 0)])
    return np.column_stack([y, y**2])


def impurity(criterion: str, sums: Array, weight: Array) -> Array:
    """Impurity of groups with these sums of moments and weights."""
    weight = np.asarray(weight, dtype=float)
    share = sums / np.where(weight > 0, weight, 1)[..., None]
    if criterion == "gini":
        return 1 - (share**2).sum(axis=-1)
    if criterion == "entropy":
        return -(share * np.log2(np.where(share > 0, share, 1))).sum(axis=-1)
    if criterion == "misclassification":
        return 1 - share.max(axis=-1)
    if criterion == "poisson":
        mean = share[..., 0]
        return share[..., 1] - mean * np.log(np.where(mean > 0, mean, 1))
    return share[..., 1] - share[..., 0] ** 2


def weighted_median(y: Array, weight: Array) -> float:
    """The middle of the weight, and halfway where two values share it."""
    order = np.argsort(y)
    y, below = y[order], np.cumsum(weight[order])
    low = np.searchsorted(below, below[-1] / 2 * (1 - 1e-12))
    high = np.searchsorted(below, below[-1] / 2 * (1 + 1e-12))
    return float((y[low] + y[high]) / 2)


@dataclass
class Problem:
    """A table, its target and what a split must respect."""

    X: Array
    y: Array
    criterion: str
    weight: Array | None = None
    min_samples_leaf: int = 1
    moments: Array = field(init=False)

    def __post_init__(self) -> None:
        self.weight = np.ones(len(self.y)) if self.weight is None else self.weight
        self.moments = moments(self.criterion, self.y) * self.weight[:, None]

    def value(self, rows: Array) -> Array:
        """Class probabilities of the rows, or their mean or median."""
        if self.criterion == "absolute_error":
            return np.array([weighted_median(self.y[rows], self.weight[rows])])
        mean = self.moments[rows].sum(0) / self.weight[rows].sum()
        return mean if self.y.dtype.kind in "iu" else mean[:1]

    def gain(self, rows: Array, left: Array) -> float:
        """Decrease of impurity when `left` of the `rows` are split off."""
        if self.criterion == "absolute_error":
            costs = [self._distance(part) for part in (rows, rows[left], rows[~left])]
            return float((costs[0] - costs[1] - costs[2]) / self.weight[rows].sum())
        part = np.stack([self.moments[rows[left]].sum(0), self.moments[rows[~left]].sum(0)])
        weight = np.array([self.weight[rows[left]].sum(), self.weight[rows[~left]].sum()])
        whole = impurity(self.criterion, part.sum(0), weight.sum())
        return float(whole - (weight * impurity(self.criterion, part, weight)).sum() / weight.sum())

    def _distance(self, rows: Array) -> float:
        """Weighted sum of the distances to the median."""
        return float(self.weight[rows] @ np.abs(self.y[rows] - self.value(rows)))

    def best_gain(self, rows: Array) -> float:
        """The largest gain of any split of the rows, by trying them all."""
        return max(self._best_of_column(rows, j) for j in range(self.X.shape[1]))

    def _best_of_column(self, rows: Array, column: int) -> float:
        x = self.X[rows, column]
        missing = np.isnan(x)
        order = np.argsort(x[~missing], kind="stable")
        known, lost = rows[~missing][order], rows[missing]
        ends = np.flatnonzero(np.diff(x[~missing][order]) > 0) + 1
        if len(lost):
            ends = np.append(ends, len(known))
        best = -np.inf
        for beside in (False, True) if len(lost) else (False,):
            best = max(best, self._best_of_ends(known, lost, ends, beside))
        return best

    def _best_of_ends(self, known: Array, lost: Array, ends: Array, beside: bool) -> float:
        """Splits after the first `ends` of the known rows, the lost beside those or not."""
        sums = self.moments[known].cumsum(0)[ends - 1]
        weight = self.weight[known].cumsum()[ends - 1]
        count = ends.astype(int)
        if beside:
            sums, weight = sums + self.moments[lost].sum(0), weight + self.weight[lost].sum()
            count = count + len(lost)
        rows = np.concatenate([known, lost])
        other = len(rows) - count
        allowed = np.minimum(count, other) >= self.min_samples_leaf
        if not allowed.any():
            return -np.inf
        total, all_weight = self.moments[rows].sum(0), self.weight[rows].sum()
        inside = weight * impurity(self.criterion, sums, weight)
        outside = (all_weight - weight) * impurity(
            self.criterion, total - sums, all_weight - weight
        )
        gains = impurity(self.criterion, total, all_weight) - (inside + outside) / all_weight
        return float(gains[allowed].max())


@dataclass
class Report:
    """How many splits were the same, and how many were ties.

    In nodes of a few rows most columns tie, so those are counted apart.
    """

    same: int = 0
    ties: int = 0
    small: int = 0
    searched: int = 0

    def count(self, n_rows: int, *, same: bool) -> None:
        if n_rows < SMALL:
            self.small += 1
        elif same:
            self.same += 1
        else:
            self.ties += 1


def goes_left(tree: Any, node: int, X: Array) -> Array:
    """Which rows go left at a node of either library's tree."""
    x = X[:, tree.feature[node]]
    return np.where(np.isnan(x), tree.missing_go_to_left[node] > 0, x <= tree.threshold[node])


def close(a: Any, b: Any, scale: float = 1.0) -> bool:
    return bool(np.all(np.abs(np.asarray(a) - np.asarray(b)) <= TOLERANCE * max(1.0, abs(scale))))


Regrow = Callable[[Array], Any]


def compare(ours: Any, theirs: Any, problem: Problem, regrow: Regrow | None = None) -> Report:
    """Walk both trees from the root; raise AssertionError where they differ without a tie.

    `regrow` gives scikit-learn's tree of some of the rows.
    """
    report = Report()
    scale = float(np.abs(ours.impurity).max())
    pairs = [(0, theirs, 0, np.arange(len(problem.y)))]
    while pairs:
        a, theirs, b, rows = pairs.pop()
        assert ours.n_node_samples[a] == theirs.n_node_samples[b] == len(rows)
        weight = theirs.weighted_n_node_samples[b]
        assert close(ours.weighted_n_node_samples[a], weight, weight)
        assert close(ours.impurity[a], theirs.impurity[b], scale)
        # Inner nodes hold means of their leaves, which medians are not.
        if problem.criterion != "absolute_error" or ours.children_left[a] == LEAF:
            assert np.allclose(ours.value[a].ravel(), problem.value(rows), TOLERANCE, TOLERANCE)
            if theirs.value[b].shape == ours.value[a].shape:  # grown anew, it may miss classes
                assert np.allclose(ours.value[a], theirs.value[b], TOLERANCE, TOLERANCE)
        if ours.children_left[a] == LEAF:
            # By rounding, scikit-learn splits pure nodes of impurity 1e-16.
            pure = theirs.impurity[b] < 1e-12 * max(1.0, scale)
            assert pure or theirs.children_left[b] == LEAF, f"{len(rows)} rows were not split"
            continue
        left = goes_left(ours, a, problem.X[rows])
        if theirs.children_left[b] == LEAF:
            # Nor does it make a split whose gain of 0 comes out as -1e-16.
            assert close(problem.gain(rows, left), 0, scale), f"{len(rows)} rows were split"
            continue
        other = goes_left(theirs, b, problem.X[rows])
        if ours.feature[a] == theirs.feature[b] and np.array_equal(left, other):
            report.count(len(rows), same=True)
            threshold = theirs.threshold[b]
            assert np.isinf(threshold) or close(ours.threshold[a], threshold, threshold)
            pairs.append((ours.children_left[a], theirs, theirs.children_left[b], rows[left]))
            pairs.append((ours.children_right[a], theirs, theirs.children_right[b], rows[~left]))
            continue
        report.count(len(rows), same=False)
        gain, rival = problem.gain(rows, left), problem.gain(rows, other)
        assert close(gain, rival, scale), f"gain {gain} against {rival}"
        if regrow is None:
            report.searched += search(ours, problem, a, rows)
        else:
            pairs.append((ours.children_left[a], regrow(rows[left]), 0, rows[left]))
            pairs.append((ours.children_right[a], regrow(rows[~left]), 0, rows[~left]))
    return report


def search(tree: Any, problem: Problem, node: int, rows: Array) -> int:
    """Hold every split at and below a node against an exhaustive search; return how many."""
    scale, count = float(np.abs(tree.impurity).max()), 0
    nodes = [(node, rows)]
    while nodes:
        node, rows = nodes.pop()
        if tree.children_left[node] == LEAF:
            continue
        left = goes_left(tree, node, problem.X[rows])
        gain, best = problem.gain(rows, left), problem.best_gain(rows)
        assert close(gain, best, scale), f"gain {gain}, the best is {best}"
        nodes.append((tree.children_left[node], rows[left]))
        nodes.append((tree.children_right[node], rows[~left]))
        count += 1
    return count
