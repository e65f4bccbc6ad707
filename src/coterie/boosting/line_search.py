"""How far to go along a member: the first local minimum of a loss on a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coterie.core.rule import Array
from coterie.losses import MarginLoss
from coterie.native import elementary

_EPS = float(np.finfo(np.float64).eps)
#: Newton steps before bisection takes over; a smooth loss needs about ten.
_NEWTON_STEPS = 30
_ALL_STEPS = 120


@dataclass(frozen=True)
class Line:
    r"""The loss along a direction, :math:`\psi(a) = \sum_i w_i \phi(z_i + a d_i)`.

    Parameters
    ----------
    loss : MarginLoss
        The :math:`\phi`.
    margin, direction, weight : ndarray of shape (n,)
        Where the line starts, where it leads, and what each term counts.
    """

    loss: MarginLoss
    margin: Array
    direction: Array
    weight: Array

    @property
    def convex(self) -> bool:
        """Whether the first minimum is the only one."""
        return self.loss.convex

    def value(self, a: float) -> float:
        """The loss at `a`."""
        return elementary.dot(self.weight, self.loss.value(self.margin + a * self.direction))

    def slope(self, a: float) -> float:
        """The first derivative at `a`."""
        slopes = self.loss.slope(self.margin + a * self.direction)
        return elementary.dot(self.weight, self.direction * slopes)

    def curvature(self, a: float) -> float:
        """The second derivative at `a`."""
        curvatures = self.loss.curvature(self.margin + a * self.direction)
        return elementary.dot(self.weight, self.direction**2 * curvatures)

    def first_minimum(self, longest: float) -> float | None:
        """The smallest `a` > 0 that is found where the loss turns to rise.

        None if it still falls at `longest`. The slope at 0 must be negative. Steps double from 1,
        or from 0.001 for a loss that is not convex, until the slope is no longer negative; then
        the turn is in between.
        """
        low, high = 0.0, 1.0 if self.convex else 1e-3
        while self.slope(high) < 0:
            if high >= longest:
                return None
            low, high = high, min(2 * high, longest)
        high = turning_point(self.slope, self.curvature, low, high)
        # Between two steps a loss that is not convex may have risen: go back until it is lower.
        start = self.value(0.0)
        while self.value(high) > start and high > _EPS:
            high /= 2
        return high


@dataclass(frozen=True)
class SoftmaxLine(Line):
    r"""The multinomial deviance along votes for many classes.

    :math:`\psi(a) = \sum_i w_i (\ln \sum_k e^{F_{ik} + a f_{ik}} - F_{i y_i} - a f_{i y_i})`.

    Parameters
    ----------
    loss, margin, direction, weight : see Line
        Scores and votes as matrices of one column per class; the loss is not used.
    codes : ndarray of shape (n,)
        The classes.
    """

    codes: NDArray[np.int32]

    @property
    def convex(self) -> bool:
        """It is."""
        return True

    def _moments(self, a: float) -> tuple[Array, Array]:
        """Mean and variance of a row's votes under its class probabilities."""
        chance = elementary.softmax(self.margin + a * self.direction)
        mean = (chance * self.direction).sum(axis=1)
        return mean, (chance * self.direction**2).sum(axis=1) - mean**2

    def value(self, a: float) -> float:
        """The loss at `a`."""
        scores = self.margin + a * self.direction
        own = scores[np.arange(len(scores)), self.codes]
        return elementary.dot(self.weight, elementary.logsumexp(scores) - own)

    def slope(self, a: float) -> float:
        """The first derivative at `a`."""
        own = self.direction[np.arange(len(self.direction)), self.codes]
        return elementary.dot(self.weight, self._moments(a)[0] - own)

    def curvature(self, a: float) -> float:
        """The second derivative at `a`."""
        return elementary.dot(self.weight, self._moments(a)[1])


def turning_point(
    slope: Callable[[float], float], curvature: Callable[[float], float], low: float, high: float
) -> float:
    """Where a slope that is negative at `low` and not at `high` is zero.

    Newton steps as long as they stay between the two; bisection otherwise.

    Examples
    --------
    >>> round(turning_point(lambda a: a * a - 2, lambda a: 2 * a, 0.0, 4.0), 12)
    1.414213562373
    """
    at = low
    for step in range(_ALL_STEPS):
        tilt = slope(at)
        if tilt == 0:
            break
        low, high = (at, high) if tilt < 0 else (low, at)
        bend = curvature(at) if step < _NEWTON_STEPS else 0.0
        proposed = at - tilt / bend if bend > 0 else high
        following = proposed if low < proposed < high else (low + high) / 2
        if abs(following - at) <= _EPS * max(abs(at), _EPS):
            break
        at = following
    return at
