"""Gradient boosting as each library comes: test losses on real tables, and their ranks.

A table is measured in a process of its own, which reads a job (JSON) from standard input and
writes a list of records to standard output. Contenders get a data frame with categories of a
categorical type; XGBoost has to be told that it may use them, and CatBoost which they are (and
it wants missing ones named).
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.cases import Size
from benchmarks.contenders import CONTENDERS
from benchmarks.gradient_models import DEFAULTS, default
from benchmarks.measure import clock, loss_by_row
from benchmarks.tables import REAL, Real, available, read_frame

Record = dict[str, Any]
TIE = 1e-6  # relative difference of losses that share a rank


def plan(size: Size) -> list[dict[str, Any]]:
    """Tables with the rows to train on and the number of splits.

    CatBoost's thousand rounds on many classes take minutes, so large tables are cut, and the
    digits (784 columns) left out, unless everything is to be measured.
    """
    jobs = []
    for table, real in REAL.items():
        most = 5_000 if real.classes > 2 else 20_000
        rows = real.rows if size == "full" else min(real.rows, most)
        splits = 3 if real.rows < 5_000 or size == "full" else 1
        if size == "quick":
            rows, splits = min(rows, 500), 1
        left_out = (size == "quick" and real.classes > 4) or (size != "full" and table == "mnist")
        if available(table) and not left_out:
            jobs.append({"table": table, "rows": rows, "splits": splits})
    return jobs


def split(real: Real, n: int, rows: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows to train on and rows held out, drawn anew for every seed unless they are ordered."""
    rng = np.random.default_rng(seed)
    order = np.arange(n) if real.ordered else rng.permutation(n)
    cut = n - round(n * real.share)
    train = order[:cut]
    return (rng.choice(train, rows, replace=False) if rows < cut else train), order[cut:]


def _named(frame: Any, text: Sequence[str]) -> Any:
    """A frame whose missing categories have a name, for CatBoost."""
    frame = frame.copy()
    frame[list(text)] = frame[list(text)].astype(object).fillna("missing").astype(str)
    return frame


def one(contender: str, job: Record, tables: Sequence[Any]) -> Record:
    """Fit a library as it comes and weigh its predictions; ``tables`` is train, test, y, y."""
    train, test, y, y_test = tables
    task = REAL[job["table"]].task
    name, given = default(contender, task, threads=job["threads"], seed=job["seed"])
    text = [c for c in train.columns if train[c].dtype == "category"]
    if contender == "CatBoost" and text:
        given["cat_features"] = text
        train, test = _named(train, text), _named(test, text)
    model = CONTENDERS[contender].find(name)(**given)
    record: Record = {"contender": contender, "table": job["table"], "split": job["seed"]}
    with clock(record, "fit"):
        model.fit(train, y)
    output = model.predict_proba(test) if task == "classification" else model.predict(test)
    loss = loss_by_row(y_test, np.asarray(output, dtype=np.float64))
    return {**record, "rows": len(y), "loss": float(loss.mean())}


def measure(job: Record) -> list[Record]:
    """All contenders in turn on all splits of a table; a failure becomes a record."""
    real = REAL[job["table"]]
    frame, y = read_frame(job["table"])
    found = []
    for seed in range(job["splits"]):
        train, test = split(real, len(y), job["rows"], seed)
        seen = np.isin(y[test], y[train]) if real.task == "classification" else slice(None)
        test = test[seen]  # a class that was not drawn cannot be foretold by anybody
        tables = (frame.iloc[train], frame.iloc[test], y[train], y[test])
        for contender in job["contenders"]:
            try:
                found.append(one(contender, {**job, "seed": seed}, tables))
            except Exception as error:
                place = {"contender": contender, "table": job["table"], "split": seed}
                found.append({**place, "error": f"{type(error).__name__}: {error}"[:200]})
    return found


def jobs(size: Size, contenders: Iterable[str], only: Sequence[str]) -> Iterator[Any]:
    """What `measure` is asked for; one thread, which is fastest on small tables."""
    wanted = [c for c in contenders if c in DEFAULTS]
    for job in plan(size):
        if not only or any(part in f"default/{job['table']}" for part in only):
            yield {**job, "contenders": wanted, "threads": 1}


def mean_losses(records: Iterable[Record]) -> dict[str, dict[str, float]]:
    """Mean over the splits, by table and contender; tables somebody failed on are left out.

    >>> a = [{"table": "t", "contender": "x", "loss": v} for v in (1.0, 3.0)]
    >>> mean_losses(a)
    {'t': {'x': 2.0}}
    """
    groups: dict[str, dict[str, list[float]]] = {}
    failed = set()
    for r in records:
        if "error" in r:
            failed.add(r["table"])
        else:
            groups.setdefault(r["table"], {}).setdefault(r["contender"], []).append(r["loss"])
    return {
        table: {name: fmean(values) for name, values in found.items()}
        for table, found in groups.items()
        if table not in failed
    }


def ranks(losses: dict[str, float]) -> dict[str, float]:
    """Places from 1; those that tie share the mean of their places.

    >>> ranks({"a": 0.5, "b": 0.3, "c": 0.5})
    {'a': 2.5, 'b': 1.0, 'c': 2.5}
    """
    found = {}
    for name, loss in losses.items():
        width = TIE * abs(loss)
        less = sum(other < loss - width for other in losses.values())
        same = sum(abs(other - loss) <= width for other in losses.values())
        found[name] = less + (same + 1) / 2
    return found


def mean_ranks(records: Iterable[Record]) -> dict[str, float]:
    """Mean over the tables of each contender's rank by mean loss, best first."""
    places = [ranks(losses) for losses in mean_losses(records).values()]
    names = {name for place in places for name in place}
    means = {name: fmean(p[name] for p in places if name in p) for name in names}
    return dict(sorted(means.items(), key=lambda item: item[1]))


if __name__ == "__main__":
    job = json.load(sys.stdin)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.stdout.write("\n" + json.dumps(measure(job)) + "\n")
