r"""Losses of classes, given as codes 0, 1, ...: the scores become probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np

from coterie.losses.pointwise import (
    Array,
    Leaves,
    OneScoreLoss,
    PointwiseLoss,
    bounded_exp,
    leaf_sums,
)
from coterie.native import elementary

# A start of a class without weight is that of a share of this size.
LEAST_SHARE = 1e-12
# A probability that comes from outside is taken to be at least this far from 0 and 1.
SURE = float(np.finfo(np.float32).eps)
# Rows of at most so many scores are better added up column by column.
SHORT_ROW = 16
# No leaf moves the log odds by more in a round.
LONGEST_STEP = 10.0


def by_row(operation: np.ufunc, values: Array) -> Array:
    """What the operation makes of every row; NumPy is slow at rows that are short."""
    if values.shape[1] > SHORT_ROW:
        return np.asarray(operation.reduce(values, axis=1))
    return np.asarray(reduce(operation, values.T))


def softmax(raw: Array) -> Array:
    """Probabilities of scores.

    Examples
    --------
    >>> softmax(np.array([[0.0, np.log(3.0)], [1000.0, 0.0]]))
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    """
    return elementary.softmax(raw)


class TwoClassLoss(OneScoreLoss):
    """A loss of codes 0 and 1 whose score is a multiple of the log odds of code 1.

    A subclass says which: ``per_score`` log odds make up a score of one.
    """

    per_score: ClassVar[float] = 1.0
    longest_step: ClassVar[float] = LONGEST_STEP

    def check(self, y: Array) -> None:
        """Codes are 0 and 1."""
        if not np.isin(y, (0.0, 1.0)).all():
            raise ValueError("A two-class loss needs y encoded as 0 and 1.")

    def link(self, raw: Array) -> Array:
        """Probabilities of both classes, of shape (n, 2)."""
        second = self.per_score * raw[:, 0]
        return np.column_stack([elementary.expit(-second), elementary.expit(second)])

    def unlink(self, predicted: Array) -> Array:
        """The score of probabilities, kept finite."""
        second = np.clip(predicted[:, 1:], SURE, 1.0 - SURE)
        return np.asarray(elementary.logit(second) / self.per_score)

    def start_at(self, y: Array, weight: Array) -> float:
        """The score of the weighted shares."""
        share = np.clip(np.average(y, weights=weight), LEAST_SHARE, 1.0 - LEAST_SHARE)
        return float(elementary.logit(share)) / self.per_score


@dataclass(frozen=True)
class LogLoss(TwoClassLoss):
    r""":math:`\ln(1 + e^F) - yF` of two classes; the score is the log odds of code 1.

    Examples
    --------
    >>> loss = LogLoss()
    >>> loss.link(np.zeros((1, 1)))
    array([[0.5, 0.5]])
    >>> loss.gradient(np.array([0.0, 1.0]), np.zeros((2, 1))).ravel()
    array([ 0.5, -0.5])
    """

    name: ClassVar[str] = "log_loss"

    def loss_at(self, y: Array, score: Array) -> Array:
        """The loss, as a logarithm of one term so that it neither overflows nor cancels."""
        return np.asarray(elementary.softplus((1.0 - 2.0 * y) * score))

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Probability minus code, and the variance of the code."""
        share = elementary.expit(score)
        return share - y, share * elementary.expit(-score)


