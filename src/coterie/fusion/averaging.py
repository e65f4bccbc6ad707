"""Averages of members: simple, weighted and robust."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import member_weights, numbers_of
from coterie.fusion.sums import sum_of_members

Array = NDArray[np.float64]


def average(outputs: Any, weights: Any = None) -> Array:
    r"""Simple or weighted average: the mean, or sum, rule.

    .. math:: H(x) = \sum_t w_t h_t(x) \Big/ \sum_t w_t

    If members are about equally good, the simple average is hard to beat [1]_.

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, outputs)
        Numbers, or probabilities of classes.
    weights : array-like of shape (members,), optional
        Weights of the members; equal by default. They may be negative, and are divided by their
        sum; see `weighted_sum` for weights to be taken as they are.

    Returns
    -------
    ndarray of shape (samples,) or (samples, outputs)

    References
    ----------
    .. [1] Perrone & Cooper, "When networks disagree: ensemble methods for hybrid neural networks"
       (1993); for classes Kittler, Hatef, Duin & Matas, "On combining classifiers", IEEE Trans.
       Pattern Anal. Mach. Intell. 20 (1998).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.average([[1.0, 2.0], [3.0, 6.0]])
    array([2., 4.])
    >>> fusion.average([[1.0, 2.0], [3.0, 6.0]], [3, 1])
    array([1.5, 3. ])
    """
    members: Array = numbers_of(outputs)
    weight = member_weights(weights, len(members), signed=True)
    total = weight.sum()
    if total == 0:
        raise DataError("The weights sum to zero, so the average is undefined.")
    return sum_of_members(weight / total, members)


def weighted_sum(outputs: Any, weights: Any) -> Array:
    r"""Weighted sum, without normalising the weights.

    .. math:: H(x) = \sum_t w_t h_t(x)

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, outputs)
        Numbers.
    weights : array-like of shape (members,)
        Weights of the members, such as those of `nnls_weights`.

    Returns
    -------
    ndarray of shape (samples,) or (samples, outputs)

    References
    ----------
    .. [1] Breiman, "Stacked regressions", Mach. Learn. 24 (1996).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.weighted_sum([[1.0, 2.0], [3.0, 6.0]], [1, 0.5])
    array([2.5, 5. ])
    """
    members: Array = numbers_of(outputs)
    weight = member_weights(weights, len(members), signed=True)
    return sum_of_members(weight, members)


def median(outputs: Any, *, normalise: bool = True) -> Array:
    r"""Median rule, robust to single outlying members.

    .. math:: \mu_k(x) \propto \operatorname{median}_t P_t(c_k | x)

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, classes)
        Numbers, or probabilities of the classes.
    normalise : bool, default=True
        Whether probabilities that are returned sum to one over the classes.

    Returns
    -------
    ndarray of shape (samples,) or (samples, classes)

    References
    ----------
    .. [1] Kittler, Hatef, Duin & Matas, "On combining classifiers", IEEE Trans. Pattern Anal.
       Mach. Intell. 20 (1998).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.median([[[0.7, 0.2, 0.1]], [[0.3, 0.4, 0.3]], [[0.15, 0.5, 0.35]]])
    array([[0.3, 0.4, 0.3]])
    """
    members = support_of(outputs, 2, 3, normalise=normalise)
    return finish(np.median(members, axis=0), members, normalise)


def trimmed_mean(outputs: Any, cut: float = 0.2, *, normalise: bool = True) -> Array:
    r"""Trimmed mean: the mean without the smallest and the largest values.

    :math:`\lfloor \alpha T \rfloor` members are dropped at each end, separately for each class. If
    none are dropped it is the `average`; if all but the middle, the `median` [1]_.

    .. math:: \mu_k(x) \propto \frac{1}{T - 2 \lfloor \alpha T \rfloor}
        \sum_{t = \lfloor \alpha T \rfloor + 1}^{T - \lfloor \alpha T \rfloor} P_{(t)}(c_k | x)

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, classes)
        Numbers, or probabilities of the classes.
    cut : float, default=0.2
        Share :math:`\alpha` of the members to drop at each end, below one half.
    normalise : bool, default=True
        Whether probabilities that are returned sum to one over the classes.

    Returns
    -------
    ndarray of shape (samples,) or (samples, classes)

    References
    ----------
    .. [1] Tukey, "A survey of sampling from contaminated distributions" (1960).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.trimmed_mean([[1.0], [2.0], [3.0], [4.0], [100.0]])
    array([3.])
    """
    if not 0 <= cut < 0.5:
        raise ValueError(f"cut must be at least 0 and below 0.5, not {cut}.")
    members = support_of(outputs, 2, 3, normalise=normalise)
    # Shares such as 0.29 of 100 must not lose a member to rounding.
    n_cut = int(np.floor(cut * len(members) + 1e-9))
    if n_cut == 0:
        return finish(members.mean(axis=0), members, normalise)
    kept = np.sort(members, axis=0)[n_cut : len(members) - n_cut]
    return finish(kept.mean(axis=0), members, normalise)


def ordered_average(outputs: Any, weights: Any, *, normalise: bool = True) -> Array:
    r"""Average with weights by rank: ordered weighted averaging.

    .. math:: \mu_k(x) \propto \sum_t w_t P_{(t)}(c_k | x), \qquad
        P_{(1)} \ge P_{(2)} \ge \dots

    The first weight belongs to the largest value, whichever member gives it [1]_.

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, classes)
        Numbers, or probabilities of the classes.
    weights : array-like of shape (members,)
        Weights by rank, not negative; they are divided by their sum.
    normalise : bool, default=True
        Whether probabilities that are returned sum to one over the classes.

    Returns
    -------
    ndarray of shape (samples,) or (samples, classes)

    References
    ----------
    .. [1] Yager, "On ordered weighted averaging aggregation operators in multicriteria
       decisionmaking", IEEE Trans. Syst. Man Cybern. 18 (1988).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.ordered_average([[1.0], [5.0], [2.0]], [1, 1, 0])
    array([3.5])
    """
    members = support_of(outputs, 2, 3, normalise=normalise)
    weight = member_weights(weights, len(members))
    ranked = np.sort(members, axis=0)[::-1]
    return finish(sum_of_members(weight / weight.sum(), ranked), members, normalise)


def support_of(outputs: Any, *ndim: int, normalise: bool = True) -> Array:
    """Members' numbers, which are not negative if they are probabilities."""
    members: Array = numbers_of(outputs, "outputs", ndim)
    if members.ndim == 3 and normalise and members.min() < 0:
        raise DataError("Probabilities must not be negative. For regression, set normalise=False.")
    return members


def finish(combined: Array, members: Array, normalise: bool) -> Array:
    """Normalise the classes to sum to one; where all are zero, use the average of the members."""
    if len(members) == 1 and normalise:
        return np.array(members[0])
    if combined.ndim == 1 or not normalise:
        return combined
    total = combined.sum(axis=1, keepdims=True)
    none = total[:, 0] == 0
    if none.any():
        combined[none] = members[:, none].mean(axis=0)
        total[none, 0] = combined[none].sum(axis=1)
    # Members that support no class at all leave nothing to divide.
    even = np.full_like(combined, 1.0 / combined.shape[1])
    return np.asarray(np.divide(combined, total, out=even, where=total > 0))
