"""Pruned bags against whole ones: ``python -m benchmarks.pruning``.

A bag of 200 native trees is fitted to each real table, at most ``--rows`` training rows of it.
Every way of pruning orders its members by rows outside their bags, chooses at most a third of them
by cross-fitting, and is scored on rows that had no part in anything. "first" keeps as many of the
bag's first members as reduced error does: what no choice at all would give. Losses are reported
like gains; results go to ``benchmarks/results/pruning.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from benchmarks.tables import PROJECT, REAL, available, make, task_of
from coterie import (
    BaggingClassifier,
    BaggingRegressor,
    PrunedEnsembleClassifier,
    PrunedEnsembleRegressor,
)
from coterie.selection import NUMBER_ORDERS, ORDERS

N_MEMBERS = 200
MOST = 1 / 3
TESTED = 3000  # held-out rows at most


def score(model: Any, X: Any, y: Any, labels: bool) -> float:
    """Accuracy, or root of the mean squared error."""
    said = model.predict(X)
    return float((said == y).mean() if labels else np.sqrt(((said - y) ** 2).mean()))


def seconds_of(model: Any, X: Any) -> float:
    """Seconds of the processor for a prediction, the best of five."""
    took = []
    for _ in range(5):
        began = time.process_time()
        model.predict(X)
        took.append(time.process_time() - began)
    return min(took)


def run(table: str, rows: int, seed: int) -> dict[str, Any]:
    """Scores and sizes on one table."""
    labels = task_of(table) == "classification"
    split = make(table, rows, seed)
    X, y, X_new, y_new = split
    if len(y_new) > TESTED:
        some = np.random.default_rng(seed).choice(len(y_new), TESTED, replace=False)
        X_new, y_new = X_new[some], y_new[some]
    bag = (BaggingClassifier if labels else BaggingRegressor)(
        n_estimators=N_MEMBERS, random_state=seed
    ).fit(X, y)
    pruned = PrunedEnsembleClassifier if labels else PrunedEnsembleRegressor
    found: dict[str, Any] = {
        "table": table,
        "labels": labels,
        "seed": seed,
        "rows": len(y),
        "tested": len(y_new),
        "whole": score(bag, X_new, y_new, labels),
        "orders": {},
    }
    for order in ORDERS if labels else NUMBER_ORDERS:
        began = time.perf_counter()
        model = pruned(
            bag, order=order, max_size=MOST, validate="oob", prefit=True, random_state=seed
        )
        model.fit(X, y)
        entry = {"size": model.size_, "score": score(model, X_new, y_new, labels)}
        entry["seconds"] = time.perf_counter() - began
        found["orders"][order] = entry
        if order == "reduced_error":
            found["speed"] = seconds_of(bag, X_new) / seconds_of(model, X_new)
            first = bag.shortened(model.size_)
            found["first"] = {
                "size": model.size_,
                "score": score(first, X_new, y_new, labels),
                "seconds": 0.0,
            }
    found["orders"]["first"] = found.pop("first")
    return found


def gain(result: dict[str, Any], order: str) -> float:
    """What pruning gained: accuracy, or the share of the error that is gone."""
    after, before = result["orders"][order]["score"], result["whole"]
    return after - before if result["labels"] else (before - after) / before


def summary(results: list[dict[str, Any]]) -> list[str]:
    """Wins and losses of every order over all tables, means over seeds first."""
    lines = []
    for labels, names in ((True, [*ORDERS, "first"]), (False, [*NUMBER_ORDERS, "first"])):
        kind = "accuracy" if labels else "root mean squared error"
        part = [result for result in results if result["labels"] == labels]
        if not part:
            continue
        tables = sorted({result["table"] for result in part})
        lines += [
            "",
            f"### {kind.capitalize()}: {len(tables)} tables",
            "",
            "| order | kept or better | worse | mean gain | worst | p | mean size | seconds |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for order in names:
            gains = np.array(
                [
                    np.mean([gain(result, order) for result in part if result["table"] == table])
                    for table in tables
                ]
            )
            entries = [result["orders"][order] for result in part]
            p = wilcoxon(gains).pvalue if gains.any() and len(gains) > 4 else float("nan")
            size, took = (
                np.mean([entry[name] for entry in entries]) for name in ("size", "seconds")
            )
            lines.append(
                f"| {order} | {(gains >= 0).sum()} | {(gains < 0).sum()} | {gains.mean():+.2%} | "
                f"{gains.min():+.2%} | {p:.2f} | {size:.0f} | {took:.1f} |"
            )
    return lines


def by_table(results: list[dict[str, Any]]) -> list[str]:
    """Every table: the whole, and each order's gain and size."""
    lines = []
    for labels, names in ((True, [*ORDERS, "first"]), (False, [*NUMBER_ORDERS, "first"])):
        part = [result for result in results if result["labels"] == labels]
        if not part:
            continue
        lines += ["", f"| table | rows | whole | {' | '.join(names)} | faster |"]
        lines.append("|---" * (len(names) + 4) + "|")
        for table in dict.fromkeys(result["table"] for result in part):
            some = [result for result in part if result["table"] == table]
            whole = np.mean([result["whole"] for result in some])
            cells = []
            for order in names:
                size = np.mean([result["orders"][order]["size"] for result in some])
                cells.append(f"{np.mean([gain(r, order) for r in some]):+.2%} ({size:.0f})")
            known = [result["speed"] for result in some if "speed" in result]
            cells.append(f"{np.mean(known):.1f}x" if known else "")
            lines.append(f"| {table} | {some[0]['rows']} | {whole:.4g} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000, help="training rows at most")
    parser.add_argument("--seeds", type=int, default=1, help="bags and splits per table")
    parser.add_argument("--tables", nargs="*", default=list(REAL))
    chosen = parser.parse_args()
    results = []
    for table in filter(available, chosen.tables):
        for seed in range(chosen.seeds):
            began = time.perf_counter()
            results.append(run(table, chosen.rows, seed))
            print(f"{table} {seed}: {time.perf_counter() - began:.1f} s", flush=True)
        write(results, chosen.rows, chosen.seeds)  # after each table: it takes a while


def write(results: list[dict[str, Any]], rows: int, seeds: int) -> None:
    """Markdown and JSON of what was measured so far."""
    head = [
        "# Pruning bags",
        "",
        f"Bags of {N_MEMBERS} native trees on at most {rows} training rows, mean of {seeds} "
        "split(s); at most a third of the members is kept, ordered by out-of-bag rows, with the "
        "size chosen by cross-fitting. Gains are in accuracy, or shares of the whole bag's root "
        "mean squared error; sizes are in brackets. `first` keeps as many of the first members as "
        "reduced error keeps, without a choice. p is Wilcoxon's over tables. `faster` is how much "
        "less time of the processor reduced error needs to predict. Written by "
        "`python -m benchmarks.pruning`.",
    ]
    text = "\n".join([*head, *summary(results), "", "## By table", *by_table(results), ""])
    folder = PROJECT / "benchmarks" / "results"
    (folder / "pruning.md").write_text(text, encoding="utf-8")
    (folder / "pruning.json").write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
