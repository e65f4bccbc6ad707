"""Load and faults of `coterie serve`, beside MLflow's server with the same model.

    python -m benchmarks.serving        # about three minutes; writes results/serving.md
    python -m benchmarks.serving --seconds 2 --connections 8

The model is a random forest on german_credit. Every answer is compared with what the model says in
this process; a wrong one counts as such. The client and the servers share the cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "serving.md"
CASES = {"one row": 1, "1,000 rows": 1000}


@dataclass
class Server:
    """A running server, and how to ask it."""

    name: str
    port: int
    process: Any
    path: str
    wrap: Callable[[list[dict[str, Any]]], Any]

    def request(self, rows: list[dict[str, Any]]) -> bytes:
        """The bytes of a request for these rows."""
        body = json.dumps(self.wrap(rows)).encode()
        head = (
            f"POST {self.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def memory(self) -> float:
        """MB that its processes hold."""
        return sum(resident(pid) for pid in family(self.process.pid)) / 1e6


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


def children(pid: int) -> list[int]:
    """Processes that a process started."""
    with suppress(OSError):
        return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    return []


def family(pid: int) -> list[int]:
    """A process and all below it."""
    return [pid, *(one for child in children(pid) for one in family(child))]


def resident(pid: int) -> int:
    """Bytes of memory a process holds."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: list[str], port: int, ready: str) -> Iterator[Any]:
    """A server from when it is ready until the block ends."""
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": tools}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, env=env)
        try:
            for _ in range(600):
                if answers(port, ready):
                    break
                if process.poll() is not None:
                    log.seek(0)
                    raise RuntimeError(log.read().decode()[-2000:])
                time.sleep(0.2)
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def answers(port: int, path: str) -> bool:
    """Whether a server is there and says that all is well."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as probe:
        probe.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        return b" 200 " in probe.recv(100)
    return False


@contextmanager
def coterie_server(model: Path, workers: int) -> Iterator[Server]:
    """`coterie serve`."""
    port = free_port()
    command = [str(Path(sys.executable).with_name("coterie")), "serve", f"m={model}"]
    command += ["--port", str(port), "--workers", str(workers), "--timeout", "5"]
    with running(command, port, "/v2/health/ready") as process:
        yield Server("coterie", port, process, "/predict", lambda rows: rows)


@contextmanager
def mlflow_server(folder: Path, workers: int) -> Iterator[Server]:
    """What ``mlflow models serve`` starts."""
    port = free_port()
    command = [sys.executable, "-m", "mlflow", "models", "serve", "-m", str(folder)]
    command += ["--env-manager", "local", "-p", str(port), "-w", str(workers)]
    with running(command, port, "/ping") as process:
        yield Server(
            "MLflow", port, process, "/invocations", lambda rows: {"dataframe_records": rows}
        )


async def exchange(reader: Any, writer: Any, request: bytes) -> tuple[int, bytes]:
    """Send a request, and read the answer to it."""
    writer.write(request)
    await writer.drain()
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(None, 2)[1])
    lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    return status, await reader.readexactly(int(lines[b"content-length"]))


async def client(port: int, request: bytes, expected: list[str], ends: float, tally: Tally) -> None:
    """One connection that asks again and again; it connects anew when it is cut."""
    while time.monotonic() < ends:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
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
                right = json.loads(body)["predictions"] == expected
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
        *(client(server.port, request, expected, ends, tally) for _ in range(connections))
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


def measure_load(options: argparse.Namespace, folder: Path, known: Any) -> list[str]:
    """Lines of the table of loads."""
    rows, expected = known
    starts = [lambda: coterie_server(folder / "model.coterie", 1)]
    if not options.alone:
        starts.append(lambda: mlflow_server(folder / "mlflow", 1))
    lines = []
    for start in starts:
        with start() as server:
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
    with coterie_server(model, 2) as server:
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


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=6.0, help="of each run")
    parser.add_argument("--connections", type=int, nargs="+", default=[8, 64])
    parser.add_argument("--alone", action="store_true", help="without MLflow")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        known = make_models(Path(name))
        loads = measure_load(options, Path(name), known)
        faults = measure_faults(options, Path(name), known)
    busy = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    options.out.write_text(
        "# Serving\n\n"
        f"`python -m benchmarks.serving`: a random forest of 100 trees on german_credit, JSON over "
        f"loopback, one process each, {options.seconds:g} s a run. Client and server share "
        f"{os.cpu_count()} cores with whatever else ran: the load average at the end was {busy}. "
        "Compare the servers with each other, not with other machines. Every answer was compared "
        "with the model's own.\n\n"
        "| server | request | connections | requests/s | p50 ms | p99 ms | not answered |\n"
        "|---|---|--:|--:|--:|--:|---|\n" + "\n".join(loads) + "\n\n"
        "## Faults\n\nTwo processes, 8 connections that ask for one row, and a fault after a "
        "quarter of the run.\n\n"
        "| fault | requests/s | p50 ms | p99 ms | not answered |\n|---|--:|--:|--:|---|\n"
        + "\n".join(faults)
        + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
