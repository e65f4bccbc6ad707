"""Output flipping: every member learns labels of which some were changed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.bagging.bag import VOTING, BagClassifierTask
from coterie.bagging.outputs import OUTPUTS, OutputBag, class_shares
from coterie.core import Allowed, ParameterError, between, one_of
from coterie.data import Target
from coterie.tags import tagged

Array = NDArray[np.float64]

_SHARE = 0.2  # of what flipping could change at most, by default
_SWITCH = 0.6  # the same for uniform flips, as Martínez-Muñoz and Suárez recommend


def proportional_flips(shares: Array, rate: float) -> Array:
    r"""Chances that class j becomes class i, in proportion to the classes' shares q.

    .. math:: P(j \to i) = w q_i, \quad P(j \to j) = 1 - w (1 - q_j), \quad
       w = \frac{\text{rate}}{1 - \sum_k q_k^2}

    A share `rate` of the labels changes on average, and the shares stay as they are.

    Examples
    --------
    >>> proportional_flips(np.array([0.5, 0.3, 0.2]), 0.2).round(3)
    array([[0.839, 0.097, 0.065],
           [0.161, 0.774, 0.065],
           [0.161, 0.097, 0.742]])
    """
    purity = float(np.sum(shares**2))
    if purity >= 1:
        return np.eye(len(shares))
    chances = np.tile(rate / (1 - purity) * shares, (len(shares), 1))
    np.fill_diagonal(chances, 0.0)
    return chances + np.diag(1 - chances.sum(axis=1))


def uniform_flips(n_classes: int, rate: float) -> Array:
    """Chances that class j becomes class i, the same for all others.

    Examples
    --------
    >>> uniform_flips(3, 0.4)
    array([[0.6, 0.2, 0.2],
           [0.2, 0.6, 0.2],
           [0.2, 0.2, 0.6]])
    """
    if n_classes == 1:
        return np.eye(1)
    chances = np.full((n_classes, n_classes), rate / (n_classes - 1))
    np.fill_diagonal(chances, 1 - rate)
    return chances


@tagged
@dataclass(frozen=True)
class Flip:
    """Changes labels by a matrix of chances.

    Parameters
    ----------
    chances : ndarray of shape (n_classes, n_classes)
        Chance of each class, by row, to become another, by column.
    """

    chances: Array

    def __call__(self, target: Target, rng: Generator) -> Target:
        """Other labels of the same classes."""
        bounds = np.cumsum(self.chances, axis=1)
        bounds[:, -1] = 1.0  # whatever the rounding
        points = rng.random(target.n_rows)
        codes = (points[:, None] >= bounds[target.codes[:, 0]]).sum(axis=1)
        return replace(target, encoded=codes.astype(np.int32)[:, None])


@dataclass(eq=False, repr=False, kw_only=True)
class OutputFlippingClassifier(BagClassifierTask, OutputBag):
    r"""Members fitted to all rows, each with different labels flipped at random.

    The members make different mistakes, which the vote corrects as long as a label is kept more
    often than it is changed to any other. Flips in proportion to the class shares q keep the
    shares: :math:`P(j \to i) = w q_i` with :math:`w = \text{rate}/(1 - \sum_k q_k^2)`. They affect
    rows of rare classes most; uniform flips (class switching) treat all classes equally, and
    thereby make rare classes more frequent.

    Parameters
    ----------
    flip_rate : float or None, default=None
        Share of labels that change. By default 0.2 times the largest share that leaves any signal,
        :math:`(1 - \sum_k q_k^2)/(1 - 1/K)`; for uniform flips 0.6 times :math:`1 - 1/K`.
    method : {"proportional", "uniform"}, default="proportional"
        How the new label is drawn: in proportion to the class frequencies, or uniformly from the
        other classes.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement too; then there are out-of-bag rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimators_, pool_ : sequence of members, Pool
        The members; ``pool_[:t]`` is the ensemble of the first t.

    References
    ----------
    .. [1] Breiman, "Randomizing outputs to increase prediction accuracy", Machine Learning 40
       (2000).
    .. [2] Martínez-Muñoz & Suárez, "Switching class labels to generate classification ensembles",
       Pattern Recognition 38 (2005).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = OutputFlippingClassifier(random_state=0).fit(X, y)
    >>> member = model.estimators_[0]
    >>> model.score(X, y), 0.75 < member.score(X, y) < 0.9
    (1.0, True)
    """

    flip_rate: float | None = None
    method: Literal["proportional", "uniform"] = "proportional"
    voting: Literal["auto", "soft", "hard"] = "auto"

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **OUTPUTS,
        **VOTING,
        "flip_rate": between(0.0, 1.0, closed="neither") | one_of(None),
        "method": one_of("proportional", "uniform"),
    }

    def _change(self, target: Target, weight: Array | None) -> Flip:
        return Flip(self._flips(class_shares(target, weight)))

    def _flips(self, shares: Array) -> Array:
        """The matrix of chances, or an error if no signal would be left."""
        n_classes = len(shares)
        room = 1 - float(np.sum(shares**2))
        even = 1 - 1 / n_classes
        if self.method == "uniform":
            rate = _SWITCH * even if self.flip_rate is None else self.flip_rate
            _check_rate(rate, even, n_classes)
            return uniform_flips(n_classes, rate)
        if self.flip_rate is None:
            return proportional_flips(shares, _SHARE * room / max(even, 1e-300))
        _check_rate(self.flip_rate, room, n_classes)
        chances = proportional_flips(shares, self.flip_rate)
        outside = chances - np.diag(np.diag(chances))
        if n_classes > 1 and np.any(np.diag(chances) <= outside.max(axis=1)):
            weak = int(np.argmin(np.diag(chances) - outside.max(axis=1)))
            warnings.warn(
                f"flip_rate={self.flip_rate} changes the labels of class number {weak} at least "
                "as often as it keeps them, so members cannot learn it. Lower flip_rate, or use "
                "method='uniform'.",
                UserWarning,
                stacklevel=2,
            )
        return chances


def _check_rate(rate: float, limit: float, n_classes: int) -> None:
    if n_classes > 1 and rate >= limit:
        raise ParameterError(
            f"flip_rate={rate} is too high; with these classes it must be below {limit:.4g}, or "
            "members learn nothing."
        )
