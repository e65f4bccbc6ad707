"""What rows without labels are worth: test errors with and without them.

``python -m benchmarks.semisupervised`` writes `results/semisupervised.md`: mean test errors over
random splits of real tables of which few rows have labels. The forest on all labels shows what
labels would be worth, the supervised ensembles what the unlabelled rows have to beat.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.semi_supervised import SelfTrainingClassifier as Theirs

import coterie
from benchmarks.tables import PROJECT, read_frame

RESULTS = PROJECT / "benchmarks" / "results" / "semisupervised.md"
#: Tables, and how many rows have labels.
TABLES = {
    "ionosphere": 20,
    "spambase": 20,
    "magic": 20,
    "vehicle": 40,
    "letter": 260,
    "sonar": 20,
}
MOST_ROWS = 2500

#: (test error, CPU seconds) of every split, by model and table.
Found = dict[str, dict[str, list[tuple[float, float]]]]


def models(seed: int) -> dict[str, Any]:
    """What is compared."""
    quiet: dict[str, Any] = {"random_state": seed, "n_folds": None}
    forest = coterie.RandomForestClassifier(30)
    return {
        "forest, labelled rows only": coterie.RandomForestClassifier(100, random_state=seed),
        "forest, all labels": coterie.RandomForestClassifier(100, random_state=seed),
        "scikit-learn's self-training, .75": Theirs(
            coterie.RandomForestClassifier(50, random_state=seed), threshold=0.75
        ),
        "SelfTraining": coterie.SelfTrainingClassifier(**quiet),
        "TriTraining of forests": coterie.TriTrainingClassifier(estimator=forest, **quiet),
        "3 bagged trees, labelled only": coterie.BaggingClassifier(
            n_estimators=3, random_state=seed
        ),
        "TriTraining of trees": coterie.TriTrainingClassifier(**quiet),
        "CoForest": coterie.CoForestClassifier(**quiet),
        "CoTraining": coterie.CoTrainingClassifier(**quiet),
        "CoTrainingByCommittee": coterie.CoTrainingByCommitteeClassifier(**quiet),
        "DemocraticCoLearning": coterie.DemocraticCoLearningClassifier(**quiet),
        "Assemble": coterie.AssembleClassifier(**quiet),
        "SemiBoost": coterie.SemiBoostClassifier(**quiet),
        "UDEED": coterie.UDEEDClassifier(**quiet),
    }


def split(name: str, seed: int) -> tuple[NDArray[Any], ...]:
    """Rows to learn from, their labels with and without holes, and test rows."""
    frame, y = read_frame(name)
    X = frame.select_dtypes("number").to_numpy(dtype=np.float64)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))[:MOST_ROWS]
    n_test = len(rows) // 3
    test, train = rows[:n_test], rows[n_test:]
    known = np.full(len(train), -1)
    # At least one row of every class, then at random.
    order = rng.permutation(len(train))
    first = [order[np.flatnonzero(y[train][order] == c)[0]] for c in np.unique(y[train])]
    chosen = np.array(list(dict.fromkeys([*first, *order.tolist()]))[: TABLES[name]])
    known[chosen] = y[train][chosen]
    return X[train], y[train], known, X[test], y[test]


def measure(seed: int, found: Found) -> None:
    """Add test error and CPU seconds of one split, by model and table."""
    for table in TABLES:
        X, y, known, test, truth = split(table, seed)
        labelled = known >= 0
        for name, model in models(seed).items():
            began = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if name.endswith("only"):
                    model.fit(X[labelled], y[labelled])
                else:
                    model.fit(X, y if name.endswith("all labels") else known)
            error = float(np.mean(model.predict(test) != truth))
            row = found.setdefault(name, {}).setdefault(table, [])
            row.append((error, time.process_time() - began))
        print(seed, table, flush=True)


def page(measured: Found, splits: int) -> str:
    """The table in Markdown."""
    found = {
        name: {table: tuple(np.mean(parts, axis=0)) for table, parts in row.items()}
        for name, row in measured.items()
    }
    heads = [f"{table} {n}" for table, n in TABLES.items()]
    lines = [
        "# Rows without labels",
        "",
        "Written by `python -m benchmarks.semisupervised`.",
        "",
        f"Mean test error over {splits} random splits of at most {MOST_ROWS:,} rows, a third of "
        "them for testing; the numbers are of labelled rows, one of each class at least. Last, the "
        "mean CPU seconds of a fit. Errors of so few splits differ by about .02 by chance.",
        "",
        "| model | " + " | ".join(heads) + " | seconds |",
        "|---|" + "---:|" * (len(heads) + 1),
    ]
    for name, row in found.items():
        cells = [f"{row[table][0]:.3f}" for table in TABLES]
        seconds = np.mean([part[1] for part in row.values()])
        lines.append(f"| {name} | {' | '.join(cells)} | {seconds:.2f} |")
    forest = found["forest, labelled rows only"]
    wins = {
        name: sum(row[table][0] < forest[table][0] for table in TABLES)
        for name, row in found.items()
        if "label" not in name
    }
    told = ", ".join(f"{name} on {n}" for name, n in wins.items())
    lines += ["", f"Tables of {len(TABLES)} with a lower error than the forest alone: {told}."]
    trees, taught = found["3 bagged trees, labelled only"], found["TriTraining of trees"]
    n_better = sum(taught[table][0] < trees[table][0] for table in TABLES)
    lines += ["", f"Tri-training of trees has a lower error than 3 bagged trees on {n_better}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=8)
    splits = parser.parse_args().splits
    found: Found = {}
    for seed in range(splits):  # the page is written after every split, so it can be stopped
        measure(seed, found)
        RESULTS.write_text(page(found, seed + 1), encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
