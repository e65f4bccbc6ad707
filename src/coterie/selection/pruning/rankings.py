"""Orders that look at every member once: rankings."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from coterie.selection.pruning.ballots import Array, Ballot, Ints, by_score

_TINY = 1e-12
_FLOOR = 0.01  # margins count at least this


def accuracy_order(votes: Any, truth: Any, *, sample_weight: Any = None) -> Ints:
    r"""The most accurate members first, regardless of the others.

    .. math:: \epsilon_t = \frac1n \sum_i 1[h_t(x_i) \ne y_i]

    A baseline for the other orders: accurate members that make the same predictions add little.

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
    .. [1] Zhou, "Ensemble methods: foundations and algorithms" (2012), chapter 6.

    Examples
    --------
    >>> accuracy_order([list("abb"), list("aab")], list("aaa"))
    array([1, 0])
    """
    return by_score(Ballot.read(votes, truth, sample_weight).errors)


def kappa_order(votes: Any, truth: Any, *, sample_weight: Any = None) -> Ints:
    r"""Pairs with the lowest agreement first.

    Pairs are taken in order of increasing :math:`\kappa` of their labels, and from each the members
    that are new, the better one first. Accuracy plays no other part: with members of unequal
    quality, the worst ones agree least with the rest.

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
    .. [1] Margineantu & Dietterich, "Pruning adaptive boosting", ICML (1997).

    Examples
    --------
    >>> kappa_order([list("aabb"), list("aabb"), list("bbaa")], list("aaba"))
    array([0, 2, 1])
    """
    ballot = Ballot.read(votes, truth, sample_weight)
    n_members, errors = len(ballot.labels), ballot.errors
    first, second = np.triu_indices(n_members, 1)
    pairs = by_score(heard_kappa(ballot)[first, second]) if len(first) else first
    swapped = errors[second] < errors[first] - _TINY
    ahead, behind = np.where(swapped, second, first), np.where(swapped, first, second)
    met = np.column_stack([ahead[pairs], behind[pairs]]).ravel()
    met = np.append(met, np.arange(n_members))  # a single member is in no pair
    return met[np.sort(np.unique(met, return_index=True)[1])]


def heard_kappa(ballot: Ballot) -> Array:
    """Kappa of labels on the samples that both of a pair speak about; 1 where it is undefined."""
    heard = ballot.heard.astype(np.float64)
    total = (heard * ballot.row) @ heard.T
    same, chance = np.zeros_like(total), np.zeros_like(total)
    for k in range(ballot.n_classes):
        said = (ballot.labels == k).astype(np.float64)
        same += (said * ballot.row) @ said.T
        beside = (said * ballot.row) @ heard.T  # how often the first says k where both speak
        chance += beside * beside.T
    safe = np.where(total > 0, total, 1.0)
    expected = chance / safe**2
    room = 1.0 - expected
    defined = (total > 0) & (room > _TINY)
    return np.where(defined, (same / safe - expected) / np.where(defined, room, 1.0), 1.0)


class Orientation(NamedTuple):
    """Result of `orientation`: the angles of the members' signatures.

    Parameters
    ----------
    angles : ndarray of shape (members,)
        Angle of each signature with the reference, in degrees; NaN if there is no reference.
    reference : ndarray of shape (samples,)
        The direction that corrects the full vote.

    Examples
    --------
    >>> orientation([list("aab"), list("bba")], list("aab")).reference
    array([1., 1., 1.])
    """

    angles: Array
    reference: Array


def orientation(votes: Any, truth: Any, *, sample_weight: Any = None) -> Orientation:
    r"""Angles between the members' signatures and the direction that corrects the full vote.

    .. math:: c = 1 + \lambda \bar s, \qquad \lambda = -\frac{1^T \bar s}{\lVert \bar s \rVert^2}

    is the component of the diagonal (all samples right) that is orthogonal to the mean signature
    :math:`\bar s` of all members. If the mean signature lies on the diagonal, there is no such
    direction.

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
    Orientation

    References
    ----------
    .. [1] Martínez-Muñoz & Suárez, "Pruning in ordered bagging ensembles", ICML (2006).

    Examples
    --------
    >>> orientation([list("aab"), list("aba")], list("aaa")).angles.round(1)
    array([90., 90.])
    """
    ballot = Ballot.read(votes, truth, sample_weight)
    signs, row = ballot.signs, ballot.row
    mean = signs.sum(axis=0) / ballot.voters
    length = float(mean**2 @ row)
    pull = -float(mean @ row) / length if length > _TINY else 0.0
    reference = 1.0 + pull * mean
    if reference**2 @ row <= _TINY:
        return Orientation(np.full(len(signs), np.nan), np.zeros(len(row)))
    spans = np.sqrt((ballot.heard @ row) * (ballot.heard @ (row * reference**2)))
    cosines = np.divide(signs @ (row * reference), spans, out=-np.ones(len(signs)), where=spans > 0)
    return Orientation(np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))), reference)


def orientation_order(votes: Any, truth: Any, *, sample_weight: Any = None) -> Ints:
    r"""Members by the angle between their signature and the direction that corrects the full vote.

    See `orientation`. Where there is no such direction, the most accurate come first.

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
    .. [1] Martínez-Muñoz & Suárez, "Pruning in ordered bagging ensembles", ICML (2006).

    Examples
    --------
    >>> orientation_order([list("aaab"), list("aabb"), list("bbaa")], list("aaaa"))
    array([2, 0, 1])
    """
    angles = orientation(votes, truth, sample_weight=sample_weight).angles
    if np.isnan(angles).any():
        return accuracy_order(votes, truth, sample_weight=sample_weight)
    return by_score(angles)


def margin_diversity_order(
    votes: Any, truth: Any, *, sample_weight: Any = None, alpha: float = 0.2
) -> Ints:
    r"""Members that are right where the full vote is close come first.

    .. math:: -\sum_{i : h_t(x_i) = y_i} \alpha \ln \frac{|v_y - v_o|}{T} + (1 - \alpha)
        \ln \frac{v_y}{T}

    where :math:`v_y` are the votes for the true class and :math:`v_o` the most for another one;
    margins below 0.01 count as 0.01. Both logarithms are negative, so larger is better.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, None or NaN where there is no vote; or votes for each class.
    truth : array-like of shape (samples,)
        True labels; positions of classes if votes are for each class.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    alpha : float, default=0.2
        Weight of the margins relative to the votes for the true class.

    Returns
    -------
    ndarray of int of shape (members,)

    References
    ----------
    .. [1] Guo, Liu, Li, Wang, Wang & Zhang, "Margin & diversity based ordering ensemble pruning",
       Neurocomputing 275 (2018).

    Examples
    --------
    >>> margin_diversity_order([list("aab"), list("aab"), list("bba")], list("aaa"))
    array([2, 0, 1])
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha={alpha!r} must be from 0 to 1.")
    ballot = Ballot.read(votes, truth, sample_weight)
    return by_score(-margin_diversity(ballot, alpha))


def margin_diversity(ballot: Ballot, alpha: float) -> Array:
    """The scores of `margin_diversity_order`."""
    counts = np.stack([(ballot.labels == k).sum(axis=0) for k in range(ballot.n_classes)], axis=1)
    rows, voters = np.arange(len(ballot.truth)), ballot.voters
    own = counts[rows, ballot.truth].astype(np.float64)
    counts[rows, ballot.truth] = 0
    margin = np.maximum(np.abs(own - counts.max(axis=1)) / voters, _FLOOR)
    worth = alpha * np.log(margin) + (1 - alpha) * np.log(np.maximum(own, 1.0) / voters)
    return -np.asarray(ballot.hits @ (worth * ballot.row)) * len(rows)