@dataclass(frozen=True)
class ExponentialLoss(TwoClassLoss):
    r""":math:`e^{-sF}` with s = 2y - 1, the loss of AdaBoost; the score is half the log odds.

    A leaf's update is exact, :math:`\frac12 \ln(\sum_+ w e^{-F} / \sum_- w e^F)`; a leaf of one
    class, where the loss has no minimum, takes its Newton step of one.

    Examples
    --------
    >>> ExponentialLoss().value(np.array([0.0, 1.0]), np.ones((2, 1))).round(3)
    array([2.718, 0.368])
    """

    name: ClassVar[str] = "exponential"
    per_score: ClassVar[float] = 2.0
    exact_leaf: ClassVar[bool] = True

    def loss_at(self, y: Array, score: Array) -> Array:
        """The loss."""
        return bounded_exp((1.0 - 2.0 * y) * score)

    def slopes_at(self, y: Array, score: Array) -> tuple[Array, Array]:
        """Minus the sign times the loss, and the loss."""
        loss = self.loss_at(y, score)
        return (1.0 - 2.0 * y) * loss, loss

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """The exact update where both classes are present."""
        pull = weight * self.loss_at(y, raw[:, 0])
        up = leaf_sums(pull * y, leaves, n_leaves)
        down = leaf_sums(pull * (1.0 - y), leaves, n_leaves)
        mixed = (up > 0) & (down > 0)
        step = 0.5 * (
            elementary.log(np.where(mixed, up, 1.0)) - elementary.log(np.where(mixed, down, 1.0))
        )
        return np.where(
            mixed, np.clip(step, -LONGEST_STEP, LONGEST_STEP), np.sign(up) - np.sign(down)
        )


@dataclass(frozen=True)
class MultinomialLoss(PointwiseLoss):
    r""":math:`-\ln p_y` with :math:`p = \mathrm{softmax}(F)`: one score for every class.

    The Hessian is the diagonal of the true one. A leaf of the tree for class k takes Friedman's
    step :math:`\frac{K-1}{K} \sum w r / \sum w |r|(1 - |r|)`, with :math:`r = [y = k] - p_k`.

    Parameters
    ----------
    n_classes : int
        How many classes there are.

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation. Ann. Stat. 29, 1189-1232.

    Examples
    --------
    >>> loss, y = MultinomialLoss(n_classes=3), np.array([0.0, 2.0])
    >>> loss.gradient(y, np.zeros((2, 3))).round(2)
    array([[-0.67,  0.33,  0.33],
           [ 0.33,  0.33, -0.67]])
    """

    n_classes: int
    name: ClassVar[str] = "multinomial"
    longest_step: ClassVar[float] = LONGEST_STEP

    @staticmethod
    def n_scores(n_classes: int) -> int:
        """One a class."""
        return n_classes

    def check(self, y: Array) -> None:
        """Codes are integers below the number of classes."""
        if y.min() < 0 or y.max() >= self.n_classes or (y != np.floor(y)).any():
            raise ValueError(f"y must contain class codes from 0 to {self.n_classes - 1}.")

    def value(self, y: Array, raw: Array) -> Array:
        """The loss of every row."""
        own = raw[np.arange(len(y)), y.astype(np.intp)]
        most = by_row(np.maximum, raw)
        return elementary.log(by_row(np.add, elementary.exp(raw - most[:, np.newaxis]))) - (
            own - most
        )

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Probabilities minus what they should be, and p(1 - p)."""
        share = softmax(raw)
        hessian = share * (1.0 - share)
        share[np.arange(len(y)), y.astype(np.intp)] -= 1.0
        return share, hessian

    def link(self, raw: Array) -> Array:
        """The probability of every class."""
        return softmax(raw)

    def unlink(self, predicted: Array) -> Array:
        """Logarithms of probabilities, kept finite and centred."""
        logs = elementary.log(np.maximum(predicted, SURE))
        return np.asarray(logs - logs.mean(axis=1, keepdims=True))

    def start(self, y: Array, weight: Array) -> Array:
        """Logarithms of the weighted shares, centred."""
        share = np.bincount(y.astype(np.intp), weights=weight, minlength=self.n_classes)
        logs = elementary.log(np.maximum(share / share.sum(), LEAST_SHARE))
        return np.asarray(logs - logs.mean())

    @property
    def newton_share(self) -> float:
        """Friedman's share of the step for the tree of a class."""
        return (self.n_classes - 1) / self.n_classes
