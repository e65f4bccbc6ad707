"""Orders that grow a sub-ensemble one member at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from coterie.selection.pruning.ballots import Array, Ballot, Ints, Tally, first_least


def grow(n_members: int, choose: Callable[[Ints], int]) -> Ints:
    """All members, each chosen among those that are left.

    Parameters
    ----------
    n_members : int
        How many there are.
    choose : callable
        From the members that are left, in their own order, to the position of the next one.
    """
    left, order = np.arange(n_members), np.empty(n_members, dtype=np.intp)
    for place in range(n_members):
        at = choose(left)
        order[place], left = left[at], np.delete(left, at)
    return order


def reduced_error_order(
    votes: Any, truth: Any, *, sample_weight: Any = None, member_weight: Any = None
) -> Ints:
    r"""At each step, the member that gives the vote the lowest error.

    .. math:: t_{u+1} = \arg\min_k \frac1n \sum_i \ell_i(S_u \cup \{k\})

    where :math:`\ell_i` is 0 if the true class has most votes, 1 if another has, and :math:`1 -
    1/m` if it is among m that are tied. In case of ties, the first member.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, None or NaN where there is no vote; or votes for each class, NaN where there are
        none, of which the largest counts.
    truth : array-like of shape (samples,)
        True labels; positions of classes if votes are for each class.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    member_weight : array-like of shape (members,), optional
        Weights of the votes, for boosted members.

    Returns
    -------
    ndarray of int of shape (members,)
        Members, in the order in which they are kept.

    References
    ----------
    .. [1] Margineantu & Dietterich, "Pruning adaptive boosting", ICML (1997).
    .. [2] Martínez-Muñoz, Hernández-Lobato & Suárez, "An analysis of ensemble pruning techniques
       based on ordered aggregation", IEEE Trans. Pattern Anal. Mach. Intell. 31 (2009).

    Examples
    --------
    >>> reduced_error_order([list("aab"), list("baa"), list("abb")], list("aaa"))
    array([0, 1, 2])
    """
    ballot = Ballot.read(votes, truth, sample_weight, member_weight)
    tally = Tally(ballot)

    def choose(left: Ints) -> int:
        at = first_least(tally.errors_with(left))
        tally.add(int(left[at]))
        return at

    return grow(len(ballot.labels), choose)


def complementarity_order(
    votes: Any, truth: Any, *, sample_weight: Any = None, member_weight: Any = None
) -> Ints:
    r"""At each step, the member most often right where the vote so far is wrong.

    .. math:: t_{u+1} = \arg\max_k \sum_i 1[h_k(x_i) = y_i] \, \ell_i(S_u)

    with the losses of `reduced_error_order`. The first is the most accurate one.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, None or NaN where there is no vote; or votes for each class.
    truth : array-like of shape (samples,)
        True labels; positions of classes if votes are for each class.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    member_weight : array-like of shape (members,), optional
        Weights of the votes, for boosted members.

    Returns
    -------
    ndarray of int of shape (members,)

    References
    ----------
    .. [1] Martínez-Muñoz & Suárez, "Aggregation ordering in bagging", IASTED International
       Conference on Artificial Intelligence and Applications (2004).

    Examples
    --------
    >>> complementarity_order([list("aab"), list("aab"), list("bba")], list("aaa"))
    array([0, 2, 1])
    """
    ballot = Ballot.read(votes, truth, sample_weight, member_weight)
    tally, hits, errors = Tally(ballot), ballot.hits.astype(np.float64), ballot.errors

    def choose(left: Ints) -> int:
        begun = len(left) < len(hits)
        helped = -(hits[left] @ (ballot.row * tally.losses)) if begun else errors[left]
        at = first_least(helped)
        tally.add(int(left[at]))
        return at

    return grow(len(ballot.labels), choose)


def margin_distance_order(
    votes: Any,
    truth: Any,
    *,
    sample_weight: Any = None,
    aim: float | Literal["moving"] = 0.075,
) -> Ints:
    r"""At each step, the member that brings the mean signature closest to a point of small margins.

    .. math:: t_{u+1} = \arg\min_k \Big\lVert p 1 - \frac1T \Big(\sum_{t \in S_u} s_t + s_k\Big)
        \Big\rVert^2

    where :math:`s_{ti}` is 1 if member t is right about sample i and -1 if not. The sum is divided
    by the number of all members, or of those that vote on the sample. The target p is small, so
    samples that are already right have no further influence.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, None or NaN where there is no vote; or votes for each class.
    truth : array-like of shape (samples,)
        True labels; positions of classes if votes are for each class.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    aim : float or "moving", default=0.075
        The target margin p; "moving" uses :math:`2 \sqrt{2u} / T` for the u-th.

    Returns
    -------
    ndarray of int of shape (members,)

    References
    ----------
    .. [1] Martínez-Muñoz & Suárez, "Pruning in ordered bagging ensembles", ICML (2006).

    Examples
    --------
    >>> margin_distance_order([list("aab"), list("aab"), list("bba")], list("aaa"), aim=0.2)
    array([0, 2, 1])
    """
    if aim != "moving" and not 0 < aim < 1:
        raise ValueError(f'aim={aim!r} must be between 0 and 1, or "moving".')
    ballot = Ballot.read(votes, truth, sample_weight)
    shares = ballot.signs / ballot.voters
    lengths, n_members = shares**2 @ ballot.row, len(shares)
    sums: Array = np.zeros(shares.shape[1])

    def choose(left: Ints) -> int:
        place = n_members - len(left) + 1
        point = 2 * np.sqrt(2 * place) / n_members if aim == "moving" else aim
        gap = point - sums
        # |gap - s|² less |gap|², which is the same for all.
        at = first_least(lengths[left] - 2 * (shares[left] @ (ballot.row * gap)))
        sums[:] += shares[left[at]]
        return at

    return grow(n_members, choose)


def boosting_order(votes: Any, truth: Any, *, sample_weight: Any = None) -> Ints:
    r"""At each step, the member with the lowest error under AdaBoost's sample weights.

    .. math:: \epsilon_k = \frac{\sum_i w_i 1[h_k(x_i) \ne y_i]}{\sum_i w_i}, \qquad
        w_i \leftarrow \frac{w_i}{2 \epsilon} \text{ where wrong, }
        \frac{w_i}{2 (1 - \epsilon)} \text{ where right}

    Weights are reset when no remaining member is better than chance, and after a member without
    errors. The members that are kept have equal votes.

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
    ndarray of int of shape (members,)

    References
    ----------
    .. [1] Martínez-Muñoz & Suárez, "Using boosting to prune bagging ensembles", Pattern
       Recognition Letters 28 (2007).

    Examples
    --------
    >>> boosting_order([list("aaab"), list("aabb"), list("bbaa")], list("aaaa"))
    array([0, 2, 1])
    """
    ballot = Ballot.read(votes, truth, sample_weight)
    heard = ballot.heard.astype(np.float64)
    wrong = heard * ~ballot.hits
    weight = ballot.row.copy()

    def errors(left: Ints) -> Array:
        said = heard[left] @ weight
        return np.divide(wrong[left] @ weight, said, out=np.ones(len(left)), where=said > 0)

    def choose(left: Ints) -> int:
        found = errors(left)
        if found.min() >= 0.5:
            weight[:] = ballot.row
            found = errors(left)
        at = first_least(found)
        member, error = left[at], float(found[at])
        if error <= 0:
            weight[:] = ballot.row
        elif error < 0.5:
            factor = np.where(wrong[member] > 0, 1 / (2 * error), 1 / (2 * (1 - error)))
            weight[:] *= np.where(heard[member] > 0, factor, 1.0)
            weight[:] /= weight.sum()
        return at

    return grow(len(heard), choose)
