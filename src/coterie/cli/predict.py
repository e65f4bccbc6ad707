"""`coterie predict`: answers for the rows of a file of any size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.console import Console
from coterie.cli.options import common, existing, model_argument, read_options, reading, table_file

__all__ = ["command"]


@click.command("predict")
@model_argument
@click.argument("file", type=existing)
@click.option(
    "--out",
    type=existing,
    help="Where to write: .csv, .csv.gz, .tsv or .parquet; - for the standard output.",
)
@click.option("--probabilities", is_flag=True, help="Add the probability of every class.")
@click.option(
    "--reject",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Leave the prediction empty, and set `rejected`, where no class is as probable as P.",
)
@click.option(
    "--interval",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="C",
    help="Add `low` and `high`, between which the share C of numbers should lie.",
)
@click.option(
    "--keep", multiple=True, metavar="COLUMN", help="Copy a column of the file. Repeatable."
)
@click.option(
    "--escape-formulas",
    is_flag=True,
    help="Put an apostrophe before text in CSV that a spreadsheet would run as a formula.",
)
@click.option("--trust", multiple=True, metavar="TYPE", help="Load this foreign type. Repeatable.")
@reading
@common
def command(model: Path, file: Path, **options: Any) -> None:
    """Answer for the rows of FILE, of any size, with MODEL (a directory of `coterie fit`).

    Rows are read, answered and written block by block, in their order; memory does not depend on
    their number. FILE may be - for the standard input; without --out, CSV goes to the standard
    output. Columns are read as they were at fit. A category that was not seen then counts as
    missing; columns the model does not know are ignored.
    """
    from coterie.cli.models import load_model

    if options["out"] == Path("-"):
        options["out"] = None
    fitted = load_model(model, options["trust"])
    file = table_file(file)
    rows, notes = predict_file(fitted, file, options)
    console = Console(options["quiet"])
    console.notes(notes)
    if options["out"] is not None:
        console.say(f"{rows:,} predictions: {options['out']}")


def predict_file(fitted: Any, file: Path, options: dict[str, Any]) -> tuple[int, list[str]]:
    """Write what a model says about a file, and tell the number of rows."""
    from coterie.cli.intervals import interval_width
    from coterie.cli.reading.table import open_blocks
    from coterie.cli.writing import open_writer

    if fitted.classes is None and (options["probabilities"] or options["reject"] is not None):
        raise click.UsageError(
            "--probabilities and --reject are for classes; this model predicts "
            "numbers. See --interval."
        )
    width = None if options["interval"] is None else interval_width(fitted, options["interval"])
    columns, read = fitted.columns(file, read_options(options))
    blocks, notes = open_blocks(file, columns, read, also=options["keep"], target=fitted.target)
    rows = 0
    with open_writer(options["out"], escape=options["escape_formulas"]) as write:
        for table in blocks:
            write(_answered(fitted, table, options, width))
            rows += len(table)
        if rows == 0:
            notes.append("the file has no rows")
    return rows, notes


def _answered(fitted: Any, table: Any, options: dict[str, Any], width: float | None) -> Any:
    """The columns of the output for one block of rows."""
    import numpy as np
    import pyarrow as pa

    from coterie.cli.file_predictions import chances_or_numbers

    out = {name: table.column(name) for name in options["keep"]}
    reject = options["reject"]
    if fitted.classes is None:
        said = chances_or_numbers(fitted, table)
        out["prediction"] = said
        if width is not None:
            out |= {"low": said - width, "high": said + width}
    elif options["probabilities"] or reject is not None:
        chances = chances_or_numbers(fitted, table)
        best = chances.argmax(axis=1)
        unsure = chances[np.arange(len(best)), best] < (0.0 if reject is None else reject)
        classes = np.asarray(fitted.classes)
        out["prediction"] = pa.array(classes[best].tolist(), mask=unsure)
        if reject is not None:
            out["rejected"] = unsure
        if options["probabilities"]:
            out |= {f"probability_{name}": chances[:, k] for k, name in enumerate(classes.tolist())}
    else:
        out["prediction"] = np.asarray(fitted.model.predict(fitted.matrix(table))).tolist()
    return pa.table({name: pa.array(v) if not hasattr(v, "type") else v for name, v in out.items()})
