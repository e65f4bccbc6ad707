"""What estimators say, as votes in the classes of their committee."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError

Array = NDArray[np.float64]

#: The score of a class that a member never saw: the lowest, and finite, as estimators want it.
NO_SCORE = float(np.finfo(np.float64).min)


def class_places(classes: NDArray[Any], labels: Any) -> NDArray[np.intp]:
    """Positions of labels among the sorted classes.

    Examples
    --------
    >>> class_places(np.array(["a", "b", "c"]), ["c", "a"])
    array([2, 0])
    """
    given = np.asarray(labels).ravel()
    places = np.clip(np.searchsorted(classes, given), 0, len(classes) - 1)
    strange = classes[places] != given
    if np.any(strange):
        raise DataError(
            f"A member has the class {given[strange].tolist()[0]!r}, which is not one of the "
            f"classes {classes.tolist()}. Fit the members to the same labels as the ensemble."
        )
    return places


def votes_of_labels(labels: Any, classes: NDArray[Any]) -> Array:
    """One for the class that was said and zero for the others, shape (n_rows, n_classes).

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        Labels, all of them among the classes.
    classes : ndarray of shape (n_classes,)
        Classes of the committee, sorted.
    """
    return np.eye(len(classes))[class_places(classes, labels)]


def votes_of_probabilities(given: Any, known: Any, classes: NDArray[Any]) -> Array:
    """Probabilities of all classes, shape (n_rows, n_classes).

    Parameters
    ----------
    given : array-like of shape (n_rows, n_known)
        Probabilities of the classes that the member knows; those of others are zero.
    known : array-like of shape (n_known,)
        These classes.
    classes : ndarray of shape (n_classes,)
        Classes of the committee, sorted.
    """
    given = np.asarray(given, dtype=np.float64)
    return _spread(given.reshape(len(given), -1), class_places(classes, known), len(classes), 0.0)


def votes_of_scores(given: Any, known: Any, classes: NDArray[Any]) -> Array:
    """What a decision function says, by the classes of the committee.

    Parameters
    ----------
    given : array-like of shape (n_rows,) or (n_rows, n_known)
        Scores of the classes that the member knows; of two, that of the second.
    known : array-like of shape (n_known,)
        These classes.
    classes : ndarray of shape (n_classes,)
        Classes of the committee, sorted.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        One column if the committee has two classes, both of them known.
    """
    given = np.asarray(given, dtype=np.float64)
    given, places = given.reshape(len(given), -1), class_places(classes, known)
    if len(places) < len(classes) and given.shape[1] < len(places):
        given = np.hstack([-given, given])
    return _spread(given, places, len(classes), NO_SCORE)


def _spread(given: Array, places: NDArray[np.intp], n_classes: int, nothing: float) -> Array:
    """Columns at their places; `nothing` for classes that the member never saw."""
    if len(places) == n_classes:
        return given
    votes = np.full((len(given), n_classes), nothing)
    votes[:, places] = given
    return votes
