"""`coterie compare`: several models on one table, with a paired test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.console import Console
from coterie.cli.options import common, existing, json_option, read_options, reading, table_file
from coterie.files.errors import CommandError, shown_path

__all__ = ["command", "compare_answers"]


@click.command("compare")
@click.argument("models", nargs=-1, required=True, type=existing)
@click.option(
    "--on", "file", required=True, type=existing, metavar="FILE", help="Table with labelled rows."
)
@click.option("--target", metavar="COLUMN", help="Target column, if it has another name in FILE.")
@click.option(
    "--metric",
    default="auto",
    help="Metric, a mean over rows: log_loss, accuracy, brier, rmse, mae …",
)
@click.option(
    "--trust", multiple=True, metavar="TYPE", help="Allow this type in the model file. Repeatable."
)
@json_option
@reading
@common
def command(models: tuple[Path, ...], file: Path, **options: Any) -> None:
    """Compare MODELS on a table that none of them was fitted to.

    The best model is compared with each of the others by a paired t-test on the losses of single
    rows; p-values are corrected by Holm's method. A p-value above 0.05 means that the difference is
    not significant on these rows.
    """
    from coterie.files.file_predictions import gather_answers
    from coterie.files.models import load_model

    if len(models) < 2:
        raise click.UsageError("Pass at least two models.")
    read = read_options(options)
    loaded = {str(path): load_model(path, options["trust"]) for path in models}
    file = table_file(file)
    target = options["target"] or next((one.target for one in loaded.values() if one.target), None)
    answers = {name: gather_answers(one, file, target, read) for name, one in loaded.items()}
    metric, found = compare_answers(answers, options["metric"])
    console = Console(options["quiet"])
    console.notes(list(dict.fromkeys(note for one in answers.values() for note in one.notes)))
    if options["as_json"]:
        console.data({"file": shown_path(file), "metric": metric, "models": found})
        return
    console.say(
        f"{metric} on {len(next(iter(answers.values())).truth):,} rows of {shown_path(file)}\n"
    )
    header = ["model", metric, "worse by", "from", "to", "p"]
    keys = ("difference", "low", "high", "p_value")
    rows = [
        [
            one["model"],
            f"{one['score']:.4g}",
            *("" if one[k] is None else f"{one[k]:.3g}" for k in keys),
        ]
        for one in found
    ]
    console.table(header, rows, marked=0)
    console.say(f"\n{_verdict(found)}")


def compare_answers(answers: dict[str, Any], metric: str) -> tuple[str, list[dict[str, Any]]]:
    """Scores of all models, best first, each with its test against the best.

    Parameters
    ----------
    answers : dict of str to Answers
        What each model said about the same rows.
    metric : str
        The name of a metric, or "auto".

    Returns
    -------
    name : str
        The metric.
    found : list of dict
        Plain data of each model.
    """
    from coterie.automl.metrics import find_metric
    from coterie.cli.paired import holm, paired_test

    tasks = {one.task for one in answers.values()}
    if len(tasks) > 1:
        raise CommandError("some of the models are classifiers, others are regressors.")
    chosen = find_metric(metric, tasks.pop())
    if chosen.rows is None:
        raise CommandError(
            f"{chosen.name} is not a mean over rows, so models cannot be compared row by row.",
            "Choose log_loss, brier or accuracy for classification; rmse, mse or mae for "
            "regression.",
        )
    losses = {name: chosen.rows(one.truth, one.said) for name, one in answers.items()}
    names = sorted(losses, key=lambda name: float(losses[name].mean()))
    tests = [paired_test(losses[names[0]], losses[name]) for name in names[1:]]
    corrected = holm([test.p_value for test in tests])
    found: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        one = answers[name]
        entry = {"model": name, "score": chosen(one.truth, one.said)}
        test = tests[number - 1] if number else None
        for key in ("difference", "low", "high"):
            entry[key] = None if test is None else getattr(test, key)
        entry["p_value"] = None if test is None else corrected[number - 1]
        found.append(entry)
    return chosen.name, found


def _verdict(found: list[dict[str, Any]]) -> str:
    best, *others = found
    alike = [one["model"] for one in others if one["p_value"] > 0.05]
    if not alike:
        return f"{best['model']} is significantly better than the others."
    return (
        f"{best['model']} is ahead, but on these rows not significantly better than "
        f"{', '.join(alike)}."
    )
