"""The report of the gradient boosting suite: pure functions of records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import gradient_models
from benchmarks.contenders import OURS
from benchmarks.defaults import mean_losses, mean_ranks, ranks
from benchmarks.measure import FITS, PASSES
from benchmarks.report import Cell, grid, heading, number, times
from benchmarks.summary import MEMORY_TIE, TIE, Record, Row, ratios, summarise

PEER = "LightGBM"  # ratios are against this one
NOISE = 3.0  # standard errors by which a mean loss must be larger to be called so
LOSS_TIE = 0.005  # relative
COSTS = {
    "fit_cpu": "fit, CPU",
    "fit_peak": "fit, peak memory",
    "batch_cpu": "batch prediction, CPU",
    "row_median": "one row, median",
}
HEAD = ["case", "contender", "threads", "rounds"]


def _head(row: Row) -> list[Cell]:
    return [row["case"].removeprefix("gradient/"), row["contender"], row["threads"], row["trees"]]


def _milli(row: Row, key: str) -> float | None:
    return row[key] * 1e3 if key in row else None


def figures(rows: Sequence[Row]) -> str:
    """Table of all costs and losses with equal settings."""
    header = [*HEAD, "wall s", "CPU s", "CPU", "peak MB", "memory", "model MB"]
    header += ["batch CPU ms", "batch", "row µs", "row", "test loss", "accuracy, R2"]
    body: list[list[Cell]] = []
    for r in rows:
        x = r["ratios"]
        fit = [r.get("fit_wall"), r.get("fit_cpu"), times(x.get("fit_cpu"))]
        memory = [r.get("fit_peak"), times(x.get("fit_peak")), r.get("model_mb")]
        batch = [_milli(r, "batch_cpu"), times(x.get("batch_cpu"))]
        row = [r.get("row_median"), times(x.get("row_median"))]
        scores = [f"{r['loss']:.5g}", f"{r['score']:.4f}"] if "loss" in r else ["–", "–"]
        body.append([*_head(r), *fit, *memory, *batch, *row, *scores])
    return grid(header, body, left=2)


def worse(rows: Sequence[Row]) -> list[Row]:
    """Everything in which ours is worse than another contender, worst first."""
    found = []
    ours = {(r["case"], r["threads"]): r for r in rows if r["contender"] == OURS}
    for other in rows:
        mine = ours.get((other["case"], other["threads"]))
        if mine is None or other["contender"] == OURS:
            continue
        where = {k: other[k] for k in ("case", "threads", "contender")}
        for key, ratio in ratios(mine, other).items():
            if key not in COSTS or ratio >= TIE:
                continue
            if key == "fit_peak" and mine[key] - other[key] < MEMORY_TIE:
                continue
            found.append({**where, "what": COSTS[key], "times": 1 / ratio})
        gap = other.get("behind", 0.0)
        if gap > NOISE * other.get("behind_se", 0.0) and gap > LOSS_TIE * other["loss"]:
            found.append({**where, "what": "test loss", "times": 1 + gap / other["loss"]})
    return sorted(found, key=lambda r: (r["what"], -r["times"]))


def _worse(rows: Sequence[Row]) -> str:
    body: list[list[Cell]] = []
    for r in worse(rows):
        case, by = r["case"].removeprefix("gradient/"), f"{r['times']:.3f} times"
        body.append([r["what"], case, r["contender"], r["threads"], by])
    if not body:
        return "Nowhere."
    rule = f"""\
Every cost that is more than {1 / TIE - 1:.0%} higher than another contender's (peak memory also by
{MEMORY_TIE:g} MB), and every test loss more than {LOSS_TIE:.1%} higher if the rows' differences are
{NOISE:g} standard errors from zero.

