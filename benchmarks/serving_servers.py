"""Servers of one model, each started for a while and asked in its own way."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["PEERS", "Server", "children", "coterie_server", "family"]

Records = list[dict[str, Any]]

BENTO = """
import bentoml, coterie, pandas

@bentoml.service(workers=1)
class Forest:
    def __init__(self):
        self.model = coterie.load({model!r})

    @bentoml.api(batchable=True)
    def predict(self, rows: list[dict]) -> list[str]:
        return self.model.predict(pandas.DataFrame(rows)).tolist()
"""

ML_SERVER = """
import coterie
from mlserver import MLModel
from mlserver.codecs import PandasCodec, StringCodec
from mlserver.types import InferenceResponse

class Forest(MLModel):
    async def load(self):
        self.model = coterie.load({model!r})
        return True

    async def predict(self, payload):
        labels = self.model.predict(PandasCodec.decode_request(payload)).tolist()
        outputs = [StringCodec.encode_output("predict", labels)]
        return InferenceResponse(model_name=self.name, outputs=outputs)
"""


@dataclass
class Server:
    """A running server, and how to ask it."""

    name: str
    port: int
    process: Any
    path: str
    wrap: Callable[[Records], Any]
    unwrap: Callable[[Any], list[str]] = lambda said: list(said["predictions"])

    def request(self, rows: Records) -> bytes:
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
def running(command: list[str], port: int, ready: str, folder: Path | None = None) -> Iterator[Any]:
    """A server from when it is ready until the block ends."""
    tools = f"{Path(command[0]).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": tools, "BENTOML_DO_NOT_TRACK": "true"}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, start_new_session=True, env=env, cwd=folder
        )
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
            # One by one: workers may have sessions of their own.
            for pid in family(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()


def answers(port: int, path: str) -> bool:
    """Whether a server is there and says that all is well."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as probe:
        probe.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return b" 200 " in probe.recv(100)
    return False


@contextmanager
def coterie_server(folder: Path, workers: int = 1) -> Iterator[Server]:
    """`coterie serve`."""
    port, model = free_port(), folder / "model.coterie"
    command = [str(Path(sys.executable).with_name("coterie")), "serve", f"m={model}"]
    command += ["--port", str(port), "--workers", str(workers), "--timeout", "5"]
    with running(command, port, "/v2/health/ready") as process:
        yield Server("coterie", port, process, "/predict", lambda rows: rows)


@contextmanager
def mlflow_server(folder: Path, python: str) -> Iterator[Server]:
    """What ``mlflow models serve`` starts; from this environment, which has coterie's flavour."""
    del python
    port = free_port()
    command = [sys.executable, "-m", "mlflow", "models", "serve", "-m", str(folder / "mlflow")]
    command += ["--env-manager", "local", "-p", str(port), "-w", "1"]
    with running(command, port, "/ping") as process:
        yield Server(
            "MLflow", port, process, "/invocations", lambda rows: {"dataframe_records": rows}
        )


@contextmanager
def bento_server(folder: Path, python: str) -> Iterator[Server]:
    """``bentoml serve`` with its adaptive batching, as its documentation writes a service."""
    port, place = free_port(), folder / "bento"
    place.mkdir(exist_ok=True)
    source = BENTO.format(model=str(folder / "model.coterie"))
    (place / "service.py").write_text(source, encoding="utf-8")
    command = [python, "-m", "bentoml", "serve", "service:Forest", "-p", str(port)]
    with running(command, port, "/readyz", place) as process:
        yield Server("BentoML", port, process, "/predict", lambda rows: {"rows": rows}, list)


def _tensors(rows: Records) -> Any:
    """Rows as the Open Inference Protocol has them: a tensor for each column."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return {
        "parameters": {"content_type": "pd"},
        "inputs": [
            {
                "name": name,
                "shape": [len(cells), 1],
                "datatype": "BYTES" if isinstance(cells[0], str) else "FP64",
                "parameters": {"content_type": "str" if isinstance(cells[0], str) else "np"},
                "data": cells,
            }
            for name, cells in columns.items()
        ],
    }


@contextmanager
def ml_server(folder: Path, python: str) -> Iterator[Server]:
    """``mlserver start`` with a runtime of its own, in one process."""
    ports, place = [free_port() for _ in range(3)], folder / "mlserver"
    place.mkdir(exist_ok=True)
    source = ML_SERVER.format(model=str(folder / "model.coterie"))
    (place / "runtime.py").write_text(source, encoding="utf-8")
    names = ("http_port", "grpc_port", "metrics_port")
    settings = dict(zip(names, ports, strict=True)) | {"parallel_workers": 0}
    (place / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    model = {"name": "m", "implementation": "runtime.Forest"}
    (place / "model-settings.json").write_text(json.dumps(model), encoding="utf-8")
    command = [str(Path(python).with_name("mlserver")), "start", "."]
    with running(command, ports[0], "/v2/health/ready", place) as process:
        yield Server(
            "MLServer",
            ports[0],
            process,
            "/v2/models/m/infer",
            _tensors,
            lambda said: list(said["outputs"][0]["data"]),
        )


PEERS = {"MLflow": mlflow_server, "BentoML": bento_server, "MLServer": ml_server}
