"""Gradient boosting on a Dask cluster of two processes, beside LightGBM's and XGBoost's.

``python -m benchmarks.distributed`` fits the same rows in memory and on the cluster, compares the
models bit by bit, and prints what each fit took. Rows are made on the workers and persisted before.
Bytes moved are those of the loopback device: run it in a network of its own, or others' bytes
count, too: ``unshare -n sh -c 'ip link set lo up; python -m benchmarks.distributed'``.
"""

from __future__ import annotations

import argparse
import gc
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie import HistGradientBoostingClassifier
from coterie.distributed.session import CALM

COLUMNS, LEAVES, BLOCKS = 28, 31, 8
PATIENCE = 1800  # seconds for a fit
SETTINGS = {"max_leaf_nodes": LEAVES, "early_stopping": False, "random_state": 0}


class Cost(NamedTuple):
    """What a fit took."""

    name: str
    wall: float
    cpu: float
    moved: float
    peak: float
    note: str = ""


def block(number: int, rows: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Some of the rows: continuous columns, and two noisy classes."""
    rng = np.random.default_rng([0, number])
    X = rng.standard_normal((rows, COLUMNS), dtype=np.float32)
    signal_ = X[:, 0] * X[:, 1] + X[:, 2] + np.sin(2 * X[:, 3]) + rng.normal(size=rows)
    return X, (signal_ > 0).astype(np.int64)


def made(rows: int, blocks: int = 1) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """All rows, here."""
    parts = [block(k, rows // blocks) for k in range(blocks)]
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def made_there(rows: int) -> tuple[Any, Any]:
    """The same rows on the workers, in their memory."""
    import dask
    import dask.array as da
    from distributed import wait

    size, parts = rows // BLOCKS, dask.delayed(block, nout=2)
    pairs = [parts(k, size) for k in range(BLOCKS)]
    X = da.concatenate([da.from_delayed(X, (size, COLUMNS), np.float32) for X, _ in pairs])
    y = da.concatenate([da.from_delayed(y, (size,), np.int64) for _, y in pairs])
    X, y = dask.persist(X, y)
    wait([X, y])
    return X, y


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Give up after a while."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    former = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


@contextmanager
def cluster(workers: int = 2, **settings: Any) -> Iterator[Any]:
    """A client of a fresh cluster of processes, one thread each."""
    import dask
    from distributed import Client, LocalCluster

    # By itself a LocalCluster gives up workers that take longer than this to start again.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
    fork_workers()
    given = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
    with (
        LocalCluster(n_workers=workers, **given | settings) as local,
        Client(local) as client,
    ):
        yield client


def fork_workers() -> None:
    """Have workers forked from a process that has imported all they need, which saves seconds."""
    import dask
    from distributed.utils import get_mp_context

    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    get_mp_context().set_forkserver_preload(
        ["distributed", "dask.dataframe", "pandas", "sklearn", "coterie.distributed"]
    )


def used() -> tuple[float, float]:
    """CPU seconds, and the largest memory in MB."""
    # A process inherits ru_maxrss from the one that started it, but not this.
    status = Path("/proc/self/status").read_text()
    return time.process_time(), int(status.split("VmHWM:")[1].split()[0]) / 1024


def loopback() -> float:
    """Megabytes that have gone through the loopback device."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        name, _, counts = line.partition(":")
        if name.strip() == "lo":
            return int(counts.split()[0]) / 1e6
    return np.nan


def measured(name: str, fit: Callable[[], Any], client: Any) -> tuple[Cost, Any]:
    """What a fit took here and on the workers."""
    before = client.run(used)
    sent, here, began = loopback(), time.process_time(), time.perf_counter()
    model = fit()
    wall, cpu = time.perf_counter() - began, time.process_time() - here
    moved, after = loopback() - sent, client.run(used)
    cpu += sum(after[w][0] - before[w][0] for w in after if w in before)
    return Cost(name, wall, cpu, moved, max(peak for _, peak in after.values())), model


def same(one: Any, other: Any) -> bool:
    """Whether two models have the same trees, bit by bit."""
    names = ("nodes", "values", "n_samples", "weight", "impurity")
    mine, its = one.pool_.forest, other.pool_.forest
    return all(np.array_equal(getattr(mine, name), getattr(its, name)) for name in names)


def in_memory(rows: int, trees: int) -> tuple[Cost, Any]:
    """The fit of one process with two threads."""
    X, y = made(rows, BLOCKS)
    model = HistGradientBoostingClassifier(**SETTINGS, max_iter=trees, n_jobs=2)
    began, here = time.perf_counter(), time.process_time()
    model.fit(X, y)
    spent = time.perf_counter() - began, time.process_time() - here
    return Cost("coterie, one process, two threads", *spent, 0.0, used()[1]), model


def compare(rows: int, trees: int, only: str) -> list[Cost]:
    """The fits of all contenders, or of those whose names begin with a word."""
    costs: list[Cost] = []
    memory = None
    if "coterie".startswith(only):
        cost, memory = in_memory(rows, trees)
        costs.append(cost)
        print(cost, file=sys.stderr, flush=True)
    for name, make in contenders().items():
        if not name.startswith(only):
            continue
        gc.collect()
        with cluster() as client:
            there = made_there(rows)
            # Starting, importing and compiling are no part of it.
            small = tuple(part[: rows // BLOCKS // 50] for part in there)
            try:
                with limited(PATIENCE):
                    make(client, 1).fit(*small)
                    fit = make(client, trees).fit
                    cost, model = measured(name, lambda f=fit, t=there: f(*t), client)
            except Exception as error:
                lost = Cost(name, *[np.nan] * 4, f"failed: {error!r}"[:120])
                costs.append(lost)
                continue
            if hasattr(model, "pool_"):
                bits = "same" if same(memory, model) else "OTHER"
                cost = cost._replace(note=f"{bits} bits as in memory")
            costs.append(cost)
            print(cost, file=sys.stderr, flush=True)
    return costs


def in_turns(rows: int, trees: int, times: int) -> list[tuple[float, float]]:
    """Seconds by the clock on the cluster and in memory, of fits in turns after a first one each.

    Speeds of a virtual machine vary by a quarter from minute to minute: neighbours in time compare.
    """
    X, y = made(rows, BLOCKS)
    found = []
    with cluster() as client:
        there, make = made_there(rows), contenders()["coterie, two workers"]
        here = [
            HistGradientBoostingClassifier(**SETTINGS, max_iter=n, n_jobs=2) for n in (1, trees)
        ]
        make(client, 1).fit(*there)
        here[0].fit(X, y)
        for _ in range(times):
            began = time.perf_counter()
            make(client, trees).fit(*there)
            between = time.perf_counter()
            here[1].fit(X, y)
            found.append((between - began, time.perf_counter() - between))
            print(*found[-1], file=sys.stderr, flush=True)
    return found


def contenders() -> dict[str, Callable[[Any, int], Any]]:
    """Makers of unfitted models by name, given a client and a number of trees."""

    def lightgbm(client: Any, trees: int) -> Any:
        from lightgbm import DaskLGBMClassifier

        return DaskLGBMClassifier(
            client=client, n_estimators=trees, num_leaves=LEAVES, min_child_samples=20, verbose=-1
        )

    def xgboost(client: Any, trees: int) -> Any:
        from xgboost.dask import DaskXGBClassifier

        model = DaskXGBClassifier(
            n_estimators=trees, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide"
        )
        model.client = client
        return model

    def coterie(client: Any, trees: int) -> Any:
        return HistGradientBoostingClassifier(**SETTINGS, max_iter=trees)

    return {
        "coterie, two workers": coterie,
        "LightGBM, two workers": lightgbm,
        "XGBoost, two workers": xgboost,
    }


def cost_table(costs: list[Cost]) -> list[str]:
    """The lines of a table."""
    head = [
        "| | wall s | CPU s | MB moved | peak of a process, MB | |",
        "|---|---|---|---|---|---|",
    ]
    return head + [
        f"| {c.name} | {c.wall:.1f} | {c.cpu:.1f} | {c.moved:.0f} | {c.peak:.0f} | {c.note} |"
        for c in costs
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--only", default="", help="how the names of some contenders begin")
    parser.add_argument("--calm", action="store_true", help="have Dask look at itself less often")
    parser.add_argument("--turns", type=int, help="compare cluster and memory alone, so many times")
    chosen = parser.parse_args()
    if chosen.calm:
        import dask

        dask.config.set(CALM)
    print(f"{chosen.rows:,} rows of {COLUMNS} columns, {chosen.trees} trees of {LEAVES} leaves:\n")
    if chosen.turns:
        pairs = in_turns(chosen.rows, chosen.trees, chosen.turns)
        ratios = np.divide(*np.transpose(pairs))
        print(
            "\n".join(
                f"{there:.2f} s on the cluster, {here:.2f} s in memory" for there, here in pairs
            )
        )
        print(f"median of the ratios: {np.median(ratios):.3f}")
        return
    print("\n".join(cost_table(compare(chosen.rows, chosen.trees, chosen.only))))


if __name__ == "__main__":
    main()
