"""How good rankings are: means over queries of what is found near the top."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError
from coterie.losses.lambda_rank import QueryRows, discounts

Array = NDArray[np.float64]
Gain = Literal["exponential", "linear"]


def ndcg(
    y_true: Any,
    y_score: Any,
    groups: Any = None,
    *,
    k: int | None = None,
    gain: Gain | Any = "exponential",
    ties: Literal["order", "average"] = "order",
    empty: float | None = 1.0,
    sample_weight: Any = None,
) -> float:
    r"""Normalised discounted cumulative gain, averaged over queries.

    The gain :math:`2^y - 1` of the document at place p (from 0) counts :math:`1 / \log_2(2 + p)`;
    the sum is divided by that of the best order.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Grades, the higher the better.
    y_score : array-like of shape (n_samples,)
        Scores by which documents are ranked.
    groups : array-like of shape (n_samples,), optional
        The query of every document; by default all belong to one query.
    k : int, optional
        Only this many first positions count.
    gain : {"exponential", "linear"} or array-like, default="exponential"
        The gain of a grade: :math:`2^y - 1`, the grade itself, or the entry of an array.
    ties : {"order", "average"}, default="order"
        Documents with equal scores keep their order, or are averaged over all orders, as in
        `sklearn.metrics.ndcg_score`.
    empty : float or None, default=1.0
        Score of a query in which all gains are zero; None excludes such queries.
    sample_weight : array-like of shape (n_samples,), optional
        The weight of a query is the mean weight of its documents.

    Returns
    -------
    float

    Examples
    --------
    >>> round(ndcg([1, 3, 0, 2], [0.5, -0.2, 0.3, 0.1]), 6)
    0.587124
    >>> round(ndcg([1, 3, 0, 2], [0.5, -0.2, 0.3, 0.1], gain="linear"), 6)
    0.691333
    """
    grades, scores, queries, weight = _read(y_true, y_score, groups, sample_weight)
    worth = gains_of(grades, gain)

    def found(gains: Array, by: Array) -> Array:
        ranked = _Ranked(gains, by, queries)
        each = ranked.tied_means() if ties == "average" else ranked.values
        counts = discounts(ranked.rows.places)
        if k is not None:
            counts = np.where(ranked.rows.places < k, counts, 0.0)
        return ranked.sums(each * counts)

    ideal = found(worth, worth)
    ratio = np.divide(found(worth, scores), ideal, out=np.ones_like(ideal), where=ideal > 0)
    return _mean(ratio, ideal > 0, empty, queries, weight)


def mean_average_precision(
    y_true: Any,
    y_score: Any,
    groups: Any = None,
    *,
    k: int | None = None,
    empty: float | None = 1.0,
    sample_weight: Any = None,
) -> float:
    """Mean average precision: the mean over queries of the average precision.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Grades; documents above 0 are relevant.
    y_score : array-like of shape (n_samples,)
        Scores by which documents are ranked; ties keep their order.
    groups : array-like of shape (n_samples,), optional
        The query of every document; by default all belong to one query.
    k : int, optional
        Only this many first positions count.
    empty : float or None, default=1.0
        Score of a query without relevant documents; None excludes such queries.
    sample_weight : array-like of shape (n_samples,), optional
        The weight of a query is the mean weight of its documents.

    Returns
    -------
    float

    Examples
    --------
    >>> mean_average_precision([1, 0, 1], [3, 2, 1])
    0.8333333333333333
    """
    grades, scores, queries, weight = _read(y_true, y_score, groups, sample_weight)
    ranked = _Ranked((grades > 0).astype(np.float64), scores, queries)
    hits, places = ranked.running(ranked.values), ranked.rows.places
    inside = ranked.values if k is None else ranked.values * (places < k)
    found = ranked.sums(inside * hits / (places + 1))
    number = ranked.sums(ranked.values)
    wanted = number if k is None else np.minimum(number, k)
    ratio = np.divide(found, wanted, out=np.ones_like(found), where=number > 0)
    return _mean(ratio, number > 0, empty, queries, weight)


def mean_reciprocal_rank(
    y_true: Any,
    y_score: Any,
    groups: Any = None,
    *,
    k: int | None = None,
    empty: float | None = 1.0,
    sample_weight: Any = None,
) -> float:
    """Mean reciprocal rank: the mean over queries of 1 / rank of the first relevant document.

    Parameters
    ----------
    y_true, y_score, groups : array-like of shape (n_samples,)
        As for `mean_average_precision`.
    k : int, optional
        Only this many first positions count.
    empty : float or None, default=1.0
        Score of a query without relevant documents; None excludes such queries.
    sample_weight : array-like of shape (n_samples,), optional
        The weight of a query is the mean weight of its documents.

    Returns
    -------
    float

    Examples
    --------
    >>> mean_reciprocal_rank([0, 1, 1], [3, 2, 1])
    0.5
    """
    grades, scores, queries, weight = _read(y_true, y_score, groups, sample_weight)
    ranked = _Ranked((grades > 0).astype(np.float64), scores, queries)
    places = ranked.rows.places
    first = ranked.values * (ranked.running(ranked.values) == 1)
    if k is not None:
        first = first * (places < k)
    some = ranked.sums(ranked.values) > 0
    return _mean(ranked.sums(first / (places + 1)), some, empty, queries, weight)


def expected_reciprocal_rank(
    y_true: Any,
    y_score: Any,
    groups: Any = None,
    *,
    k: int | None = None,
    highest: float | None = None,
    sample_weight: Any = None,
) -> float:
    r"""Mean over queries of the expected reciprocal rank at which a reader is satisfied.

    A document of grade y satisfies with probability :math:`(2^y - 1) / 2^{y_{max}}`; otherwise
    the reader goes on to the next.

    Parameters
    ----------
    y_true, y_score, groups : array-like of shape (n_samples,)
        As for `ndcg`.
    k : int, optional
        Only this many first positions count.
    highest : float, optional
        The highest grade there is; by default the highest in `y_true`.
    sample_weight : array-like of shape (n_samples,), optional
        The weight of a query is the mean weight of its documents.

    Returns
    -------
    float

    References
    ----------
    .. [1] Chapelle, Metzler, Zhang & Grinspan, "Expected reciprocal rank for graded relevance",
       CIKM (2009).

    Examples
    --------
    >>> expected_reciprocal_rank([1, 0], [2, 1])
    0.5
    """
    grades, scores, queries, weight = _read(y_true, y_score, groups, sample_weight)
    most = grades.max() if highest is None else highest
    ranked = _Ranked((np.exp2(grades) - 1.0) / np.exp2(most), scores, queries)
    places = ranked.rows.places
    refused = np.log1p(-ranked.values)
    going_on = np.exp(ranked.running(refused) - refused)
    each = ranked.values * going_on / (places + 1)
    if k is not None:
        each = each * (places < k)
    return _mean(ranked.sums(each), None, None, queries, weight)


#: Measures by name, as early stopping knows them; "ndcg@5" counts five places.
METRICS: dict[str, Callable[..., float]] = {
    "ndcg": ndcg,
    "map": mean_average_precision,
    "mrr": mean_reciprocal_rank,
    "err": expected_reciprocal_rank,
}


def gains_of(grades: Array, gain: Any) -> Array:
    """What grades are worth."""
    if isinstance(gain, str):
        if gain not in ("exponential", "linear"):
            raise ValueError(
                f"gain={gain!r} is not allowed; use 'exponential', 'linear' or an array of gains."
            )
        return np.exp2(grades) - 1.0 if gain == "exponential" else grades
    table = np.asarray(gain, dtype=np.float64)
    if grades.max(initial=0) >= len(table):
        raise ValueError(
            f"gain has {len(table)} entries, but there is a grade {grades.max():g}. Pass one "
            "entry for every grade from 0."
        )
    return np.asarray(table[grades.astype(np.intp)])


class _Ranked:
    """Values of documents in the order of queries and, within them, of falling scores."""

    def __init__(self, values: Array, scores: Array, queries: NDArray[np.intp]) -> None:
        order = np.lexsort((-scores, queries))
        self.values, self.scores = values[order], scores[order]
        self.queries = queries[order]
        self.rows = QueryRows.of(self.queries)

    def sums(self, values: Array) -> Array:
        """Sums over each query."""
        return np.asarray(np.add.reduceat(values, self.rows.offsets[:-1]))

    def running(self, values: Array) -> Array:
        """Sums over each query up to and with each place."""
        every = np.cumsum(values)
        before = np.concatenate([[0.0], every])[self.rows.offsets[:-1]]
        return np.asarray(every - np.repeat(before, self.rows.sizes))

    def tied_means(self) -> Array:
        """Values, averaged over documents of one score."""
        same = (self.scores[1:] == self.scores[:-1]) & (self.queries[1:] == self.queries[:-1])
        ties = np.cumsum(np.concatenate([[True], ~same])) - 1
        means = np.bincount(ties, self.values) / np.bincount(ties)
        return np.asarray(means[ties])


def _read(
    y_true: Any, y_score: Any, groups: Any, sample_weight: Any
) -> tuple[Array, Array, NDArray[np.intp], Array | None]:
    grades = np.asarray(y_true, dtype=np.float64)
    scores = np.asarray(y_score, dtype=np.float64)
    labels = np.zeros(len(grades)) if groups is None else np.asarray(groups)
    if not grades.shape == scores.shape == labels.shape or grades.ndim != 1 or not len(grades):
        raise DataError(
            f"y_true, y_score and groups have shapes {grades.shape}, {scores.shape} and "
            f"{labels.shape}; pass one number or label per document, for at least one document."
        )
    if not (np.isfinite(grades).all() and not np.isnan(scores).any()):
        raise DataError(
            "Grades or scores contain NaN or infinity. Pass a finite number for every document."
        )
    queries = np.unique(labels, return_inverse=True)[1]
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return grades, scores, queries, weight


def _mean(
    each: Array,
    some: NDArray[np.bool_] | None,
    empty: float | None,
    queries: NDArray[np.intp],
    weight: Array | None,
) -> float:
    """The weighted mean over queries, of which `some` are not empty."""
    sizes = np.bincount(queries)
    mass = np.ones(len(sizes)) if weight is None else np.bincount(queries, weight) / sizes
    if some is not None and empty is None:
        each, mass = each[some], mass[some]
    elif some is not None and empty is not None:
        each = np.where(some, each, empty)
    return float(np.average(each, weights=mass)) if mass.sum() > 0 else float("nan")