"""
    return rule + grid(["in", "case", "than", "threads", "by"], body, left=3)


def _large(rows: Sequence[Row], table: str, peer: str) -> tuple[Row, Row] | None:
    found = {r["contender"]: r for r in rows if r["table"] == table and r["threads"] == 1}
    if OURS not in found or peer not in found or found[OURS].get("rows", 0) < 1_000_000:
        return None
    return found[OURS], found[peer]


def targets(rows: Sequence[Row]) -> list[Row]:
    """What was asked for on a million rows with one thread, and what was measured."""
    asked = [(f"fit, half the time of {p}", p, "fit_cpu", 2.0) for p in ("LightGBM", "XGBoost")]
    asked.append(("batch prediction 3x", PEER, "batch_cpu", 3.0))
    asked.append(("peak memory no higher", PEER, "fit_peak", 1.0))
    found = []
    for words, peer, key, least in asked:
        for table in ("higgs", "energy"):
            pair = _large(rows, table, peer)
            ratio = ratios(*pair).get(key) if pair else None
            met = None if ratio is None else ratio >= least
            place = {"target": words, "table": table, "least": least}
            found.append({**place, "ratio": ratio, "met": met})
    slow = [r["row_median"] for r in rows if r["contender"] == OURS and "row_median" in r]
    if slow:
        place = {"target": "one row under 20 µs", "table": "slowest case", "least": 1.0}
        found.append({**place, "ratio": 20.0 / max(slow), "met": max(slow) < 20.0})
    return found


def _targets(rows: Sequence[Row]) -> str:
    words = {None: "not measured", True: "met", False: "missed"}
    body = [
        [t["target"], t["table"], words[t["met"]], f"{t['least']:g}x", times(t["ratio"])]
        for t in targets(rows)
    ]
    return grid(["target", "table", "", "asked", "measured"], body, left=3)


def default_losses(records: Sequence[Record]) -> str:
    """Mean ranks, then the mean losses they come from; the best of a table is bold."""
    order = mean_ranks(records)
    seconds = {
        name: sum(r["fit_cpu"] for r in records if r["contender"] == name and "error" not in r)
        for name in order
    }
    top = [[n, f"{r:.2f}", number(seconds[n])] for n, r in order.items()]
    body: list[list[Cell]] = []
    for table, losses in mean_losses(records).items():
        place = ranks(losses)
        hits = [r for r in records if r["table"] == table and "error" not in r]
        cells = [
            f"**{losses[n]:.5g}**" if place[n] == 1 else f"{losses[n]:.5g}" if n in losses else "–"
            for n in order
        ]
        body.append([table, hits[0]["rows"], 1 + max(r["split"] for r in hits), *cells])
    first = grid(["contender", "mean rank", "CPU s of all fits"], top)
    return first + "\n\n" + grid(["table", "rows", "splits", *order], body)


METHOD = f"""\
Every measurement with equal settings is a fresh process; contenders take turns. Columns headed
CPU, memory, batch and row without a unit say how many times cheaper than {PEER} (its cost /
theirs; above 1 is better). Times of fits under a second are medians of up to {FITS} fits in one
process. CPU seconds count all threads, user and system: on a shared machine they are steadier than
wall. Peak MB is memory above what the process held before `fit` (interpreter, library, table),
model MB the pickle. Batch prediction: all held-out rows, median of {PASSES} passes. One row at a
time: median of many calls of `predict_proba` or `predict`, of `fast_predictor()` for coterie. Test
loss is the log loss, or the mean squared error."""

DEFAULT = """\
Each library as it comes, on data frames with categories; only threads (one) and seed are set, and
XGBoost and CatBoost are told of the categories. Test losses are means over the splits, ranks are of
these means, 1 being best. Large tables are cut to the rows given. The letters, digits and flights
keep their customary or temporal split."""


def _settings() -> str:
    body: list[list[Cell]] = []
    for name in gradient_models.SPELLS:
        kind, given = gradient_models.equal(name, "classification", 100, 2, threads=1, seed=0)
        words = ", ".join(f"{k}={v!r}" for k, v in given.items())
        body.append([name, f"`{kind}({words})`"])
    return grid(["contender", "settings (two classes, 100 rounds, one thread)"], body, 2)


def markdown(records: Sequence[Record], defaults: Sequence[Record], facts: dict[str, Any]) -> str:
    """The report."""
    rows = summarise(records, base=PEER)
    good = [r for r in rows if "error" not in r]
    failed = [f"- {r['case']}, {r['contender']}: {r['error']}" for r in rows if "error" in r]
    failed += [f"- {r['table']}, {r['contender']}: {r['error']}" for r in defaults if "error" in r]
    parts = [heading(facts), METHOD]
    if failed:
        parts.append("## Failed\n\n" + "\n".join(failed))
    if good:
        parts.append("## Equal settings\n\n" + figures(good))
        parts.append(f"## Where {OURS} is worse\n\n" + _worse(good))
        parts.append("## Targets (CPU time on one core, 1M rows)\n\n" + _targets(good))
    if defaults:
        parts.append("## Default settings\n\n" + DEFAULT + "\n\n" + default_losses(defaults))
    parts.append("## Settings\n\n" + _settings())
    parts.append("Not equal:\n\n" + "\n".join(f"- {u}" for u in gradient_models.UNEQUAL))
    return "\n\n".join(parts) + "\n"


def write(
    records: Sequence[Record], defaults: Sequence[Record], facts: dict[str, Any], folder: Path
) -> None:
    """Write ``<suite>.json`` and ``<suite>.md`` to ``folder``."""
    rows = summarise(records, base=PEER)
    good = [r for r in rows if "error" not in r]
    plain = {
        **facts,
        "records": list(records),
        "summary": rows,
        "worse": worse(good),
        "targets": targets(good),
        "defaults": list(defaults),
        "default_mean_ranks": mean_ranks(defaults),
    }
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / str(facts["suite"])
    text = json.dumps(plain, indent=1, allow_nan=False)
    stem.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
    stem.with_suffix(".md").write_text(markdown(records, defaults, facts), encoding="utf-8")
