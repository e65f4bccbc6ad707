"""Which members vote on a query, and with what weight.

Every function returns weights of shape (members, queries). Where nobody qualifies, the whole pool
votes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.data import DataError
from coterie.selection.competence import ola, rank
from coterie.selection.regions import Array, around, closeness, share, total

_ROUNDING = 1e-12


def best(competence: Any) -> Array:
    r"""All weight to the most competent member; the first one in case of ties.

    .. math:: w_t(x) = 1[t = \arg\max_s \delta_s(x)]

    Parameters
    ----------
    competence : array-like of shape (members, queries)
        Competences.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Woods, Kegelmeyer & Bowyer, "Combination of multiple classifiers using local accuracy
       estimates", IEEE Trans. Pattern Anal. Mach. Intell. 19 (1997).

    Examples
    --------
    >>> best([[0.5, 0.1], [0.5, 0.2]])
    array([[1., 0.],
           [0., 1.]])
    """
    given = np.asarray(competence, dtype=np.float64)
    weights = np.zeros(given.shape)
    # Competences that differ by rounding only are equal.
    first = (given >= given.max(axis=0) - _ROUNDING * np.abs(given).max(axis=0)).argmax(axis=0)
    weights[first, np.arange(given.shape[1])] = 1.0
    return weights


def near_best(competence: Any, margin: float = 0.1) -> Array:
    r"""One vote for each member that is almost as competent as the best.

    .. math:: w_t(x) = 1[\delta_t(x) \ge \max_s \delta_s(x) - m]

    A member that is better than all others by more than the margin decides alone.

    Parameters
    ----------
    competence : array-like of shape (members, queries)
        Competences.
    margin : float, default=0.1
        The margin :math:`m`.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Giacinto & Roli, "Methods for dynamic classifier selection", ICIAP (1999).

    Examples
    --------
    >>> near_best([[0.5, 0.1], [0.45, 0.9]])
    array([[1., 0.],
           [1., 1.]])
    """
    given = np.asarray(competence, dtype=np.float64)
    return np.asarray((given >= given.max(axis=0) - margin - _ROUNDING).astype(np.float64))


def or_all(weights: Any) -> Array:
    r"""The given weights; where all are zero, equal weights for all members.

    .. math:: w_t(x) \leftarrow 1 \text{ for all } t \text{ if } \sum_s w_s(x) = 0

    Parameters
    ----------
    weights : array-like of shape (members, queries)
        Weights >= 0.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Ko, Sabourin & Britto, "From dynamic classifier selection to dynamic ensemble
       selection", Pattern Recognition 41 (2008).

    Examples
    --------
    >>> or_all([[0, 2], [0, 0]])
    array([[1., 2.],
           [1., 0.]])
    """
    given = np.asarray(weights, dtype=np.float64)
    return np.where(given.sum(axis=0) > 0, given, 1.0)


def knora_e(hits: Any, neighbours: Any) -> Array:
    r"""KNORA-Eliminate: the members that are right about all of the nearest neighbours.

    The region shrinks until some member is right about all of it: those with the longest `rank`
    have one vote each [1]_,

    .. math:: w_t(x) = 1[\delta_t(x) = \max_s \delta_s(x)]

    and the whole pool votes where every member is wrong about the nearest neighbour.

    Parameters
    ----------
    hits : array-like of bool of shape (members, samples)
        Whether each member is right about each sample.
    neighbours : array-like of int of shape (queries, k)
        Samples near each query, nearest first.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Ko, Sabourin & Britto, "From dynamic classifier selection to dynamic ensemble
       selection", Pattern Recognition 41 (2008).

    Examples
    --------
    >>> knora_e([[1, 1, 0], [1, 1, 0], [1, 0, 1]], [[0, 1, 2]])
    array([[1.],
           [1.],
           [0.]])
    """
    runs = rank(hits, neighbours)
    return (runs == runs.max(axis=0)).astype(np.float64)


def knora_u(hits: Any, neighbours: Any, weights: Any = None) -> Array:
    r"""KNORA-Union: a vote for every neighbour that a member is right about.

    .. math:: w_t(x) = \sum_{j \in \theta(x)} c_{tj}

    Parameters
    ----------
    hits : array-like of bool of shape (members, samples)
        Whether each member is right about each sample.
    neighbours : array-like of int of shape (queries, k)
        Samples near each query.
    weights : array-like of shape (queries, k), optional
        Weight of each neighbour; equal by default.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Ko, Sabourin & Britto, "From dynamic classifier selection to dynamic ensemble
       selection", Pattern Recognition 41 (2008).

    Examples
    --------
    >>> knora_u([[1, 1, 0], [1, 0, 0]], [[0, 1, 2]])
    array([[2.],
           [1.]])
    """
    return or_all(total(around(hits, neighbours), weights))


def knora_w(hits: Any, neighbours: Any, distances: Any, weights: Any = None) -> Array:
    r"""KNORA-Union with neighbours weighted by distance.

    .. math:: w_t(x) = \sum_{j \in \theta(x)} c_{tj} / d_j

    Parameters
    ----------
    hits : array-like of bool of shape (members, samples)
        Whether each member is right about each sample.
    neighbours, distances : array-like of shape (queries, k)
        Neighbours of each query, and their distances.
    weights : array-like of shape (queries, k), optional
        Additional weight of each neighbour; equal by default.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Cruz, Sabourin & Cavalcanti, "Dynamic classifier selection: recent advances and
       perspectives", Information Fusion 41 (2018).

    Examples
    --------
    >>> knora_w([[1, 1], [0, 1]], [[0, 1]], [[0.5, 1.0]])
    array([[3.],
           [1.]])
    """
    near = closeness(distances)
    return knora_u(hits, neighbours, near if weights is None else near * np.asarray(weights))


def des_p(hits: Any, neighbours: Any, n_classes: int, weights: Any = None) -> Array:
    r"""DES-Performance: by how much a member beats chance near the query.

    .. math:: w_t(x) = \max(0, \delta_t(x) - 1/K)

    with the local accuracy :math:`\delta_t`, see `ola`, of K classes.

    Parameters
    ----------
    hits : array-like of bool of shape (members, samples)
        Whether each member is right about each sample.
    neighbours : array-like of int of shape (queries, k)
        Samples near each query.
    n_classes : int
        Number of classes K.
    weights : array-like of shape (queries, k), optional
        Weight of each neighbour; equal by default.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Woloszynski, Kurzynski, Podsiadlo & Stachowiak, "A measure of competence based on random
       classification for dynamic ensemble selection", Information Fusion 13 (2012).

    Examples
    --------
    >>> des_p([[1, 1, 1, 0], [0, 0, 0, 1]], [[0, 1, 2, 3]], 2)
    array([[0.25],
           [0.  ]])
    """
    if n_classes < 1:
        raise DataError(f"n_classes must be at least 1, not {n_classes}.")
    return or_all(np.maximum(ola(hits, neighbours, weights) - 1.0 / n_classes, 0.0))


def des_knn(
    hits: Any,
    neighbours: Any,
    weights: Any = None,
    *,
    accurate: float = 0.5,
    diverse: float = 0.3,
) -> Array:
    r"""DES-kNN: of the members most accurate near the query, the most diverse.

    First :math:`\lfloor aT \rfloor` members of the highest local accuracy; of these
    :math:`\lceil bT \rceil` with the smallest sums of double faults with the others [1]_,

    .. math:: D_t = \sum_{s \ne t} \sum_j (1 - c_{tj})(1 - c_{sj})

    They have one vote each. Ties go to the first member.

    Parameters
    ----------
    hits : array-like of bool of shape (members, samples)
        Whether each member is right about each sample.
    neighbours : array-like of int of shape (queries, k)
        Samples near each query.
    weights : array-like of shape (queries, k), optional
        Weight of each neighbour in the accuracy; equal by default.
    accurate, diverse : float, default=0.5, 0.3
        The shares :math:`a` and :math:`b` of the members; at least one member is taken.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Soares, Santana, Canuto & de Souto, "Using accuracy and diversity to select classifiers
       to build ensembles", IJCNN (2006).

    Examples
    --------
    >>> hits = [[1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, 0]]
    >>> des_knn(hits, [[0, 1, 2]], accurate=0.75, diverse=0.25).T
    array([[0., 0., 1., 0.]])
    """
    right = around(hits, neighbours)
    n_members = right.shape[2]
    first = max(1, int(accurate * n_members + 1e-9))
    second = min(first, max(1, int(np.ceil(diverse * n_members - 1e-9))))
    kept = _largest(share(right, weights), first)
    wrong = 1.0 - right
    # Sums over pairs need no pairs: faults of one times the faults of all others.
    shared = np.einsum("qkt,tq->qk", wrong, kept)
    faults = total(wrong, shared) - total(wrong)
    return _largest(np.where(kept > 0, -faults, -np.inf), second)


def des_mi(
    hits: Any,
    neighbours: Any,
    y: Any,
    weights: Any = None,
    *,
    counts: Any = None,
    share_kept: float = 0.4,
    scale: float = 0.9,
) -> Array:
    r"""DES-MI: the most accurate members, where neighbours of rare classes count more.

    .. math:: \delta_t(x) = \frac{\sum_j u_j c_{tj}}{\sum_j u_j}, \qquad
       u_j = \frac{1}{1 + e^{\alpha n(y_j)}}

    with the number :math:`n(y_j)` of samples of the same class. The best
    :math:`\lfloor aT \rfloor` members have one vote each [1]_.

    Parameters
    ----------
    hits : array-like of bool of shape (members, samples)
        Whether each member is right about each sample.
    neighbours : array-like of int of shape (queries, k)
        Samples near each query.
    y : array-like of int of shape (samples,)
        Classes of the samples.
    weights : array-like of shape (queries, k), optional
        Additional weight of each neighbour; equal by default.
    counts : array-like of shape (classes,), optional
        Number of samples of each class; by default those among the neighbours are counted, because
        with all samples, only the rarest class would have any weight.
    share_kept : float, default=0.4
        The share :math:`a` of the members that vote; at least one does.
    scale : float, default=0.9
        The factor :math:`\alpha`; 0 makes all neighbours equal.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] García, Zhang, Altalhi, Alshomrani & Herrera, "Dynamic ensemble selection for
       multi-class imbalanced datasets", Information Sciences 445 (2018).

    Examples
    --------
    >>> hits = [[1, 1, 0], [0, 0, 1]]  # the second knows the rare class
    >>> des_mi(hits, [[0, 1, 2]], [0, 0, 1]).T
    array([[0., 1.]])
    """
    right, near = around(hits, neighbours), np.asarray(y)[np.asarray(neighbours)]
    if counts is None:
        alike = np.zeros(near.shape)
        for k in range(near.shape[1]):
            alike += near == near[:, [k]]
    else:
        alike = np.asarray(counts, dtype=np.float64)[near]
    log_rarity = -np.logaddexp(0.0, scale * alike)
    # Divided by the largest, which changes no share: small ones would all be zero.
    rarity = np.exp(log_rarity - log_rarity.max(axis=1, keepdims=True))
    rarity = rarity if weights is None else rarity * np.asarray(weights)
    n_kept = max(1, int(share_kept * right.shape[2] + 1e-9))
    return _largest(share(right, rarity), n_kept)


def _largest(competence: Array, number: int) -> Array:
    """One vote for each of the `number` most competent members; in case of ties, the first."""
    order = np.argsort(-np.round(competence, 12), axis=0, kind="stable")[:number]
    weights = np.zeros(competence.shape)
    np.put_along_axis(weights, order, 1.0, axis=0)
    return weights
