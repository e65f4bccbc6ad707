"""`fit_table` against five libraries as they come, on real tables.

``python -m benchmarks.automl`` splits every table of the data folder into training and held-out
rows, gives `fit_table` a minute of two cores and each default model the time it wants, and writes
`results/automl.md` and `results/automl.json` after each measurement; measurements that are there
already are not made again, so a run may be stopped. Every measurement is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.defaults import mean_ranks, ranks, split
from benchmarks.tables import PROJECT, REAL, available, read_frame

Record = dict[str, Any]

OURS = "fit_table"
PEERS = ("RandomForest", "HistGradientBoosting", "LightGBM", "XGBoost", "CatBoost")
RESULTS = PROJECT / "benchmarks" / "results" / "automl.json"
SMALL_FIRST = sorted(REAL, key=lambda table: REAL[table].rows)


def _codes(frame: Any) -> Any:
    """Categories as numbers, for the forest, which takes no others."""
    frame = frame.copy()
    for name in frame.columns:
        if frame[name].dtype == "category":
            codes = frame[name].cat.codes.astype(float)
            frame[name] = codes.where(codes >= 0)
    return frame


def _named(frame: Any) -> Any:
    """Categories as text with a name for missing ones, as CatBoost wants them."""
    frame = frame.copy()
    for name in frame.columns:
        if frame[name].dtype == "category":
            frame[name] = frame[name].astype(object).fillna("missing").astype(str)
    return frame


def peer(name: str, task: str, frame: Any, threads: int) -> tuple[Any, Any]:
    """The default model of a library, and how it wants its table."""
    kind = "Classifier" if task == "classification" else "Regressor"
    if name == "RandomForest":
        from sklearn import ensemble

        model = getattr(ensemble, f"RandomForest{kind}")(random_state=0, n_jobs=threads)
        return model, _codes
    if name == "HistGradientBoosting":
        from sklearn import ensemble

        return getattr(ensemble, f"HistGradientBoosting{kind}")(random_state=0), None
    if name == "LightGBM":
        import lightgbm

        found = getattr(lightgbm, f"LGBM{kind}")
        return found(random_state=0, n_jobs=threads, verbosity=-1), None
    if name == "XGBoost":
        import xgboost

        found = getattr(xgboost, f"XGB{kind}")
        return found(random_state=0, n_jobs=threads, enable_categorical=True), None
    import catboost

    text = [c for c in frame.columns if frame[c].dtype == "category"]
    found = getattr(catboost, f"CatBoost{kind}")
    options = {"verbose": False, "allow_writing_files": False, "cat_features": text or None}
    return found(random_state=0, thread_count=threads, **options), _named


def score(y: NDArray[Any], output: NDArray[Any]) -> float:
    """Log-loss of probabilities, clipped as scikit-learn does; root of the mean squared error.

    >>> score(np.array([1.0, 4.0]), np.array([1.0, 2.0])) ** 2
    2.0
    """
    if output.ndim == 1:
        return float(np.sqrt(np.mean(np.square(y - output))))
    own = output[np.arange(len(y)), y] / output.sum(axis=1)
    return float(-np.log(np.clip(own, np.finfo(np.float64).eps, 1.0)).mean())


def measure(job: Record) -> Record:
    """Fit one contender to one table and score it on the held-out rows."""
    real = REAL[job["table"]]
    frame, y = read_frame(job["table"])
    train, test = split(real, len(y), real.rows, job["seed"])
    if real.task == "classification":
        test = test[np.isin(y[test], y[train])]
    began = time.monotonic()
    record = {key: job[key] for key in ("table", "contender", "seed")}
    if job["contender"] == OURS:
        from coterie import fit_table

        table = frame.iloc[train].assign(target=y[train])
        options = {"time_limit": job["time"], "n_jobs": job["threads"], "task": real.task}
        model = fit_table(table, "target", **options)
        record["made_of"] = [[m.name, round(m.weight, 3)] for m in model.members_]
        record["chosen"] = next(e.name for e in model.leaderboard_ if e.chosen)
        record["expected"] = next(
            e.score for e in model.leaderboard_ if e.chosen and e.kind == "ensemble"
        )
        record["history"] = [
            [h["name"], h["kind"], h["score"], round(h["seconds"], 1), h["note"]]
            for h in model.history_
        ]
        prepare = None
    else:
        model, prepare = peer(job["contender"], real.task, frame, job["threads"])
        train_frame = frame.iloc[train] if prepare is None else prepare(frame.iloc[train])
        model.fit(train_frame, y[train])
    record["seconds"] = time.monotonic() - began
    held_out = frame.iloc[test] if prepare is None else prepare(frame.iloc[test])
    labels = real.task == "classification"
    output = model.predict_proba(held_out) if labels else model.predict(held_out)
    return {**record, "loss": score(y[test], np.asarray(output, dtype=np.float64))}


def run(job: Record) -> Record:
    """`measure` in a process of its own; a failure becomes a record."""
    command = [sys.executable, "-m", "benchmarks.automl", "--one"]
    place = {key: job[key] for key in ("table", "contender", "seed")}
    try:
        done = subprocess.run(
            command, input=json.dumps(job), capture_output=True, text=True, timeout=job["allowed"]
        )
    except subprocess.TimeoutExpired:
        return {**place, "error": f"took more than {job['allowed']:g} s"}
    if done.returncode:
        return {**place, "error": (done.stderr.strip().splitlines() or ["died"])[-1][:300]}
    return json.loads(done.stdout.splitlines()[-1])


def outcome(records: Sequence[Record]) -> Record:
    """Wins and mean ranks over tables that `fit_table` and at least one peer were measured on.

    >>> rows = [("t", "fit_table", 0.5), ("t", "XGBoost", 0.6), ("u", "XGBoost", 0.1)]
    >>> outcome([{"table": t, "contender": c, "loss": v} for t, c, v in rows])["won"]
    ['t']
    """
    good = [r for r in records if "loss" in r]
    tables: dict[str, dict[str, float]] = {}
    for r in good:
        tables.setdefault(r["table"], {})[r["contender"]] = r["loss"]
    tables = {t: v for t, v in tables.items() if OURS in v and len(v) > 1}
    won = [t for t, v in tables.items() if v[OURS] <= min(v.values()) * (1 + 1e-9)]
    places = mean_ranks([r for r in good if r["table"] in tables])
    return {"tables": tables, "won": won, "mean_ranks": places}


def markdown(records: Sequence[Record]) -> str:
    """The report."""
    found = outcome(records)
    names = (OURS, *PEERS)
    seconds = {(r["table"], r["contender"]): r.get("seconds") for r in records}
    lines = [
        "# `fit_table` and default models",
        "",
        "Log-loss (classes) or root mean squared error (numbers) of held-out rows; rank of "
        "`fit_table` among all, and the seconds it took.",
        "",
        "| table | " + " | ".join(names) + " | rank | seconds |",
        "|---|" + "---:|" * (len(names) + 2),
    ]
    for table, losses in found["tables"].items():
        best = min(losses.values())
        cells = [_cell(losses.get(name), best) for name in names]
        rank, took = ranks(losses)[OURS], seconds[table, OURS]
        lines.append(f"| {table} | " + " | ".join(cells) + f" | {rank:g} | {took:.1f} |")
    total = len(found["tables"])
    means = ", ".join(f"{name} {place:.2f}" for name, place in found["mean_ranks"].items())
    lines += ["", f"Best on {len(found['won'])} of {total} tables. Mean ranks: {means}."]
    failures = [r for r in records if "error" in r]
    lines += [f"- {r['contender']} on {r['table']}: {r['error']}" for r in failures]
    return "\n".join(lines) + "\n"


def _cell(loss: float | None, best: float) -> str:
    if loss is None:
        return "–"
    return f"**{loss:.4f}**" if loss == best else f"{loss:.4f}"


def save(records: Sequence[Record], path: Path, note: str = "") -> None:
    """Write the records and the report beside them, which a note may end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(records), indent=1) + "\n", encoding="utf-8")
    text = markdown(records) + (f"\n{note}\n" if note else "")
    path.with_suffix(".md").write_text(text, encoding="utf-8")


