"""LPBoost's live program against the same programs solved from scratch.

``python -m benchmarks.lpboost`` boosts 200 rounds on 2,000 samples, then replays the rounds' hits:
once through the live model, once with a fresh ``scipy.optimize.linprog`` per round. With
``--every 10`` only every tenth round is solved from scratch, and counted ten times.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy.optimize import linprog
from sklearn.datasets import make_classification

from coterie import LPBoostClassifier
from coterie.boosting.margin.patterns import Patterns
from coterie.boosting.margin.program import EdgeProgram


def rounds(n_rows: int, n_rounds: int, nu: float) -> tuple[np.ndarray, float]:
    """The hits of each round, shape (n_rounds, n_rows), and the seconds of the whole fit."""
    X, y = make_classification(n_rows, 20, n_informative=10, flip_y=0.1, random_state=0)
    model = LPBoostClassifier(nu=nu, tol=1e-9, n_estimators=n_rounds)
    began = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - began
    votes = np.stack([member.predict(X) for member in model.estimators_])
    return np.where(votes == y, 1.0, -1.0), seconds


def warm(hits: np.ndarray, nu: float) -> tuple[float, np.ndarray]:
    """Seconds and values with the live model."""
    n_rows = hits.shape[1]
    patterns, program = Patterns(np.full(n_rows, 1 / n_rows)), EdgeProgram(1 / nu)
    values = []
    began = time.perf_counter()
    for row in hits:
        parents = patterns.split(row)
        found = program.add(patterns.hits, patterns.prior, parents)
        assert found is not None
        values.append(found.value)
    return time.perf_counter() - began, np.array(values)


def scratch(hits: np.ndarray, nu: float, every: int) -> tuple[float, np.ndarray]:
    """Seconds and values of fresh programs, one every so many rounds."""
    n_rows = hits.shape[1]
    cost = np.append(np.zeros(n_rows), 1.0)
    total = np.append(np.ones(n_rows), 0.0)[None]
    bounds = [(0, 1 / (nu * n_rows))] * n_rows + [(None, None)]
    values, seconds = [], 0.0
    for size in range(every, len(hits) + 1, every):
        began = time.perf_counter()
        edges = np.column_stack([hits[:size], -np.ones(size)])
        values.append(linprog(cost, edges, np.zeros(size), total, [1.0], bounds).fun)
        seconds += time.perf_counter() - began
    return seconds * every, np.array(values)


def main() -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    nu = 0.1
    hits, fit = rounds(options.rows, options.rounds, nu)
    live, values = warm(hits, nu)
    cold, checked = scratch(hits, nu, options.every)
    apart = np.abs(values[options.every - 1 :: options.every] - checked).max()
    print(f"{len(hits)} rounds, {options.rows} rows, nu={nu}")
    print(f"whole fit       {fit:8.2f} s")
    print(f"live model      {live:8.2f} s   {1000 * live / len(hits):.1f} ms a round")
    print(f"from scratch    {cold:8.2f} s   values differ by {apart:.1e} at most")
    print(f"ratio           {cold / live:8.1f}")


if __name__ == "__main__":
    main()
