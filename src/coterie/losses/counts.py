r"""Losses of positive targets with a log link: the score is the logarithm of the mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie.losses.pointwise import (
    Array,
    Leaves,
    OneScoreLoss,
    bounded_exp,
    leaf_sums,
)
from coterie.native import elementary

# No leaf moves the mean by more than a factor of exp(10) in a round.
LONGEST_STEP = 10.0
# A leaf where every y is 0 wants a mean of 0; it stops at this share of the mean of all rows.
LEAST_SHARE = 1e-9


class LogLinkLoss(OneScoreLoss):
    r"""A loss :math:`a(F) - y\,b(F)` whose best constant in a leaf is a ratio of two sums.

    A subclass gives `parts`: the leaf's update is :math:`\ln(\sum w\,y\,u / \sum w\,v)`.
    """

    exact_leaf: ClassVar[bool] = True
    longest_step: ClassVar[float] = LONGEST_STEP

    def parts(self, y: Array, score: Array) -> tuple[Array, Array]:
        """What is summed above and below the fraction bar."""
        raise NotImplementedError  # every loss has its own

    def link(self, raw: Array) -> Array:
        """The mean."""
        return bounded_exp(raw[:, 0])

    def unlink(self, predicted: Array) -> Array:
        """The logarithm of the mean."""
        mean = predicted.reshape(-1, 1)
        least = LEAST_SHARE * max(float(mean.max(initial=0.0)), LEAST_SHARE)
        return np.asarray(elementary.log(np.maximum(mean, least)))

    def start_at(self, y: Array, weight: Array) -> float:
        """The logarithm of the weighted mean."""
        return float(elementary.log(np.average(y, weights=weight)))

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """The exact update, bounded so that the mean stays positive and finite."""
        above, below = self.parts(y, raw[:, 0])
        top = leaf_sums(weight * above, leaves, n_leaves)
        bottom = leaf_sums(weight * below, leaves, n_leaves)
        some, filled = top > 0, bottom > 0
        step = elementary.log(np.where(some & filled, top, 1.0)) - elementary.log(
            np.where(filled, bottom, 1.0)
        )
        lowest = np.full(n_leaves, np.inf)
        np.minimum.at(lowest, leaves, raw[:, 0])
        mean = float(np.average(y, weights=weight)) or 1.0
        floor = elementary.log(LEAST_SHARE * mean) - lowest
        step = np.where(some, step, np.minimum(floor, 0.0))
        return np.where(filled, np.clip(step, -LONGEST_STEP, LONGEST_STEP), 0.0)


def not_negative(name: str, y: Array) -> None:
    """Raise a ValueError if some of `y` is negative, or if all are zero."""
    if y.min() < 0:
        raise ValueError(
            f"loss={name!r} requires non-negative y and sum(y) > 0; the smallest y is {y.min():g}."
        )
    if not y.any():
        raise ValueError(f"loss={name!r} requires non-negative y and sum(y) > 0; all y are 0.")


@dataclass(frozen=True)
class PoissonLoss(LogLinkLoss):
    r""":math:`e^F - yF`, half the Poisson deviance up to a constant; y >= 0.

    Examples
    --------
    >>> loss, y = PoissonLoss(), np.array([0.0, 2.0, 4.0])
    >>> loss.link(loss.start(y, np.ones(3))[np.newaxis])
    array([2.])
    """

    name: ClassVar[str] = "poisson"

    def check(self, y: Array) -> None:
        """Counts are not negative."""
        not_negative(self.name, y)

    def loss_at(self, y: Array, score: Array) -> Array:
        """The loss."""
        return bounded_exp(score) - y * score

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Mean minus count, and the mean."""
        mean = bounded_exp(score)
        return mean - y, mean

    def parts(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Counts over means."""
        return y, bounded_exp(score)


@dataclass(frozen=True)
class GammaLoss(LogLinkLoss):
    r""":math:`y e^{-F} + F`, half the gamma deviance up to a constant; y > 0.

    Examples
    --------
    >>> GammaLoss().gradient(np.array([1.0, 3.0]), np.zeros((2, 1))).ravel()
    array([ 0., -2.])
    """

    name: ClassVar[str] = "gamma"

    def check(self, y: Array) -> None:
        """Sizes are positive."""
        if y.min() <= 0:
            raise ValueError(
                f"loss='gamma' requires strictly positive y; the smallest y is {y.min():g}."
            )

    def loss_at(self, y: Array, score: Array) -> Array:
        """The loss."""
        return y * bounded_exp(-score) + score

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """One minus y over the mean, and y over the mean."""
        share = y * bounded_exp(-score)
        return 1.0 - share, share

    def parts(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Shares of the mean over rows."""
        return y * bounded_exp(-score), np.ones_like(score)


@dataclass(frozen=True)
class TweedieLoss(LogLinkLoss):
    r""":math:`-y\,e^{(1-p)F}/(1-p) + e^{(2-p)F}/(2-p)`; y >= 0, many of them exactly 0.

    Between counts (Poisson, p towards 1) and sizes (gamma, p towards 2): totals of claims.

    Parameters
    ----------
    power : float, default=1.5
        The p by which the variance grows with the mean; strictly between 1 and 2.

    References
    ----------
    Jørgensen, B. (1987). Exponential dispersion models. J. R. Stat. Soc. B 49, 127-162.

    Examples
    --------
    >>> TweedieLoss(power=1.5).gradient(np.array([0.0, 4.0]), np.zeros((2, 1))).ravel()
    array([ 1., -3.])
    """

    power: float = 1.5
    name: ClassVar[str] = "tweedie"

    def __post_init__(self) -> None:
        if not 1.0 < self.power < 2.0:
            raise ValueError(
                f"power must lie strictly between 1 (the poisson loss) and 2 (the gamma loss); "
                f"got {self.power}."
            )

    def check(self, y: Array) -> None:
        """Totals are not negative."""
        not_negative(self.name, y)

    def parts(self, y: Array, score: Array) -> tuple[Array, Array]:
        """The two sides of the derivative."""
        return y * bounded_exp((1 - self.power) * score), bounded_exp((2 - self.power) * score)

    def loss_at(self, y: Array, score: Array) -> Array:
        """The loss."""
        wanted, given = self.parts(y, score)
        return wanted / (self.power - 1.0) + given / (2.0 - self.power)

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """First and second derivative."""
        wanted, given = self.parts(y, score)
        return given - wanted, (2.0 - self.power) * given + (self.power - 1.0) * wanted
