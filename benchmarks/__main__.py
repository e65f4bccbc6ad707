"""Command line: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args

from benchmarks import report, runner
from benchmarks.cases import Case, Suite, build, select
from benchmarks.contenders import CONTENDERS
from benchmarks.tables import PROJECT, available


def _numbers(text: str) -> list[int]:
    """Numbers with commas between; k and M are understood.

    >>> _numbers("10k,1M,500")
    [10000, 1000000, 500]
    """
    unit = {"k": 1_000, "M": 1_000_000}
    return [
        round(float(part[:-1]) * unit[part[-1]]) if part[-1] in unit else int(part)
        for part in text.split(",")
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="small tables, one run: minutes")
    size.add_argument("--full", action="store_true", help="100 trees at every size: hours")
    size.add_argument("--suite", choices=get_args(Suite), default="default", help="what to measure")
    add = parser.add_argument
    add("--only", action="append", default=[], metavar="CASE", help="part of a case name; repeat")
    add("--rows", type=_numbers, metavar="N,N", help="sizes of the synthetic tables (10k,1M)")
    add("--trees", type=int, help="trees of every forest")
    add("--threads", type=_numbers, metavar="N,N", help="default: 1, and all cores in some cases")
    add(
        "--repeats",
        type=int,
        help="runs of every measurement (default: 3, slow ones fewer; quick: 1)",
    )
    add("--contenders", metavar="A,B", help=f"of {', '.join(CONTENDERS)}")
    add("--limit", type=float, help="seconds after which a measurement is given up")
    add("--out", type=Path, default=PROJECT / "benchmarks" / "results", help="folder of results")
    add("--list", action="store_true", help="name the cases and stop")
    return parser


def _contenders(wanted: str | None) -> list[str]:
    """Contenders asked for that are installed, in the order they take turns."""
    names = wanted.split(",") if wanted else list(CONTENDERS)
    unknown = set(names) - set(CONTENDERS)
    if unknown:
        known = ", ".join(CONTENDERS)
        sys.exit(f"unknown contender {', '.join(sorted(unknown))}; there are {known}")
    return [name for name in CONTENDERS if name in names and name in runner.installed()]


def _plan(args: argparse.Namespace, suite: Suite) -> runner.Plan:
    quick, full = suite == "quick", suite == "full"
    return runner.Plan(
        contenders=_contenders(args.contenders),
        threads=args.threads,
        repeats=args.repeats or (1 if quick else 3),
        enough=float("inf") if args.repeats else 120.0 if full else 8.0,
        limit=args.limit or (4 * 3600.0 if full else 3600.0 if suite == "boosting" else 300.0),
        row_seconds=0.3 if quick else 0.5,
        full=full,
    )


def _cases(args: argparse.Namespace, suite: Suite) -> list[Case]:
    cases = select(build(suite, args.rows, args.trees), args.only)
    for case in cases:
        if not available(case.table):
            print(f"skipping {case.name}: its table is not here", file=sys.stderr)
    return [case for case in cases if available(case.table)]


def _facts(suite: str, plan: runner.Plan) -> dict[str, Any]:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    found = runner.installed()
    versions = {name: found[name] for name in plan.contenders}
    python = ".".join(map(str, sys.version_info[:3]))
    return {
        "suite": suite,
        "date": report.today(),
        "machine": report.machine(runner.cores(), load),
        "versions": {**versions, "NumPy": version("numpy"), "Python": python},
        "repeats": plan.repeats,
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print the report and write it."""
    args = _parser().parse_args(argv)
    suite: Suite = "quick" if args.quick else "full" if args.full else args.suite
    cases, plan = _cases(args, suite), _plan(args, suite)
    if args.list or not cases:
        print("\n".join(f"{c.name}  {c.trees} trees" for c in cases) or "no such case")
        return
    facts, start = _facts(suite, plan), time.perf_counter()
    records: list[runner.Record] = []

    def keep(so_far: list[runner.Record]) -> None:
        records[:] = so_far
        report.write(records, facts, args.out)  # after each case: a long run may be stopped

    try:
        runner.run(cases, plan, lambda s: print(s, file=sys.stderr, flush=True), keep)
    except KeyboardInterrupt:
        print("stopped; the report has the cases finished so far", file=sys.stderr)
    print(report.markdown(records, facts, appendix=False))
    minutes = (time.perf_counter() - start) / 60
    print(f"{minutes:.1f} minutes; written to {args.out}/{suite}.md and .json", file=sys.stderr)


if __name__ == "__main__":
    main()
