"""Clusters of members that say the same, of which one speaks for all."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from coterie.selection.pruning.ballots import Array, Ballot, Ints, first_least
from coterie.selection.pruning.numbers import Answers

Keep = Literal["best", "medoid"]


def clustered_subsets(
    votes: Any, truth: Any, *, sample_weight: Any = None, keep: Keep = "best"
) -> list[Ints]:
    r"""One member from each cluster, for every number of clusters.

    .. math:: d_{st} = P(h_s \ne h_t)

    is the distance of two members; clusters are merged by the smallest mean distance. Copies of a
    member have distance zero and are never kept together.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, None or NaN where there is no vote; or votes for each class.
    truth : array-like of shape (samples,)
        True labels; positions of classes if votes are for each class.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    keep : {"best", "medoid"}, default="best"
        The most accurate member of a cluster, or the one that is nearest to the others.

    Returns
    -------
    list of ndarray of int
        Members that are kept, from one cluster to as many as there are different members.

    References
    ----------
    .. [1] Giacinto, Roli & Fumera, "Design of effective multiple classifier systems by clustering
       of classifiers", ICPR (2000).

    Examples
    --------
    >>> clustered_subsets([list("aab"), list("aab"), list("baa")], list("aab"))
    [array([0]), array([0, 2])]
    """
    ballot = Ballot.read(votes, truth, sample_weight)
    heard = ballot.heard.astype(np.float64)
    same = np.zeros((len(heard), len(heard)))
    for k in range(ballot.n_classes):
        said = (ballot.labels == k).astype(np.float64)
        same += (said * ballot.row) @ said.T
    total = (heard * ballot.row) @ heard.T
    return subsets_of(np.clip(total - same, 0.0, None), total, ballot.errors, keep)


def clustered_numbers(
    votes: Any, truth: Any, *, sample_weight: Any = None, keep: Keep = "best"
) -> list[Ints]:
    r"""`clustered_subsets` for regression, by the members' mean squared difference.

    .. math:: d_{st}^2 = \frac1n \sum_i (h_s(x_i) - h_t(x_i))^2

    Parameters
    ----------
    votes : array-like of shape (members, samples)
        Predictions of the members, NaN where there are none.
    truth : array-like of shape (samples,)
        True numbers.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    keep : {"best", "medoid"}, default="best"
        The most accurate member of a cluster, or the one that is nearest to the others.

    Returns
    -------
    list of ndarray of int
        Members that are kept, from one cluster to as many as there are different members.

    References
    ----------
    .. [1] Lazarevic & Obradovic, "Effective pruning of neural network classifier ensembles",
       IJCNN (2001).

    Examples
    --------
    >>> clustered_numbers([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]], [1.0, 2.0])
    [array([0]), array([0, 2])]
    """
    answers = Answers.read(votes, truth, sample_weight)
    heard, row = answers.heard.astype(np.float64), answers.row
    alone = (answers.said**2 * row) @ heard.T
    apart = alone + alone.T - 2 * (answers.said * row) @ answers.said.T
    # Of equal members rounding leaves a rest.
    apart[apart <= 1e-12 * (alone + alone.T)] = 0.0
    return subsets_of(apart, (heard * row) @ heard.T, answers.errors, keep, root=True)


def subsets_of(
    apart: Array, total: Array, errors: Array, keep: Keep, *, root: bool = False
) -> list[Ints]:
    """Survivors of the clusters at every height of the tree of clusters.

    Parameters
    ----------
    apart, total : ndarray of shape (members, members)
        Summed distances of pairs, and the weight they were summed over. Pairs that never met are
        as far apart as the others on average.
    errors : ndarray of shape (members,)
        Errors of members.
    keep : {"best", "medoid"}
        Who survives.
    root : bool, default=False
        Whether the mean distances are squares.
    """
    if keep not in ("best", "medoid"):
        raise ValueError(f"keep={keep!r} is not allowed; use 'best' or 'medoid'.")
    n_members, met = len(errors), total > 0
    if n_members == 1:
        return [np.zeros(1, dtype=np.intp)]
    distance = np.divide(apart, total, out=np.zeros_like(apart), where=met)
    distance = np.sqrt(distance) if root else distance
    distance[~met] = distance[met].mean() if met.any() else 1.0
    np.fill_diagonal(distance, 0.0)
    distance = np.round((distance + distance.T) / 2, 14)
    tree = linkage(squareform(distance, checks=False), "average")
    heights = np.unique(np.append(0.0, tree[:, 2]))[::-1]
    return [_survivors(fcluster(tree, h, "distance"), distance, errors, keep) for h in heights]


def _survivors(clusters: Any, distance: Array, errors: Array, keep: Keep) -> Ints:
    kept = []
    for number in np.unique(clusters):
        inside = np.flatnonzero(clusters == number)
        cost = errors[inside] if keep == "best" else distance[np.ix_(inside, inside)].sum(axis=1)
        kept.append(inside[first_least(np.where(np.isfinite(cost), cost, 1e300))])
    return np.sort(np.array(kept, dtype=np.intp))
