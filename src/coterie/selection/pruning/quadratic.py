"""The subset of least quadratic cost: pruning as an integer programme."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from coterie.data.outputs import numbers_of
from coterie.selection.pruning.ballots import Array, Ballot, Ints, first_least
from coterie.selection.pruning.gasen import number_products
from coterie.selection.pruning.numbers import Answers

_ENUMERATED = 18  # members of which all subsets are looked at
_TINY = 1e-12


def pair_costs(votes: Any, truth: Any, *, sample_weight: Any = None) -> Array:
    r"""Costs of single members and of pairs, for `least_subset`.

    .. math:: G_{tt} = \epsilon_t, \qquad G_{st} = \frac12 \Big(\frac{g_{st}}{g_{ss}} +
        \frac{g_{st}}{g_{tt}}\Big)

    where :math:`g_{st}` is the number of samples that both misclassify: accurate members with
    errors on different samples have low joint costs.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, None or NaN where there is no vote; or votes for each class.
    truth : array-like of shape (samples,)
        True labels; positions of classes if votes are for each class.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of shape (members, members)

    References
    ----------
    .. [1] Zhang, Burer & Street, "Ensemble pruning via semi-definite programming", J. Mach. Learn.
       Res. 7 (2006).

    Examples
    --------
    >>> pair_costs([list("aab"), list("abb")], list("aaa")).round(3)
    array([[0.333, 0.75 ],
           [0.75 , 0.667]])
    """
    ballot = Ballot.read(votes, truth, sample_weight)
    heard = ballot.heard.astype(np.float64)
    wrong = heard * ~ballot.hits
    both = (wrong * ballot.row) @ wrong.T
    # Errors of the row's member on the samples that the column's speaks about too.
    alone = (wrong * ballot.row) @ heard.T
    share = np.divide(both, alone, out=np.zeros_like(both), where=alone > 0)
    costs = (share + share.T) / 2
    np.fill_diagonal(costs, np.minimum(ballot.errors, 1.0))
    return costs


def least_subset(costs: Any, size: int) -> Ints:
    r"""The given number of members that minimise :math:`x^T G x`.

    .. math:: \min_x x^T G x \quad \text{with} \quad x \in \{0, 1\}^T, \; \sum_t x_t = k

    With at most 18 members, all subsets are tried. With more, the problem is solved for :math:`0
    \le x_t \le 1`, rounded to the k largest, and improved by swapping members as long as that
    helps: a local optimum.

    Parameters
    ----------
    costs : array-like of shape (members, members)
        The symmetric matrix G, see `pair_costs`.
    size : int
        The number k.

    Returns
    -------
    ndarray of int of shape (size,)
        Members in increasing order.

    References
    ----------
    .. [1] Zhang, Burer & Street, "Ensemble pruning via semi-definite programming", J. Mach. Learn.
       Res. 7 (2006).

    Examples
    --------
    >>> least_subset([[0.3, 0.9, 0.1], [0.9, 0.2, 0.4], [0.1, 0.4, 0.5]], 2)
    array([0, 2])
    """
    matrix = numbers_of(costs, "costs", (2,))
    n_members = len(matrix)
    if not 1 <= size <= n_members:
        raise ValueError(f"size={size} must be from 1 to {n_members}.")
    if n_members <= _ENUMERATED:
        every = np.array(list(combinations(range(n_members), size)), dtype=np.intp)
        values = matrix[every[:, :, None], every[:, None, :]].sum(axis=(1, 2))
        return np.asarray(every[first_least(values)])
    kept = np.sort(np.argsort(-_relaxed(matrix, size), kind="stable")[:size])
    return _exchanged(matrix, kept)


def _relaxed(matrix: Array, size: int, rounds: int = 50) -> Array:
    """Shares from zero to one that add up to `size`, after some steps down the form."""
    step = 1.0 / max(2 * float(np.abs(matrix).sum(axis=1).max()), _TINY)
    shares = np.full(len(matrix), size / len(matrix))
    for _ in range(rounds):
        moved = _capped(shares - step * 2 * (matrix @ shares), size)
        done = np.abs(moved - shares).max() < 1e-6
        shares = moved
        if done:
            break
    return shares


def _capped(point: Array, size: int) -> Array:
    """The nearest shares from zero to one that add up to `size`."""
    # Their sum falls with what is taken off, in straight pieces between these points.
    bends = np.sort(np.concatenate([point - 1.0, point]))
    sums = np.clip(point - bends[:, None], 0.0, 1.0).sum(axis=1)
    return np.clip(point - np.interp(-size, -sums, bends), 0.0, 1.0)


def _exchanged(matrix: Array, kept: Ints) -> Ints:
    """Exchange a member for one outside while the form becomes smaller by it."""
    inside = np.zeros(len(matrix), dtype=bool)
    inside[kept] = True
    for _ in range(10 * len(matrix)):
        pull = 2 * matrix[:, inside].sum(axis=1)
        out, into = np.flatnonzero(inside), np.flatnonzero(~inside)
        if not len(into):
            break
        leave = matrix.diagonal()[out] - pull[out]
        enter = matrix.diagonal()[into] + pull[into]
        change = leave[:, None] + enter - 2 * matrix[np.ix_(out, into)]
        best = first_least(change.ravel())
        if change.ravel()[best] >= -_TINY:
            break
        inside[out[best // len(into)]], inside[into[best % len(into)]] = False, True
    return np.flatnonzero(inside)


def quadratic_subsets(
    votes: Any, truth: Any, *, sample_weight: Any = None, sizes: Sequence[int] | None = None
) -> list[Ints]:
    r"""`least_subset` of the `pair_costs` for several sizes.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, None or NaN where there is no vote; or votes for each class.
    truth : array-like of shape (samples,)
        True labels; positions of classes if votes are for each class.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    sizes : sequence of int, optional
        Sizes to compute; by default about thirty, denser for small sizes.

    Returns
    -------
    list of ndarray of int

    References
    ----------
    .. [1] Zhang, Burer & Street, "Ensemble pruning via semi-definite programming", J. Mach. Learn.
       Res. 7 (2006).

    Examples
    --------
    >>> quadratic_subsets([list("aab"), list("aab"), list("bba")], list("aaa"), sizes=[1, 2])
    [array([0]), array([0, 2])]
    """
    costs = pair_costs(votes, truth, sample_weight=sample_weight)
    return [least_subset(costs, size) for size in some_sizes(len(costs), sizes)]


def quadratic_numbers_subsets(
    votes: Any, truth: Any, *, sample_weight: Any = None, sizes: Sequence[int] | None = None
) -> list[Ints]:
    r"""`least_subset` for regression: minimises the squared error of the plain mean.

    .. math:: \min_{|S| = k} \frac{1}{k^2} \sum_{s, t \in S} C_{st}

    Parameters
    ----------
    votes : array-like of shape (members, samples)
        Predictions of the members, NaN where there are none.
    truth : array-like of shape (samples,)
        True numbers.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    sizes : sequence of int, optional
        Sizes to compute; by default about thirty, denser for small sizes.

    Returns
    -------
    list of ndarray of int

    References
    ----------
    .. [1] Zhang, Burer & Street, "Ensemble pruning via semi-definite programming", J. Mach. Learn.
       Res. 7 (2006).

    Examples
    --------
    >>> quadratic_numbers_subsets([[2.0, 3.0], [0.0, 1.0], [5.0, 5.0]], [1.0, 2.0], sizes=[2])
    [array([0, 1])]
    """
    costs = number_products(Answers.read(votes, truth, sample_weight))
    return [least_subset(costs, size) for size in some_sizes(len(costs), sizes)]


def some_sizes(n_members: int, sizes: Sequence[int] | None) -> list[int]:
    """The sizes asked for, or a ladder from one to all."""
    if sizes is not None:
        return [int(size) for size in sizes]
    ladder = np.geomspace(1, n_members, min(n_members, 30)).round().astype(int)
    return sorted({int(size) for size in ladder})
