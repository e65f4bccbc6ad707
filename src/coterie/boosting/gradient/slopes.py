"""Slopes of the loss at the scores of a round, in arrays that are made once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.losses import ColumnsLoss, LogLoss, MultinomialLoss, PointwiseLoss, SquaredError
from coterie.native import Classes, logistic_slopes, softmax_slopes, squared_slopes

Array = NDArray[np.float64]
Pair = tuple[NDArray[Any], NDArray[Any] | None]

# Up to here slopes are float64, so that a weight of three equals three rows to the last digits;
# beyond, reading half the memory is worth more than digits that no split can depend on.
_SHORT = 1 << 16
_MANY = 1 << 21  # slopes that no cache holds
_MODEST = 1e15  # far from where float32 ends, or loses digits


class SlopeMaker:
    """First and second derivatives, weights included.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Numbers, or codes of classes.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    n_scores : int
        Scores of a row.
    n_threads : int, default=1
        Threads of the engine.
    kind : float32 or float64, optional
        How slopes are kept; by default as the rows ask for.

    Examples
    --------
    >>> maker = SlopeMaker(np.array([0.0, 1.0]), None, 1)
    >>> gradient, hessian = maker.at(SquaredError(), np.zeros((2, 1)))
    >>> gradient.ravel(), hessian
    (array([ 0., -1.]), None)
    """

    def __init__(
        self,
        y: Array,
        weight: Array | None,
        n_scores: int,
        n_threads: int = 1,
        kind: Any = None,
    ) -> None:
        self.y, self.weight, self.n_threads = y, weight, n_threads
        self.codes = y.astype(np.int32, copy=False) if n_scores > 1 and y.ndim == 1 else None
        self.kind = kind or _kind(y, weight)
        self.n_scores = n_scores
        self.flat: NDArray[Any] | None = (
            None if weight is None else weight[:, None].astype(self.kind)
        )

    @cached_property
    def gradient(self) -> NDArray[Any]:
        """Where first derivatives go."""
        return np.empty((len(self.y), self.n_scores), dtype=self.kind, order="F")

    @cached_property
    def hessian(self) -> NDArray[Any]:
        """Where second derivatives go, if a loss has any but ones."""
        return np.empty_like(self.gradient)

    @property
    def too_many(self) -> bool:
        """Whether slopes of all classes at once would take more memory than they are worth."""
        return self.codes is not None and len(self.y) * self.n_scores > _MANY

    @cached_property
    def _class_room(self) -> tuple[NDArray[Any], Array]:
        """Where the slopes of one class go, and what those of all have in common."""
        return np.empty((2, len(self.y)), dtype=self.kind), np.empty((2, len(self.y)))

    def by_class(self, raw: Array, rate: float, longest: float) -> Classes:
        """What trees of classes fit that make their slopes one after the other."""
        assert self.codes is not None
        return Classes(self.codes, self.weight, raw, *self._class_room, rate, longest)

    def at(self, loss: PointwiseLoss, raw: Array) -> Pair:
        """Gradient and Hessian of shape (n_rows, n_scores); None is a Hessian of ones.

        They are overwritten by the next call.
        """
        if not self._natively(loss, raw):
            gradient, hessian = loss.slopes(self.y, raw)
            self.gradient[...] = gradient
            if not loss.constant_hessian:
                self.hessian[...] = hessian
            if self.flat is not None:
                self.gradient *= self.flat
                if not loss.constant_hessian:
                    self.hessian *= self.flat
        # A constant hessian is what the weights are.
        return self.gradient, self.flat if loss.constant_hessian else self.hessian

    def _natively(self, loss: PointwiseLoss, raw: Array) -> bool:
        """Let the engine do it, for the losses it knows."""
        threads, gradient = self.n_threads, self.gradient
        parts = loss.parts if isinstance(loss, ColumnsLoss) else (loss,)
        columns = self.y.reshape(len(self.y), -1, order="F")
        if type(parts[0]) in (SquaredError, LogLoss):
            for k, part in enumerate(parts):
                given = raw[:, k], columns[:, k], self.weight, gradient[:, k]
                if type(part) is SquaredError:
                    squared_slopes(*given, n_threads=threads)
                else:
                    logistic_slopes(*given, self.hessian[:, k], n_threads=threads)
        elif type(loss) is MultinomialLoss and self.codes is not None:
            softmax_slopes(
                raw, self.codes, self.weight, gradient.T, self.hessian.T, n_threads=threads
            )
        else:
            return False
        return True


def _kind(y: Array, weight: Array | None) -> type[np.float64] | type[np.float32]:
    """How slopes are kept: short if there are many, and none is huge or tiny."""
    if len(y) <= _SHORT:
        return np.float64
    size = float(np.abs(y).max()) * (1.0 if weight is None else float(weight.max()))
    return np.float32 if 1 / _MODEST < size < _MODEST else np.float64
