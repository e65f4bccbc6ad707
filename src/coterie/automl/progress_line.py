"""A line that tells what a search is doing, for terminals and notebooks."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, TextIO

from coterie.automl.records import Event

_WIDTH, _BAR = 79, 20


def is_watched(stream: TextIO) -> bool:
    """Whether somebody may be looking: a terminal, or a notebook."""
    return stream.isatty() or "ipykernel" in sys.modules


@dataclass
class ProgressLine:
    """Writes one line over and over: how far the time has gone, and the last thing that happened.

    Parameters
    ----------
    stream : text stream
        Where to write.

    Examples
    --------
    >>> from io import StringIO
    >>> line = ProgressLine(StringIO())
    >>> line(Event("done", "linear", 0.25, 1.0, elapsed=30.0, time_limit=60.0))
    >>> line.stream.getvalue().strip()
    '[##########          ] 30 of 60 s  linear: 0.25'
    """

    stream: TextIO

    def __call__(self, event: Event) -> None:
        """Show an event."""
        text = self._text(event)
        if text:
            self.stream.write("\r" + text[:_WIDTH].ljust(_WIDTH))
        if event.kind == "end":
            self.stream.write("\n")
        self.stream.flush()

    def _text(self, event: Event) -> str:
        said = {
            "try": f"trying {event.name}",
            "done": f"{event.name}: {event.score:.5g}" if event.score is not None else event.name,
            "combine": f"combining {event.message}",
            "end": "done",
        }.get(event.kind, "")
        if not said:
            return ""
        share = min(1.0, event.elapsed / event.time_limit) if event.time_limit else 0.0
        bar = ("#" * round(_BAR * share)).ljust(_BAR)
        long = event.time_limit >= 1e8
        limit = "" if long else f" of {event.time_limit:.0f}"
        return f"[{bar}] {event.elapsed:.0f}{limit} s  {said}"


def default_progress(verbose: Any) -> Any:
    """What shows progress if the user gave nothing: a line, where somebody may be looking.

    Parameters
    ----------
    verbose : int or None
        0 for nothing, 1 for a line in any case; None where somebody may be looking.
    """
    watched = is_watched(sys.stderr) if verbose is None else bool(verbose)
    return ProgressLine(sys.stderr) if watched else None
