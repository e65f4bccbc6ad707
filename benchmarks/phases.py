"""Where the time of a round of gradient boosting goes: ``python -m benchmarks.phases``.

Rounds on a synthetic table of two classes are driven step by step through the two halves of the
engine, which grow the same trees as a fit does, and CPU seconds of one thread are added up by
phase. The limits they are compared with are measured in the same process: how fast memory is
copied, and how long a loop of plain additions takes per cell. The time by cores is a model, and
says so: phases that are run by all threads are divided by their number, the others are not.
Results go to ``results/phases.md`` and ``docs/_static/phases.svg``.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import today
from benchmarks.tables import PROJECT, make
from coterie.native import (
    NewtonGrowth,
    NewtonTable,
    Slopes,
    _engine,
    add_votes,
    encode,
    find_bins,
    logistic_slopes,
)
from coterie.native.forest import Forest
from coterie.native.halves import Shard

RESULTS = Path(__file__).parent / "results"
PICTURE = PROJECT / "docs" / "_static" / "phases.svg"
CORES = (1, 2, 4, 8, 16, 32, 64)
# Phases, what they do, and whether all threads take part.
PHASES = {
    "slopes": ("derivatives of the loss", True),
    "measure": ("largest and total gradients", True),
    "pack": ("gradients rounded and packed", True),
    "count": ("histograms of the smaller children", True),
    "part": ("rows sent left or right", True),
    "decide": ("histograms subtracted, splits searched", False),
    "leaves": ("sums and leaf of every row", True),
    "scores": ("leaf values added to the scores", True),
    "write": ("the tree and its Python object", False),
}


class Clock:
    """CPU seconds by phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        start = time.process_time()
        yield
        self.seconds[phase] += time.process_time() - start


def grow(shard: Shard, clock: Clock, seed: int) -> tuple[Forest, dict[str, int]]:
    """One tree, and how many rows were counted and parted."""
    with clock("measure"):
        scale = shard.scale()
    with clock("pack"):
        shard.open(scale, seed=seed)
    d = shard.table.n_columns
    growth = shard.growth.arrays(d)
    table = shard.table.arrays()
    decider = _engine.Decider(table=table, growth=growth, scale=scale, seed=seed)
    sizes, done = {0: scale.rows}, {"counted": 0, "parted": 0}
    counts = np.zeros(shard.rows.histogram_bytes, dtype=np.uint8)
    while True:
        for node in decider.to_part():
            with clock("part"):
                moved = shard.rows.part(node, decider.split(node))
            left = decider.parted(node, moved)
            done["parted"] += sizes[node]
            if left:
                shard.rows.divide(node, left)
                sizes |= {left: moved, left + 1: sizes[node] - moved}
        for node in decider.to_count():
            with clock("count"):
                shard.rows.count(node, decider.barren(node), counts)
            decider.tell(node, counts)  # a copy that a fit does without
            done["counted"] += sizes[node]
        with clock("decide"):
            decider.decide(shard.codes)
        if not decider.to_part():
            break
    nodes = decider.leaves()
    with clock("leaves"):
        sums = np.array(shard.rows.leaf_sums(nodes))
    with clock("write"):
        tree = Forest.of_tree(decider.write(sums), n_features=d, n_outputs=1)
    return tree, done


