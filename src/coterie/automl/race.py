"""What a candidate would add to the members there are, by the first rows it was asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from coterie.automl.combine import OutOfFold, greedy

Array = NDArray[np.float64]

_SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)  # of a new member
_MOST_ROWS = 5_000


@dataclass(frozen=True)
class Rival:
    """The members there are, together: what a further one has to improve.

    Parameters
    ----------
    oof : OutOfFold
        What they say of the rows that a further one is asked about first.

    Examples
    --------
    >>> from coterie.automl.metrics import NUMBER_METRICS
    >>> said = np.array([[[1.0], [3.0], [5.0]]])
    >>> rival = Rival(OutOfFold(said, np.array([1.0, 2.0, 3.0]), NUMBER_METRICS["rmse"]))
    >>> rival.gain(np.array([[1.0], [1.0], [1.0]])) > 0, rival.gain(said[0])
    (True, 0.0)
    """

    oof: OutOfFold

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """Those that are looked at."""
        n_rows = len(self.oof.truth)
        return np.arange(0, n_rows, -(-n_rows // _MOST_ROWS))

    @cached_property
    def _some(self) -> OutOfFold:
        return self.oof.take(self.rows)

    @cached_property
    def _together(self) -> Array:
        return greedy(self._some)(self._some.profile)

    @cached_property
    def loss(self) -> float:
        """The loss of all together."""
        return self._some.loss(self._together)

    def gain(self, said: Array) -> float:
        """By how much the loss falls with the best share of a further member, zero or more.

        Parameters
        ----------
        said : ndarray of shape (n_rows, n_outputs)
            What it says of the same rows.
        """
        own = said[self.rows]
        mixed = [share * own + (1 - share) * self._together for share in _SHARES]
        return max(0.0, self.loss - min(map(self._some.loss, mixed)))


def by_gain(gains: Sequence[float], seconds: Sequence[float]) -> list[int]:
    """The order of most gain per second.

    Examples
    --------
    >>> by_gain([1.0, 3.0, 0.1], [1.0, 10.0, 0.05])
    [2, 0, 1]
    """
    worth = np.asarray(gains) / np.maximum(seconds, 1e-3)
    return np.argsort(-worth, kind="stable").tolist()
