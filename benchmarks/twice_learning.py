"""A tree that an ensemble teaches against the tree that is grown alone.

``python -m benchmarks.twice_learning`` fits on random halves of the real tables (large ones
in part) a plain tree, a pruned one, the student and its teacher, and compares accuracy, or R2, on
the other rows. It writes ``results/twice_learning.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import REAL, available, read_frame
from coterie import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    TwiceLearningClassifier,
    TwiceLearningRegressor,
)

RESULTS = Path(__file__).parent / "results"
MODELS = ("tree", "pruned", "student", "teacher")


def models(task: str, seed: int) -> dict[str, Any]:
    """The contenders; the pruned tree has the price of a leaf that the student has."""
    classifies = task == "classification"
    tree = DecisionTreeClassifier if classifies else DecisionTreeRegressor
    forest = RandomForestClassifier if classifies else RandomForestRegressor
    taught = TwiceLearningClassifier if classifies else TwiceLearningRegressor
    return {
        "tree": tree(random_state=seed),
        "pruned": tree(random_state=seed, ccp_alpha=0.002),
        "student": taught(random_state=seed),
        "teacher": forest(random_state=seed),
    }


def leaves(model: Any) -> int:
    """Leaves of a tree or student, 0 for a forest."""
    tree = getattr(model, "student_", model)
    return int(tree.get_n_leaves()) if hasattr(tree, "get_n_leaves") else 0


def compare(table: str, splits: int, rows: int) -> dict[str, Any]:
    """Mean scores and sizes over random splits of one table."""
    X, y = read_frame(table)
    task = REAL[table].task
    scores: dict[str, list[float]] = {name: [] for name in MODELS}
    sizes: dict[str, list[int]] = {name: [] for name in MODELS}
    for split in range(splits):
        order = np.random.default_rng(split).permutation(len(y))
        n_train = min(rows, 2 * len(y) // 3)
        train, test = order[:n_train], order[n_train : n_train + 5000]
        scale = float(np.var(y[train])) if task == "regression" else 1.0
        for name, model in models(task, split).items():
            if name == "pruned":  # in units of the variance of the target
                model.set_params(ccp_alpha=model.ccp_alpha * scale)
            model.fit(X.iloc[train], y[train])
            scores[name].append(float(model.score(X.iloc[test], y[test])))
            sizes[name].append(leaves(model))
    gain = np.subtract(scores["student"], scores["tree"])
    return {
        "table": table,
        "task": task,
        "scores": {name: float(np.mean(found)) for name, found in scores.items()},
        "leaves": {name: float(np.mean(found)) for name, found in sizes.items()},
        "gain": float(gain.mean()),
        "split_wins": int((gain > 0).sum()),
        "splits": splits,
    }


def summary(rows: list[dict[str, Any]]) -> str:
    """The results as a table in Markdown."""
    wins = sum(row["gain"] > 0 for row in rows)
    over = sum(row["scores"]["student"] > row["scores"]["pruned"] for row in rows)
    lines = [
        "# Twice-learning",
        "",
        f"The student beats the plain tree on {wins} of {len(rows)} tables, and the pruned tree on "
        f"{over}. Accuracy, or R2 of regression tables, on rows not fitted; means over random "
        "splits.",
        "",
        "| table | tree | pruned | student | teacher | gain | splits won | leaves | taught |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        shown = " | ".join(f"{row['scores'][name]:.3f}" for name in MODELS)
        sizes = f"{row['leaves']['tree']:.0f} | {row['leaves']['student']:.0f}"
        lines.append(
            f"| {row['table']} | {shown} | {row['gain']:+.3f} | {row['split_wins']} of "
            f"{row['splits']} | {sizes} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Compare on all tables at hand, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--rows", type=int, default=1500, help="most training rows")
    chosen = parser.parse_args()
    found = []
    for table in (name for name in REAL if available(name)):
        row = compare(table, chosen.splits, chosen.rows)
        print(table, {name: round(score, 3) for name, score in row["scores"].items()}, flush=True)
        found.append(row)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "twice_learning.json").write_text(json.dumps(found, indent=1) + "\n")
    text = summary(found)
    (RESULTS / "twice_learning.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
