"""Calibration: whether as many survive as curves say."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError
from coterie.survival.incidence import LifeTable
from coterie.survival.outcomes import read_entries, read_outcomes

Array = NDArray[np.float64]


class Calibration(NamedTuple):
    """Predicted and observed survival of groups of rows, from the lowest prediction up.

    Attributes
    ----------
    predicted : ndarray of shape (n_groups,)
        Mean of the predicted chances to survive.
    observed : ndarray of shape (n_groups,)
        Kaplan & Meier's estimate; NaN if nobody of the group was followed for so long.
    error : ndarray of shape (n_groups,)
        Its standard error, by Greenwood.
    rows : int array of shape (n_groups,)
        Sizes of the groups.
    """

    predicted: Array
    observed: Array
    error: Array
    rows: NDArray[np.intp]


def survival_calibration(
    y: Any, survival: Any, time: float, n_bins: int = 10, *, entry: Any = None
) -> Calibration:
    r"""Compare predicted and observed survival up to a time, by quantiles of the prediction.

    Rows are grouped by their prediction; for each group, the mean prediction is compared with the
    Kaplan-Meier estimate from its outcomes, whose variance is :math:`S^2 \sum_{s \le t} d_s / (Y_s
    (Y_s - d_s))`.

    Parameters
    ----------
    y : structured array, frame, array-like of shape (n, 2) or pair
        Times and events, see `make_outcomes`.
    survival : array-like of shape (n,) or (n, 1)
        The predicted probability of each row to have no event up to `time`.
    time : float
        When to look.
    n_bins : int, default=10
        Groups; deciles by default. Equal predictions stay together, so there may be fewer.
    entry : array-like of shape (n,), optional
        Times at which rows came under observation; see `kaplan_meier`.

    Returns
    -------
    Calibration
        ``predicted``, ``observed``, ``error`` and ``rows`` of every group.

    References
    ----------
    .. [1] Harrell, Lee & Mark, "Multivariable prognostic models", Stat. Med. 15 (1996).

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> y = make_outcomes([1, 1, 1, 0, 1, 1, 0, 1], [1, 2, 3, 3, 4, 5, 6, 8])
    >>> said = [0.3, 0.3, 0.4, 0.4, 0.8, 0.8, 0.9, 0.9]
    >>> found = survival_calibration(y, said, time=2.5, n_bins=2)
    >>> found.predicted, found.observed
    (array([0.35, 0.85]), array([0.5, 1. ]))
    """
    event, times = read_outcomes(y)
    said = np.asarray(survival, dtype=np.float64)
    if said.shape == (len(times), 1):
        said = said[:, 0]
    if said.shape != times.shape or np.isnan(said).any():
        raise DataError(
            f"survival must contain one number for each of the {len(times)} rows, and no NaN."
        )
    if n_bins < 1:
        raise ValueError(f"n_bins={n_bins} must be at least 1.")
    since = None if entry is None else read_entries(entry, times)
    inner = np.quantile(said, np.linspace(0.0, 1.0, n_bins + 1)[1:-1])
    bins = np.searchsorted(inner, said, side="left")
    groups = [bins == number for number in np.unique(bins)]
    found = [
        _observed(event[own], times[own], None if since is None else since[own], time)
        for own in groups
    ]
    observed, error = np.array(found).T
    predicted = np.array([said[own].mean() for own in groups])
    return Calibration(predicted, observed, error, np.array([own.sum() for own in groups]))


def _observed(
    event: NDArray[np.bool_], time: Array, entry: Array | None, moment: float
) -> tuple[float, float]:
    """Kaplan & Meier's estimate at a moment, and its standard error."""
    table = LifeTable.of(event, time, None, entry)
    early = (table.times <= moment) & (table.events > 0)
    deaths, at_risk = table.events[early], table.at_risk[early]
    share = float(np.prod(1.0 - deaths / at_risk))
    if share == 0.0:
        return 0.0, 0.0
    if time.max() < moment:
        return float("nan"), float("nan")
    return share, share * float(np.sqrt((deaths / (at_risk * (at_risk - deaths))).sum()))
