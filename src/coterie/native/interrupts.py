"""Who may end a native call: Ctrl-C in the main thread, a flag in every other one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

_thread = threading.local()


def in_main_thread() -> bool:
    """Tell whether this thread is the one that receives Ctrl-C."""
    return threading.get_ident() == threading.main_thread().ident


def obey(stop: NDArray[np.uint8]) -> None:
    """From now on, native calls of this thread end with KeyboardInterrupt once the flag is set.

    It holds for whatever the thread does, however deep: a member that is an ensemble of its own
    need not be told.

    Parameters
    ----------
    stop : uint8 array of one element
        The flag.

    Examples
    --------
    >>> import threading
    >>> import numpy as np
    >>> flag, seen = np.zeros(1, dtype=np.uint8), []
    >>> def work():
    ...     obey(flag)
    ...     seen.append(stop_flag() is flag)
    >>> thread = threading.Thread(target=work)
    >>> thread.start()
    >>> thread.join()
    >>> seen, stop_flag()
    ([True], None)
    """
    _thread.stop = stop


def stop_flag(given: NDArray[np.uint8] | None = None) -> NDArray[np.uint8] | None:
    """Return the flag that this thread obeys, or else the one given."""
    return getattr(_thread, "stop", given)


@contextmanager
def obeying(stop: NDArray[np.uint8]) -> Iterator[None]:
    """Obey a flag for a while, and afterwards the one that this thread obeyed before.

    Parameters
    ----------
    stop : uint8 array of one element
        The flag.

    Examples
    --------
    >>> import numpy as np
    >>> flag = np.zeros(1, dtype=np.uint8)
    >>> with obeying(flag):
    ...     stop_flag() is flag
    True
    >>> stop_flag() is flag
    False
    """
    before = stop_flag()
    _thread.stop = stop
    try:
        yield
    finally:
        if before is None:
            del _thread.stop
        else:
            _thread.stop = before


def stop_if_told() -> None:
    """Raise KeyboardInterrupt if the flag that this thread obeys is set, as native calls do."""
    stop = stop_flag()
    if stop is not None and stop[0]:
        raise KeyboardInterrupt
