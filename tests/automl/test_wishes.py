"""What a search is asked for."""

from coterie.automl.clock import Clock, WorkClock
from coterie.automl.combine import WAYS, best_single
from coterie.automl.metrics import CLASS_METRICS
from coterie.automl.wishes import Wishes


def test_work_takes_the_place_of_time():
    timed = Wishes(CLASS_METRICS["log_loss"], 60.0, "auto", False, 0, 255)
    assert timed.limit == 60.0
    assert type(timed.clock()) is Clock
    worked = Wishes(CLASS_METRICS["log_loss"], 60.0, "auto", False, 0, 255, work=7.0)
    assert worked.limit == 7.0
    assert isinstance(worked.clock(), WorkClock)
    assert worked.clock().limit == 7.0


def test_ways_to_combine_are_fewer_where_less_is_wanted():
    def ways(members="auto", interpretable=False):
        return Wishes(CLASS_METRICS["log_loss"], 60.0, members, interpretable, 0, 255).ways

    assert ways() is WAYS  # which are calibrated, too
    assert ways(["linear"]) is WAYS
    assert ways("fast") == WAYS[:2]
    assert ways(interpretable=True) == (best_single,)
