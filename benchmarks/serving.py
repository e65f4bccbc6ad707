"""Load, memory and faults of `coterie serve`, beside other servers with the same model.

    python -m benchmarks.serving        # a quarter of an hour; writes results/serving.md
    python -m benchmarks.serving loads --seconds 2 --connections 8
    python -m benchmarks.serving loads --peers MLflow BentoML MLServer --python ENV/bin/python

BentoML and MLServer run in an environment of their own, which needs coterie too. The model is a
random forest on german_credit. Every answer is compared with what the model says in this process;
a wrong one counts as such. The client and the servers share the cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.serving_servers import PEERS, Server, children, coterie_server, family

RESULTS = Path(__file__).parent / "results" / "serving.md"
CASES = {"one row": 1, "1,000 rows": 1000}


@dataclass
class Tally:
    """What came of a run."""

    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)

    def row(self, *before: object) -> str:
        """A line of the table."""
        n = len(self.times)
        p50, p99 = (1e3 * np.quantile(self.times, q) if n else np.nan for q in (0.5, 0.99))
        rest = ", ".join(f"{n} {name}" for name, n in self.ends.items() if name != "right")
        cells = [*before, f"{n / self.seconds:,.0f}", f"{p50:.1f}", f"{p99:.1f}", rest or "none"]
        return f"| {' | '.join(map(str, cells))} |"


async def exchange(reader: Any, writer: Any, request: bytes) -> tuple[int, bytes]:
    """Send a request, and read the answer to it."""
    writer.write(request)
    await writer.drain()
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(None, 2)[1])
    lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    return status, await reader.readexactly(int(lines[b"content-length"]))


async def client(
    server: Server, request: bytes, expected: list[str], ends: float, tally: Tally
) -> None:
    """One connection that asks again and again; it connects anew when it is cut."""
    while time.monotonic() < ends:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1 << 22)
        except OSError:
            tally.ends["refused"] += 1
            await asyncio.sleep(0.05)
            continue
        with suppress(OSError):
            while time.monotonic() < ends:
                began = time.monotonic()
                try:
                    status, body = await asyncio.wait_for(exchange(reader, writer, request), 30)
                except (OSError, EOFError, TimeoutError):
                    tally.ends["cut off"] += 1
                    break
                if status != 200:
                    tally.ends[f"status {status}"] += 1
                    continue
                right = server.unwrap(json.loads(body)) == expected
                tally.ends["right" if right else "WRONG"] += 1
                tally.times.append(time.monotonic() - began)
        writer.close()


async def load(
    server: Server,
    rows: list[dict[str, Any]],
    expected: list[str],
    connections: int,
    seconds: float,
) -> Tally:
    """Ask over several connections at once."""
    tally, began = Tally(), time.monotonic()
    request = server.request(rows)
    ends = began + seconds
    await asyncio.gather(
        *(client(server, request, expected, ends, tally) for _ in range(connections))
    )
    tally.seconds = time.monotonic() - began
    return tally


def make_models(folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """A model for either server; rows and what it says about them."""
    import coterie.mlflow
    from coterie import RandomForestClassifier, save
    from coterie.datasets import load_table

    X, y = load_table("german_credit", as_frame=True, return_X_y=True)
    X = X.astype({name: "str" for name in X.select_dtypes("category")})
    model = RandomForestClassifier(n_estimators=100, random_state=0).fit(X, y)
    save(model, folder / "model.coterie")
    coterie.mlflow.save_model(model, folder / "mlflow", input_example=X[:3])
    return X.to_dict("records"), model.predict(X).tolist()


def measure_loads(options: argparse.Namespace, folder: Path, known: Any) -> list[str]:
    """Lines of the table of loads."""
    rows, expected = known
    lines = []
    for name in ("coterie", *options.peers):
        start = coterie_server(folder) if name == "coterie" else PEERS[name](folder, options.python)
        with start as server:
            asyncio.run(load(server, rows[:1], expected[:1], 8, 1.0))
            before = server.memory()
            for case, n in CASES.items():
                for connections in options.connections:
                    run = load(server, rows[:n], expected[:n], connections, options.seconds)
                    lines.append(asyncio.run(run).row(server.name, case, connections))
                    print(lines[-1], flush=True)
            after = server.memory()
            lines.append(f"| {server.name} | memory | | {before:.0f} to {after:.0f} MB | | | |")
            print(lines[-1], flush=True)
    return lines


def measure_memory(options: argparse.Namespace, folder: Path, known: Any) -> list[str]:
    """Lines of the table of memory, minute by minute under load."""
    rows, expected = known
    lines, asked, wrong = [], 0, 0
    with coterie_server(folder) as server:
        asyncio.run(load(server, rows[:1], expected[:1], 8, 5.0))
        lines.append(f"| 0 | {server.memory():.1f} | | |")
        for minute in range(1, options.minutes + 1):
            for n, seconds in ((1, 40.0), (1000, 20.0)):
                tally = asyncio.run(load(server, rows[:n], expected[:n], 8, seconds))
                asked += len(tally.times)
                wrong += sum(tally.ends.values()) - tally.ends["right"]
            lines.append(f"| {minute} | {server.memory():.1f} | {asked:,} | {wrong} |")
            print(lines[-1], flush=True)
    return lines


async def _faulty(server: Server, known: Any, seconds: float, fault: Any) -> Tally:
    rows, expected = known
    running = asyncio.create_task(load(server, rows[:1], expected[:1], 8, seconds))
    await asyncio.sleep(seconds / 4)
    await fault(server)
    return await running


async def slow_clients(server: Server) -> None:
    """Two hundred clients that send a byte a second."""
    for _ in range(200):
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n[")


async def broken_bodies(server: Server) -> None:
    """Requests that are cut short, or hold garbage."""
    whole = server.request([{"age": 1}])
    for broken in (whole[:-5], whole.replace(b"age", b"\xff\xfe"), b"\x00" * 5000, b"GET"):
        for _ in range(50):
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(broken)
            writer.close()


async def killed_worker(server: Server) -> None:
    """A worker that is killed at once."""
    workers = [pid for pid in family(server.process.pid)[1:] if not children(pid)]
    os.kill(workers[-1], signal.SIGKILL)


def measure_faults(options: argparse.Namespace, folder: Path, known: Any) -> list[str]:
    """Lines of the table of faults."""
    model = folder / "model.coterie"

    async def garbage(_: Server) -> None:
        (folder / "new").write_bytes(os.urandom(10_000))
        (folder / "new").replace(model)

    lines = []
    with coterie_server(folder, 2) as server:
        for name, fault in {
            "none": lambda _: asyncio.sleep(0),
            "200 slow clients": slow_clients,
            "200 broken requests": broken_bodies,
            "kill -9 of one of two workers": killed_worker,
            "model file replaced by garbage": garbage,
        }.items():
            tally = asyncio.run(_faulty(server, known, options.seconds, fault))
            lines.append(tally.row(name))
            print(lines[-1], flush=True)
    return lines


HEADS = {
    "loads": (
        "## Load\n\n{facts} One process each. BentoML batches adaptively; MLServer speaks the Open "
        "Inference Protocol.\n\n"
        "| server | request | connections | requests/s | p50 ms | p99 ms | not answered |\n"
        "|---|---|--:|--:|--:|--:|---|\n"
    ),
    "memory": (
        "## Memory\n\n{facts} One process, 8 connections; in each minute 40 s of single rows and "
        "20 s of 1,000 rows.\n\n"
        "| minute | MB | requests so far | not answered or wrong |\n|--:|--:|--:|--:|\n"
    ),
    "faults": (
        "## Faults\n\n{facts} Two processes, 8 connections that ask for one row, and a fault after "
        "a quarter of the run.\n\n"
        "| fault | requests/s | p50 ms | p99 ms | not answered |\n|---|--:|--:|--:|---|\n"
    ),
}
MEASURES = {"loads": measure_loads, "memory": measure_memory, "faults": measure_faults}


def write(parts: dict[str, Any], out: Path) -> None:
    """The page of all parts that were measured, and the parts themselves."""
    out.with_suffix(".json").write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")
    text = (
        "# Serving\n\n`python -m benchmarks.serving`: a random forest of 100 trees on "
        f"german_credit (20 columns, 13 of them text), JSON over loopback. Client and server share "
        f"{os.cpu_count()} cores. Compare the servers with each other, not with other machines. "
        "Every answer was compared with the model's own.\n"
    )
    for name, head in HEADS.items():
        if name in parts:
            text += "\n" + head.format(facts=parts[name]["facts"])
            text += "\n".join(parts[name]["lines"]) + "\n"
    out.write_text(text, encoding="utf-8")


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=list(MEASURES), help=f"of {list(MEASURES)}")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each run")
    parser.add_argument("--minutes", type=int, default=10, help="of the run for memory")
    parser.add_argument("--connections", type=int, nargs="+", default=[8, 64])
    parser.add_argument("--peers", nargs="*", default=["MLflow"], help=f"of {list(PEERS)}")
    parser.add_argument("--python", default=sys.executable, help="of an environment with the peers")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    kept = options.out.with_suffix(".json")
    parts = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    with tempfile.TemporaryDirectory() as name:
        known = make_models(Path(name))
        for part in options.parts:
            before = os.getloadavg()[0]
            lines = MEASURES[part](options, Path(name), known)
            facts = f"The load average was {before:.1f} before the run"
            facts += f", {os.getloadavg()[0]:.1f} after it."
            if part != "memory":
                facts += f" {options.seconds:g} s a run."
            parts[part] = {"facts": facts, "lines": lines}
            write(parts, options.out)


if __name__ == "__main__":
    main()
