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

from benchmarks import defaults, gradient_report, report, runner, scaling
from benchmarks.cases import Case, Size, Suite, build, select
from benchmarks.contenders import BASE, CONTENDERS, OURS
from benchmarks.tables import PROJECT, available

LONG = ("boosting", "forests", "gradient")


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
    add = parser.add_argument
    add("--suite", choices=get_args(Suite), default="default", help="what to measure")
    add("--scaling", action="store_true", help="with --suite gradient: draw time by size instead")
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
    add("--note", default="", help="a sentence for the report, such as what else the machine did")
    add("--list", action="store_true", help="name the cases and stop")
    return parser


def _suite(args: argparse.Namespace) -> tuple[Suite, Size]:
    """The suite, and how much of it; of those with sizes only gradient keeps its name."""
    size: Size = "quick" if args.quick else "full" if args.full else "default"
    if args.suite in ("default", "gradient"):
        return (size if args.suite == "default" else args.suite), size
    if size != "default":
        sys.exit(f"--{size} has no meaning with --suite {args.suite}")
    return args.suite, size


def _contenders(wanted: str | None, suite: Suite) -> list[str]:
    """Contenders asked for that are installed, in the order they take turns."""
    usual = [OURS, BASE] if suite == "forests" else list(CONTENDERS)
    names = wanted.split(",") if wanted else usual
    unknown = set(names) - set(CONTENDERS)
    if unknown:
        known = ", ".join(CONTENDERS)
        sys.exit(f"unknown contender {', '.join(sorted(unknown))}; there are {known}")
    return [name for name in CONTENDERS if name in names and name in runner.installed()]


def _plan(args: argparse.Namespace, suite: Suite, size: Size) -> runner.Plan:
    quick, full = size == "quick", size == "full"
    return runner.Plan(
        contenders=_contenders(args.contenders, suite),
        threads=args.threads,
        repeats=args.repeats or (1 if quick or suite == "gradient" else 3),
        enough=float("inf") if args.repeats else 120.0 if full else 8.0,
        limit=args.limit or (4 * 3600.0 if full else 3600.0 if suite in LONG else 300.0),
        row_seconds=0.3 if quick else 0.5,
        full=full,
    )


def _cases(args: argparse.Namespace, suite: Suite, size: Size) -> list[Case]:
    cases = select(build(suite, args.rows, args.trees, size), args.only)
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


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _forests(cases: list[Case], plan: runner.Plan, facts: dict[str, Any], out: Path) -> str:
    """Measure trees, forests and AdaBoost; the report."""
    records: list[runner.Record] = []

    def keep(so_far: list[runner.Record]) -> None:
        records[:] = so_far
        report.write(records, facts, out)  # after each case: a long run may be stopped

    try:
        runner.run(cases, plan, _say, keep)
    except KeyboardInterrupt:
        _say("stopped; the report has the cases finished so far")
    return report.markdown(records, facts, appendix=False)


def _gradient(
    cases: list[Case], jobs: list[Any], plan: runner.Plan, facts: dict[str, Any], out: Path
) -> str:
    """Measure gradient boosting with equal settings, then as each library comes; the report."""
    records: list[runner.Record] = []
    found: list[runner.Record] = []

    def keep(so_far: list[runner.Record]) -> None:
        records[:] = so_far
        gradient_report.write(records, found, facts, out)

    try:
        runner.run(cases, plan, _say, keep)
        for job in jobs:
            _say(f"default settings: {job['table']}, {job['rows']} rows, {job['splits']} splits")
            answer = runner.call(job, plan.limit, "defaults")
            if isinstance(answer, dict):
                answer = [{"table": job["table"], "contender": "all", "split": 0, **answer}]
            found += answer
            keep(records[:])
    except KeyboardInterrupt:
        _say("stopped; the report has the cases finished so far")
    return gradient_report.markdown(records, found, facts)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print the report and write it."""
    args = _parser().parse_args(argv)
    suite, size = _suite(args)
    cases, plan = _cases(args, suite, size), _plan(args, suite, size)
    jobs: list[Any] = []
    if suite == "gradient":
        jobs = list(defaults.jobs(size, plan.contenders, args.only))
    if args.list or not (cases or jobs):
        print("\n".join(f"{c.name}  {c.trees} trees" for c in cases) or "no such case")
        return
    name = suite if suite != "gradient" or size == "default" else f"gradient-{size}"
    facts, start = _facts(name, plan) | {"note": args.note}, time.perf_counter()
    if suite == "gradient" and args.scaling:
        scaling.run(size, plan, facts, args.out, _say)
    elif suite == "gradient":
        print(_gradient(cases, jobs, plan, facts, args.out))
    else:
        print(_forests(cases, plan, facts, args.out))
    minutes = (time.perf_counter() - start) / 60
    print(f"{minutes:.1f} minutes; written to {args.out}/{name}*", file=sys.stderr)


if __name__ == "__main__":
    main()
