"""Coverage and size of prediction sets, against MAPIE's.

``python -m benchmarks.conformal`` writes `results/conformal.md`. Both wrap the same models, on the
same splits of the rows; MAPIE is optional (``pip install mapie``). Times are CPU seconds of fit and
prediction.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, load_digits
from sklearn.model_selection import train_test_split

import coterie
from benchmarks.tables import PROJECT, read_frame

RESULTS = PROJECT / "benchmarks" / "results" / "conformal.md"
ALPHA = 0.1
TREES = 60

Rows = NDArray[np.float64]
Answer = tuple[float, float]


def regression_tables() -> Iterator[tuple[str, Rows, Rows]]:
    """Tables of numbers."""
    X, y = load_diabetes(return_X_y=True)
    yield "diabetes", X, y
    for name in ("concrete", "abalone"):
        frame, target = read_frame(name)
        yield name, frame.select_dtypes("number").to_numpy(dtype=np.float64), target


def class_tables() -> Iterator[tuple[str, Rows, NDArray[Any]]]:
    """Tables of classes."""
    X, y = load_digits(return_X_y=True)
    yield "digits", X, y
    for name in ("vehicle", "letter"):
        frame, codes = read_frame(name)
        yield name, frame.to_numpy(dtype=np.float64)[:4000], codes[:4000]


def judged_intervals(ends: Rows, truth: Rows) -> Answer:
    """Coverage and mean width."""
    inside = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    return float(inside.mean()), float((ends[:, 1] - ends[:, 0]).mean())


def judged_sets(sets: NDArray[np.bool_], truth: NDArray[Any]) -> Answer:
    """Coverage and mean size."""
    return float(sets[np.arange(len(sets)), truth].mean()), float(sets.sum(axis=1).mean())


def our_regressors(seed: int) -> dict[str, Callable[..., Rows]]:
    """Methods of coterie by name."""

    def run(method: str) -> Callable[..., Rows]:
        forest = coterie.RandomForestRegressor(TREES, random_state=seed)
        model = coterie.ConformalRegressor(forest, method=method, cv=5, random_state=seed)
        return lambda X, y, new: model.fit(X, y).predict_interval(new, ALPHA)

    names = ("split", "cv+", "jackknife+ab", "oob", "cqr")
    return {f"coterie {name}": run(name) for name in names}


def their_regressors(seed: int) -> dict[str, Callable[..., Rows]]:
    """Methods of MAPIE by name, around the same forests."""
    try:
        from mapie.regression import (
            CrossConformalRegressor,
            JackknifeAfterBootstrapRegressor,
            SplitConformalRegressor,
        )
    except ImportError:
        return {}
    forest = coterie.RandomForestRegressor(TREES, random_state=seed)

    def split(X: Rows, y: Rows, new: Rows) -> Rows:
        X, X_rest, y, y_rest = train_test_split(X, y, test_size=0.25, random_state=seed)
        model = SplitConformalRegressor(forest, confidence_level=1 - ALPHA, prefit=False)
        model.fit(X, y).conformalize(X_rest, y_rest)
        return np.asarray(model.predict_interval(new)[1][:, :, 0])

    def cross(X: Rows, y: Rows, new: Rows) -> Rows:
        model = CrossConformalRegressor(forest, confidence_level=1 - ALPHA, cv=5)
        return np.asarray(model.fit_conformalize(X, y).predict_interval(new)[1][:, :, 0])

    def bags(X: Rows, y: Rows, new: Rows) -> Rows:
        tree = coterie.DecisionTreeRegressor(random_state=seed)
        model = JackknifeAfterBootstrapRegressor(
            tree, confidence_level=1 - ALPHA, resampling=TREES, random_state=seed
        )
        return np.asarray(model.fit_conformalize(X, y).predict_interval(new)[1][:, :, 0])

    return {"MAPIE split": split, "MAPIE cv+": cross, "MAPIE jackknife+ab": bags}


def our_classifiers(seed: int) -> dict[str, Callable[..., Any]]:
    """Scores and sources of coterie by name."""

    def run(method: str, source: str) -> Callable[..., Any]:
        forest = coterie.RandomForestClassifier(TREES, random_state=seed)
        model = coterie.ConformalClassifier(
            forest, method=method, source=source, cv=5, random_state=seed
        )
        return lambda X, y, new: model.fit(X, y).predict_set(new, ALPHA)

    pairs = [(m, s) for m in ("lac", "aps", "raps") for s in ("split", "oob")] + [("lac", "cv+")]
    return {f"coterie {method} {source}": run(method, source) for method, source in pairs}


def their_classifiers(seed: int) -> dict[str, Callable[..., Any]]:
    """The same of MAPIE."""
    try:
        from mapie.classification import CrossConformalClassifier, SplitConformalClassifier
    except ImportError:
        return {}
    forest = coterie.RandomForestClassifier(TREES, random_state=seed)

    def split(score: str) -> Callable[..., Any]:
        def run(X: Rows, y: Rows, new: Rows) -> Any:
            X, X_rest, y, y_rest = train_test_split(
                X, y, test_size=0.25, random_state=seed, stratify=y
            )
            model = SplitConformalClassifier(
                forest,
                confidence_level=1 - ALPHA,
                conformity_score=score,
                prefit=False,
                random_state=seed,
            )
            model.fit(X, y).conformalize(X_rest, y_rest)
            return model.predict_set(new)[1][:, :, 0]

        return run

    def cross(X: Rows, y: Rows, new: Rows) -> Any:
        model = CrossConformalClassifier(
            forest, confidence_level=1 - ALPHA, conformity_score="lac", cv=5, random_state=seed
        )
        return model.fit_conformalize(X, y).predict_set(new)[1][:, :, 0]

    names = {f"MAPIE {score} split": split(score) for score in ("lac", "aps", "raps")}
    return names | {"MAPIE lac cv+": cross}


def measure(tables: Any, makers: Any, judge: Any, seeds: int) -> dict[str, dict[str, Rows]]:
    """Coverage, size and seconds by method and table, means over seeds."""
    found: dict[str, dict[str, list[Any]]] = {}
    for table, X, y in tables:
        for seed in range(seeds):
            X_fit, X_new, y_fit, y_new = train_test_split(X, y, test_size=0.4, random_state=seed)
            for name, run in (makers[0](seed) | makers[1](seed)).items():
                before = time.process_time()
                answer = run(X_fit, y_fit, X_new)
                row = (*judge(answer, y_new), time.process_time() - before)
                found.setdefault(name, {}).setdefault(table, []).append(row)
    return {
        name: {table: np.mean(rows, axis=0) for table, rows in row.items()}
        for name, row in found.items()
    }


def table_of(found: dict[str, dict[str, Rows]], size: str) -> list[str]:
    """A table in Markdown."""
    tables = list(next(iter(found.values())))
    lines = [
        "| method | " + " | ".join(f"{t}: coverage | {size} | CPU s" for t in tables) + " |",
        "|---|" + "---:|---:|---:|" * len(tables),
    ]
    for name, row in found.items():
        cells = [f"{c:.3f} | {s:.3g} | {t:.2f}" for c, s, t in (row[table] for table in tables)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    numbers = measure(
        regression_tables(), (our_regressors, their_regressors), judged_intervals, given.seeds
    )
    classes = measure(
        class_tables(), (our_classifiers, their_classifiers), judged_sets, given.seeds
    )
    lines = [
        "# Prediction sets",
        "",
        f"Written by `python -m benchmarks.conformal`. {1 - ALPHA:.0%} coverage is asked for; "
        f"forests of {TREES} trees of coterie in all rows (MAPIE's jackknife+ after bootstrap bags "
        f"trees itself); means of {given.seeds} splits into 60 % and 40 %.",
        "",
        *table_of(numbers, "width"),
        "",
        *table_of(classes, "size"),
        "",
    ]
    RESULTS.write_text("\n".join(lines), encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
