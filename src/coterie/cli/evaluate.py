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
    from coterie.files.file_predictions import gather_answers
    from coterie.files.models import load_model

    fitted = load_model(model, options["trust"])
    if wants_cluster(options):
        answers = evaluate_files(fitted, file, options)
    else:
        file = table_file(file)
        answers = gather_answers(fitted, file, options["target"], read_options(options))
    scores = measure(answers)
    console = Console(options["quiet"])
    console.notes(answers.notes)
    if options["as_json"]:
        console.data(
            {
                "model": str(fitted.path),
                "file": shown_path(file),
                "rows": len(answers.truth),
                "task": answers.task,
                "scores": scores,
            }
        )
        return
    console.say(f"{fitted.path} on {len(answers.truth):,} rows of {shown_path(file)}\n")
    console.table(["metric", "score", "from", "to", "better is"], score_rows(scores))


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
