"""Models of a cluster against those of memory, bit by bit, in every way.

``python -m benchmarks.distributed_bits`` fits all losses by all ways of growth, on 1, 2, 3 and 5
workers and 1, 7 and 16 partitions, and counts the models that differ. ``--hostile`` tries empty and
skewed partitions, a class or a category for each, and rows whose target is missing. The tests try
some of these.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator
from functools import cache, partial
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


@cache
def table(case: Case, layout: str) -> tuple[NDArray[np.float64], NDArray[Any], list[int]]:
    """Rows and targets of a case in the order of a layout, and the sizes of its partitions."""
    X, y = rows()
    if case.n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, case.n_classes) / case.n_classes))
    order, sizes = LAYOUTS[layout](X, y)
    return X[order], y[order], sizes


def _even(X: Any, y: Any, partitions: int) -> tuple[NDArray[np.intp], list[int]]:
    size = -(-len(X) // partitions)
    ends = np.minimum(np.arange(1, partitions + 1) * size, len(X))
    return np.arange(len(X)), np.diff(ends, prepend=0).tolist()


def _sorted(values: NDArray[Any]) -> tuple[NDArray[np.intp], list[int]]:
    """A partition for each of the values, of which no other partition has a row."""
    _, sizes = np.unique(values, return_counts=True)
    return np.argsort(values, kind="stable"), sizes.tolist()


#: Orders of the rows with sizes of partitions: so many even ones, and hostile ones.
LAYOUTS: dict[str, Callable[[Any, Any], tuple[NDArray[np.intp], list[int]]]] = {
    **{str(n): partial(_even, partitions=n) for n in PARTITIONS},
    "some empty": lambda X, y: (np.arange(len(X)), [0, 300, 0, 0, 500, 0]),
    "skewed": lambda X, y: (np.arange(len(X)), [1, 1, 790, 3, 5]),
    "a class each": lambda X, y: _sorted(y if len(np.unique(y)) < 9 else np.digitize(y, [1, 2])),
    "a category each": lambda X, y: _sorted(X[:, 3]),
}
HOSTILE = [name for name in LAYOUTS if not name.isdecimal()]


@cache
def in_memory(case: Case, layout: str) -> Any:
    """The model of memory, which does not depend on partitions."""
    X, y, _ = table(case, layout)
    return unfitted(case).fit(X, y)


def agrees(case: Case, layout: str) -> bool:
    """Whether the cluster of the current client gives the model of memory."""
    import dask.array as da

    X, y, sizes = table(case, layout)
    there = da.from_array(X, chunks=(tuple(sizes), -1)), da.from_array(y, chunks=(tuple(sizes),))
    plain = "1" if layout in map(str, PARTITIONS) else layout
    return same(in_memory(case, plain), unfitted(case).fit(*there))


def agrees_without_targets(case: Case) -> bool:
    """The same of a frame from which rows without a target are dropped, partition by partition."""
    import dask.dataframe as dd
    import pandas as pd

    X, y, _ = table(case, "1")
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y.astype(float))
    frame.loc[(np.arange(ROWS) % 5 == 0) | (np.arange(ROWS) < 120), "y"] = np.nan
    known = frame[frame["y"].notnull()]
    one = unfitted(case).fit(known.drop(columns="y"), known["y"])
    there = dd.from_pandas(frame, npartitions=7)
    there = there[there["y"].notnull()]
    return same(one, unfitted(case).fit(there.drop(columns="y"), there["y"]))


def thinned(workers: int, partitions: int, *, step: int) -> Iterator[Case]:
    """Every so many of the cases, others for each cluster."""
    first = (WORKERS.index(workers) + PARTITIONS.index(partitions) * len(WORKERS)) % step
    yield from CASES[first::step]


def main() -> None:
    """Print how many agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="try every so many of the cases")
    parser.add_argument("--workers", type=int, nargs="*", default=WORKERS, help="how many of them")
    parser.add_argument("--threads", action="store_true", help="let all workers share a process")
    parser.add_argument("--hostile", action="store_true", help="try uncommon partitions instead")
    chosen = parser.parse_args()
    for workers in chosen.workers:
        tried, wrong = 0, []
        with cluster(workers, processes=not chosen.threads, protocol="tcp://"):
            trials: list[tuple[Any, Callable[[], bool]]] = [
                ((n, case), partial(agrees, case, str(n)))
                for n in PARTITIONS
                for case in thinned(workers, n, step=chosen.step)
            ]
            if chosen.hostile:
                cases = CASES[:: chosen.step]
                trials = [((h, c), partial(agrees, c, h)) for h in HOSTILE for c in cases]
                dropped = "targets missing"
                trials += [((dropped, c), partial(agrees_without_targets, c)) for c in cases]
            for name, agree in trials:
                tried += 1
                if not agree():
                    wrong.append(name)
        print(f"{workers} workers: {tried} models, {len(wrong)} differ {wrong or ''}", flush=True)


if __name__ == "__main__":
    main()
