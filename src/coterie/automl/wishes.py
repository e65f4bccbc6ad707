"""What the user asked a search for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from coterie.automl.clock import Clock, WorkClock
from coterie.automl.combine import WAYS, Learn
from coterie.automl.metrics import Metric
from coterie.automl.records import Column, Event


@dataclass(frozen=True)
class Wishes:
    """What the user asked for, checked.

    Parameters
    ----------
    metric : Metric
        What is to be good.
    time_limit : float
        Seconds.
    members : str or list
        See `choose_candidates`.
    interpretable : bool
        Whether the model must be interpretable.
    seed : int
        Source of randomness.
    max_bins : int
        Groups of a column of numbers.
    progress : callable or None
        Called with an `Event` for every step of the search.
    left_out : sequence of Column
        Columns of the file that are no part of the table.
    simple : bool
        Whether a simpler model is wanted if the best is not clearly better.
    work : float or None
        Takes the place of time: about the seconds of one core that fits may take.
    """

    metric: Metric
    time_limit: float
    members: Any
    interpretable: bool
    seed: int
    max_bins: int
    progress: Callable[[Event], Any] | None = None
    left_out: Sequence[Column] = ()
    simple: bool = False
    work: float | None = None

    @property
    def limit(self) -> float:
        """Seconds, or work that takes about as many."""
        return self.time_limit if self.work is None else self.work

    @property
    def ways(self) -> Sequence[Learn]:
        """The ways to combine members that are tried."""
        if self.interpretable:
            return WAYS[:1]
        quick = isinstance(self.members, str) and self.members == "fast"
        return WAYS[:2] if quick else WAYS

    def clock(self) -> Clock:
        """The clock of the search."""
        return Clock(self.time_limit) if self.work is None else WorkClock(self.work)
