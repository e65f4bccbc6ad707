"""Losses of single rows, of probabilities in the last axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["brier_rows", "error_rows", "log_loss_rows", "own_chance"]

Array = NDArray[np.float64]

# Below it a probability counts as none, whose logarithm is infinite.
_LEAST = 1e-12


def own_chance(chances: Array, truth: NDArray[Any]) -> Array:
    """What was given to the true class of each row; see `log_loss_rows` for the parameters.

    Examples
    --------
    >>> own_chance(np.array([[0.4, 0.6], [1.0, 0.0]]), np.array([1, 1]))
    array([0.6, 0. ])
    """
    if truth.ndim == 2:
        return np.asarray(chances[..., truth.astype(bool)])
    return np.asarray(chances[..., np.arange(len(truth)), truth])


def log_loss_rows(chances: Array, truth: NDArray[Any], least: float = _LEAST) -> Array:
    """Minus the logarithm of the probability of the true class, shares made to sum to one.

    Parameters
    ----------
    chances : ndarray of shape (..., samples, classes)
        Support of the classes.
    truth : ndarray of shape (samples,) or (samples, classes)
        Codes of the true classes; or one, or True, in their columns.
    least : float
        Probabilities below it count as this much.

    Examples
    --------
    >>> log_loss_rows(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[1, 0], [1, 0]])).round(3)
    array([0.693, 0.   ])
    """
    own = own_chance(chances, truth) / chances.sum(axis=-1)
    return np.asarray(0.0 - np.log(np.maximum(own, least)))


def brier_rows(chances: Array, truth: NDArray[Any]) -> Array:
    """The squared distance from the true class; see `log_loss_rows` for the parameters.

    Examples
    --------
    >>> brier_rows(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 0]))
    array([0.5, 0. ])
    """
    if truth.ndim == 2:
        return np.asarray(((chances - truth) ** 2).sum(axis=-1))
    away = np.array(chances)
    away[..., np.arange(len(truth)), truth] -= 1.0
    return np.asarray((away**2).sum(axis=-1))


def error_rows(chances: Array, truth: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the largest is not that of the true class; see `log_loss_rows`.

    Examples
    --------
    >>> error_rows(np.array([[0.4, 0.6], [1.0, 0.0]]), np.array([[1, 0], [1, 0]]))
    array([ True, False])
    """
    codes = truth.argmax(axis=-1) if truth.ndim == 2 else truth
    return np.asarray(chances.argmax(axis=-1) != codes)
