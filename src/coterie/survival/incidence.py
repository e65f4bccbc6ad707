"""Curves of survival and hazard from outcomes alone: Kaplan & Meier, Nelson & Aalen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from coterie.data import DataError
from coterie.survival.outcomes import mass_from, read_entries, read_outcomes
from coterie.tags import tagged

Array = NDArray[np.float64]


@tagged
@dataclass(frozen=True, eq=False)
class StepFunction:
    """A right-continuous step function.

    Parameters
    ----------
    times : ndarray of shape (n_times,)
        Times at which it changes, ascending.
    values : ndarray of shape (n_times,)
        Its values from these times on.
    before : float
        Its value before the first of them.

    Examples
    --------
    >>> step = StepFunction(np.array([1.0, 3.0]), np.array([0.8, 0.5]), 1.0)
    >>> step([0.5, 1.0, 2.9, 3.0, 9.0])
    array([1. , 0.8, 0.8, 0.5, 0.5])
    """

    times: Array
    values: Array
    before: float

    def __call__(self, times: Any) -> Array:
        """The value at each of `times`."""
        return self._at(times, "right")

    def left(self, times: Any) -> Array:
        """The value just before each of `times`."""
        return self._at(times, "left")

    def _at(self, times: Any, side: Literal["left", "right"]) -> Array:
        place = np.searchsorted(self.times, np.asarray(times, dtype=np.float64), side=side)
        return np.concatenate([[self.before], self.values])[place]


class LifeTable(NamedTuple):
    """What happens at every distinct time: weights of those at risk, of events and of the rest."""

    times: Array
    at_risk: Array
    events: Array
    censored: Array

    @classmethod
    def of(
        cls,
        event: NDArray[np.bool_],
        time: Array,
        weight: Array | None = None,
        entry: Array | None = None,
    ) -> LifeTable:
        """Of rows; None weighs all alike, or has them at risk from the start."""
        times, place = np.unique(time, return_inverse=True)
        mass = np.ones(len(time)) if weight is None else weight
        events, gone = (
            np.bincount(place, each, len(times)).astype(np.float64) for each in (mass * event, mass)
        )
        at_risk = np.cumsum(gone[::-1])[::-1]
        if entry is not None:
            at_risk = np.maximum(at_risk - mass_from(entry, mass, times), gone)
        return cls(times, at_risk, events, gone - events)


def kaplan_meier(y: Any, sample_weight: Any = None, *, entry: Any = None) -> StepFunction:
    r"""Kaplan-Meier estimate of survival, :math:`S(t) = \prod_{s \le t} (1 - d_s / Y_s)`.

    Parameters
    ----------
    y : structured array, frame, array-like of shape (n, 2) or pair
        Times and events, see `make_outcomes`.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    entry : array-like of shape (n,), optional
        Times at which rows came under observation (left truncation): at time s, rows with entry < s
        are at risk. If very few rows are at risk early on, the curve is uncertain there.

    Returns
    -------
    StepFunction

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> y = make_outcomes([1, 1, 1, 0, 1, 1, 0, 1], [1, 2, 3, 3, 4, 5, 6, 8])
    >>> kaplan_meier(y)([1, 2, 3, 4, 5, 6, 8])
    array([0.875  , 0.75   , 0.625  , 0.46875, 0.3125 , 0.3125 , 0.     ])
    """
    table = _life_table(y, sample_weight, entry)
    return StepFunction(table.times, _product(table.events / table.at_risk), 1.0)


def nelson_aalen(y: Any, sample_weight: Any = None, *, entry: Any = None) -> StepFunction:
    r"""Nelson-Aalen estimate of the cumulative hazard, :math:`H(t) = \sum_{s \le t} d_s / Y_s`.

    Parameters
    ----------
    y : structured array, frame, array-like of shape (n, 2) or pair
        Times and events, see `make_outcomes`.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    entry : array-like of shape (n,), optional
        Times at which rows came under observation (left truncation): at time s, rows with entry < s
        are at risk. If very few rows are at risk early on, the curve is uncertain there.

    Returns
    -------
    StepFunction

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> y = make_outcomes([1, 1, 1, 0, 1, 1, 0, 1], [1, 2, 3, 3, 4, 5, 6, 8])
    >>> nelson_aalen(y)([1, 2, 3, 8]).round(6)
    array([0.125   , 0.267857, 0.434524, 2.017857])
    """
    table = _life_table(y, sample_weight, entry)
    return StepFunction(table.times, np.cumsum(table.events / table.at_risk), 0.0)


def censoring_curve(event: NDArray[np.bool_], time: Array) -> StepFunction:
    """Kaplan & Meier's curve of not being censored; events of a time leave before."""
    table = LifeTable.of(event, time)
    staying = table.at_risk - table.events
    left = np.divide(table.censored, staying, out=np.zeros_like(staying), where=table.censored > 0)
    return StepFunction(table.times, _product(left), 1.0)


