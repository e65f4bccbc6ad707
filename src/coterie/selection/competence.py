"""Local competence measures, by which single members are chosen.

Every function takes what is known of the judged samples, which members must not have seen in
training, and the neighbours of the queries among them; it returns an array (members, queries).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.selection.regions import Array, around, closeness, quotient, share, total

Subset = Literal["assigned", "true"]


def ola(hits: Any, neighbours: Any, weights: Any = None) -> Array:
    r"""Overall local accuracy: the share of the neighbours that a member is right about.

    .. math:: \delta_t(x) = \frac1k \sum_{j \in \theta(x)} c_{tj}

    with hits :math:`c_{tj}` and the region of competence :math:`\theta(x)` [1]_.

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
    .. [1] Woods, Kegelmeyer & Bowyer, "Combination of multiple classifiers using local accuracy
       estimates", IEEE Trans. Pattern Anal. Mach. Intell. 19 (1997).

    Examples
    --------
    >>> ola([[1, 1, 0, 1], [0, 0, 1, 1]], [[0, 1], [2, 3]])
    array([[1. , 0.5],
           [0. , 1. ]])
    """
    return share(around(hits, neighbours), weights)


def lca(
    labels: Any,
    y: Any,
    neighbours: Any,
    said: Any,
    *,
    weights: Any = None,
    subset: Subset = "assigned",
) -> Array:
    r"""Local class accuracy: how often a member is right where it predicts the query's class.

    .. math:: \delta_t(x) = \frac{\sum_j w_j c_{tj} 1[h_t(x_j) = h_t(x)]}
       {\sum_j w_j 1[h_t(x_j) = h_t(x)]}

    over the neighbours, and 0 if none of them was assigned to that class [1]_.

    Parameters
    ----------
    labels : array-like of shape (members, samples)
        The members' labels for the samples.
    y : array-like of shape (samples,)
        The truth.
    neighbours : array-like of int of shape (queries, k)
        Samples near each query.
    said : array-like of shape (members, queries)
        The members' predictions for the queries.
    weights : array-like of shape (queries, k), optional
        Weight of each neighbour; equal by default.
    subset : {"assigned", "true"}, default="assigned"
        Which neighbours count: those that the member assigns to the class, or those that truly
        belong to it (a local recall).

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Woods, Kegelmeyer & Bowyer, "Combination of multiple classifiers using local accuracy
       estimates", IEEE Trans. Pattern Anal. Mach. Intell. 19 (1997).

    Examples
    --------
    >>> lca([[0, 0, 1]], [0, 1, 1], [[0, 1, 2]], [[0]])
    array([[0.5]])
    """
    if subset not in ("assigned", "true"):
        raise ValueError(f"subset={subset!r} is not allowed; use 'assigned' or 'true'.")
    table, truth = np.asarray(labels), np.asarray(y)
    right = around(table == truth, neighbours)
    near = around(table if subset == "assigned" else truth[None], neighbours)
    counts = near == np.asarray(said).T[:, None, :]
    return quotient(total(counts & right, weights), total(counts, weights))


def mla(
    labels: Any,
    y: Any,
    neighbours: Any,
    distances: Any,
    said: Any,
    *,
    subset: Subset = "assigned",
) -> Array:
    r"""Modified local accuracy: `lca` in which near neighbours count more.

    .. math:: w_j = 1 / d_j

    Parameters
    ----------
    labels : array-like of shape (members, samples)
        The members' labels for the samples.
    y : array-like of shape (samples,)
        The truth.
    neighbours, distances : array-like of shape (queries, k)
        Neighbours of each query, and their distances.
    said : array-like of shape (members, queries)
        The members' predictions for the queries.
    subset : {"assigned", "true"}, default="assigned"
        Which neighbours count, see `lca`.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Smits, "Multiple classifier systems for supervised remote sensing image classification
       based on dynamic classifier selection", IEEE Trans. Geosci. Remote Sens. 40 (2002).

    Examples
    --------
    >>> mla([[0, 0]], [0, 1], [[0, 1]], [[1.0, 3.0]], [[0]])
    array([[0.75]])
    """
    return lca(labels, y, neighbours, said, weights=closeness(distances), subset=subset)


def rank(hits: Any, neighbours: Any) -> NDArray[np.intp]:
    r"""Modified rank: how many neighbours a member is right about before its first mistake.

    .. math:: \delta_t(x) = \max \{ m \le k : c_{t1} = \dots = c_{tm} = 1 \}

    Parameters
    ----------
    hits : array-like of bool of shape (members, samples)
        Whether each member is right about each sample.
    neighbours : array-like of int of shape (queries, k)
        Samples near each query, nearest first.

    Returns
    -------
    ndarray of int of shape (members, queries)

    References
    ----------
    .. [1] Sabourin, Mitiche, Thomas & Nagy, "Classifier combination for hand-printed digit
       recognition", ICDAR (1993).

    Examples
    --------
    >>> rank([[1, 1, 0, 1], [0, 1, 1, 1]], [[0, 1, 2, 3]])
    array([[2],
           [0]])
    """
    right = around(hits, neighbours).astype(bool, copy=False)
    for place in range(1, right.shape[1]):  # nobody who was wrong is right any more
        right[:, place] &= right[:, place - 1]
    return total(right).astype(np.intp)


def a_priori(chances: Any, neighbours: Any, distances: Any, weights: Any = None) -> Array:
    r"""Mean probability that a member assigns to the true classes of the neighbours.

    .. math:: \delta_t(x) = \frac{\sum_j \omega_j P_t(y_j | x_j)}{\sum_j \omega_j},
       \qquad \omega_j = 1 / d_j

    Parameters
    ----------
    chances : array-like of shape (members, samples)
        Probability that each member gives to the true class of each sample.
    neighbours, distances : array-like of shape (queries, k)
        Neighbours of each query, and their distances.
    weights : array-like of shape (queries, k), optional
        Additional weight of each neighbour; equal by default.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Giacinto & Roli, "Methods for dynamic classifier selection", ICIAP (1999).

    Examples
    --------
    >>> a_priori([[0.9, 0.5]], [[0, 1]], [[1.0, 3.0]])
    array([[0.8]])
    """
    weight = closeness(distances)
    return share(around(chances, neighbours), weight if weights is None else weight * weights)


def a_posteriori(
    chances: Any, y: Any, neighbours: Any, distances: Any, said: Any, weights: Any = None
) -> Array:
    r"""Share of the probability assigned to the query's class that goes to rows of that class.

    .. math:: \delta_t(x) = \frac{\sum_{j: y_j = s} \omega_j P_t(s | x_j)}
       {\sum_j \omega_j P_t(s | x_j)}, \qquad s = h_t(x), \quad \omega_j = 1 / d_j

    and 0 where the member gives that class no probability.

    Parameters
    ----------
    chances : array-like of shape (members, samples, classes)
        Members' probabilities.
    y : array-like of int of shape (samples,)
        True classes, as columns of `chances`.
    neighbours, distances : array-like of shape (queries, k)
        Neighbours of each query, and their distances.
    said : array-like of int of shape (members, queries)
        Classes that the members predict for the queries, as columns of `chances`.
    weights : array-like of shape (queries, k), optional
        Additional weight of each neighbour; equal by default.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Giacinto & Roli, "Methods for dynamic classifier selection", ICIAP (1999).

    Examples
    --------
    >>> chances = [[[0.75, 0.25], [0.25, 0.75]]]
    >>> a_posteriori(chances, [0, 1], [[0, 1]], [[1.0, 1.0]], [[0]])
    array([[0.75]])
    """
    near, classes = np.asarray(neighbours), np.asarray(said)
    weight = closeness(distances)
    weight = weight if weights is None else weight * np.asarray(weights)
    members = np.arange(len(classes))[:, None, None]
    given = np.asarray(chances, dtype=np.float64)[members, near, classes[:, :, None]] * weight
    own = np.asarray(y)[near] == classes[:, :, None]
    return quotient((given * own).sum(axis=2), given.sum(axis=2))


def similarity(labels: Any, neighbours: Any, said: Any) -> Array:
    r"""Share of the members that predict the same class for a neighbour as for the query.

    .. math:: S_j(x) = \frac1T \sum_t 1[h_t(x_j) = h_t(x)]

    Parameters
    ----------
    labels : array-like of shape (members, samples)
        The members' labels for the samples.
    neighbours : array-like of int of shape (queries, k)
        Samples near each query.
    said : array-like of shape (members, queries)
        The members' predictions for the queries.

    Returns
    -------
    ndarray of shape (queries, k)

    References
    ----------
    .. [1] Giacinto & Roli, "Dynamic classifier selection based on multiple classifier behaviour",
       Pattern Recognition 34 (2001).

    Examples
    --------
    >>> similarity([["a", "b"], ["a", "a"]], [[0, 1]], [["a"], ["a"]])
    array([[1. , 0.5]])
    """
    return np.asarray((around(labels, neighbours) == np.asarray(said).T[:, None, :]).mean(axis=2))


def mcb(
    hits: Any,
    labels: Any,
    neighbours: Any,
    said: Any,
    *,
    weights: Any = None,
    threshold: float = 0.7,
) -> Array:
    r"""Local accuracy among the neighbours for which the members' predictions are similar.

    .. math:: \delta_t(x) = \frac{\sum_j c_{tj} 1[S_j(x) > \tau]}{\sum_j 1[S_j(x) > \tau]}

    with the `similarity` :math:`S_j`; where no neighbour is that similar, all of them count.

    Parameters
    ----------
    hits : array-like of bool of shape (members, samples)
        Whether each member is right about each sample.
    labels : array-like of shape (members, samples)
        The members' labels for the samples.
    neighbours : array-like of int of shape (queries, k)
        Samples near each query.
    said : array-like of shape (members, queries)
        The members' predictions for the queries.
    weights : array-like of shape (queries, k), optional
        Weight of each neighbour; equal by default.
    threshold : float, default=0.7
        The similarity :math:`\tau` that a neighbour must exceed.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Giacinto & Roli, "Dynamic classifier selection based on multiple classifier behaviour",
       Pattern Recognition 34 (2001).

    Examples
    --------
    >>> mcb([[1, 0], [1, 1]], [["a", "b"], ["a", "a"]], [[0, 1]], [["a"], ["a"]])
    array([[1.],
           [1.]])
    """
    alike = similarity(labels, neighbours, said) > threshold
    alike |= ~alike.any(axis=1, keepdims=True)
    return ola(hits, neighbours, alike if weights is None else alike * np.asarray(weights))
