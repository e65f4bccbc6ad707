"""Flags that end the native calls of a thread."""

import threading

import numpy as np
import pytest

from coterie.native import Effort, Growth, Values, encode, find_bins, grow, obey
from coterie.native.interrupts import in_main_thread, obeying, stop_flag, stop_if_told


def in_a_thread(task):
    found = []
    thread = threading.Thread(target=lambda: found.append(task()))
    thread.start()
    thread.join()
    return found[0]


def test_a_flag_belongs_to_its_thread():
    flag, other = np.zeros(1, dtype=np.uint8), np.zeros(1, dtype=np.uint8)

    def work():
        obey(flag)
        return stop_flag(other) is flag, in_main_thread()

    assert in_a_thread(work) == (True, False)
    assert stop_flag() is None
    assert stop_flag(other) is other
    assert in_main_thread()


@pytest.mark.parametrize("effort", [None, Effort(stop=np.zeros(1, dtype=np.uint8))])
def test_even_the_shortest_call_sees_the_flag(effort):
    X = np.arange(4.0)[:, None]
    bins = find_bins(X)

    def work():
        obey(np.ones(1, dtype=np.uint8))
        with pytest.raises(KeyboardInterrupt):
            grow(encode(X, bins), bins, Values(X), Growth(), effort=effort)
        return True

    assert in_a_thread(work)


def test_a_flag_is_obeyed_for_a_while_and_then_the_one_before():
    first, second = np.zeros(1, dtype=np.uint8), np.ones(1, dtype=np.uint8)
    with obeying(first):
        stop_if_told()
        with pytest.raises(KeyboardInterrupt), obeying(second):
            stop_if_told()
        assert stop_flag() is first
    assert stop_flag() is None
    stop_if_told()
