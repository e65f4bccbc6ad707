"""Dynamic selection of all queries at once against one query after the other.

``python -m benchmarks.dynamic_selection`` takes CPU seconds in one thread, and writes them to
``results/dynamic_selection.md`` and ``.json``. The loops do for every query what a straightforward
implementation of KNORA-Union does: find its neighbours, look up who is right about them, and count
votes. "convenient" asks scikit-learn for the neighbours of each query, "tight" has nothing but
three NumPy calls in it; both are given what members say of all queries.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from coterie import BaggingClassifier, DecisionTreeClassifier, DynamicSelectionClassifier
from coterie.selection import METHODS

RESULTS = Path(__file__).parent / "results"
LOOPED = 1000  # queries the loop is timed on; it takes as long for each


def tight(points: Any, k: int) -> Callable[[Any], Any]:
    """Neighbours of one query by plain NumPy."""
    squares = (points**2).sum(axis=1)
    return lambda place: np.argpartition(squares - 2 * points @ place, k)[:k]


def convenient(points: Any, k: int) -> Callable[[Any], Any]:
    """Neighbours of one query by scikit-learn."""
    search = NearestNeighbors(n_neighbors=k).fit(points)
    return lambda place: search.kneighbors(place[None, :], return_distance=False)[0]


def one_by_one(model: DynamicSelectionClassifier, X: Any, find: Any) -> Any:
    """Classes of the queries by KNORA-Union, in a loop."""
    labels = np.stack([member.predict(X) for member in model.estimators_])
    places = model.ground_.place(model._admit(X))
    hits = (model.verdicts_.labels == model.ground_.encoded).T
    near_of, answers = find(model.ground_.points, model.n_neighbors), []
    for said, place in zip(labels.T, places, strict=True):
        weights = hits[near_of(place)].sum(axis=0)
        weights = weights if weights.any() else np.ones(len(said))
        answers.append(np.bincount(said, weights, len(model.classes_)).argmax())
    return model.classes_[answers]


def seconds(do: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, and what came out."""
    began = time.process_time()
    found = do()
    return time.process_time() - began, found


def measure(queries: int, samples: int, members: int) -> dict[str, Any]:
    """Seconds of every method, and of the loops."""
    X, y = make_classification(
        queries + 2 * samples, 20, n_informative=10, n_classes=3, random_state=0
    )
    pool = BaggingClassifier(DecisionTreeClassifier(max_depth=5), members, random_state=0)
    pool.fit(X[:samples], y[:samples])
    judge, asked = slice(samples, 2 * samples), X[2 * samples :]
    found: dict[str, Any] = {"queries": queries, "samples": samples, "members": members}
    found["methods"], found["loops"] = {}, {}
    for name in METHODS:
        model = DynamicSelectionClassifier(pool, method=name, prefit=True, agreement_shortcut=False)
        fit, _ = seconds(lambda model=model: model.fit(X[judge], y[judge]))
        predict, said = seconds(lambda model=model: model.predict(asked))
        found["methods"][name] = {"fit": fit, "predict": predict}
        print(f"{name:<14}{fit:8.2f}{predict:9.2f}", flush=True)
        if name == "knora_u":
            for find in (tight, convenient):
                took, looped = seconds(
                    lambda find=find, model=model: one_by_one(model, asked[:LOOPED], find)
                )
                assert (looped == said[:LOOPED]).all()
                found["loops"][find.__name__] = took * queries / LOOPED
    return found


def summary(found: dict[str, Any]) -> str:
    """The results as a table in Markdown."""
    all_at_once = found["methods"]["knora_u"]["predict"]
    loops = [
        f"- {name} loop: {took:.1f} s, {took / all_at_once:.1f} times as long."
        for name, took in found["loops"].items()
    ]
    lines = [
        "# Dynamic selection",
        "",
        f"{found['queries']} queries, {found['samples']} judged samples, {found['members']} trees "
        "of depth 5, 20 columns, 7 neighbours, no query spared. CPU seconds in one thread; what "
        "members say of the queries and the search for neighbours are in them. KNORA-Union, one "
        f"query after the other (timed on {LOOPED}), against {all_at_once:.2f} s for all at once:",
        "",
        *loops,
        "",
        "| method | fit | predict |",
        "|---|---|---|",
    ]
    for name, took in found["methods"].items():
        lines.append(f"| {name} | {took['fit']:.2f} s | {took['predict']:.2f} s |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Time every method, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--members", type=int, default=100)
    chosen = parser.parse_args()
    with threadpool_limits(1):
        found = measure(chosen.queries, chosen.samples, chosen.members)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "dynamic_selection.json").write_text(json.dumps(found, indent=1) + "\n")
    text = summary(found)
    (RESULTS / "dynamic_selection.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
