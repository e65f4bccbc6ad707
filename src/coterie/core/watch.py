"""Watches: they read the trace after each round and may end the loop."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

from coterie.core.trace import Trace

#: Returns why the loop should end, or an empty string.
RoundWatch = Callable[[Trace], str]


@dataclass
class Patience:
    """Says when scores no longer improve; larger ones are better.

    It is exhausted when none of the last scores is better than the one before them, as in
    scikit-learn's gradient boosting; with ``tol=0``, when the best one is that long ago.

    Parameters
    ----------
    rounds : int
        How many scores without improvement exhaust it.
    tol : float
        An improvement is more than this.

    Examples
    --------
    >>> patience = Patience(2)
    >>> [patience.tell(score) for score in (1, 3, 2, 3)]
    [False, False, False, True]
    """

    rounds: int
    tol: float = 0.0
    told: list[float] = field(default_factory=list)

    def tell(self, score: float) -> bool:
        """Note a score; true when patience is exhausted."""
        self.told.append(float("-inf") if math.isnan(score) else score)
        if len(self.told) <= self.rounds:
            return False
        reference, *latest = self.told[-self.rounds - 1 :]
        return not max(latest) > reference + self.tol


@dataclass
class NoImprovement:
    """Ends when a fact of the trace no longer improves.

    Parameters
    ----------
    fact : str
        What to watch.
    patience : Patience
        When to give up.
    larger : bool
        Whether larger is better.
    """

    fact: str
    patience: Patience
    larger: bool = False
    heard: int = 0

    def __call__(self, trace: Trace) -> str:
        """Say ``early_stopping`` when patience is exhausted."""
        over = False
        for facts in trace.rounds[self.heard :]:
            over = self.patience.tell(facts[self.fact] if self.larger else -facts[self.fact])
        self.heard = len(trace)
        return "early_stopping" if over else ""


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
