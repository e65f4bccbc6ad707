r"""Losses :math:`\phi(z)` of the margin :math:`z = yF`, with :math:`y = \pm 1`.

A loss says its value, slope and curvature, and how a score becomes a probability: the link is
where :math:`F` minimises the expected loss of a row whose second class has that probability.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from coterie.native import elementary
from coterie.tags import tagged_family

Array = NDArray[np.float64]

# Steps of central differences that balance truncation and rounding.
_STEP = float(np.cbrt(np.finfo(np.float64).eps))


@tagged_family
class MarginLoss:
    """Base class of margin losses; subclasses implement `value` and, optionally, derivatives."""

    #: Whether a local minimum along a line is the minimum.
    convex: ClassVar[bool] = False

    def value(self, z: Array) -> Array:
        """The loss."""
        raise NotImplementedError

    def slope(self, z: Array) -> Array:
        """Its first derivative; by default of central differences."""
        step = _STEP * np.maximum(1.0, np.abs(z))
        return np.asarray((self.value(z + step) - self.value(z - step)) / (2 * step))

    def curvature(self, z: Array) -> Array:
        """Its second derivative; by default of central differences."""
        step = _STEP * np.maximum(1.0, np.abs(z))
        return np.asarray((self.slope(z + step) - self.slope(z - step)) / (2 * step))

    def link(self, score: Array) -> Array | None:
        """Probability of the second class; None when the loss says nothing of it."""
        return None


@dataclass(frozen=True)
class Exponential(MarginLoss):
    r""":math:`e^{-z}`, the loss of AdaBoost.

    Examples
    --------
    >>> loss = Exponential()
    >>> float(loss.value(np.array(0.0))), float(loss.slope(np.array(0.0)))
    (1.0, -1.0)
    >>> float(loss.link(np.array(0.0)))
    0.5
    """

    convex: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        """The loss; infinite where it overflows."""
        with np.errstate(over="ignore"):
            return np.asarray(elementary.exp(-z))

    def slope(self, z: Array) -> Array:
        """Its first derivative."""
        return -self.value(z)

    def curvature(self, z: Array) -> Array:
        """Its second derivative."""
        return self.value(z)

    def link(self, score: Array) -> Array:
        """Probability of the second class."""
        return np.asarray(elementary.expit(2 * score))


@dataclass(frozen=True)
class Logistic(MarginLoss):
    r""":math:`\ln(1 + e^{-sz})`.

    Parameters
    ----------
    scale : float
        The factor s; 2 gives scores on AdaBoost's scale.
    """

    scale: float = 2.0
    convex: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        """The loss."""
        return np.asarray(elementary.softplus(-self.scale * z))

    def slope(self, z: Array) -> Array:
        """Its first derivative."""
        return np.asarray(-self.scale * elementary.expit(-self.scale * z))

    def curvature(self, z: Array) -> Array:
        """Its second derivative."""
        return np.asarray(
            self.scale**2 * elementary.expit(self.scale * z) * elementary.expit(-self.scale * z)
        )

    def link(self, score: Array) -> Array:
        """Probability of the second class."""
        return np.asarray(elementary.expit(self.scale * score))


@dataclass(frozen=True)
class Mada(MarginLoss):
    r""":math:`e^{-z}` for positive margins and :math:`1 - z` otherwise, the loss of MadaBoost."""

    convex: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        """The loss."""
        return np.asarray(elementary.exp(-np.maximum(z, 0.0)) - np.minimum(z, 0.0))

    def slope(self, z: Array) -> Array:
        """Its first derivative."""
        return np.asarray(-elementary.exp(-np.maximum(z, 0.0)))

    def curvature(self, z: Array) -> Array:
        """Its second derivative."""
        return np.asarray(np.where(z > 0, elementary.exp(-np.maximum(z, 0.0)), 0.0))

    def link(self, score: Array) -> Array:
        """Probability of the second class."""
        return np.asarray(elementary.expit(score))


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    r""":math:`\max(0, 1 - z)^2`: zero for margins of at least one."""

    convex: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        """The loss."""
        return np.asarray(np.maximum(0.0, 1.0 - z) ** 2)

    def slope(self, z: Array) -> Array:
        """Its first derivative."""
        return np.asarray(-2.0 * np.maximum(0.0, 1.0 - z))

    def curvature(self, z: Array) -> Array:
        """Its second derivative."""
        return np.asarray(np.where(z < 1, 2.0, 0.0))

    def link(self, score: Array) -> Array:
        """Probability of the second class."""
        return np.asarray((np.clip(score, -1.0, 1.0) + 1.0) / 2.0)


@dataclass(frozen=True)
class Squared(MarginLoss):
    r""":math:`(1 - z)^2`, which is :math:`(y - F)^2`: margins beyond one are errors as well."""

    convex: ClassVar[bool] = True

    def value(self, z: Array) -> Array:
        """The loss."""
        return np.asarray((1.0 - z) ** 2)

    def slope(self, z: Array) -> Array:
        """Its first derivative."""
        return np.asarray(-2.0 * (1.0 - z))

    def curvature(self, z: Array) -> Array:
        """Its second derivative."""
        return np.full(np.shape(z), 2.0)

    def link(self, score: Array) -> Array:
        """Probability of the second class."""
        return np.asarray((np.clip(score, -1.0, 1.0) + 1.0) / 2.0)


@dataclass(frozen=True)
class Sigmoid(MarginLoss):
    r""":math:`1 - \tanh(\lambda z)`, a smooth count of mistakes (DOOM II); not convex.

    It weighs right and wrong margins of the same size alike. From scores of zero, members that
    vote -1 or +1 with equal weight therefore learn little beyond the first.

    Parameters
    ----------
    steepness : float
        The factor :math:`\lambda`.
    """

    #: Another class of this name was there first.
    file_tag: ClassVar[str] = "MarginSigmoid"

    steepness: float = 1.0

    def value(self, z: Array) -> Array:
        """The loss."""
        return np.asarray(2.0 * elementary.expit(-2.0 * self.steepness * z))

    def slope(self, z: Array) -> Array:
        """Its first derivative."""
        # sech² as a product of sigmoids does not overflow.
        inner = 2 * self.steepness * z
        return np.asarray(
            -4.0 * self.steepness * elementary.expit(inner) * elementary.expit(-inner)
        )

    def curvature(self, z: Array) -> Array:
        """Its second derivative."""
        return np.asarray(-2.0 * self.steepness * (1.0 - self.value(z)) * self.slope(z))


@dataclass(frozen=True)
class Savage(MarginLoss):
    r""":math:`(1 + e^{2z})^{-2}`: bounded, so that no single row counts for much; not convex."""

    def value(self, z: Array) -> Array:
        """The loss."""
        return np.asarray(elementary.expit(-2 * z) ** 2)

    def slope(self, z: Array) -> Array:
        """Its first derivative."""
        return np.asarray(-4.0 * elementary.expit(-2 * z) ** 2 * elementary.expit(2 * z))

    def curvature(self, z: Array) -> Array:
        """Its second derivative."""
        miss, hit = elementary.expit(-2 * z), elementary.expit(2 * z)
        return np.asarray(8.0 * miss**2 * hit * (2.0 * hit - miss))

    def link(self, score: Array) -> Array:
        """Probability of the second class."""
        return np.asarray(elementary.expit(2 * score))


@dataclass(frozen=True)
class Tangent(MarginLoss):
    r""":math:`(2 \arctan z - 1)^2`: bounded, and increasing again for large margins."""

    def value(self, z: Array) -> Array:
        """The loss."""
        return np.asarray((2.0 * np.arctan(z) - 1.0) ** 2)

    def slope(self, z: Array) -> Array:
        """Its first derivative."""
        return np.asarray(4.0 * (2.0 * np.arctan(z) - 1.0) / (1.0 + z**2))

    def curvature(self, z: Array) -> Array:
        """Its second derivative."""
        return np.asarray((8.0 - 8.0 * z * (2.0 * np.arctan(z) - 1.0)) / (1.0 + z**2) ** 2)

    def link(self, score: Array) -> Array:
        """Probability of the second class."""
        return np.asarray(np.clip(np.arctan(score) + 0.5, 0.0, 1.0))


@dataclass(frozen=True)
class FunctionLoss(MarginLoss):
    """Any function of the margin, treated as non-convex.

    Parameters
    ----------
    function : callable
        The loss of an array of margins.
    derivative : callable, optional
        Its slope; by default of central differences.
    """

    function: Callable[[Array], Array]
    derivative: Callable[[Array], Array] | None = None

    def value(self, z: Array) -> Array:
        """The loss."""
        return np.asarray(self.function(z), dtype=np.float64)

    def slope(self, z: Array) -> Array:
        """Its first derivative."""
        if self.derivative is None:
            return super().slope(z)
        return np.asarray(self.derivative(z), dtype=np.float64)


MARGIN_LOSSES: dict[str, MarginLoss] = {
    "exponential": Exponential(),
    "logistic": Logistic(),
    "logistic1": Logistic(scale=1.0),
    "madaboost": Mada(),
    "squared_hinge": SquaredHinge(),
    "squared": Squared(),
    "sigmoid": Sigmoid(),
    "savage": Savage(),
    "tangent": Tangent(),
}


def derivative_gaps(loss: MarginLoss, z: Array) -> tuple[float, float]:
    """Largest differences of slope and curvature from central differences at the margins `z`.

    Examples
    --------
    >>> slope, curvature = derivative_gaps(Logistic(), np.linspace(-3, 3, 7))
    >>> slope < 1e-8, curvature < 1e-8
    (True, True)
    """
    slope = np.abs(loss.slope(z) - MarginLoss.slope(loss, z)).max()
    curvature = np.abs(loss.curvature(z) - MarginLoss.curvature(loss, z)).max()
    return float(slope), float(curvature)
