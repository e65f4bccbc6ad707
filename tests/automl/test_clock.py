"""Time."""

import time

from coterie.automl.clock import Clock, Deadline, counting


def test_an_earlier_run_counts():
    clock = Clock(100.0, spent=30.0)
    assert 69 < clock.left <= 70
    assert clock.searching < clock.left


def test_deadline_says_when_to_stop():
    now = time.monotonic()
    assert Deadline(now - 1)(0, None)
    assert not Deadline(now + 100)(0, None)
    assert 24 < Deadline(now + 100).share(4).left <= 25


def test_what_comes_before_the_search_counts():
    moment = time.monotonic() - 30.0
    with counting(moment):
        with counting():  # the outer one holds
            assert Clock(60.0).left <= 30.0
        assert Clock(60.0).begun == moment
    assert Clock(60.0).left > 50.0
