import json

import numpy as np
import pytest

from coterie.cli.console import Console, aligned, duration_text


def test_plain_tables_are_aligned():
    assert aligned(["name", "n"], [["a", "10"], ["bcdef", "-1"]]) == [
        "name    n",
        "a      10",
        "bcdef  -1",
    ]


def test_no_colour_codes_when_nobody_looks(capsys):
    Console().table(["name", "n"], [["a", "1"]], marked=0)
    assert "\x1b" not in capsys.readouterr().out


def test_brackets_are_no_markup_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    Console().table(["[bold]", "n"], [["age [years]", "1"]])
    out = capsys.readouterr().out
    assert "[bold]" in out
    assert "age [years]" in out


def test_quiet_keeps_results_and_notes(capsys):
    console = Console(quiet=True)
    console.say("something")
    console.note("beware")
    console.data({"a": np.float64(1.5)})
    out, err = capsys.readouterr()
    assert json.loads(out) == {"a": 1.5}
    assert err == "note: beware\n"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.04, "0.0 s"), (59.0, "59 s"), (60, "1 min"), (3599.9, "1 h"), (3661, "1 h 1 min")],
)
def test_durations(seconds, expected):
    assert duration_text(seconds) == expected
