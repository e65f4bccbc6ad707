import threading

import joblib
import pytest

from coterie.base.executor import JoblibExecutor, thread_count, worker_count


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
