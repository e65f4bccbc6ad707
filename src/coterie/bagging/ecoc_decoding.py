"""From the answers of the columns back to a class, by how far each row of the code is.

Scores are real, positive for the side of +1; their size says how sure a column is. Every function
takes a code of shape (K, L) and scores of shape (n, L) and returns distances of shape (n, K): the
class of the smallest is the answer.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_STEEP = 50.0  # exp of more is as good as certain, and sums stay exact
_FLOOR = 1e-12  # probabilities are not taken below
_DECIMALS = 10  # distances closer than rounding are ties, whatever the order of additions

#: Losses of a margin z, the larger the worse.
LOSSES: dict[str, Callable[[Array], Array]] = {
    "exponential": lambda z: np.exp(-np.clip(z, -_STEEP, _STEEP)),
    "logistic": lambda z: np.logaddexp(0.0, -2 * z),
    "hinge": lambda z: np.maximum(0.0, 1 - z),
    "squared": lambda z: (1 - z) ** 2,
    "linear": lambda z: -z,
}


def hamming(code: NDArray[np.int8], scores: Array) -> Array:
    r"""Answers that differ: :math:`\sum_s (1 - \operatorname{sign}(M_{ks} f_s)) / 2`.

    A zero of the code, or a score of zero, counts one half.

    Examples
    --------
    >>> hamming(np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]]), np.array([[0.4, -0.6, 0.1]]))
    array([[1.5, 1.5, 1.5]])
    """
    return (code.shape[1] - np.sign(scores) @ code.T) / 2


def loss_based(code: NDArray[np.int8], scores: Array, loss: str = "exponential") -> Array:
    r"""Total loss were the class right: :math:`\sum_s \ell(M_{ks} f_s)`.

    References
    ----------
    .. [1] Allwein, Schapire & Singer, "Reducing multiclass to binary", J. Mach. Learn. Res. 1
       (2000).

    Examples
    --------
    >>> code = np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
    >>> loss_based(code, np.array([[0.4, -0.6, 0.1]])).round(3)
    array([[3.492, 3.397, 2.654]])
    """
    return weighted(code, scores, np.ones(code.shape), loss)


def weighted(
    code: NDArray[np.int8], scores: Array, weights: Array, loss: str = "exponential"
) -> Array:
    r"""Loss with a weight for every class and column: :math:`\sum_s W_{ks}\,\ell(M_{ks} f_s)`.

    Parameters
    ----------
    code : ndarray of shape (n_classes, n_columns)
        The code.
    scores : ndarray of shape (n_rows, n_columns)
        Answers of the columns.
    weights : ndarray of shape (n_classes, n_columns)
        How much to trust each column about each class, see `reliability`.
    loss : str
        A name from `LOSSES`.

    References
    ----------
    .. [1] Escalera, Pujol & Radeva, "On the decoding process in ternary error-correcting output
       codes", IEEE Trans. Pattern Anal. Mach. Intell. 32 (2010).
    """
    ell = LOSSES[loss]
    # An entry is -1, 0 or 1: three sums of products stand for a tensor of (n, K, L).
    total = ell(scores) @ (weights * (code == 1)).T
    total += ell(-scores) @ (weights * (code == -1)).T
    total += ell(np.zeros(1)) * (weights * (code == 0)).sum(axis=1)
    return np.round(total, _DECIMALS)


def reliability(code: NDArray[np.int8], hits: Array) -> Array:
    """Weights of `weighted` from the share of rows of each class that each column has right.

    A zero of the code has weight zero, and the weights of a class add up to one, so that classes
    with more zeros are neither favoured nor punished.

    Parameters
    ----------
    code : ndarray of shape (n_classes, n_columns)
        The code.
    hits : ndarray of shape (n_classes, n_columns)
        Shares of right answers; whatever stands where the code is zero is not used.

    Examples
    --------
    >>> code = np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
    >>> reliability(code, np.array([[1, 0.5, 0], [1, 0, 1], [0, 1, 1]])).round(2)
    array([[0.67, 0.33, 0.  ],
           [0.5 , 0.  , 0.5 ],
           [0.  , 0.5 , 0.5 ]])
    """
    weights = np.where(code == 0, 0.0, hits)
    # A class that no column ever has right still needs weights.
    weights = np.where(weights.any(axis=1, keepdims=True), weights, code != 0)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def probability(code: NDArray[np.int8], scores: Array) -> Array:
    r"""Minus the log-probability of the row's bits: :math:`-\sum_s \log P(\text{bit}_s = M_{ks})`.

    Scores are :math:`2p - 1` for a probability p of the side of +1; a zero of the code has
    probability one half. Columns are taken as independent.

    Examples
    --------
    >>> np.exp(-probability(np.array([[1, 0], [-1, 1]]), np.array([[0.6, -0.2]]))).round(3)
    array([[0.4 , 0.08]])
    """
    log_up = np.log(np.clip((1 + scores) / 2, _FLOOR, 1.0))
    log_down = np.log(np.clip((1 - scores) / 2, _FLOOR, 1.0))
    total = log_up @ (code == 1).T.astype(np.float64)
    total += log_down @ (code == -1).T.astype(np.float64)
    total += np.log(0.5) * (code == 0).sum(axis=1)
    return np.round(-total, _DECIMALS)
