"""Hostile model files: right checksums, wrong contents, made from good files of every kind.

``python -m tests.export.hostile --seconds 3600`` tries one file after the other in a process of its
own, and keeps those that crash it, hang it, fill the memory or make it talk nonsense. A file is
made from a good one and a number, so that ``--only NUMBER`` tries one again. Best with an engine
that was compiled with sanitizers: see ``make sanitize``, whose options are inherited.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

import coterie
import coterie.interpretation
from coterie.export import ModelFileError
from tests.export.hostile_edits import hostile

ROOT = Path(__file__).parents[2]

# ------------------------------------------------------------------------------ asking a model


#: What gives a number, several or a curve for each row.
ANSWERS = ("predict", "predict_set", "p_values", "outlier_probability", "transform")
ANSWERS += ("predict_survival_function", "predict_cumulative_hazard_function")
SCORES = ("decision_function", "score_samples", "predict_interval")  # which may be infinite


def nonsense(model: Any, X: Any) -> Iterator[str]:
    """Ask a model whatever it can be asked, and say what of its answers cannot be."""
    for name in (*ANSWERS, *SCORES):
        if hasattr(model, name):
            yield from _odd_numbers(name, getattr(model, name)(X), len(X))
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        for share in shares if isinstance(shares, list) else [shares]:
            yield from _odd_shares(share, len(X))
    yield from _odd_trees(model, X)
    yield from _odd_explanations(model, X)


def _odd_numbers(name: str, said: Any, n_rows: int) -> Iterator[str]:
    said = said[1] if isinstance(said, tuple) and len(said) == 2 else said  # times, and curves
    said = said.toarray() if hasattr(said, "toarray") else np.asarray(said)
    if len(said) != n_rows:
        yield f"{name} gives {said.shape} for {n_rows} rows"
    if said.dtype.kind == "f" and (np.isnan if name in SCORES else _not_finite)(said).any():
        yield f"{name} gives numbers that are not finite"


def _not_finite(numbers: Any) -> Any:
    return ~np.isfinite(numbers)


def _odd_shares(share: Any, n_rows: int) -> Iterator[str]:
    if np.asarray(share).dtype.kind != "f" or np.shape(share)[0] != n_rows:
        yield f"predict_proba gives {np.shape(share)} for {n_rows} rows"
    elif not np.isfinite(share).all() or share.min() < -1e-9:
        yield "probabilities are negative or not finite"
    elif np.abs(share.sum(axis=1) - 1).max() > 1e-6:
        yield "probabilities do not add up to one"


def _odd_trees(model: Any, X: Any) -> Iterator[str]:
    if hasattr(model, "get_depth"):
        model.get_depth()
        coterie.export_text(model)
        model.pool_.forest.pruning_path()
        model.pool_.forest.prune(0.01)
    if hasattr(model, "feature_importances_") and not np.isfinite(model.feature_importances_).all():
        yield "importances are not finite"
    if hasattr(model, "apply"):
        model.apply(X)
    if hasattr(model, "staged_predict"):
        for _ in model.staged_predict(X):
            pass


def _odd_explanations(model: Any, X: Any) -> Iterator[str]:
    try:
        shares = coterie.interpretation.shap_values(model, X[:3])
    except (ValueError, TypeError, NotImplementedError) as error:
        if "damaged" in str(error):
            yield f"shap: {error}"
    else:
        if not np.isfinite(shares.values).all():
            yield "Shapley values are not finite"


def ask(path: Path, X: Any) -> str:
    """What became of a file."""
    try:
        model = coterie.load(path)
    except (ModelFileError, ImportError) as error:
        return f"refused: {str(error)[:150]}"
    if not hasattr(model, "fit"):
        return f"loaded a {type(model).__name__}, which is not a model"
    try:
        found = list(nonsense(model, X))
    except NotFittedError:
        return "sound"  # a model that is not fitted has its place in a file too
    except Exception as error:  # whatever it is, it came late
        import traceback

        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        return f"late: {type(error).__name__} {where} {str(error)[:150]}"
    return f"nonsense: {'; '.join(found)}" if found else "sound"


def try_numbers(folder: Path, numbers: range) -> None:
    """Try files made from the good ones of a folder; a line of JSON before and after each."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    good = sorted(folder.glob("*.coterie"))
    tables = {path.stem: np.load(path.with_suffix(".npy"), allow_pickle=True) for path in good}
    with tempfile.TemporaryDirectory() as place:
        tried = Path(place, "tried")
        for number in numbers:
            path = good[number % len(good)]
            print(json.dumps({"number": number, "model": path.stem}), flush=True)
            tried.write_bytes(hostile(path, number))
            print(json.dumps({"made": number}), flush=True)
            print(json.dumps({"result": ask(tried, tables[path.stem])}), flush=True)


