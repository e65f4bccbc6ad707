"""Time."""

import time

from coterie.automl.clock import Clock, Deadline


def test_an_earlier_run_counts():
    clock = Clock(100.0, spent=30.0)
    assert 69 < clock.left <= 70
    assert clock.searching < clock.left


def test_deadline_says_when_to_stop():
    now = time.monotonic()
    assert Deadline(now - 1)(0, None)
    assert not Deadline(now + 100)(0, None)
    assert 24 < Deadline(now + 100).share(4).left <= 25
