"""`coterie predict`: answers for the rows of a file of any size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.clustered import on_cluster, predict_files, wants_cluster
from coterie.cli.console import Console
from coterie.cli.options import common, existing, model_argument, read_options, reading, table_file

__all__ = ["command"]


@click.command("predict")
@model_argument
@click.argument("file", type=existing)
@click.option(
    "--out",
    type=existing,
    help="Output file: .csv, .csv.gz, .tsv or .parquet; - for standard output.",
)
@click.option("--probabilities", is_flag=True, help="Add the probability of each class.")
@click.option(
    "--reject",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Reject a row (no prediction) if no class has a probability of at least P.",
)
@click.option(
    "--interval",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="C",
    help="Add a prediction interval, `low` and `high`, with target coverage C.",
)
@click.option(
    "--sets",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="C",
    help="Add a conformal prediction set with coverage C: `set` and `set_size` for "
    "classification, `low` and `high` for regression.",
)
@click.option(
    "--keep", multiple=True, metavar="COLUMN", help="Copy this column to the output. Repeatable."
)
@click.option(
    "--escape-formulas",
    is_flag=True,
    help="Prefix text that a spreadsheet would run as a formula with an apostrophe.",
)
@click.option(
    "--trust", multiple=True, metavar="TYPE", help="Allow this type in the model file. Repeatable."
)
@on_cluster
@reading
@common
def command(model: Path, file: Path, **options: Any) -> None:
    """Predict the rows of FILE with MODEL, a directory written by `coterie fit`.

    Rows are processed in blocks and written in their order, so memory does not depend on the size
    of FILE. FILE may be - for standard input; without --out, CSV goes to standard output. Columns
    are read as they were for the fit. Unseen categories are treated as missing, and extra columns
    are ignored.
    """
    from coterie.files.models import load_model

    if options["out"] == Path("-"):
        options["out"] = None
    fitted = load_model(model, options["trust"])
    if wants_cluster(options):
        predict_files(fitted, file, options)
        return
    file = table_file(file)
    rows, notes = predict_file(fitted, file, options)
    console = Console(options["quiet"])
    console.notes(notes)
    if options["out"] is not None:
        console.say(f"{rows:,} predictions: {options['out']}")


def predict_file(fitted: Any, file: Path, options: dict[str, Any]) -> tuple[int, list[str]]:
    """Write what a model says about a file, and tell the number of rows."""
    from coterie.cli.writing import check_other, open_writer
    from coterie.files.intervals import interval_width, set_limit
    from coterie.files.table import open_blocks

    check_other(options["out"], file)
    check_other(options["out"], fitted.path)
    if fitted.classes is None and (options["probabilities"] or options["reject"] is not None):
        raise click.UsageError(
            "--probabilities and --reject are for classifiers; this model is a regressor. See "
            "--interval."
        )
    _check_kept(fitted, options)
    if options["sets"] is not None and options["interval"] is not None:
        raise click.UsageError(
            "For regression, --sets and --interval mean the same; use only one of them."
        )
    coverage = options["interval"] if options["sets"] is None else options["sets"]
    width = None
    if coverage is not None:
        asks = interval_width if options["sets"] is None else set_limit
        width = asks(fitted, coverage)
    columns, read = fitted.columns(file, read_options(options))
    blocks, notes = open_blocks(file, columns, read, also=options["keep"], target=fitted.target)
    rows = 0
    with open_writer(options["out"], escape=options["escape_formulas"]) as write:
        for table in blocks:
            write(_answered(fitted, table, options, width))
            rows += len(table)
        if rows == 0:
            notes.append("the file has no rows")
            write(_nothing(fitted, options))
    return rows, notes


def _check_kept(fitted: Any, options: dict[str, Any]) -> None:
    """Refuse to keep a column whose place a new one takes."""
    twice = [name for name in _new_names(fitted, options) if name in options["keep"]]
    if twice:
        raise click.UsageError(
            f"--keep {twice[0]} clashes with an output column of the same name. Rename the "
            "column in the file."
        )


def _new_names(fitted: Any, options: dict[str, Any]) -> list[str]:
    names = ["prediction"]
    names += ["rejected"] if options["reject"] is not None else []
    if options["interval"] is not None or (options["sets"] is not None and fitted.classes is None):
        names += ["low", "high"]
    elif options["sets"] is not None:
        names += ["set", "set_size"]
    if options["probabilities"]:
        names += [f"probability_{name}" for name in fitted.classes]
    return names


def _nothing(fitted: Any, options: dict[str, Any]) -> Any:
    """The columns of the output without a row."""
    import pyarrow as pa

    names = [*dict.fromkeys(options["keep"]), *_new_names(fitted, options)]
    text = set(options["keep"]) | ({"prediction"} if fitted.classes is not None else set())
    return pa.table(
        {name: pa.array([], pa.string() if name in text else pa.float64()) for name in names}
    )


def _answered(fitted: Any, table: Any, options: dict[str, Any], width: float | None) -> Any:
    """The columns of the output for one block of rows."""
    import numpy as np
    import pyarrow as pa

    from coterie.files.file_predictions import chances_or_numbers

    out = {name: table.column(name) for name in options["keep"]}
    reject = options["reject"]
    if fitted.classes is None:
        said = chances_or_numbers(fitted, table)
        out["prediction"] = said
        if width is not None:
            out |= {"low": said - width, "high": said + width}
    elif options["probabilities"] or reject is not None or width is not None:
        chances = chances_or_numbers(fitted, table)
        best = chances.argmax(axis=1)
        unsure = chances[np.arange(len(best)), best] < (0.0 if reject is None else reject)
        classes = np.asarray(fitted.classes)
        out["prediction"] = pa.array(classes[best].tolist(), mask=unsure)
        if reject is not None:
            out["rejected"] = unsure
        if width is not None:
            out |= _sets(classes, chances, width)
        if options["probabilities"]:
            out |= {f"probability_{name}": chances[:, k] for k, name in enumerate(classes.tolist())}
    else:
        out["prediction"] = np.asarray(fitted.model.predict(fitted.matrix(table))).tolist()
    return pa.table({name: pa.array(v) if not hasattr(v, "type") else v for name, v in out.items()})


def _sets(classes: Any, chances: Any, limit: float) -> dict[str, Any]:
    """The classes in the set of each row, and how many they are."""
    from coterie.conformal import kept_sets

    names = [str(name) for name in classes.tolist()]
    sets = kept_sets(limit, chances)
    joined = [
        "|".join(name for name, inside in zip(names, row, strict=True) if inside) for row in sets
    ]
    return {"set": joined, "set_size": sets.sum(axis=1)}
