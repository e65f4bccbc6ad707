"""What is printed at the end of a fit."""

from types import SimpleNamespace

from coterie.automl.records import Entry, Finding
from coterie.cli.console import Console
from coterie.cli.fit_outcome import ODD, explain, show


def model(**more):
    entry = Entry("linear", "linear", "member", 0.25, 0.2, 0.3, 1.0, 0.1, 1.0, True, "a note")
    board = [entry, *(Entry(f"m{k}", "m", "member", 1.0 + k, 1, 9, 1.0, 0.1) for k in range(20))]
    given = {"task_": "binary", "classes_": ["a", "b"], "target_name_": "y", "metric_": "log_loss"}
    given |= {"stopped_": "time", "leaderboard_": board, "baseline_": 0.69, "findings_": []}
    return SimpleNamespace(**given | more)


def test_the_baseline_and_why_the_search_ended_are_told(capsys):
    show(model(), Console())
    said = capsys.readouterr().out
    assert "* linear" in said
    assert "baseline" in said
    assert "0.69" in said
    assert "time was short" in said
    assert "and 9 more" in said
    show(model(), Console(quiet=True))
    assert capsys.readouterr().out == ""


def test_dangers_are_told_once(capsys):
    found = [
        Finding("target copy", "danger", ["x"], "'x' tells all.", "Leave it out."),
        Finding(ODD, "warning", ["x"], "told before.", ""),
        Finding("dates", "info", ["x"], "by the way.", ""),
    ]
    show(model(findings_=found), Console())
    said = capsys.readouterr().err
    assert "'x' tells all. Leave it out." in said
    assert "told before" not in said
    assert "by the way" not in said


def test_columns_that_matter_come_first(capsys):
    explain(model(importances_={"a": (0.1, 0.01), "b": (0.5, 0.02)}), Console())
    said = capsys.readouterr().out
    assert said.index("b  ") < said.index("a  ")
    explain(model(importances_={}), Console())
    assert "no time" in capsys.readouterr().err
