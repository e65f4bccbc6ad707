"""Regions of competence: the neighbours of a query in the reference set (DSEL).

Arrays have the axes (members, samples); neighbours and distances are (queries, k), nearest first;
what comes out is (members, queries). All queries are worked on at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError

Array = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]

_NEAR = 1e-10  # the smallest distance that is divided by


@dataclass(frozen=True)
class Region:
    """The input of a selection method, for a block of queries.

    A method is a function from a region to weights of shape (members, queries).

    Parameters
    ----------
    hits : ndarray of bool of shape (members, samples)
        Whether each member is right about each sample of the reference set.
    y : ndarray of int of shape (samples,)
        Their classes, as positions among the classes.
    labels : ndarray of int of shape (members, samples)
        The members' predictions for them.
    chances : ndarray of shape (members, samples, classes) or None
        Members' probabilities, for methods that need them.
    n_classes : int
        Number of classes.
    neighbours, distances : ndarray of shape (queries, k)
        The neighbours of each query in the reference set, nearest first.
    importance : ndarray of shape (queries, k) or None
        Weights of these samples.
    profile_neighbours : ndarray of shape (queries, k) or None
        The samples of the reference set with the most similar predictions, for methods that need
        them.
    said : ndarray of int of shape (members, queries)
        The members' predictions for the queries.
    chances_said : ndarray of shape (members, queries, classes)
        Members' probabilities for the queries.
    able : ndarray of bool of shape (members, queries) or None
        Members kept by `frienemies`, if others are pruned.

    References
    ----------
    .. [1] Cruz, Sabourin & Cavalcanti, "Dynamic classifier selection: recent advances and
       perspectives", Information Fusion 41 (2018).

    Examples
    --------
    >>> from coterie.selection import DynamicSelectionClassifier, knora_u
    >>> def trust_the_near(region):
    ...     return knora_u(region.hits, region.neighbours[:, :3])
    >>> model = DynamicSelectionClassifier(method=trust_the_near)
    """

    hits: NDArray[np.bool_]
    y: Ints
    labels: Ints
    chances: Array | None
    n_classes: int
    neighbours: Ints
    distances: Array
    importance: Array | None
    profile_neighbours: Ints | None
    said: Ints
    chances_said: Array
    able: NDArray[np.bool_] | None = None

    @property
    def given_chances(self) -> Array:
        """Probabilities, for a method that has asked for them."""
        assert self.chances is not None, "the method does not say that it needs chances"
        return self.chances

    @property
    def true_chances(self) -> Array:
        """Probability that each member gives to the true class, shape (members, samples)."""
        return np.asarray(self.given_chances[:, np.arange(len(self.y)), self.y])

    def prune(self, weights: Array) -> Array:
        """Competences or weights, zero for members that are pruned."""
        return weights if self.able is None else np.asarray(weights * self.able)

    @property
    def closeness(self) -> Array:
        """One over the distance, times the importance."""
        near = closeness(self.distances)
        return near if self.importance is None else near * self.importance


def closeness(distances: Any) -> Array:
    r"""Weight of a neighbour by its distance: :math:`\omega_j = 1 / \max(d_j, 10^{-10})`.

    Parameters
    ----------
    distances : array-like of shape (queries, k)
        Distances of the neighbours.

    Returns
    -------
    ndarray of shape (queries, k)

    Examples
    --------
    >>> closeness([[0.5, 2.0]])
    array([[2. , 0.5]])
    """
    return np.asarray(1.0 / np.maximum(np.asarray(distances, dtype=np.float64), _NEAR))


def around(values: Any, neighbours: Any) -> NDArray[Any]:
    """What members say about the neighbours, shape (queries, k, members).

    Parameters
    ----------
    values : array-like of shape (members, samples)
        Anything that is known of members and samples.
    neighbours : array-like of int of shape (queries, k)
        Positions of samples.
    """
    table, near = np.asarray(values), np.asarray(neighbours)
    if table.ndim != 2:
        raise DataError(f"hits and labels must have shape (members, samples), not {table.shape}.")
    if near.ndim != 2 or near.dtype.kind not in "iu" or not near.shape[1]:
        raise DataError(
            "neighbours must be sample indices of shape (queries, k) with k >= 1, not "
            f"{near.dtype} of shape {near.shape}."
        )
    if near.size and (near.min() < 0 or near.max() >= table.shape[1]):
        raise DataError(f"neighbours must lie between 0 and {table.shape[1] - 1}.")
    return np.asarray(np.ascontiguousarray(table.T)[near])


def total(values: NDArray[Any], weight: Any = None) -> Array:
    """Weighted sum over the neighbours: (queries, k, members) to (members, queries).

    Examples
    --------
    >>> total(np.array([[[True, False], [True, True]]]), [[0.5, 2.0]])
    array([[2.5],
           [2. ]])
    """
    if weight is None:
        # Hits are counted in a type as narrow as they are, in which many are added at once.
        counted = np.min_scalar_type(values.shape[1]) if values.dtype == bool else np.float64
        return np.asarray(values.sum(axis=1, dtype=counted).T, dtype=np.float64)
    return np.asarray(np.einsum("qkt,qk->tq", values, np.asarray(weight, dtype=np.float64)))


def share(values: NDArray[Any], weight: Any = None) -> Array:
    """Mean over the neighbours: (queries, k, members) to (members, queries)."""
    # Divided at the end: sums of whole numbers are exact, and members that are equal tie.
    whole = values.shape[1] if weight is None else np.asarray(weight, np.float64).sum(axis=1)
    return np.asarray(total(values, weight) / whole)


def quotient(part: Array, whole: Array) -> Array:
    """A quotient that is 0 where nothing is divided by nothing."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def frienemies(hits: Any, neighbours: Any, y: Any) -> NDArray[np.bool_]:
    r"""Frienemies: the members that can distinguish classes near the query.

    A member stays if it is right about two neighbours of different classes [1]_. Where all
    neighbours are of one class, or no member is that good, every member stays.

    Parameters
    ----------
    hits : array-like of bool of shape (members, samples)
        Whether each member is right about each sample.
    neighbours : array-like of int of shape (queries, k)
        Samples near each query.
    y : array-like of int of shape (samples,)
        Classes as integers.

    Returns
    -------
    ndarray of bool of shape (members, queries)

    References
    ----------
    .. [1] Oliveira, Cavalcanti & Sabourin, "Online pruning of base classifiers for dynamic
       ensemble selection", Pattern Recognition 72 (2017).

    Examples
    --------
    >>> frienemies([[1, 1, 0], [1, 0, 1]], [[0, 1, 2]], [0, 0, 1])
    array([[False],
           [ True]])
    """
    right = around(hits, neighbours).astype(bool)
    classes = np.asarray(y)[np.asarray(neighbours)][:, :, None]
    # Right about somebody of another class than the first it is right about.
    first = np.take_along_axis(classes, right.argmax(axis=1)[:, None, :], axis=1)
    able = (right & (classes != first)).any(axis=1).T
    return np.asarray(able | ~able.any(axis=0))
