import io

import pytest

from coterie.core.trace import Trace
from coterie.core.watch import NoImprovement, Patience, Progress, TimeBudget


def trace_of(*values):
    trace = Trace()
    for value in values:
        trace.append({"loss": value})
    return trace


def ends(patience, scores):
    """Number of the score that exhausts it, or None."""
    return next((at for at, score in enumerate(scores, 1) if patience.tell(score)), None)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("patience", "scores", "end"),
    [
        (Patience(2), [1, 2, 3, 2, 2, 9], 5),
        (Patience(2), [3, 1, 2, 3], 3),  # a rise that does not reach the best
        (Patience(2), [3, 1, 3.5, 2, 3, 3], 5),
        (Patience(2, tol=0.5), [1, 1.4, 1.3], 3),
        (Patience(1, tol=0.5), [1, 1.6, 2.2, 2.5], 4),
        # What counts is the score before the last two, not a best one that lags by the tolerance.
        (Patience(2, tol=1.0), [0, 0.9, 1.8, 2.7, 3.0, 3.6, 9], 6),
        (Patience(2), [float("nan")] * 3, 3),
        (Patience(3), [5, float("nan"), 6, 5, 5], None),
    ],
)
def test_patience(patience, scores, end):
    assert ends(patience, scores) == end


def test_a_fact_of_the_trace_may_be_larger_or_smaller():
    assert NoImprovement("loss", Patience(2))(trace_of(1, 2, 3)) == "early_stopping"
    assert NoImprovement("loss", Patience(2))(trace_of(3, 2, 1)) == ""
    assert NoImprovement("loss", Patience(2), larger=True)(trace_of(1, 2, 3)) == ""
    assert NoImprovement("loss", Patience(2), larger=True)(trace_of(3, 2, 1)) == "early_stopping"


def test_rounds_are_heard_once():
    watch, trace = NoImprovement("loss", Patience(2)), trace_of(1, 2)
    assert watch(trace) == ""
    trace.append({"loss": 2})
    assert watch(trace) == "early_stopping"
    assert watch.patience.told == [-1, -2, -2]


def test_time_runs_out():
    assert TimeBudget(1e9)(Trace()) == ""
    assert TimeBudget(0.0)(Trace()) == "time_exhausted"


def test_progress_tells_the_round_and_its_facts():
    stream = io.StringIO()
    watch = Progress(2, every=0.0, stream=stream)
    assert watch(trace_of(0.5)) == ""
    assert watch(trace_of(0.5, 0.25)) == ""
    first, second = stream.getvalue().splitlines()
    assert "round 1/2" in first
    assert "loss 0.25" in second
