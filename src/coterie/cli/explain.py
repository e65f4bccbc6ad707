"""`coterie explain`: which columns matter, in general or for single rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import rich_click as click

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
from coterie.files.errors import CommandError

__all__ = ["command", "parse_rows"]

MOST_ROWS = 2_000  # that are shuffled, or taken as background


@click.command("explain")
@model_argument
@click.argument("file", type=existing, required=False)
@click.option("--rows", metavar="LIST", help="Explain these rows of FILE, such as 1,4-6.")
@click.option("--target", metavar="COLUMN", help="Target column, if it has another name in FILE.")
@click.option("--most", default=12, show_default=True, help="Number of columns to print.")
@click.option(
    "--trust", multiple=True, metavar="TYPE", help="Allow this type in the model file. Repeatable."
)
@json_option
@reading
@common
def command(model: Path, file: Path | None, **options: Any) -> None:
    """Show which columns matter to MODEL.

    Without FILE: the permutation importances that `coterie fit` found on held-out rows. With FILE,
    whose rows must be labelled: permutation importances on its first 2,000 rows. With --rows:
    Shapley values of single predictions, with other rows of FILE as background; no target is
    needed. Shapley values are exact for native trees and for weighted means of tree models
    (boosters are explained on the scale of their raw score), and estimated by sampling for other
    models. The output says which.
    """
    from coterie.files.models import load_model

    fitted = load_model(model, options["trust"])
    console = Console(options["quiet"])
    file = None if file is None else table_file(file)
    if options["rows"] is not None:
        if file is None:
            raise click.UsageError("--rows needs a FILE.")
        found = _explain_rows(fitted, file, options)
        if options["as_json"]:
            console.data(found)
            return
        for one in found:
            _show_row(one, console, options["most"])
        return
    importances = _stored(fitted) if file is None else _shuffled(fitted, file, options)
    ranked = sorted(importances.items(), key=lambda item: -item[1][0])
    if options["as_json"]:
        console.data({name: {"mean": mean, "std": std} for name, (mean, std) in ranked})
        return
    rows = [[name, f"{mean:.4g}", f"{std:.2g}"] for name, (mean, std) in ranked[: options["most"]]]
    console.say(f"How much worse {_loss_name(fitted)} gets when a column is shuffled\n")
    console.table(["column", "mean", "deviation"], rows)


def _loss_name(fitted: Any) -> str:
    return getattr(fitted.model, "metric_", "rmse" if fitted.classes is None else "log_loss")


def _stored(fitted: Any) -> dict[str, tuple[float, float]]:
    found = getattr(fitted.model, "importances_", None)
    if not found:
        raise CommandError(
            "the model file contains no importances.",
            "Add a file with labelled rows: coterie explain MODEL FILE",
            file=fitted.path,
        )
    return {str(name): (float(mean), float(std)) for name, (mean, std) in found.items()}


def _shuffled(fitted: Any, file: Path, options: dict[str, Any]) -> dict[str, tuple[float, float]]:
    from coterie.automl.metrics import find_metric
    from coterie.files.attributions import shuffled_losses
    from coterie.files.file_predictions import chances_or_numbers, truth_blocks, truth_codes

    blocks, _ = truth_blocks(fitted, file, options["target"], read_options(options))
    first = next(blocks, None)
    if first is None:
        raise CommandError("the file has no rows.", file=file)
    table, cells = first
    known = cells.is_valid()
    table = table.filter(known).slice(0, MOST_ROWS)
    truth = truth_codes(fitted, cells.filter(known).slice(0, MOST_ROWS), file)
    task = "regression" if fitted.classes is None else "classification"
    metric = find_metric(_loss_name(fitted), task)
    return shuffled_losses(lambda rows: metric.loss(truth, chances_or_numbers(fitted, rows)), table)


def parse_rows(text: str) -> list[tuple[int, int]]:
    """First and last rows of ranges, counted from one.

    Parameters
    ----------
    text : str
        Numbers and ranges between commas.

    Examples
    --------
    >>> parse_rows("1,4-6")
    [(1, 1), (4, 6)]
    """
    ranges = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*([1-9]\d*)\s*(?:-\s*([1-9]\d*)\s*)?", part)
        if ends is None:
            raise click.BadParameter(
                f"{part!r} is not a row; write row numbers (from 1) and ranges, such as 1,4-6.",
                param_hint="--rows",
            )
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if last < first:
            raise click.BadParameter(f"{part!r} ends before it begins.", param_hint="--rows")
        ranges.append((first, last))
    return ranges


def _explain_rows(fitted: Any, file: Path, options: dict[str, Any]) -> list[dict[str, Any]]:
    import pyarrow as pa

    from coterie.files.table import open_blocks

    wanted = parse_rows(options["rows"])
    columns, read = fitted.columns(file, read_options(options))
    background, seen = None, 0
    kept: list[list[Any]] = [[] for _ in wanted]
    for table in open_blocks(file, columns, read)[0]:
        background = table.slice(0, MOST_ROWS) if background is None else background
        for (first, last), parts in zip(wanted, kept, strict=True):
            start, stop = max(first - 1 - seen, 0), min(last - seen, len(table))
            if start < stop:
                # A slice holds on to its whole block; a copy does not.
                parts.append(table.take(pa.array(range(start, stop))))
        seen += len(table)
    highest = max(last for _, last in wanted)
    if highest > seen:
        raise CommandError(
            f"there is no row {highest:,}: the file has {seen:,} rows.",
            "Rows are counted from 1, without the header.",
            file=file,
        )
    found = []
    for (first, _), parts in zip(wanted, kept, strict=True):
        rows = pa.concat_tables(parts, promote_options="permissive")
        for k in range(len(rows)):
            found.append(_explain_row(fitted, first + k, rows.slice(k, 1), background))
    return found


def _explain_row(fitted: Any, number: int, row: Any, background: Any) -> dict[str, Any]:
    from coterie.files.exact import exact_shapley
    from coterie.files.file_predictions import chances_or_numbers

    answer = chances_or_numbers(fitted, row)[0]
    best = None if fitted.classes is None else int(answer.argmax())

    parts = exact_shapley(fitted, row, background, best)
    if parts is None:
        parts = _estimated(fitted, row, background, best)
    cells = {name: row.column(name)[0].as_py() for name in row.column_names}
    return {
        "row": number,
        "answer": float(answer) if best is None else fitted.classes[best],
        "probability": None if best is None else float(answer[best]),
        "base": parts.base,
        "method": parts.method,
        "scale": parts.scale,
        "columns": [
            {"name": name, "value": cells[name], "adds": float(value)}
            for name, value in zip(row.column_names, parts.values, strict=True)
        ],
    }


def _estimated(fitted: Any, row: Any, background: Any, best: int | None) -> Any:
    from coterie.files.attributions import sampled_shapley
    from coterie.files.exact import Parts
    from coterie.files.file_predictions import chances_or_numbers

    def ask(table: Any) -> Any:
        said = chances_or_numbers(fitted, table)
        return said if best is None else said[:, best]

    return Parts(*sampled_shapley(ask, row, background), "sampled")


def _show_row(one: dict[str, Any], console: Console, most: int) -> None:
    """Print the columns that add most to an answer."""
    sure = "" if one["probability"] is None else f", probability {one['probability']:.3g}"
    answer = f"{one['answer']:.6g}" if one["probability"] is None else one["answer"]
    score, what = "", ""
    if one["scale"] == "score":
        total = one["base"] + sum(column["adds"] for column in one["columns"])
        score, what = f", score {total:.4g}", "score "
    how = "exact" if one["method"] == "exact" else "estimated"
    print(
        f"\nrow {one['row']}: {answer}{sure}{score}; {what}{one['base']:.4g} on average "
        f"({how} Shapley values)"
    )
    ranked = sorted(one["columns"], key=lambda column: -abs(column["adds"]))
    rows = [
        [c["name"], "" if c["value"] is None else str(c["value"]), f"{c['adds']:+.4g}"]
        for c in ranked[:most]
    ]
    console.table(["column", "value", "adds"], rows)
