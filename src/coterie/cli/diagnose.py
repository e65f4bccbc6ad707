"""`coterie diagnose`: what an ensemble is made of and where it fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.console import Console
from coterie.cli.options import common, existing, model_argument, read_options, reading, table_file

__all__ = ["command"]


@click.command("diagnose")
@model_argument
@click.argument("file", type=existing)
@click.option("--target", metavar="COLUMN", help="Target column, if it has another name in FILE.")
@click.option(
    "--trust", multiple=True, metavar="TYPE", help="Allow this type in the model file. Repeatable."
)
@reading
@common
def command(model: Path, file: Path, **options: Any) -> None:
    """Diagnose the ensemble MODEL on the labelled rows of FILE: errors, diversity, next steps."""
    import numpy as np
    import pyarrow as pa

    import coterie
    from coterie.files.file_predictions import truth_blocks
    from coterie.files.models import load_model

    fitted = load_model(model, options["trust"])
    file = table_file(file)
    blocks, notes = truth_blocks(fitted, file, options["target"], read_options(options))
    tables, truths = zip(*blocks, strict=True)
    table = pa.concat_tables(tables, promote_options="permissive")
    truth = np.asarray([value for cells in truths for value in cells.to_pylist()])
    console = Console(options["quiet"])
    console.notes(notes)
    print(coterie.diagnose(fitted.model, fitted.matrix(table), truth))
