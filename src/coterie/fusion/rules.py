"""Rules that combine probabilities class by class, and by the ranks of the classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import member_weights, numbers_of
from coterie.fusion.averaging import average, finish, median, support_of, trimmed_mean

Array = NDArray[np.float64]


def product(
    support: Any, *, prior: Any = None, floor: float = 0.0, normalise: bool = True
) -> Array:
    r"""Product rule.

    .. math:: \mu_k(x) \propto \pi_k^{1 - T} \prod_t P_t(c_k | x)

    Optimal if members are independent given the class. One member's zero is a veto; if all classes
    are vetoed, the average is used instead. The factor of the priors is left out by default [1]_.

    Parameters
    ----------
    support : array-like of shape (members, samples, classes)
        Probabilities of the classes.
    prior : array-like of shape (classes,), optional
        Priors of the classes, above zero.
    floor : float, default=0
        Smaller probabilities are raised to this, so that there is no veto.
    normalise : bool, default=True
        Whether the result is normalised to sum to one over the classes.

    Returns
    -------
    ndarray of shape (samples, classes)

    References
    ----------
    .. [1] Kittler, Hatef, Duin & Matas, "On combining classifiers", IEEE Trans. Pattern Anal.
       Mach. Intell. 20 (1998).

    Examples
    --------
    >>> from coterie import fusion
    >>> rows = [[[0.7, 0.2, 0.1]], [[0.3, 0.4, 0.3]], [[0.15, 0.5, 0.35]]]
    >>> fusion.product(rows)
    array([[0.384, 0.488, 0.128]])
    """
    members = support_of(support, 3)
    logs = _logs(np.maximum(members, floor)).sum(axis=0)
    if prior is not None:
        chances = numbers_of(prior, "prior", (1,))
        if chances.shape != members.shape[2:] or chances.min() <= 0:
            raise DataError(f"prior must be {members.shape[2]} numbers above zero.")
        logs = logs + (1 - len(members)) * np.log(chances)
    return _of_logs(logs, members, normalise)


def geometric_mean(support: Any, *, normalise: bool = True) -> Array:
    r"""Geometric mean: the product rule at the scale of one member.

    .. math:: \mu_k(x) \propto \Big(\prod_t P_t(c_k | x)\Big)^{1/T}

    If all classes have a zero, the average is used instead [1]_.

    Parameters
    ----------
    support : array-like of shape (members, samples, classes)
        Probabilities of the classes.
    normalise : bool, default=True
        Whether the result is normalised to sum to one over the classes.

    Returns
    -------
    ndarray of shape (samples, classes)

    References
    ----------
    .. [1] Genest & Zidek, "Combining probability distributions", Stat. Sci. 1 (1986).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.geometric_mean([[[0.7, 0.2, 0.1]], [[0.3, 0.4, 0.3]], [[0.15, 0.5, 0.35]]]).round(3)
    array([[0.36, 0.39, 0.25]])
    """
    members = support_of(support, 3)
    return _of_logs(_logs(members).mean(axis=0), members, normalise)


def minimum(outputs: Any, *, normalise: bool = True) -> Array:
    r"""Minimum rule: the smallest support by any member.

    .. math:: \mu_k(x) \propto \min_t P_t(c_k | x)

    For two classes it decides like `maximum` [1]_. If all classes have a zero, the average is used
    instead.

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
    >>> rows = [[[0.7, 0.2, 0.1]], [[0.3, 0.4, 0.3]], [[0.15, 0.5, 0.35]]]
    >>> fusion.minimum(rows, normalise=False)
    array([[0.15, 0.2 , 0.1 ]])
    """
    members = support_of(outputs, 2, 3, normalise=normalise)
    return finish(members.min(axis=0), members, normalise)


def maximum(outputs: Any, *, normalise: bool = True) -> Array:
    r"""Maximum rule: the largest support by any member.

    .. math:: \mu_k(x) \propto \max_t P_t(c_k | x)

    For two classes it decides like `minimum` [1]_.

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
    >>> rows = [[[0.7, 0.2, 0.1]], [[0.3, 0.4, 0.3]], [[0.15, 0.5, 0.35]]]
    >>> fusion.maximum(rows, normalise=False)
    array([[0.7 , 0.5 , 0.35]])
    """
    members = support_of(outputs, 2, 3, normalise=normalise)
    return finish(members.max(axis=0), members, normalise)


def generalised_mean(support: Any, power: float, *, normalise: bool = True) -> Array:
    r"""Generalised mean, of which many rules are special cases.

    .. math:: \mu_k(x) \propto \Big(\frac1T \sum_t P_t(c_k | x)^q\Big)^{1/q}

    :math:`q = 1` is the `average`, 0 the `geometric_mean`, :math:`\pm\infty` `maximum` and
    `minimum`, -1 the harmonic mean [1]_.

    Parameters
    ----------
    support : array-like of shape (members, samples, classes)
        Probabilities of the classes.
    power : float
        The exponent :math:`q`.
    normalise : bool, default=True
        Whether the result is normalised to sum to one over the classes.

    Returns
    -------
    ndarray of shape (samples, classes)

    References
    ----------
    .. [1] Kuncheva, "Combining pattern classifiers" (2004), section 5.2.

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.generalised_mean([[[0.9, 0.1]], [[0.1, 0.9]], [[0.6, 0.4]]], 2.0)
    array([[0.523, 0.477]])
    """
    members = support_of(support, 3)
    if np.isnan(power):
        raise ValueError("power must be a number, not NaN.")
    if power == 0:
        return geometric_mean(members, normalise=normalise)
    if np.isinf(power):
        return (maximum if power > 0 else minimum)(members, normalise=normalise)
    with np.errstate(divide="ignore"):
        scale = np.where(members.max(axis=0) > 0, members.max(axis=0), 1.0)
        powers = (members / scale) ** power
        combined = scale * powers.mean(axis=0) ** (1.0 / power)
    return finish(combined, members, normalise)


def borda(support: Any, weights: Any = None) -> Array:
    r"""Borda count: each member ranks the classes, and ranks are added up.

    .. math:: B_k(x) = \sum_t w_t \, \big( \#\{j : P_t(c_j) < P_t(c_k)\} +
        \tfrac12 \#\{j \ne k : P_t(c_j) = P_t(c_k)\} \big)

    The best of K classes gets K - 1 points, the worst none, and tied ones share theirs. Only the
    order of the probabilities counts, not their scale [1]_.

    Parameters
    ----------
    support : array-like of shape (members, samples, classes)
        Probabilities or scores of the classes; for labels, their `one_hot` votes.
    weights : array-like of shape (members,), optional
        Weights of the members; equal by default.

    Returns
    -------
    ndarray of shape (samples, classes)
        Points.

    References
    ----------
    .. [1] Borda, "Mémoire sur les élections au scrutin" (1781); for classifiers Ho, Hull &
       Srihari, "Decision combination in multiple classifier systems", IEEE Trans. Pattern Anal.
       Mach. Intell. 16 (1994).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.borda([[[0.7, 0.2, 0.1]], [[0.3, 0.4, 0.3]], [[0.15, 0.5, 0.35]]])
    array([[2.5, 5. , 1.5]])
    """
    members: Array = numbers_of(support, "support", (3,))
    weight = member_weights(weights, len(members))
    points = np.empty(members.shape[1:])
    for k in range(members.shape[2]):
        own = members[:, :, k : k + 1]
        below = (members < own).sum(axis=2) + ((members == own).sum(axis=2) - 1) / 2
        points[:, k] = weight @ below
    return points


RULES: dict[str, Callable[..., Array]] = {
    "mean": average,
    "sum": average,
    "product": product,
    "geometric": geometric_mean,
    "min": minimum,
    "max": maximum,
    "median": median,
    "trimmed": trimmed_mean,
    "borda": borda,
}


def _logs(members: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(members))


def _of_logs(logs: Array, members: Array, normalise: bool) -> Array:
    """Numbers from logarithms, scaled before if only their ratios matter."""
    if normalise:
        top = logs.max(axis=1, keepdims=True)
        logs = logs - np.where(np.isfinite(top), top, 0.0)
    return finish(np.exp(logs), members, normalise)
