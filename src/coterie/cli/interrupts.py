"""Ctrl-C during a fit: the first keeps the best so far, the second aborts."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["patient_interrupts"]


@contextmanager
def patient_interrupts(finishing: Callable[[], bool], found: Callable[[], bool]) -> Iterator[None]:
    """Let the first Ctrl-C end the search, not the process.

    The search itself turns the interrupt into the best result so far. When the result is already
    being put together, the first Ctrl-C only tells so.

    Parameters
    ----------
    finishing : callable
        Whether the search is over.
    found : callable
        Whether there is a result to keep.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = 0

    def handle(number: int, frame: Any) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1:
            raise KeyboardInterrupt
        word = "finishing" if finishing() else "keeping the best model so far"
        if not (finishing() or found()):
            print(
                "\nno candidate has finished yet, so there is no model to keep",
                file=sys.stderr,
                flush=True,
            )
            raise KeyboardInterrupt
        print(f"\n{word}; Ctrl-C again to abort", file=sys.stderr, flush=True)
        if not finishing():
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
