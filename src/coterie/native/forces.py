"""Slopes of LambdaMART."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from coterie.native import _engine

Array = NDArray[np.float64]
Swap = Literal["ndcg", "map", "pairwise"]


def rank_slopes(
    raw: Array,
    gain: Array,
    offsets: NDArray[np.int64],
    *,
    swap: Swap = "ndcg",
    sigma: float = 1.0,
    truncation: int = 30,
    normalise: bool = False,
    n_threads: int = 1,
) -> tuple[Array, Array]:
    """Gradient and Hessian of every document, from the forces between those of one query.

    Parameters
    ----------
    raw, gain : float64 arrays of shape (n,)
        Scores, and how good the documents are.
    offsets : int64 array of shape (n_queries + 1,)
        Documents from ``offsets[q]`` up to ``offsets[q + 1]`` are those of query q.
    swap : {"ndcg", "map", "pairwise"}, default="ndcg"
        The measure by which an exchange of two documents is weighed; "pairwise" weighs all alike.
    sigma : float, default=1.0
        Steepness of the logistic loss of a pair.
    truncation : int, default=30
        One document of a pair must be among the first so many.
    normalise : bool, default=False
        Divide forces by the distance of the scores, and balance queries.
    n_threads : int, default=1
        Threads to use.

    Returns
    -------
    tuple of float64 arrays of shape (n,)

    Examples
    --------
    >>> gradient, hessian = rank_slopes(np.zeros(2), np.array([0.0, 1.0]), np.array([0, 2]))
    >>> gradient.round(3), hessian.round(3)
    (array([ 0.185, -0.185]), array([0.092, 0.092]))
    """
    gradient, hessian = np.empty_like(raw), np.empty_like(raw)
    _engine.rank_slopes(
        raw, gain, offsets, swap, sigma, truncation, normalise, gradient, hessian, n_threads
    )
    return gradient, hessian
