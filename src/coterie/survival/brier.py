"""Brier scores of survival curves, under censoring."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError
from coterie.survival.concordance import censoring_shares
from coterie.survival.outcomes import read_outcomes

Array = NDArray[np.float64]


def brier_score(
    y_train: Any,
    y: Any,
    survival: Any,
    times: Any,
    *,
    ties: Literal["left", "sksurv"] = "left",
) -> Array:
    r"""Brier score: the mean squared error of predicted survival probabilities, by time.

    .. math:: \frac1n \sum_i \left[ \frac{[t_i \le t, \delta_i]\, \hat S(t|x_i)^2}{G(t_i)} +
              \frac{[t_i > t] (1 - \hat S(t|x_i))^2}{G(t)} \right]

    where G, the probability of not yet being censored, corrects for censored rows.

    Parameters
    ----------
    y_train, y : structured array, frame, array-like of shape (n, 2) or pair
        Times and events: those from which G is estimated, and those to be evaluated.
    survival : array-like of shape (n, n_times)
        Result of `predict_survival_function` for the rows at `times`.
    times : array-like of shape (n_times,)
        When to look.
    ties : {"left", "sksurv"}, default="left"
        Whether :math:`G(t_i)` is taken just before the event, or at it, as scikit-survival does.

    Returns
    -------
    ndarray of shape (n_times,)

    References
    ----------
    .. [1] Graf et al., "Assessment and comparison of prognostic classification schemes for
       survival data", Stat. Med. 18 (1999).

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> y = make_outcomes([1, 1], [1.0, 3.0])
    >>> brier_score(y, y, [[0.2], [0.9]], [2.0])
    array([0.025])
    """
    event, time = read_outcomes(y)
    moments = np.atleast_1d(np.asarray(times, dtype=np.float64))
    said = np.asarray(survival, dtype=np.float64)
    if said.shape != (len(time), len(moments)):
        raise DataError(
            f"survival has shape {said.shape}; expected a row for each of the {len(time)} outcomes "
            f"and a column for each of the {len(moments)} times."
        )
    shares = np.ones(len(time))
    early = event & (time <= moments.max())
    shares[early] = censoring_shares(y_train, time[early], ties)
    later = time[:, None] > moments
    staying = np.ones(len(moments))
    some = later.any(axis=0)
    staying[some] = censoring_shares(y_train, moments[some], "at")
    dead = (event / shares)[:, None] * ~later * said**2
    return np.asarray((dead + later * (1.0 - said) ** 2 / staying).mean(axis=0))


def integrated_brier_score(
    y_train: Any,
    y: Any,
    survival: Any,
    times: Any,
    *,
    ties: Literal["left", "sksurv"] = "left",
) -> float:
    """The mean of `brier_score` over time, by the trapezoidal rule.

    Parameters
    ----------
    y_train, y, survival, times, ties : see brier_score
        The same as there; at least two times.

    Returns
    -------
    float
        0.25 for curves that are always one half.

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> y = make_outcomes([1, 1, 1], [1.0, 3.0, 4.0])
    >>> integrated_brier_score(y, y, [[0.5, 0.5]] * 3, [2.0, 3.5])
    0.25
    """
    moments = np.asarray(times, dtype=np.float64)
    if moments.ndim != 1 or len(moments) < 2 or not (np.diff(moments) > 0).all():
        raise DataError("times must contain at least two ascending values to integrate over.")
    scores = brier_score(y_train, y, survival, moments, ties=ties)
    return float(np.trapezoid(scores, moments) / (moments[-1] - moments[0]))
