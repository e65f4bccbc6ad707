"""Tables in many files, on a cluster: `coterie fit`, `predict` and `evaluate` with --workers.

The workers are processes of this machine, or those of a Dask cluster at an address.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.console import Console
from coterie.files.errors import CommandError, nearest

__all__ = [
    "evaluate_files",
    "fit_files",
    "on_cluster",
    "predict_files",
    "spread",
    "wants_cluster",
    "wants_search",
]

_PARTITIONS = 32  # so many partitions would fill a worker; reading one takes several times its size
_READERS = {".parquet": "read_parquet", ".csv": "read_csv", ".gz": "read_csv", ".tsv": "read_table"}


# What a search in memory takes, and a fit on a cluster does not.
_NOT_THERE = (
    *("members", "interpretable", "groups", "weight", "drop", "time_column", "cost", "simple"),
    *("test", "text", "resume", "stream"),
)


def on_cluster(command: Any) -> Any:
    """Add what can be said about workers."""
    command = click.option(
        "--worker-memory",
        metavar="SIZE",
        help="Memory limit of each worker process, such as 4GB. Default: an equal share.",
    )(command)
    command = click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Use the Dask cluster at this address, such as tcp://scheduler:8786.",
    )(command)
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Use this many worker processes. FILE may be a directory or a pattern, of any size.",
    )(command)


def wants_cluster(options: dict[str, Any]) -> bool:
    """Whether workers were asked for."""
    if options["workers"] and options["cluster"]:
        raise click.UsageError("--workers and --cluster exclude each other; use only one of them.")
    if options["worker_memory"] and not options["workers"]:
        raise click.UsageError(
            "--worker-memory needs --workers; the workers of a cluster have their own limits."
        )
    return bool(options["workers"] or options["cluster"])


def wants_search(file: Path) -> bool:
    """Whether a table fits in memory, so that the workers can fit candidates to all of it."""
    from coterie.cli.streaming import is_large

    return file.is_file() and not is_large(file)


@contextmanager
def spread(options: dict[str, Any], console: Console) -> Iterator[None]:
    """Let workers fit the folds of candidates, if they were asked for."""
    if not wants_cluster(options):
        yield
        return
    from coterie.distributed import on_workers

    with workers(options, console), on_workers():
        yield


@contextmanager
def workers(options: dict[str, Any], console: Console) -> Iterator[Any]:
    """A client of the workers; processes that were started for it end with it."""
    try:
        import dask
        from distributed import Client, LocalCluster

        from coterie.distributed.session import CALM
    except ImportError:
        raise CommandError(
            "--workers and --cluster need Dask.", "Install it with: pip install 'coterie[dask]'"
        ) from None
    if options["cluster"]:
        with Client(options["cluster"]) as client, _told(console):
            console.say(f"cluster {options['cluster']}: {len(client.nthreads())} workers")
            yield client
        return
    memory = options["worker_memory"] or "auto"
    settings = {"threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": memory}
    with (
        dask.config.set(CALM),
        LocalCluster(n_workers=options["workers"], processes=True, **settings) as local,
        Client(local) as client,
        _told(console),
    ):
        console.say(f"{options['workers']} worker processes on this machine")
        yield client


@contextmanager
def _told(console: Console) -> Iterator[None]:
    """Print what goes on on the cluster: rows, workers, and what was lost."""
    log, handler = logging.getLogger("coterie.distributed"), logging.Handler()
    handler.emit = lambda record: console.say(record.getMessage())  # type: ignore[method-assign]
    before = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before[0])
        log.propagate = before[1]


def read_files(pattern: Path, worker_memory: str | None = None) -> Any:
    """A Dask frame of a folder, of files that a pattern names, or of one file.

    Files are cut into partitions that are small beside the memory of a worker, if that is known:
    Parquet files where their groups of rows end.
    """
    import dask.dataframe as dd
    from dask.utils import parse_bytes

    found = sorted(pattern.iterdir()) if pattern.is_dir() else sorted(_matching(pattern))
    kinds = {path.suffix for path in found if path.suffix in _READERS}
    if len(kinds) != 1:
        several = f"files in several formats ({', '.join(sorted(kinds))})"
        raise CommandError(
            f"contains {several if kinds else 'no tables'}.",
            "Use files that are all .parquet, .csv, .csv.gz or .tsv.",
            file=pattern,
        )
    (kind,) = kinds
    more: dict[str, Any] = {"blocksize": None} if kind == ".gz" else {}
    if worker_memory is not None and not more:
        more = {"blocksize": parse_bytes(worker_memory) // _PARTITIONS}
    return getattr(dd, _READERS[kind])([str(p) for p in found if p.suffix == kind], **more)


def _read(pattern: Path, options: dict[str, Any]) -> Any:
    return read_files(pattern, options["worker_memory"])


def _matching(pattern: Path) -> list[Path]:
    if pattern.exists():
        return [pattern]
    return list(pattern.parent.glob(pattern.name))


def _known(frame: Any, target: str, pattern: Path) -> tuple[Any, Any]:
    """Features and target of the rows whose target is known."""
    if target not in frame.columns:
        names = [str(name) for name in frame.columns]
        raise CommandError("is not in the file.", nearest(target, names), pattern, column=target)
    frame = frame[frame[target].notnull()]
    return frame.drop(columns=target), frame[target]


def fit_files(pattern: Path, options: dict[str, Any]) -> None:
    """Fit `BoostedTrees*` to a table on a cluster, and write the model."""
    import narwhals as nw

    import coterie
    from coterie.automl.table import guess_task
    from coterie.cli.outdir import FitDirectory

    for name in _NOT_THERE:
        if options.get(name):
            raise click.UsageError(
                f"--{name.replace('_', '-')} cannot be used with workers if FILE is a directory or "
                "larger than memory."
            )
    console = Console(options["quiet"])
    name = pattern.name if pattern.is_dir() else pattern.parent.name
    directory = FitDirectory(options["out"] or Path(f"{name}_model"))
    if directory.model.exists() and not options["overwrite"]:
        raise CommandError(
            "already contains a model.",
            "Start over with --overwrite, or choose another --out.",
            file=directory.path,
        )
    with workers(options, console):
        X, y = _known(_read(pattern, options), options["target"], pattern)
        y = y.compute()
        task = options["task"]
        if task == "auto":
            task = guess_task(nw.from_native(y, series_only=True))
        console.say(f'{len(y):,} rows; target "{options["target"]}": {task}')
        kind = "BoostedTreesClassifier" if task == "classification" else "BoostedTreesRegressor"
        model = getattr(coterie, kind)(
            high_cardinality="split",
            time_limit=options["time"],
            random_state=options["seed"],
            callbacks=[_teller(console)],
        )
        model.fit(X, y)
    model.callbacks = None
    model.target_name_ = options["target"]
    directory.path.mkdir(parents=True, exist_ok=True)
    coterie.save(model, directory.model)
    console.say(f"{kind}: {model.n_iter_} rounds\nmodel   {directory.model}")


def _teller(console: Console) -> Any:
    """Tells of the rounds now and then."""

    def tell(number: int, trace: Any) -> None:
        if number % 50 == 0:
            console.say(f"round {number}: {trace['seconds'].sum():.0f} s")

    return tell


def predict_files(fitted: Any, pattern: Path, options: dict[str, Any]) -> None:
    """Write what a model says about the rows of many files: a folder with a file per partition."""
    console, out = Console(options["quiet"]), options["out"]
    if out is None or out.suffix:
        raise click.UsageError("With workers, --out must be a directory for the predictions.")
    for name in ("reject", "interval", "sets", "escape_formulas"):
        if options[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} cannot be used with workers.")
    with workers(options, console):
        frame = _read(pattern, options)
        rows = frame[fitted.names] if fitted.names else frame
        answers = frame[list(options["keep"])].assign(prediction=fitted.model.predict(rows))
        if options["probabilities"] and fitted.classes is not None:
            chances = fitted.model.predict_proba(rows)
            for k, label in enumerate(fitted.classes):
                answers[f"probability_{label}"] = chances[:, k]
        answers.to_parquet(out, write_index=False)
        console.say(f"{frame.npartitions} files of predictions: {out}")


def evaluate_files(fitted: Any, pattern: Path, options: dict[str, Any]) -> Any:
    """What a model says about the rows of many files, beside the truth."""
    import numpy as np
    import pyarrow as pa

    from coterie.files.file_predictions import Answers, truth_codes

    target = options["target"] or fitted.target
    if target is None:
        raise click.UsageError(
            "The model does not store the name of its target. Set it with --target."
        )
    with workers(options, Console(quiet=True)):
        X, y = _known(_read(pattern, options), target, pattern)
        rows = X[fitted.names] if fitted.names else X
        ask = fitted.model.predict if fitted.classes is None else fitted.model.predict_proba
        truth, said = y.compute(), ask(rows).compute()
    task = "regression" if fitted.classes is None else "classification"
    codes = truth_codes(fitted, pa.array(truth.tolist()), pattern)
    return Answers(task, codes, np.asarray(said, dtype=np.float64))
