"""Runs the measurements: contenders in turn, each in its own process."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case, is_serial
from benchmarks.contenders import CONTENDERS, OURS
from benchmarks.tables import PROJECT

Record = dict[str, Any]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """How to measure, the same for all cases."""

    contenders: Sequence[str]
    threads: Sequence[int] | None = None  # None: one, and all cores where the case says so
    repeats: int = 3
    enough: float = 8.0  # seconds after which a measurement is not repeated
    limit: float = 300.0  # seconds after which it is given up
    row_seconds: float = 0.5  # for the latency of single rows
    full: bool = False

    def threads_of(self, case: Case) -> list[int]:
        """Numbers of threads to measure a case with."""
        if self.threads is not None:
            return list(self.threads)
        return sorted({1, cores()} if case.all_cores else {1})


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _environment(threads: int) -> dict[str, str]:
    pools = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return {**os.environ, **dict.fromkeys(pools, str(threads))}


def _reason(stderr: str) -> str:
    r"""Last line of a traceback, without paths of this machine.

    >>> _reason("Traceback\nImportError: no name 'x' (/a/b/c.py)\n")
    "ImportError: no name 'x' (...)"
    """
    lines = stderr.strip().splitlines() or ["no output"]
    return re.sub(r"(/[\w.+-]+)+", "...", lines[-1])[:200]


def call(job: dict[str, Any], limit: float, module: str = "measure") -> Any:
    """Run a module of this package on a job; a failure becomes a record with ``error``."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", f"benchmarks.{module}"],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=limit,
            cwd=PROJECT,
            env=_environment(job["threads"]),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"given up after {limit:.0f} s"}
    if done.returncode < 0:
        return {"error": f"killed by {signal.Signals(-done.returncode).name}"}
    if done.returncode > 0:
        return {"error": _reason(done.stderr)}
    return json.loads(done.stdout.strip().splitlines()[-1])


class Workshop:
    """A temporary folder of prepared tables; a context manager."""

    def __enter__(self) -> Workshop:
        self._folder = tempfile.TemporaryDirectory(prefix="coterie-bench-")
        return self

    def __exit__(self, *exc: object) -> None:
        self._folder.cleanup()

    def table(self, case: Case) -> Path:
        """Folder of the case's arrays, made on first use."""
        path = Path(self._folder.name) / f"{case.table}-{case.rows}"
        if not path.exists():
            command = [sys.executable, "-m", "benchmarks.tables", case.table, str(case.rows)]
            subprocess.run([*command, str(path)], cwd=PROJECT, check=True)
        return path


def behind(folder: Path, contender: str) -> dict[str, float]:
    """By how much our loss is larger, with the standard error of the rows' differences."""
    ours, theirs = (folder / f"loss {name}.npy" for name in (OURS, contender))
    if contender == OURS or not (ours.is_file() and theirs.is_file()):
        return {}
    gap = np.load(ours) - np.load(theirs)
    return {"behind": float(gap.mean()), "behind_se": float(gap.std() / np.sqrt(len(gap)))}


def measure_case(case: Case, threads: int, plan: Plan, folder: Path) -> Iterator[Record]:
    """Records of one case: A B C D, A B C D, ...

    A contender that failed, or that has spent long enough, sits out further rounds.
    """
    spent = dict.fromkeys(plan.contenders, 0.0)
    for repeat in range(plan.repeats):
        for contender in plan.contenders:
            trees = case.trees_for(contender, full=plan.full)
            if trees == 0 or spent[contender] > plan.enough:
                continue
            job = {
                "contender": contender,
                "family": case.family,
                "task": case.task,
                "trees": trees,
                "threads": threads,
                "seed": repeat,
                "folder": str(folder),
                # Rows one at a time leave nothing to share between threads.
                "row_seconds": plan.row_seconds if threads == 1 else 0.0,
            }
            start = time.perf_counter()
            figures = call(job, plan.limit)
            spent[contender] += float("inf") if "error" in figures else time.perf_counter() - start
            if case.family == "gradient" and "error" not in figures:
                figures |= behind(folder, contender)
            yield _record(case, contender, threads, repeat, trees, figures)


def _record(
    case: Case, contender: str, threads: int, repeat: int, trees: int, figures: Record
) -> Record:
    """One measurement with everything needed to group it."""
    return {
        "case": case.name,
        "family": case.family,
        "table": case.table,
        "task": case.task,
        "case_trees": case.trees,
        "contender": contender,
        "threads": threads,
        "repeat": repeat,
        "trees": trees,
        **figures,
    }


def _progress(record: Record, label: str) -> str:
    head = f"{label} {record['case']:<24} {record['threads']} thr  {record['contender']:<18}"
    if "error" in record:
        return f"{head} {record['error']}"
    metric = "R2" if record["task"] == "regression" else "accuracy"
    return (
        f"{head} fit {record['fit_wall']:8.2f} s wall {record['fit_cpu']:8.2f} s CPU"
        f"  {record['trees']:3d} trees  {metric} {record['score']:.4f}"
    )


def run(cases: Sequence[Case], plan: Plan, say: Say, done: Callable[[list[Record]], None]) -> None:
    """Measure all cases; ``done`` gets all records so far after each case."""
    records: list[Record] = []
    with Workshop() as workshop:
        for number, case in enumerate(cases, start=1):
            folder = workshop.table(case)
            for threads in plan.threads_of(case):
                known = [r for r in records if r["case"] == case.name and r["threads"] == 1]
                serial = [r for r in known if threads > 1 and is_serial(case, r["contender"])]
                records += [{**r, "threads": threads, "serial": True} for r in serial]
                left = [c for c in plan.contenders if c not in {r["contender"] for r in serial}]
                for record in measure_case(case, threads, replace(plan, contenders=left), folder):
                    say(_progress(record, f"[{number}/{len(cases)}]"))
                    records.append(record)
            done(records)


def installed() -> dict[str, str]:
    """Version of every contender that is installed."""
    found = {name: c.version() for name, c in CONTENDERS.items()}
    return {name: version for name, version in found.items() if version is not None}
