"""Which of n scores bounds the next one: the rank rule of conformal prediction."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["conformal_quantile", "conformal_quantiles", "needed_rows", "ranks_of"]


def ranks_of(n: int, alpha: float) -> tuple[int, int]:
    r"""The ranks :math:`\lfloor \alpha (n + 1) \rfloor` and :math:`\lceil (1-\alpha)(n+1) \rceil`.

    `alpha` is read as the decimal fraction that it is written as: in floating point,
    :math:`0.29 \cdot 100` is less than 29.

    Parameters
    ----------
    n : int
        Number of scores.
    alpha : float
        Share of new rows that may be outside, between 0 and 1.

    Returns
    -------
    low, high : int
        From 0 and up to n + 1; those two stand for minus and plus infinity.

    Examples
    --------
    >>> ranks_of(99, 0.1), ranks_of(99, 0.45), ranks_of(8, 0.1)
    ((10, 90), (45, 55), (0, 9))
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha={alpha} is not allowed; use a number in (0, 1).")
    share = Fraction(repr(float(alpha)))
    return math.floor(share * (n + 1)), math.ceil((1 - share) * (n + 1))


def needed_rows(alpha: float) -> int:
    r"""The smallest number of scores that bound the next one with probability :math:`1 - \alpha`.

    Parameters
    ----------
    alpha : float
        Share of new rows that may be outside, between 0 and 1.

    Examples
    --------
    >>> needed_rows(0.1), needed_rows(0.05)
    (9, 19)
    """
    return math.ceil(1 / Fraction(repr(float(alpha)))) - 1


def conformal_quantile(
    scores: ArrayLike, alpha: float, weight: ArrayLike | None = None, own_weight: float = 1.0
) -> float:
    r"""The score that a new one exceeds with probability of at most :math:`\alpha`.

    Of n scores it is the :math:`\lceil (1 - \alpha)(n + 1) \rceil`-th smallest, never interpolated.
    With weights, scores have masses :math:`w_i / (\sum w + w)` and the new row has the rest, at
    infinity; it is the smallest score whose cumulative mass reaches :math:`1 - \alpha`.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Scores of rows that the model has not seen.
    alpha : float
        Share of new rows that may be outside, between 0 and 1.
    weight : array-like of shape (n,), optional
        How much each row resembles future rows.
    own_weight : float, default=1.0
        The weight of the new row.

    Returns
    -------
    float
        Infinite when there are too few scores.

    References
    ----------
    .. [1] Vovk, Gammerman & Shafer, "Algorithmic Learning in a Random World" (2005).
    .. [2] Tibshirani, Barber, Candès & Ramdas, "Conformal prediction under covariate shift",
       NeurIPS 32 (2019).

    Examples
    --------
    >>> conformal_quantile([0.5, -1.0, -0.1, 1.0, -0.5], 0.2)
    1.0
    >>> conformal_quantile([1.0, 2.0, 3.0], 0.1)
    inf
    """
    given = np.asarray(scores, dtype=np.float64)
    if weight is None:
        rank = ranks_of(len(given), alpha)[1]
        return math.inf if rank > len(given) else float(np.partition(given, rank - 1)[rank - 1])
    return float(conformal_quantiles(given, alpha, weight, [own_weight])[0])


def conformal_quantiles(
    scores: ArrayLike, alpha: float, weight: ArrayLike, own_weights: ArrayLike
) -> NDArray[np.float64]:
    """`conformal_quantile` for many new rows, each with a weight of its own.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Scores of rows that the model has not seen.
    alpha : float
        Share of new rows that may be outside, between 0 and 1.
    weight : array-like of shape (n,)
        How much each row resembles future rows.
    own_weights : array-like of shape (n_new,)
        The weights of the new rows.

    Returns
    -------
    ndarray of shape (n_new,)

    Examples
    --------
    >>> conformal_quantiles([1.0, 2.0, 3.0], 0.4, [1.0, 1.0, 1.0], [0.1, 1.0, 9.0])
    array([ 2.,  3., inf])
    """
    ranks_of(1, alpha)  # refuses what is no share
    given = np.asarray(scores, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    mass = np.append(0.0, np.cumsum(np.asarray(weight, dtype=np.float64)[order]))
    wanted = (1.0 - alpha) * (mass[-1] + np.asarray(own_weights, dtype=np.float64))
    place = np.searchsorted(mass[1:], wanted * (1.0 - 1e-12), side="left")
    return np.asarray(np.append(given[order], math.inf)[place])
