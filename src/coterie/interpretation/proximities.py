"""Uses of proximities: outliers, typical rows, and an embedding."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from coterie.data import DataError

Array = NDArray[np.float64]


class Prototype(NamedTuple):
    """A typical row of a class.

    Attributes
    ----------
    label : object
        The class.
    row : int
        The row with most neighbours of the class.
    neighbours : ndarray of int
        These neighbours, the nearest first.
    centre, low, high : ndarray of shape (n_features,) or None
        Median and quartiles of each column over the neighbours; the most frequent value and NaN
        for columns of text.
    """

    label: Any
    row: int
    neighbours: NDArray[np.intp]
    centre: NDArray[Any] | None
    low: NDArray[Any] | None
    high: NDArray[Any] | None


def _square(proximity: ArrayLike, y: Any = None) -> Array:
    matrix = np.asarray(proximity, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise DataError(
            f"proximity has shape {matrix.shape}; pass the square matrix of a forest, "
            "forest.proximity(X)."
        )
    if y is not None and len(y) != len(matrix):
        raise DataError(f"y has {len(y)} rows, but proximity has {len(matrix)}.")
    return np.nan_to_num(matrix)  # pairs that no tree can judge


def proximity_outliers(proximity: ArrayLike, y: Any = None) -> Array:
    r"""How far rows lie from the others of their class, by the proximities of a forest.

    .. math:: raw(i) = \frac{n}{\sum_{j \ne i,\, y_j = y_i} prox(i, j)^2}, \qquad
        out(i) = \frac{raw(i) - med}{dev},

    with the median of the class and the mean absolute deviation from it. More than 10 is
    suspicious.

    Parameters
    ----------
    proximity : array-like of shape (n_samples, n_samples)
        From ``forest.proximity(X)``, or with ``oob="both"``, which is stricter with training rows.
    y : array-like of shape (n_samples,), optional
        Classes; without them all rows are compared.

    Returns
    -------
    ndarray of shape (n_samples,)
        0 where all rows of a class are the same to the forest.

    References
    ----------
    .. [1] Breiman & Cutler, "Random forests", manual, University of California (2003).

    Examples
    --------
    >>> together, apart = np.ones((4, 4)), np.full((4, 4), 0.1)
    >>> proximity = np.block([[together, apart[:, :1]], [apart[:1], np.ones((1, 1))]])
    >>> proximity_outliers(proximity).argmax()
    np.int64(4)
    """
    matrix = _square(proximity, y)
    n = len(matrix)
    codes = np.zeros(n, np.intp) if y is None else np.unique(np.asarray(y), return_inverse=True)[1]
    squares = matrix**2
    np.fill_diagonal(squares, 0.0)
    found = np.zeros(n)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        # A row that shares no leaf with its class is as far as one that shares one in a thousand.
        raw = n / np.maximum(squares[np.ix_(rows, rows)].sum(axis=1), 1e-6)
        away = raw - np.median(raw)
        deviation = np.abs(away).mean()
        found[rows] = away / deviation if deviation > 0 else 0.0
    return found


def proximity_prototypes(
    proximity: ArrayLike, y: Any, X: Any = None, *, n_prototypes: int = 1, n_neighbors: int = 50
) -> list[Prototype]:
    """The most typical rows of each class, by the proximities of a forest.

    A prototype is the row that has most rows of the class among its nearest neighbours. These are
    then set aside, and the next prototype is found among the others.

    Parameters
    ----------
    proximity : array-like of shape (n_samples, n_samples)
        From ``forest.proximity(X)``.
    y : array-like of shape (n_samples,)
        Classes.
    X : array-like or data frame of shape (n_samples, n_features), optional
        The rows, for medians and quartiles of the neighbours.
    n_prototypes : int, default=1
        Number of prototypes per class; fewer if there are too few rows.
    n_neighbors : int, default=50
        Number of neighbours to consider.

    Returns
    -------
    list of Prototype
        Class by class.

    References
    ----------
    .. [1] Breiman & Cutler, "Random forests", manual, University of California (2003).

    Examples
    --------
    >>> proximity = [[1, 0.9, 0.8, 0], [0.9, 1, 0.4, 0], [0.8, 0.4, 1, 0], [0, 0, 0, 1]]
    >>> found = proximity_prototypes(proximity, ["a", "a", "a", "b"], n_neighbors=2)
    >>> [(p.label, p.row, p.neighbours.tolist()) for p in found]
    [('a', 0, [0, 1]), ('b', 3, [3])]
    """
    matrix, labels = _square(proximity, y), np.asarray(y)
    near = np.argsort(-matrix, axis=1, kind="stable")[:, :n_neighbors]
    close = np.take_along_axis(matrix, near, axis=1)
    found = []
    for label in np.unique(labels).tolist():
        free = labels == label
        for _ in range(n_prototypes):
            # Neighbours that share no leaf are none.
            friends = free[near] & (close > 0)
            count, total = friends.sum(axis=1), (friends * close).sum(axis=1)
            count[labels != label] = -1
            best = int(np.lexsort((-total, -count))[0])
            if count[best] < 1:
                break
            chosen = near[best][friends[best]]
            free[chosen] = False
            found.append(Prototype(label, best, chosen, *_summary(X, chosen)))
    return found


def _summary(
    X: Any, rows: NDArray[np.intp]
) -> tuple[NDArray[Any] | None, NDArray[Any] | None, NDArray[Any] | None]:
    if X is None:
        return None, None, None
    cells = np.asarray(X)[rows]
    columns = [_column_summary(column) for column in cells.T]
    centre, low, high = (np.array(part) for part in zip(*columns, strict=True))
    return centre, low, high


def _column_summary(values: NDArray[Any]) -> tuple[Any, float, float]:
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        labels, count = np.unique(values.astype(str), return_counts=True)
        return labels[count.argmax()], np.nan, np.nan
    if np.isnan(numbers).all():
        return np.nan, np.nan, np.nan
    low, centre, high = np.nanquantile(numbers, [0.25, 0.5, 0.75])
    return centre, low, high


def proximity_embedding(proximity: ArrayLike, n_components: int = 2) -> tuple[Array, Array]:
    r"""Coordinates for the rows whose squared distances approximate :math:`1 - prox`.

    Classical multidimensional scaling: with :math:`d^2_{ij} = 1 - prox(i, j)` and the centring
    matrix J, places are the leading eigenvectors of :math:`-\frac12 J D^2 J`, times the square
    roots of their eigenvalues.

    Parameters
    ----------
    proximity : array-like of shape (n_samples, n_samples)
        From ``forest.proximity(X)``; undefined pairs count as 0.
    n_components : int, default=2
        Dimensions.

    Returns
    -------
    places : ndarray of shape (n_samples, n_components)
        Unique up to rotations and reflections; the largest entry of each column is positive.
    share : ndarray of shape (n_components,)
        Share of each dimension in the sum of the eigenvalues.

    References
    ----------
    .. [1] Torgerson, "Multidimensional scaling: I. Theory and method", Psychometrika 17 (1952).

    Examples
    --------
    >>> places, share = proximity_embedding([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]], 1)
    >>> places.ravel().round(3), share.round(3)
    (array([ 0.5, -0. , -0.5]), array([1.]))
    """
    matrix = _square(proximity)
    n = len(matrix)
    if not 1 <= n_components <= n:
        raise ValueError(f"n_components={n_components} is not allowed; use a number from 1 to {n}.")
    mean = matrix.mean(axis=0)
    centred = 0.5 * (matrix - mean - mean[:, None] + matrix.mean())
    centred = 0.5 * (centred + centred.T)
    total = float(np.trace(centred))
    values, vectors = eigh(centred, subset_by_index=[n - n_components, n - 1])
    values, vectors = values[::-1].clip(min=0.0), vectors[:, ::-1]
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(n_components)])
    return vectors * np.sqrt(values), values / total if total > 0 else values
