"""LambdaMART against LightGBM's and XGBoost's, on query groups made of tables.

``python -m benchmarks.query_ranking --data FOLDER`` ranks generated documents, and real rows by
the fifth of the target they are in: districts of a region, movies of a year, bookings of a day of
arrival, flights of an hour. All contenders have the same settings: 100 trees of 31 leaves, rate
0.1, twenty rows in a leaf, no penalty, pairs of which one is among the first 30. It writes
``results/ranking.md``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.ranking import LambdaMARTRanker, ndcg

RESULTS = Path(__file__).parent / "results"
SPLITS = 5
TREES, LEAVES, RATE, ROWS = 100, 31, 0.1, 20


class Documents(NamedTuple):
    """Documents with their grades and queries."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    query: NDArray[np.int64]

    def take(self, rows: NDArray[Any]) -> Documents:
        """Some of them."""
        return Documents(self.X[rows], self.y[rows], self.query[rows])


def generated(seed: int = 0) -> Documents:
    """600 queries of 10 to 40 documents whose worth depends on five of ten columns."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(10, 41, 600)
    query = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(query), 10))
    level = rng.normal(size=len(sizes))[query]
    worth = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.5 * X[:, 4] ** 2 + level
    worth += rng.normal(scale=1.0, size=len(query))
    return Documents(X, _fifths(worth), query)


def _fifths(values: Any) -> NDArray[np.int64]:
    return np.searchsorted(np.quantile(values, [0.5, 0.75, 0.9, 0.97]), values).astype(np.int64)


def _read(frame: Any, query: Any, y: Any, least: int = 5) -> Documents:
    """Rows of queries that have enough of them; words become numbers."""
    X = frame.apply(lambda c: c if c.dtype.kind in "iuf" else c.astype("category").cat.codes)
    number = np.unique(np.asarray(query), return_inverse=True)[1]
    kept = np.bincount(number)[number] >= least
    return Documents(X.to_numpy(dtype=np.float64)[kept], np.asarray(y)[kept], number[kept])


def real(folder: Path) -> dict[str, Callable[[], Documents]]:
    """Query groups made of real tables."""
    import pandas as pd

    def housing() -> Documents:
        t = pd.read_csv(folder / "california_housing.csv.gz")
        region = t.latitude.mul(2).round() * 1000 + t.longitude.mul(2).round()
        return _read(t.drop(columns="target"), region, _fifths(t.target))

    def movies() -> Documents:
        t = pd.read_csv(folder / "more" / "movies.csv.gz")
        return _read(t.drop(columns=["target", "title"]), t.year, _fifths(t.target))

    def hotels() -> Documents:
        t = pd.read_csv(folder / "more" / "hotel_rates.csv.gz")
        day = t[next(c for c in t.columns if "date" in c)]
        return _read(t.drop(columns="target"), day, _fifths(t.target))

    def flights() -> Documents:
        t = pd.read_parquet(folder / "nycflights_late15.parquet")
        t = t[t.month == 1]
        hour = t.month.astype(int) * 10_000 + t.day.astype(int) * 100 + t.sched_dep_min // 60
        late = (t.target != "ontime").to_numpy().astype(np.int64)
        return _read(t.drop(columns="target"), hour, late)

    return {
        "housing by region": housing,
        "movies by year": movies,
        "hotel rates by day": hotels,
        "flights by hour": flights,
    }


def _ours(**settings: Any) -> Callable[[Documents, Documents], NDArray[np.float64]]:
    def run(learn: Documents, test: Documents) -> NDArray[np.float64]:
        model = LambdaMARTRanker(max_iter=TREES, early_stopping=False, n_jobs=1, **settings)
        return model.fit(learn.X, learn.y, groups=learn.query).predict(test.X)

    return run


def _lightgbm(learn: Documents, test: Documents) -> NDArray[np.float64]:
    import lightgbm

    model = lightgbm.LGBMRanker(
        n_estimators=TREES,
        num_leaves=LEAVES,
        learning_rate=RATE,
        min_child_samples=ROWS,
        min_split_gain=0.0,
        reg_lambda=0.0,
        lambdarank_truncation_level=30,
        n_jobs=1,
        verbose=-1,
    )
    model.fit(learn.X, learn.y, group=np.unique(learn.query, return_counts=True)[1])
    return np.asarray(model.predict(test.X))


def _xgboost(learn: Documents, test: Documents) -> NDArray[np.float64]:
    import xgboost

    model = xgboost.XGBRanker(
        n_estimators=TREES,
        max_leaves=LEAVES,
        max_depth=0,
        grow_policy="lossguide",
        learning_rate=RATE,
        reg_lambda=0.0,
        min_child_weight=1e-3,
        objective="rank:ndcg",
        lambdarank_pair_method="topk",
        lambdarank_num_pair_per_sample=30,
        n_jobs=1,
    )
    return np.asarray(model.fit(learn.X, learn.y, qid=learn.query).predict(test.X))


CONTENDERS = {
    "coterie": _ours(),
    "coterie, not normalised": _ours(normalise_queries=False),
    "coterie, pairwise": _ours(loss="pairwise"),
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
}


def measure(documents: Documents) -> dict[str, NDArray[np.float64]]:
    """NDCG, NDCG@10 and CPU seconds of every contender, on several splits by query."""
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in CONTENDERS}
    for seed in range(SPLITS):
        queries = np.random.default_rng(seed).permutation(documents.query.max() + 1)
        test = np.isin(documents.query, queries[: len(queries) // 3])
        order = np.argsort(documents.query[~test], kind="stable")
        learn, held = documents.take(np.flatnonzero(~test)[order]), documents.take(test)
        for name, run in CONTENDERS.items():
            began = time.process_time()
            said = run(learn, held)
            seconds = time.process_time() - began
            scores = [ndcg(held.y, said, held.query, k=k, empty=None) for k in (None, 10)]
            found[name].append((scores[0], scores[1], seconds))
    return {name: np.array(rows) for name, rows in found.items()}


def write(results: dict[str, dict[str, NDArray[np.float64]]], out: Path) -> None:
    """The report."""
    lines = ["# Ranking", "", (__doc__ or "").split("\n\n")[1].replace("\n", " "), ""]
    lines += [
        f"Means over {SPLITS} splits, a third of the queries being judged; behind ± is the",
        "standard error of the difference to `coterie`. Queries without a good document are left",
        "out. Seconds are CPU seconds of fitting and predicting in one thread.",
        "",
    ]
    for table, each in results.items():
        lines += [f"## {table}", "", "| | NDCG | NDCG@10 | seconds |", "|---|---|---|---|"]
        base = each["coterie"]
        for name, rows in each.items():
            mean = rows.mean(axis=0)
            gap = (rows - base).std(axis=0, ddof=1) / np.sqrt(len(rows))
            shown = [f"{mean[k]:.4f} ± {gap[k]:.4f}" for k in (0, 1)]
            lines.append(f"| {name} | {shown[0]} | {shown[1]} | {mean[2]:.2f} |")
        lines.append("")
    out.mkdir(parents=True, exist_ok=True)
    (out / "ranking.md").write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.query_ranking", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the real tables")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    tables: dict[str, Callable[[], Documents]] = {"generated": generated}
    if given.data is not None:
        tables |= real(given.data)
    results = {}
    for name, make in tables.items():
        results[name] = measure(make())
        write(results, given.out)
        print(name, {one: rows.mean(axis=0).round(4) for one, rows in results[name].items()})


if __name__ == "__main__":
    main()
