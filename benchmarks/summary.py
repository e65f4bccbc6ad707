"""From records to medians, ratios, losses and targets. Pure functions, no printing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.contenders import BASE, BOOSTED, OURS

Record = dict[str, Any]
Row = dict[str, Any]

# Figures of which less is better, with a word for each; ratios are scikit-learn's over ours.
COSTS = {
    "fit_wall": "fit, wall",
    "fit_cpu": "fit, CPU",
    "fit_peak": "fit, peak memory",
    "model_mb": "model size",
    "batch_wall": "batch prediction, wall",
    "batch_cpu": "batch prediction, CPU",
    "row_median": "one row, median",
    "row_p99": "one row, p99",
}
PER_TREE = ("fit_wall", "fit_cpu")  # comparable between different numbers of trees
OTHERS = ("base_mb", "batch_peak", "row_cpu", "row_calls", "score", "log_loss", "rows", "columns")
OTHERS += ("loss", "behind", "behind_se")
IDENTITY = ("case", "family", "table", "task", "case_trees", "contender", "threads", "trees")
TIE = 0.95  # a ratio above this is not called a loss: noise
SCORE_TIE = 0.005
MEMORY_TIE = 10.0  # MB: allocators differ by that much


def summarise(records: Iterable[Record], base: str = BASE) -> list[Row]:
    """Median of the repeats of each (case, threads, contender), with ratios against ``base``.

    Failed measurements keep their ``error`` and have no figures.
    """
    groups: dict[tuple[str, int, str], list[Record]] = {}
    for r in records:
        groups.setdefault((r["case"], r["threads"], r["contender"]), []).append(r)
    rows = [_median(group) for group in groups.values()]
    bases = {(r["case"], r["threads"]): r for r in rows if r["contender"] == base}
    for row in rows:
        row["ratios"] = ratios(row, bases.get((row["case"], row["threads"])))
    return rows


def _median(group: Sequence[Record]) -> Row:
    row: Row = {key: group[0][key] for key in IDENTITY}
    row["serial"] = bool(group[0].get("serial", False))
    good = [r for r in group if "error" not in r]
    row["runs"] = len(good)
    if not good:
        row["error"] = group[0]["error"]
        return row
    for key in (*COSTS, *OTHERS):
        values = [r[key] for r in good if key in r]
        if values:
            row[key] = median(values)
    return row


def ratios(row: Row, base: Row | None) -> dict[str, float]:
    """How many times cheaper ``row`` is than ``base``: base / row for every cost.

    Fit times are compared per tree. Where the numbers of trees differ, nothing else is.

    >>> a = {"trees": 10, "fit_cpu": 2.0, "model_mb": 3.0}
    >>> ratios(a, {"trees": 10, "fit_cpu": 8.0, "model_mb": 6.0})
    {'fit_cpu': 4.0, 'model_mb': 2.0}
    >>> ratios(a, {"trees": 20, "fit_cpu": 8.0, "model_mb": 6.0})
    {'fit_cpu': 2.0}
    """
    if base is None:
        return {}
    found = {}
    for key in COSTS:
        if key not in row or key not in base or row[key] <= 0:
            continue
        if key in PER_TREE:
            found[key] = (base[key] / base["trees"]) / (row[key] / row["trees"])
        elif row["trees"] == base["trees"]:
            found[key] = base[key] / row[key]
    return found


def losses(rows: Sequence[Row]) -> list[Row]:
    """Everything in which ours is worse than another contender, worst first.

    ``times`` is how many times more it costs; for scores, ``times`` is the difference.
    """
    found = []
    ours = {(r["case"], r["threads"]): r for r in rows if r["contender"] == OURS}
    for other in rows:
        mine = ours.get((other["case"], other["threads"]))
        if mine is None or other["contender"] == OURS:
            continue
        where = {k: other[k] for k in ("case", "threads", "contender")}
        for key, ratio in ratios(mine, other).items():
            if key == "fit_peak" and mine[key] - other[key] < MEMORY_TIE:
                continue
            if ratio < TIE:
                found.append({**where, "what": COSTS[key], "times": 1 / ratio})
        worse = other.get("score", 0.0) - mine.get("score", 0.0)
        if other["trees"] == mine["trees"] and worse > SCORE_TIE and "score" in mine:
            found.append({**where, "what": "score lower", "times": worse})
    return sorted(found, key=lambda r: (r["what"] == "score lower", -r["times"]))


@dataclass(frozen=True)
class Target:
    """What the library is meant to reach against the base, on one core.

    ``tables`` are names with the least number of rows.
    """

    words: str
    family: str
    cost: str
    least: float
    tables: Sequence[tuple[str, int]] = (("higgs", 1_000_000), ("covertype", 400_000))

    @property
    def boosted(self) -> bool:
        """Boosting is measured by a suite of its own."""
        return self.family in BOOSTED


TARGETS = (
    Target("one depth-8 tree, fit 20x", "tree", "fit_cpu", 20.0),
    Target("random forest, fit 5x", "forest", "fit_cpu", 5.0),
    Target("random forest, half the peak memory", "forest", "fit_peak", 2.0),
    Target("random forest, batch prediction 3x", "forest", "batch_cpu", 3.0),
    Target("100 boosted stumps, fit 50x", "stumps", "fit_cpu", 50.0, (("higgs", 100_000),)),
    Target("50 boosted depth-3 trees, fit 20x", "depth3", "fit_cpu", 20.0, (("higgs", 100_000),)),
)


def targets(rows: Sequence[Row]) -> list[Row]:
    """Each target on each of its tables, with the measured ratio or None."""
    found = []
    boosted = any(r["family"] in BOOSTED for r in rows)
    for target in (t for t in TARGETS if t.boosted == boosted):
        for table, least_rows in target.tables:
            hits = [
                r
                for r in rows
                if (r["contender"], r["family"], r["table"]) == (OURS, target.family, table)
                and r["threads"] == 1
                and r.get("rows", 0) >= least_rows
            ]
            ratio = hits[0]["ratios"].get(target.cost) if hits else None
            found.append(
                {
                    "target": target.words,
                    "table": table,
                    "trees": hits[0]["trees"] if hits else None,
                    "least": target.least,
                    "ratio": ratio,
                    "met": None if ratio is None else ratio >= target.least,
                }
            )
    return found