class LogRank(NamedTuple):
    """Log-rank test of two groups: the sum of events beyond what was expected, and the rest."""

    difference: float
    variance: float
    statistic: float
    pvalue: float


def log_rank_test(y: Any, group: Any, *, entry: Any = None) -> LogRank:
    r"""Log-rank test of whether two groups have the same survival.

    With d events among Y at risk at time s, of whom :math:`Y_1` are in the second group, the
    difference is :math:`U = \sum_s (d_{1s} - Y_{1s} d_s / Y_s)`, its variance
    :math:`V = \sum_s \frac{Y_{1s}}{Y_s} (1 - \frac{Y_{1s}}{Y_s}) \frac{Y_s - d_s}{Y_s - 1} d_s`,
    and the statistic :math:`U^2 / V`, of which :math:`\chi^2_1` is the limit.

    Parameters
    ----------
    y : structured array, frame, array-like of shape (n, 2) or pair
        Times and events, see `make_outcomes`.
    group : array-like of shape (n,)
        Two different labels.
    entry : array-like of shape (n,), optional
        Times at which rows came under observation; see `kaplan_meier`.

    Returns
    -------
    LogRank
        ``difference`` of the group of the larger label, ``variance``, ``statistic``, ``pvalue``.

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> y = make_outcomes([1, 1, 1, 0, 1, 1, 0, 1], [1, 2, 3, 3, 4, 5, 6, 8])
    >>> round(log_rank_test(y, [1, 1, 1, 0, 1, 0, 0, 0]).statistic, 6)
    6.843334
    """
    event, time = read_outcomes(y)
    labels, codes = np.unique(np.asarray(group), return_inverse=True)
    if len(labels) != 2:
        raise DataError(f"The log-rank test compares two groups, but there are {len(labels)}.")
    since = None if entry is None else read_entries(entry, time)
    every = LifeTable.of(event, time, None, since)
    second = LifeTable.of(event, time, (codes == 1).astype(np.float64), since)
    share = second.at_risk / every.at_risk
    difference = float((second.events - share * every.events).sum())
    several = every.at_risk > 1
    left = (every.at_risk - every.events)[several] / (every.at_risk[several] - 1)
    variance = float((share * (1 - share) * every.events)[several] @ left)
    statistic = difference**2 / variance if variance > 0 else 0.0
    return LogRank(difference, variance, statistic, float(stats.chi2.sf(statistic, 1)))


def time_grid(
    event: NDArray[np.bool_], time: Array, weight: Array | None = None, number: int = 100
) -> Array:
    """Weighted quantiles of the times of events: the grid of curves unless others are asked for."""
    order = np.argsort(time[event], kind="stable")
    times = time[event][order]
    mass = np.cumsum(np.ones(len(times)) if weight is None else weight[event][order])
    # Sums of weights that differ by rounding are equal.
    wanted = np.linspace(0.0, 1.0, number) * mass[-1] * (1.0 - 1e-12)
    return np.unique(times[np.searchsorted(mass, wanted)])


def _product(leaving: Array) -> Array:
    """The share that is left after each of some times, at which shares leave."""
    return np.asarray(np.cumprod(1.0 - leaving), dtype=np.float64)


def _life_table(y: Any, sample_weight: Any, entry: Any) -> LifeTable:
    event, time = read_outcomes(y)
    since = None if entry is None else read_entries(entry, time)
    return LifeTable.of(event, time, _weights(sample_weight), since)


def _weights(sample_weight: Any) -> Array | None:
    return None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
