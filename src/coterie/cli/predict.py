"""`coterie predict`: answers for the rows of a file of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    are ignored. Of several targets, each has columns of its own, such as `price_prediction`.
    """
    from coterie.files.models import load_models

    if options["out"] == Path("-"):
        options["out"] = None
    models = load_models(model, options["trust"])
    if wants_cluster(options):
        if len(models) > 1:
            raise click.UsageError("On a cluster, predict one target at a time.")
        predict_files(next(iter(models.values())), file, options)
        return
    file = table_file(file)
    rows, notes = predict_file(models, file, options)
    console = Console(options["quiet"])
    console.notes(notes)
    if options["out"] is not None:
        console.say(f"{rows:,} predictions: {options['out']}")


@dataclass(frozen=True)
class Asked:
    """What is asked of one model.

    Attributes
    ----------
    fitted : Fitted
        The model.
    before : str
        What its columns begin with, if there are several models.
    options : dict
        What the user wants, as far as this model has it.
    width : float or None
        The width of an interval, or what a set is limited by.
    """

    fitted: Any
    before: str
    options: dict[str, Any]
    width: float | None

    @classmethod
    def of(cls, fitted: Any, target: str | None, options: dict[str, Any], *, mixed: bool) -> Asked:
        """Check what the user wants of a model; `mixed` ones have what their kind can have."""
        from coterie.files.intervals import interval_width, set_limit

        if mixed:
            labels = fitted.classes is not None
            none = {"interval": None} if labels else {"probabilities": False, "reject": None}
            options = options | none
        chances = options["probabilities"] or options["reject"] is not None
        if chances and fitted.classes is None:
            raise click.UsageError(
                "--probabilities and --reject are for classifiers; this model is a regressor. See "
                "--interval."
            )
        width = None
        if options["sets"] is not None:
            width = set_limit(fitted, options["sets"])
        elif options["interval"] is not None:
            width = interval_width(fitted, options["interval"])
        return cls(fitted, "" if target is None else f"{target}_", options, width)

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        options, classes = self.options, self.fitted.classes
        names = ["prediction"]
        names += ["rejected"] if options["reject"] is not None else []
        if options["interval"] is not None or (options["sets"] is not None and classes is None):
            names += ["low", "high"]
        elif options["sets"] is not None:
            names += ["set", "set_size"]
        if options["probabilities"]:
            names += [f"probability_{name}" for name in classes]
        return [self.before + name for name in names]

    def answers(self, table: Any) -> dict[str, Any]:
        """Its columns for one block of rows."""
        return {self.before + name: column for name, column in self._said(table).items()}

    def _said(self, table: Any) -> dict[str, Any]:
        import numpy as np
        import pyarrow as pa

        from coterie.files.file_predictions import chances_or_numbers

        fitted, reject, width = self.fitted, self.options["reject"], self.width
        if fitted.classes is None:
            said = chances_or_numbers(fitted, table)
            limits = {} if width is None else {"low": said - width, "high": said + width}
            return {"prediction": said, **limits}
        if not (self.options["probabilities"] or reject is not None or width is not None):
            return {"prediction": np.asarray(fitted.model.predict(fitted.matrix(table))).tolist()}
        chances = chances_or_numbers(fitted, table)
        best = chances.argmax(axis=1)
        unsure = chances[np.arange(len(best)), best] < (0.0 if reject is None else reject)
        classes = np.asarray(fitted.classes)
        out: dict[str, Any] = {"prediction": pa.array(classes[best].tolist(), mask=unsure)}
        if reject is not None:
            out["rejected"] = unsure
        if width is not None:
            out |= _sets(classes, chances, width)
        if self.options["probabilities"]:
            out |= {f"probability_{name}": chances[:, k] for k, name in enumerate(classes.tolist())}
        return out


def predict_file(
    models: dict[str | None, Any], file: Path, options: dict[str, Any]
) -> tuple[int, list[str]]:
    """Write what models say about a file, and tell the number of rows."""
    from coterie.cli.writing import check_other, open_writer
    from coterie.files.table import open_blocks

    first = next(iter(models.values()))
    check_other(options["out"], file)
    check_other(options["out"], first.path)
    if options["sets"] is not None and options["interval"] is not None:
        raise click.UsageError(
            "For regression, --sets and --interval mean the same; use only one of them."
        )
    mixed = len({fitted.classes is None for fitted in models.values()}) > 1
    asked = [Asked.of(one, target, options, mixed=mixed) for target, one in models.items()]
    _check_kept(asked, options["keep"])
    # Models of several targets were fitted to the same columns.
    columns, read = first.columns(file, read_options(options))
    blocks, notes = open_blocks(file, columns, read, also=options["keep"], spare=first.targets)
    rows = 0
    with open_writer(options["out"], escape=options["escape_formulas"]) as write:
        for table in blocks:
            write(_answered(asked, table, options["keep"]))
            rows += len(table)
        if rows == 0:
            notes.append("the file has no rows")
            write(_nothing(asked, options["keep"]))
    return rows, notes


def _check_kept(asked: list[Asked], keep: Sequence[str]) -> None:
    """Refuse to keep a column whose place a new one takes."""
    twice = [name for one in asked for name in one.names if name in keep]
    if twice:
        raise click.UsageError(
            f"--keep {twice[0]} clashes with an output column of the same name. Rename the "
            "column in the file."
        )


def _nothing(asked: list[Asked], keep: Sequence[str]) -> Any:
    """The columns of the output without a row."""
    import pyarrow as pa

    names = [*dict.fromkeys(keep), *(name for one in asked for name in one.names)]
    labels = (one for one in asked if one.fitted.classes is not None)
    text = {*keep, *(f"{one.before}prediction" for one in labels)}
    return pa.table(
        {name: pa.array([], pa.string() if name in text else pa.float64()) for name in names}
    )


def _answered(asked: list[Asked], table: Any, keep: Sequence[str]) -> Any:
    """The columns of the output for one block of rows."""
    import pyarrow as pa

    out = {name: table.column(name) for name in keep}
    for one in asked:
        out |= one.answers(table)
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
