"""Splits side by side."""

import threading

import pytest
from joblib import effective_n_jobs, parallel_config
from threadpoolctl import threadpool_info

from coterie.automl.lanes import Lanes


def blas_threads():
    return {part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas"}


def test_items_keep_their_order_and_are_worked_on_at_the_same_time():
    with parallel_config(backend="threading", n_jobs=2):
        lanes = Lanes(4)
        both = threading.Barrier(2, timeout=20)  # one thread alone would wait here for ever

        def task(number):
            both.wait()
            return number, effective_n_jobs(None)

        assert lanes.number == 2
        assert lanes.map(task, range(4)) == [(0, 1), (1, 1), (2, 1), (3, 1)]


def test_threads_of_blas_are_put_back():
    before = blas_threads()
    with parallel_config(backend="threading", n_jobs=2):
        found = Lanes(2).map(lambda _: blas_threads(), range(2))
    assert found == [{1}, {1}]
    assert blas_threads() == before


def test_one_lane_leaves_threads_to_the_members():
    with parallel_config(backend="threading", n_jobs=2):
        lanes = Lanes(1)
        assert lanes.number == 1
        assert lanes.map(lambda _: effective_n_jobs(None), [0]) == [2]
    assert Lanes(5).number == 1  # outside of the context
    assert Lanes(0).map(abs, []) == []


def test_an_error_stops_the_others():
    seen = []

    def fail(number):
        seen.append(number)
        raise ValueError(f"no {number}")

    with parallel_config(backend="threading", n_jobs=2):
        lanes = Lanes(30)
        with pytest.raises(ValueError, match="no"):
            lanes.map(fail, range(30))
    assert len(seen) <= 2


@pytest.mark.parametrize(("n_items", "times"), [(1, 1), (2, 1), (3, 2), (5, 3)])
def test_how_often_lanes_are_filled(n_items, times):
    with parallel_config(backend="threading", n_jobs=2):
        assert Lanes(8).rounds(n_items) == times
