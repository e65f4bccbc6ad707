"""Row samplers: which rows a boosted member is fitted on.

A sampler is a function ``(ask, rng) -> ask``: it leaves the target alone and gives other weights.
A row of weight zero is not seen by the member; errors are always measured on all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from coterie.core.rule import Ask
from coterie.tags import tagged

RowSampler = Callable[[Ask, Generator], Ask]


def every_row(ask: Ask, rng: Generator) -> Ask:
    """Re-weighting: the member sees all rows with the weights the rule asked for."""
    return ask


@tagged
@dataclass(frozen=True)
class Resample:
    """Re-sampling: draw rows with replacement by their weights and fit them unweighted.

    Parameters
    ----------
    fraction : float
        Size of the draw as a share of the rows.
    """

    fraction: float = 1.0

    def __call__(self, ask: Ask, rng: Generator) -> Ask:
        """The same rows, weighted by how often each was drawn."""
        n = len(ask.weight)
        size = int(np.ceil(self.fraction * n))
        weight = ask.weight.reshape(n, -1)
        counts = [rng.multinomial(size, column / column.sum()) for column in weight.T]
        drawn = np.stack(counts, axis=1).astype(np.float64).reshape(ask.weight.shape)
        return replace(ask, weight=drawn, scale=1.0)


@tagged
@dataclass(frozen=True)
class Fraction:
    """Stochastic boosting: each round a random part of the rows, with their weights.

    Parameters
    ----------
    fraction : float
        Share of the rows to keep.
    """

    fraction: float

    def __call__(self, ask: Ask, rng: Generator) -> Ask:
        """The same weights, zero for the rows left out."""
        n = len(ask.weight)
        out = rng.permutation(n)[max(1, round(self.fraction * n)) :]
        weight = ask.weight.copy()
        weight[out] = 0.0
        return replace(ask, weight=weight)
