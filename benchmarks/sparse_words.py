"""Sparse tables: ``python -m benchmarks.sparse_words``.

A bag of words, 15,000 texts over 20,000 words by Zipf's law, one cell in five hundred filled:
gradient boosting beside LightGBM's, a random forest beside scikit-learn's, in CPU seconds of one
thread. And a table of 200,000 rows and columns, of which a byte for every cell would be 40 GB: CPU
seconds of fit and prediction, and how far the memory of the process grows. Results go to
`results/sparse_words.md`.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.quick import BOOST, LIGHT, words
from benchmarks.report import today
from benchmarks.tables import PROJECT

OUT = PROJECT / "benchmarks" / "results" / "sparse_words.md"


def _cpu(job: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    start = time.process_time()
    done = job(*given)
    return time.process_time() - start, done


def _models() -> Iterator[tuple[str, str, Callable[[], Any], Callable[[], Any]]]:
    def make(module: str, kind: str, **settings: Any) -> Callable[[], Any]:
        return lambda: getattr(import_module(module), kind)(**settings)

    boost = make("coterie", "HistGradientBoostingClassifier", max_iter=100, n_jobs=1, **BOOST)
    light = make("lightgbm", "LGBMClassifier", n_estimators=100, **LIGHT)
    yield "gradient boosting, 100 rounds", "LightGBM", boost, light
    trees = {"n_estimators": 20, "random_state": 0, "n_jobs": 1}
    forest, other = (
        make(module, "RandomForestClassifier", **trees)
        for module in ("coterie", "sklearn.ensemble")
    )
    yield "random forest, 20 trees", "scikit-learn", forest, other


def duels(repeats: int = 3) -> Iterator[str]:
    """Lines of the first table."""
    every, labels = words(20_000, 20_000, 46)
    X, y, test, truth = every[:15_000], labels[:15_000], every[15_000:], labels[15_000:]
    yield f"15,000 x 20,000, {X.nnz / np.prod(X.shape):.2%} filled:\n"
    yield "| model | beside | ours, fit | theirs | ratio | predict: ratio | accuracy |"
    yield "|---|---|---|---|---|---|---|"
    for name, peer, *makers in _models():
        runs = [[_cpu(make().fit, X, y) for make in makers] for _ in range(repeats)]
        fits = [min(run[k][0] for run in runs) for k in (0, 1)]
        models = [model for _, model in runs[0]]
        walks = [min(_cpu(model.predict, X)[0] for _ in range(repeats)) for model in models]
        right = [float(np.mean(model.predict(test) == truth)) for model in models]
        yield (
            f"| {name} | {peer} | {fits[0]:.2f} s | {fits[1]:.2f} s | {fits[1] / fits[0]:.2f} | "
            f"{walks[1] / walks[0]:.2f} | {right[0]:.3f}, theirs {right[1]:.3f} |"
        )


def large(n: int = 200_000) -> Iterator[str]:
    """Lines of the second table."""
    X, y = words(n, n, 20)
    yield f"\n{n:,} x {n:,}, {X.nnz:,} cells filled ({X.nnz * 12 / 2**20:.0f} MB):\n"
    yield "| model | fit | predict | memory of the process before and after |"
    yield "|---|---|---|---|"
    coterie = import_module("coterie")
    for name, model in (
        (
            "gradient boosting, 10 rounds",
            coterie.HistGradientBoostingClassifier(max_iter=10, **BOOST),
        ),
        ("random forest, 2 trees", coterie.RandomForestClassifier(2, random_state=0)),
    ):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        fit, _ = _cpu(model.fit, X, y)
        walk, _ = _cpu(model.predict, X)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        yield f"| {name} | {fit:.1f} s | {walk:.1f} s | {before} MB, {after} MB |"


def main() -> None:
    """Measure, print and write."""
    lines = [f"# Sparse tables\n\n{today()}. CPU seconds of one thread, the quickest of three.\n"]
    for part in (duels, large):
        for line in part():
            print(line, flush=True)
            lines.append(line)
    OUT.write_text("\n".join(lines) + "\n")
    print(f"written to {OUT.relative_to(PROJECT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
