"""`coterie fit`: the best ensemble for a table."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.console import Console, duration_text
from coterie.cli.errors import CommandError, nearest, shown_path
from coterie.cli.options import (
    Duration,
    common,
    existing,
    read_options,
    reading_anew,
    table_file,
)
from coterie.cli.reading.kinds import SHOWN

__all__ = ["command"]

# They decide about the result; a fit is resumed with the same ones only.
DECISIVE = (
    "target",
    "task",
    "metric",
    "time",
    "members",
    "interpretable",
    "groups",
    "seed",
    "delimiter",
    "encoding",
    "stream",
    "odd_cells",
    "text",
)
ODD = "odd cells"


@click.command("fit")
@click.argument("file", type=existing)
@click.option("--target", required=True, metavar="COLUMN", help="What to predict.")
@click.option(
    "--task",
    type=click.Choice(["auto", "classification", "regression"]),
    default="auto",
    help="Classes or numbers; detected if not given.",
)
@click.option(
    "--time",
    type=Duration(),
    default="60s",
    show_default=True,
    metavar="TIME",
    help="How long the search may take: 90s, 5m, 1h30m.",
)
@click.option(
    "--metric",
    default="auto",
    help="What to be good at: log_loss, accuracy, roc_auc, f1 …; rmse, mae, r2 …",
)
@click.option(
    "--members",
    multiple=True,
    metavar="NAME",
    help='"fast", "native", or the name of a candidate. Repeatable.',
)
@click.option("--interpretable", is_flag=True, help="Only models that people can read.")
@click.option("--groups", metavar="COLUMN", help="Rows of one group are never split in validation.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The same seed gives the same model.",
)
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read the file block by block and keep bins only; so for large files.",
)
@click.option("--jobs", type=int, help="Threads to use; -1 for all.")
@click.option("--out", type=existing, metavar="DIR", help="Where to write; FILE_model otherwise.")
@click.option("--resume", is_flag=True, help="Go on with a fit that was killed.")
@click.option("--overwrite", is_flag=True, help="Replace an earlier fit in DIR.")
@reading_anew
@common
def command(file: Path, **options: Any) -> None:
    """Find the best ensemble for the table in FILE, and write it with a report.

    FILE is CSV, TSV, Parquet, Arrow or JSON lines, also packed (.gz, .zst), or - for the standard
    input. Many kinds of members
    are tried on rows held out in turn, and combined. Ctrl-C ends the search and keeps the best so
    far; a second one aborts. A fit that was killed goes on with --resume and reaches the same
    model.
    """
    began = time.monotonic()
    from coterie.automl.clock import counting
    from coterie.cli.lock import only_fit
    from coterie.cli.outdir import FitDirectory
    from coterie.cli.reading.files import check_file
    from coterie.cli.streaming import is_large

    if file == Path("-") and options["out"] is None:
        raise click.UsageError(
            "the table comes from standard input: say with --out where to write the model."
        )
    file = table_file(file)
    check_file(file)
    if options["stream"] and options["groups"]:
        raise click.UsageError("--groups needs the whole table; leave --stream out.")
    if options["stream"] is None:
        options["stream"] = is_large(file) and not options["groups"]
    directory = FitDirectory(options["out"] or file.with_name(f"{file.name.split('.')[0]}_model"))
    with counting(began, writes=True), only_fit(directory.path):
        _fit_into(directory, file, options, Console(options["quiet"]))


def _fit_into(directory: Any, file: Path, options: dict[str, Any], console: Console) -> None:
    """Fit, unless it was done, and write all that belongs to the model."""
    settings, resume = _settings(file, options), options["resume"]
    directory.check(settings, resume=resume, overwrite=options["overwrite"])
    done = _finished(directory) if resume else None
    if done is not None:
        console.say("this fit is already finished")
        if not directory.report.exists():
            directory.describe(done)
    else:
        found = _read(file, read_options(options), options, console)
        directory.begin(settings, anew=options["overwrite"] and not resume)
        try:
            model = _search(found, directory, options, console)
        except BaseException:
            directory.withdraw()
            raise
        directory.finish(model)
        _show(model, console)
    console.say(f"\nmodel   {directory.model}\nreport  {directory.report}")


def _finished(directory: Any) -> Any:
    """The model of a fit that came to its end; None if there is none, or if it was interrupted."""
    from coterie.cli.models import load_model

    if not directory.model.exists():
        return None
    model = load_model(directory.model).model
    return None if getattr(model, "stopped_", "") == "interrupted" else model


def _settings(file: Path, options: dict[str, Any]) -> dict[str, Any]:
    """All that decides about the result, as plain data."""
    from coterie.cli.outdir import CONTENT, file_digest

    chosen = {name: options[name] for name in DECISIVE} | {
        name: list(options[name]) for name in ("members", "text")
    }
    return chosen | {CONTENT: file_digest(file)}


def _read(file: Path, read: Any, options: dict[str, Any], console: Console) -> Any:
    """The table, without rows whose target is missing."""
    from coterie.cli.reading import open_file, read_table

    source = open_file(file, read)
    names = source.names
    for name in (options["target"], options["groups"], *options["text"]):
        if name is not None and name not in names:
            raise CommandError("no such column.", nearest(name, names), file, column=name)
    if options["stream"]:
        return _stream(file, read, options, console)
    found = read_table(file, read, source)
    console.notes(found.notes)
    _tell_size(file, len(found.table), found.columns, console)
    if options["target"] not in found.columns.kinds:
        raise CommandError("cannot be a target.", "", file, column=options["target"])
    known = found.table.column(options["target"]).is_valid()
    if not known.to_numpy().all():
        rows = len(found.table)
        found.table = found.table.filter(known)
        _tell_lost(rows - len(found.table), console)
    if not len(found.table):
        raise CommandError("holds no value.", "", file, column=options["target"])
    target = found.table.column(options["target"])
    console.say(_task_line(_task(target, options), target.unique().drop_null(), file, options))
    return found


def _stream(file: Path, read: Any, options: dict[str, Any], console: Console) -> Any:
    """The bins of a table that is not held as a whole."""
    from coterie.cli.streaming import stream_table

    console.say(f"{shown_path(file)}: read block by block")
    found = stream_table(file, read, options["target"], options["seed"])
    console.notes(found.notes)
    _tell_size(file, len(found.rows), found.columns, console)
    if found.n_lost:
        _tell_lost(found.n_lost, console)
    console.say(_task_line(_streamed_task(found, options), _kinds(found), file, options))
    return found


def _tell_size(file: Path, n_rows: int, columns: Any, console: Console) -> None:
    kinds = Counter(SHOWN[kind] for kind in columns.kinds.values())
    shown = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    console.say(f"{shown_path(file)}: {n_rows:,} rows; columns: {shown}")


def _tell_lost(n_rows: int, console: Console) -> None:
    console.note(f"{n_rows:,} rows without a value of the target are left out")


def _task_line(task: str, kinds: Any, file: Path, options: dict[str, Any]) -> str:
    """What is to be predicted, and whether that was found or said."""
    if task == "classification" and len(kinds) < 2:
        raise CommandError(
            f"has only one class, {kinds.tolist()[0]!r}, so there is nothing to predict.",
            "Choose another --target, or add rows of another class.",
            file,
            column=options["target"],
        )
    found = options["task"] == "auto"
    other = "regression" if task == "classification" else "classification"
    hint = f" (detected; --task {other} overrides)" if found else ""
    shown = "numbers"
    if task == "classification":
        first = ", ".join(map(str, sorted(kinds.tolist())[:5]))
        shown = f"{len(kinds)} classes: {first}{', …' if len(kinds) > 5 else ''}"
    return f'target "{options["target"]}": {task}, {shown}{hint}'


def _task(target: Any, options: dict[str, Any]) -> str:
    import narwhals as nw

    from coterie.automl.table import guess_task

    if options["task"] != "auto":
        return str(options["task"])
    return guess_task(nw.from_native(target, series_only=True))


def _streamed_task(found: Any, options: dict[str, Any]) -> str:
    from coterie.automl.table import guess_by_values

    if options["task"] == "regression" and found.classes is not None:
        raise CommandError(
            "holds text, not numbers.", "Use --task classification.", column=options["target"]
        )
    if options["task"] != "auto":
        return str(options["task"])
    return "classification" if found.classes is not None else guess_by_values(found.y)


def _kinds(found: Any) -> Any:
    """The different values of a target."""
    import numpy as np

    return np.unique(found.y) if found.classes is None else found.classes


def _search(found: Any, directory: Any, options: dict[str, Any], console: Console) -> Any:
    """Run the search; its journal lies in the directory."""
    from coterie.automl import Journal
    from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS
    from coterie.cli.interrupts import patient_interrupts
    from coterie.cli.progress import watch
    from coterie.export import load, save

    members = list(options["members"])
    chosen = (CLASS_METRICS | NUMBER_METRICS).get(options["metric"])
    greater = chosen is not None and chosen.greater_is_better
    with (
        watch(console, greater_is_better=greater) as watcher,
        patient_interrupts(lambda: watcher.finishing, lambda: watcher.best is not None),
    ):
        model = _fit(
            found,
            options,
            metric=options["metric"],
            time_limit=options["time"],
            members=members[0] if members in (["fast"], ["native"]) else members or "auto",
            interpretable=options["interpretable"],
            random_state=options["seed"],
            n_jobs=options["jobs"],
            progress=watcher,
            journal=Journal(directory.journal, save=save, load=load),
        )
    # Files to predict are read as this one was.
    needed = {*model.feature_names_in_, options["target"]}
    kept = [name for name in found.columns.kinds if name in needed]
    model.file_columns_ = found.columns.only(kept).plain()
    model.findings_ = [*model.findings_, *_odd_findings(found.odd)]
    return model


def _odd_findings(odd: Any) -> list[Any]:
    """Cells that count as missing because they do not fit, for the report."""
    from coterie.automl.records import Finding
    from coterie.cli.reading.odd import ADVICE

    return [
        Finding(ODD, "warning", [name], odd.describe(name), ADVICE)
        for name, column in odd.columns.items()
        if column.count
    ]


def _fit(found: Any, options: dict[str, Any], **settings: Any) -> Any:
    """Fit to a table, or to the bins of one."""
    from coterie.automl import fit_rows, fit_table

    target = options["target"]
    if not options["stream"]:
        return fit_table(
            found.table, target, task=options["task"], groups=options["groups"], **settings
        )
    return fit_rows(
        found.rows,
        found.y,
        target,
        classes=found.classes,
        dates=found.dates,
        left_out=found.left_out,
        task=_streamed_task(found, options),
        **settings,
    )


def _show(model: Any, console: Console) -> None:
    """What came of it: the task, the leaderboard, what to beware of."""
    if console.quiet:
        return
    classes = getattr(model, "classes_", None)
    what = f"{len(classes)} classes" if classes is not None else "numbers"
    console.say(f'\n{model.task_}: {what} of "{model.target_name_}", by {model.metric_}')
    if model.stopped_ == "interrupted":
        console.say("the search was interrupted; this is the best so far")
    rows = [
        [
            ("* " if entry.chosen else "  ") + entry.name,
            f"{entry.score:.5g}",
            f"{entry.low:.4g} – {entry.high:.4g}",
            f"{entry.weight:.2f}" if entry.weight else "",
            duration_text(entry.fit_seconds),
            entry.note,
        ]
        for entry in model.leaderboard_
    ]
    first = next((k for k, entry in enumerate(model.leaderboard_) if entry.chosen), -1)
    console.say()
    console.table(["", model.metric_, "95 % interval", "weight", "fitted in", ""], rows, first)
    for finding in model.findings_:
        if finding.level != "info" and finding.kind != ODD:  # told when the file was read
            console.note(f"{finding.message} {finding.advice}")
