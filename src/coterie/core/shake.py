"""Shakes: how the data is varied for each independent member.

A shake is a function ``(view, rng) -> view``. Rows are drawn by weights, never copied: a
bootstrap sample is the same table with the counts as weights.

The draw must depend on what the rows are, not on how they were written down. So rows are put in
an order that depends on their content alone (:func:`content_order`) and laid side by side on an
axis, each as long as the number of times it is repeated; a draw is a point on the axis. Shuffled
rows, or a row given once with weight three instead of three times, lead to the same bags.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.data import Table, Target
from coterie.native import row_hashes

# Whole-number weights are repetitions up to this mean; beyond it (survey weights, say) a bag
# would hold every row many times over, which is neither a bootstrap nor affordable.
MAX_MEAN_REPETITION = 100
_CHUNK = 1 << 22


@dataclass(frozen=True)
class View:
    """What a member is fitted on."""

    table: Table
    target: Target
    weight: NDArray[np.float64] | None = None


Shake = Callable[[View, Generator], View]


def untouched(view: View, rng: Generator) -> View:
    """Every member sees the same rows with the same weights."""
    return view


def content_order(
    table: Table, target: Target, weight: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Order of the rows that depends on what they hold only, equal rows side by side.

    Parameters
    ----------
    table : Table
        Binned.
    target : Target
        Labels or numbers.
    weight : ndarray of shape (n_rows,), optional
        Importances, which tell rows apart that are equal otherwise.
    """
    assert table.codes is not None, "the table is not binned"
    bits = np.zeros(target.n_rows, dtype=np.uint64)
    for column in target.encoded.T.astype(np.float64):
        # + 0.0 turns -0.0 into 0.0: equal numbers must have equal bits.
        bits = (bits ^ (column + 0.0).view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        bits ^= bits >> np.uint64(29)
    hashes = row_hashes(table.codes, bits)
    if weight is None:
        return np.argsort(hashes, kind="stable")
    return np.lexsort((weight, hashes))


def repetitions(weight: NDArray[np.float64] | None) -> NDArray[np.int64] | None:
    """Weights read as numbers of repetitions, or None when they are importances.

    Whole numbers with a mean of at most 100 are repetitions: fitting with them equals fitting on
    repeated rows.

    Examples
    --------
    >>> repetitions(np.array([1.0, 3.0])), repetitions(np.array([0.5, 2.0]))
    (array([1, 3]), None)
    """
    if weight is None or weight.mean() > MAX_MEAN_REPETITION or np.any(weight % 1):
        return None
    return weight.astype(np.int64)


@dataclass(frozen=True)
class RowAxis:
    """Rows side by side in an order of their own.

    Attributes
    ----------
    order : ndarray of shape (n_rows,)
        Which row comes k-th.
    ends : ndarray of shape (n_rows,) or None
        Where the k-th row ends on the axis; None when every row is one long.
    """

    order: NDArray[np.integer]
    ends: NDArray[np.int64] | None = None

    @classmethod
    def lay(cls, order: NDArray[np.integer], repeats: NDArray[np.int64] | None) -> RowAxis:
        """Rows in `order`, each as long as it is repeated."""
        small = order.astype(np.uint32) if len(order) <= np.iinfo(np.uint32).max else order
        return cls(small, None if repeats is None else np.cumsum(repeats[order]))

    @property
    def length(self) -> int:
        """How many rows there are, repetitions included."""
        return len(self.order) if self.ends is None else int(self.ends[-1])

    def count(self, points: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many `points` of the axis fall on each row."""
        if self.ends is not None:
            points = np.searchsorted(self.ends, points, side="right")
        counts = np.empty(len(self.order), dtype=np.int64)
        counts[self.order] = np.bincount(points, minlength=len(self.order))
        return counts


@dataclass(frozen=True)
class Bootstrap:
    """Draw `n_draws` rows with replacement."""

    axis: RowAxis
    n_draws: int

    def counts(self, rng: Generator) -> NDArray[np.int64]:
        """How often each row is in the bag."""
        counts = np.zeros(len(self.axis.order), dtype=np.int64)
        for start in range(0, self.n_draws, _CHUNK):
            size = min(_CHUNK, self.n_draws - start)
            counts += self.axis.count(rng.integers(0, self.axis.length, size=size))
        return counts

    def __call__(self, view: View, rng: Generator) -> View:
        """The same rows, weighted by how often each is in the bag."""
        return _weighted(view, self.counts(rng))


@dataclass(frozen=True)
class Subsample:
    """Draw `n_draws` rows without replacement."""

    axis: RowAxis
    n_draws: int

    def counts(self, rng: Generator) -> NDArray[np.int64]:
        """How often each row is in the sample; more than once only if it is repeated."""
        points = rng.choice(self.axis.length, self.n_draws, replace=False, shuffle=False)
        return self.axis.count(points)

    def __call__(self, view: View, rng: Generator) -> View:
        """The same rows, weighted by whether each is in the sample."""
        return _weighted(view, self.counts(rng))


@dataclass(frozen=True)
class Balanced:
    """After another shake, give every class of the sample the same total weight."""

    shake: Shake

    def __call__(self, view: View, rng: Generator) -> View:
        """The view of the inner shake with balanced weights."""
        shaken = self.shake(view, rng)
        weight = np.ones(len(view.target.codes)) if shaken.weight is None else shaken.weight
        return replace(shaken, weight=weight * balance(view.target, weight))


def balance(target: Target, weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    r"""Factors that give every class the same total weight: :math:`W / (K W_k)`, per output.

    Classes without weight get the factor 0 and do not count among the K.
    """
    codes = target.codes
    factors = np.ones(len(codes))
    for column, classes in zip(codes.T, target.classes, strict=True):
        totals = np.bincount(column, weights=weight, minlength=len(classes)).astype(np.float64)
        present = totals > 0
        share = np.zeros(len(classes))
        share[present] = totals.sum() / (present.sum() * totals[present])
        factors *= share[column]
    return factors


def _weighted(view: View, counts: NDArray[np.int64]) -> View:
    weight = counts.astype(np.float64)
    return replace(view, weight=weight if view.weight is None else weight * view.weight)
