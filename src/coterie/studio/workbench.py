"""The workbench: a table, a search that is watched, and what came of it.

A search is the command ``coterie fit`` in a process of its own: the same code, the same
directory, so a run that was begun here can be resumed there.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coterie.files.models import MODEL_FILE
from coterie.files.table import read_table
from coterie.serve.problems import Problem
from coterie.serve.shelf import Shelf
from coterie.studio.columns_seen import describe_columns
from coterie.studio.runs import compare_runs, list_runs
from coterie.studio.table_points import NUMERIC, table_points
from coterie.studio.what_if import what_if

_COMMAND = [sys.executable, "-c", "from coterie.cli import main; main()"]
_TRIED = re.compile(r"^\s*([\d.]+) s  (.{28,}?)\s+(\S+)  in (.+?)(?:  best so far)?$")
_SAFE = re.compile(r"[^\w.-]")
RESULTS = {"report": "report.html", "model": MODEL_FILE, "leaderboard": "leaderboard.csv"}


@dataclass
class Search:
    """A running or finished ``coterie fit``.

    Parameters
    ----------
    process : subprocess.Popen
        The command.
    directory : Path
        Where it writes.
    log : Path
        What it says.
    table : Path
        What it learns from.
    limit : float
        Seconds it was given.
    """

    process: subprocess.Popen[bytes]
    directory: Path
    log: Path
    table: Path
    limit: float
    begun: float = field(default_factory=time.monotonic)
    ended: float | None = None
    stopped: bool = False


class Workbench:
    """The table that is open, and the search on it.

    Parameters
    ----------
    root : Path
        Tables are opened from here and below only.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.table: Path | None = None
        self.reading: Any = None
        self.search: Search | None = None
        self.served: Any = None
        self._kept: tempfile.TemporaryDirectory[str] | None = None

    def open(self, path: str) -> dict[str, Any]:
        """Read a table and describe its columns; `path` is taken from the root."""
        return self._read(self._inside(path))

    def drop(self, name: str, content: bytes) -> dict[str, Any]:
        """Keep a table that came with a request, under the last part of its name."""
        plain = _SAFE.sub("_", Path(name.replace("\\", "/")).name).lstrip(".") or "table.csv"
        target = Path(self._folder()) / plain[-100:]
        target.write_bytes(content)
        return self._read(target)

    def fit(self, asked_for: dict[str, Any]) -> dict[str, Any]:
        """Begin a search for the best ensemble."""
        names = self._reading().table.schema.names
        assert self.table is not None
        if self.search is not None and self.search.process.poll() is None:
            raise Problem("A search is running.", "Stop it first.", 409)
        target, seconds = asked_for.get("target"), asked_for.get("seconds", 60)
        if target not in names:
            raise Problem(f"Column {target!r} is not in the table.", field="target")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 1:
            raise Problem("The time must be at least one second.", field="seconds")
        metric = str(asked_for.get("metric", "auto"))
        if not re.fullmatch(r"\w+", metric):
            raise Problem(f"There is no metric {metric!r}.", field="metric")
        stamp = time.strftime("%Y%m%d-%H%M%S")
        directory = self.root / f"{self.table.name.split('.')[0]}_model_{stamp}"
        command = [*_COMMAND, "fit", str(self.table), f"--target={target}", f"--time={seconds:g}s"]
        command += [f"--metric={metric}", f"--out={directory}"]
        log = Path(self._folder()) / f"{directory.name}.log"
        with log.open("wb") as said:
            process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        self.search = Search(process, directory, log, self.table, float(seconds))
        self.served = None
        return self.status()

    def stop(self) -> dict[str, Any]:
        """Ask the search to end and keep the best so far, as Ctrl-C does."""
        search = self._search()
        if search.process.poll() is None and not search.stopped:
            search.process.send_signal(signal.SIGINT)
            search.stopped = True
        return self.status()

    def status(self) -> dict[str, Any]:
        """What the search has tried, and whether it is over."""
        if self.search is None:
            return {"state": "none"}
        search = self.search
        code = search.process.poll()
        if code is not None and search.ended is None:
            search.ended = time.monotonic()
        elapsed = (search.ended or time.monotonic()) - search.begun
        lines = search.log.read_text(encoding="utf-8", errors="replace").splitlines()
        found = {
            "state": "running" if code is None else "finished" if code == 0 else "failed",
            "elapsed": round(elapsed, 1),
            "left": round(max(0.0, search.limit - elapsed), 1) if code is None else 0.0,
            "limit": search.limit,
            "stopped": search.stopped,
            "directory": search.directory.name,
            "tried": tried(lines),
            "last": lines[-1].strip() if lines else "",
        }
        return found | (self._outcome(search) if code == 0 else {})

    def _outcome(self, search: Search) -> dict[str, Any]:
        facts = json.loads((search.directory / "facts.json").read_text(encoding="utf-8"))
        served = self._model()
        kinds = served.kinds()
        shown = ("name", "score", "low", "high", "weight", "chosen")
        board = [{key: one.get(key) for key in shown} for one in facts["leaderboard"]]
        return {
            "metric": facts["metric"]["name"],
            "leaderboard": board,
            "inputs": kinds,
            "thresholds": facts.get("thresholds"),
            "target": served.fitted.target,
        }

    def whatif(self, row: Any) -> dict[str, Any]:
        """What the model says about one row, and why."""
        served = self._model()
        assert self.search is not None
        return what_if(served, self.search.table, row)

    def points(self, target: Any, columns: Any, most: int) -> dict[str, Any]:
        """Rows of the open table as points of the explorer."""
        return table_points(self._reading(), target, columns, most)

    def row(self, number: int) -> dict[str, Any]:
        """Values of a row of the open table, counted from 1, as text; None where one is missing."""
        table = self._reading().table
        if not 1 <= number <= len(table):
            raise Problem(f"There is no row {number}.", f"Choose one from 1 to {len(table):,}.")
        (found,) = table.slice(number - 1, 1).to_pylist()
        return {name: None if cell is None else str(cell) for name, cell in found.items()}

    def runs(self) -> list[dict[str, Any]]:
        """Finished fits in the root."""
        return list_runs(self.root)

    def compare(self, first: str, second: str) -> dict[str, Any]:
        """Two of them side by side."""
        return compare_runs(self.root, first, second)

    def result(self, what: str) -> Path:
        """A file of the finished search."""
        if what not in RESULTS:
            raise Problem(f"There is no result {what!r}.", f"Available: {', '.join(RESULTS)}.", 404)
        path = self._search().directory / RESULTS[what]
        if not path.exists():
            raise Problem("The search has no result yet.", "Wait for it.", 404)
        return path

    def close(self) -> None:
        """End a search that runs, with its best so far, and forget dropped tables."""
        if self.search is not None and self.search.process.poll() is None:
            self.stop()
        if self._kept is not None:
            self._kept.cleanup()
            self._kept = None

    def _folder(self) -> str:
        """Where dropped tables and logs are kept while the studio runs."""
        if self._kept is None:
            self._kept = tempfile.TemporaryDirectory(prefix="coterie-studio-")
        return self._kept.name

    def _search(self) -> Search:
        if self.search is None:
            raise Problem("No search has been started.", "Begin one.", 404)
        return self.search

    def _reading(self) -> Any:
        if self.reading is None:
            raise Problem("No table has been opened.", "Open one first.", 409)
        return self.reading

    def _model(self) -> Any:
        if self.served is None:
            path = self.result("model").parent
            (self.served,) = Shelf((f"run={path}",)).open().all()
        return self.served

    def _inside(self, path: str) -> Path:
        """The file that a path names, if it lies below the root, links followed."""
        try:
            found = (self.root / path).resolve(strict=True)
        except (OSError, ValueError):
            raise Problem(f"There is no file {path!r}.", "Check its name.", 404) from None
        if not found.is_relative_to(self.root) or not found.is_file():
            raise Problem(
                "Only files below the directory in which the studio was started can be opened.",
                "Start it elsewhere, or drop the file on the page.",
                403,
            )
        return found

    def _read(self, path: Path) -> dict[str, Any]:
        reading = read_table(path)
        self.table, self.reading = path, reading
        return {
            "name": path.name,
            "rows": len(reading.table),
            "columns": describe_columns(reading),
            "numeric": [name for name, kind in reading.columns.kinds.items() if kind in NUMERIC],
            "notes": [str(note) for note in reading.notes],
        }


def tried(lines: list[str]) -> list[dict[str, Any]]:
    """Candidates that a search has finished, from what it printed.

    >>> tried(["    1.5 s  random forest                  0.51234  in 1.2 s  best so far"])
    [{'at': 1.5, 'name': 'random forest', 'score': 0.51234, 'took': '1.2 s'}]
    """
    found = []
    for line in lines:
        match = _TRIED.match(line)
        if match:
            with contextlib.suppress(ValueError):
                at, name, score, took = match.groups()
                found.append(
                    {"at": float(at), "name": name.strip(), "score": float(score), "took": took}
                )
    return found
