"""Dynamic selection of all queries at once against one query after the other.

``python -m benchmarks.dynamic_selection`` prints seconds, and the ratio of the two in one run. The
loops do for every query what a straightforward implementation does: find its neighbours, look up
who is right about them, and count votes. One asks scikit-learn for the neighbours, the other has
nothing but three NumPy calls in it; both are given what members say of all queries.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.neighbors import NearestNeighbors

from coterie import BaggingClassifier, DecisionTreeClassifier, DynamicSelectionClassifier
from coterie.selection import METHODS

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


def main() -> None:
    """Time every method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--members", type=int, default=100)
    chosen = parser.parse_args()
    n_rows = chosen.queries + 2 * chosen.samples
    X, y = make_classification(n_rows, 20, n_informative=10, n_classes=3, random_state=0)
    pool = BaggingClassifier(DecisionTreeClassifier(max_depth=5), chosen.members, random_state=0)
    learn, judge = slice(0, chosen.samples), slice(chosen.samples, 2 * chosen.samples)
    queries = X[2 * chosen.samples :]
    pool.fit(X[learn], y[learn])
    print(f"{'method':<14}{'fit':>8}{'predict':>9}  seconds")
    for name in METHODS:
        model = DynamicSelectionClassifier(pool, method=name, prefit=True, agreement_shortcut=False)
        began = time.perf_counter()
        model.fit(X[judge], y[judge])
        fitted = time.perf_counter()
        predicted = model.predict(queries)
        done = time.perf_counter()
        print(f"{name:<14}{fitted - began:8.2f}{done - fitted:9.2f}")
        if name == "knora_u":
            for find in (tight, convenient):
                began = time.perf_counter()
                looped = one_by_one(model, queries[:LOOPED], find)
                took = (time.perf_counter() - began) * chosen.queries / LOOPED
                assert (looped == predicted[:LOOPED]).all()
                ratio = took / (done - fitted)
                print(f"  {find.__name__ + ' loop':<20}{took:9.2f}  ratio {ratio:.1f}")


if __name__ == "__main__":
    main()
