r"""Cox's partial likelihood: who has the event first, among those still at risk.

Times are written in one number per row: the time of the event, or minus the time up to which
the row was followed without one. Further columns may hold weights, the times from which rows are
at risk, and strata.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from coterie.losses.pointwise import Array, OneScoreLoss
from coterie.native import elementary

# Logarithms of risks are taken this far from the largest: squares can still be divided by.
_FARTHEST = 150.0


class Timeline(NamedTuple):
    """Rows in the order of time, stratum after stratum.

    Attributes
    ----------
    order : int array or None
        Rows by time; None if they are in this order.
    first : int array of shape (n_times,)
        The first row of every distinct time.
    place : int array of shape (n_rows,)
        The number of each row's time.
    event, weight : ndarray of shape (n_rows,)
        Ones for events, and weights, in the order of time.
    since : int array of shape (n_rows,) or None
        The first time at which each row is at risk; None if that is the first of all.
    parts : int array of shape (n_strata,) or None
        The first row of every stratum; None if there is but one.
    """

    order: NDArray[np.intp] | None
    first: NDArray[np.intp]
    place: NDArray[np.intp]
    event: Array
    weight: Array
    since: NDArray[np.intp] | None = None
    parts: NDArray[np.intp] | None = None

    @classmethod
    def of(cls, y: Array) -> Timeline:
        """Rows of signed times, of shape (n,); beside their weights, of shape (n, 2).

        Of shape (n, 4), when they came under observation and their strata follow.
        """
        if y.ndim == 2 and y.shape[1] == 4:
            return cls._of_strata(y)
        signed = y if y.ndim == 1 else y[:, 0]
        weight = np.ones(len(signed)) if y.ndim == 1 else y[:, 1]
        order = None
        time = np.abs(signed)
        if (time[1:] < time[:-1]).any():
            order = np.argsort(time, kind="stable")
            time, signed, weight = time[order], signed[order], weight[order]
        new = np.concatenate([[True], time[1:] != time[:-1]])
        return cls(
            order, np.flatnonzero(new), np.cumsum(new) - 1, (signed > 0).astype(float), weight
        )

    @classmethod
    def _of_strata(cls, y: Array) -> Timeline:
        signed, weight, entry, stratum = y.T
        time = np.abs(signed)
        order = np.lexsort((time, stratum))
        sorted_already = bool((order[1:] > order[:-1]).all())
        signed, weight, entry, stratum, time = (
            each[order] for each in (signed, weight, entry, stratum, time)
        )
        fresh = np.concatenate([[True], stratum[1:] != stratum[:-1]])
        new = fresh | np.concatenate([[True], time[1:] != time[:-1]])
        first, place = np.flatnonzero(new), np.cumsum(new) - 1
        parts = np.flatnonzero(fresh)
        since = np.empty(len(time), dtype=np.intp)
        for rows in map(slice, parts, [*parts[1:], len(time)]):
            start, stop = place[rows.start], place[rows.stop - 1] + 1
            times = time[first[start:stop]]
            since[rows] = start + np.searchsorted(times, entry[rows], side="right")
        return cls(
            None if sorted_already else order,
            first,
            place,
            (signed > 0).astype(float),
            weight,
            since,
            parts if len(parts) > 1 else None,
        )

    def sort(self, values: Array) -> Array:
        """Values of the rows, in the order of time."""
        return values if self.order is None else values[self.order]

    def restore(self, values: Array) -> Array:
        """Values in the order of time, back in that of the rows."""
        if self.order is None:
            return values
        back = np.empty_like(values)
        back[self.order] = values
        return back

    def not_yet(self, values: Array) -> Array:
        """At every distinct time, the sum over rows that are not at risk before a later one."""
        if self.since is None:
            return np.zeros(len(self.first))
        coming = np.bincount(self.since, values, len(self.first) + 1)[1:]
        return np.asarray(np.cumsum(coming[::-1])[::-1])

    def at_risk(self, values: Array) -> Array:
        """For every row, the sum over the times at which it is at risk."""
        sums = np.cumsum(values)
        if self.since is None:
            return np.asarray(sums[self.place])
        before = np.concatenate([[0.0], sums])
        return np.asarray(before[self.place + 1] - before[self.since])

    def top(self, score: Array) -> Array | float:
        """The largest score among the rows that each is compared with: of its stratum."""
        if self.parts is None:
            return _top(score)
        sizes = np.diff([*self.parts, len(score)])
        return np.asarray(np.repeat(np.maximum.reduceat(score, self.parts), sizes))


class Risks(NamedTuple):
    """What is known at every distinct time.

    Attributes
    ----------
    at_risk, of_events, events : ndarray of shape (n_times,)
        Sums of weighted risks over those at risk and over the events, and the events' weight.
    once, twice : ndarray of shape (n_times,)
        Sums of 1 / D and 1 / D² over the events, D being what is at risk for each of them.
    """

    at_risk: Array
    of_events: Array
    events: Array
    once: Array
    twice: Array


@dataclass(frozen=True)
class CoxLoss(OneScoreLoss):
    r"""The negative log of Cox's partial likelihood; the scores are log hazards.

    With :math:`R_s` the sum of :math:`w e^f` over the rows at risk at time s, and :math:`A_s` over
    its :math:`m_s` events, the loss is

    .. math:: \sum_s \Bigl[\sum_{k < m_s} \ln\bigl(R_s - \tfrac{k}{m_s} A_s\bigr)
              - \sum_{i \in D_s} f_i\Bigr]

    by Efron's treatment of ties; Breslow's leaves the second term of the logarithm out. Weights
    count rows: the sum over :math:`k` goes on between integers by the digamma function. Rows that
    came under observation late are at risk from then on; strata are summed, each with risks of its
    own.

    Parameters
    ----------
    ties : {"efron", "breslow"}, default="efron"
        How tied event times are treated.

    Notes
    -----
    Each row is charged with its event's share; rows that are censored with nothing.
    """

    name: ClassVar[str] = "cox"
    # The curvature of an early event is next to nothing, and its Newton step without end.
    longest_step: ClassVar[float] = 4.0

    ties: Literal["efron", "breslow"] = "efron"

    def _risks(self, line: Timeline, risk: Array) -> Risks:
        """Sums at every distinct time; `risk` is in the order of time."""
        weighed = line.weight * risk
        n_times = len(line.first)
        of_events, events = (
            np.bincount(line.place, each * line.event, n_times).astype(np.float64)
            for each in (weighed, line.weight)
        )
        at_risk = np.cumsum(weighed[::-1])[::-1][line.first]
        if line.since is not None:
            # The events themselves are at risk, whatever rounding leaves of a difference.
            late = line.not_yet(weighed)
            at_risk = np.where(late > 0, np.maximum(at_risk - late, of_events), at_risk)
            at_risk[at_risk == 0.0] = 1.0  # nobody but rows without weight
        once, twice = events / at_risk, events / at_risk**2
        tied = self._tied(events)
        if tied.any():
            m, a, r = events[tied], of_events[tied], at_risk[tied]
            # Sums over k < m of 1 / (r - k a / m), and of its square.
            top, bottom = m * r / a + 1.0, np.maximum(m * r / a - m, 0.0) + 1.0
            once[tied] = m / a * (special.digamma(top) - special.digamma(bottom))
            twice[tied] = (m / a) ** 2 * (special.polygamma(1, bottom) - special.polygamma(1, top))
        return Risks(at_risk, of_events, events, once, twice)

    def _tied(self, events: Array) -> NDArray[np.bool_]:
        """At which times ties matter."""
        return np.asarray(events > 1.0) & (self.ties == "efron")

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Gradient and Hessian of a unit of weight."""
        line = Timeline.of(y)
        score = line.sort(raw[:, 0])
        risk = relative_risks(score, line.top(score))
        sums = self._risks(line, risk)
        once, twice = line.at_risk(sums.once), line.at_risk(sums.twice)
        tied = self._tied(sums.events)
        if tied.any():
            r, a, m = sums.at_risk[tied], sums.of_events[tied], sums.events[tied]
            less, other = np.zeros_like(sums.once), np.zeros_like(sums.once)
            less[tied] = (r * sums.once[tied] - m) / a
            squares = (a - r) ** 2 * sums.twice[tied] + 2 * (a - r) * sums.once[tied] + m
            other[tied] = sums.twice[tied] - squares / a**2
            once = once - line.event * less[line.place]
            twice = twice - line.event * other[line.place]
        gradient = risk * once - line.event
        hessian = np.maximum(risk * once - risk**2 * twice, 0.0)
        return line.restore(gradient)[:, None], line.restore(hessian)[:, None]

    def value(self, y: Array, raw: Array) -> Array:
        """What the event of each row, of a unit of weight, adds to the loss."""
        line = Timeline.of(y)
        score = line.sort(raw[:, 0])
        top = line.top(score)
        sums = self._risks(line, relative_risks(score, top))
        logs = np.log(sums.at_risk)
        tied = self._tied(sums.events)
        if tied.any():
            m, a, r = sums.events[tied], sums.of_events[tied], sums.at_risk[tied]
            x = m * r / a
            logs[tied] = (
                np.log(a / m)
                + (special.gammaln(x + 1.0) - special.gammaln(np.maximum(x - m, 0.0) + 1.0)) / m
            )
        return line.restore(line.event * (logs[line.place] + top - score))

    def start(self, y: Array, weight: Array) -> Array:
        """Zero: a constant changes nothing."""
        return np.zeros(1)

    def baseline(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Breslow's cumulative hazard of score 0, at the times of events.

        Returns
        -------
        times, hazard : ndarray of shape (n_event_times,)
        """
        line = Timeline.of(y)
        time = np.abs(line.sort(y if y.ndim == 1 else y[:, 0]))[line.first]
        score = line.sort(raw[:, 0])
        sums = CoxLoss("breslow")._risks(line, relative_risks(score))
        some = sums.events > 0
        return time[some], np.cumsum(sums.once)[some] * np.exp(-_top(score))

    def baselines(self, y: Array, raw: Array, n_strata: int) -> list[tuple[Array, Array]]:
        """The same for each of `n_strata` strata, whose numbers are the last column of `y`."""
        inside = [y[:, 3] == code for code in range(n_strata)]
        none = np.empty(0), np.empty(0)
        return [self.baseline(y[i], raw[i]) if i.any() else none for i in inside]


def relative_risks(score: Array, top: Array | float | None = None) -> Array:
    """Risks, the largest being one; `top` is that of the scores each is compared with."""
    most = _top(score) if top is None else top
    return np.asarray(elementary.exp(np.maximum(score - most, -_FARTHEST)))


def _top(score: Array) -> float:
    return float(score.max(initial=-np.inf))
