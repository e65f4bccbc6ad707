"""`fit_table` by the time it is given, beside the default booster, which takes what it needs.

``python -m benchmarks.automl_budgets`` fits tables of the choosing half (``--half confirm``: of
the other) with 5, 10, 20 and 40 seconds each and writes `results/automl_budgets.json` after each
fit and `results/automl_budgets.md` at the end. What is there already is not measured again;
``--contender NAME`` keeps the figures of an earlier search beside those of this one.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.automl import score
from benchmarks.default_boosters import Listed, _codes, listed, measure, split
from benchmarks.tables import PROJECT, read_file

Record = dict[str, Any]
RESULTS = PROJECT / "benchmarks" / "results" / "automl_budgets.json"
BUDGETS = (5.0, 10.0, 20.0, 40.0)
TABLES = {
    "choose": ("vowel", "mlc_churn", "hpc_data", "letter", "nox", "sacramento"),
    "confirm": ("contraceptive", "hmda", "airfare", "wage"),
}
BOOSTER, SEARCH = "BoostedTrees", "fit_table"


def fit(table: Listed, name: str, seconds: float) -> Record:
    """Fit the search within so many seconds, and score it on the held-out rows."""
    from coterie import fit_table

    frame, y = read_file(table.real)
    train, test = split(table, y, 0)
    record = {"table": table.name, "half": table.half, "contender": name, "budget": seconds}
    began = time.monotonic()
    rows = frame.iloc[train].assign(target=y[train])
    model = fit_table(rows, "target", time_limit=seconds, task=table.real.task)
    record["seconds"] = round(time.monotonic() - began, 1)
    record["made_of"] = [[m.name, round(m.weight, 2)] for m in model.members_]
    record["stopped"] = model.stopped_
    labels = table.real.task == "classification"
    held_out = frame.iloc[test]
    output = model.predict_proba(held_out) if labels else model.predict(held_out)
    record["loss"] = score(_codes(y[train], y[test], labels), np.asarray(output, np.float64))
    return record


def markdown(records: Sequence[Record]) -> str:
    """The losses, one row for each table and contender."""
    losses = {(r["table"], r["contender"], r.get("budget")): r for r in records}
    budgets = sorted({r["budget"] for r in records if r.get("budget")})
    names = [n for n in dict.fromkeys(r["contender"] for r in records) if n != BOOSTER]
    lines = [
        "# `fit_table` by the seconds it is given",
        "",
        "Log-loss, or root of the mean squared error, of held-out rows, by the limit in seconds of "
        f"wall-clock time; `{BOOSTER}` takes as long as it needs, in CPU seconds. Made by "
        "`python -m benchmarks.automl_budgets` on one core of a machine that was busy with other "
        "work, one contender after the other: limits of time bind earlier there than on idle ones.",
        "",
        "| table | half | contender | "
        + " | ".join(f"{b:g} s" for b in budgets)
        + f" | {BOOSTER} |",
        "|---|---|---|" + "---:|" * (len(budgets) + 1),
    ]
    for table in dict.fromkeys(r["table"] for r in records):
        plain = losses.get((table, BOOSTER, None))
        for name in names:
            row = [losses.get((table, name, b)) for b in budgets]
            if any(row):
                cells = ["–" if r is None else f"{r['loss']:.4f}" for r in row]
                cells.append(
                    "–" if plain is None else f"{plain['loss']:.4f} ({plain['cpu']:.0f} s)"
                )
                half = next(r["half"] for r in row if r)
                lines.append(f"| {table} | {half} | {name} | " + " | ".join(cells) + " |")
    lines += ["", *_summary(losses, names, budgets)]
    return "\n".join(lines) + "\n"


def _summary(losses: Record, names: Sequence[str], budgets: Sequence[float]) -> list[str]:
    """The mean of the logarithms of the losses beside the default booster's."""
    found = []
    for name in names:
        parts = []
        for b in budgets:
            ratios = [
                np.log(r["loss"] / losses[table, BOOSTER, None]["loss"])
                for (table, who, budget), r in losses.items()
                if who == name and budget == b and (table, BOOSTER, None) in losses
            ]
            if ratios:
                worse = sum(ratio > 0 for ratio in ratios)
                parts.append(
                    f"{b:g} s {100 * np.mean(ratios):+.1f}% (worse on {worse} of {len(ratios)})"
                )
        found.append(f"- {name}, mean difference to `{BOOSTER}`: " + "; ".join(parts) + ".")
    return found


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=list(TABLES), default="choose")
    parser.add_argument("--contender", default=SEARCH)
    parser.add_argument("--budget", type=float, action="append")
    parser.add_argument("--table", action="append")
    parser.add_argument("--report", action="store_true", help="write the report alone")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    records = json.loads(RESULTS.read_text()) if RESULTS.is_file() else []
    known = {(r["table"], r["contender"], r.get("budget")) for r in records}
    tables = [t for t in listed() if t.name in (given.table or TABLES[given.half])]
    for table in () if given.report else tables:
        jobs: list[float | None] = [None, *(given.budget or BUDGETS)]
        for budget in jobs:
            name = BOOSTER if budget is None else given.contender
            if (table.name, name, budget) in known:
                continue
            if budget is None:
                record = measure(BOOSTER, table, read_file(table.real), 0)
            else:
                record = fit(table, name, budget)
            records.append(record)
            print(record, flush=True)
            RESULTS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    RESULTS.with_suffix(".md").write_text(markdown(records), encoding="utf-8")


if __name__ == "__main__":
    main()
