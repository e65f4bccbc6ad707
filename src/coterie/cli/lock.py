"""One fit at a time in a directory."""

from __future__ import annotations

import contextlib
import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coterie.files.errors import CommandError

__all__ = ["LOCK", "only_fit"]

LOCK = "fit.lock"


@contextmanager
def only_fit(directory: Path) -> Iterator[None]:
    """Hold a directory for one fit; it is made if it is not there.

    The lock is a file that names the process. The system lets go of it when the process ends, in
    whatever way, so a file that was left behind by a killed fit holds nobody up. One that another
    machine has written cannot be told from a live one.

    Parameters
    ----------
    directory : Path
        Of the fit.
    """
    if directory.exists() and not directory.is_dir():
        raise CommandError("is a file.", "Name a directory with --out.", file=directory)
    made = not directory.exists()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        handle = _take(directory / LOCK)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(
            f"cannot be written to: {reason}.", "Choose another --out.", file=directory
        ) from error
    try:
        yield
    finally:
        (directory / LOCK).unlink(missing_ok=True)
        os.close(handle)
        if made:
            with contextlib.suppress(OSError):  # something was written
                directory.rmdir()


def _take(path: Path) -> int:
    """An open file that is locked and names this process."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        while _lock(handle) and not _is_there(path, handle):
            # The fit that just ended has removed it: the next one would lock another file.
            os.close(handle)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        holder = _holder(handle)
        if not _lock(handle) or holder.get("host", platform.node()) != platform.node():
            raise _held(path, holder)
        _sign(path, handle)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _is_there(path: Path, handle: int) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _sign(path: Path, handle: int) -> None:
    """Name this process in the file; without room for that, there is none for a model."""
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps({"pid": os.getpid(), "host": platform.node()}).encode(), 0)
    except OSError:
        path.unlink()
        raise


def _lock(handle: int) -> bool:
    """Whether nobody else holds the file; so it is where the system has no locks."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _holder(handle: int) -> dict[str, Any]:
    """The process that wrote the file."""
    try:
        found = json.loads(os.pread(handle, 1000, 0) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _held(path: Path, holder: dict[str, Any]) -> CommandError:
    who = (
        f" (process {holder['pid']} on {holder['host']})" if {"pid", "host"} <= set(holder) else ""
    )
    return CommandError(
        f"another fit is running in this directory{who}.",
        "Wait for it to finish, or choose another --out. If there is no such process, remove "
        f"{path}.",
        file=path.parent,
    )
