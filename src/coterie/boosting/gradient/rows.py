"""Which rows a round of gradient boosting learns from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Rows = NDArray[np.int32]


@dataclass(frozen=True)
class Draw:
    """The rows of a round.

    Parameters
    ----------
    rows : int32 array or None
        Ascending; None for all.
    scaled : int32 array or None
        Those whose slopes are multiplied by `factor`.
    factor : float, default=1.0
        What the drawn ones make up for those left out.
    """

    rows: Rows | None = None
    scaled: Rows | None = None
    factor: float = 1.0

    def scale(
        self, gradient: NDArray[Any], hessian: NDArray[Any] | None
    ) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """The slopes with those of `scaled` rows multiplied; the gradient in place."""
        if self.scaled is None:
            return gradient, hessian
        gradient[self.scaled] *= self.factor
        # Weights that stand for the hessian are used again in the next round.
        hessian = np.ones_like(gradient) if hessian is None else hessian.copy()
        hessian[self.scaled] *= self.factor
        return gradient, hessian

    def weigh(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of all rows with those of `scaled` rows multiplied."""
        if self.scaled is None:
            return weight
        weight = weight.copy()
        weight[self.scaled] *= self.factor
        return weight


#: Chooses rows, given the gradients of shape (n_rows, n_scores), the round and a stream.
RowDraw = Callable[[NDArray[Any], int, Generator], Draw]


def all_rows(gradient: NDArray[Any], round_: int, rng: Generator) -> Draw:
    """Every row, every round."""
    return Draw()


@dataclass(frozen=True)
class SomeRows:
    """Stochastic gradient boosting: a share of the rows, drawn without replacement.

    Parameters
    ----------
    share : float
        How many of the rows.

    References
    ----------
    .. [1] Friedman, "Stochastic gradient boosting", Comput. Stat. Data Anal. 38 (2002).

    Examples
    --------
    >>> SomeRows(0.5)(np.zeros((4, 1)), 0, np.random.default_rng(0)).rows.tolist()
    [2, 3]
    """

    share: float

    def __call__(self, gradient: NDArray[Any], round_: int, rng: Generator) -> Draw:
        """Draw anew; the gradients do not matter."""
        n = len(gradient)
        return Draw(_some(np.arange(n, dtype=np.int32), max(1, round(self.share * n)), rng))


@dataclass(frozen=True)
class Goss:
    r"""Gradient-based one-side sampling: all rows of large gradient, some of the others.

    The share :math:`a` with the largest :math:`\sum_k |g_{ik}|` is kept; of the rest as many as
    are a share :math:`b` of all rows are drawn, and their slopes multiplied by
    :math:`(1 - a) / b`, so that sums over all rows are expected to stay what they are.

    Parameters
    ----------
    top : float
        :math:`a`.
    other : float
        :math:`b`.
    begin : int, default=0
        Rounds before this one see all rows: early gradients tell little.

    References
    ----------
    .. [1] Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NeurIPS
       (2017).

    Examples
    --------
    >>> gradient = np.array([[3.0], [0.1], [-4.0], [0.2]])
    >>> draw = Goss(0.5, 0.25)(gradient, 0, np.random.default_rng(0))
    >>> draw.rows.tolist(), draw.scaled.tolist(), draw.factor
    ([0, 2, 3], [3], 2.0)
    """

    top: float
    other: float
    begin: int = 0

    def __call__(self, gradient: NDArray[Any], round_: int, rng: Generator) -> Draw:
        """Rows by the size of their gradients."""
        n = len(gradient)
        n_top = min(n, int(np.ceil(self.top * n)))
        n_other = min(n - n_top, max(1, round(self.other * n)))
        if round_ < self.begin or n_top + n_other >= n:
            return Draw()
        size = np.abs(gradient[:, 0]) if gradient.shape[1] == 1 else np.abs(gradient).sum(axis=1)
        large = _largest(size, n_top)
        rest = np.flatnonzero(~large).astype(np.int32)
        scaled = _some(rest, n_other, rng)
        large[scaled] = True
        return Draw(np.flatnonzero(large).astype(np.int32), scaled, len(rest) / n_other)


def _largest(values: NDArray[Any], number: int) -> NDArray[np.bool_]:
    """Which values are the largest; of equal ones the first, whatever NumPy's partition does."""
    if number == 0:
        return np.zeros(len(values), dtype=bool)
    least = np.partition(values, len(values) - number)[len(values) - number]
    large: NDArray[np.bool_] = values > least
    ties = np.flatnonzero(values == least)
    large[ties[: number - np.count_nonzero(large)]] = True
    return large


def _some(rows: Rows, size: int, rng: Generator) -> Rows:
    """As many of the rows as `size` says, ascending; faster than a shuffle of all."""
    if size >= len(rows):
        return rows
    keys = rng.random(len(rows))
    chosen = np.argpartition(keys, size)[:size]
    chosen.sort()
    return rows[chosen]
