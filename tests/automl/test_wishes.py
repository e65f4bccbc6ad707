"""What a search is asked for."""

from coterie.automl.clock import Clock, WorkClock
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
