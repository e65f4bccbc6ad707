"""The randomised reference classifier.

A member's probabilities are compared with those of a classifier that draws its own at random with
the same means. The chance that the random one is right is the member's competence at a sample.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from coterie.data import DataError
from coterie.data.outputs import numbers_of
from coterie.selection.ensembles import or_all
from coterie.selection.regions import Array, around, share

_NODES = 129  # points of the rule for the integral
_GRID = 1024  # steps of probability between which distributions are interpolated
_EDGE = 1e-3  # a beta distribution has no mean of exactly 0 or 1
_BLOCK = 1 << 12  # samples worked on at a time
_SLACK = 1e-4  # errors of the rule are smaller


def rrc_chance(chances: Any, y: Any) -> Array:
    r"""Probability that a randomised reference classifier is right about each sample.

    It draws the support of class l from a beta distribution with the mean :math:`p_l` that the
    member gives, :math:`B(K p_l, K - K p_l)`, and predicts the class with the largest support [1]_:

    .. math:: C_t(x_j) = \int_0^1 b_{y_j}(u) \prod_{l \ne y_j} B_l(u) \, du

    A member that gives all K classes the same probability has 1/K.

    Parameters
    ----------
    chances : array-like of shape (members, samples, classes)
        Members' probabilities.
    y : array-like of int of shape (samples,)
        True classes, as columns of `chances`.

    Returns
    -------
    ndarray of shape (members, samples)

    References
    ----------
    .. [1] Woloszynski & Kurzynski, "A probabilistic model of classifier competence for dynamic
       ensemble selection", Pattern Recognition 44 (2011).

    Examples
    --------
    >>> rrc_chance([[[0.3, 0.6, 0.1], [0.5, 0.25, 0.25]]], [1, 0]).round(2)
    array([[0.79, 0.65]])
    """
    given = numbers_of(chances, "chances", (3,))
    truth, (n_members, n_samples, n_classes) = np.asarray(y), given.shape
    if truth.shape != (n_samples,) or truth.dtype.kind not in "iu":
        raise DataError(f"y must contain {n_samples} class indices, but has shape {truth.shape}.")
    if n_classes == 1:
        return np.ones((n_members, n_samples))
    # The true class first, the others in order: what is equal is worked out once.
    own = np.take_along_axis(given, np.broadcast_to(truth, (n_members, n_samples))[..., None], 2)
    rest = np.where(np.arange(n_classes) == truth[:, None], np.inf, given)
    rows = np.concatenate([own, np.sort(rest, axis=2)[..., :-1]], axis=2).reshape(-1, n_classes)
    steps = np.round(np.clip(rows, _EDGE, 1 - _EDGE) * _GRID * 16).astype(np.int64)
    unique, back = np.unique(steps, axis=0, return_inverse=True)
    parts = [
        _integral(unique[start : start + _BLOCK] / (_GRID * 16))
        for start in range(0, len(unique), _BLOCK)
    ]
    return np.concatenate(parts)[back.ravel()].reshape(n_members, n_samples)


@lru_cache(maxsize=8)
def _distributions(n_classes: int) -> NDArray[np.float32]:
    """Cumulative distributions by mean and point, shape (_GRID + 1, _NODES)."""
    points = np.sin(np.linspace(0, np.pi / 2, _NODES)) ** 2  # dense where densities may be steep
    mean = np.clip(np.linspace(0, 1, _GRID + 1), _EDGE, 1 - _EDGE)[:, None]
    table = betainc(n_classes * mean, n_classes * (1 - mean), points)
    return np.asarray(
        table, dtype=np.float32
    )  # errors of the rule are larger than those of rounding


def _integral(rows: Array) -> Array:
    """The integral for rows of probabilities, the true class first.

    Steps of the true class's distribution are exact, so that steep densities do no harm.
    """
    table = _distributions(rows.shape[1])
    low = np.minimum((rows * _GRID).astype(np.intp), _GRID - 1)
    part = (rows * _GRID - low)[..., None].astype(np.float32)
    product: Any = 1.0
    for k in range(1, rows.shape[1]):
        product = product * (
            table[low[:, k]] * (1 - part[:, k]) + table[low[:, k] + 1] * part[:, k]
        )
    own = table[low[:, 0]] * (1 - part[:, 0]) + table[low[:, 0] + 1] * part[:, 0]
    middle = (product[:, 1:] + product[:, :-1]) / 2
    return np.asarray((np.diff(own, axis=1) * middle).sum(axis=1, dtype=np.float64))


def rrc(chance: Any, neighbours: Any, distances: Any, n_classes: int, weights: Any = None) -> Array:
    r"""Weights by the randomised reference classifier, where it beats guessing.

    .. math:: \delta_t(x) = \frac{\sum_j C_t(x_j) e^{-d_j^2}}{\sum_j e^{-d_j^2}}, \qquad
       w_t(x) = \delta_t(x) 1[\delta_t(x) > 1/K]

    Parameters
    ----------
    chance : array-like of shape (members, samples)
        The probabilities :math:`C_t`; see `rrc_chance`.
    neighbours, distances : array-like of shape (queries, k)
        Neighbours of each query, and their distances.
    n_classes : int
        Number of classes K.
    weights : array-like of shape (queries, k), optional
        Additional weight of each neighbour; equal by default.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Woloszynski & Kurzynski, "A probabilistic model of classifier competence for dynamic
       ensemble selection", Pattern Recognition 44 (2011).

    Examples
    --------
    >>> rrc([[0.8, 0.6], [0.4, 0.2]], [[0, 1]], [[1.0, 1.0]], 2)
    array([[0.7],
           [0. ]])
    """
    squares = np.asarray(distances, dtype=np.float64) ** 2
    # The nearest counts one: what matters are quotients, and far from all samples all would be 0.
    nearness = np.exp(squares.min(axis=1, keepdims=True) - squares)
    nearness = nearness if weights is None else nearness * np.asarray(weights)
    competence = share(around(chance, neighbours), nearness)
    return or_all(np.where(competence > 1.0 / n_classes + _SLACK, competence, 0.0))
