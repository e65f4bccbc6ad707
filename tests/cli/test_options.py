import click
import pytest

from coterie.cli.options import Costs, Duration, read_options


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60", 60), ("90s", 90), ("1.5m", 90), ("2min", 120), ("1h30m", 5400), ("1h1s", 3601)],
)
def test_durations(text, seconds):
    assert Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "soon", "s", "0", "5x", "-3s", "1.2.3s", "30s1h"])
def test_what_is_no_duration(text):
    with pytest.raises(click.BadParameter):
        Duration().convert(text, None, None)


@pytest.mark.parametrize("text", ["", "fp=1", "fp=1,fn=x", "fp=0,fn=1", "fp=1,fn=2,tp=3", "1,5"])
def test_what_are_no_costs(text):
    with pytest.raises(click.BadParameter, match="fp=1,fn=5"):
        Costs().convert(text, None, None)


def test_reading():
    found = read_options({"delimiter": "\\t", "encoding": "latin-1"})
    assert (found.delimiter, found.encoding) == ("\t", "latin-1")
    for options in (
        {"delimiter": ";;", "encoding": "utf-8"},
        {"delimiter": None, "encoding": "x"},
        {"delimiter": None, "encoding": "rot13"},
    ):
        with pytest.raises(click.BadParameter):
            read_options(options)
