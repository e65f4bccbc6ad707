"""Wall-clock time, and how much of it is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from coterie.native import obeying

# Seconds of a model and its report: at least, for a number said of rows, for a column.
_WRITING, _NUMBER, _COLUMN = 0.3, 3e-8, 3e-5
MOMENT = 0.5  # seconds that are as good as none
_MOST_KEPT = 0.5  # share of the time
_LONGEST = 86_400.0  # seconds, beyond which nobody need watch the clock
_BEGUN: ContextVar[float | None] = ContextVar("begun", default=None)
_WRITES: ContextVar[bool] = ContextVar("writes", default=False)


@contextmanager
def counting(since: float | None = None, *, writes: bool = False) -> Iterator[None]:
    """Let clocks that are made inside count from here, or from where an outer one began.

    So reading a file and looking at its columns are part of the time of the search that follows.

    Parameters
    ----------
    since : float, optional
        A moment on the monotonic clock, which they count from in any case.
    writes : bool, default=False
        Whether the model is written to a file within the time, too.

    Examples
    --------
    >>> with counting():
    ...     time.sleep(0.01)
    ...     Clock(60.0).elapsed >= 0.01
    True
    """
    if since is None and _BEGUN.get() is not None:
        yield
        return
    token = _BEGUN.set(time.monotonic() if since is None else since)
    writing = _WRITES.set(writes or _WRITES.get())
    try:
        yield
    finally:
        _WRITES.reset(writing)
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
        raise OutOfTime("stopped during its fit") from None
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()  # it ends at once: no thread is left behind


@dataclass
class Clock:
    """Seconds since the search began, of those it may take.

    Parameters
    ----------
    limit : float
        Seconds the whole search may take.
    spent : float, default=0
        Seconds an earlier run of the same search has used.
    kept : float, default=0
        Seconds that are needed after the search, to write the model.
    share : float, default=0.12
        Share of the limit for what comes between: combining, importances, further models.

    Examples
    --------
    >>> clock = Clock(60.0, spent=20.0)
    >>> 39.0 < clock.left <= 40.0
    True
    """

    limit: float
    spent: float = 0.0
    begun: float = field(default_factory=_now_or_earlier)
    kept: float = 0.0
    share: float = 0.12
    writes: bool = field(default_factory=_WRITES.get)

    measured: ClassVar[bool] = True  # whether it goes on by itself

    def keep_for_writing(self, size: int, n_columns: int) -> None:
        """Keep time to write the model, if it is written, and a report about it.

        Parameters
        ----------
        size : int
            Numbers that are said of held-out rows, by the ensemble and its members.
        n_columns : int
            Columns of the table, each of which is described.
        """
        if self.writes:
            seconds = _WRITING + _NUMBER * size + _COLUMN * n_columns
            self.kept = min(seconds, _MOST_KEPT * self.limit)

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
        return self.ending - self.share * self.limit

    @property
    def ending(self) -> float:
        """Seconds that remain for all but writing."""
        return self.left - self.kept

    def until(self, seconds: float) -> Deadline:
        """The moment so many seconds from now."""
        return Deadline(time.monotonic() + seconds)

    def ending_after(self, seconds: float) -> AbstractContextManager[None]:
        """End what is done inside after so many seconds, see `ending_after`."""
        return ending_after(seconds)

    def charge(self, seconds: float) -> None:
        """Note work that was done; it took the time it took."""


@dataclass
class WorkClock(Clock):
    """Time that passes by the work that is done: the same on any machine, busy or idle.

    What a fit is charged is about what it takes on one core, by the size of the table alone.

    Examples
    --------
    >>> clock = WorkClock(60.0)
    >>> clock.charge(20.0)
    >>> clock.left, clock.until(1.0).left
    (40.0, inf)
    """

    done: float = 0.0

    measured: ClassVar[bool] = False

    @property
    def elapsed(self) -> float:
        """Work done so far."""
        return self.spent + self.done

    def until(self, seconds: float) -> Deadline:
        """Never: work does not end in its midst."""
        return Deadline(float("inf"))

    def ending_after(self, seconds: float) -> AbstractContextManager[None]:
        """Nothing is ended."""
        return nullcontext()

    def charge(self, seconds: float) -> None:
        """Count work that was done."""
        self.done += seconds


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

    def __reduce__(self) -> tuple[Any, ...]:
        # Another machine counts from another moment.
        return _in_seconds, (self.left,)

    def share(self, parts: float) -> Deadline:
        """The moment when one of so many equal parts of the time left is over."""
        return Deadline(time.monotonic() + self.left / parts)

    def __call__(self, round_: int, trace: object) -> bool:
        """Whether the moment has come."""
        return self.left <= 0


def _in_seconds(seconds: float) -> Deadline:
    return Deadline(time.monotonic() + seconds)
