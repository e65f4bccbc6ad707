"""`coterie info`: what a model file says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.console import Console
from coterie.cli.options import common, json_option, model_argument

__all__ = ["command"]


@click.command("info")
@model_argument
@json_option
@common
def command(model: Path, **options: Any) -> None:
    """Show the header of the file MODEL, without loading the model."""
    from coterie.export import describe
    from coterie.files.errors import CommandError
    from coterie.files.models import model_file

    file = model_file(model)
    try:
        found = describe(file)
    except (ValueError, OSError) as error:
        raise CommandError(str(error), file=file) from error
    console = Console(options["quiet"])
    if options["as_json"]:
        console.data({"file": str(file), **found})
        return
    console.table(["file", str(file)], [[name, _shown(value)] for name, value in found.items()])


def _shown(value: Any, most: int = 12) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(one)}" for key, one in value.items())
    if isinstance(value, list | tuple):
        more = f", … ({len(value)} in all)" if len(value) > most else ""
        return (", ".join(_shown(one) for one in value[:most]) + more) or "none"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = "none" if value is None else str(value)
    # A file must not steer the terminal.
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
