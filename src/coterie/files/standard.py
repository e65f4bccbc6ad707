"""The standard input as a table: kept in a file, since tables are read more than once."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from coterie.files.errors import SPOOLED
from coterie.files.formats import COLUMNAR, PACKED

__all__ = ["STANDARD", "spool"]

STANDARD = Path("-")
# How formats begin, and how the name of a file in them ends. Anything else is delimited text.
_BEGINNINGS = {**COLUMNAR, b"{": ".jsonl"}


def spool() -> Path:
    """Copy the standard input to a file of a directory of its own.

    Its first bytes tell the format. Of packed input only delimited text is expected.
    """
    stream = sys.stdin.buffer
    begin = stream.read(64)
    name = "table" + next(
        (end for mark, end in _BEGINNINGS.items() if begin.lstrip().startswith(mark)), ".csv"
    )
    name += next((end for mark, end in PACKED.items() if begin.startswith(mark)), "")
    path = Path(tempfile.mkdtemp(prefix=SPOOLED)) / name
    try:
        with path.open("wb") as file:
            file.write(begin)
            shutil.copyfileobj(stream, file)
    except BaseException:
        shutil.rmtree(path.parent)
        raise
    return path
