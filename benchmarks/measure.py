"""One measurement, in a process of its own: fit, predict, weigh.

Reads a job (JSON) from standard input and writes the figures (JSON) to standard output.
"""

from __future__ import annotations

import json
import pickle
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders import CONTENDERS, Model
from benchmarks.tables import Split

# Probabilities are clipped here before the log loss: a full-depth tree says 0 and 1.
CLIP = 1e-3
PASSES = 3  # over the held-out rows, for the time of batch prediction
FITS, SHORT = 5, 1.5  # gradient boosting: fits at most, and seconds spent on repeating them
MB = 1024.0**2


def _status(field: str) -> float | None:
    """A figure of Linux's ``/proc/self/status``, in MB; None on other systems."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(s.split()[1]) / 1024 for s in lines if s.startswith(field)), None)


def peak_mb() -> float:
    """Largest resident memory so far, since the last `reset_peak` where that works."""
    linux = _status("VmHWM:")
    if linux is not None:
        return linux
    unit = 1.0 if sys.platform == "darwin" else 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MB


def reset_peak() -> float:
    """Forget the peak and return the memory in use now.

    ``ru_maxrss`` would do without this, but it keeps what loading the table needed for
    a moment, and (on Linux) what the parent process used before this one was started.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return peak_mb()
    return _status("VmRSS:") or peak_mb()


@contextmanager
def clock(figures: dict[str, Any], prefix: str) -> Iterator[None]:
    """Add wall and CPU seconds (all threads, user and system) under ``prefix``."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    figures[f"{prefix}_wall"] = time.perf_counter() - wall
    figures[f"{prefix}_cpu"] = time.process_time() - cpu


class _Scale:
    """A file that only weighs what is written to it."""

    def __init__(self) -> None:
        self.bytes = 0

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self.bytes += size
        return size


def model_mb(model: Any) -> float:
    """Size of the pickle, without holding it in memory."""
    scale = _Scale()
    pickle.dump(model, scale, protocol=5)
    return scale.bytes / MB


def scores(y: NDArray[Any], output: NDArray[Any]) -> dict[str, float]:
    """Accuracy and log loss of probabilities (n, classes), or R2 of numbers (n,).

    >>> scores(np.array([0, 1]), np.array([[0.5, 0.5], [0.0, 1.0]]))["score"]
    1.0
    >>> scores(np.array([0.0, 2.0]), np.array([1.0, 1.0]))
    {'score': 0.0}
    """
    if output.ndim == 1:
        rest = float(np.square(y - output).sum())
        return {"score": 1.0 - rest / float(np.square(y - y.mean()).sum())}
    chance = np.clip(output[np.arange(len(y)), y], CLIP, 1.0)
    accuracy = float(np.mean(output.argmax(axis=1) == y))
    return {"score": accuracy, "log_loss": float(-np.log(chance).mean())}


def loss_by_row(y: NDArray[Any], output: NDArray[Any]) -> NDArray[np.float64]:
    """Log loss of each row's probabilities, or its squared error.

    >>> loss_by_row(np.array([1.0, 4.0]), np.array([1.0, 2.0]))
    array([0., 4.])
    """
    if output.ndim == 1:
        return np.square(y - output)
    return -np.log(np.clip(output[np.arange(len(y)), y], np.finfo(np.float64).tiny, 1.0))


def _losses(job: dict[str, Any], y: NDArray[Any], output: NDArray[Any]) -> dict[str, float]:
    """Mean loss of gradient boosting; each row's is kept, to be compared row by row."""
    loss = loss_by_row(y, output)
    np.save(Path(job["folder"]) / f"loss {job['contender']}.npy", loss)
    return {"loss": float(loss.mean())}


def _again(fit: Callable[[], Any], figures: dict[str, Any]) -> None:
    """Median time of some more fits where one is short: the first has things to load."""
    times = [figures["fit_wall"], figures["fit_cpu"]]
    runs = [times]
    while len(runs) < FITS and sum(r[0] for r in runs) < SHORT:
        again: dict[str, Any] = {}
        with clock(again, "fit"):
            fit()
        runs.append([again["fit_wall"], again["fit_cpu"]])
    figures["fit_wall"], figures["fit_cpu"] = np.median(runs, axis=0).tolist()
    figures["fits"] = len(runs)


def _batch(predict: Callable[[Any], Any], split: Split, job: dict[str, Any]) -> dict[str, Any]:
    """Time of all held-out rows at once (median of passes), scores, and extra memory."""
    passes: list[dict[str, float]] = []
    before = reset_peak()
    for _ in range(PASSES):
        figures: dict[str, float] = {}
        with clock(figures, "batch"):
            output = predict(split.X_test)
        passes.append(figures)
    found = {key: float(np.median([p[key] for p in passes])) for key in passes[0]}
    found["batch_peak"] = max(0.0, peak_mb() - before)
    output = np.asarray(output, dtype=np.float64)
    if job["family"] == "gradient":
        found |= _losses(job, split.y_test, output)
    return {**found, **scores(split.y_test, output)}


def _rows(predict: Callable[[Any], Any], X: NDArray[Any], seconds: float) -> dict[str, Any]:
    """Distribution of the time of one row, in microseconds; the first few warm up."""
    for i in range(5):
        predict(X[i : i + 1])
    spent: list[float] = []
    cpu, stop = time.process_time(), time.perf_counter() + seconds
    for i in range(2000):
        row = X[i % len(X)][None, :]
        start = time.perf_counter()
        predict(row)
        spent.append(time.perf_counter() - start)
        if start > stop and len(spent) >= 50:
            break
    micro = np.array(spent) * 1e6
    return {
        "row_median": float(np.median(micro)),
        "row_p99": float(np.percentile(micro, 99)),
        "row_cpu": (time.process_time() - cpu) / len(spent) * 1e6,
        "row_calls": len(spent),
    }


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Fit and predict as ``job`` says; see `benchmarks.runner` for its fields."""
    split = Split.load(Path(job["folder"]))
    classes = int(split.y_train.max()) + 1 if job["task"] == "classification" else 0
    rows, columns = split.X_train.shape
    model = Model(job["family"], job["task"], job["trees"], rows, columns, classes)
    contender = CONTENDERS[job["contender"]]
    estimator = contender.build(model, job["threads"], job["seed"])
    figures: dict[str, Any] = {"rows": rows, "columns": columns}
    figures["base_mb"] = reset_peak()
    with clock(figures, "fit"):
        estimator.fit(split.X_train, split.y_train)
    figures["fit_peak"] = max(0.0, peak_mb() - figures["base_mb"])
    if job["family"] == "gradient":
        _again(lambda: estimator.fit(split.X_train, split.y_train), figures)
    predict = estimator.predict_proba if classes else estimator.predict
    figures |= _batch(predict, split, job)
    if job["row_seconds"] > 0:
        # What a service would call: the way that a library has for single rows, if it has one.
        fast = getattr(estimator, "fast_predictor", None)
        figures |= _rows(fast() if fast else predict, split.X_test, job["row_seconds"])
    figures["model_mb"] = model_mb(estimator)
    return figures


if __name__ == "__main__":
    job = json.load(sys.stdin)
    sys.stdout.write("\n" + json.dumps(measure(job)) + "\n")
