"""A table larger than the memory of the workers that fit it.

``python -m benchmarks.distributed_memory`` writes a folder of Parquet files, runs ``coterie fit``
on it with two workers of little memory, and watches them: the largest memory of each process, and
the bytes that Dask has spilled to disk.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

COLUMNS, FILES, WORKERS = 100, 40, 2
GROUP = 20_000  # rows of a group within a file: the smallest part that can be read


def write(folder: Path, rows: int) -> int:
    """Write the table; its bytes in memory."""
    import pandas as pd

    size, n_bytes = rows // FILES, 0
    for number in range(FILES):
        rng = np.random.default_rng(number)
        X = rng.normal(size=(size, COLUMNS))
        late = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=size) > 0
        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)]).assign(late=late)
        frame.to_parquet(folder / f"{number:03}.parquet", compression=None, row_group_size=GROUP)
        n_bytes += int(frame.memory_usage().sum())
    return n_bytes


def children(parent: int) -> list[int]:
    """All processes that a process has started, and those that they have."""
    found, parents = [], [parent]
    pairs: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = path.read_text().partition(" (")
            pairs.setdefault(int(rest.rpartition(")")[2].split()[1]), []).append(int(number))
        except (OSError, ValueError, IndexError):
            continue
    while parents:
        own = pairs.get(parents.pop(), [])
        found += own
        parents += own
    return found


def peak(process: int) -> float:
    """The largest memory that a process ever had, in MB."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return 0.0


def size_of(folder: Path) -> float:
    """Megabytes in the files of a folder."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(path, name)).st_size
            except OSError:
                continue
    return total / 1e6


def watched(command: list[str], scratch: Path) -> dict[str, Any]:
    """Run a command; peaks of its processes, and of the files in its scratch folder."""
    environment = {**os.environ, "DASK_TEMPORARY_DIRECTORY": str(scratch)}
    began = time.perf_counter()
    running = subprocess.Popen(command, env=environment)
    peaks: dict[int, float] = {}
    spilled = 0.0
    while running.poll() is None:
        for process in (running.pid, *children(running.pid)):
            peaks[process] = max(peaks.get(process, 0.0), peak(process))
        spilled = max(spilled, size_of(scratch))
        time.sleep(0.5)
    driver = peaks.pop(running.pid)
    workers = sorted(peaks.values())[-WORKERS:]
    wall = time.perf_counter() - began
    seen = {"wall": wall, "workers": workers, "driver": driver, "spilled": spilled}
    return {**seen, "code": running.returncode}


def main() -> None:
    """Print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--limit", default="1GB")
    parser.add_argument("--time", default="1m")
    parser.add_argument("--folder", type=Path, help="where to write the table, instead of /tmp")
    chosen = parser.parse_args()
    with TemporaryDirectory(dir=chosen.folder) as name:
        folder, scratch = Path(name) / "trips", Path(name) / "scratch"
        folder.mkdir()
        scratch.mkdir()
        table = write(folder, chosen.rows) / 1e6
        program = Path(sys.executable).with_name("coterie")
        command = [str(program), "fit", str(folder), "--target", "late"]
        command += ["--workers", str(WORKERS), "--worker-memory", chosen.limit]
        command += ["--time", chosen.time, "--out", str(Path(name) / "model")]
        seen = watched(command, scratch)
    peaks = " and ".join(f"{size:.0f}" for size in seen["workers"])
    print(
        f"{chosen.rows:,} rows of {COLUMNS} columns, {table:.0f} MB in memory, in {FILES} files; "
        f"{WORKERS} workers of {chosen.limit} each: exit code {seen['code']} after "
        f"{seen['wall']:.0f} s, largest memory of the workers {peaks} MB and of the driver "
        f"{seen['driver']:.0f} MB, at most {seen['spilled']:.0f} MB spilled to disk."
    )


if __name__ == "__main__":
    main()
