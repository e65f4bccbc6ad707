"""A stack of five native members against scikit-learn's stack of their counterparts.

``python -m benchmarks.stacking`` stacks a forest, extra trees, histogram boosting, bagged trees and
AdaBoost with five folds, once from this package and once from scikit-learn with the same settings,
and compares CPU seconds in one thread and scores on rows not fitted. It writes
``results/stacking.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from sklearn import ensemble, tree
from threadpoolctl import threadpool_limits

import coterie
from benchmarks.tables import available, make, task_of

RESULTS = Path(__file__).parent / "results"
TABLES = {"magic": None, "higgs": 20_000, "housing": None}  # and most training rows


def stack(task: str, models: ModuleType, trees: ModuleType, seed: int) -> Any:
    """The stack of the five members, of one package."""
    kind = "Classifier" if task == "classification" else "Regressor"

    def member(name: str, *given: Any, **settings: Any) -> Any:
        return getattr(models, name + kind)(*given, random_state=seed, **settings)

    def single(**settings: Any) -> Any:
        return getattr(trees, f"DecisionTree{kind}")(**settings)

    members = [
        ("forest", member("RandomForest", n_estimators=50)),
        ("extra", member("ExtraTrees", n_estimators=50)),
        ("gradient", member("HistGradientBoosting", early_stopping=False)),
        ("bag", member("Bagging", single(), n_estimators=20)),
        ("boost", member("AdaBoost", single(max_depth=3), n_estimators=50)),
    ]
    return getattr(models, f"Stacking{kind}")(members, cv=5)


def measure(model: Any, table: Any) -> dict[str, float]:
    """CPU seconds of fitting and predicting, and accuracy or R2."""
    began = time.process_time()
    model.fit(table.X_train, table.y_train)
    fitted = time.process_time()
    said = model.predict(table.X_test)
    done = time.process_time()
    if hasattr(model, "classes_"):
        score = float(np.mean(said == table.y_test))
    else:
        score = 1 - float(np.mean((said - table.y_test) ** 2) / np.var(table.y_test))
    return {"fit": fitted - began, "predict": done - fitted, "score": score}


def compare(name: str, rows: int | None) -> dict[str, Any]:
    """Both stacks on one table."""
    table = make(name, rows)
    task = task_of(name)
    found: dict[str, Any] = {"table": name, "task": task, "rows": len(table.y_train)}
    with threadpool_limits(1):
        found["coterie"] = measure(stack(task, coterie, coterie, 0), table)
        found["scikit-learn"] = measure(stack(task, ensemble, tree, 0), table)
    return found


def summary(rows: list[dict[str, Any]]) -> str:
    """The results as a table in Markdown."""
    ratios = [row["scikit-learn"]["fit"] / row["coterie"]["fit"] for row in rows]
    lines = [
        "# Stacks",
        "",
        "Five members (50 trees of a random forest, 50 extra trees, 100 rounds of histogram "
        "boosting, 20 bagged trees, 50 rounds of AdaBoost with trees of depth 3), five folds. CPU "
        "seconds in one thread, scikit-learn's counterparts beside; accuracy, or R2 of regression "
        f"tables, on rows not fitted. Fitting takes scikit-learn {min(ratios):.1f} to "
        f"{max(ratios):.1f} times as long.",
        "",
        "| table | rows | fit | scikit-learn | ratio | predict | scikit-learn | score | "
        "scikit-learn |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row, ratio in zip(rows, ratios, strict=True):
        own, other = row["coterie"], row["scikit-learn"]
        lines.append(
            f"| {row['table']} | {row['rows']} | {own['fit']:.1f} s | {other['fit']:.1f} s | "
            f"{ratio:.1f} | {own['predict']:.2f} s | {other['predict']:.2f} s | "
            f"{own['score']:.4f} | {other['score']:.4f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Compare on the tables at hand, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    chosen = parser.parse_args()
    found = []
    for name in filter(available, chosen.tables):
        found.append(compare(name, TABLES[name]))
        print(json.dumps(found[-1]), flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "stacking.json").write_text(json.dumps(found, indent=1) + "\n")
    text = summary(found)
    (RESULTS / "stacking.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
