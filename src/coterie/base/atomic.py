"""Writing a file as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["whole_file", "write_whole"]

_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


def write_whole(path: str | os.PathLike[str], pieces: Iterable[Any]) -> None:
    """Write the pieces to a file beside `path`, and put it in its place once it is on the disk.

    If anything goes wrong on the way, what was there before is still there, and nothing else.

    Parameters
    ----------
    path : path
        The file; if it is a symbolic link, what it points to.
    pieces : iterable of bytes-like
        What to write.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(f"{folder}/x", [b"all", b" of it"])
    ...     Path(folder, "x").read_bytes(), os.listdir(folder)
    (b'all of it', ['x'])
    """
    with whole_file(path) as aside, aside.open("xb") as file:
        for piece in pieces:
            file.write(piece)


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A name beside `path` for a file that takes its place at the end, once it is on the disk.

    Parameters
    ----------
    path : path
        As in `write_whole`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with whole_file(f"{folder}/x") as aside:
    ...         print(aside.write_text("all of it"), os.path.exists(f"{folder}/x"))
    ...     Path(folder, "x").read_text()
    9 False
    'all of it'
    """
    target = Path(os.path.realpath(path))
    aside = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        yield aside
        _sync(aside)
        with contextlib.suppress(FileNotFoundError):
            aside.chmod(target.stat().st_mode & 0o7777)
        aside.replace(target)
    except BaseException as error:
        aside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            _name(error, os.fspath(path), aside)
        raise
    _sync_folder(target.parent)


def _name(error: OSError, path: str, aside: Path) -> None:
    """Let an error name the file that the user named."""
    if error.filename is None and error.errno in _FULL:
        # A full disk does not say which file it was.
        error.filename, error.strerror = path, os.strerror(error.errno or 0)
    elif error.filename in (str(aside), aside):
        error.filename = path


def _sync(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Let the new name reach the disk too; not every system can open a folder for it."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
