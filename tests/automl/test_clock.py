"""Time."""

import itertools
import pickle
import time
from collections import deque

import numpy as np
import pytest

from coterie.automl import clock
from coterie.automl.clock import Clock, Deadline, OutOfTime, WorkClock, counting, ending_after
from coterie.native import Growth, Values, encode, find_bins, grow


def test_an_earlier_run_counts():
    clock = Clock(100.0, spent=30.0)
    assert 69 < clock.left <= 70
    assert clock.searching < clock.left


def test_deadline_says_when_to_stop():
    now = time.monotonic()
    assert Deadline(now - 1)(0, None)
    assert not Deadline(now + 100)(0, None)
    assert 24 < Deadline(now + 100).share(4).left <= 25


def test_a_deadline_is_as_far_away_on_a_machine_that_counts_otherwise(monkeypatch):
    sent = pickle.dumps(Deadline(time.monotonic() + 100))
    usual = time.monotonic
    monkeypatch.setattr(clock.time, "monotonic", lambda: usual() + 1e6)
    assert 90 < pickle.loads(sent).left <= 100


def test_what_comes_before_the_search_counts():
    moment = time.monotonic() - 30.0
    with counting(moment):
        with counting():  # the outer one holds
            assert Clock(60.0).left <= 30.0
        assert Clock(60.0).begun == moment
    assert Clock(60.0).left > 50.0


def test_native_growth_ends_with_the_time():
    X = np.arange(20.0)[:, None]
    bins = find_bins(X)
    forever = itertools.repeat(encode(X, bins))
    with pytest.raises(OutOfTime, match="stopped"), ending_after(0.05):
        deque((grow(codes, bins, Values(X), Growth()) for codes in forever), maxlen=0)


def test_an_interrupt_by_hand_is_none_of_the_clock():
    with pytest.raises(KeyboardInterrupt), ending_after(60.0):
        raise KeyboardInterrupt
    with ending_after(1e9):  # nobody waits that long
        pass


def test_time_is_kept_to_write_a_model_that_is_written():
    clock = Clock(100.0)
    clock.keep_for_writing(10_000_000, 10)
    assert clock.kept == 0.0
    with counting(writes=True):
        clock = Clock(100.0)
    clock.keep_for_writing(100, 10)
    little = clock.kept
    clock.keep_for_writing(100_000_000, 100_000)
    assert 0.0 < little < 1.0 < clock.kept
    assert clock.searching < clock.ending < clock.left - 1.0
    clock.keep_for_writing(10**12, 10)
    assert clock.kept <= 50.0  # no more than half of it


def test_work_passes_by_being_done():
    clock = WorkClock(10.0)
    assert clock.left == 10.0
    with clock.ending_after(-1.0):
        pass
    clock.charge(4.0)
    assert clock.elapsed == 4.0
    assert clock.until(0.0).left == float("inf")
    assert not clock.until(0.0)(3, None)
