import pytest

from coterie.report.forms import (
    interval,
    measure,
    moment,
    number,
    seconds,
    share,
    value_of,
    whole,
)

SPACE = "\u00a0"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.49123, "0.491"),
        (1234567.0, "1,234,567"),
        (-0.5, "−0.500"),
        (0, "0"),
        (12.345, "12.3"),
        (3.2e-7, "3.20e−07"),
        (None, "–"),
        (float("nan"), "–"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


def test_shares():
    assert share(0.1234) == f"12.3{SPACE}%"
    assert whole(0.505) == f"50{SPACE}%"
    assert share(None) == whole(None) == "–"


def test_measures_are_per_cent_or_numbers():
    assert measure({"share": True}, 0.5) == f"50.0{SPACE}%"
    assert measure({}, 0.5) == "0.500"
    assert interval({}, 1.0, 2.0) == "1.00 to 2.00"
    assert interval({}, None, 2.0) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.05, "0.050 s"), (12.3, "12 s"), (600, "10 min"), (9000, "2.5 h"), (None, "–")],
)
def test_times(value, text):
    assert seconds(value).replace(SPACE, " ") == text


def test_anything_else():
    assert value_of([1000, True, None, 60.0, "x"]) == "1,000, yes, –, 60, x"


def test_moments():
    assert moment("2026-11-16T12:46:41+02:00") == "2026-11-16 10:46 UTC"
    assert moment("2026-11-16T12:46:41") == "2026-11-16 12:46"
    assert moment("yesterday") == "yesterday"
