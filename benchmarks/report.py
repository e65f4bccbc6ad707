"""The report: aligned Markdown tables, and the same as JSON."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, get_args

from benchmarks.contenders import BASE, CONTENDERS, OURS, UNEQUAL, Family, Model
from benchmarks.measure import CLIP, PASSES
from benchmarks.summary import (
    MEMORY_TIE,
    SCORE_TIE,
    TIE,
    Record,
    Row,
    losses,
    summarise,
    targets,
)

Cell = str | float | int | None


def machine(cores: int, load: float | None) -> dict[str, Any]:
    """What the figures depend on; nothing that names the machine."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = [s.split(":", 1)[1].strip() for s in lines if s.startswith("model name")]
    return {
        "cpu": named[0] if named else model,
        "cores": cores,
        "system": f"{platform.system()} {platform.machine()}",
        "load_at_start": load,
    }


def number(value: float | int | None, digits: int = 3) -> str:
    """A figure in few significant digits, never in powers of ten; a dash for None.

    >>> number(1234.5), number(0.01234), number(7.0), number(None), number(12)
    ('1234', '0.0123', '7.00', '–', '12')
    """
    if value is None:
        return "–"
    if isinstance(value, int):
        return str(value)
    if value == 0:
        return "0"
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    places = digits - whole
    if whole == 0:  # leading zeros after the point do not count
        places += len(f"{abs(value):.20f}"[2:]) - len(f"{abs(value):.20f}"[2:].lstrip("0"))
    return f"{value:.{max(0, min(places, 6))}f}"


def times(ratio: float | None) -> str:
    """A ratio as "x times cheaper than scikit-learn".

    >>> times(12.34), times(0.5), times(None)
    ('12.3x', '0.50x', '–')
    """
    if ratio is None:
        return "–"
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.1f}x"


def grid(header: Sequence[str], rows: Iterable[Sequence[Cell]], left: int = 1) -> str:
    """A Markdown table with padded columns; the first ``left`` are text, the rest figures.

    >>> print(grid(["who", "s"], [["a", 1.5], ["bcd", None]]))
    | who |    s |
    |:----|-----:|
    | a   | 1.50 |
    | bcd |    – |
    """
    body = [[c if isinstance(c, str) else number(c) for c in row] for row in rows]
    width = [max(len(r[j]) for r in [list(header), *body]) for j in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            c.ljust(w) if j < left else c.rjust(w)
            for j, (c, w) in enumerate(zip(cells, width, strict=True))
        ]
        return "| " + " | ".join(padded) + " |"

    rule = [(":" + "-" * (w + 1) if j < left else "-" * (w + 1) + ":") for j, w in enumerate(width)]
    return "\n".join([line(header), "|" + "|".join(rule) + "|", *map(line, body)])


def _score(row: Row, key: str = "score") -> str:
    """Scores of fewer trees than the case's would mislead."""
    if key not in row or row["trees"] != row["case_trees"]:
        return "–"
    return f"{row[key]:.4f}"


def _head(row: Row) -> list[Cell]:
    threads = f"{row['threads']}{'*' if row['serial'] else ''}"
    return [row["case"], row["contender"], threads, row["trees"]]


HEAD = ["case", "contender", "threads", "trees"]


def fitting(rows: Sequence[Row]) -> str:
    """Table of fit times, memory and scores."""
    header = [*HEAD, "runs", "wall s", "CPU s", "CPU s/tree", "wall", "CPU", "peak MB", "memory"]
    header += ["before MB", "model MB", "accuracy, R2", "log loss"]
    body = []
    for r in rows:
        x = r["ratios"]
        body.append(
            [
                *_head(r),
                r["runs"],
                *(r.get(k) for k in ("fit_wall", "fit_cpu")),
                r["fit_cpu"] / r["trees"] if "fit_cpu" in r else None,
                *(times(x.get(k)) for k in ("fit_wall", "fit_cpu")),
                r.get("fit_peak"),
                times(x.get("fit_peak")),
                r.get("base_mb"),
                r.get("model_mb"),
                _score(r),
                _score(r, "log_loss"),
            ]
        )
    return grid(header, body, left=2)


def batch(rows: Sequence[Row]) -> str:
    """Table of predicting all held-out rows at once."""
    header = [*HEAD, "wall ms", "CPU ms", "wall", "CPU", "peak MB"]
    body: list[list[Cell]] = []
    for r in rows:
        if "batch_wall" not in r or r["trees"] != r["case_trees"]:
            continue
        seconds = (r["batch_wall"] * 1e3, r["batch_cpu"] * 1e3)
        ratio = (times(r["ratios"].get(k)) for k in ("batch_wall", "batch_cpu"))
        body.append([*_head(r), *seconds, *ratio, r.get("batch_peak")])
    return grid(header, body, left=2)


def single(rows: Sequence[Row]) -> str:
    """Table of predicting one row at a time."""
    header = [*HEAD, "median µs", "p99 µs", "CPU µs", "median", "p99"]
    body = [
        [
            *_head(r),
            *(r[k] for k in ("row_median", "row_p99", "row_cpu")),
            *(times(r["ratios"].get(k)) for k in ("row_median", "row_p99")),
        ]
        for r in rows
        if "row_median" in r and r["trees"] == r["case_trees"]
    ]
    return grid(header, body, left=2)


