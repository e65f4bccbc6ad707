"""Isolation forests and other detectors against scikit-learn's.

``python -m benchmarks.outliers`` writes `results/outliers.md`: the CPU time of fit and score as a
ratio to scikit-learn's on the same rows, and how well detectors rank rows of a rare class of real
tables above the others (area under the curve, mean of several seeds). Ratios are of minima over
repetitions that alternate between the two.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import IsolationForest as TheirForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

import coterie
from benchmarks.tables import PROJECT, read_frame

RESULTS = PROJECT / "benchmarks" / "results" / "outliers.md"
SIZES = ((1_000, 10), (10_000, 10), (100_000, 20), (300_000, 28))
#: Tables with the classes that stand for outliers; of each a few rows are kept.
TABLES: dict[str, tuple[Any, ...]] = {
    "breast cancer": ("malignant",),
    "ionosphere": (0,),  # bad
    "letter": (0,),  # A
    "magic": (1,),  # hadrons
    "spambase": (1,),  # spam
}
SHARE = 0.05

Rows = NDArray[np.float64]


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of some work, and what it gives."""
    before = time.process_time()
    found = work()
    return time.process_time() - before, found


def compare_speed(n_rows: int, n_columns: int, repetitions: int) -> list[float]:
    """How many times as long scikit-learn takes to fit and to score, and how the ranks agree."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    X[: n_rows // 100] += 4.0
    seconds: list[list[float]] = []
    for _ in range(repetitions):
        row, scores = [], []
        for cls in (coterie.IsolationForest, TheirForest):
            fit, model = cpu(lambda cls=cls: cls(random_state=0).fit(X))
            score, said = cpu(lambda model=model: model.score_samples(X))
            row += [fit, score]
            scores.append(said)
        agree = spearmanr(*scores).statistic
        seconds.append(row)
    fit, score, their_fit, their_score = np.min(seconds, axis=0)
    both = (their_fit + their_score) / (fit + score)
    return [their_fit / fit, their_score / score, both, agree]


def read_table(name: str) -> tuple[Rows, NDArray[Any]]:
    """The cells and classes of a table."""
    if name == "breast cancer":
        found = load_breast_cancer()
        return found.data, found.target_names[found.target]
    frame, codes = read_frame(name)
    return frame.select_dtypes("number").to_numpy(dtype=np.float64), codes


def rare(name: str, rng: np.random.Generator) -> tuple[Rows, NDArray[np.bool_]]:
    """A table in which the outlying classes make up a small share of the rows."""
    X, y = read_table(name)
    outlying = np.isin(y.astype(str), [str(label) for label in TABLES[name]])
    usual, strange = np.flatnonzero(~outlying), np.flatnonzero(outlying)
    usual = rng.choice(usual, min(len(usual), 5000), replace=False)
    n_strange = min(len(strange), max(5, int(SHARE * len(usual) / (1 - SHARE))))
    rows = np.concatenate([usual, rng.choice(strange, n_strange, replace=False)])
    return X[rows], np.arange(len(rows)) >= len(usual)


def detectors(seed: int) -> dict[str, Any]:
    """What is compared."""
    return {
        "IsolationForest of scikit-learn": TheirForest(random_state=seed),
        "IsolationForest": coterie.IsolationForest(random_state=seed),
        "ExtendedIsolationForest": coterie.ExtendedIsolationForest(random_state=seed),
        "LODADetector": coterie.LODADetector(random_state=seed),
        "LocalOutlierFactor of scikit-learn": LocalOutlierFactor(novelty=True),
        "FeatureBaggingDetector": coterie.FeatureBaggingDetector(random_state=seed),
        "OutlierEnsemble": coterie.OutlierEnsemble(random_state=seed),
    }


def compare_ranks(seeds: int) -> dict[str, dict[str, float]]:
    """Area under the curve by detector and table."""
    found: dict[str, dict[str, list[float]]] = {}
    for table in TABLES:
        for seed in range(seeds):
            X, strange = rare(table, np.random.default_rng(seed))
            for name, detector in detectors(seed).items():
                area = roc_auc_score(strange, -detector.fit(X).score_samples(X))
                found.setdefault(name, {}).setdefault(table, []).append(area)
    return {
        name: {table: float(np.mean(areas)) for table, areas in row.items()}
        for name, row in found.items()
    }


def page(speed: dict[tuple[int, int], list[float]], ranks: dict[str, dict[str, float]]) -> str:
    """The tables in Markdown."""
    lines = [
        "# Outliers",
        "",
        "Written by `python -m benchmarks.outliers`.",
        "",
        "CPU time of scikit-learn's isolation forest over coterie's, 100 trees, one thread, "
        "normal columns with 1 % of the rows shifted; and the rank correlation of the scores.",
        "",
        "| rows × columns | fit | score | both | rank correlation |",
        "|---|---:|---:|---:|---:|",
    ]
    for (rows, columns), (fit, score, both, agree) in speed.items():
        lines.append(
            f"| {rows:,} × {columns} | {fit:.1f}× | {score:.1f}× | {both:.1f}× | {agree:.3f} |"
        )
    lines += [
        "",
        f"Area under the curve of detectors on tables whose rare class, cut to {SHARE:.0%} of the "
        "rows, stands for outliers. A rare class need not be strange: below 0.5 it is more usual "
        "than the others.",
        "",
        "| detector | " + " | ".join(TABLES) + " | mean |",
        "|---|" + "---:|" * (len(TABLES) + 1),
    ]
    for name, row in ranks.items():
        cells = [f"{row[table]:.3f}" for table in TABLES]
        lines.append(f"| {name} | {' | '.join(cells)} | {np.mean(list(row.values())):.3f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    speed = {size: compare_speed(*size, given.repetitions) for size in SIZES}
    RESULTS.write_text(page(speed, compare_ranks(given.seeds)), encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
