"""What a search is doing: a live line for a terminal, plain lines for everything else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from coterie.cli.console import Console, duration_text

__all__ = ["Watcher", "watch"]


@dataclass
class Watcher:
    """Receives the events of a search and shows them.

    Attributes
    ----------
    console : Console
        Where to print.
    greater_is_better : bool
        Whether the best score is the highest.
    finishing : bool
        Whether the search is over and its result is being put together.
    """

    console: Console
    greater_is_better: bool = False
    finishing: bool = False
    best: tuple[float, str] | None = None
    trying: str = "reading the columns"
    limit: float = 0.0
    begun: float = field(default_factory=time.monotonic)
    live: Any = None
    late: list[Any] = field(default_factory=list)  # events of candidates that had no time

    def __call__(self, event: Any) -> None:
        """Show an event."""
        if event.is_late:
            self.late.append(event)
            return
        if event.kind != "try":
            self._print_late()
        self.limit = event.time_limit or self.limit
        self.begun = time.monotonic() - event.elapsed
        if event.kind == "try":
            self.trying = event.name
        elif event.kind == "combine":
            self.trying, self.finishing = "combining them", True
        elif event.kind == "done" and event.score is not None:
            self._keep(event.score, event.name)
        line = self._line(event)
        if line:
            self._print(line)

    def _keep(self, score: float, name: str) -> None:
        sign = 1 if self.greater_is_better else -1
        if self.best is None or sign * score > sign * self.best[0]:
            self.best = (score, name)

    def _line(self, event: Any) -> str:
        """What to print of an event; nothing of some."""
        at = f"{event.elapsed:7.1f} s  "
        if event.kind == "done":
            took = duration_text(event.seconds)
            mark = "  best so far" if self.best and self.best[1] == event.name else ""
            return f"{at}{event.name:<33}{event.score:>10.5g}  in {took}{mark}"
        if event.kind in ("skipped", "failed"):
            return f"{at}{event.name:<33}{event.kind:>10}  {event.message}"
        if event.kind == "combine":
            return f"{at}combining {event.message or 'them'}"
        if event.kind == "try":
            return "" if self.live is not None else f"{at}trying {event.name}"
        said = event.message or event.name
        return f"{at}{said}" if said and event.kind in ("start", "finding") else ""

    def _print_late(self) -> None:
        """Print candidates that there was no time for, many of them as one line."""
        if len(self.late) > 1:
            self.late[:] = [self.late[-1].of_several(len(self.late))]
        for event in self.late:
            self._print(self._line(event))
        self.late.clear()

    def _print(self, line: str) -> None:
        if self.live is not None:
            self.live.console.print(line, markup=False, highlight=False)
        else:
            self.console.say(line)

    def status(self) -> str:
        """The live line: what is being tried, the best score so far, the time left."""
        left = max(0.0, self.limit - (time.monotonic() - self.begun))
        best = f"best {self.best[0]:.5g} ({self.best[1]})" if self.best else "no score yet"
        time_left = f"{duration_text(round(left))} left" if self.limit else ""
        return f"{self.trying}   {best}   {time_left}"

    def __rich__(self) -> Any:
        from rich.text import Text

        frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
        frame = frames[int(time.monotonic() * 10) % len(frames)]
        return Text(f"{frame} {self.status()}", style="cyan", no_wrap=True, overflow="ellipsis")


@contextmanager
def watch(console: Console, *, greater_is_better: bool = False) -> Iterator[Watcher]:
    """Show a search while it runs.

    Parameters
    ----------
    console : Console
        Where to print.
    greater_is_better : bool
        Whether the best score is the highest.
    """
    watcher = Watcher(console, greater_is_better)
    if not console.live:
        yield watcher
        return
    from rich.live import Live

    with Live(watcher, refresh_per_second=10, transient=True) as live:
        watcher.live = live
        yield watcher
