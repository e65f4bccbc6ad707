"""How much two clusterings, or a consensus and its members, have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from coterie.clustering.labellings import Codes, Labellings, contingency

Array = NDArray[np.float64]


def nmi_of(table: Array) -> float:
    """Normalised mutual information of a contingency table, 0 if either has one cluster."""
    total = table.sum()
    if total <= 0:
        return 0.0
    share = table / total
    first, second = (float(entr(share.sum(axis=axis)).sum()) for axis in (1, 0))
    if first <= 1e-15 or second <= 1e-15:
        return 0.0
    mutual = first + second - float(entr(share).sum())
    return float(np.clip(mutual / np.sqrt(first * second), 0.0, 1.0))


def _pair(first: ArrayLike, second: ArrayLike) -> Array:
    read = [Labellings.read(np.asarray(labels)[None, :]) for labels in (first, second)]
    codes = [found.codes[0][places] for found, places in read]
    if len(codes[0]) != len(codes[1]):
        raise ValueError(
            f"Both labellings must have the same rows, but have {len(codes[0])} and "
            f"{len(codes[1])}."
        )
    return contingency(codes[0], codes[1], (read[0][0].sizes[0], read[1][0].sizes[0]))


def nmi(first: ArrayLike, second: ArrayLike) -> float:
    r"""Normalised mutual information of two clusterings, :math:`I(a; b) / \sqrt{H(a) H(b)}`.

    Parameters
    ----------
    first, second : array-like of int of shape (n_rows,)
        Clusters; rows that are negative in either are excluded.

    Returns
    -------
    float
        Between 0 and 1; 0 if one of them has a single cluster.

    Examples
    --------
    >>> nmi([0, 0, 1, 1], [5, 5, 3, 3]), nmi([0, 0, 1, 1], [0, 1, 0, 1])
    (1.0, 0.0)
    """
    return nmi_of(_pair(first, second))


def adjusted_rand(first: ArrayLike, second: ArrayLike) -> float:
    """Share of pairs of rows that two clusterings agree on, corrected for chance.

    Parameters
    ----------
    first, second : array-like of int of shape (n_rows,)
        Clusters; rows that are negative in either are excluded.

    Returns
    -------
    float
        1 if they are the same, about 0 if they have nothing in common.

    Examples
    --------
    >>> adjusted_rand([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    table = _pair(first, second)
    pairs = [float((part * (part - 1) / 2).sum()) for part in (table, table.sum(1), table.sum(0))]
    total = table.sum() * (table.sum() - 1) / 2
    expected = pairs[1] * pairs[2] / total if total else 0.0
    most = (pairs[1] + pairs[2]) / 2
    return 1.0 if most == expected else float((pairs[0] - expected) / (most - expected))


def member_nmi(labellings: Labellings) -> Array:
    """Normalised mutual information of all pairs of members.

    Parameters
    ----------
    labellings : Labellings
        The members.

    Returns
    -------
    ndarray of shape (n_members, n_members)
        Ones on the diagonal.
    """
    found = np.eye(labellings.n_members)
    codes, sizes = labellings.codes, labellings.sizes
    for q in range(labellings.n_members):
        for s in range(q):
            table = contingency(codes[q], codes[s], (sizes[q], sizes[s]), labellings.counts)
            found[q, s] = found[s, q] = nmi_of(table)
    return found


def anmi_of(consensus: Codes, labellings: Labellings) -> float:
    """Mean normalised mutual information of a consensus with the members, by their weights."""
    size = int(consensus.max()) + 1
    each = [
        nmi_of(contingency(consensus, row, (size, k), labellings.counts))
        for row, k in zip(labellings.codes, labellings.sizes, strict=True)
    ]
    return float(np.average(each, weights=labellings.weights))


def anmi(consensus: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Mean normalised mutual information of a clustering with others.

    Parameters
    ----------
    consensus : array-like of int of shape (n_rows,)
        The clustering.
    labels : array-like of int of shape (n_members, n_rows)
        The others.
    weights : array-like of shape (n_members,), optional
        Weight of each of them.

    Returns
    -------
    float

    Examples
    --------
    >>> anmi([0, 0, 1, 1], [[0, 0, 1, 1], [0, 1, 0, 1]])
    0.5
    """
    members = np.atleast_2d(np.asarray(labels))
    shares = None if weights is None else np.asarray(weights, dtype=np.float64)
    return float(np.average([nmi(consensus, row) for row in members], weights=shares))


def consistency(labels: ArrayLike) -> float:
    """Mean normalised mutual information of all pairs of clusterings.

    Parameters
    ----------
    labels : array-like of int of shape (n_members, n_rows)
        The clusterings.

    Returns
    -------
    float

    Examples
    --------
    >>> consistency([[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1]])
    1.0
    """
    found = member_nmi(Labellings.read(labels)[0])
    pairs = found[np.triu_indices(len(found), 1)]
    return float(pairs.mean()) if len(pairs) else 1.0


def quadratic_information(consensus: ArrayLike, labels: ArrayLike) -> float:
    r"""Quadratic mutual information of a clustering with others (Topchy, Jain & Punch 2003).

    :math:`\sum_q [\sum_j P(C_j) \sum_l P(l | C_j)^2 - \sum_l P(l)^2]`.

    Parameters
    ----------
    consensus : array-like of int of shape (n_rows,)
        The clustering.
    labels : array-like of int of shape (n_members, n_rows)
        The others.

    Returns
    -------
    float

    Examples
    --------
    >>> quadratic_information([0, 0, 1, 1], [[0, 0, 1, 1], [0, 1, 0, 1]])
    0.5
    """
    total = 0.0
    for row in np.atleast_2d(np.asarray(labels)):
        share = _pair(consensus, row)
        share = share / share.sum()
        own = share.sum(axis=1, keepdims=True)
        within = np.divide(share**2, own, out=np.zeros_like(share), where=own > 0).sum()
        total += float(within - (share.sum(axis=0) ** 2).sum())
    return total
