"""How the time of a tree on a cluster goes with workers, rows and the network, by simulation.

``python -m benchmarks.distributed_scaling`` measures two things. First, what exchanges cost the
holder that speaks for others, by their number and the bytes that each answers: a straight line is
fitted to that. Second, the course of real trees: every exchange of some trees on rows in this
process, with the bytes of its answers and the time of its counting. Then each exchange is priced:
for every level of holders that speak for others the delay of the network and the line, and counting
that goes with the rows of a worker.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.distributed import COLUMNS, LEAVES, cluster, made
from coterie.data import Schema
from coterie.distributed.calls import Call, Member, Number, seal
from coterie.distributed.course import layout_of
from coterie.distributed.holders import FAN, Share
from coterie.distributed.remote_growth import RemoteGround
from coterie.distributed.row_holder import Held, Place, RowHolder
from coterie.native import NewtonGrowth, Slopes, encode, find_bins

ROWS, TREES = 50_000, 2
SIZES = (0, 57_344, 573_440)  # bytes of an answer: none, one histogram of 28 columns, ten
MEMBERS = (1, 2, 4, 8)


class Line(NamedTuple):
    """Seconds of a holder for an exchange: ``once + each * members + byte * bytes received``."""

    once: float
    each: float
    byte: float

    def seconds(self, members: int, answer: float) -> float:
        """An exchange in which every member answers so many bytes."""
        return self.once + members * (self.each + self.byte * answer)


class Exchange(NamedTuple):
    """An exchange of a tree: bytes of an answer, and CPU seconds of the rows that answer."""

    answer: int
    work: float


class Sayer(RowHolder):
    """A holder without rows that answers with so many bytes."""

    def __init__(self) -> None:
        self.asked = self.answered = Number(-1, 0)
        self.members = ()
        self.thread = ThreadPoolExecutor(1)

    def say(self, size: int) -> NDArray[np.uint8]:
        """As many as are asked for."""
        return np.zeros(size, dtype=np.uint8)

    def spend(self, times: int, size: int) -> float:
        """CPU seconds of this process for an exchange with all members, the mean of some."""
        self.add_up("say", size)
        began = time.process_time()
        for _ in range(times):
            self.add_up("say", size)
        return (time.process_time() - began) / times


def measured_exchanges(times: int) -> list[tuple[int, int, float]]:
    """Members, bytes of an answer, and CPU seconds of the holder that speaks for them."""
    from distributed import wait

    found = []
    with cluster() as client:
        first, other = sorted(client.nthreads())
        made = {"actor": True, "pure": False}
        future = client.submit(Sayer, workers=[first], **made)
        futures = [client.submit(Sayer, workers=[other], **made) for _ in range(max(MEMBERS))]
        speaker = future.result()
        members = [Member(k, other, future.key) for k, future in enumerate(futures, 1)]
        wait(futures)
        for count, size in product(MEMBERS, SIZES):
            number = Number(len(found), 0)
            for asked in (seal("join", (members[:count],)), seal("spend", (times, size))):
                spent = Call(speaker, future, number, asked).result()
            found.append((count, size, spent))
    return found


def fitted(measured: list[tuple[int, int, float]]) -> Line:
    """The line that comes nearest; no part of it is below zero."""
    from scipy.optimize import nnls

    members, size, seconds = (
        np.array(column, dtype=float) for column in zip(*measured, strict=True)
    )
    parts = np.stack([np.ones_like(members), members, members * size], axis=1)
    scale = np.array([1.0, 1.0, 1e-6])
    return Line(*(nnls(parts * scale, seconds)[0] * scale))


class Recorder:
    """Holders in this process, which note every exchange."""

    def __init__(self, codes: NDArray[Any], bins: Any) -> None:
        rows = slice(0, len(codes))
        held = Held(Schema(codes.shape[1]), bins, len(codes), 0)
        self.shares = [Share(held, [], rows)]
        self.holder = RowHolder(held)
        self.holder.take(codes, Place("", None, None, 0, 0))
        self.exchanges: list[Exchange] = []

    def ask(self, method: str, *given: Any) -> list[Any]:
        """The answer of the only holder."""
        return [getattr(self.holder, method)(*(own for (own,) in given))]

    def ask_alike(self, method: str, *given: Any) -> list[Any]:
        """The same."""
        return self.ask(method, *([one] for one in given))

    def lead(self, method: str, *given: Any) -> Any:
        """The same, while all that it adds up is noted."""
        self.holder.add_up = self._noted  # type: ignore[method-assign]
        return getattr(self.holder, method)(*given)

    def _noted(self, method: str, *given: Any) -> Any:
        from distributed.protocol import pickle

        began = time.process_time()
        said = getattr(self.holder, method)(*given)
        work = time.process_time() - began
        self.exchanges.append(Exchange(len(pickle.dumps(said)), work))
        return said

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
        # Where holders keep the scores, the slopes of the next tree are measured in an exchange.
        found.append([Exchange(100, 0.0), *recorder.exchanges])
    return found


def levels(workers: int) -> list[int]:
    """How many members a holder speaks for, from the first holder down to the last ones."""
    found, known, width = [], 1, 1
    while known < workers:
        found.append(min(FAN, -(-(workers - known) // width)))
        width *= FAN
        known += width
    return found


def tree_seconds(rows: float, workers: int, delay: float, line: Line) -> float:
    """Seconds of a tree, the mean of some trees."""
    share, members = rows / ROWS / workers, levels(workers)
    spent = []
    for tree in course():
        # The driver asks the first holder for a tree, and answers travel up from level to level.
        seconds = delay + line.seconds(1, 10_000)
        for e in tree:
            seconds += sum(delay + line.seconds(count, e.answer) for count in members)
            seconds += share * e.work
        spent.append(seconds)
    return float(np.mean(spent))


def report(line: Line, delays: tuple[float, ...]) -> str:
    """Tables of seconds per tree."""
    lines = [
        f"A tree takes {np.mean([len(tree) for tree in course()]):.0f} exchanges. One "
        f"costs a holder {1e3 * line.once:.2f} ms, {1e3 * line.each:.2f} ms for every member that "
        f"it speaks for and {1e9 * line.byte:.2f} ns for every byte it receives.",
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
