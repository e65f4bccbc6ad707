"""Ranks, ratios and CPU time of default boosters, by half of the tables."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.defaults import mean_losses, mean_ranks

Record = dict[str, Any]
OURS, RIVAL = "BoostedTrees", "CatBoost"
EFFORTS = {OURS: "default", f"{OURS}, fast": "fast", f"{OURS}, best": "best"}
HALVES = {"choose": "Choosing half", "confirm": "Confirming half"}
FLOOR = 0.01  # of the prior's loss, added to both losses: ratios of losses near zero say nothing
DRAWS = 2_000
WORST = 5


def log_ratios(
    records: Sequence[Record], name: str = OURS, rival: str = RIVAL
) -> dict[str, NDArray[np.float64]]:
    """By table, for every split the log of the ratio of losses; below zero `name` is better.

    >>> rows = [("x", 0.5), ("y", 0.25)]
    >>> base = {"table": "t", "split": 0, "prior": 0.0}
    >>> log_ratios([{**base, "contender": c, "loss": v} for c, v in rows], "x", "y")
    {'t': array([0.69314718])}
    """
    known = {(r["table"], r["split"], r["contender"]): r for r in records if "loss" in r}
    found: dict[str, list[float]] = {}
    for (table, seed, who), ours in known.items():
        theirs = known.get((table, seed, rival))
        if who == name and theirs is not None:
            floor = FLOOR * ours["prior"]
            ratio = np.log((ours["loss"] + floor) / (theirs["loss"] + floor))
            found.setdefault(table, []).append(float(ratio))
    return {table: np.array(values) for table, values in found.items()}


def interval(values: Sequence[float], seed: int = 0) -> tuple[float, float, float]:
    """The mean, and the ends of 95 % of its bootstrap distribution.

    >>> interval([1.0, 1.0, 1.0])
    (1.0, 1.0, 1.0)
    """
    each = np.asarray(values)
    drawn = np.random.default_rng(seed).choice(each, (DRAWS, len(each))).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(each.mean()), float(low), float(high)


def outcomes(ratios: dict[str, NDArray[np.float64]]) -> tuple[int, int, int]:
    """Tables won, tied and lost; a tie is within a standard error of the splits, or 0.1 %.

    >>> outcomes({"a": np.array([-0.2, -0.1]), "b": np.array([0.1, -0.1])})
    (1, 1, 0)
    """
    won = tied = 0
    for each in ratios.values():
        error = each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else 0.0
        if abs(each.mean()) <= max(error, 0.001):
            tied += 1
        elif each.mean() < 0:
            won += 1
    return won, tied, len(ratios) - won - tied


def seconds(records: Sequence[Record], name: str) -> dict[str, float]:
    """Mean CPU seconds of a fit by table."""
    found: dict[str, list[float]] = {}
    for r in records:
        if r["contender"] == name and "cpu" in r:
            found.setdefault(r["table"], []).append(r["cpu"])
    return {table: fmean(values) for table, values in found.items()}


def half_lines(records: Sequence[Record]) -> list[str]:
    """One half: every contender's mean rank, ratio to CatBoost and CPU time."""
    ranks, theirs = mean_ranks(records), seconds(records, RIVAL)
    lines = [
        "| contender | mean rank | loss against CatBoost's (95 %) | won, tied, lost | CPU s | "
        "median of CPU ratios |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, rank in ranks.items():
        ratios, cpu = log_ratios(records, name), seconds(records, name)
        if not ratios:
            lines.append(f"| {name} | {rank:.2f} | – | – | {sum(cpu.values()):.0f} | – |")
            continue
        mean, low, high = interval([float(each.mean()) for each in ratios.values()])
        row = [name, f"{rank:.2f}", f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"]
        row.append("–" if name == RIVAL else "{}, {}, {}".format(*outcomes(ratios)))
        common = [table for table in cpu if table in theirs]
        row.append(f"{sum(cpu[t] for t in common):.0f}")
        row.append(f"{median(cpu[t] / theirs[t] for t in common):.2f}")
        lines.append("| " + " | ".join(row) + " |")
    means = {t: float(each.mean()) for t, each in log_ratios(records).items()}
    worst = sorted(means, key=lambda t: -means[t])[:WORST]
    if worst:
        shown = ", ".join(f"{t} ({means[t]:+.3f})" for t in worst)
        lines += ["", f"The tables on which {OURS} is farthest behind {RIVAL}: {shown}."]
    return lines


def effort_lines(records: Sequence[Record]) -> list[str]:
    """What `effort` costs and gains, against the default, by half."""
    lines = [
        "| half | effort | tables | loss against the default's (95 %) | won, tied, lost | "
        "median of CPU ratios |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for half in HALVES:
        part = [r for r in records if r["half"] == half]
        base = seconds(part, OURS)
        for name, effort in EFFORTS.items():
            ratios = log_ratios(part, name, OURS)
            if name == OURS or not ratios:
                continue
            cpu = seconds(part, name)
            mean, low, high = interval([float(each.mean()) for each in ratios.values()])
            row = [half, effort, str(len(ratios)), f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"]
            row += ["{}, {}, {}".format(*outcomes(ratios))]
            row += [f"{median(cpu[t] / base[t] for t in cpu if t in base):.2f}"]
            lines.append("| " + " | ".join(row) + " |")
    return lines


def table_lines(records: Sequence[Record]) -> list[str]:
    """Mean losses of every table."""
    losses = mean_losses(records)
    names = list(dict.fromkeys(r["contender"] for r in records))
    names.sort(key=lambda name: name != OURS)
    lines = ["| table | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for table, found in sorted(losses.items()):
        best = min(found.values())
        cells = [
            f"**{found[n]:.4g}**" if found.get(n) == best else f"{found.get(n, np.nan):.4g}"
            for n in names
        ]
        lines.append(f"| {table} | " + " | ".join(cells) + " |")
    return lines


def _splits(records: Sequence[Record]) -> str:
    most = 1 + max((r["split"] for r in records), default=0)
    return "One split" if most == 1 else f"One to {most} splits"


def markdown(records: Sequence[Record], note: str = "") -> str:
    """The report."""
    lines = [
        "# Gradient boosting as each library comes",
        "",
        "Log loss (classes) or root mean squared error (numbers) of held-out rows, every library "
        "with its defaults and one thread, categories told to all that take them. "
        f"{_splits(records)} of a table, at most 8,000 training rows (3,000 of five classes or "
        "more). Ratios are means over tables of ln((loss + c) / (CatBoost's + c)), c a hundredth "
        "of the loss of a model that looks at no column: -0.01 is 1 % lower. Their intervals are "
        "bootstrapped over the tables. Defaults were chosen on the choosing half.",
    ]
    lines += ["", note] if note else []
    compared = [r for r in records if r["contender"] == OURS or r["contender"] not in EFFORTS]
    for half, title in HALVES.items():
        part = [r for r in compared if r["half"] == half]
        if part:
            lines += ["", f"## {title}: {len({r['table'] for r in part})} tables", ""]
            lines += half_lines(part)
    if len(compared) < len(records):
        lines += ["", "## Effort", "", *effort_lines(records)]
    lines += ["", "## Every table", "", *table_lines(compared)]
    failures = [r for r in records if "error" in r]
    if failures:
        lines += ["", "## Failures", ""]
    lines += [f"- {r['contender']} on {r['table']}: {r['error']}" for r in failures]
    return "\n".join(lines) + "\n"
