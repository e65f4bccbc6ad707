"""Speeds that were set as goals: ``python -m benchmarks.targets``.

Each case is a fit or a prediction beside another library's, with equal settings, in one process and
on one thread, in turns; what counts is the ratio of CPU seconds, theirs over ours, of the quickest
of several runs. Losses or accuracies stand beside it, as speed must not be bought with them.
`--only` takes part of a name. Results go to ``results/targets.md`` and ``.json``; cases that are
not run keep what was found before.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gradient_models import SPELLS
from benchmarks.measure import loss_by_row, peak_mb, reset_peak
from benchmarks.quick import words
from benchmarks.report import today
from benchmarks.tables import Split, make, task_of

RESULTS = Path(__file__).parent / "results"
MODULES = {
    "coterie": "coterie",
    "LightGBM": "lightgbm",
    "CatBoost": "catboost",
    "scikit-learn": "sklearn.ensemble",
}
QUIET = {"CatBoost": {"thread_count": 1}}
ROUNDS = {"higgs": 20, "energy": 20, "covertype": 10, "letter": 20, "mnist": 10}  # otherwise 100
ROWS = {"higgs": 1_000_000, "energy": 1_000_000, "flights": 100_000, "mnist": 10_000}
Job = Callable[[], Any]


@dataclass(frozen=True)
class Goal:
    """What was asked for.

    Parameters
    ----------
    name : str
        What is done, on which table.
    peer : str
        Whose work ours is set beside.
    asked : float
        Their CPU seconds over ours, at least.
    ours, theirs : callable
        Do it; a loss, an accuracy or None.
    score : callable, optional
        From what they return to a figure to be compared.
    """

    name: str
    peer: str
    asked: float
    ours: Job
    theirs: Job
    score: Callable[[Any], float] | None = None


@cache
def table(name: str) -> Split:
    """A table of the benchmarks, with the rows of the goals."""
    return make(name, ROWS.get(name))


def model(name: str, library: str, threads: int = 1) -> Any:
    """Gradient boosting with equal settings."""
    task, classes = task_of(name), len(np.unique(table(name).y_train))
    kind, given = SPELLS[library](task, ROUNDS.get(name, 100), classes)
    threads_of = QUIET.get(library, {"n_jobs": threads})
    return getattr(import_module(MODULES[library]), kind)(**given, **threads_of)


@cache
def fitted(name: str, library: str) -> Any:
    """A model to predict with."""
    split = table(name)
    return model(name, library).fit(split.X_train, split.y_train)


def answers(found: Any, name: str) -> Any:
    """What a model says of the held-out rows."""
    X = table(name).X_test
    return found.predict_proba(X) if hasattr(found, "classes_") else found.predict(X)


def _fits() -> Iterator[Goal]:
    asked = {"higgs": 4, "energy": 4, "covertype": 3, "letter": 3, "mnist": 3, "adult": 3}
    for name, least in {**asked, "flights": 3}.items():

        def fit(library: str, name: str = name) -> Any:
            split = table(name)
            return model(name, library).fit(split.X_train, split.y_train)

        yield Goal(
            f"fit/{name}",
            "LightGBM",
            least,
            lambda fit=fit: fit("coterie"),
            lambda fit=fit: fit("LightGBM"),
            lambda found, name=name: float(
                loss_by_row(table(name).y_test, answers(found, name)).mean()
            ),
        )


def _predictions() -> Iterator[Goal]:
    asked = [("covertype", "LightGBM", 4.0), ("adult", "LightGBM", 4.0), ("flights", "LightGBM", 4)]
    for name, peer, least in [*asked, ("letter", "CatBoost", 1.0)]:
        yield Goal(
            f"predict/{name}",
            peer,
            least,
            lambda name=name: answers(fitted(name, "coterie"), name),
            lambda name=name, peer=peer: answers(fitted(name, peer), name),
        )


def _ensembles() -> Iterator[Goal]:
    """Fits of other families beside scikit-learn's."""
    ours, theirs = import_module("coterie"), import_module("sklearn.ensemble")
    trees = {ours: ours, theirs: import_module("sklearn.tree")}

    def goal(name: str, least: float, build: Callable[[Any], Any], data: Split) -> Goal:
        return Goal(
            name,
            "scikit-learn",
            least,
            lambda: build(ours).fit(data.X_train, data.y_train),
            lambda: build(theirs).fit(data.X_train, data.y_train),
            lambda found: float(found.score(data.X_test, data.y_test)),
        )

    stumps = make("higgs", 30_000)
    wide = Split(
        stumps.X_train.astype(np.float64), stumps.y_train, stumps.X_test, stumps.y_test
    )
    yield goal("AdaBoost/30k", 60, lambda m: m.AdaBoostClassifier(n_estimators=100), wide)
    for name in ("letter", "housing"):
        kind = "Classifier" if task_of(name) == "classification" else "Regressor"

        def single(m: Any, kind: str = kind, **settings: Any) -> Any:
            return getattr(trees[m], f"DecisionTree{kind}")(random_state=0, **settings)

        def bag(m: Any, kind: str = kind, single: Any = single) -> Any:
            return getattr(m, f"Bagging{kind}")(single(m), n_estimators=20, random_state=0)

        def stack(m: Any, kind: str = kind, bag: Any = bag, single: Any = single) -> Any:
            members = [
                ("forest", getattr(m, f"RandomForest{kind}")(20, random_state=0)),
                ("gradient", getattr(m, f"HistGradientBoosting{kind}")(max_iter=20)),
                ("tree", single(m, max_depth=8)),
                ("bag", bag(m)),
            ]
            return getattr(m, f"Stacking{kind}")(members, cv=3)

        yield goal(f"bagging/{name}", 6, bag, make(name, None))
        yield goal(f"stacking/{name}", 6, stack, make(name, 6000))


