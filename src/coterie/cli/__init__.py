"""The command line: ``coterie fit FILE --target COLUMN`` and what follows from it.

Nothing heavy is imported before a command needs it, so that ``coterie --help`` answers at once.
"""

from __future__ import annotations

import gc
import sys

__all__ = ["main"]

NEEDED = ("click", "rich_click", "rich", "pyarrow")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code.

    Parameters
    ----------
    arguments : list of str, optional
        What stands behind ``coterie``; the process's own arguments if not given.

    Examples
    --------
    >>> from coterie.cli import main
    >>> main(["--version"])  # doctest: +SKIP
    coterie 0.2.0
    """
    try:
        from coterie.cli.main import run
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in NEEDED:
            raise
        print(
            f'coterie: the command line needs {error.name}: pip install "coterie[cli]"',
            file=sys.stderr,
        )
        sys.exit(1)
    # Libraries leave some 10^6 objects that live as long as the process does: looking through them
    # for garbage every 700 objects, and all of them at the end, takes longer than many commands.
    gc.set_threshold(100_000, 20, 100)
    code = run(arguments)
    gc.freeze()
    sys.exit(code)
