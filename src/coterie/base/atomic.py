"""Writing a file as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["write_whole"]


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
    target = Path(os.path.realpath(path))
    aside = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        with aside.open("xb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            aside.chmod(target.stat().st_mode & 0o7777)
        aside.replace(target)
    except BaseException as error:
        aside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename is None:
            error.filename = os.fspath(path)  # a full disk does not say which file it was
        raise
    _sync_folder(target.parent)


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
