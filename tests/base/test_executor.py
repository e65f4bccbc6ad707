import signal
import threading
import time

import joblib
import numpy as np
import pytest

from coterie.base import executor as crews
from coterie.base.executor import JoblibExecutor, thread_count, worker_count
from coterie.native import Growth, Values, encode, find_bins, grow, obeying


def double(item):
    return 2 * item


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5, -1])
def test_results_come_in_order(n_jobs):
    executor = JoblibExecutor(n_jobs)
    assert executor.map(double, list(range(20))) == list(range(0, 40, 2))
    assert executor.stop[0] == 0


def test_work_is_done_in_threads_by_default():
    barrier = threading.Barrier(2, timeout=20)
    names = JoblibExecutor(2).map(lambda _: barrier.wait() and threading.get_ident(), [0, 1])
    assert len(names) == 2  # neither would have passed the barrier alone


@pytest.mark.slow
def test_processes_are_used_when_asked_for():
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert JoblibExecutor(None).map(double, [1, 2, 3]) == [2, 4, 6]


def test_failure_tells_running_members_to_stop():
    def fail(item):
        raise KeyboardInterrupt

    executor = JoblibExecutor(1)
    with pytest.raises(KeyboardInterrupt):
        executor.map(fail, [1, 2])
    assert executor.stop[0] == 1


def test_an_error_in_a_thread_is_raised_and_ends_the_others():
    seen = []

    def fail(item):
        seen.append(item)
        raise ValueError(f"item {item}")

    executor = JoblibExecutor(2)
    with pytest.raises(ValueError, match="item"):
        executor.map(fail, list(range(1000)))
    assert executor.stop[0] == 1
    assert len(seen) <= 2


def dawdle(seen):
    """Python code that goes on for ever, and for which KeyboardInterrupt is a reason to go on."""
    while True:
        try:
            while True:
                seen.append(1)
                time.sleep(0.001)
        except KeyboardInterrupt:
            pass


def test_an_interrupt_ends_all_threads_before_it_is_raised():
    before, seen = threading.active_count(), []

    def task(item):
        if item == 1:
            signal.raise_signal(signal.SIGINT)  # Python handles it in the main thread
        # A member with threads of its own is waited for as well.
        JoblibExecutor(2).map(dawdle, [seen, seen])

    with pytest.raises(KeyboardInterrupt):
        JoblibExecutor(2).map(task, [0, 1, 2])
    assert threading.active_count() == before
    n_steps = len(seen)
    time.sleep(0.05)
    assert len(seen) == n_steps


def test_native_calls_of_a_thread_end_with_its_work():
    """Whoever makes them, and however short they are."""
    X = np.random.default_rng(0).normal(size=(50, 2))
    bins = find_bins(X)
    codes, values = encode(X, bins), Values(X[:, :1])
    ended = []

    def task(item):
        if item == 1:
            raise ValueError("item 1")
        try:
            while True:
                grow(codes, bins, values, Growth())
        except BaseException as error:
            ended.append(error)
            raise

    with pytest.raises(ValueError, match="item 1"):
        JoblibExecutor(2).map(task, [0, 1])
    assert len(ended) == 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_who_waits_for_threads_obeys_a_flag_too(n_jobs):
    flag, ended = np.zeros(1, dtype=np.uint8), []

    def task(item):
        try:
            flag[0] = 1
            while True:
                time.sleep(0.001)
        except BaseException as error:
            ended.append(error)
            raise

    with pytest.raises(KeyboardInterrupt), obeying(flag):
        JoblibExecutor(n_jobs, apart=True).map(task, range(n_jobs))
    assert 1 <= len(ended) <= n_jobs  # a thread may see the flag before its first task


def test_threads_that_nobody_stops_meet_no_exceptions(monkeypatch):
    """Even to take one back makes Python 3.11 hang while a profiler is at work."""
    told = []
    monkeypatch.setattr("coterie.base.executor._raise_in", lambda *given: told.append(given))
    assert JoblibExecutor(2).map(abs, [-1, -2, -3]) == [1, 2, 3]
    assert told == []


@pytest.mark.slow
def test_a_second_interrupt_does_not_wait():
    again = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])

    def task(item):
        if item == 1:
            again.start()
            signal.raise_signal(signal.SIGINT)
        time.sleep(2)  # compiled code, which nothing can stop

    with pytest.raises(KeyboardInterrupt):
        JoblibExecutor(2).map(task, [0, 1])
    left = [thread for thread in threading.enumerate() if type(thread).__name__ == "_Worker"]
    assert left
    # The interpreter waits for them before it ends; a daemon would be torn out of its work.
    assert not any(thread.daemon for thread in left)
    for thread in left:
        thread.join(60)


def test_verbose_reports_progress(capsys):
    assert JoblibExecutor(1, verbose=10).map(double, [1, 2]) == [2, 4]
    captured = capsys.readouterr()
    assert "Done" in captured.out + captured.err


def test_counts():
    assert worker_count(3) == 3
    assert worker_count(100_000) <= 256
    assert thread_count(100_000) <= joblib.cpu_count()
    assert thread_count(None) == 1
    with joblib.parallel_config(n_jobs=2):
        assert worker_count(None) == 2


class SlowToBegin(threading.Thread):
    """Its starter waits for a while."""

    release = threading.Event()

    def _bootstrap(self):
        self.release.wait(5)
        super()._bootstrap()


def test_nothing_is_raised_in_a_thread_that_starts_another():
    starter = threading.Thread(target=lambda: SlowToBegin().start())
    SlowToBegin.release.clear()
    starter.start()
    while not crews._starts_a_thread(starter.ident):
        time.sleep(0.001)
    crew = crews._Crew(print, [], np.zeros(1, dtype=np.uint8), crews._Reporter(0, 0))
    worker = crews._Worker(crew)
    worker._ident = starter.ident
    crew.inside.add(starter.ident)
    assert not crew._tell([worker])
    SlowToBegin.release.set()
    starter.join()
    assert not crews._starts_a_thread(threading.get_ident())
