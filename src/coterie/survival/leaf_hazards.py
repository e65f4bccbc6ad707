"""The hazards of the leaves of a forest, kept as the steps they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coterie.tags import tagged

Array = NDArray[np.float64]


@tagged
@dataclass(frozen=True, eq=False)
class LeafHazards:
    """Nelson & Aalen's steps in every leaf of some trees.

    Curves are made of them when they are asked for, on the times that are asked for: a curve for
    every node, on all times, is what exhausts memory elsewhere.

    Parameters
    ----------
    offsets : int64 array of shape (n_leaves + 1,)
        Where the steps of each leaf begin.
    times : ndarray of shape (n_steps,)
        When they are, ascending within a leaf.
    steps : ndarray of shape (n_steps,)
        By how much the hazard grows.
    """

    offsets: NDArray[np.int64]
    times: Array
    steps: Array

    @classmethod
    def of(
        cls,
        leaves: NDArray[np.integer],
        signed: Array,
        weight: Array | None,
        n_leaves: int,
        entry: Array | None = None,
    ) -> LeafHazards:
        """Of the rows in the leaves of one tree.

        Parameters
        ----------
        leaves : int array of shape (n_rows,)
            The leaf of every row; negative if it is in none.
        signed : ndarray of shape (n_rows,)
            Times of events, and minus the times of censored rows.
        weight : ndarray of shape (n_rows,) or None
            Weights; rows without are in no leaf.
        n_leaves : int
            Leaves there are.
        entry : ndarray of shape (n_rows,) or None
            When rows came under observation.
        """
        inside = leaves >= 0 if weight is None else (leaves >= 0) & (weight > 0)
        rows = np.flatnonzero(inside)
        time = np.abs(signed[rows])
        order = rows[np.lexsort((time, leaves[rows]))]
        leaf, time, event = leaves[order], np.abs(signed[order]), signed[order] > 0
        mass = np.ones(len(order)) if weight is None else weight[order]
        before = np.concatenate([[0.0], np.cumsum(mass)])
        ends = np.searchsorted(leaf, np.arange(n_leaves), side="right")
        new = np.concatenate([[True], (leaf[1:] != leaf[:-1]) | (time[1:] != time[:-1])])
        first = np.flatnonzero(new)
        events = np.add.reduceat(mass * event, first)
        at_risk = before[ends[leaf[first]]] - before[first]
        if entry is not None:
            late = _mass_from((leaf, entry[order]), mass, (leaf[first], time[first]), n_leaves)
            at_risk = np.maximum(at_risk - late, events)
        some = events > 0
        sizes = np.bincount(leaf[first][some], minlength=n_leaves)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(offsets, time[first][some], events[some] / at_risk[some])

    def __add__(self, other: LeafHazards) -> LeafHazards:
        """The leaves of other trees behind these."""
        return LeafHazards.joined([self, other])

    @staticmethod
    def joined(parts: list[LeafHazards]) -> LeafHazards:
        """The leaves of several trees, one after the other."""
        starts = np.cumsum([0, *(part.offsets[-1] for part in parts[:-1])])
        inner = [part.offsets[1:] + start for part, start in zip(parts, starts, strict=True)]
        return LeafHazards(
            np.concatenate([[0], *inner]).astype(np.int64),
            np.concatenate([part.times for part in parts]),
            np.concatenate([part.steps for part in parts]),
        )

    @property
    def leaves(self) -> NDArray[np.int64]:
        """The leaf of every step."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def mortality(self, event_times: Array) -> Array:
        """The hazard of every leaf, added up over times of events."""
        ahead = len(event_times) - np.searchsorted(event_times, self.times, side="left")
        return np.bincount(self.leaves, self.steps * ahead, len(self.offsets) - 1).astype(float)

    def curves(self, first: int, last: int, times: Array, *, product: bool = False) -> Array:
        """The hazards of leaves `first` up to `last` at some ascending times.

        With `product`, minus the logarithms of Kaplan & Meier's curves instead. Of shape
        (last - first, n_times).
        """
        part = slice(self.offsets[first], self.offsets[last])
        steps = self.steps[part]
        if product:
            with np.errstate(divide="ignore"):
                steps = -np.log1p(-np.minimum(steps, 1.0))
        leaf = np.repeat(np.arange(last - first), np.diff(self.offsets[first : last + 1]))
        place = np.searchsorted(times, self.times[part], side="left")
        width = len(times) + 1  # steps after the last time go to a column of their own
        sums = np.bincount(leaf * width + place, steps, (last - first) * width)
        return np.asarray(np.cumsum(sums.reshape(last - first, width)[:, :-1], axis=1))


def _mass_from(
    rows: tuple[NDArray[np.integer], Array],
    mass: Array,
    asked: tuple[NDArray[np.integer], Array],
    n_leaves: int,
) -> Array:
    """The mass of rows of a leaf that come at a time or later, for some leaves and times.

    Rows and questions are sorted together, so that one running sum answers all of them.
    """
    n_rows, n_asked = len(mass), len(asked[0])
    leaf, time = (np.concatenate(pair) for pair in zip(rows, asked, strict=True))
    is_row = np.arange(n_rows + n_asked) < n_rows
    order = np.lexsort((is_row, time, leaf))  # a question stands before rows of its time
    sums = np.cumsum(np.concatenate([mass, np.zeros(n_asked)])[order])
    ends = np.searchsorted(leaf[order], np.arange(n_leaves), side="right")
    upto = np.empty(n_rows + n_asked)
    upto[order] = sums
    return np.asarray(sums[ends[asked[0]] - 1] - upto[n_rows:])
