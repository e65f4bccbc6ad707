"""`fit_table` of two versions, by CPU seconds, so that other work on the machine matters little.

``python -m benchmarks.automl_versions --before FOLDER`` fits both versions to the same rows of
tables of the choosing half (``--half confirm``: of the other), one after the other, each in a
process and a thread of its own whose clock is its CPU time. FOLDER holds the sources of the earlier
version, with a compiled engine in ``coterie/native``. What `results/automl_versions.json` has
already is not measured again; ``--report`` writes `results/automl_versions.md` alone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.automl import score
from benchmarks.automl_budgets import read, search
from benchmarks.default_boosters import _codes, _prior, contender, listed, split
from benchmarks.tables import PROJECT, read_file

Record = dict[str, Any]
RESULTS = PROJECT / "benchmarks" / "results" / "automl_versions.json"
BEFORE, AFTER = "before", "after"
SIMPLE = ("BoostedTrees", "RandomForest")
HALVES = ("choose", "confirm")
LEVEL = 0.3  # per cent: what differs less is level
SHIFT = 0.01  # of the loss of a constant, which losses of nearly nothing are counted from
_TICK = 0.02  # seconds


class CpuTimer(threading.Thread):
    """A `threading.Timer` that waits for CPU seconds of the process."""

    def __init__(self, interval: float, function: Callable[..., Any], args: Any = ()) -> None:
        super().__init__(daemon=True)
        self.moment = time.process_time() + interval
        self.function, self.args, self.finished = function, args, threading.Event()

    def cancel(self) -> None:
        """Do nothing when the moment comes."""
        self.finished.set()

    def run(self) -> None:
        """Wait, and look at the clock from time to time."""
        while not self.finished.wait(_TICK):
            if time.process_time() >= self.moment:
                self.function(*self.args)
                return


def count_cpu_seconds() -> None:
    """Let all clocks of this process go by its CPU time."""
    time.monotonic = time.process_time
    threading.Timer = CpuTimer  # type: ignore[assignment, misc]


def one(what: str) -> None:
    """Print one measurement."""
    name, version, folder, budget, seed, rows = json.loads(what)
    if folder:
        sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
        sys.path.insert(0, folder)
    table = next(t for t in listed() if t.name == name)
    frame, y = read_file(table.real)
    train, test = split(table, y, seed)
    if len(train) > rows:
        train = np.random.default_rng(seed).choice(train, rows, replace=False)
    labels = table.real.task == "classification"
    if labels:
        test = test[np.isin(y[test], y[train])]
    record: Record = {"table": name, "half": table.half, "split": seed, "rows": len(train)}
    record |= {"version": version, "budget": budget, "prior": _prior(y[train], y[test], labels)}
    began = time.process_time()
    if version in SIMPLE:
        model, prepare = contender(version, table, frame, seed)
        model.fit(prepare(frame.iloc[train]), y[train])
        record["cpu"] = round(time.process_time() - began, 2)
        held_out = prepare(frame.iloc[test])
        said = model.predict_proba(held_out) if labels else model.predict(held_out)
    else:
        count_cpu_seconds()
        given = frame.iloc[train].assign(target=y[train])
        said, more = search(given, frame.iloc[test], table.real.task, budget)
        record |= more
    codes = _codes(y[train], y[test], labels)
    print(json.dumps(record | {"loss": score(codes, np.asarray(said, np.float64))}))


def measure(what: Sequence[Any]) -> Record:
    """One measurement, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.automl_versions", "--one", json.dumps(what)]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, cwd=PROJECT, env=os.environ | threads)
    said = done.stdout.decode().strip().splitlines()
    if done.returncode or not said:
        keys = ("table", "version", "folder", "budget", "split", "rows")
        return {**dict(zip(keys, what, strict=True)), "error": f"exit {done.returncode}"}
    return json.loads(said[-1])


def _case(record: Record) -> tuple[Any, ...]:
    return record["table"], record["budget"], record["split"]


