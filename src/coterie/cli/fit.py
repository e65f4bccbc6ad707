"""`coterie fit`: the best ensemble for a table."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.clustered import fit_files, on_cluster, spread, wants_cluster, wants_search
from coterie.cli.console import Console
from coterie.cli.fit_outcome import ODD, UNREAD, explain, measure_on, show
from coterie.cli.options import (
    Costs,
    Duration,
    MoreTime,
    common,
    existing,
    read_options,
    reading_anew,
    table_file,
)
from coterie.cli.outdir import PLANNED
from coterie.cli.target_kind import MORE_TIME, kinds_of, streamed_task, task_line, task_of
from coterie.data.errors import counted
from coterie.files.errors import CommandError, nearest, shown_path
from coterie.files.file_predictions import without_target
from coterie.files.kinds import SHOWN

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
    "weight",
    "drop",
    "time_column",
    "cost",
    "simple",
    "work",
    "seed",
    "delimiter",
    "encoding",
    "stream",
    "odd_cells",
    "text",
)
# A file that is read block by block has none of these.
NEED_ALL = ("groups", "weight", "drop", "time_column")
AS_LONG_AS_IT_TAKES = 1e9  # seconds
_LOADING = 0.5  # share of the time limit, at most, that loading other libraries counts for


@click.command("fit")
@click.argument("file", type=existing)
@click.option(
    "--target",
    required=True,
    multiple=True,
    metavar="COLUMN",
    help="Column to predict. Repeatable: each target has a model of its own.",
)
@click.option(
    "--task",
    type=click.Choice(["auto", "classification", "regression"]),
    default="auto",
    help="Kind of target. Detected by default.",
)
@click.option(
    "--time",
    type=Duration(),
    default="60s",
    show_default=True,
    metavar="TIME",
    help="Time limit of the search: 90s, 5m, 1h30m; with --resume, +2m adds to it.",
)
@click.option(
    "--metric",
    default="auto",
    help="Metric to optimise: log_loss, accuracy, roc_auc, f1 …; rmse, mae, r2 …",
)
@click.option(
    "--members",
    multiple=True,
    metavar="NAME",
    help='Candidates to try: "fast", "native", or a name. Repeatable.',
)
@click.option("--interpretable", is_flag=True, help="Try only interpretable models.")
@click.option(
    "--groups",
    "--group",
    metavar="COLUMN",
    help="Column of groups; rows of a group stay in the same fold.",
)
@click.option("--weight", metavar="COLUMN", help="Column of sample weights.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="Drop this column. Repeatable.")
@click.option(
    "--time-column",
    metavar="COLUMN",
    help="Column with the time of each row; the model is evaluated on contiguous blocks of time.",
)
@click.option(
    "--cost",
    type=Costs(),
    metavar="fp=1,fn=5",
    help="Costs of false positives and false negatives (two classes): minimise the expected cost.",
)
@click.option(
    "--simple", is_flag=True, help="Prefer a simpler model if the best is not clearly better."
)
@click.option(
    "--work",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Budget in nominal core seconds instead of time: gives the same model on any machine.",
)
@click.option("--test", type=existing, metavar="FILE", help="Also evaluate the model on this file.")
@click.option("--explain", is_flag=True, help="Print how much each column matters.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed; the same seed gives the same model.",
)
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read the file in blocks and keep only binned values. Default for large files.",
)
@click.option("--jobs", type=int, help="Number of threads; -1 for all cores.")
@click.option("--out", type=existing, metavar="DIR", help="Output directory. Default: FILE_model.")
@click.option(
    "--resume",
    is_flag=True,
    help="Continue a fit that was interrupted or killed, or give it more time: --time +2m.",
)
@click.option("--overwrite", is_flag=True, help="Replace an earlier fit in DIR.")
@on_cluster
@reading_anew
@common
def command(file: Path, **options: Any) -> None:
    """Find the best ensemble for the table in FILE, and save it with a report.

    FILE is CSV, TSV, Parquet, Arrow or JSON lines, optionally compressed (.gz, .zst), or - for
    standard input. Candidates are compared by cross-validation, and the best of them combined.
    Ctrl-C stops the search and keeps the best model so far; a second Ctrl-C aborts. --resume
    continues a fit that was killed, and ends with the same model. With --workers or --cluster, the
    folds of every candidate are fitted there. FILE may then also be larger than memory, or a
    directory of Parquet or CSV files: a single boosted model is fitted to it, without a search.
    """
    targets = list(dict.fromkeys(options["target"]))
    options["target"] = targets[0]
    if wants_cluster(options) and not wants_search(file):
        if len(targets) > 1:
            raise click.UsageError("A fit without a search has one --target only.")
        fit_files(file, options)
        return
    began = time.monotonic()
    from coterie.automl.clock import counting
    from coterie.cli.lock import only_fit
    from coterie.cli.outdir import FitDirectory
    from coterie.cli.streaming import is_large
    from coterie.files.formats import check_file

    if file == Path("-") and options["out"] is None:
        raise click.UsageError(
            "The table comes from standard input, so --out must name the output directory."
        )
    began = counted_from(began, options["time"])
    file = table_file(file)
    check_file(file)
    whole = [f"--{name.replace('_', '-')} needs" for name in NEED_ALL if options[name]]
    whole += ["Several targets need"] if len(targets) > 1 else []
    if options["stream"] and whole:
        raise click.UsageError(f"{whole[0]} the whole table; do not use --stream.")
    if options["stream"] is None:
        options["stream"] = is_large(file) and not whole
    if options["test"] is not None:
        check_file(options["test"])
    directory = FitDirectory(options["out"] or file.with_name(f"{file.name.split('.')[0]}_model"))
    console = Console(options["quiet"])
    with spread(options, console), counting(began, writes=True), only_fit(directory.path):
        if len(targets) > 1:
            _fit_each(directory, file, targets, options, console)
        else:
            _fit_into(directory, file, options, console)


def counted_from(began: float, limit: float) -> float:
    """From when the time of the search counts, once other libraries are loaded.

    That may take longer than the search has, the first time or on busy cores.

    Examples
    --------
    >>> now = time.monotonic()
    >>> counted_from(now - 2.0, 10.0) == now - 2.0
    True
    >>> now - 5.0 <= counted_from(now - 20.0, 10.0) < now
    True
    """
    return max(began, time.monotonic() - _LOADING * limit)


def _fit_each(
    directory: Any, file: Path, targets: list[str], options: dict[str, Any], console: Console
) -> None:
    """Fit a model of each target in a directory of its own, and write one file of all models."""
    from coterie.automl import TableModels
    from coterie.automl.clock import counting
    from coterie.files.models import load_model

    settings = {"target": targets}
    directory.check(settings, resume=options["resume"], overwrite=options["overwrite"])
    models = {}
    for target, own in directory.inside(targets).items():
        others = [other for other in targets if other != target]
        given = options | {"target": target, "drop": (*options["drop"], *others)}
        for name in ("time", "work"):
            if options[name] is not None:
                given[name] = type(options[name])(options[name] / len(targets))
        with counting(time.monotonic()):
            _fit_into(own, file, given, console)
        models[target] = load_model(own.model).model
        console.say()
    directory.begin(settings, anew=options["overwrite"] and not options["resume"])
    directory.keep(TableModels(models))
    console.say(f"models  {directory.model}")


def _fit_into(directory: Any, file: Path, options: dict[str, Any], console: Console) -> None:
    """Fit, unless it was done, and write all that belongs to the model."""
    resume, more = options["resume"], isinstance(options["time"], MoreTime)
    planned = None
    if more:
        if not resume:
            raise click.UsageError("--time +… extends an earlier fit, so it needs --resume.")
        planned, before = directory.earlier_time()
        options["time"] = before + float(options["time"])
    options[PLANNED] = planned
    settings = _settings(file, options)
    directory.check(settings, resume=resume, overwrite=options["overwrite"])
    done = _finished(directory) if resume and not more else None
    if done is not None:
        console.say("this fit is already finished")
        if not directory.report.exists():
            directory.describe(done)
    else:
        found = _read(file, read_options(options), options, console)
        try:
            directory.begin(settings, anew=options["overwrite"] and not resume)
            model = _search(found, directory, options, console)
            directory.finish(model)
        except BaseException:
            directory.withdraw()
            raise
        show(model, console)
        if options["explain"]:
            explain(model, console)
        if options["test"] is not None:
            measure_on(directory.model, options["test"], read_options(options), console)
    console.say(f"\nmodel   {directory.model}\nreport  {directory.report}")


def _finished(directory: Any) -> Any:
    """The model of a fit that came to its end; None if there is none, or if it was interrupted."""
    from coterie.files.models import load_model

    if not directory.model.exists():
        return None
    model = load_model(directory.model).model
    return None if getattr(model, "stopped_", "") == "interrupted" else model


def _settings(file: Path, options: dict[str, Any]) -> dict[str, Any]:
    """All that decides about the result, as plain data."""
    from coterie.cli.outdir import CONTENT, file_digest

    chosen = {name: options[name] for name in DECISIVE} | {
        name: list(options[name]) for name in ("members", "text", "drop")
    }
    if options[PLANNED] is not None:
        chosen[PLANNED] = options[PLANNED]
    return chosen | {CONTENT: file_digest(file)}


def _read(file: Path, read: Any, options: dict[str, Any], console: Console) -> Any:
    """The table, without rows whose target is missing."""
    from coterie.automl.clock import Clock
    from coterie.files import Allowance, open_file, read_table

    roles = (options[name] for name in ("target", "groups", "weight", "time_column"))
    needed = (*roles, *options["drop"], *options["text"])
    limit = options["time"] if options["work"] is None else AS_LONG_AS_IT_TAKES
    allowance = Allowance(Clock(limit), options["seed"], needed)
    source = open_file(file, read, allowance)
    names = source.names
    for name in needed:
        if name is not None and name not in names:
            raise CommandError("is not in the file.", nearest(name, names), file, column=name)
    if options["stream"]:
        return _stream(file, read, options, console, allowance)
    found = read_table(file, read, source, allowance)
    found.shortage = _tell_shortage(allowance, console)
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
        raise CommandError("the column is empty.", "", file, column=options["target"])
    target = found.table.column(options["target"])
    console.say(
        task_line(task_of(target, options), target.unique().drop_null(), file, options, found)
    )
    return found


def _stream(
    file: Path, read: Any, options: dict[str, Any], console: Console, allowance: Any
) -> Any:
    """The bins of a table that is not held as a whole."""
    from coterie.cli.streaming import stream_table

    console.say(f"{shown_path(file)}: read block by block")
    found = stream_table(file, read, options["target"], options["seed"], allowance)
    found.shortage = _tell_shortage(allowance, console)
    console.notes(found.notes)
    _tell_size(file, len(found.rows), found.columns, console)
    if found.n_lost:
        _tell_lost(found.n_lost, console)
    console.say(task_line(streamed_task(found, options), kinds_of(found), file, options, found))
    return found


def _tell_shortage(allowance: Any, console: Console) -> str:
    """What there was no time to read, if anything."""
    shortage: str = allowance.shortage
    if shortage:
        console.note(f"{shortage} {MORE_TIME}")
    return shortage


def _tell_size(file: Path, n_rows: int, columns: Any, console: Console) -> None:
    kinds = Counter(SHOWN[kind] for kind in columns.kinds.values())
    shown = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    console.say(f"{shown_path(file)}: {counted(n_rows, 'row')}; columns: {shown}")


def _tell_lost(n_rows: int, console: Console) -> None:
    console.note(without_target(n_rows))


def _search(found: Any, directory: Any, options: dict[str, Any], console: Console) -> Any:
    """Run the search; its journal lies in the directory."""
    from coterie.automl import Journal
    from coterie.automl.listing import Listing
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
            simple=options["simple"],
            work=options["work"],
            cost=options["cost"],
            random_state=options["seed"],
            n_jobs=options["jobs"],
            progress=watcher,
            journal=Journal(directory.journal, save=save, load=load, planned=options[PLANNED]),
        )
    # Files to predict are read as this one was.
    needed = {*model.feature_names_in_, options["target"]}
    kept = [name for name in found.columns.kinds if name in needed]
    model.file_columns_ = found.columns.only(kept).plain()
    model.findings_ = Listing([*_shortage(found), *model.findings_, *_odd_findings(found.odd)])
    return model


def _shortage(found: Any) -> list[Any]:
    """What there was no time to read, for the report."""
    from coterie.automl.records import Finding

    if not found.shortage:
        return []
    return [Finding(UNREAD, "warning", [], found.shortage, MORE_TIME)]


def _odd_findings(odd: Any) -> list[Any]:
    """Cells that count as missing because they do not fit, for the report."""
    from coterie.automl.records import Finding
    from coterie.files.odd import ADVICE

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
            found.table,
            target,
            task=options["task"],
            groups=options["groups"],
            weight=options["weight"],
            drop=options["drop"],
            time_column=options["time_column"],
            **settings,
        )
    return fit_rows(
        found.rows,
        found.y,
        target,
        classes=found.classes,
        dates=found.dates,
        left_out=found.left_out,
        task=streamed_task(found, options),
        **settings,
    )
