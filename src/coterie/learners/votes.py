"""What estimators say, as votes in the classes of their committee."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def votes_of_labels(labels: Any, classes: NDArray[Any]) -> Array:
    """One for the class that was said and zero for the others, shape (n_rows, n_classes).

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        Labels, all of them among the classes.
    classes : ndarray of shape (n_classes,)
        Classes of the committee, sorted.
    """
    return np.eye(len(classes))[np.searchsorted(classes, labels)]


def votes_of_probabilities(given: Array, known: Any, classes: NDArray[Any]) -> Array:
    """Probabilities of all classes, shape (n_rows, n_classes).

    Parameters
    ----------
    given : ndarray of shape (n_rows, n_known)
        Probabilities of the classes that the member knows.
    known : array-like of shape (n_known,)
        These classes.
    classes : ndarray of shape (n_classes,)
        Classes of the committee, sorted.
    """
    # A class the member never saw has probability zero.
    votes = np.zeros((len(given), len(classes)))
    votes[:, np.searchsorted(classes, known)] = given
    return votes
