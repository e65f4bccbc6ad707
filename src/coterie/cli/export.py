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
@click.option("--out", type=existing, help="Where to write; MODEL with the ending .onnx otherwise.")
@click.option("--trust", multiple=True, metavar="TYPE", help="Load this foreign type. Repeatable.")
@common
def command(model: Path, **options: Any) -> None:
    """Write MODEL as an ONNX file, which runs without coterie and without Python.

    Its members must be native: fit with --members native to be sure of that. The file's input X
    holds numbers, one column for each that the model was fitted on and in the same order; a
    category is its position in the list that the file keeps in its metadata, and NaN stands for
    what is missing.
    """
    from coterie import export
    from coterie.cli.errors import CommandError
    from coterie.cli.models import load_model
    from coterie.cli.writing import check_folder

    if options["out"] is not None and options["out"].suffix.lower() != ".onnx":
        raise click.UsageError(
            f"models are exported as ONNX: the name given with --out must end in .onnx, and "
            f"{str(options['out'])!r} does not."
        )
    fitted = load_model(model, options["trust"])
    out = options["out"] or fitted.path.with_suffix(".onnx")
    check_folder(out)
    try:
        export.to_onnx(fitted.model, out)
    except export.OnnxError as error:
        raise CommandError(str(error), file=fitted.path) from error
    Console(options["quiet"]).say(f"{out} ({out.stat().st_size:,} bytes)")
    names = fitted.names
    if names is not None:
        Console(options["quiet"]).say(f"input X: {', '.join(names)}")
