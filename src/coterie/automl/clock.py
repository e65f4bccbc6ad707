"""Wall-clock time, and how much of it is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np

from coterie.native import obeying

_LONGEST = 86_400.0  # seconds, beyond which nobody need watch the clock
_BEGUN: ContextVar[float | None] = ContextVar("begun", default=None)


@contextmanager
def counting(since: float | None = None) -> Iterator[None]:
    """Let clocks that are made inside count from here, or from where an outer one began.

    So reading a file and looking at its columns are part of the time of the search that follows.

    Parameters
    ----------
    since : float, optional
        An earlier moment on the monotonic clock.

    Examples
    --------
    >>> with counting():
    ...     time.sleep(0.01)
    ...     Clock(60.0).elapsed >= 0.01
    True
    """
    if _BEGUN.get() is not None:
        yield
        return
    token = _BEGUN.set(time.monotonic() if since is None else since)
    try:
        yield
    finally:
        _BEGUN.reset(token)


def _now_or_earlier() -> float:
    begun = _BEGUN.get()
    return time.monotonic() if begun is None else begun


class OutOfTime(Exception):
    """A candidate cannot be finished in the time that is left."""


@contextmanager
def ending_after(seconds: float) -> Iterator[None]:
    """End what is done inside after so many seconds, wherever it is.

    Native growth ends at once, and so does waiting for threads, which are told to stop. Compiled
    code of others in this very thread comes to its end first.

    Parameters
    ----------
    seconds : float
        From now on.

    Raises
    ------
    OutOfTime
        If something was ended.

    Examples
    --------
    >>> with ending_after(60.0):
    ...     pass
    """
    flag = np.zeros(1, dtype=np.uint8)
    timer = threading.Timer(max(seconds, 0.0), flag.fill, (1,))
    timer.daemon = True
    if seconds < _LONGEST:
        timer.start()
    try:
        with obeying(flag):
            yield
    except KeyboardInterrupt:
        if not flag[0]:
            raise
        raise OutOfTime("it was stopped in the midst of its fit") from None
    finally:
        timer.cancel()


@dataclass
class Clock:
    """Seconds since the search began, of those it may take.

    Parameters
    ----------
    limit : float
        Seconds the whole search may take.
    spent : float, default=0
        Seconds an earlier run of the same search has used.

    Examples
    --------
    >>> clock = Clock(60.0, spent=20.0)
    >>> 39.0 < clock.left <= 40.0
    True
    """

    limit: float
    spent: float = 0.0
    begun: float = field(default_factory=_now_or_earlier)

    @property
    def elapsed(self) -> float:
        """Seconds used so far."""
        return self.spent + time.monotonic() - self.begun

    @property
    def left(self) -> float:
        """Seconds that remain; negative when time is up."""
        return self.limit - self.elapsed

    @property
    def searching(self) -> float:
        """Seconds that remain for fitting: some are kept for combining and importances."""
        return self.left - 0.12 * self.limit

    def until(self, seconds: float) -> Deadline:
        """The moment so many seconds from now."""
        return Deadline(time.monotonic() + seconds)


@dataclass(frozen=True)
class Deadline:
    """A moment; called after a round of boosting, it says whether to stop.

    Parameters
    ----------
    moment : float
        On the monotonic clock.
    """

    moment: float

    @property
    def left(self) -> float:
        """Seconds until then."""
        return self.moment - time.monotonic()

    def share(self, parts: float) -> Deadline:
        """The moment when one of so many equal parts of the time left is over."""
        return Deadline(time.monotonic() + self.left / parts)

    def __call__(self, round_: int, trace: object) -> bool:
        """Whether the moment has come."""
        return self.left <= 0
