"""Concordance: whether those of higher risk have their events first."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError
from coterie.survival.incidence import censoring_curve
from coterie.survival.outcomes import read_entries, read_outcomes
from coterie.survival.strata import read_labels

Array = NDArray[np.float64]
#: Risks this close are equal.
_TIE = 1e-8


class Pairs(NamedTuple):
    """Weights of the pairs whose order is known, by what risks say of them."""

    concordant: float
    discordant: float
    tied: float

    @property
    def share(self) -> float:
        """Concordant pairs, and half of the tied ones, among all; NaN if there are none."""
        total = sum(self)
        return (self.concordant + 0.5 * self.tied) / total if total > 0 else float("nan")


def concordance_index(
    y: Any, risk: Any, sample_weight: Any = None, *, entry: Any = None, strata: Any = None
) -> float:
    """Harrell's index: share of pairs in which the row with the higher risk has the event first.

    A pair is comparable if one row has the event before the other has it or is censored; at equal
    times, an event comes before a censoring. Equal risks count half.

    Parameters
    ----------
    y : structured array, frame, array-like of shape (n, 2) or pair
        Times and events, see `make_outcomes`.
    risk : array-like of shape (n,)
        Predicted risks, larger for earlier events.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; the weight of a pair is the product of its rows' weights.
    entry : array-like of shape (n,), optional
        Times at which rows came under observation; an event is compared with the rows at risk at
        its time.
    strata : array-like of shape (n,), optional
        Labels; only rows of one stratum are compared.

    Returns
    -------
    float
        One half for uninformative risks.

    References
    ----------
    .. [1] Harrell, Lee & Mark, "Multivariable prognostic models", Stat. Med. 15 (1996).

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> y = make_outcomes([1, 1, 1, 0, 1, 1, 0, 1], [1, 2, 3, 3, 4, 5, 6, 8])
    >>> round(concordance_index(y, [8, 7, 3, 6, 5, 4, 2, 1]), 6)
    0.869565
    """
    event, time = read_outcomes(y)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    since = None if entry is None else read_entries(entry, time)
    codes = None
    if strata is not None:
        codes = np.unique(read_labels(strata, len(time)), return_inverse=True)[1]
    risks = _risks(risk, len(time))
    return compare_within(event, time, risks, weight, entry=since, codes=codes).share


def concordance_index_ipcw(
    y_train: Any,
    y: Any,
    risk: Any,
    tau: float | None = None,
    *,
    ties: Literal["left", "sksurv"] = "left",
) -> float:
    r"""Uno's index: concordance with pairs weighted to correct for censoring.

    A pair whose event is at time t has the weight :math:`1 / G(t)^2`, with G the probability of not
    yet being censored.

    Parameters
    ----------
    y_train : structured array, frame, array-like of shape (n, 2) or pair
        Times and events from which G is estimated.
    y : the same
        Times and events of the rows to be evaluated.
    risk : array-like of shape (n,)
        Predicted risks, larger for earlier events.
    tau : float, optional
        Only events before this time count.
    ties : {"left", "sksurv"}, default="left"
        Whether G is taken just before the time of the event, as in theory, or at it, as in
        scikit-survival.

    Returns
    -------
    float

    References
    ----------
    .. [1] Uno et al., "On the C-statistics for evaluating overall adequacy of risk prediction
       procedures with censored survival data", Stat. Med. 30 (2011).

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> y = make_outcomes([1, 1, 1, 0, 1, 1, 0, 1], [1, 2, 3, 3, 4, 5, 6, 8])
    >>> round(concordance_index_ipcw(y, y, [8, 7, 3, 6, 5, 4, 2, 1], tau=6), 6)
    0.883777
    """
    event, time = read_outcomes(y)
    counted = event if tau is None else event & (time < tau)
    shares = censoring_shares(y_train, time[counted], ties)
    factor = np.zeros(len(time))
    factor[counted] = 1.0 / shares**2
    return compare_pairs(event, time, _risks(risk, len(time)), None, factor).share


def cumulative_dynamic_auc(
    y_train: Any,
    y: Any,
    risk: Any,
    times: Any,
    *,
    ties: Literal["left", "sksurv"] = "left",
) -> Array:
    r"""Probability that a row with an event up to a time has a higher risk than one without.

    Rows whose event is not later than t are compared with those followed beyond it; the former have
    the weight :math:`1 / G` at their event.

    Parameters
    ----------
    y_train, y : structured array, frame, array-like of shape (n, 2) or pair
        Times and events: those from which G is estimated, and those to be evaluated.
    risk : array-like of shape (n,) or (n, n_times)
        Predicted risks, larger for earlier events; or different ones for every time, such as
        cumulative hazards.
    times : array-like of shape (n_times,)
        When to look.
    ties : {"left", "sksurv"}, default="left"
        See `concordance_index_ipcw`.

    Returns
    -------
    ndarray of shape (n_times,)
        NaN if there are no rows to compare.

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> y = make_outcomes([1, 1, 1, 0, 1, 1, 0, 1], [1, 2, 3, 3, 4, 5, 6, 8])
    >>> cumulative_dynamic_auc(y, y, [8, 7, 3, 6, 5, 4, 2, 1], [4.0]).round(4)
    array([1.])
    """
    event, time = read_outcomes(y)
    moments = np.atleast_1d(np.asarray(times, dtype=np.float64))
    if np.ndim(risk) == 2:
        if np.shape(risk)[1] != len(moments):
            raise DataError(
                f"risk has {np.shape(risk)[1]} columns; expected one, or a column for each of the "
                f"{len(moments)} times."
            )
        risks = [_risks(column, len(time)) for column in np.asarray(risk).T]
    else:
        risks = [_risks(risk, len(time))] * len(moments)
    shares = np.ones(len(time))
    early = event & (time <= moments.max())
    shares[early] = censoring_shares(y_train, time[early], ties)
    return np.array(
        [
            _auc(event & (time <= t), time > t, own, 1.0 / shares)
            for t, own in zip(moments, risks, strict=True)
        ]
    )


def _auc(case: Array, control: Array, risk: Array, weight: Array) -> float:
    """The weighted share of pairs in which the case has the higher risk."""
    others = np.sort(risk[control])
    mass = weight[case]
    if not len(others) or not mass.sum() > 0:
        return float("nan")
    below = np.searchsorted(others, risk[case] - _TIE, side="left")
    upto = np.searchsorted(others, risk[case] + _TIE, side="right")
    return float(mass @ (below + upto) / (2.0 * mass.sum() * len(others)))


def compare_pairs(
    event: NDArray[np.bool_],
    time: Array,
    risk: Array,
    weight: Array | None = None,
    factor: Array | None = None,
    entry: Array | None = None,
) -> Pairs:
    """Count pairs in O(n log n).

    Parameters
    ----------
    event, time, risk : ndarray of shape (n,)
        Outcomes and predictions.
    weight : ndarray of shape (n,), optional
        A pair weighs the product.
    factor : ndarray of shape (n,), optional
        What the pairs of an event are multiplied by besides.
    entry : ndarray of shape (n,), optional
        When rows came under observation, each before its time.
    """
    # From the last to the first; at the same time those censored come before the events, which
    # are then compared with all that stand before the first event of their time.
    order = np.lexsort((event, -time))
    event, time, risk = event[order], time[order], risk[order]
    mass = np.ones(len(time)) if weight is None else weight[order]
    new = np.concatenate([[True], (time[1:] != time[:-1]) | (event[1:] != event[:-1])])
    first = np.maximum.accumulate(np.where(new, np.arange(len(time)), 0))
    levels, ranks = np.unique(risk, return_inverse=True)
    mine = risk[event]
    low = np.searchsorted(levels, mine - _TIE, side="left")
    high = np.searchsorted(levels, mine + _TIE, side="right")
    ends = first[event]
    below, upto = (_sums_below(ranks, mass, ends, bound) for bound in (low, high))
    every = np.concatenate([[0.0], np.cumsum(mass)])[ends]
    if entry is not None:
        # Less those who came only after the event, all of whom stay longer.
        since = entry[order]
        late = np.argsort(-since, kind="stable")
        coming = np.searchsorted(-since[late], -time[event], side="right")
        every = every - np.concatenate([[0.0], np.cumsum(mass[late])])[coming]
        below, upto = (
            known - _sums_below(ranks[late], mass[late], coming, bound)
            for known, bound in ((below, low), (upto, high))
        )
    own = mass[event] if factor is None else mass[event] * factor[order][event]
    return Pairs(float(own @ below), float(own @ (every - upto)), float(own @ (upto - below)))


def compare_within(
    event: NDArray[np.bool_],
    time: Array,
    risk: Array,
    weight: Array | None = None,
    *,
    entry: Array | None = None,
    codes: NDArray[Any] | None = None,
) -> Pairs:
    """The same, of rows that have the same one of some codes."""
    if codes is None:
        return compare_pairs(event, time, risk, weight, entry=entry)
    found = []
    for code in np.unique(codes):
        own = codes == code
        mass, since = (None if each is None else each[own] for each in (weight, entry))
        found.append(compare_pairs(event[own], time[own], risk[own], mass, entry=since))
    return Pairs(*(float(sum(column)) for column in zip(*found, strict=True)))


def _sums_below(
    ranks: NDArray[np.intp], mass: Array, ends: NDArray[np.intp], bounds: NDArray[np.intp]
) -> Array:
    """For each question, the mass of the first `end` rows whose rank is below `bound`.

    All questions are answered at once, bit by bit of the ranks from the highest: rows are parted by
    the bit, and a question follows the part that its bound belongs to (a wavelet matrix).
    """
    start, end = np.zeros_like(ends), ends.copy()
    total = np.zeros(len(ends))
    bits = int(max(ranks.max(initial=0), bounds.max(initial=0))).bit_length()
    for bit in range(bits - 1, -1, -1):
        one = (ranks >> bit) & 1 == 1
        zeros = np.concatenate([[0], np.cumsum(~one)])
        light = np.concatenate([[0.0], np.cumsum(np.where(one, 0.0, mass))])
        up = (bounds >> bit) & 1 == 1
        total += np.where(up, light[end] - light[start], 0.0)
        start, end = (
            np.where(up, zeros[-1] + place - zeros[place], zeros[place]) for place in (start, end)
        )
        order = np.concatenate([np.flatnonzero(~one), np.flatnonzero(one)])
        ranks, mass = ranks[order], mass[order]
    return total


def censoring_shares(y_train: Any, times: Array, ties: str) -> Array:
    """The chance of not being censored before (or, as scikit-survival has it, at) some times."""
    event, time = read_outcomes(y_train)
    curve = censoring_curve(event, time)
    shares = curve.left(times) if ties == "left" else curve(times)
    lost = times[shares <= 0]
    if len(lost):
        known = curve.times[curve.values > 0]
        most = known[-1] if len(known) else 0.0
        raise DataError(
            f"No training row is still observed at time {lost[0]:g}; choose times below {most:g}."
        )
    return shares


def _risks(risk: Any, n_rows: int) -> Array:
    risks = np.asarray(risk, dtype=np.float64)
    if risks.shape != (n_rows,) or np.isnan(risks).any():
        raise DataError(f"risk must contain one number for each of the {n_rows} rows, and no NaN.")
    return risks
