"""Margins of votes, and the bounds on the test error that they imply."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import counted_votes, member_weights, numbers_of, truthful_codes
from coterie.theory.decomposition import class_positions, shares_of

Array = NDArray[np.float64]


def margins(votes: Any, y: Any, weights: Any = None, *, classes: Any = None) -> Array:
    r"""Margins of a weighted vote: how clearly it decides for the true class.

    .. math:: m_i = \frac{v_y(x_i) - \max_{k \ne y} v_k(x_i)}{\sum_t |w_t|}

    with :math:`v_k` the weighted votes for class :math:`k`: 1 if all members are right, -1 if all
    give the same wrong class, below 0 where the vote is wrong [1]_.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, or probabilities of the classes.
    y : array-like of shape (samples,)
        True labels.
    weights : array-like of shape (members,), optional
        Weights of the members; equal by default. A negative weight inverts the vote of its member.
    classes : array-like of shape (classes,), optional
        Classes of the probability columns, in increasing order; by default 0, 1, and so on. Not for
        labels.

    Returns
    -------
    ndarray of shape (samples,)

    References
    ----------
    .. [1] Schapire, Freund, Bartlett & Lee, "Boosting the margin: a new explanation for the
       effectiveness of voting methods", Ann. Statist. 26 (1998).

    Examples
    --------
    >>> from coterie import theory
    >>> theory.margins([list("aab"), list("abc"), list("abc")], list("aaa"), [2, 1, 1])
    array([ 1. ,  0. , -0.5])
    """
    array = np.asarray(votes)
    if array.ndim == 3:
        members: Array = numbers_of(array)
        truth = class_positions(y, members.shape[2], classes)
        weight = member_weights(weights, len(members), signed=True)
        voted = np.tensordot(weight, members, axes=1)
    else:
        if classes is not None:
            raise DataError("`classes` is only for probabilities; omit it for labels.")
        codes, truth, labels = truthful_codes(array, y)
        weight = member_weights(weights, len(codes), signed=True)
        # A second class without votes stands for the rest where all say the same.
        voted = counted_votes(codes, weight, max(2, len(labels)))
    samples = np.arange(len(truth))
    if len(voted) != len(truth):
        raise DataError(f"y has {len(truth)} labels, but members vote on {len(voted)} samples.")
    own = voted[samples, truth]
    voted[samples, truth] = -np.inf
    return np.asarray((own - voted.max(axis=1)) / np.abs(weight).sum())


def margin_distribution(
    margins: Any, thresholds: Any = None, *, sample_weight: Any = None
) -> tuple[Array, Array]:
    r"""Share of samples whose margin is at most a threshold: the distribution of the margins.

    .. math:: F(\theta) = P(m \le \theta)

    The error of the vote lies between :math:`P(m < 0)` and :math:`F(0)`, according to how ties
    are decided; large margins explain why boosting goes on improving [1]_.

    Parameters
    ----------
    margins : array-like of shape (samples,)
        Margins.
    thresholds : array-like, optional
        Thresholds; by default every margin that occurs.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    thresholds : ndarray
        In increasing order by default.
    share : ndarray of the same shape

    References
    ----------
    .. [1] Schapire, Freund, Bartlett & Lee, "Boosting the margin: a new explanation for the
       effectiveness of voting methods", Ann. Statist. 26 (1998).

    Examples
    --------
    >>> from coterie import theory
    >>> theory.margin_distribution([1.0, 0.0, -0.5, 1.0])
    (array([-0.5,  0. ,  1. ]), array([0.25, 0.5 , 1.  ]))
    """
    values: Array = numbers_of(margins, "margins", (1,))
    share = shares_of(sample_weight, len(values))
    order = np.argsort(values, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(share[order])])
    where = np.unique(values) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    below = np.searchsorted(values[order], where, side="right")
    return where, np.minimum(total[below], 1.0)


def margin_bound(
    margins: Any,
    theta: Any,
    *,
    n_hypotheses: float | None = None,
    vc_dimension: int | None = None,
    delta: float = 0.05,
) -> Any:
    r"""Bound on the test error of a vote, from its margins on the training samples.

    With probability of at least :math:`1 - \delta` over :math:`m` training samples with two
    classes, for all weights of members out of :math:`H`, all :math:`\theta > 0` and all :math:`N`,

    .. math::
        P(y f \le 0) \le \hat P(y f \le \theta) + 2 e^{-N \theta^2 / 8} +
        \sqrt{\frac{1}{2m} \ln \frac{N (N + 1)^2 |H|^N}{\delta}}

    The best :math:`N` is taken. The number of members does not appear [1]_. For an infinite class
    of members with VC dimension :math:`d`, Devroye's inequality puts
    :math:`4 e^8 (e m^2 / d)^{dN}` in place of :math:`|H|^N`. The bound is loose: it needs very many
    samples to say anything, and is one otherwise. It holds for all :math:`\theta` at once, so that
    the smallest of several may be taken.

    Parameters
    ----------
    margins : array-like of shape (samples,)
        Normalised margins of the training samples, between -1 and 1.
    theta : float or array-like
        Margins above zero.
    n_hypotheses : float, optional
        Number of candidate members, :math:`|H|`.
    vc_dimension : int, optional
        VC dimension of the class of members; give this or `n_hypotheses`.
    delta : float, default=0.05
        Probability with which the bound may fail.

    Returns
    -------
    float or ndarray of the shape of `theta`

    References
    ----------
    .. [1] Schapire, Freund, Bartlett & Lee, "Boosting the margin: a new explanation for the
       effectiveness of voting methods", Ann. Statist. 26 (1998), theorems 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import theory
    >>> clear = np.full(100_000, 0.5)
    >>> round(theory.margin_bound(clear, 0.4, n_hypotheses=100), 3)
    0.088
    """
    values: Array = numbers_of(margins, "margins", (1,))
    chosen = np.atleast_1d(np.asarray(theta, dtype=np.float64))
    _check_bound(chosen, n_hypotheses, vc_dimension, delta)
    n_samples = len(values)
    if vc_dimension is None:
        constant, per_draw = 0.0, float(np.log(float(n_hypotheses or 1)))
    else:
        constant = np.log(4.0) + 8.0
        per_draw = vc_dimension * (1.0 + 2.0 * np.log(n_samples) - np.log(vc_dimension))
    _, share = margin_distribution(values, chosen)
    bounds = np.empty(len(chosen))
    for place, t in enumerate(chosen):
        # Beyond this many draws the first term is nothing and the root only grows.
        most = 8.0 / t**2 * (np.log(n_samples) + 8.0) + 2.0
        draws = np.unique(np.geomspace(1.0, most, 500).round())
        counted = np.log(draws) + 2 * np.log(draws + 1) + draws * per_draw + constant
        root = np.sqrt((counted - np.log(delta)) / (2 * n_samples))
        bounds[place] = (2 * np.exp(-draws * t**2 / 8) + root).min()
    result = np.minimum(share + bounds, 1.0)
    return float(result[0]) if np.ndim(theta) == 0 else result.reshape(np.shape(theta))


def _check_bound(
    theta: Array, n_hypotheses: float | None, vc_dimension: int | None, delta: float
) -> None:
    if (n_hypotheses is None) == (vc_dimension is None):
        raise ValueError("Pass either n_hypotheses or vc_dimension.")
    if (n_hypotheses is not None and n_hypotheses < 1) or (
        vc_dimension is not None and vc_dimension < 1
    ):
        raise ValueError("n_hypotheses and vc_dimension must be at least one.")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie between zero and one, not {delta}.")
    if not (theta > 0).all():
        raise DataError("theta must be above zero.")
