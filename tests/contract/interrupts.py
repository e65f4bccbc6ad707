"""Ctrl-C at random moments of fits in threads, in scripts and at the prompt.

``python -m tests.contract.interrupts --tries 50`` prints how often each of them ended badly; the
tests try one of each.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CASES = ("forest", "bagging", "foreign", "stacking", "boosting", "search")

SCRIPT = """
import faulthandler, os, signal, sys, threading
import numpy as np
import sklearn.tree, sklearn.linear_model, sklearn.neural_network
import coterie

signal.signal(signal.SIGINT, signal.default_int_handler)
faulthandler.dump_traceback_later(150, exit=True)  # rather than to hang, say where
case, n_jobs = sys.argv[1], int(sys.argv[2])
X = np.random.default_rng(0).normal(size=(60_000, 12))
y = (X.sum(axis=1) > 0).astype(int)
common = {"n_jobs": n_jobs, "random_state": 0}
many = {"n_estimators": 100_000, **common}
if case == "forest":
    model = coterie.RandomForestClassifier(**many)
elif case == "bagging":
    model = coterie.BaggingClassifier(**many)
elif case == "foreign":
    model = coterie.BaggingClassifier(sklearn.neural_network.MLPClassifier(max_iter=10**6), **many)
elif case == "boosting":
    model = coterie.HistGradientBoostingClassifier(max_iter=100_000, early_stopping=False, **common)
elif case == "stacking":
    members = [
        ("forest", coterie.RandomForestClassifier(1000, n_jobs=2)),
        ("boosting", coterie.GradientBoostingClassifier(n_estimators=100_000)),
        ("adaboost", coterie.AdaBoostClassifier(n_estimators=100_000)),
        ("mlp", sklearn.neural_network.MLPClassifier(max_iter=10**6)),
    ]
    model = coterie.StackingClassifier(members, n_jobs=n_jobs)
else:
    model = coterie.TableClassifier(time_limit=600, **common)

def state():
    fitted = sorted(name for name in vars(model) if name.endswith("_") and name[0] != "_")
    alive = [thread.name for thread in threading.enumerate()]
    return f"state {fitted} {len(alive)}"
"""

GOOD = "state [] 1"


def in_script(case: str, n_jobs: int, moment: float) -> str:
    """Interrupt a script; return what was wrong with its end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "fit.py")
        tail = (
            "print('ready', flush=True)\n"
            "try:\n    model.fit(X, y)\n"
            "finally:\n    print(state(), flush=True)\n"
        )
        path.write_text(SCRIPT + tail)
        with subprocess.Popen(
            [sys.executable, path, case, str(n_jobs)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stdout is not None
                if process.stdout.readline() != "ready\n":
                    return f"did not begin: {process.communicate()[1][-3000:]}"
                time.sleep(moment)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=180)
            except subprocess.TimeoutExpired:
                return "hangs"
            finally:
                process.kill()
    if case == "search" and process.returncode == 0:
        return "" if out.rstrip().endswith(" 1") else out  # the best so far was kept
    if process.returncode != -signal.SIGINT:
        return f"ended with {process.returncode}: {err[-3000:]}"
    if err.count("Traceback") != 1 or not err.rstrip().endswith("KeyboardInterrupt"):
        return f"said {err[-300:]}"
    return "" if out.strip() == GOOD else out.strip()


def at_prompt(case: str, n_jobs: int, moment: float) -> str:
    """Interrupt a fit at the prompt of ``python -i``; return what was wrong with what follows."""
    import pty

    leader, follower = pty.openpty()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "fit.py")
        path.write_text(SCRIPT)
        with subprocess.Popen(
            [sys.executable, "-i", path, case, str(n_jobs)],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
            env={**os.environ, "TERM": "dumb", "PYTHON_BASIC_REPL": "1"},
        ) as process:
            os.close(follower)
            try:
                _read_until(leader, ">>> ")
                os.write(leader, b"print('rea' + 'dy'); model.fit(X, y)\n")
                _read_until(leader, "ready")
                time.sleep(moment)
                process.send_signal(signal.SIGINT)
                said = _read_until(leader, ">>> ")
                if case != "search" and "KeyboardInterrupt" not in said:
                    return f"said {said[-300:]}"
                os.write(leader, b"print('it is: ' + state())\n")
                said = _read_until(leader, ">>> ")
                if f"it is: {GOOD}" not in said and case != "search":
                    return f"said {said[-300:]}"
                os.write(leader, b"exit()\n")
                ended = process.wait(timeout=60)
            except (TimeoutError, subprocess.TimeoutExpired) as error:
                return f"hangs: {error}"
            finally:
                process.kill()
                os.close(leader)
    return "" if ended == 0 else f"ended with {ended}"


def _read_until(leader: int, words: str, patience: float = 180.0) -> str:
    """What a terminal shows until some words come."""
    shown, deadline = "", time.monotonic() + patience
    while words not in shown:
        ready, _, _ = select.select([leader], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError(shown[-300:])
        try:
            shown += os.read(leader, 4096).decode(errors="replace")
        except OSError:  # the other end is closed
            raise TimeoutError(f"{shown[-300:]} (it ended)") from None
    return shown


def main() -> None:
    """Try all, and print what went wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tries", type=int, default=50)
    parser.add_argument("--cases", nargs="*", default=CASES)
    parser.add_argument("--n-jobs", nargs="*", type=int, default=[2, 4])
    given = parser.parse_args()
    chance = random.Random(0)
    for case in given.cases:
        for n_jobs in given.n_jobs:
            for way in (in_script, at_prompt):
                moments = [chance.uniform(0.05, 4.0) for _ in range(given.tries)]
                wrong = [found for at in moments if (found := way(case, n_jobs, at))]
                print(case, n_jobs, way.__name__, f"{len(wrong)} of {given.tries} bad", flush=True)
                for words in wrong[:3]:
                    print("   ", words.replace("\n", "\n    "), flush=True)


if __name__ == "__main__":
    main()
