"""Shapley values of any model, estimated by drawing orders of the columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_turns", "mean_changes"]


def draw_turns(n_columns: int, samples: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """When each column becomes known, in random orders: 1 is first.

    Parameters
    ----------
    n_columns : int
        How many columns there are.
    samples : int
        How many orders are drawn.
    rng : Generator
        The source of chance.

    Returns
    -------
    ndarray of int of shape (samples, n_columns)

    Examples
    --------
    >>> np.sort(draw_turns(3, 2, np.random.default_rng(0)), axis=1)
    array([[1, 2, 3],
           [1, 2, 3]])
    """
    return np.argsort([rng.permutation(n_columns) for _ in range(samples)], axis=1) + 1


def mean_changes(answers: NDArray[np.float64], turns: NDArray[np.intp]) -> NDArray[np.float64]:
    """What each column changes on average when it becomes known: the estimate [1]_.

    Parameters
    ----------
    answers : ndarray of shape (..., samples, n_columns + 1)
        What a model says of a row of which no column is known yet, one is, two are, ...
    turns : ndarray of int of shape (samples, n_columns)
        From `draw_turns`.

    Returns
    -------
    ndarray of shape (..., n_columns)

    References
    ----------
    .. [1] Štrumbelj & Kononenko, "Explaining prediction models and individual predictions with
       feature contributions", Knowledge and Information Systems 41 (2014).

    Examples
    --------
    >>> mean_changes(np.array([[0.0, 1.0, 3.0]]), np.array([[2, 1]]))
    array([2., 1.])
    """
    changes = np.diff(answers, axis=-1)
    places = np.broadcast_to(turns - 1, changes.shape)
    return np.asarray(np.take_along_axis(changes, places, axis=-1).mean(axis=-2))
