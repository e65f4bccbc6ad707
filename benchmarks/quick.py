"""A regression guard of two minutes: ``make bench-quick``.

Small fits and predictions, each beside another library's in the same process and on one thread.
What counts is the ratio of CPU seconds, theirs over ours, which a slower machine or a busy one
changes little. `results/quick.json` has the ratios of an earlier day; whatever has become slower by
more than a tenth is named, and the exit status is 1. ``--record`` writes the ratios down.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.report import today
from benchmarks.tables import PROJECT, SYNTHETIC

RECORDED = PROJECT / "benchmarks" / "results" / "quick.json"
SLOWER = 1.1  # times, beyond which it is said
PEERS = {"LightGBM": "lightgbm", "scikit-learn": "sklearn.ensemble"}
_LEAVES = {"max_leaf_nodes": 31, "min_samples_leaf": 20, "learning_rate": 0.1}
BOOST = {"early_stopping": False, **_LEAVES}
LIGHT = {"num_leaves": 31, "min_child_samples": 20, "verbosity": -1, "n_jobs": 1}

Job = Callable[[], Any]


@dataclass(frozen=True)
class Duel:
    """The same work done by us and by another library.

    Parameters
    ----------
    name : str
        What is done, on which table.
    peer : str
        Whose work ours is set beside.
    ours, theirs : callable
        Do it, everything they need being at hand.
    """

    name: str
    peer: str
    ours: Job
    theirs: Job


@cache
def table(name: str, rows: int) -> tuple[Any, NDArray[Any]]:
    """A synthetic table: one of `benchmarks.tables`, letters (26 classes) or words (sparse)."""
    rng = np.random.default_rng(7)
    if name in SYNTHETIC:
        return SYNTHETIC[name][1](rows, rng)
    if name == "letters":
        centres = rng.normal(size=(26, 16))
        y = rng.integers(0, 26, rows)
        cells = centres[y] + 0.8 * rng.normal(size=(rows, 16))
        return np.round(2 * cells).astype(np.float32), y
    return words(rows, 20_000, 46)


def words(rows: int, columns: int, each: int, seed: int = 0) -> tuple[Any, NDArray[np.int64]]:
    """Texts of so many words by Zipf's law, and a class that depends on the frequent ones.

    Examples
    --------
    >>> X, y = words(100, 1000, 20)
    >>> X.shape, sorted(set(y.tolist())), bool(X.nnz < 2000)
    ((100, 1000), [0, 1], True)
    """
    rng = np.random.default_rng(seed)
    chance = 1.0 / np.arange(1, columns + 1) ** 0.9
    drawn = np.searchsorted(np.cumsum(chance / chance.sum()), rng.random(rows * each))
    place = np.repeat(np.arange(rows, dtype=np.int32), each), drawn.astype(np.int32)
    X = sparse.coo_matrix((np.ones(rows * each), place), shape=(rows, columns)).tocsr()
    weight = np.where(np.arange(columns) < 300, rng.normal(size=columns), 0.0)
    score = X @ weight
    noise = 0.3 * score.std() * rng.normal(size=rows)
    return X, (score + noise > np.median(score)).astype(np.int64)


def _fit(module: str, kind: str, data: tuple[Any, Any], **settings: Any) -> Any:
    return getattr(import_module(module), kind)(**settings).fit(*data)


def _boosting(name: str, rows: int, rounds: int, kind: str = "Classifier") -> Iterator[Duel]:
    """A fit beside LightGBM's, and the prediction of all rows."""
    data = table(name, rows)

    def ours() -> Any:
        kinds = f"HistGradientBoosting{kind}"
        return _fit("coterie", kinds, data, max_iter=rounds, n_jobs=1, **BOOST)

    def theirs() -> Any:
        return _fit("lightgbm", f"LGBM{kind}", data, n_estimators=rounds, **LIGHT)

    yield Duel(f"boosting/{name}/{rows}", "LightGBM", ours, theirs)
    model, other = cache(ours), cache(theirs)
    yield Duel(
        f"boosting/{name}/{rows}/predict",
        "LightGBM",
        lambda: model().predict(data[0]),
        lambda: other().predict(data[0]),
    )


