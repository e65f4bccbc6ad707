"""How badly a class fits a row, by the probabilities of all classes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Score = Literal["lac", "aps", "raps"]


def class_scores(
    probabilities: ArrayLike,
    method: Score = "raps",
    u: ArrayLike | None = None,
    *,
    lambda_: float = 0.01,
    k_reg: int = 5,
) -> Array:
    r"""Conformity scores of every class for every row; sets contain the classes with low scores.

    With classes in the order of decreasing probabilities, r the rank of class y from 1 and
    :math:`c_r` the sum of the first r probabilities:

    * "lac": :math:`1 - \hat p_y`;
    * "aps": :math:`c_r - u \, \hat p_{(r)}`, classes from the most probable down;
    * "raps": the same plus :math:`\lambda \max(0, r - k_{reg})`, which keeps sets small.

    Parameters
    ----------
    probabilities : array-like of shape (n_samples, n_classes)
        Class probabilities.
    method : {"lac", "aps", "raps"}, default="raps"
        The score.
    u : array-like of shape (n_samples,), optional
        Uniform random numbers; without them the term is dropped, and sets tend to be larger.
    lambda_ : float, default=0.01
        Penalty for each rank beyond `k_reg`.
    k_reg : int, default=5
        Number of ranks without a penalty.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    References
    ----------
    .. [1] Sadinle, Lei & Wasserman, "Least ambiguous set-valued classifiers with bounded error
       levels", J. Am. Stat. Assoc. 114 (2019).
    .. [2] Romano, Sesia & Candès, "Classification with valid and adaptive coverage", NeurIPS 33
       (2020).
    .. [3] Angelopoulos, Bates, Jordan & Malik, "Uncertainty sets for image classifiers using
       conformal prediction", ICLR (2021).

    Examples
    --------
    >>> class_scores([[0.3, 0.25, 0.2, 0.15, 0.1]], "aps", [0.5]).round(3)
    array([[0.15 , 0.425, 0.65 , 0.825, 0.95 ]])
    >>> class_scores([[0.6, 0.3, 0.1]], "lac")
    array([[0.4, 0.7, 0.9]])
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if method == "lac":
        return np.asarray(1.0 - p)
    if method not in ("aps", "raps"):
        raise ValueError(f"method={method!r} is not allowed; use 'lac', 'aps' or 'raps'.")
    order = np.argsort(-p, axis=1, kind="stable")
    ranked = np.take_along_axis(p, order, axis=1)
    sums = np.cumsum(ranked, axis=1)
    if u is not None:
        sums = sums - np.asarray(u, dtype=np.float64)[:, None] * ranked
    if method == "raps":
        ranks = np.arange(1, p.shape[1] + 1)
        sums = sums + lambda_ * np.maximum(0, ranks - k_reg)
    scores = np.empty_like(sums)
    np.put_along_axis(scores, order, sums, axis=1)
    return scores


def true_ranks(probabilities: ArrayLike, codes: ArrayLike) -> NDArray[np.int64]:
    """The rank of the true class of every row by decreasing probability, from 1.

    Parameters
    ----------
    probabilities : array-like of shape (n_samples, n_classes)
        Class probabilities.
    codes : array-like of int of shape (n_samples,)
        Positions of the true classes.

    Examples
    --------
    >>> true_ranks([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1]], [0, 0])
    array([1, 2])
    """
    p, truth = np.asarray(probabilities, dtype=np.float64), np.asarray(codes)
    order = np.argsort(-p, axis=1, kind="stable")
    return np.argmax(order == truth[:, None], axis=1) + 1
