"""Weights for voting, by accuracy and by likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import numbers_of, sample_weights

Array = NDArray[np.float64]


def log_loss_weights(
    probabilities: Any,
    y: Any,
    *,
    classes: Any = None,
    max_iter: int = 2000,
    tol: float = 1e-10,
    sample_weight: Any = None,
) -> Array:
    r"""Convex weights that minimise the log-loss of the averaged probabilities.

    .. math:: \max_w \sum_i \ln \sum_t w_t P_t(y_i | x_i)

    by expectation maximisation, :math:`w_t \leftarrow \frac1n \sum_i
    w_t P_t(y_i) / \sum_s w_s P_s(y_i)`, which never makes it worse [1]_.

    Parameters
    ----------
    probabilities : array-like of shape (members, samples, classes)
        Probabilities of the classes of samples the members had not seen.
    y : array-like of shape (samples,)
        True labels.
    classes : array-like of shape (classes,), optional
        Classes of the columns, in increasing order; by default 0, 1, and so on.
    max_iter : int, default=2000
        Steps at most.
    tol : float, default=1e-10
        End when no weight changes by more.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of shape (members,)

    References
    ----------
    .. [1] Dempster, Laird & Rubin, "Maximum likelihood from incomplete data via the EM algorithm",
       J. R. Stat. Soc. B 39 (1977).

    Examples
    --------
    >>> from coterie import fusion
    >>> good, bad = [[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [0.6, 0.4]]
    >>> fusion.log_loss_weights([good, bad], [0, 1]).round(6)
    array([1., 0.])
    """
    members: Array = numbers_of(probabilities, "probabilities", (3,))
    known = np.arange(members.shape[2]) if classes is None else np.asarray(classes)
    truth = np.asarray(y)
    if truth.shape != members.shape[1:2]:
        raise DataError(f"y must have shape {members.shape[1:2]}, not {truth.shape}.")
    hot = truth[:, None] == known
    if members.shape[2] != len(known) or not hot.any(axis=1).all():
        raise DataError("y contains a label that is not one of the classes.")
    own = np.maximum((members * hot).sum(axis=2), 1e-12)
    share = sample_weights(sample_weight, len(truth))
    share = np.full(len(truth), 1.0 / len(truth)) if share is None else share / share.sum()
    weight = np.full(len(members), 1.0 / len(members))
    for _ in range(max_iter):
        before = weight
        weight = weight * ((own / (weight @ own)) @ share)
        weight /= weight.sum()
        if np.abs(weight - before).max() <= tol:
            break
    return weight


def accuracy_weights(accuracies: Any) -> Array:
    r"""Voting weights in proportion to the accuracy.

    .. math:: w_t = p_t \Big/ \sum_s p_s

    Simple, and close to equal; for independent members `log_odds_weights` are the best [1]_.

    Parameters
    ----------
    accuracies : array-like of shape (members,)
        Estimated accuracies.

    Returns
    -------
    ndarray of shape (members,)
        They sum to one.

    References
    ----------
    .. [1] Opitz & Shavlik, "Generating accurate and diverse members of a neural-network ensemble",
       NIPS 8 (1996).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.accuracy_weights([0.9, 0.6, 0.5])
    array([0.45, 0.3 , 0.25])
    """
    right = _accuracies(accuracies)
    if not right.any():
        raise DataError("No member is right on any sample.")
    return np.asarray(right / right.sum())


def log_odds_weights(accuracies: Any, *, n_classes: int = 2, n_samples: int | None = None) -> Array:
    r"""The optimal voting weights of independent members.

    .. math:: w_t = \ln \frac{p_t (K - 1)}{1 - p_t}

    if errors fall evenly on the other :math:`K - 1` classes; with the logarithms of the priors as
    `start` of `plurality`. A member worse than chance gets a negative weight [1]_.

    Parameters
    ----------
    accuracies : array-like of shape (members,)
        Estimated accuracies.
    n_classes : int, default=2
        Number of classes, K.
    n_samples : int, optional
        On how many samples they were estimated: accuracies are kept :math:`1/2n` away from 0 and 1.
        By default 1e-12.

    Returns
    -------
    ndarray of shape (members,)

    References
    ----------
    .. [1] Shapley & Grofman, "Optimizing group judgmental accuracy in the presence of
       interdependencies", Public Choice 43 (1984); Kuncheva, "Combining pattern classifiers"
       (2004), section 4.3.

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.log_odds_weights([0.9, 0.6, 0.6])
    array([2.197, 0.405, 0.405])
    """
    right = _accuracies(accuracies)
    if n_classes < 2:
        raise ValueError("n_classes must be at least two.")
    if n_samples is not None and n_samples < 1:
        raise ValueError("n_samples must be at least one.")
    edge = 1e-12 if n_samples is None else 0.5 / n_samples
    right = np.clip(right, edge, 1.0 - edge)
    return np.asarray(np.log(right * (n_classes - 1) / (1.0 - right)))


def _accuracies(accuracies: Any) -> Array:
    right: Array = numbers_of(accuracies, "accuracies", (1,))
    if right.min() < 0 or right.max() > 1:
        raise DataError("Accuracies must lie between zero and one.")
    return right
