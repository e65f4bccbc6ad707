"""`fit_table` by the time it is given, beside AutoGluon and the default booster.

``python -m benchmarks.automl_budgets --autogluon PYTHON`` gives both so many seconds of one core
for tables of the choosing half (``--half confirm``: of the other). What is compared runs at the
same time, each in a process and on a core of its own, so that other work on the machine slows both
alike. PYTHON is an interpreter that has ``autogluon.tabular`` installed; without it, `fit_table`
runs alone. `BoostedTrees*` takes as long as it needs. `results/automl_budgets.json` is written
after each measurement, `results/automl_budgets.md` and `results/automl_budgets.svg` at the end;
what is there already is not measured again, so a run may be stopped, and ``--report`` writes the
latter two alone. ``--name busy`` writes to files of their own, `results/automl_budgets_busy.*`, as
for a machine that has other work to do, or for another preset of AutoGluon.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.automl import score
from benchmarks.default_boosters import Listed, _codes, listed, measure, split
from benchmarks.tables import PROJECT, read_file

Record = dict[str, Any]
RESULTS = PROJECT / "benchmarks" / "results" / "automl_budgets.json"
BUDGETS = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
TABLES = {
    "choose": ("vowel", "mlc_churn", "hpc_data", "letter", "nox", "sacramento"),
    "confirm": ("contraceptive", "hmda", "airfare", "wage", "stackoverflow", "chile"),
}
BOOSTER, SEARCH = "BoostedTrees", "fit_table"
_FEWEST, _DRAWN = 3, 10_000  # tables that are worth an interval; samples of them
PRESETS = {"AutoGluon": "medium_quality", "AutoGluon, best": "best_quality"}


def search(rows: Any, held_out: Any, task: str, seconds: float) -> tuple[Any, Record]:
    """Probabilities or values of the held-out rows by `fit_table`, and what the model is."""
    from coterie import fit_table

    began = time.monotonic()
    model = fit_table(rows, "target", time_limit=seconds, task=task, n_jobs=1, verbose=0)
    record: Record = {"seconds": round(time.monotonic() - began, 1)}
    record["made_of"] = [[m.name, round(m.weight, 2)] for m in model.members_]
    record["stopped"] = model.stopped_
    labels = task == "classification"
    return model.predict_proba(held_out) if labels else model.predict(held_out), record


def autogluon(preset: str) -> Callable[..., tuple[Any, Record]]:
    """The same by AutoGluon with one of its presets."""

    def run(rows: Any, held_out: Any, task: str, seconds: float) -> tuple[Any, Record]:
        from autogluon.tabular import TabularPredictor

        labels = task == "classification"
        classes = rows["target"].nunique()
        kind = "regression" if not labels else "binary" if classes == 2 else "multiclass"
        metric = "log_loss" if labels else "root_mean_squared_error"
        with tempfile.TemporaryDirectory() as folder:
            predictor = TabularPredictor("target", kind, metric, path=folder, verbosity=0)
            began = time.monotonic()
            predictor.fit(rows, time_limit=seconds, presets=preset, num_cpus=1, num_gpus=0)
            record: Record = {"seconds": round(time.monotonic() - began, 1)}
            record["made_of"] = [[predictor.model_best, 1.0]]
            said = predictor.predict_proba(held_out) if labels else predictor.predict(held_out)
        return said.to_numpy(), record

    return run


CONTENDERS = {SEARCH: search} | {name: autogluon(preset) for name, preset in PRESETS.items()}


def fit(table: Listed, name: str, seconds: float) -> Record:
    """Fit one contender within so many seconds, and score it on the held-out rows."""
    frame, y = read_file(table.real)
    train, test = split(table, y, 0)
    rows, task = frame.iloc[train].assign(target=y[train]), table.real.task
    said, record = CONTENDERS[name](rows, frame.iloc[test], task, seconds)
    codes = _codes(y[train], y[test], task == "classification")
    loss = score(codes, np.asarray(said, np.float64))
    return _key(table, name, seconds) | record | {"loss": loss}


def _key(table: Listed, name: str, seconds: float | None) -> Record:
    return {"table": table.name, "half": table.half, "contender": name, "budget": seconds}


def side_by_side(table: Listed, names: Sequence[str], seconds: float, python: str) -> list[Record]:
    """Measure contenders at the same time, each in a process and on a core of its own."""
    started = []
    for core, name in enumerate(names):
        interpreter = python if name in PRESETS else sys.executable
        what = ["--one", json.dumps([table.name, name, seconds, core])]
        command = [interpreter, "-m", "benchmarks.automl_budgets", *what]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, cwd=PROJECT))
    found = []
    for name, process in zip(names, started, strict=True):
        said = process.communicate()[0].decode().strip().splitlines()
        if process.returncode or not said:
            found.append(_key(table, name, seconds) | {"error": f"exit {process.returncode}"})
        else:
            found.append(json.loads(said[-1]))
    return found


def one(what: str) -> None:
    """Print one measurement, made on one core."""
    name, contender, seconds, core = json.loads(what)
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[core % len(cores)]})
    table = next(t for t in listed() if t.name == name)
    load = {"load": round(os.getloadavg()[0], 1)} if hasattr(os, "getloadavg") else {}
    print(json.dumps(fit(table, contender, seconds) | load))


def _mean(values: Sequence[float]) -> str:
    return f"{100 * np.mean(values):+.1f} %"


def markdown(records: Sequence[Record], note: str = "") -> str:
    """The losses, one row for each table and contender, and their means."""
    losses = {(r["table"], r["contender"], r.get("budget")): r for r in records if "loss" in r}
    budgets = sorted({r["budget"] for r in records if r.get("budget")})
    names = [n for n in dict.fromkeys(r["contender"] for r in records) if n != BOOSTER]
    lines = [
        "# `fit_table` by the seconds it is given",
        "",
        "Log-loss, or root mean squared error, of held-out rows of one split, by the limit in "
        "seconds of wall-clock time on one core; `fit_table` and AutoGluon ran at the same time, "
        f"each on a core of its own. `{BOOSTER}` takes as long as it needs (CPU seconds in "
        "brackets). Made by `python -m benchmarks.automl_budgets`.",
        *(["", note] if note else []),
        "",
        "| table | half | contender | "
        + " | ".join(f"{b:g} s" for b in budgets)
        + f" | {BOOSTER} |",
        "|---|---|---|" + "---:|" * (len(budgets) + 1),
    ]
    for table in dict.fromkeys(r["table"] for r in records):
        plain = losses.get((table, BOOSTER, None))
        last = "–" if plain is None else f"{plain['loss']:.4g} ({plain['cpu']:.0f} s)"
        for name in names:
            row = [losses.get((table, name, b)) for b in budgets]
            if any(row):
                cells = ["–" if r is None else f"{r['loss']:.4g}" for r in row]
                half = next(r["half"] for r in row if r)
                lines.append(f"| {table} | {half} | {name} | " + " | ".join([*cells, last]) + " |")
    return "\n".join([*lines, "", *_summary(losses, names, budgets), *_duels(losses, budgets)])


def _summary(losses: Record, names: Sequence[str], budgets: Sequence[float]) -> list[str]:
    """The mean of the logarithms of the losses beside the default booster's."""
    found = []
    for name in names:
        parts = []
        for b in budgets:
            ratios = _ratios(losses, name, b, BOOSTER, None)
            if ratios:
                worse = sum(ratio > 0 for ratio in ratios)
                parts.append(f"{b:g} s {_mean(ratios)} (worse on {worse} of {len(ratios)})")
        found.append(f"- {name}, mean difference to `{BOOSTER}`: " + "; ".join(parts) + ".")
    return found


