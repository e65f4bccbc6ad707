"""Models of a cluster against those of memory, bit by bit, in every way.

``python -m benchmarks.distributed_bits`` fits all losses by all ways of growth, on 1, 2, 3 and 5
workers and 1, 7 and 16 partitions, and counts the models that differ. The tests try some of these.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.distributed import cluster, same
from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.losses import REGRESSION_LOSSES

WORKERS, PARTITIONS = (1, 2, 3, 5), (1, 7, 16)
ROWS = 800
SETTINGS = {"max_iter": 2, "max_leaf_nodes": 6, "random_state": 0, "categorical_features": [3]}
GROWTH: dict[str, dict[str, Any]] = {
    "leaf": {},
    "level": {"growth": "level", "max_depth": 3},
    "symmetric": {"growth": "symmetric", "max_depth": 3},
}
CLASSES = {("log_loss", 2), ("log_loss", 3), ("exponential", 2), ("focal", 2)}


class Case(NamedTuple):
    """A loss, with its number of classes or 0 for numbers, and a way of growth."""

    loss: str
    n_classes: int
    growth: str


CASES = [
    Case(loss, n_classes, growth)
    for (loss, n_classes), growth in itertools.product(
        [*((loss, 0) for loss in REGRESSION_LOSSES), *sorted(CLASSES)], GROWTH
    )
]


def rows() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Numbers with missing values, categories, and a target above zero."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 5)).round(2)
    X[rng.random(ROWS) < 0.1, 1] = np.nan
    X[:, 3] = rng.integers(0, 6, ROWS)
    y = X[:, 0] + np.nan_to_num(X[:, 1]) ** 2 + (X[:, 3] == 2) + rng.normal(size=ROWS)
    return X, np.abs(y) + 0.1


def unfitted(case: Case) -> Any:
    """The model of a case."""
    kind = HistGradientBoostingClassifier if case.n_classes else HistGradientBoostingRegressor
    more = {"quantile": 0.7} if case.loss in ("quantile", "expectile") else {}
    return kind(loss=case.loss, **SETTINGS, **GROWTH[case.growth], **more)


def agrees(case: Case, partitions: int) -> bool:
    """Whether the cluster of the current client gives the model of memory."""
    import dask.array as da

    X, y = rows()
    if case.n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, case.n_classes) / case.n_classes))
    size = -(-len(X) // partitions)
    there = da.from_array(X, chunks=(size, -1)), da.from_array(y, chunks=size)
    return same(unfitted(case).fit(X, y), unfitted(case).fit(*there))


def thinned(workers: int, partitions: int, *, step: int) -> Iterator[Case]:
    """Every so many of the cases, others for each cluster."""
    first = (WORKERS.index(workers) + PARTITIONS.index(partitions) * len(WORKERS)) % step
    yield from CASES[first::step]


def main() -> None:
    """Print how many agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="try every so many of the cases")
    step = parser.parse_args().step
    tried, wrong = 0, []
    for workers in WORKERS:
        with cluster(workers):
            for partitions in PARTITIONS:
                for case in thinned(workers, partitions, step=step):
                    tried += 1
                    if not agrees(case, partitions):
                        wrong.append((workers, partitions, case))
        print(f"{workers} workers: {tried} models so far, {len(wrong)} differ", flush=True)
    print("\n".join(map(str, wrong)) or "all have the same bits")


if __name__ == "__main__":
    main()
