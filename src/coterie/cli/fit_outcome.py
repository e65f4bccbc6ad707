"""What came of a fit, as `coterie fit` prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coterie.cli.console import Console, duration_text
from coterie.files.errors import shown_path

__all__ = ["ODD", "UNREAD", "explain", "measure_on", "show"]

#: Findings that are told when the file is read.
ODD, UNREAD = "odd cells", "not read"
MOST_EXPLAINED, MOST_SHOWN = 20, 12  # columns, lines of the leaderboard
ENDS = {
    "finished": "all candidates were tried; more time would not help",
    "time": "time was short: some candidates were skipped or made smaller",
    "interrupted": "the search was interrupted; this is the best model so far",
}


def show(model: Any, console: Console) -> None:
    """What came of it: the task, the leaderboard, what to beware of."""
    if console.quiet:
        return
    classes = getattr(model, "classes_", None)
    what = f"{len(classes)} classes" if classes is not None else "numbers"
    console.say(f'\n{model.task_}: {what} of "{model.target_name_}", by {model.metric_}')
    console.say(ENDS[model.stopped_])
    shown = [e for k, e in enumerate(model.leaderboard_) if k < MOST_SHOWN or e.chosen]
    rows = [
        [
            ("* " if entry.chosen else "  ") + entry.name,
            f"{entry.score:.5g}",
            f"{entry.low:.4g} – {entry.high:.4g}",
            f"{entry.weight:.2f}" if entry.weight else "",
            duration_text(entry.fit_seconds),
            entry.note,
        ]
        for entry in shown
    ]
    if hasattr(model, "baseline_"):
        rows.append(["  baseline", f"{model.baseline_:.5g}", "", "", "", "without any columns"])
    first = next((k for k, entry in enumerate(shown) if entry.chosen), -1)
    header = ["", model.metric_, "95 % interval", "weight", "fitted in", ""]
    console.say()
    if console.narrow:  # notes are in the report
        header, rows = header[:-1], [row[:-1] for row in rows]
    console.table(header, rows, first)
    if len(shown) < len(model.leaderboard_):
        console.say(f"  and {len(model.leaderboard_) - len(shown)} more, see the report")
    for finding in model.findings_:
        if finding.level != "info" and finding.kind not in (
            ODD,
            UNREAD,
        ):  # told when the file was read
            console.note(f"{finding.message} {finding.advice}")


def explain(model: Any, console: Console) -> None:
    """How much worse the model gets when a column is shuffled, the largest first."""
    ranked = sorted(model.importances_.items(), key=lambda item: -item[1][0])[:MOST_EXPLAINED]
    if not ranked:
        console.note("There was no time to measure the importance of the columns.")
        return
    rows = [[name, f"{mean:.4g}", f"± {spread:.2g}"] for name, (mean, spread) in ranked]
    console.say(f"\nhow much worse {model.metric_} gets when a column is shuffled")
    console.table(["column", "by", ""], rows)


def measure_on(model: Path, file: Path, read: Any, console: Console) -> None:
    """The scores of the model on a file of its own."""
    from coterie.cli.evaluate import measure, score_rows
    from coterie.files.file_predictions import gather_answers
    from coterie.files.models import load_model

    answers = gather_answers(load_model(model), file, None, read)
    console.notes(answers.notes)
    console.say(f"\non {len(answers.truth):,} rows of {shown_path(file)}")
    console.table(["metric", "score", "from", "to", "better is"], score_rows(measure(answers)))
