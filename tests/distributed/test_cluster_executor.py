import os
from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest

from coterie.distributed.cluster_executor import ClusterExecutor
from coterie.distributed.session import Session
from tests.distributed.deaths import end_worker_once, intolerant, limited


@pytest.mark.slow  # the short suite has threads
def test_results_come_in_order_from_several_processes(client, left):
    with Session(client) as session:
        found = ClusterExecutor(session).map(_place, range(20))
    assert [square for square, _ in found] == [k * k for k in range(20)]
    assert os.getpid() not in {pid for _, pid in found}
    assert len({pid for _, pid in found}) == 2
    assert not left()


def _place(number):
    return number**2, os.getpid()


@pytest.mark.slow
def test_large_arrays_are_sent_once_and_known_by_their_content(client, left, monkeypatch):
    rows = np.arange(20_000.0)
    with Session(client) as session:
        executor, sent = ClusterExecutor(session), []
        scatter = client.scatter
        monkeypatch.setattr(
            client, "scatter", lambda value, **how: sent.append(len(value)) or scatter(value, **how)
        )
        assert executor.map(partial(_sum, rows), [1, 2]) == [rows.sum() + 1, rows.sum() + 2]
        assert executor.map(partial(_sum, rows), [3]) == [rows.sum() + 3]
        assert [size for size in sent if size >= rows.nbytes] == [rows.nbytes]
        rows[0] = 5.0
        assert executor.map(partial(_sum, rows), [0]) == [rows.sum()]
    assert not left()


def _sum(rows, number):
    return rows.sum() + number


def test_an_error_of_a_member_is_raised_here(client, left):
    with Session(client) as session, pytest.raises(ZeroDivisionError):
        ClusterExecutor(session).map(_inverse, [1, 0])
    assert not left()


def _inverse(number):
    return 1 / number


@pytest.mark.slow  # it ends processes
@pytest.mark.parametrize("tolerant", [True, False])
def test_members_of_lost_workers_are_fitted_by_others(client, left, tmp_path, tolerant):
    patience = nullcontext() if tolerant else intolerant(client)
    with limited(), patience, Session(client) as session:
        found = ClusterExecutor(session).map(_mortal, [(k, tmp_path) for k in range(9)])
    assert found == [k * k for k in range(9)]
    assert not left()


def _mortal(given):
    number, folder = given
    if number == 5:
        end_worker_once(folder)
    return number**2


def test_members_that_always_end_their_workers_are_given_up(client, left, monkeypatch):
    from distributed import CancelledError

    monkeypatch.setattr(ClusterExecutor, "_attempt", lambda *_: CancelledError("lost"))
    with Session(client) as session, pytest.raises(RuntimeError, match="lost 10 times"):
        ClusterExecutor(session).map(abs, [1])
    assert not left()
