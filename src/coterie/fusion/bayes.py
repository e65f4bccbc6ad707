"""Bayesian weights of members and of combinations of members."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, xlogy

from coterie.data.errors import DataError
from coterie.data.outputs import member_weights, numbers_of, truthful_codes

Array = NDArray[np.float64]

# Cells of the counted votes of several combinations at once.
_BLOCK_CELLS = 1 << 22


def posterior_weights(log_likelihoods: Any, prior: Any = None) -> Array:
    r"""Posterior probabilities of the members: Bayesian model averaging.

    .. math:: w_t = P(h_t | D) \propto \pi_t \, P(D | h_t)

    They estimate which member is the true model, not how to combine several imperfect ones, and
    soon give all the weight to one [1]_.

    Parameters
    ----------
    log_likelihoods : array-like of shape (members,)
        Logarithms of :math:`P(D | h_t)`; minus one half of BIC or AIC approximates them.
    prior : array-like of shape (members,), optional
        Prior probabilities of the members; equal by default.

    Returns
    -------
    ndarray of shape (members,)
        They sum to one; equal if all likelihoods are zero.

    References
    ----------
    .. [1] Hoeting, Madigan, Raftery & Volinsky, "Bayesian model averaging: a tutorial", Stat. Sci.
       14 (1999).

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import fusion
    >>> bic = np.array([100, 102, 110])
    >>> fusion.posterior_weights(-bic / 2)
    array([0.727475, 0.267623, 0.004902])
    """
    logs = np.asarray(log_likelihoods, dtype=np.float64)
    if logs.ndim != 1 or not len(logs) or np.isnan(logs).any() or (logs == np.inf).any():
        raise DataError("log_likelihoods must be numbers, of shape (members,).")
    before = member_weights(prior, len(logs))
    with np.errstate(divide="ignore"):
        logs = logs + np.log(before / before.sum())
    if np.isneginf(logs).all():
        return np.full(len(logs), 1.0 / len(logs))
    return np.asarray(np.exp(logs - logsumexp(logs)))


def noise_log_likelihood(
    mistakes: Any, n_samples: int, *, n_classes: int = 2, noise: Any = None
) -> Array:
    r"""Log-likelihood of classifiers under uniform label noise.

    .. math:: \ln P(D | h) = (n - e) \ln (1 - \epsilon) + e \ln \frac{\epsilon}{K - 1}

    with :math:`e` mistakes of :math:`n`, for `posterior_weights` [1]_.

    Parameters
    ----------
    mistakes : array-like of shape (members,)
        How many of the samples each member gets wrong.
    n_samples : int
        Number of samples.
    n_classes : int, default=2
        Number of classes, K.
    noise : float or array-like of shape (members,), optional
        The rate :math:`\epsilon`; by default the members' mean error. Rates are kept
        :math:`1/(n + 2)` away from 0 and 1.

    Returns
    -------
    ndarray of shape (members,)

    References
    ----------
    .. [1] Domingos, "Bayesian averaging of classifiers and the overfitting problem", ICML (2000).

    Examples
    --------
    >>> from coterie import fusion
    >>> logs = fusion.noise_log_likelihood([10, 12, 20], 100, noise=0.1)
    >>> fusion.posterior_weights(logs).round(6)
    array([0.987805, 0.012195, 0.      ])
    """
    wrong: Array = numbers_of(mistakes, "mistakes", (1,))
    if n_samples < 1 or n_classes < 2 or wrong.min() < 0 or wrong.max() > n_samples:
        raise DataError("There must be at least two classes, and at most n_samples mistakes.")
    rate = wrong.mean() / n_samples if noise is None else np.asarray(noise, dtype=np.float64)
    edge = 1.0 / (n_samples + 2)
    rate = np.clip(rate, edge, 1.0 - edge)
    return np.asarray(
        (n_samples - wrong) * np.log1p(-rate) + wrong * np.log(rate / (n_classes - 1))
    )


def combination_weights(
    labels: Any, y: Any, *, n_draws: int = 1000, random_state: int = 0
) -> Array:
    r"""Mean of weight vectors, weighted by their likelihood: Bayesian model combination.

    .. math:: w = \frac{\sum_s e^{l_s} v_s}{\sum_s e^{l_s}}, \qquad v_s \sim Dirichlet(1), \qquad
        l_s = n \Big[(1 - e_s) \ln (1 - e_s) + e_s \ln \frac{e_s}{K - 1}\Big]

    with :math:`e_s` the error of the plurality vote under weights :math:`v_s`. Unlike
    `posterior_weights` it looks for the best combination, not for the best member [1]_. An error
    above that of chance counts as chance, so that votes that are mostly wrong are not likely.

    Parameters
    ----------
    labels : array-like of shape (members, samples)
        The members' labels for samples they have not seen.
    y : array-like of shape (samples,)
        True labels.
    n_draws : int, default=1000
        How many weight vectors are drawn.
    random_state : int, default=0
        Seed of the draws.

    Returns
    -------
    ndarray of shape (members,)
        They sum to one.

    References
    ----------
    .. [1] Monteith, Carroll, Seppi & Martinez, "Turning Bayesian model averaging into Bayesian
       model combination", IJCNN (2011).

    Examples
    --------
    >>> from coterie import fusion
    >>> weights = fusion.combination_weights([[1, 1, 1, 1], [0, 0, 1, 0]], [1, 1, 1, 0])
    >>> bool(weights[0] > weights[1]), float(weights.sum().round(12))
    (True, 1.0)
    """
    if n_draws < 1:
        raise ValueError("n_draws must be at least one.")
    codes, truth, classes = truthful_codes(labels, y)
    n_samples, n_classes = len(truth), max(2, len(classes))
    draws = np.random.default_rng(random_state).dirichlet(np.ones(len(codes)), n_draws)
    errors = np.zeros(n_draws)
    step = max(1, _BLOCK_CELLS // (n_draws * n_classes))
    for start in range(0, n_samples, step):
        part = codes[:, start : start + step]
        votes = np.stack([draws @ (part == k) for k in range(len(classes))])
        errors += (votes.argmax(axis=0) != truth[start : start + step]).sum(axis=1)
    errors /= n_samples
    errors = np.clip(errors, 1.0 / (n_samples + 2), (n_classes - 1) / n_classes)
    likely = n_samples * (
        xlogy(1.0 - errors, 1.0 - errors) + xlogy(errors, errors / (n_classes - 1))
    )
    return np.asarray(posterior_weights(likely) @ draws)
