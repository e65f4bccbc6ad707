"""Fits on a Dask cluster during which workers are lost.

``python -m benchmarks.distributed_losses`` kills workers at random moments, each of them in turn,
and scales the cluster. It prints how many fits ended, and with which bits.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from benchmarks.distributed import PATIENCE, SETTINGS, cluster, limited, made, same
from coterie import HistGradientBoostingClassifier, RandomForestClassifier


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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    print("\n".join(toll_table(losses(parser.parse_args().kills))))


if __name__ == "__main__":
    main()