def boost(rows: int, rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """CPU seconds of a round by phase, and rows counted and parted in it."""
    split = make("higgs", rows)
    bins = find_bins(split.X_train)
    table = NewtonTable.of(encode(split.X_train, bins), bins)
    y = split.y_train.astype(np.float64)
    raw, clock = np.zeros(rows), Clock()
    gradient, hessian = np.empty(rows, np.float32), np.empty(rows, np.float32)
    growth = NewtonGrowth(max_leaf_nodes=31, min_samples_leaf=20, l2=1.0)
    work: dict[str, float] = defaultdict(float)
    for seed in range(rounds):
        with clock("slopes"):
            logistic_slopes(raw, y, None, gradient, hessian)
        shard = Shard(table, Slopes(gradient, hessian), growth)
        tree, done = grow(shard, clock, seed)
        with clock("scores"):
            add_votes(raw, shard.leaves, 0.1 * tree.values[:, 0])
        for name, number in done.items():
            work[name] += number / rounds
    return {name: spent / rounds for name, spent in clock.seconds.items()}, work


def limits() -> dict[str, float]:
    """Bytes copied per second, and seconds of an addition to a cell in the first cache."""
    block = np.zeros(1 << 26, dtype=np.uint8)
    other = np.empty_like(block)
    cell, times = np.zeros(1 << 13), 1024
    copies, additions = [], []
    for _ in range(5):
        start = time.process_time()
        other[:] = block
        copies.append(time.process_time() - start)
        start = time.process_time()
        for _ in range(times):
            np.add(cell, 1.0, out=cell)
        additions.append(time.process_time() - start)
    return {
        "copy": 2 * block.size / min(copies),
        "add": min(additions) / (times * cell.size),
    }


def modelled(seconds: dict[str, float]) -> dict[int, float]:
    """Seconds of a round by cores, if phases that are run by all threads scale as they should."""
    serial = sum(s for phase, s in seconds.items() if not PHASES[phase][1])
    whole = sum(seconds.values())
    return {cores: serial + (whole - serial) / cores for cores in CORES}


def report(rows: int, seconds: dict[str, float], work: dict[str, float]) -> str:
    """What was found, in Markdown."""
    whole, bound = sum(seconds.values()), limits()
    lines = [
        "# Phases of a round",
        "",
        f"{today()}. {rows:,} rows, 28 columns, two classes, 31 leaves; CPU of one thread, "
        f"{1000 * whole:.1f} ms a round.",
        "",
        "| phase | what | ms | share | all threads |",
        "|---|---|---|---|---|",
    ]
    for phase, (what, together) in PHASES.items():
        spent = seconds[phase]
        lines.append(
            f"| {phase} | {what} | {1000 * spent:.2f} | {spent / whole:.1%} | "
            f"{'yes' if together else 'no'} |"
        )
    cells = work["counted"] * 28
    lines += [
        "",
        f"Counting: {work['counted'] / rows:.2f} of all rows a tree, "
        f"{1e9 * seconds['count'] / cells:.2f} ns a cell. A vectorised loop of additions to "
        f"numbers that lie side by side takes {1e9 * bound['add']:.2f} ns for each.",
        "",
        f"Parting: {work['parted'] / rows:.2f} times all rows a tree, "
        f"{1e9 * seconds['part'] / work['parted']:.2f} ns a row. Copying memory: "
        f"{bound['copy'] / 1e9:.1f} GB/s read and written.",
        "",
        "Model, not measured: phases of all threads divided by the cores, the others not.",
        "",
        "| cores | ms a round | speed-up |",
        "|---|---|---|",
    ]
    for cores, spent in modelled(seconds).items():
        lines.append(f"| {cores} | {1000 * spent:.2f} | {whole / spent:.1f} |")
    return "\n".join(lines) + "\n"


def picture(seconds: dict[str, float]) -> str:
    """Shares of the phases as a bar, and the modelled speed-up by cores, as SVG."""
    whole, at = sum(seconds.values()), 20.0
    shapes = []
    for k, phase in enumerate(PHASES):
        width = 600 * seconds[phase] / whole
        shade = 88 - 4 * k
        shapes.append(
            f'<rect x="{at:.1f}" y="30" width="{width:.1f}" height="30" '
            f'fill="hsl(210 60% {shade}%)" stroke="#fff"><title>{phase} '
            f"{seconds[phase] / whole:.1%}</title></rect>"
        )
        if width > 45:
            shapes.append(f'<text x="{at + 4:.1f}" y="50">{phase}</text>')
        at += width
    points = [
        (60 + 90 * k, 260 - 25 * np.log2(whole / spent))
        for k, spent in enumerate(modelled(seconds).values())
    ]
    ideal = " ".join(f"{60 + 90 * k},{260 - 25 * k}" for k in range(len(CORES)))
    line = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
    shapes += [
        f'<polyline points="{ideal}" fill="none" stroke="#999" stroke-dasharray="4"/>',
        f'<polyline points="{line}" fill="none" stroke="#1565a0" stroke-width="2"/>',
    ]
    for k, (cores, (x, y)) in enumerate(zip(CORES, points, strict=True)):
        speed = 2 ** ((260 - y) / 25)
        shapes.append(f'<text x="{60 + 90 * k}" y="296" text-anchor="middle">{cores}</text>')
        shapes.append(f'<text x="{x:.0f}" y="{y + 16:.0f}" text-anchor="middle">{speed:.1f}</text>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320" font-family="sans-serif" '
        'font-size="12"><text x="20" y="20">CPU time of a round by phase</text>'
        + "".join(shapes)
        + '<text x="20" y="90">Speed-up by cores: a model from these shares (dashed: ideal)</text>'
        '<text x="320" y="313" text-anchor="middle">cores</text></svg>\n'
    )


def main() -> None:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.phases", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=8)
    args = parser.parse_args()
    found: tuple[Any, Any] = boost(args.rows, args.rounds)
    text = report(args.rows, *found)
    (RESULTS / "phases.md").write_text(text)
    PICTURE.write_text(picture(found[0]))
    print(text)


if __name__ == "__main__":
    main()
