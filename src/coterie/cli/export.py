"""`coterie export`: a model for other runtimes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.console import Console
from coterie.cli.options import common, existing, model_argument

__all__ = ["command"]


@click.command("export")
@model_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(["onnx", "c"]),
    help="ONNX or plain C. Default: the extension of --out.",
)
@click.option("--out", type=existing, help="Output file. Default: MODEL with another extension.")
@click.option(
    "--trust", multiple=True, metavar="TYPE", help="Allow this type in the model file. Repeatable."
)
@common
def command(model: Path, **options: Any) -> None:
    """Export MODEL to ONNX or to C, to run without coterie and without Python.

    All members must be native: `coterie fit --members native` ensures this. The exported
    model takes numbers, in the column order of the fit; pass a category as its position in the
    list stored in the file, and a missing value as NaN.
    """
    from coterie import export
    from coterie.cli.writing import check_folder
    from coterie.files.errors import CommandError
    from coterie.files.models import load_model

    form, out = options["form"], options["out"]
    ending = None if out is None else out.suffix.lower().removeprefix(".")
    if ending is not None and ending not in ([form] if form else ["onnx", "c"]):
        raise click.UsageError(
            f"The name given with --out must end in {f'.{form}' if form else '.onnx or .c'}, but "
            f"{str(out)!r} does not."
        )
    form = form or ending or "onnx"
    fitted = load_model(model, options["trust"])
    out = out or fitted.path.with_suffix(f".{form}")
    check_folder(out)
    try:
        (export.to_c if form == "c" else export.to_onnx)(fitted.model, out)
    except export.OnnxError as error:
        raise CommandError(str(error), file=fitted.path) from error
    Console(options["quiet"]).say(f"{out} ({out.stat().st_size:,} bytes)")
    names = fitted.names
    if names is not None:
        Console(options["quiet"]).say(f"input X: {', '.join(names)}")
