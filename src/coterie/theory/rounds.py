"""Bounds on AdaBoost's training error, and the number of rounds needed."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import numbers_of

Array = NDArray[np.float64]


def training_error_bound(errors: Any, *, kind: Literal["product", "edge"] = "product") -> Array:
    r"""Bound on AdaBoost's training error after each round.

    .. math::
        \prod_{s \le t} 2 \sqrt{\epsilon_s (1 - \epsilon_s)} \le
        \exp\left(-2 \sum_{s \le t} \gamma_s^2\right), \qquad \gamma_s = \tfrac12 - \epsilon_s

    The product is also the mean of :math:`e^{-yF}` over the training samples [1]_.

    Parameters
    ----------
    errors : array-like of shape (rounds,)
        Weighted error of each member, :math:`\epsilon_t`.
    kind : {"product", "edge"}, default="product"
        The product, or the looser exponential of the edges.

    Returns
    -------
    ndarray of shape (rounds,)

    References
    ----------
    .. [1] Freund & Schapire, "A decision-theoretic generalization of on-line learning and an
       application to boosting", J. Comput. Syst. Sci. 55 (1997).

    Examples
    --------
    >>> from coterie import theory
    >>> theory.training_error_bound([3 / 10, 3 / 14, 3 / 22]).round(4)
    array([0.9165, 0.7521, 0.5162])
    """
    wrong = _errors(errors)
    if kind == "product":
        return np.asarray(np.cumprod(2.0 * np.sqrt(wrong * (1.0 - wrong))), dtype=np.float64)
    if kind != "edge":
        raise ValueError(f'kind must be "product" or "edge", not {kind!r}.')
    return np.asarray(np.exp(-2.0 * np.cumsum((0.5 - wrong) ** 2)))


def training_margin_bound(errors: Any, theta: float) -> Array:
    r"""Bound on the share of training samples with a margin of at most theta, after each round.

    .. math::
        \hat P(y f \le \theta) \le
        \prod_{s \le t} 2 \sqrt{\epsilon_s^{1 - \theta} (1 - \epsilon_s)^{1 + \theta}}

    For AdaBoost's normalised margins [1]_; with :math:`\theta = 0` it is `training_error_bound`.
    It falls exponentially as long as :math:`\theta < 2\gamma`, roughly.

    Parameters
    ----------
    errors : array-like of shape (rounds,)
        Weighted error of each member, :math:`\epsilon_t`.
    theta : float
        A margin between -1 and 1.

    Returns
    -------
    ndarray of shape (rounds,)

    References
    ----------
    .. [1] Schapire, Freund, Bartlett & Lee, "Boosting the margin: a new explanation for the
       effectiveness of voting methods", Ann. Statist. 26 (1998), theorem 5.

    Examples
    --------
    >>> from coterie import theory
    >>> theory.training_margin_bound([0.2, 0.2], 0.1).round(4)
    array([0.8574, 0.7352])
    """
    wrong = _errors(errors)
    if not -1 <= theta <= 1:
        raise DataError(f"theta must lie between -1 and 1, not {theta}.")
    steps = 2.0 * np.sqrt(wrong ** (1.0 - theta) * (1.0 - wrong) ** (1.0 + theta))
    return np.asarray(np.cumprod(steps), dtype=np.float64)


def rounds_needed(
    gamma: float,
    target: float | None = None,
    *,
    n_samples: int | None = None,
    kind: Literal["product", "edge"] = "edge",
) -> int:
    r"""Number of rounds that guarantees a given training error of AdaBoost.

    If every member's error is at most :math:`\frac12 - \gamma`, then

    .. math:: T \ge \frac{\ln (1 / \delta)}{2 \gamma^2}

    rounds bring the error down to :math:`\delta`, and more than :math:`\ln n / 2\gamma^2` to zero
    on :math:`n` samples of equal weight, of which one alone would be :math:`1/n` [1]_. The product
    bound replaces :math:`2\gamma^2` by :math:`-\frac12 \ln(1 - 4\gamma^2)`, which needs fewer.

    Parameters
    ----------
    gamma : float
        Advantage of the weakest member over chance, above zero and below one half.
    target : float, optional
        The required training error; by default zero.
    n_samples : int, optional
        Number of training samples; only without `target`.
    kind : {"edge", "product"}, default="edge"
        Which bound to use, see `training_error_bound`.

    Returns
    -------
    int

    References
    ----------
    .. [1] Freund & Schapire, "A decision-theoretic generalization of on-line learning and an
       application to boosting", J. Comput. Syst. Sci. 55 (1997).

    Examples
    --------
    >>> from coterie import theory
    >>> theory.rounds_needed(0.2, n_samples=10), theory.rounds_needed(0.2, 0.01)
    (29, 58)
    """
    if not 0 < gamma < 0.5:
        raise DataError(f"gamma must lie between zero and one half, not {gamma}.")
    if (target is None) == (n_samples is None):
        raise ValueError("Pass either target or n_samples.")
    if kind not in ("product", "edge"):
        raise ValueError(f'kind must be "product" or "edge", not {kind!r}.')
    rate = 2.0 * gamma**2 if kind == "edge" else -0.5 * math.log1p(-4.0 * gamma**2)
    if n_samples is not None:
        if n_samples < 1:
            raise DataError("n_samples must be at least one.")
        return max(1, math.floor(math.log(n_samples) / rate) + 1)
    if target is None or not 0 < target < 1:
        raise DataError(f"target must lie between zero and one, not {target}.")
    return math.ceil(-math.log(target) / rate)


def _errors(errors: Any) -> Array:
    array: Array = numbers_of(errors, "errors", (1,))
    if not ((array >= 0) & (array <= 1)).all():
        raise DataError("errors must lie between zero and one.")
    return array
