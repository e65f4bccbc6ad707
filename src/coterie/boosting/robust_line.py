"""The potential of RobustBoost, and the two equations of its rounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import erfc, erfinv

from coterie.boosting.timed import root_between
from coterie.core.rule import Array
from coterie.tags import tagged

#: Where the potential still falls so far along a member, it is taken to fall for ever.
LARGEST = 5.0
#: Where the search along a member looks first.
_GRID = np.geomspace(1e-4, LARGEST, 45)
#: The same around a place that is known well.
_NEAR = np.geomspace(0.125, 1.6, 12)
#: A mean potential that is higher by this much has leapt there.
_LEAP = 1e-10
#: A distance that no row has, and the logarithm of a weight that is nothing beside one.
_BEYOND, _NOTHING = 1e150, -600.0


@tagged
@dataclass(frozen=True)
class RobustPotential:
    r"""The potential of a margin :math:`m` at the time :math:`t`, from 0 to 1.

    .. math::
        \Phi = \min\{1, \mathrm{erfc}((m-\mu)/\sigma)\}, \quad
        \sigma^2 = (\sigma_f^2+1) e^{2(1-t)} - 1, \quad
        \mu = (\theta-2\rho) e^{1-t} + 2\rho,

    where :math:`\rho` is such that :math:`\Phi = \epsilon` for a margin of zero at the start.
    Below the cap it solves :math:`\Phi_t + (2\rho-m)\Phi_m + \frac12\Phi_{mm} = 0`.

    Parameters
    ----------
    error_goal : float
        The :math:`\epsilon`.
    goal_margin : float
        The :math:`\theta`.
    margin_sigma : float
        The :math:`\sigma_f`.

    Examples
    --------
    >>> potential = RobustPotential(0.1, 0.0, 0.1)
    >>> round(potential.rho, 6), round(potential.mean(0.0), 6), round(potential.width(0.0), 6)
    (0.860405, -2.956838, 2.542233)
    >>> potential.value(np.zeros(1), 0.0).round(12)
    array([0.1])
    """

    error_goal: float = 0.1
    goal_margin: float = 0.0
    margin_sigma: float = 0.1

    @cached_property
    def rho(self) -> float:
        r"""The :math:`\rho`."""
        spread = self.width(0.0) * float(erfinv(1.0 - self.error_goal))
        return float((spread + np.e * self.goal_margin) / (2.0 * (np.e - 1.0)))

    def mean(self, time: float) -> float:
        r"""The :math:`\mu`: rows with a smaller margin are given up."""
        return float((self.goal_margin - 2 * self.rho) * np.exp(1.0 - time) + 2 * self.rho)

    def width(self, time: float) -> float:
        r"""The :math:`\sigma`."""
        return float(np.sqrt((self.margin_sigma**2 + 1.0) * np.exp(2.0 * (1.0 - time)) - 1.0))

    def distance(self, margin: Array, time: float) -> Array:
        r"""Margins by :math:`(m-\mu)/\sigma`."""
        return np.asarray((margin - self.mean(time)) / self.width(time))

    def value(self, margin: Array, time: float) -> Array:
        r"""The potential :math:`\Phi`."""
        return np.asarray(erfc(np.maximum(self.distance(margin, time), 0.0)))


def robust_weight(distance: Array) -> Array:
    r"""Row weights :math:`e^{-z^2}` where :math:`z>0` and zero elsewhere, up to a common factor.

    Along the last axis the largest is one, unless all are zero: far beyond the goal they would
    underflow.
    """
    alive = distance > 0
    least = np.where(alive, distance, _BEYOND).min(axis=-1, keepdims=True)
    exponent = distance * distance
    np.subtract(least * least, exponent, out=exponent)
    # Rows so far away count for nothing, and smaller numbers are slow; larger ones are not alive.
    np.clip(exponent, _NOTHING, 0.0, out=exponent)
    np.exp(exponent, out=exponent)
    exponent *= alive
    return np.asarray(exponent)


@dataclass(frozen=True)
class RobustLine:
    r"""Where the margins may go along one member: :math:`m' = m e^{-\Delta t} + \Delta s\, b`.

    The two equations of a round are

    .. math::
        \sum_i D_i b_i w(m'_i, t+\Delta t) = 0, \qquad
        \sum_i D_i \left[\Phi(m'_i, t+\Delta t) - \Phi(m_i, t)\right] = 0.

    For each :math:`\Delta t` the first one is solved by the first minimum of the mean potential
    along the member; the second one says when that minimum has risen to where it began.

    Parameters
    ----------
    potential : RobustPotential
        What is kept constant.
    margin, right, weight : ndarrays of shape (n,)
        The :math:`m_i`, the :math:`b_i`, and the :math:`D_i`.
    clock : float
        The time :math:`t` at the start of the round.
    """

    potential: RobustPotential
    margin: Array
    right: Array
    weight: Array
    clock: float

    @cached_property
    def level(self) -> float:
        """The mean potential at the start of the round."""
        return self.mean_potential(0.0, 0.0)

    def mean_potential(self, step: float, elapsed: float) -> float:
        """The mean potential after a step that took this time."""
        moved = self.margin * np.exp(-elapsed) + step * self.right
        return float(self.weight @ self.potential.value(moved, self.clock + elapsed))

    def first_minimum(self, elapsed: float, near: float) -> float:
        """The first minimum of the mean potential along the member.

        Parameters
        ----------
        elapsed : float
            The time the step takes.
        near : float
            Where it was for a similar time, or 0.
        """
        time = self.clock + elapsed
        width = self.potential.width(time)
        start = self.potential.distance(self.margin * np.exp(-elapsed), time)
        along = self.right / width
        pull = self.weight * self.right
        for steps in (near * _NEAR, _GRID) if near > 0 else (_GRID,):
            steps = np.append(0.0, steps)
            weights = robust_weight(start + steps[:, None] * along)
            edges = weights @ pull
            # Where all rows are given up the potential is flat, and may yet fall.
            if edges[0] <= 0 and weights[0].any():
                return 0.0
            ends = np.flatnonzero((edges[1:] <= 0) & (edges[:-1] > 0))
            if len(ends):
                low, high = steps[ends[0]], steps[ends[0] + 1]
                return self._zero_edge(start, along, float(low), float(high))
        return LARGEST if edges[-1] > 0 else 0.0

    def _zero_edge(self, start: Array, along: Array, low: float, high: float) -> float:
        """Where the edge comes to zero between two steps, by Newton steps within the bracket."""
        pull, at = self.weight * self.right, 0.5 * (low + high)
        for _ in range(100):
            distance = start + at * along
            weight = robust_weight(distance)
            edge = float(weight @ pull)
            low, high = (at, high) if edge > 0 else (low, at)
            # The weights fall at the rate 2z along the member; members are right by +1 or -1.
            slope = -2.0 * float((weight * np.maximum(distance, 0.0)) @ (pull * along))
            step = at - edge / slope if slope < 0 else np.nan
            newton = low <= step <= high
            following = step if newton else 0.5 * (low + high)
            if abs(following - at) <= (1e-9 if newton else 1e-15) * at:
                return float(following)  # a Newton step squares the error
            at = following
        return float(at)

    def meet(self) -> tuple[float, float]:
        r"""The step :math:`\Delta s` of the member and the time :math:`\Delta t` it takes.

        The time is the first at which the potential is what it was, or all there is. Later ones
        would end boosting sooner, and worse.
        """
        left = 1.0 - self.clock
        start = self.first_minimum(0.0, 0.0)
        steps, rises = {0.0: start}, {0.0: self.mean_potential(start, 0.0) - self.level}

        def rise(elapsed: float) -> float:
            # Asked once for each time: the answer may depend on what is known by then.
            if elapsed not in rises:
                nearest = min(steps, key=lambda known: abs(known - elapsed))
                steps[elapsed] = self.first_minimum(elapsed, steps[nearest])
                rises[elapsed] = self.mean_potential(steps[elapsed], elapsed) - self.level
            return rises[elapsed]

        if rises[0.0] >= 0:  # an edge that rounding eats up
            return 0.0, 0.0
        before, after = 0.0, self._first_guess(start, left)
        while rise(after) <= 0:
            if after >= left:
                return steps[left], left
            before, after = after, min(1.5 * after, left)
        elapsed = root_between(rise, before, after)
        if rise(elapsed) > _LEAP:  # the minimum vanished there, and another one is higher
            elapsed = max(known for known in rises if known <= elapsed and rises[known] <= 0)
        return steps[elapsed], elapsed

    def time(self, step: float, longest: float) -> float:
        """How long a shorter step than that of `meet` takes at the same potential."""

        def rise(elapsed: float) -> float:
            return self.mean_potential(step, elapsed) - self.level

        return longest if rise(longest) <= 0 else root_between(rise, 0.0, longest)

    def _first_guess(self, step: float, left: float) -> float:
        """Half of the time a tangent at the start would ask for."""
        short = min(1e-4, left)
        gain = self.level - self.mean_potential(step, 0.0)
        rise = (self.mean_potential(step, short) - self.mean_potential(step, 0.0)) / short
        return min(max(0.5 * gain / rise, short), left) if rise > 0 else short