# ------------------------------------------------------------------------------ watching


def resident(process: int) -> int:
    """Megabytes of a process."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    line = next((line for line in status.splitlines() if line.startswith("VmRSS")), "VmRSS: 0 kB")
    return int(line.split()[1]) // 1024


def busy(process: int) -> float:
    """Seconds that a process has been computing."""
    try:
        fields = (
            Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        )
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(folder: Path, numbers: range, seconds: float, megabytes: int) -> tuple[str, list[Any]]:
    """Start a process for some numbers; how it ended, and what it said."""
    command = [sys.executable, *COMMAND, "--folder", str(folder), "--child"]
    command += [str(numbers.start), str(numbers.stop)]
    with (
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
        subprocess.Popen(command, stdout=out, stderr=err, cwd=ROOT) as process,
    ):
        size, since, used, end = 0, time.monotonic(), 0.0, ""
        while process.poll() is None:
            time.sleep(0.1)
            grown = out.seek(0, 2)
            if grown != size:
                size, since, used = grown, time.monotonic(), busy(process.pid)
            # On a busy machine a process may wait for long before it gets anything done.
            if busy(process.pid) - used > seconds or time.monotonic() - since > 10 * seconds:
                end = "hang"
            elif resident(process.pid) > megabytes:
                end = "memory"
            if end:
                process.kill()
                process.wait()
        out.seek(0)
        err.seek(0)
        lines = [json.loads(line) for line in out.read().splitlines() if line.endswith("}")]
        if not end and process.returncode:
            end = f"died ({process.returncode}): {err.read()[-3000:]}"
    return end, lines


COMMAND = ["-m", "tests.export.hostile"]


def campaign(folder: Path, numbers: range, *, until: float, keep: Path) -> Counter[str]:
    """Try numbers until time is up; what came of them, worst cases kept as lines of JSON."""
    counts: Counter[str] = Counter()
    start = numbers.start
    while start < numbers.stop and time.monotonic() < until:
        batch = range(start, min(start + 400, numbers.stop))
        end, lines = watch(folder, batch, 60.0, 2500)
        named, done = None, batch.start
        for line in lines:
            if "number" in line:
                named, done = line, line["number"] + 1
            elif "result" in line:
                kind = line["result"].partition(":")[0]
                counts[kind] += 1
                if kind not in ("refused", "sound"):
                    _note(keep, {**(named or {}), **line})
        if end:
            counts[end.partition(" ")[0]] += 1
            _note(keep, {**(named or {}), "end": end, "made": "made" in (lines or [{}])[-1]})
        start = max(done, start + 1) if end else batch.stop
        print(f"{start}: {dict(counts)}", flush=True)
    return counts


def _note(keep: Path, finding: dict[str, Any]) -> None:
    with keep.open("a", encoding="utf-8") as file:
        file.write(json.dumps(finding) + "\n")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "hostile")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--only", type=int, help="try one number here, and print what happens")
    parser.add_argument("--child", type=int, nargs=2, help="for its own use")
    given = parser.parse_args()
    given.folder = given.folder.resolve()
    if given.child:
        try_numbers(given.folder, range(*given.child))
        return
    if not list(given.folder.glob("*.coterie")):
        from tests.export.kinds import write_good

        write_good(given.folder)
    if given.only is not None:
        try_numbers(given.folder, range(given.only, given.only + 1))
        return
    keep = given.folder / "findings.jsonl"
    until = time.monotonic() + given.seconds
    print(campaign(given.folder, range(given.start, 10**9), until=until, keep=keep))


if __name__ == "__main__":
    main()
