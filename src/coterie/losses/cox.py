r"""Cox's partial likelihood: who has the event first, among those still at risk.

Times are written in one number per row: the time of the event, or minus the time up to which
the row was followed without one.
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
    """Rows in the order of time.

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
    """

    order: NDArray[np.intp] | None
    first: NDArray[np.intp]
    place: NDArray[np.intp]
    event: Array
    weight: Array

    @classmethod
    def of(cls, y: Array) -> Timeline:
        """Rows of signed times, of shape (n,), or beside their weights, of shape (n, 2)."""
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

    def restore(self, values: Array) -> Array:
        """Values in the order of time, back in that of the rows."""
        if self.order is None:
            return values
        back = np.empty_like(values)
        back[self.order] = values
        return back


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
    r"""Minus the logarithm of Cox's partial likelihood, of scores that are log hazards.

    With :math:`R_s` the sum of :math:`w e^f` over the rows at risk at time s, and :math:`A_s` over
    its :math:`m_s` events, the loss is

    .. math:: \sum_s \Bigl[\sum_{k < m_s} \ln\bigl(R_s - \tfrac{k}{m_s} A_s\bigr)
              - \sum_{i \in D_s} f_i\Bigr]

    by Efron's treatment of ties; Breslow's leaves the second term of the logarithm out. Weights
    count rows: the sum over :math:`k` goes on between whole numbers by the digamma function.

    Parameters
    ----------
    ties : {"efron", "breslow"}, default="efron"
        How events of one time are treated.

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
        at_risk = np.cumsum(weighed[::-1])[::-1][line.first]
        n_times = len(line.first)
        of_events, events = (
            np.bincount(line.place, each * line.event, n_times).astype(np.float64)
            for each in (weighed, line.weight)
        )
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
        """Gradient and hessian of a unit of weight."""
        line = Timeline.of(y)
        risk = relative_risks(raw[:, 0] if line.order is None else raw[line.order, 0])
        sums = self._risks(line, risk)
        once, twice = np.cumsum(sums.once)[line.place], np.cumsum(sums.twice)[line.place]
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
        score = raw[:, 0] if line.order is None else raw[line.order, 0]
        sums = self._risks(line, relative_risks(score))
        logs = np.log(sums.at_risk)
        tied = self._tied(sums.events)
        if tied.any():
            m, a, r = sums.events[tied], sums.of_events[tied], sums.at_risk[tied]
            x = m * r / a
            logs[tied] = (
                np.log(a / m)
                + (special.gammaln(x + 1.0) - special.gammaln(np.maximum(x - m, 0.0) + 1.0)) / m
            )
        return line.restore(line.event * (logs[line.place] + _top(score) - score))

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
        signed = y if y.ndim == 1 else y[:, 0]
        time = np.abs(signed if line.order is None else signed[line.order])[line.first]
        score = raw[:, 0] if line.order is None else raw[line.order, 0]
        top = _top(score)
        sums = CoxLoss("breslow")._risks(line, relative_risks(score))
        some = sums.events > 0
        return time[some], np.cumsum(sums.once)[some] * np.exp(-top)


def relative_risks(score: Array) -> Array:
    """Risks, the largest being one."""
    return np.asarray(elementary.exp(np.maximum(score - _top(score), -_FARTHEST)))


def _top(score: Array) -> float:
    return float(score.max(initial=-np.inf))
