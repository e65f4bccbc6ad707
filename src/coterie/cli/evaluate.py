"""`coterie evaluate`: how good a model is on rows whose target is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.clustered import evaluate_files, on_cluster, wants_cluster
from coterie.cli.console import Console
from coterie.cli.options import (
    common,
    existing,
    json_option,
    model_argument,
    read_options,
    reading,
    table_file,
)
from coterie.data.errors import counted
from coterie.files.errors import shown_path

__all__ = ["command", "measure", "score_rows"]


@click.command("evaluate")
@model_argument
@click.argument("file", type=existing)
@click.option("--target", metavar="COLUMN", help="Target column, if it has another name in FILE.")
@click.option(
    "--trust", multiple=True, metavar="TYPE", help="Allow this type in the model file. Repeatable."
)
@json_option
@on_cluster
@reading
@common
def command(model: Path, file: Path, **options: Any) -> None:
    """Score MODEL on the labelled rows of FILE.

    Every score has a 95 % confidence interval: a normal approximation for means over rows, a
    bootstrap for other metrics. Use rows that the model was not fitted to.
    """
    from coterie.files.models import load_models

    models = load_models(model, options["trust"])
    if not wants_cluster(options):
        file = table_file(file)
    if len(models) > 1 and options["target"] is not None:
        if options["target"] not in models:
            raise click.UsageError(f"The models are of {', '.join(map(repr, models))}.")
        models = {options["target"]: models[options["target"]]}
    console, found = Console(options["quiet"]), {}
    for target, fitted in models.items():
        answers = _answers(fitted, file, options)
        scores = measure(answers)
        console.notes(answers.notes)
        found[target] = {
            "model": str(fitted.path),
            "file": shown_path(file),
            "rows": len(answers.truth),
            "task": answers.task,
            "scores": scores,
        }
        if not options["as_json"]:
            of = "" if target is None else f', target "{target}",'
            rows = counted(len(answers.truth), "row")
            console.say(f"{fitted.path}{of} on {rows} of {shown_path(file)}\n")
            console.table(["metric", "score", "from", "to", "better is"], score_rows(scores))
    if options["as_json"]:
        console.data(found.get(None, found))


def _answers(fitted: Any, file: Path, options: dict[str, Any]) -> Any:
    """What a model says about the rows of a file, beside the truth."""
    from coterie.files.file_predictions import gather_answers

    if wants_cluster(options):
        return evaluate_files(fitted, file, options)
    return gather_answers(fitted, file, options["target"], read_options(options))


def score_rows(scores: dict[str, dict[str, Any]]) -> list[list[str]]:
    """Scores with their intervals, as rows of a table."""
    return [
        [name, *(f"{one[key]:.4g}" for key in ("score", "low", "high")), one["better"]]
        for name, one in scores.items()
    ]


def measure(answers: Any) -> dict[str, dict[str, Any]]:
    """All metrics of the task, each with a 95 % interval.

    Parameters
    ----------
    answers : Answers
        What the model said, and the truth.
    """
    import numpy as np

    from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS

    metrics = CLASS_METRICS if answers.task == "classification" else NUMBER_METRICS
    scores = {}
    for name, metric in metrics.items():
        if name == "rmsle" and np.min(answers.truth) < 0:
            continue
        low, high = metric.interval(answers.truth, answers.said)
        better = "more" if metric.greater_is_better else "less"
        score = metric(answers.truth, answers.said)
        scores[name] = {"score": score, "low": low, "high": high, "better": better}
    return scores
