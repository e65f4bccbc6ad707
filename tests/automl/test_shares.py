"""Shares of the time."""

import numpy as np
import pytest

from coterie.automl.candidates import Candidate
from coterie.automl.clock import Clock, WorkClock
from coterie.automl.makers import gradient, linear
from coterie.automl.shares import can_measure, is_late_for_boosters, share_of, took
from coterie.automl.trial import Recipe, Trial

BOOST = Candidate("boost", "own", gradient(), rounds=True)
LINEAR = Candidate("linear", "own", linear)


def first(seconds, rounds=(10, 10)):
    """What a first candidate left."""
    recipe = Recipe(rounds=list(rounds))
    return Trial("first", "own", np.zeros((4, 1)), fit_seconds=seconds, recipe=recipe)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("candidate", "seconds", "share"),
    [(BOOST, 1.0, 0.25), (BOOST, 80.0, 0.4), (BOOST, 1e3, 0.6), (LINEAR, 1e3, 0.5)],
)
def test_what_part_of_the_time_a_candidate_may_take(candidate, seconds, share):
    """A booster half of what the first one took, within limits; what differs from it, half."""
    assert share_of(candidate, [first(seconds)], 100.0, 0.25) == pytest.approx(share)


def test_a_booster_needs_a_quarter_of_what_the_first_one_took():
    clock = Clock(100.0, share=0.0)
    assert not is_late_for_boosters([first(200.0)], clock)
    assert is_late_for_boosters([first(300.0)], clock)
    assert not is_late_for_boosters([first(300.0)], WorkClock(100.0))
    # Of a first candidate that is no booster, nothing follows.
    assert took([first(300.0, rounds=())]) == took([]) == 0.0


def test_nothing_is_measured_that_takes_much_of_the_time():
    clock = Clock(100.0, share=0.0)
    assert can_measure(first(20.0), 6, clock)
    assert not can_measure(first(60.0), 6, clock)
    assert can_measure(first(1e6), 6, WorkClock(1.0))