def _duels(losses: Record, budgets: Sequence[float]) -> list[str]:
    """How `fit_table` stands against each preset at equal time, by half and for both together."""
    rows = []
    for name, half, b in itertools.product(PRESETS, ("choose", "confirm", "both"), budgets):
        part = {key: r for key, r in losses.items() if half in (r["half"], "both")}
        ratios = _ratios(part, SEARCH, b, name, b)
        if ratios:
            won, level = sum(r < 0 for r in ratios), sum(r == 0 for r in ratios)
            rank = 2 - (won + level / 2) / len(ratios)
            cells = [name, half, f"{b:g} s", f"{won} of {len(ratios)}", f"{rank:.2f}"]
            rows.append("| " + " | ".join([*cells, _with_interval(ratios)]) + " |")
    head = [
        "How `fit_table` stands against AutoGluon at equal limits. Its mean rank is 1 if it has "
        "the lower loss on every table, 2 if on none; the difference is that of the geometric "
        "means of the losses, with a 95 % bootstrap interval over tables.",
        "",
        "| against | half | limit | lower loss | mean rank | difference of losses |",
        "|---|---|---:|---:|---:|---:|",
    ]
    return ["", *head, *rows, ""] if rows else [""]


def _with_interval(ratios: Sequence[float]) -> str:
    """The mean of logarithms as a difference in per cent, with an interval if there are a few.

    >>> _with_interval([-0.1, -0.1, -0.1])
    '-9.5 % (-9.5 to -9.5)'
    """
    known = np.asarray(ratios)
    told = f"{100 * np.expm1(known.mean()):+.1f} %"
    if len(known) < _FEWEST:
        return told
    drawn = np.random.default_rng(0).choice(known, (_DRAWN, len(known))).mean(axis=1)
    low, high = 100 * np.expm1(np.quantile(drawn, (0.025, 0.975)))
    return f"{told} ({low:+.1f} to {high:+.1f})"


