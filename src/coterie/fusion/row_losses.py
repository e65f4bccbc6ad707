"""Losses of single rows, of probabilities in the last axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["brier_rows", "error_rows", "log_loss_rows"]

Array = NDArray[np.float64]

# Below it a probability counts as none, whose logarithm is infinite.
_LEAST = 1e-12


def log_loss_rows(chances: Array, hot: NDArray[Any]) -> Array:
    """Minus the logarithm of the probability of the true class, shares made to add up to one.

    Parameters
    ----------
    chances : ndarray of shape (..., samples, classes)
        Support of the classes.
    hot : ndarray of shape (samples, classes)
        One, or True, in the column of the true class.

    Examples
    --------
    >>> log_loss_rows(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[1, 0], [1, 0]])).round(3)
    array([0.693, 0.   ])
    """
    own = chances[..., hot.astype(bool)] / chances.sum(axis=-1)
    return np.asarray(0.0 - np.log(np.maximum(own, _LEAST)))


def brier_rows(chances: Array, hot: NDArray[Any]) -> Array:
    """The squared distance from the true class; see `log_loss_rows` for the parameters.

    Examples
    --------
    >>> brier_rows(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[1, 0], [1, 0]]))
    array([0.5, 0. ])
    """
    return np.asarray(((chances - hot) ** 2).sum(axis=-1))


def error_rows(chances: Array, hot: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the largest is not that of the true class; see `log_loss_rows`.

    Examples
    --------
    >>> error_rows(np.array([[0.4, 0.6], [1.0, 0.0]]), np.array([[1, 0], [1, 0]]))
    array([ True, False])
    """
    return np.asarray(chances.argmax(axis=-1) != hot.argmax(axis=-1))
