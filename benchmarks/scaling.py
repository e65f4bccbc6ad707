"""How the time of a fit grows with rows, columns and threads: measured, and drawn as SVG."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cases import Case, Size, short
from benchmarks.contenders import OURS
from benchmarks.runner import Plan, Record, Workshop, cores, measure_case

ROUNDS = 20
COLOURS = ("#1b6ca8", "#d1495b", "#edae49", "#66a182", "#8d6a9f", "#777777")


@dataclass(frozen=True)
class Point:
    """One place on one of the axes."""

    axis: str
    at: int
    case: Case
    threads: int = 1


def points(size: Size) -> list[Point]:
    """What is measured: rows at 28 columns, columns at few rows, threads at many rows."""
    rows = (2_000, 5_000) if size == "quick" else (10_000, 30_000, 100_000, 300_000, 1_000_000)
    columns = (28, 56) if size == "quick" else (28, 56, 112, 224, 448)
    few, many = (2_000, 5_000) if size == "quick" else (30_000, 300_000)

    def case(n: int, table: str = "higgs") -> Case:
        return Case("gradient", table, n, ROUNDS)

    found = [Point("rows", n, case(n)) for n in rows]
    found += [Point("columns", c, case(few, f"higgs-{c}")) for c in columns]
    found += [Point("threads", t, case(many), t) for t in range(1, min(cores(), 8) + 1)]
    return found


def measure(size: Size, plan: Plan, say: Callable[[str], None]) -> Iterator[Record]:
    """Records with their place on an axis."""
    with Workshop() as workshop:
        for point in points(size):
            folder = workshop.table(point.case)
            for record in measure_case(point.case, point.threads, plan, folder):
                spent = record.get("error") or f"{record['fit_wall']:.2f} s"
                say(f"{point.axis} {short(point.at)} {record['contender']}: {spent}")
                yield {"axis": point.axis, "at": point.at, **record}


def series(records: Sequence[Record], axis: str, key: str) -> dict[str, list[tuple[int, float]]]:
    """Points of each contender along an axis, the median of repeats not being needed.

    >>> series([{"axis": "rows", "at": 10, "contender": "a", "fit_cpu": 2.0}], "rows", "fit_cpu")
    {'a': [(10, 2.0)]}
    """
    found: dict[str, list[tuple[int, float]]] = {}
    for r in records:
        if r["axis"] == axis and key in r:
            found.setdefault(r["contender"], []).append((r["at"], r[key]))
    return {name: sorted(line) for name, line in found.items()}


def draw(records: Sequence[Record], path: Path, note: str) -> None:
    """Three panels: CPU seconds by rows and by columns, wall seconds by threads."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "coterie"  # the same records draw the same file
    figure = Figure(figsize=(11, 3.8), layout="constrained")
    panels = (("rows", "fit_cpu", "CPU s"), ("columns", "fit_cpu", "CPU s"))
    for n, (axis, key, label) in enumerate((*panels, ("threads", "fit_wall", "wall s")), start=1):
        axes = figure.add_subplot(1, 3, n)
        lines = series(records, axis, key)
        for (name, line), colour in zip(lines.items(), COLOURS, strict=False):
            wide = 2.5 if name == OURS else 1.2
            axes.plot(*zip(*line, strict=True), marker="o", ms=3, lw=wide, c=colour, label=name)
        axes.set(xlabel=axis, ylabel=f"fit, {label}")
        if axis == "threads":
            axes.set_ylim(bottom=0)
        else:
            axes.set(xscale="log", yscale="log")
        measured = sorted({at for line in lines.values() for at, _ in line})
        axes.set_xticks(measured, [short(at) for at in measured])
        axes.set_xticks([], minor=True)
        axes.grid(alpha=0.3)
        if n == 1 and lines:
            axes.legend(fontsize="small")
    figure.suptitle(note, fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def run(size: Size, plan: Plan, facts: dict[str, Any], folder: Path, say: Any) -> None:
    """Measure, and write ``<suite>-scaling.json`` and ``.svg`` after every measurement."""
    records: list[Record] = []
    stem = folder / f"{facts['suite']}-scaling"
    load = facts["machine"]["load_at_start"]
    note = f"{ROUNDS} rounds of 31 leaves, equal settings; {facts['machine']['cores']} cores"
    note += "" if load is None else f", load at start {load:.1f}"
    for record in measure(size, plan, say):
        records.append(record)
        draw(records, stem.with_suffix(".svg"), note)
        text = json.dumps({**facts, "records": records}, indent=1, allow_nan=False)
        stem.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
