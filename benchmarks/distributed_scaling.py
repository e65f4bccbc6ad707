"""How the time of a tree on a cluster goes with workers, rows and the network, by simulation.

``python -m benchmarks.distributed_scaling`` measures two things. First, what exchanges with holders
cost, by the number of holders and the bytes that each answers: a straight line is fitted to that.
Second, the course of real trees: every exchange of some trees on rows in this process, with the
bytes of its answers and the time of its counting. Then each exchange is priced: delay of the
network, line of the driver, and counting that goes with the rows of a worker.
"""

from __future__ import annotations

import argparse
import time
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.distributed import COLUMNS, LEAVES, cluster, made
from coterie.data import Schema
from coterie.distributed.calls import Call, seal
from coterie.distributed.holders import Share
from coterie.distributed.remote_growth import RemoteGround, layout_of
from coterie.distributed.row_holder import Held, Place, RowHolder
from coterie.native import NewtonGrowth, Slopes, encode, find_bins

ROWS, TREES = 50_000, 2
SIZES = (0, 57_344, 573_440)  # bytes of an answer: none, one histogram of 28 columns, ten
HOLDERS = (1, 2, 4, 8)


class Line(NamedTuple):
    """Seconds of the driver for an exchange: ``once + each * workers + byte * bytes received``."""

    once: float
    each: float
    byte: float

    def seconds(self, workers: int, answer: float) -> float:
        """An exchange in which every worker answers so many bytes."""
        return self.once + workers * (self.each + self.byte * answer)


class Exchange(NamedTuple):
    """An exchange of a tree: bytes of an answer, and CPU seconds of the rows that answer."""

    answer: int
    work: float


class Sayer:
    """An actor that answers with so many bytes."""

    def answer(self, number: int, asked: bytes) -> bytes:
        """As many as are asked for, as holders do."""
        from distributed.protocol import pickle

        _, (size,) = pickle.loads(asked)
        said: bytes = pickle.dumps(np.zeros(size, dtype=np.uint8))
        return said


def measured_exchanges(times: int) -> list[tuple[int, int, float]]:
    """Holders, bytes of an answer, and CPU seconds of the driver for an exchange."""
    found = []
    with cluster() as client:
        client.direct_to_workers = True  # as sessions do
        futures = [client.submit(Sayer, actor=True, pure=False) for _ in range(max(HOLDERS))]
        actors = [future.result() for future in futures]
        for holders in HOLDERS:
            for size in SIZES:
                asked = seal("say", (size,))
                began = time.process_time()
                for number in range(times):
                    calls = [Call(actors[k], futures[k], number, asked) for k in range(holders)]
                    for call in calls:
                        call.result()
                found.append((holders, size, (time.process_time() - began) / times))
    return found


def fitted(measured: list[tuple[int, int, float]]) -> Line:
    """The line that comes nearest; no part of it is below zero."""
    from scipy.optimize import nnls

    holders, size, seconds = (
        np.array(column, dtype=float) for column in zip(*measured, strict=True)
    )
    parts = np.stack([np.ones_like(holders), holders, holders * size], axis=1)
    scale = np.array([1.0, 1.0, 1e-6])
    return Line(*(nnls(parts * scale, seconds)[0] * scale))


class Recorder:
    """Holders in this process, which note every exchange."""

    def __init__(self, codes: NDArray[Any], bins: Any) -> None:
        rows = slice(0, len(codes))
        held = Held(Schema(codes.shape[1]), bins, len(codes), 0)
        self.shares = [Share(held, [], rows)]
        self.holder = RowHolder(held)
        self.holder.take(codes, Place("", None, 0, 0))
        self.exchanges: list[Exchange] = []

    def ask(self, method: str, *given: Any) -> list[Any]:
        """The answer of the only holder."""
        from distributed.protocol import pickle

        began = time.process_time()
        said = getattr(self.holder, method)(*(own for (own,) in given))
        work = time.process_time() - began
        self.exchanges.append(Exchange(len(pickle.dumps(said)), work))
        return [said]

    def ask_alike(self, method: str, *given: Any) -> list[Any]:
        """The same."""
        return self.ask(method, *([one] for one in given))

    def finished(self) -> None:
        """Do nothing."""


@cache
def table() -> tuple[NDArray[Any], Any, NDArray[np.int64]]:
    """Codes, bins and classes of the rows in this process."""
    X, y = made(ROWS)
    bins = find_bins(X)
    return encode(X, bins), bins, y


@cache
def course() -> list[list[Exchange]]:
    """The exchanges of some trees."""
    codes, bins, y = table()
    recorder, leaves = Recorder(codes, bins), np.empty(ROWS, dtype=np.int32)
    growth = NewtonGrowth(max_leaf_nodes=LEAVES)
    ground = RemoteGround(None, growth, 1, layout_of(bins), leaves, recorder)  # type: ignore[arg-type]
    found, gradient = [], 0.5 - y.astype(float)
    for seed in range(TREES):
        recorder.exchanges.clear()
        tree = ground.grow(Slopes(gradient, np.full(ROWS, 0.25)), seed)
        gradient = gradient + 0.1 * tree.values[leaves, 0]
        # The leaves stay where the rows are; the vote goes there with the next tree's beginning.
        found.append(recorder.exchanges[:-1])
    return found


def tree_seconds(rows: float, workers: int, delay: float, line: Line) -> float:
    """Seconds of a tree, the mean of some trees."""
    trees = course()
    share = rows / ROWS / workers
    spent = [
        sum(delay + line.seconds(workers, e.answer) + share * e.work for e in tree)
        for tree in trees
    ]
    return float(np.mean(spent))


def report(line: Line, delays: tuple[float, ...]) -> str:
    """Tables of seconds per tree."""
    lines = [
        f"A tree takes {np.mean([len(tree) for tree in course()]):.0f} exchanges. One "
        f"costs the driver {1e3 * line.once:.2f} ms, {1e3 * line.each:.2f} ms for "
        f"every worker and {1e9 * line.byte:.2f} ns for every byte it receives.",
    ]
    powers = (7, 8, 9, 10)
    for delay in delays:
        lines += [
            "",
            f"Seconds per tree of {LEAVES} leaves and {COLUMNS} columns, with {1e3 * delay:g} ms "
            "to a worker and back:",
            "",
            "| workers | " + " | ".join(f"10^{p} rows" for p in powers) + " |",
            "|" + "---|" * (1 + len(powers)),
        ]
        for workers in (2, 4, 16, 64, 256):
            cells = [tree_seconds(10.0**p, workers, delay, line) for p in powers]
            shown = " | ".join(f"{seconds:.2f}" for seconds in cells)
            lines.append(f"| {workers} | {shown} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    line = fitted(measured_exchanges(parser.parse_args().times))
    print(report(line, (0.0005, 0.005, 0.05)))


if __name__ == "__main__":
    main()
