"""LambdaMART's loss: forces between the documents of one query."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from coterie.losses.pointwise import Array, OneScoreLoss
from coterie.native import elementary, rank_slopes
from coterie.native.forces import Swap

#: Above this, 2 to the power of a grade says nothing about others any more.
LARGEST_GRADE = 31


@dataclass(frozen=True)
class QueryRows:
    """Rows put into the order of their queries.

    Parameters
    ----------
    order : int array of shape (n_rows,) or None
        Rows query by query, in their order; None if they are so already.
    offsets : int64 array of shape (n_queries + 1,)
        Where the rows of each query begin.
    """

    order: NDArray[np.intp] | None
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, queries: NDArray[Any]) -> QueryRows:
        """Rows by the label of their query.

        Examples
        --------
        >>> rows = QueryRows.of(np.array([1.0, 0.0, 1.0]))
        >>> rows.order.tolist(), rows.offsets.tolist()
        ([1, 0, 2], [0, 1, 3])
        """
        order = None
        if (queries[1:] < queries[:-1]).any():
            order = np.argsort(queries, kind="stable")
            queries = queries[order]
        firsts = np.flatnonzero(queries[1:] != queries[:-1]) + 1
        return cls(order, np.concatenate([[0], firsts, [len(queries)]]).astype(np.int64))

    def sort(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of rows in the order of queries."""
        return values if self.order is None else values[self.order]

    def restore(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values in the order of queries, back in that of the rows."""
        if self.order is None:
            return values
        back = np.empty_like(values)
        back[self.order] = values
        return back

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each query."""
        return np.diff(self.offsets)

    @property
    def places(self) -> NDArray[np.int64]:
        """The place of each row within its query, in the order of queries."""
        starts = np.repeat(self.offsets[:-1], self.sizes)
        return np.arange(len(starts)) - starts


def discounts(places: NDArray[Any]) -> Array:
    """What a place counts in a discounted gain: 1 / log2(2 + place), places from 0."""
    return np.asarray(np.log(2.0) / elementary.log(2.0 + places.astype(np.float64)))


@dataclass(frozen=True)
class LambdaRankLoss(OneScoreLoss):
    r"""Pairwise gradients, each weighted by how much swapping the pair changes the metric.

    For documents :math:`y_i > y_j` of a query, with scores s and the worth
    :math:`\Delta_{ij}` of their exchange, the loss is
    :math:`\Delta_{ij} \ln(1 + e^{-\sigma(s_i - s_j)})`, where :math:`\Delta` is taken as it is
    at the present scores.

    `y` has two columns: the grade of a row, and the number of its query. What `value` gives is not
    this loss but one minus the NDCG of the row's query, for which it stands in.

    Parameters
    ----------
    swap : {"ndcg", "map", "pairwise"}, default="ndcg"
        Whose change weighs a pair; "pairwise" weighs all alike.
    sigma : float, default=1.0
        Steepness.
    truncation : int, default=30
        One document of a pair must be among the first so many.
    normalise : bool, default=False
        Divide forces by the distance of the scores, and balance queries.
    gains : ndarray or None, default=None
        The gain of every grade; None is :math:`2^y - 1`.
    """

    name: ClassVar[str] = "lambda_rank"
    # Scores of ties in the truth are free to drift; a leaf of them alone has next to no curvature.
    longest_step: ClassVar[float] = 100.0

    swap: Swap = "ndcg"
    sigma: float = 1.0
    truncation: int = 30
    normalise: bool = False
    gains: NDArray[np.float64] | None = field(default=None, compare=False)

    def gain(self, grades: Array) -> Array:
        """How good documents of these grades are."""
        if self.gains is not None:
            return np.asarray(self.gains[grades.astype(np.intp)])
        return np.asarray(np.exp2(grades) - 1.0)

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Gradient and Hessian."""
        rows = QueryRows.of(y[:, 1])
        each = rank_slopes(
            np.ascontiguousarray(rows.sort(raw[:, 0])),
            np.ascontiguousarray(rows.sort(self.gain(y[:, 0]))),
            rows.offsets,
            swap=self.swap,
            sigma=self.sigma,
            truncation=self.truncation,
            normalise=self.normalise,
        )
        gradient, hessian = (rows.restore(slope)[:, np.newaxis] for slope in each)
        return gradient, hessian

    def value(self, y: Array, raw: Array) -> Array:
        """One minus the NDCG of every row's query."""
        gain, queries = self.gain(y[:, 0]), y[:, 1]
        found = discounted(gain, np.lexsort((-raw[:, 0], queries)), queries)
        ideal = discounted(gain, np.lexsort((-gain, queries)), queries)
        rows = QueryRows.of(queries)
        ratio = np.where(ideal > 0, found / np.where(ideal > 0, ideal, 1.0), 1.0)
        return rows.restore(np.repeat(1.0 - ratio, rows.sizes))

    def start(self, y: Array, weight: Array) -> Array:
        """Zero: only differences of scores matter."""
        return np.zeros(1)


def discounted(gain: Array, order: NDArray[np.intp], queries: NDArray[Any]) -> Array:
    """The discounted gain of every query, whose rows stand one after the other in `order`."""
    rows = QueryRows.of(queries[order])
    assert rows.order is None, "rows of a query must stand together"
    return np.asarray(np.add.reduceat(gain[order] * discounts(rows.places), rows.offsets[:-1]))
