"""One line that is written over and over."""

import io

import pytest

from coterie.automl.progress_line import ProgressLine, default_progress, is_watched
from coterie.automl.records import Event


def test_a_line_for_what_matters():
    stream = io.StringIO()
    show = ProgressLine(stream)
    show(Event("finding", "x", message="a note"))
    assert stream.getvalue() == ""
    show(Event("try", "linear", elapsed=3.0, time_limit=30.0))
    show(Event("end", elapsed=30.0, time_limit=30.0))
    first, second = stream.getvalue().split("\r")[1:]
    assert first.startswith("[##                  ] 3 of 30 s  trying linear")
    assert len(first) == 79
    assert second.endswith("\n")


def test_without_a_limit_none_is_told():
    stream = io.StringIO()
    ProgressLine(stream)(Event("done", "linear", 0.5, elapsed=3.0, time_limit=1e9))
    assert "3 s  linear: 0.5" in stream.getvalue()


@pytest.mark.parametrize(("verbose", "shown"), [(0, False), (1, True), (None, False)])
def test_nobody_is_told_who_does_not_look(verbose, shown):
    assert (default_progress(verbose) is not None) is shown
    assert not is_watched(io.StringIO())
