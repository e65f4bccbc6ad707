r"""What a loss of raw scores offers: :math:`L(y, F)` with its derivatives, link, start and leaves.

A loss takes `y` of n rows and `raw`, an array of shape (n, k) with k raw scores a row; k is one
for all but the multinomial loss. Classes are codes 0, 1, ... as floats. Nothing here is weighted
but what adds rows up: `start`, `leaf` and `settle`.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from coterie.native import elementary
from coterie.tags import tagged_family

Array = NDArray[np.float64]
Leaves = NDArray[np.integer]

# Beyond this a raw score is no longer exponentiated: exp(500) can still be squared and summed.
SCORE_LIMIT = 500.0
# A sum of hessians below this says nothing about the length of a step.
MIN_CURVATURE = 1e-150


def bounded_exp(raw: Array) -> Array:
    """The exponential of scores, which stops growing where it would overflow."""
    return np.asarray(elementary.exp(np.clip(raw, -SCORE_LIMIT, SCORE_LIMIT)))


def ratio(above: Array, below: Array) -> Array:
    """`above / below`, and 0 where `below` is next to nothing."""
    some = np.abs(below) >= MIN_CURVATURE
    return np.asarray(np.where(some, above, 0.0) / np.where(some, below, 1.0))


def leaf_sums(values: Array, leaves: Leaves, n_leaves: int) -> Array:
    """The sum of `values` in every leaf."""
    return np.asarray(np.bincount(leaves, weights=values, minlength=n_leaves), dtype=np.float64)


def bounded_reach(vote: Array, longest: float) -> float:
    """How often `vote` can be added until some score has moved by `longest`."""
    most = float(np.abs(vote).max(initial=0.0))
    return longest / most if most > 0 else np.inf


@tagged_family
class PointwiseLoss:
    """Base class of losses; subclasses implement `value`, `slopes`, `link` and `start`.

    A loss whose shape depends on the residuals (Huber's, by default) is first settled on them:
    use ``loss.settle(y, raw, weight)`` in every round, which most losses answer with themselves.
    """

    #: What the registry calls it.
    name: ClassVar[str]
    #: Whether `hessian` is 1 in every row.
    constant_hessian: ClassVar[bool] = False
    #: Whether `hessian` is the second derivative, not a stand-in for it.
    true_hessian: ClassVar[bool] = True
    #: Whether leaves must be refitted with `leaf`, since gradient and hessian do not size a step.
    adaptive: ClassVar[bool] = False
    #: Whether `leaf` finds the minimum rather than a single step towards it.
    exact_leaf: ClassVar[bool] = False
    #: How far a leaf may move a score at once: where hessians vanish, Newton steps have no end.
    longest_step: ClassVar[float] = np.inf
    #: Whether a local minimum along a line is the minimum.
    convex: ClassVar[bool] = True
    #: Whether `value` is known, not the slopes alone.
    knows_value: ClassVar[bool] = True

    @property
    def takes_newton_steps(self) -> bool:
        """Whether `leaf` is `newton` of the slopes."""
        return type(self).leaf is PointwiseLoss.leaf

    @property
    def newton_share(self) -> float:
        """What a leaf takes of its Newton step."""
        return 1.0

    @staticmethod
    def n_scores(n_classes: int) -> int:
        """Number of raw scores per row."""
        return 1

    def check(self, y: Array) -> None:
        """Raise a ValueError if the loss of some of `y` is undefined."""

    def settle(self, y: Array, raw: Array, weight: Array) -> PointwiseLoss:
        """The loss to use in a round that starts at `raw`."""
        return self

    def value(self, y: Array, raw: Array) -> Array:
        """The loss of every row, of shape (n,)."""
        raise NotImplementedError  # every loss has its own

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Gradient and Hessian, each of shape (n, k)."""
        raise NotImplementedError  # every loss has its own

    def gradient(self, y: Array, raw: Array) -> Array:
        """First derivatives by the raw scores, of shape (n, k)."""
        return self.slopes(y, raw)[0]

    def hessian(self, y: Array, raw: Array) -> Array:
        """Second derivatives by each raw score, or a substitute for them; shape (n, k)."""
        return self.slopes(y, raw)[1]

    def link(self, raw: Array) -> Array:
        """What the scores predict: the mean of y, or the probability of every class."""
        raise NotImplementedError  # every loss has its own

    def point(self, raw: Array) -> Array:
        """One number a row, of shape (n,): what a regressor predicts."""
        return self.link(raw)

    def unlink(self, predicted: Array) -> Array:
        """Scores, of shape (n, k), that give this prediction: the inverse of `link`."""
        raise NotImplementedError  # every loss has its own

    def start(self, y: Array, weight: Array) -> Array:
        """The best constant score, of shape (k,)."""
        raise NotImplementedError  # every loss has its own

    def response(self, y: Array, raw: Array) -> Array:
        """The target of the members, of shape (n, k): by default the negative gradient."""
        return -self.gradient(y, raw)

    def reach(self, vote: Array) -> float:
        """Maximum step along `vote`, of shape (n, k), in a line search."""
        return bounded_reach(vote, self.longest_step)

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """The step of raw score number `score` in each leaf; 0 in leaves without rows.

        `leaves` contains the leaf of every row. Unless `exact_leaf`, it is one Newton step.
        """
        gradient, hessian = self.slopes(y, raw)
        return self.newton(gradient[:, score], hessian[:, score], weight, leaves, n_leaves)

    def newton(
        self, gradient: Array, hessian: Array, weight: Array, leaves: Leaves, n_leaves: int
    ) -> Array:
        """One Newton step in each leaf, from the slopes of one score, of shape (n,).

        Where the curvature is not positive, a Newton step would increase the loss, so no step is
        taken.
        """
        pull = leaf_sums(-weight * gradient, leaves, n_leaves)
        bend = leaf_sums(weight * hessian, leaves, n_leaves)
        return self.newton_share * ratio(pull, np.maximum(bend, 0.0))


class OneScoreLoss(PointwiseLoss):
    """A loss of a single score, written for arrays of one dimension.

    A subclass gives `loss_at`, `slopes_at`, and `start_at`.
    """

    def value(self, y: Array, raw: Array) -> Array:
        """The loss of every row."""
        return self.loss_at(y, raw[:, 0])

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Gradient and Hessian."""
        gradient, hessian = self.slopes_at(y, raw[:, 0])
        return gradient[:, np.newaxis], hessian[:, np.newaxis]

    def link(self, raw: Array) -> Array:
        """The score itself."""
        return raw[:, 0]

    def unlink(self, predicted: Array) -> Array:
        """The prediction itself."""
        return predicted.reshape(-1, 1)

    def start(self, y: Array, weight: Array) -> Array:
        """The best constant score."""
        return np.array([self.start_at(y, weight)])

    def loss_at(self, y: Array, score: Array) -> Array:
        """The loss of every row."""
        raise NotImplementedError  # every loss has its own

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """First and second derivative."""
        raise NotImplementedError  # every loss has its own

    def start_at(self, y: Array, weight: Array) -> float:
        """The best constant score."""
        raise NotImplementedError  # every loss has its own
