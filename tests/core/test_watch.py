import io

from coterie.core.trace import Trace
from coterie.core.watch import NoImprovement, Progress, TimeBudget, Unanimous


def trace_of(*values):
    trace = Trace()
    for value in values:
        trace.append({"loss": value})
    return trace


def test_patience_counts_from_the_best_round():
    watch = NoImprovement("loss", 2)
    assert watch(trace_of(3, 2, 1)) == ""
    assert watch(trace_of(3, 1, 2)) == ""
    assert watch(trace_of(3, 1, 2, 1)) == "early_stopping"
    assert NoImprovement("loss", 2, tol=0.5)(trace_of(3, 2.9, 2.8)) == "early_stopping"


def test_larger_may_be_better():
    watch = NoImprovement("loss", 2, larger=True)
    assert watch(trace_of(1, 2, 3)) == ""
    assert watch(trace_of(3, 2, 1)) == "early_stopping"
    assert NoImprovement("loss", 2, tol=0.5, larger=True)(trace_of(1, 1.4, 1.3)) != ""


def test_all_must_agree():
    falls, rises = NoImprovement("loss", 1), NoImprovement("loss", 1, larger=True)
    assert Unanimous([falls])(trace_of(1, 2)) == "early_stopping"
    assert Unanimous([falls, rises])(trace_of(1, 2)) == ""
    assert Unanimous([falls, rises])(trace_of(1, 1)) == "early_stopping"


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
