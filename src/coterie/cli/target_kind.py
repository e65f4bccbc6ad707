"""What is to be predicted, and whether that was found or said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coterie.files.errors import CommandError

__all__ = ["MORE_TIME", "kinds_of", "streamed_task", "task_line", "task_of"]

MORE_TIME = "To read more, set a longer --time."


def task_line(task: str, kinds: Any, file: Path, options: dict[str, Any], read: Any) -> str:
    """What is to be predicted, and whether that was found or said."""
    if task == "classification" and len(kinds) < 2:
        raise CommandError(
            f"has only one class, {kinds.tolist()[0]!r}, so there is nothing to predict.",
            f"{read.shortage} {MORE_TIME}"
            if read.shortage
            else "Choose another --target, or add rows of another class.",
            file,
            column=options["target"],
        )
    found = options["task"] == "auto"
    other = "regression" if task == "classification" else "classification"
    hint = f" (detected; --task {other} overrides)" if found else ""
    shown = "numbers"
    if task == "classification":
        names = [str(kind) for kind in sorted(kinds.tolist())[:5]]
        first = ", ".join(f"{name[:59]}…" if len(name) > 60 else name for name in names)
        shown = f"{len(kinds)} classes: {first}{', …' if len(kinds) > 5 else ''}"
    return f'target "{options["target"]}": {task}, {shown}{hint}'


def task_of(target: Any, options: dict[str, Any]) -> str:
    """The task that was given, or what the values of a target look like."""
    import narwhals as nw

    from coterie.automl.table import guess_task

    if options["task"] != "auto":
        return str(options["task"])
    return guess_task(nw.from_native(target, series_only=True))


def streamed_task(found: Any, options: dict[str, Any]) -> str:
    """The same of a file that is read block by block."""
    from coterie.automl.table import guess_by_values

    if options["task"] == "regression" and found.classes is not None:
        raise CommandError(
            "contains text, not numbers.", "Use --task classification.", column=options["target"]
        )
    if options["task"] != "auto":
        return str(options["task"])
    return "classification" if found.classes is not None else guess_by_values(found.y)


def kinds_of(found: Any) -> Any:
    """The different values of a target."""
    import numpy as np

    return np.unique(found.y) if found.classes is None else found.classes
