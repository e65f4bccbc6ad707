"""Times and events in all their forms."""

import numpy as np
import pytest

from coterie.survival.outcomes import (
    check_times,
    make_outcomes,
    mass_from,
    read_entries,
    read_outcomes,
    signed_times,
)

TIME, EVENT = np.array([2.0, 5.0, 1.0]), np.array([True, False, True])
SIGNED = [2.0, -5.0, 1.0]


@pytest.mark.parametrize(
    "y",
    [
        make_outcomes(EVENT, TIME),
        (EVENT, TIME),
        np.column_stack([TIME, EVENT]),
        [[2, 1], [5, 0], [1, 1]],
    ],
    ids=["structured", "pair", "two columns", "list"],
)
def test_forms(y):
    assert signed_times(y).tolist() == SIGNED


def test_time_first_unless_the_events_are_truth_values():
    numbers = np.array([(2.0, 1), (5.0, 0), (1.0, 1)], dtype=[("t", "f8"), ("e", "i4")])
    assert signed_times(numbers).tolist() == SIGNED


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library):
    frames = pytest.importorskip(library)
    assert signed_times(frames.DataFrame({"t": TIME, "e": EVENT * 1})).tolist() == SIGNED
    assert signed_times(frames.DataFrame({"e": EVENT, "t": TIME})).tolist() == SIGNED
    assert signed_times(frames.Series(TIME), frames.Series(EVENT)).tolist() == SIGNED
    assert signed_times(frames.Series(TIME)).tolist() == TIME.tolist()


def test_times_alone_are_events():
    assert signed_times(TIME).tolist() == TIME.tolist()
    assert signed_times(TIME, EVENT * 1).tolist() == SIGNED
    assert signed_times(None) is None


def test_what_is_wrong():
    with pytest.raises(ValueError, match="3 columns instead of two"):
        signed_times(np.ones((4, 3)))
    with pytest.raises(ValueError, match="already contains events"):
        signed_times((EVENT, TIME), EVENT)
    with pytest.raises(ValueError, match="3 times, but 2 events"):
        signed_times(TIME, EVENT[:2])
    with pytest.raises(ValueError, match="1d array"):
        signed_times(np.ones((2, 2, 2)))
    with pytest.raises(ValueError, match="An event is 2; events must be 1"):
        read_outcomes(np.column_stack([TIME, [0, 1, 2]]))
    with pytest.raises(ValueError, match="NaN"):
        read_outcomes(np.column_stack([[1.0, np.nan, 2.0], [0, 1, 1]]))
    with pytest.raises(ValueError, match="Complex"):
        signed_times(TIME + 1j)
    with pytest.raises(ValueError, match="dates"):
        signed_times(np.full(3, np.datetime64("2020-01-01")))
    with pytest.raises(ValueError, match="positive"):
        read_outcomes(np.column_stack([[-1.0, 2, 3], EVENT]))


def test_what_cannot_be_learned():
    check_times(np.array(SIGNED))
    with pytest.raises(ValueError, match="1 of 2 times are 0 or negative"):
        check_times(signed_times([-3.0, 2.0]))
    with pytest.raises(ValueError, match="No row has an event, so nothing can be learnt"):
        check_times(signed_times(TIME, [0, 0, 0]))


def test_entries():
    assert read_entries([0, -1, 0.5], TIME).tolist() == [0, 0, 0.5]
    with pytest.raises(ValueError, match="one time for each of the 3 rows"):
        read_entries([0, 1], TIME)
    with pytest.raises(ValueError, match="entry contains NaN"):
        read_entries([0, np.nan, 0], TIME)
    with pytest.raises(ValueError, match="Row 1 comes under observation at 5, which is not before"):
        read_entries([0, 5, 0], TIME)


def test_mass_from():
    since, mass = np.array([3.0, 0, 1, 3]), np.array([1.0, 2, 4, 8])
    assert mass_from(since, mass, np.array([0.0, 1, 2, 3, 4])).tolist() == [15, 13, 9, 9, 0]
