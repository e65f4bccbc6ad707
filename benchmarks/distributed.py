"""Gradient boosting on a Dask cluster of two processes, beside LightGBM's and XGBoost's.

``python -m benchmarks.distributed`` fits the same rows in memory and on the cluster, compares the
models bit by bit, kills workers at random moments, and reckons how time would go with more workers
by what it measured. It writes ``results/distributed.md``.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from coterie import HistGradientBoostingClassifier, RandomForestClassifier

RESULTS = Path(__file__).parent / "results"
COLUMNS, LEAVES = 28, 31
PATIENCE = 300  # seconds for a fit
SETTINGS = {"max_leaf_nodes": LEAVES, "early_stopping": False, "random_state": 0}


class Cost(NamedTuple):
    """What a fit took."""

    name: str
    wall: float
    cpu: float
    peak: float
    note: str = ""


def made(rows: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Continuous columns, and two noisy classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, COLUMNS)).astype(np.float32)
    signal_ = X[:, 0] * X[:, 1] + X[:, 2] + np.sin(2 * X[:, 3]) + rng.normal(size=rows)
    return X, (signal_ > 0).astype(np.int64)


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
def cluster(workers: int = 2) -> Iterator[Any]:
    """A client of a fresh cluster of processes, one thread each."""
    import dask
    from distributed import Client, LocalCluster

    # By itself a LocalCluster gives up workers that take longer than this to start again.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
    settings = {"processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=workers, **settings) as local, Client(local) as client:
        yield client


def _used() -> tuple[float, float]:
    """CPU seconds, and the largest memory in MB."""
    return time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(name: str, fit: Callable[[], Any], client: Any, note: str = "") -> tuple[Cost, Any]:
    """What a fit took here and on the workers."""
    before = client.run(_used)
    here, began = time.process_time(), time.perf_counter()
    model = fit()
    wall, cpu = time.perf_counter() - began, time.process_time() - here
    after = client.run(_used)
    cpu += sum(after[w][0] - before[w][0] for w in after if w in before)
    return Cost(name, wall, cpu, max(peak for _, peak in after.values()), note), model


def same(one: Any, other: Any) -> bool:
    """Whether two models have the same trees, bit by bit."""
    names = ("nodes", "values", "n_samples", "weight", "impurity")
    mine, its = one.pool_.forest, other.pool_.forest
    return all(np.array_equal(getattr(mine, name), getattr(its, name)) for name in names)


def compare(rows: int, trees: int) -> tuple[list[Cost], Any]:
    """The fits of all contenders."""
    import dask.array as da

    X, y = made(rows)
    began, here = time.perf_counter(), time.process_time()
    memory = HistGradientBoostingClassifier(**SETTINGS, max_iter=trees, n_jobs=2).fit(X, y)
    used = time.perf_counter() - began, time.process_time() - here, _used()[1]
    costs = [Cost("coterie, one process, two threads", *used)]
    for name, make in contenders(trees).items():
        with cluster() as client:
            there = da.from_array(X, chunks=(rows // 8, -1)), da.from_array(y, chunks=rows // 8)
            there = tuple(part.persist() for part in there)
            for part in there:
                part.sum().compute()
            try:
                with limited(PATIENCE):
                    cost, model = measured(name, lambda m=make, t=there: m(client).fit(*t), client)
            except Exception as error:
                costs.append(Cost(name, np.nan, np.nan, np.nan, f"failed: {error!r}"[:120]))
                continue
            if hasattr(model, "pool_"):
                bits = "same" if same(memory, model) else "OTHER"
                cost = cost._replace(note=f"{bits} bits as in memory")
            costs.append(cost)
            print(cost, file=sys.stderr, flush=True)
    return costs, memory


def contenders(trees: int) -> dict[str, Callable[[Any], Any]]:
    """Unfitted models by name, given a client."""

    def lightgbm(client: Any) -> Any:
        from lightgbm import DaskLGBMClassifier

        return DaskLGBMClassifier(
            client=client, n_estimators=trees, num_leaves=LEAVES, min_child_samples=20, verbose=-1
        )

    def xgboost(client: Any) -> Any:
        from xgboost.dask import DaskXGBClassifier

        model = DaskXGBClassifier(
            n_estimators=trees, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide"
        )
        model.client = client
        return model

    def coterie(client: Any) -> Any:
        return HistGradientBoostingClassifier(**SETTINGS, max_iter=trees)

    return {
        "coterie, two workers": coterie,
        "LightGBM, two workers": lightgbm,
        "XGBoost, two workers": xgboost,
    }


class Toll(NamedTuple):
    """Fits during which workers were lost: how many ended, and with the same bits."""

    what: str
    fits: int
    ended: int
    same: int
    usual: float
    longest: float


def endured(what: str, model: Any, rows: int, strikes: list[Callable[[Any, Any], Any]]) -> Toll:
    """Fit once for every strike, which begins something that makes the cluster lose workers."""
    import dask.array as da

    X, y = made(rows)
    whole = clone(model).fit(X, y)
    there = da.from_array(X, chunks=(rows // 5, -1)), da.from_array(y, chunks=rows // 5)
    spent, good = [], 0
    with cluster() as client:
        began = time.perf_counter()
        clone(model).fit(*there)
        usual = time.perf_counter() - began
        for strike in strikes:
            client.cluster.scale(2)
            client.wait_for_workers(2, timeout=PATIENCE)
            under_way = strike(client, usual)
            began = time.perf_counter()
            try:
                with limited(PATIENCE):
                    good += same(whole, clone(model).fit(*there))
                spent.append(time.perf_counter() - began)
            except TimeoutError as error:
                print(f"{what}: {error}", file=sys.stderr, flush=True)
            under_way.join()
            print(what, len(spent), good, f"{spent[-1]:.1f} s", file=sys.stderr, flush=True)
    return Toll(what, len(strikes), len(spent), good, usual, max(spent))


def _processes(client: Any) -> list[int]:
    # One that has just been killed may still be on the list.
    return list(client.run(os.getpid, on_error="ignore").values())


def at_random(rng: np.random.Generator) -> Callable[[Any, float], Any]:
    """Kill one worker at a random moment of a fit."""

    def strike(client: Any, usual: float) -> Any:
        moment, victim = rng.uniform(0, 0.9 * usual), int(rng.choice(_processes(client)))
        shot = threading.Timer(moment, os.kill, (victim, signal.SIGKILL))
        shot.start()
        return shot

    return strike


def one_by_one(client: Any, usual: float) -> Any:
    """Kill each of the workers, one after the other."""

    def shoot() -> None:
        for victim in _processes(client):
            time.sleep(usual / 3)
            os.kill(victim, signal.SIGKILL)

    shots = threading.Thread(target=shoot)
    shots.start()
    return shots


def down_and_up(client: Any, usual: float) -> Any:
    """Scale down to one worker, and up to three."""

    def scale() -> None:
        for workers in (1, 3):
            time.sleep(usual / 3)
            client.cluster.scale(workers)

    scaling = threading.Thread(target=scale)
    scaling.start()
    return scaling


def losses(times: int, rows: int = 20_000, trees: int = 5) -> list[Toll]:
    """What becomes of fits during which workers are lost."""
    rng = np.random.default_rng(0)
    boosting = HistGradientBoostingClassifier(**SETTINGS, max_iter=trees)
    forest = RandomForestClassifier(200, max_bins=255, max_depth=12, random_state=0)
    some = max(1, times // 3)
    return [
        endured("boosting, a worker killed", boosting, rows, [at_random(rng)] * times),
        endured("forest, a worker killed", forest, rows, [at_random(rng)] * some),
        endured("boosting, each worker killed once", boosting, rows, [one_by_one] * 3),
        endured("boosting, scaled to 1 and to 3", boosting, rows, [down_and_up] * 3),
    ]


def toll_table(tolls: list[Toll]) -> list[str]:
    """The lines of a table."""
    head = [
        "| | fits | ended | same bits | usual s | longest s |",
        "|---|---|---|---|---|---|",
    ]
    return head + [
        f"| {t.what} | {t.fits} | {t.ended} | {t.same} | {t.usual:.1f} | {t.longest:.1f} |"
        for t in tolls
    ]


def reckoned(cell: float, exchange: float, rows: float, workers: int, rate: float) -> float:
    """Seconds of a tree by the formula of the guide."""
    counting = cell * rows * COLUMNS * 3 / workers
    return counting + 2 * LEAVES * (exchange + workers * 2048 * COLUMNS / rate)


def exchange_time(times: int = 200) -> float:
    """Seconds of an exchange with both workers of a small cluster."""
    import dask.array as da

    from coterie.distributed.holders import Holders
    from coterie.distributed.partitions import Partitions
    from coterie.distributed.remote_table import RemoteTable
    from coterie.distributed.session import Session

    with cluster() as client, Session(client) as session:
        rows = da.from_array(made(2000)[0], chunks=(500, -1))
        holders = Holders(RemoteTable.of(Partitions.open(session, rows), None, gathers=False).bin())
        began = time.perf_counter()
        for _ in range(times):
            holders.ask_alike("leaf_sums", [0])
        spent = (time.perf_counter() - began) / times
        holders.close()
    return spent


def report(costs: list[Cost], tolls: list[Toll], exchange: float, shape: str) -> str:
    """The page of results."""
    lines = [
        "# Gradient boosting on a cluster",
        "",
        f"Written by `python -m benchmarks.distributed`: {shape}, {LEAVES} leaves, two worker",
        "processes of one thread each on one machine, rows persisted before. The machine was",
        "shared with other work: CPU seconds compare, wall seconds hardly.",
        "",
        "| | wall s | CPU s | peak of a process, MB | |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| {c.name} | {c.wall:.1f} | {c.cpu:.1f} | {c.peak:.0f} | {c.note} |" for c in costs]
    lines += [
        "",
        "Fits during which workers were lost (SIGKILL at random moments):",
        "",
        *toll_table(tolls),
        "",
        f"An exchange with both workers took {1000 * exchange:.1f} ms. By the guide's formula,",
        "with 0.6 ns for a cell, that exchange and 1 GB/s to the driver, seconds per tree of 28",
        "columns would be:",
        "",
        "| workers | 10^7 rows | 10^8 | 10^9 | 10^10 |",
        "|---|---|---|---|---|",
    ]
    for workers in (2, 4, 16, 64, 256):
        times = [reckoned(0.6e-9, exchange, 10**p, workers, 1e9) for p in (7, 8, 9, 10)]
        lines.append(f"| {workers} | " + " | ".join(f"{t:.2f}" for t in times) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what was asked for and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--only-losses", action="store_true", help="print these, write nothing")
    chosen = parser.parse_args()
    if chosen.only_losses:
        print("\n".join(toll_table(losses(chosen.kills))))
        return
    costs, _ = compare(chosen.rows, chosen.trees)
    tolls, exchange = losses(chosen.kills), exchange_time()
    shape = f"{chosen.rows:,} rows of {COLUMNS} columns, {chosen.trees} trees"
    page = report(costs, tolls, exchange, shape)
    (RESULTS / "distributed.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
