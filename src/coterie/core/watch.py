"""Watches: they read the trace after each round and may end the loop."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from coterie.core.trace import Trace

#: Returns why the loop should end, or an empty string.
RoundWatch = Callable[[Trace], str]


@dataclass
class NoImprovement:
    """Ends when a fact has not improved for some rounds.

    Parameters
    ----------
    fact : str
        What to watch.
    patience : int
        How many rounds without improvement are borne.
    tol : float
        An improvement is a change for the better by more than this.
    larger : bool
        Whether larger is better.
    """

    fact: str
    patience: int
    tol: float = 0.0
    larger: bool = False

    def __call__(self, trace: Trace) -> str:
        """Say ``early_stopping`` when patience is exhausted."""
        best, best_at = float("inf"), 0
        for at, facts in enumerate(trace):
            loss = -facts[self.fact] if self.larger else facts[self.fact]
            if loss < best - self.tol:
                best, best_at = loss, at
        return "early_stopping" if len(trace) - 1 - best_at >= self.patience else ""


@dataclass
class Unanimous:
    """Ends when all of several watches say so.

    Parameters
    ----------
    watches : sequence of callables
        At least one; the first says why.
    """

    watches: Sequence[RoundWatch]

    def __call__(self, trace: Trace) -> str:
        """The reason of the first watch, or nothing if one of them would go on."""
        reasons = [watch(trace) for watch in self.watches]
        return reasons[0] if all(reasons) else ""


@dataclass
class TimeBudget:
    """Ends when the time is up.

    Parameters
    ----------
    seconds : float
        How long the loop may run.
    """

    seconds: float
    began: float = field(default_factory=time.monotonic)

    def __call__(self, trace: Trace) -> str:
        """Say ``time_exhausted`` once the budget is spent."""
        return "time_exhausted" if time.monotonic() - self.began >= self.seconds else ""


@dataclass
class Progress:
    """Writes a line now and then.

    Parameters
    ----------
    total : int
        Number of rounds planned.
    every : float
        Seconds between two lines.
    stream : file
        Where to write.
    """

    total: int
    every: float = 1.0
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    began: float = field(default_factory=time.monotonic)
    last: float = -1.0

    def __call__(self, trace: Trace) -> str:
        """Never ends the loop."""
        now = time.monotonic()
        done = len(trace)
        if now - self.last < self.every and done < self.total:
            return ""
        self.last = now
        facts = "  ".join(f"{name} {value:.4g}" for name, value in trace.rounds[-1].items())
        left = (now - self.began) / done * (self.total - done)
        print(f"round {done}/{self.total}  {facts}  {left:.0f} s left", file=self.stream)
        return ""