RULE = f"""\
Every figure that is worse than another contender's, beyond what is taken for noise: a ratio under
{TIE:g}; peak memory also by {MEMORY_TIE:g} MB or more (small tables differ by less, see above); a
score by more than {SCORE_TIE:g}.

"""


def _losses(rows: Sequence[Row]) -> str:
    if not any(r["contender"] == OURS for r in rows):
        return f"{OURS} was not measured."
    found = losses(rows)
    if not found:
        return f"Nowhere: no figure of {OURS} is worse than another contender's."
    header = ["case", "in", "than", "threads", "by"]
    body = []
    for r in found:
        by = f"{r['times']:.4f}" if r["what"] == "score lower" else f"{r['times']:.2f} times"
        body.append([r["case"], r["what"], r["contender"], r["threads"], by])
    return RULE + grid(header, body, left=3)


def _targets(rows: Sequence[Row]) -> str:
    words = {None: "not measured", True: "met", False: "missed"}
    body: list[list[Cell]] = []
    for t in targets(rows):
        figures = [t["trees"], f"{t['least']:g}x", times(t["ratio"])]
        body.append([t["target"], t["table"], words[t["met"]], *figures])
    return grid(["target", "table", "", "trees", "asked", "measured"], body, left=3)


def settings() -> list[dict[str, Any]]:
    """Exactly what each contender is given, for a table of 100,000 x 28."""
    found = []
    for family in get_args(Family):
        if family == "gradient":  # has a report of its own
            continue
        model = Model(family, "classification", 100, 100_000, 28, 2)
        for contender in CONTENDERS.values():
            if family in contender.families:
                name, given = contender.spelling(model, 1, 0)
                found.append(
                    {"model": family, "contender": contender.name, "class": name, "settings": given}
                )
    return found


def _settings() -> str:
    body: list[list[Cell]] = []
    for s in settings():
        given = ", ".join(f"{k}={v!r}" for k, v in s["settings"].items())
        body.append([s["model"], s["contender"], f"`{s['class']}({given})`"])
    return grid(["model", "contender", "settings (two classes, 100k x 28, one thread)"], body, 3)


METHOD = f"""\
Every measurement is a fresh process; contenders take turns, and figures are medians over the runs.
Slow measurements are run fewer times, down to once: see the column runs.
Columns headed wall, CPU, memory, median, p99 without a unit say how many times cheaper than
{BASE} (its cost / theirs; above 1 is better). Fit ratios compare the time per tree, so that a
contender measured with fewer trees (its scores are left out) can stand beside the others. CPU
seconds count all threads, user and system: on a shared machine they are steadier than wall.
Peak MB is memory above what the process held before `fit` (interpreter, library and table: the
column before MB); it is measured at the number of trees shown, never extrapolated. Model MB is the
pickle. Batch prediction: all held-out rows, median of {PASSES} passes. One row at a time: one
thread, after a warm-up of five rows. Log loss clips probabilities at {CLIP:g}.
A star at threads: the contender cannot use threads here, its one-thread figure is repeated."""


def heading(facts: dict[str, Any]) -> str:
    """What was measured, when and on what."""
    where = facts["machine"]
    versions = ", ".join(f"{name} {v}" for name, v in facts["versions"].items())
    return (
        f"# Benchmarks: {facts['suite']} suite\n\n"
        f"{facts['date']}. {where['cpu']}, {where['cores']} cores, {where['system']}, "
        f"load at start {number(where['load_at_start'])}. {versions}."
        + (f"\n\n{facts['note']}" if facts.get("note") else "")
    )


def markdown(records: Sequence[Record], facts: dict[str, Any], *, appendix: bool = True) -> str:
    """The report; the appendix lists the settings."""
    rows = summarise(records)
    failed = [f"- {r['case']}, {r['contender']}: {r['error']}" for r in rows if "error" in r]
    good = [r for r in rows if "error" not in r]
    parts = [
        heading(facts),
        METHOD,
        "## Fitting\n\n" + fitting(good),
        "## Prediction, all held-out rows\n\n" + batch(good),
        "## Prediction, one row at a time\n\n" + single(good),
        f"## Where {OURS} is worse\n\n" + _losses(good),
        "## Targets (against scikit-learn, CPU time on one core)\n\n" + _targets(good),
    ]
    if appendix:
        parts += ["## Settings\n\n" + _settings()]
        parts += ["Not equal:\n\n" + "\n".join(f"- {u}" for u in UNEQUAL)]
    if failed:
        parts.insert(2, "## Failed\n\n" + "\n".join(failed))
    return "\n\n".join(parts) + "\n"


def document(records: Sequence[Record], facts: dict[str, Any]) -> dict[str, Any]:
    """The same as plain data: facts, every record, and what was computed from them."""
    rows = summarise(records)
    return {
        **facts,
        "settings": settings(),
        "not_equal": list(UNEQUAL),
        "records": list(records),
        "summary": rows,
        "worse": losses(rows),
        "targets": targets(rows),
    }


def write(records: Sequence[Record], facts: dict[str, Any], folder: Path) -> None:
    """Write ``<suite>.json`` and ``<suite>.md`` to ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / str(facts["suite"])
    text = json.dumps(document(records, facts), indent=1, allow_nan=False)
    stem.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
    stem.with_suffix(".md").write_text(markdown(records, facts), encoding="utf-8")


def today() -> str:
    """Date of the report."""
    return date.today().isoformat()