def _sparse() -> Iterator[Goal]:
    X, y = words(15_000, 20_000, 46)
    ours, theirs = model_settings(30)
    yield Goal(
        "fit/words",
        "LightGBM",
        1.5,
        lambda: ours().fit(X, y),
        lambda: theirs().fit(X, y),
        lambda found: float(loss_by_row(y, found.predict_proba(X)).mean()),
    )


def model_settings(rounds: int) -> tuple[Job, Job]:
    """Makers of equal gradient boosting of two classes, ours and LightGBM's."""

    def build(library: str) -> Any:
        kind, given = SPELLS[library]("classification", rounds, 2)
        return getattr(import_module(MODULES[library]), kind)(**given, n_jobs=1)

    return lambda: build("coterie"), lambda: build("LightGBM")


def _dynamic() -> Iterator[Goal]:
    from benchmarks.dynamic_selection import problem, with_neighbours

    chosen, queries, loop = problem(), None, with_neighbours
    del chosen, queries, loop
    return iter(())


def goals() -> Iterator[Callable[[], Iterator[Goal]]]:
    """Groups of cases, whose tables are made when their turn comes."""
    yield from (_fits, _predictions, _ensembles, _sparse)


def seconds(job: Job, least: float = 0.2) -> tuple[float, Any]:
    """CPU seconds of a job, repeated until they are worth measuring, and what it returned."""
    times, start = 0, time.process_time()
    while True:
        found = job()
        times += 1
        if (spent := time.process_time() - start) >= least:
            return spent / times, found


def measure(goal: Goal, repeats: int) -> dict[str, Any]:
    """Quickest runs of both, in turns, and their scores."""
    best = [np.inf, np.inf]
    scores: list[float | None] = [None, None]
    for turn in range(repeats):
        for side, job in enumerate((goal.ours, goal.theirs)):
            spent, found = seconds(job)
            best[side] = min(best[side], spent)
            if goal.score and not turn:
                scores[side] = goal.score(found)
    return {
        "peer": goal.peer,
        "asked": goal.asked,
        "seconds": best,
        "ratio": best[1] / best[0],
        "scores": scores,
    }


def one_row(name: str) -> float:
    """Median microseconds of one row by `fast_predictor`."""
    fast, X = fitted(name, "coterie").fast_predictor(), table(name).X_test
    spent = []
    for i in range(3000):
        row = X[i : i + 1]
        start = time.perf_counter_ns()
        fast(row)
        spent.append(time.perf_counter_ns() - start)
    return float(np.median(spent)) / 1000


def memory(name: str, library: str) -> float:
    """MB that a fit adds to a process of its own."""
    job = f"from benchmarks.targets import weigh; weigh({name!r}, {library!r})"
    done = subprocess.run([sys.executable, "-c", job], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def weigh(name: str, library: str) -> None:
    """Print the MB that a fit adds to this process."""
    split, fresh = table(name), model(name, library)
    before = reset_peak()
    fresh.fit(split.X_train, split.y_train)
    print(peak_mb() - before)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.targets", description=__doc__)
    parser.add_argument("--only", default="", help="part of the names of cases")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    for group in goals():
        for goal in group():
            if args.only in goal.name:
                found = measure(goal, args.repeats)
                print(
                    goal.name, f"{found['ratio']:.2f} asked {goal.asked}",
                    [round(s, 4) for s in found["seconds"]], found["scores"], flush=True,
                )
    for name in ("covertype", "letter", "mnist"):
        if args.only in f"row/{name}":
            print(f"row/{name} {one_row(name):.1f} us", flush=True)
    if args.only in "memory/covertype":
        print("memory", [memory("covertype", lib) for lib in ("coterie", "LightGBM")], today())


if __name__ == "__main__":
    main()
