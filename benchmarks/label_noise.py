"""Boosters that learn from flipped labels and are judged by right ones.

``python -m benchmarks.label_noise`` writes `results/label_noise.md` and `results/label_noise.json`:
the error of every booster by the share of labels flipped, on tables of two classes and on the
table of Long and Servedio. ``--seeds 3`` is a quick look. Members are stumps throughout, and
nothing is tuned on any table: BrownBoost and RobustBoost, which have to be told what share of
mistakes to put up with, are told the share of flips and a little more, and so know something the
others do not.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

import coterie
from benchmarks.tables import PROJECT, available, read_frame

FLIPS = (0.0, 0.1, 0.2, 0.3, 0.4)
LEARN, JUDGE, ROUNDS = 200, 500, 50
TABLES = ("breast_cancer", "german", "ionosphere", "magic", "sonar", "spambase", "tictactoe")
CONVEX = ("AdaBoost", "LogitBoost", "GentleBoost", "MadaBoost", "LPBoost", "TotalBoost")
RESULTS = PROJECT / "benchmarks" / "results" / "label_noise.json"
#: Flips, rows and goals on the table of Long and Servedio; goals are the same with and without.
HARD_FLIPS, HARD_LEARN, HARD_JUDGE, HARD_ROUNDS = (0.0, 0.1), 800, 2000, 300
HARD_GOALS: dict[str, dict[str, Any]] = {
    "BrownBoost 0.25": {"target_error": 0.25},
    "BrownBoost 0.35": {"target_error": 0.35},
    "RobustBoost 0.15": {"error_goal": 0.15},
    "RobustBoost 0.2": {"error_goal": 0.2},
    "RobustBoost 0.25": {"error_goal": 0.25},
}

Rows = tuple[Any, Any]
Draw = Callable[[Generator], tuple[Rows, Rows]]


def convex(rounds: int) -> dict[str, Any]:
    """Boosters that are told nothing, with the learning rates they come with."""
    models = {name: getattr(coterie, f"{name}Classifier")(n_estimators=rounds) for name in CONVEX}
    tree = coterie.HistGradientBoostingClassifier(max_iter=rounds, max_depth=1)
    return models | {"GradientBoosting": tree}


def clocked(flips: float, rounds: int) -> dict[str, Any]:
    """Those who give rows up: they expect the share of flips and a little more."""
    return {
        "BrownBoost": coterie.BrownBoostClassifier(
            n_estimators=rounds, target_error=round(flips + 0.1, 2)
        ),
        "RobustBoost": coterie.RobustBoostClassifier(
            n_estimators=rounds, error_goal=round(flips + 0.05, 2)
        ),
    }


def hard_models() -> dict[str, Any]:
    """All of them, and the last two with several goals."""
    models = convex(100)
    for name, goal in HARD_GOALS.items():
        booster = getattr(coterie, f"{name.split()[0]}Classifier")
        models[name] = booster(n_estimators=HARD_ROUNDS, **goal)
    return models


def long_servedio(rng: Generator, n_rows: int) -> Rows:
    """21 columns whose majority is always right, and on which convex losses cannot stand noise.

    A quarter of the rows has the class in all columns; a quarter in the first eleven; the others
    in five of the first eleven and six of the last ten, drawn at random.
    """
    y = rng.integers(2, size=n_rows)
    kind = rng.choice(3, n_rows, p=[0.25, 0.25, 0.5])[:, None]
    first = rng.random((n_rows, 11)).argsort(axis=1) < 5
    last = rng.random((n_rows, 10)).argsort(axis=1) < 6
    puller = np.arange(21)[None, :] < 11
    good = np.where(kind == 0, True, np.where(kind == 1, puller, np.hstack([first, last])))
    return np.where(good, y[:, None], 1 - y[:, None]).astype(float), y


def draw_hard(rng: Generator) -> tuple[Rows, Rows]:
    """Rows of Long and Servedio's to learn from and to judge by."""
    return long_servedio(rng, HARD_LEARN), long_servedio(rng, HARD_JUDGE)