def _ensemble(name: str, rows: int, kind: str, **settings: Any) -> Duel:
    """A fit beside scikit-learn's class of the same name."""
    data = table(name, rows)
    settings["random_state"] = 0
    return Duel(
        f"{kind}/{name}/{rows}",
        "scikit-learn",
        lambda: _fit("coterie", kind, data, **settings),
        lambda: _fit("sklearn.ensemble", kind, data, **settings),
    )


def duels() -> Iterator[Duel]:
    """All of them."""
    yield from _boosting("higgs", 100_000, 30)
    yield from _boosting("energy", 100_000, 30, "Regressor")
    yield from _boosting("letters", 10_000, 10)
    yield from _boosting("words", 10_000, 20)
    yield _ensemble("higgs", 20_000, "RandomForestClassifier", n_estimators=5)
    yield _ensemble("energy", 5_000, "RandomForestRegressor", n_estimators=5)
    yield _ensemble("higgs", 20_000, "ExtraTreesClassifier", n_estimators=10)
    yield _ensemble("words", 5_000, "RandomForestClassifier", n_estimators=5)
    yield _ensemble("higgs", 20_000, "AdaBoostClassifier", n_estimators=10)
    yield _ensemble("higgs", 10_000, "BaggingClassifier", n_estimators=5)


def seconds(job: Job, least: float = 0.15) -> float:
    """CPU seconds of a job, which is repeated until they are worth measuring."""
    times, start = 0, time.process_time()
    while True:
        job()
        times += 1
        spent = time.process_time() - start
        if spent >= least:
            return spent / times


def measure(duel: Duel, repeats: int = 3) -> float:
    """Their CPU seconds over ours: of the quickest of several runs, in turns."""
    for job in (duel.ours, duel.theirs):
        job()  # imports, and models to predict with
    runs = [(seconds(duel.ours), seconds(duel.theirs)) for _ in range(repeats)]
    ours, theirs = (min(column) for column in zip(*runs, strict=True))
    return theirs / ours


def compare(ratios: dict[str, float], recorded: dict[str, float]) -> tuple[str, list[str]]:
    """A table of ratios beside the recorded ones, and the names of what is slower.

    >>> text, slower = compare({"a": 2.0, "b": 3.0}, {"a": 2.1, "b": 4.0})
    >>> print(text)
    | case | now | recorded | change |
    |---|---|---|---|
    | a | 2.00 | 2.10 | -5 % |
    | b | 3.00 | 4.00 | -25 % slower |
    >>> slower
    ['b']
    """
    lines = ["| case | now | recorded | change |", "|---|---|---|---|"]
    slower = []
    for name, ratio in ratios.items():
        if name not in recorded:
            lines.append(f"| {name} | {ratio:.2f} | | |")
            continue
        change = ratio / recorded[name]
        if change * SLOWER < 1:
            slower.append(name)
        mark = " slower" if change * SLOWER < 1 else ""
        lines.append(
            f"| {name} | {ratio:.2f} | {recorded[name]:.2f} | {100 * (change - 1):+.0f} %{mark} |"
        )
    return "\n".join(lines), slower


def _installed(duel: Duel) -> bool:
    try:
        import_module(PEERS[duel.peer])
    except ImportError:
        return False
    return True


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and compare; 1 if something is slower."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quick", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the ratios down")
    parser.add_argument("--only", default="", help="part of the names of cases")
    args = parser.parse_args(argv)
    ratios: dict[str, float] = {}
    for duel in duels():
        if args.only in duel.name and _installed(duel):
            print(duel.name, file=sys.stderr, flush=True)
            ratios[duel.name] = measure(duel)
    recorded = json.loads(RECORDED.read_text()) if RECORDED.is_file() else {}
    known = recorded.get("ratios", {})
    text, slower = compare(ratios, known)
    print(f"CPU seconds of the other library over ours; recorded {recorded.get('date', 'never')}\n")
    print(text)
    if args.record:
        rounded = {name: round(ratio, 3) for name, ratio in ratios.items()}
        found = {"date": today(), "ratios": {**known, **rounded}}
        RECORDED.write_text(json.dumps(found, indent=1) + "\n")
        return 0
    if slower:
        print("\nSlower by more than 10 %: " + ", ".join(slower))
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