def markdown(records: Sequence[Record], note: str = "") -> str:
    """Losses of both versions side by side, and the means of their ratios by half and budget.

    >>> told = {"table": "t", "half": "choose", "split": 0, "rows": 9, "budget": 4.0, "prior": 1.0}
    >>> both = [{**told, "version": BEFORE, "loss": 1.0}, {**told, "version": AFTER, "loss": 0.9}]
    >>> print(markdown(both).splitlines()[-1])
    | choose | t | 4 | 0 | 9 | 1 | 0.9 | -10.4 % | – | – |
    """
    losses = {(*_case(r), r["version"]): r for r in records if "loss" in r}
    rows = []
    for (*case, version), r in losses.items():
        earlier = losses.get((*case, BEFORE))
        if version == AFTER and earlier:
            least = SHIFT * r["prior"]
            change = 100 * np.log((r["loss"] + least) / (earlier["loss"] + least))
            rows.append((r["half"], *case, r["rows"], earlier["loss"], r["loss"], change))
    lines = [
        "# `fit_table` before and after a change, by CPU seconds",
        "",
        "Log-loss, or root mean squared error, of held-out rows. Made by "
        "`python -m benchmarks.automl_versions`; both versions had the same rows, one thread each.",
        *(["", note] if note else []),
        "",
        *_means(rows),
        "",
        "Differences are those of logarithms, after a hundredth of a constant's loss was added to "
        "both: a negative one is a gain. Lower and higher: by more than 0.3 %.",
        "",
        "| half | table | CPU seconds | split | rows | before | after | difference | "
        + " | ".join(SIMPLE)
        + " |",
        "|---|---|" + "---:|" * 8,
    ]
    for half, name, budget, seed, n_rows, old, new, change in sorted(rows):
        plain = [losses.get((name, None, seed, kind)) for kind in SIMPLE]
        cells = [f"{r['loss']:.4g}" if r and r["rows"] == n_rows else "–" for r in plain]
        told = [f"{budget:g}", seed, n_rows, f"{old:z.4g}", f"{new:z.4g}", f"{change:+.1f} %"]
        lines.append("| " + " | ".join(map(str, [half, name, *told, *cells])) + " |")
    return "\n".join([*lines, ""])


def _means(rows: Sequence[tuple[Any, ...]]) -> list[str]:
    lines = [
        "| half | CPU seconds | pairs | mean | median | lower | higher |",
        "|---|" + "---:|" * 6,
    ]
    for half, budget in itertools.product(HALVES, sorted({row[2] for row in rows})):
        part = np.array([row[-1] for row in rows if row[0] == half and row[2] == budget])
        if len(part):
            told = f"{part.mean():+.1f} % | {np.median(part):+.2f} %"
            won = f"{np.sum(part < -LEVEL)} | {np.sum(part > LEVEL)}"
            lines.append(f"| {half} | {budget:g} | {len(part)} | {told} | {won} |")
    return lines


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--before", default="", metavar="FOLDER", help="sources of the earlier version")
    add("--half", choices=HALVES, default="choose")
    add("--table", action="append")
    add("--budget", type=float, action="append", help="CPU seconds")
    add("--split", type=int, default=0)
    add("--rows", type=int, default=3_000, help="to train on, at most")
    add("--note", default="", help="a sentence for the report")
    add("--report", action="store_true", help="write the report alone")
    add("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.one:
        return one(given.one)
    records = read(RESULTS)
    known = {(*_case(r), r["version"]) for r in records}
    tables = [
        t.name for t in listed() if t.half == given.half and t.name in (given.table or t.name)
    ]
    wanted = [(None, version, "") for version in SIMPLE]
    for budget in given.budget or (10.0,):
        wanted += [(budget, BEFORE, given.before)] if given.before else []
        wanted += [(budget, AFTER, "")]
    for name, (budget, version, folder) in itertools.product(tables, wanted):
        if given.report or (name, budget, given.split, version) in known:
            continue
        what = (name, version, folder, budget, given.split, given.rows)
        records.append(measure(what))
        print(records[-1], flush=True)
        RESULTS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    RESULTS.with_suffix(".md").write_text(markdown(records, given.note), encoding="utf-8")


if __name__ == "__main__":
    main()