def curves(records: Sequence[Record]) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Losses beside the default booster's by budget, in per cent, by contender and table.

    >>> told = {
    ...     "table": "t",
    ...     "half": "choose",
    ...     "contender": "fit_table",
    ...     "budget": 5.0,
    ...     "loss": 1.1,
    ... }
    >>> known = {**told, "contender": "BoostedTrees", "budget": None, "loss": 1.0}
    >>> curves([known, told])["fit_table"]["t"][0][0]
    5.0
    """
    plain = {r["table"]: r["loss"] for r in records if r["contender"] == BOOSTER and "loss" in r}
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for r in sorted((r for r in records if r.get("budget") and "loss" in r), key=_budget):
        if r["table"] in plain:
            lines = found.setdefault(r["contender"], {})
            change = 100 * (r["loss"] / plain[r["table"]] - 1)
            lines.setdefault(r["table"], []).append((r["budget"], change))
    return found


def _budget(record: Record) -> float:
    return float(record["budget"])


def draw(records: Sequence[Record], path: Path, note: str) -> None:
    """The curves, one panel for each contender, on a common scale."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "coterie"  # the same records draw the same file
    found = curves(records)
    figure = Figure(figsize=(5 * len(found), 4.2), layout="constrained")
    tables = sorted({table for lines in found.values() for table in lines})
    colours = dict(zip(tables, mpl.colormaps["tab20"].colors, strict=False))
    budgets = sorted({at for lines in found.values() for line in lines.values() for at, _ in line})
    first = None
    for number, (name, lines) in enumerate(found.items(), start=1):
        axes = figure.add_subplot(1, len(found), number, sharey=first)
        first = first or axes
        axes.axhline(0, c="black", lw=1)
        for table, line in lines.items():
            axes.plot(*zip(*line, strict=True), marker="o", ms=4, c=colours[table], label=table)
        axes.set(title=name, xlabel="limit, s", xscale="log", yscale="symlog")
        axes.set_xticks(budgets, [f"{b:g}" for b in budgets])
        axes.set_xticks([], minor=True)
        axes.grid(alpha=0.3)
    if first is not None:
        first.set(ylabel=f"loss beside {BOOSTER}, %")
        handles, labels = first.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right center", fontsize="small")
    figure.suptitle(note, fontsize="small")
    figure.savefig(path, metadata={"Date": None})


def _ratios(
    losses: Record, name: str, budget: float | None, other: str, others: float | None
) -> list[float]:
    return [
        float(np.log(r["loss"] / losses[table, other, others]["loss"]))
        for (table, who, given), r in losses.items()
        if (who, given) == (name, budget) and (table, other, others) in losses
    ]


def read(results: Path) -> list[Record]:
    """What has been measured before."""
    return json.loads(results.read_text(encoding="utf-8")) if results.is_file() else []


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--half", choices=list(TABLES), default="choose")
    add("--autogluon", default="", metavar="PYTHON", help="an interpreter that has AutoGluon")
    add("--preset", choices=list(PRESETS), default="AutoGluon", help="of AutoGluon")
    add("--budget", type=float, action="append", help="seconds")
    add("--table", action="append")
    add("--note", default="", help="a sentence for the report")
    add("--name", default="", help="of other files to write to")
    add("--report", action="store_true", help="write the report alone")
    add("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.one:
        return one(given.one)
    results = RESULTS.with_stem(f"{RESULTS.stem}_{given.name}") if given.name else RESULTS
    records = read(results)
    known = {(r["table"], r["contender"], r.get("budget")) for r in records}
    names = [SEARCH, given.preset] if given.autogluon else [SEARCH]
    tables = [t for t in listed() if t.name in (given.table or TABLES[given.half])]
    for table in () if given.report else tables:
        for budget in (None, *(given.budget or BUDGETS)):
            if budget is None:
                found = []
                if (table.name, BOOSTER, None) not in known:
                    found = [measure(BOOSTER, table, read_file(table.real), 0)]
            else:
                missing = [n for n in names if (table.name, n, budget) not in known]
                found = side_by_side(table, missing, budget, given.autogluon)
            for record in found:
                print(record, flush=True)
            records += found
            results.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    results.with_suffix(".md").write_text(markdown(records, given.note), encoding="utf-8")
    loads = sorted(r["load"] for r in records if "load" in r)
    load = f", load {loads[0]:g} to {loads[-1]:g} on {os.cpu_count()} cores" if loads else ""
    draw(records, results.with_suffix(".svg"), f"Below the line: better than {BOOSTER}{load}")


if __name__ == "__main__":
    main()
