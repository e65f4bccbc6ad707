"""Threads, forks and interruptions."""

import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from sklearn.base import is_classifier

from tests.contract.exported import ENSEMBLES, ESTIMATORS, fitted, make, outputs, problem, same_bits
from tests.contract.interrupts import at_prompt, in_script

every = pytest.mark.parametrize("cls", ESTIMATORS)
# One draft and one executor serve all of them.
some = pytest.mark.parametrize("cls", ESTIMATORS[::4])


@pytest.mark.slow
@pytest.mark.contract
@some
def test_threads_predict_while_another_fits(cls):
    """Each prediction is that of one of the two models, never of a mixture."""
    X, y = problem(cls, 80)
    # The second model knows other classes, so that a mixture would show.
    other = y + 3 if is_classifier(cls()) else y.max() + 1 - y
    known = [outputs(make(cls).fit(X, target), X) for target in (y, other)]
    shared = make(cls).fit(X, y)
    wrong: list[str] = []
    done = threading.Event()

    def watch():
        while not done.is_set():
            try:
                seen = [shared.predict(X)]
                if not any(same_bits(seen, model[:1]) for model in known):
                    wrong.append("a mixture")
            except Exception as error:
                wrong.append(repr(error))

    threads = [threading.Thread(target=watch) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(2):
        shared.fit(X, (other, y)[number % 2])
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def run(script, *arguments):
    """Start a Python process with a script."""
    command = [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


FORK = """
    import os
    import numpy as np
    from tests.contract.exported import ESTIMATORS, make

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 5)), rng.integers(1, 3, 100)  # classes, numbers or times
    for cls in ESTIMATORS:
        model = make(cls, n_jobs=2).fit(X, y)
        expected = model.predict(X)
        child = os.fork()
        if child == 0:
            good = np.array_equal(model.predict(X), expected)
            good &= np.array_equal(model.fit(X, y).predict(X), expected)
            os._exit(0 if good else 1)
        assert os.waitpid(child, 0)[1] == 0, cls
    print("fine")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork here")
def test_child_predicts_and_fits_after_a_fork():
    process = run(FORK)
    out, err = process.communicate(timeout=300)
    assert out.strip() == "fine", err


INTERRUPT = """
    import sys, threading
    import numpy as np
    from sklearn.base import is_classifier
    import coterie

    name, n_jobs = sys.argv[1], int(sys.argv[2])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 20)).astype(np.float32)
    y = X.sum(axis=1)  # something to learn, so that boosting goes on for long
    if is_classifier(getattr(coterie, name)()):
        y = (y > 0).astype(int)
    model = getattr(coterie, name)(n_estimators=5000, n_jobs=n_jobs, random_state=0)
    before = threading.active_count()
    print("ready", flush=True)
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    assert not hasattr(model, "pool_")
    assert threading.active_count() == before
    assert model.set_params(n_estimators=3).fit(X[:500], y[:500]).score(X[:500], y[:500]) > 0
    print("fine")
"""


# One for each way of fitting members: every case starts a process and waits for seconds.
LOOPS = {
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesRegressor",
    "FunctionalGradientBoostingRegressor",
    "LogitBoostClassifier",
    "LPBoostClassifier",
    "MultiBoostClassifier",
    "RandomForestClassifier",
    "RotationForestClassifier",
}


@pytest.mark.slow
@pytest.mark.contract
@pytest.mark.every_case
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for another process there")
@pytest.mark.parametrize(
    ("cls", "n_jobs"),
    [(cls, 1 + (k % 2)) for k, cls in enumerate(c for c in ENSEMBLES if c.__name__ in LOOPS)],
)
def test_interrupt_stops_a_long_fit(cls, n_jobs):
    import signal

    process = run(INTERRUPT, cls.__name__, n_jobs)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.readline() == "stopped\n"
        assert time.monotonic() - start < 5
        # `communicate` would not see what `readline` has read ahead.
        assert process.stdout.read() == "fine\n", process.stderr.read()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()


# Members of other packages, ensembles of ensembles, and a terminal.
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for another process there")
@pytest.mark.parametrize(
    ("way", "case"),
    [
        (in_script, "foreign"),
        (in_script, "stacking"),
        (in_script, "search"),
        (at_prompt, "forest"),
    ],
)
def test_interrupt_leaves_no_threads_behind(way, case):
    assert way(case, 2, 0.7) == ""


@pytest.mark.contract
@some
def test_nested_parallelism_gives_the_same(cls):
    joblib = pytest.importorskip("joblib")
    X, y = problem(cls)
    expected = outputs(fitted(cls), X)
    found = joblib.Parallel(n_jobs=2, prefer="threads")(
        joblib.delayed(lambda: outputs(make(cls, n_jobs=2).fit(X, y), X))() for _ in range(2)
    )
    assert all(same_bits(one, expected) for one in found)


@pytest.mark.contract
@every
def test_inputs_are_not_written_to(cls):
    X, y = problem(cls)
    weight = np.ones(len(y))
    for array in (X, y, weight):
        array.flags.writeable = False
    make(cls).fit(X, y, weight).predict(X)