def draws(name: str) -> Draw | None:
    """Draws rows of a table; None if it is not at hand."""
    if name == "breast_cancer":
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    elif available(name):
        X, y = read_frame(name)
    else:
        return None
    codes = np.unique(np.asarray(y), return_inverse=True)[1]

    def draw(rng: Generator) -> tuple[Rows, Rows]:
        rows = rng.permutation(len(codes))
        n_learn = min(LEARN, len(codes) // 2)
        learn, judge = rows[:n_learn], rows[n_learn : n_learn + JUDGE]
        return (X.iloc[learn], codes[learn]), (X.iloc[judge], codes[judge])

    return draw


def measure(draw: Draw, flips: float, models: dict[str, Any], seeds: int) -> dict[str, list[float]]:
    """Errors by booster, one per seed; all see the same rows and the same flips."""
    errors: dict[str, list[float]] = {name: [] for name in models}
    for seed in range(seeds):
        (X, y), (X_judge, y_judge) = draw(np.random.default_rng(seed))
        wrong = np.random.default_rng(seed).random(len(y)) < flips
        for name, model in models.items():
            with warnings.catch_warnings():
                # A vote without a margin is a result of this study.
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(X, np.where(wrong, 1 - y, y))
            errors[name].append(float(np.mean(model.predict(X_judge) != y_judge)))
    return errors


def study(seeds: int) -> Iterator[dict[str, Any]]:
    """One record per table and share of flips."""
    for flips in HARD_FLIPS:
        errors = measure(draw_hard, flips, hard_models(), seeds)
        yield {"table": "long_servedio", "flips": flips, "errors": errors}
    for name in TABLES:
        draw = draws(name)
        for flips in FLIPS if draw is not None else ():
            assert draw is not None
            models = convex(ROUNDS) | clocked(flips, ROUNDS)
            yield {"table": name, "flips": flips, "errors": measure(draw, flips, models, seeds)}


def report(records: list[dict[str, Any]], seeds: int, seconds: float) -> str:
    """The study as Markdown."""
    lines = [
        "# Boosting when labels are wrong",
        "",
        f"Errors on clean labels in per cent, mean and standard error over {seeds} seeds, the",
        f"best of a column in bold. Rows to learn from: {LEARN} (half of a small table), to judge",
        f"by: {JUDGE} at most; of long_servedio {HARD_LEARN} and {HARD_JUDGE}. {ROUNDS} rounds, on",
        f"long_servedio 100, and {HARD_ROUNDS} for boosters with a goal. CPU: {seconds:.0f} s.",
        "",
    ]
    for table in dict.fromkeys(record["table"] for record in records):
        columns = [record for record in records if record["table"] == table]
        lines += [f"## {table}", ""]
        lines.append("| booster |" + "".join(f" {c['flips']:.0%} flipped |" for c in columns))
        lines.append("|---|" + "---:|" * len(columns))
        least = [min(np.mean(e) for e in c["errors"].values()) for c in columns]
        for name in columns[0]["errors"]:
            cells = [_cell(c["errors"][name], low) for c, low in zip(columns, least, strict=True)]
            lines.append(f"| {name} |" + "".join(f" {cell} |" for cell in cells))
        lines.append("")
    lines += ["## Settings", ""]
    lines += [f"- {name}: `{_plain(model)}`" for name, model in settings().items()]
    return "\n".join(lines) + "\n"


def settings() -> dict[str, Any]:
    """Every booster as it was set; the goals of the tables are those of 10 % flips."""
    return (
        convex(ROUNDS)
        | clocked(0.1, ROUNDS)
        | {f"{name} (long_servedio)": model for name, model in hard_models().items() if " " in name}
    )


def _plain(model: Any) -> str:
    return " ".join(str(model).split())


def _cell(errors: list[float], least: float) -> str:
    mean, spread = 100 * np.mean(errors), 100 * np.std(errors, ddof=1) / np.sqrt(len(errors))
    text = f"{mean:.1f} ± {spread:.1f}"
    return f"**{text}**" if np.mean(errors) <= least else text


def main() -> None:
    """Run the study, and write it after each column."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    began, records = time.process_time(), []
    for record in study(seeds):
        records.append(record)
        seconds = time.process_time() - began
        RESULTS.write_text(json.dumps({"seeds": seeds, "seconds": seconds, "records": records}))
        RESULTS.with_suffix(".md").write_text(report(records, seeds, seconds))
        print(f"{record['table']} {record['flips']:.0%} after {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