def main() -> None:
    """Measure what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", type=float, default=60.0, help="seconds for fit_table")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tables", default="", help="names, separated by commas")
    parser.add_argument("--contenders", default="", help="names, separated by commas")
    parser.add_argument(
        "--allowed", type=float, default=1800.0, help="seconds after which one is given up"
    )
    parser.add_argument("--again", action="store_true", help="measure fit_table anew")
    parser.add_argument("--note", default="", help="a sentence for the report")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            print("\n" + json.dumps(measure(json.load(sys.stdin))))
        return
    records = json.loads(chosen.out.read_text(encoding="utf-8")) if chosen.out.is_file() else []
    tables = chosen.tables.split(",") if chosen.tables else SMALL_FIRST
    contenders = chosen.contenders.split(",") if chosen.contenders else [OURS, *PEERS]
    anew = {(t, OURS) for t in tables} if chosen.again else set()
    records = [r for r in records if (r["table"], r["contender"]) not in anew]
    for table in filter(available, tables):
        for contender in contenders:
            if any((r["table"], r["contender"]) == (table, contender) for r in records):
                continue
            job = {"table": table, "contender": contender, "seed": 0}
            limits = {"time": chosen.time, "threads": chosen.threads, "allowed": chosen.allowed}
            records.append(run({**job, **limits}))
            print(table, contender, records[-1].get("loss", records[-1].get("error")), flush=True)
            save(records, chosen.out, chosen.note)
    save(records, chosen.out, chosen.note)


if __name__ == "__main__":
    main()
