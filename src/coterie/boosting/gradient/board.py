"""Rows and their scores while gradient boosting goes on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from coterie.data import Table
from coterie.losses import PointwiseLoss

Array = NDArray[np.float64]


@dataclass
class Board:
    """Rows with what is known of them and their scores so far.

    Parameters
    ----------
    table : Table
        The rows.
    y : ndarray of shape (n_rows,)
        Numbers, or codes of classes.
    weight : ndarray of shape (n_rows,) or None
        Their weights.
    start : ndarray of shape (n_scores,) or (n_rows, n_scores)
        Where their scores start.
    """

    table: Table
    y: Array
    weight: Array | None
    start: Array

    @classmethod
    def at(cls, table: Table, y: Array, weight: Array | None, start: Array) -> Board:
        """Rows whose scores are all `start`, of shape (n_scores,) or (n_rows, n_scores)."""
        return cls(table, y, weight, start)

    @property
    def n_scores(self) -> int:
        """Scores of a row."""
        return int(self.start.shape[-1])

    @cached_property
    def raw(self) -> Array:
        """Scores of shape (n_rows, n_scores), column by column in memory.

        They take memory from the first look at them on: what is needed only until the table is laid
        out has been given back by then.
        """
        raw = np.empty((len(self.y), self.n_scores), order="F")
        raw[...] = self.start
        return raw

    def scores(self, rows: NDArray[np.intp] | None = None) -> Array:
        """The scores so far, of all rows or of some."""
        return self.raw if rows is None else self.raw[rows]

    @cached_property
    def known_weight(self) -> Array:
        """The weights, ones if there are none."""
        return np.ones(len(self.y)) if self.weight is None else self.weight

    def settled(self, loss: PointwiseLoss) -> PointwiseLoss:
        """The loss to use at these scores."""
        if type(loss).settle is PointwiseLoss.settle:
            return loss
        return loss.settle(self.y, self.raw, self.known_weight)
