"""Distributions near a prior under constraints on edges, by Newton's method on their duals.

A dual has one unknown per member, however many rows there are. Steps are Newton's on the
members that matter, cut off at zero, and start from the multipliers of the round before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from coterie.core.rule import Array

_MOST_STEPS = 200
_PRECISION = 1e-12


class Response(NamedTuple):
    """The distribution that answers a cost per column.

    Attributes
    ----------
    mass : ndarray of shape (n_columns,)
        The distribution.
    value : float
        Its cost and its distance from the prior together, the least possible.
    metric : ndarray of shape (n_columns,)
        How fast each mass gives way to its cost, but for the normalisation.
    """

    mass: Array
    value: float
    metric: Array


#: From costs to the distribution that minimises them plus a distance.
Respond = Callable[[Array], Response]


@dataclass(frozen=True)
class Entropy:
    r"""Minimises :math:`\sum_i m_i c_i + \sum_i m_i \ln (m_i / p_i)` over :math:`m \le` cap · p.

    The answer is :math:`m_i = p_i \min(\text{cap}, e^{-c_i - \theta})`, with :math:`\theta` found
    among the sorted costs.

    Parameters
    ----------
    prior : ndarray of shape (n_columns,)
        Adds up to one.
    cap : float
        At least one; infinity for no caps.

    Examples
    --------
    >>> Entropy(np.array([0.5, 0.5]), np.inf)(np.log([1.0, 3.0])).mass
    array([0.75, 0.25])
    >>> Entropy(np.array([0.5, 0.5]), 1.2)(np.log([1.0, 3.0])).mass
    array([0.6, 0.4])
    """

    prior: Array
    cap: float

    def __call__(self, cost: Array) -> Response:
        """The distribution for these costs."""
        order = np.argsort(cost)
        prior, log_cap = self.prior[order], np.log(self.cap)
        shape = np.log(prior) - cost[order]
        rest = np.logaddexp.accumulate(shape[::-1])[::-1]
        left = np.ones(len(prior))
        if np.isfinite(self.cap):
            left[1:] -= self.cap * np.cumsum(prior)[:-1]
        # With the k cheapest columns at their caps, the others share what is left.
        with np.errstate(divide="ignore", invalid="ignore"):
            level = np.log(np.maximum(left, 0.0)) - rest
        fits = level - cost[order] <= log_cap + 1e-14
        first = int(np.argmax(fits)) if fits.any() else len(fits)
        ratio = np.full(len(prior), log_cap)  # logarithm of mass over prior
        ratio[first:] = level[first] - cost[order][first:] if first < len(fits) else log_cap
        with np.errstate(invalid="ignore"):
            mass = prior * np.exp(ratio)
        total = mass.sum()
        used = mass > 0
        value = float(mass[used] @ (cost[order] + ratio)[used])
        metric = mass.copy()
        metric[:first] = 0.0
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return Response(mass[back] / total, value, metric[back])


@dataclass(frozen=True)
class Quadratic:
    r"""The entropy's second-order expansion around a distribution :math:`q`, without caps.

    Minimises :math:`\sum_i m_i (c_i + \ln (q_i / p_i)) + \frac12 \sum_i (m_i - q_i)^2 / q_i`.

    Parameters
    ----------
    prior, here : ndarray of shape (n_columns,)
        :math:`p` and :math:`q`.

    Examples
    --------
    >>> even = np.array([0.5, 0.5])
    >>> Quadratic(even, even)(np.array([0.0, 0.5])).mass
    array([0.625, 0.375])
    """

    prior: Array
    here: Array

    def __call__(self, cost: Array) -> Response:
        """The distribution for these costs."""
        here = self.here
        slope = cost + np.log(here / self.prior)
        order = np.argsort(slope)
        weight = np.cumsum(here[order])
        level = (np.cumsum((here * (1 - slope))[order]) - 1) / weight
        last = np.flatnonzero(1 - slope[order] - level > 0)[-1]
        mass = here * np.maximum(1 - slope - level[last], 0.0)
        value = float(mass @ slope + 0.5 * ((mass - here) ** 2 / here).sum())
        return Response(mass, value, np.where(mass > 0, here, 0.0))


def project(respond: Respond, hits: Array, bound: float, start: Array) -> tuple[Array, Array]:
    r"""The nearest distribution under which no edge exceeds a bound, and its multipliers.

    Minimises :math:`-v(\lambda^\top U) + b \sum \lambda` over :math:`\lambda \ge 0`, where v is
    the value of the response.

    Parameters
    ----------
    respond : callable
        `Entropy` or `Quadratic`.
    hits : ndarray of shape (n_members, n_columns)
        The matrix U.
    bound : float
        Of the edges; there must be distributions that keep to it.
    start : ndarray of shape (n_members,)
        Multipliers to begin with.

    Examples
    --------
    >>> mass, multipliers = project(
    ...     Entropy(np.array([0.7, 0.3]), np.inf), np.array([[1.0, -1.0]]), 0.2, np.zeros(1)
    ... )
    >>> mass
    array([0.6, 0.4])
    """
    dual = _Dual(respond, hits, np.zeros(hits.shape[1]), bound)
    point, before = start, None
    for _ in range(_MOST_STEPS):
        here = dual.place(point)
        moved = None if here.settled(before) else dual.step(here, np.inf)
        if moved is None:
            break
        point, before = moved, here
    return dual.respond(point @ hits).mass, point


def regularise(respond: Respond, hits: Array, rate: float, start: Array) -> tuple[Array, Array]:
    r"""The distribution of least largest edge plus distance over a rate, and its multipliers.

    Maximises :math:`v(\eta \alpha^\top U) / \eta` over the simplex.

    Parameters
    ----------
    respond : callable
        `Entropy`.
    hits : ndarray of shape (n_members, n_columns)
        The matrix U.
    rate : float
        :math:`\eta`; the larger, the less the distance counts.
    start : ndarray of shape (n_members,)
        Multipliers to begin with; they are scaled to add up to the rate.

    Examples
    --------
    >>> mass, alphas = regularise(
    ...     Entropy(np.array([0.7, 0.3]), np.inf),
    ...     np.array([[1.0, -1.0], [-1.0, 1.0]]),
    ...     1e3,
    ...     np.ones(2),
    ... )
    >>> mass.round(3)
    array([0.5, 0.5])
    """
    point, before = rate * start / start.sum(), None
    for _ in range(_MOST_STEPS):
        # The heaviest multiplier takes up what the others leave, and never runs short of it.
        heavy = int(np.argmax(point))
        others = np.delete(np.arange(len(point)), heavy)
        dual = _Dual(respond, hits[others] - hits[heavy], rate * hits[heavy], 0.0)
        here = dual.place(point[others])
        moved = None if here.settled(before) else dual.step(here, rate)
        if moved is None:
            break
        before = here
        point[others] = moved
        point[heavy] = max(rate - moved.sum(), 0.0)
    return respond(point @ hits).mass, point / rate


@dataclass(frozen=True)
class _Place:
    """A point of a dual: its value, the response, the slope, and how far it is from settled."""

    point: Array
    height: float
    found: Response
    slope: Array

    @cached_property
    def unsettled(self) -> float:
        """How far a step along the slope would move; zero at the minimum."""
        return float(np.abs(self.point - np.maximum(self.point - self.slope, 0.0)).max(initial=0.0))

    def settled(self, before: _Place | None) -> bool:
        """Whether no step will be better: it is the minimum, or rounding hides what is."""
        if self.unsettled <= _PRECISION or before is None:
            return self.unsettled <= _PRECISION
        falls = before.height - self.height > 1e-14 * max(abs(self.height), 1.0)
        return not falls and self.unsettled > 0.5 * before.unsettled


@dataclass(frozen=True)
class _Dual:
    """A convex function of non-negative multipliers."""

    respond: Respond
    hits: Array
    offset: Array
    bound: float

    def at(self, point: Array) -> tuple[float, Response]:
        found = self.respond(self.offset + point @ self.hits)
        return self.bound * float(point.sum()) - found.value, found

    def place(self, point: Array) -> _Place:
        height, found = self.at(point)
        return _Place(point, height, found, self.bound - self.hits @ found.mass)

    def step(self, here: _Place, most: float) -> Array | None:
        """The next point, of sum `most` at the most; None where there is none better."""
        point, slope, height = here.point, here.slope, here.height
        free = (point > min(1e-8, here.unsettled)) | (slope < 0)
        curved = self._curvature(here.found.metric, free)
        scale = max(float(np.trace(curved)) / len(curved), 1e-12)
        # Where the expansion is no guide, the more of a ridge, the closer to steepest descent.
        for ridge in (1e-10, 1e-5, 1e-1, 1e3):
            curved[np.diag_indices_from(curved)] += ridge * scale
            direction = np.zeros(len(point))
            direction[free] = -cho_solve(cho_factor(curved), slope[free])
            moved = self._search(point, direction, slope, height, most)
            if moved is not None:
                return moved
        return None

    def _search(
        self, point: Array, direction: Array, slope: Array, height: float, most: float
    ) -> Array | None:
        """As far along a direction as the function falls, half as far, and so on."""
        room = most - float(point.sum())
        rise = float(np.maximum(direction, 0.0).sum())
        length = min(1.0, (room + 0.5 * float(point.sum())) / rise) if rise > 0 else 1.0
        # Where the function is all but flat, Newton would leap beyond all bounds.
        leap = float(np.abs(direction).max())
        length = min(length, 10.0 * max(float(point.max()), 1.0) / leap) if leap > 0 else length
        for _ in range(12):  # shorter ones crawl; a larger ridge leads elsewhere
            moved = np.maximum(point + length * direction, 0.0)
            decrease = float(slope @ (moved - point))
            if decrease < 0 and moved.sum() <= most:
                reached = self.at(moved)[0]
                if reached <= height + 1e-4 * decrease + 1e-14 * max(abs(height), 1.0):
                    return moved
            length /= 2
        return None

    def _curvature(self, metric: Array, free: NDArray[np.bool_]) -> Array:
        """Second derivatives by the free multipliers."""
        used = np.flatnonzero(metric)
        hits, metric = self.hits[free][:, used], metric[used]
        total = metric.sum()
        if total <= 0:
            return np.zeros((len(hits), len(hits)))
        centred = (hits - (hits @ metric / total)[:, None]) * np.sqrt(metric)
        return np.asarray(centred @ centred.T)
