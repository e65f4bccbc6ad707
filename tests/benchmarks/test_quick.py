"""The guard against getting slower."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import quick


def duel(ours: float = 1.0) -> quick.Duel:
    return quick.Duel("a", "scikit-learn", lambda: ours, lambda: 2.0)


def test_names_are_unique_and_peers_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "table", lambda name, rows: (None, None))
    names = [one.name for one in quick.duels()]
    assert len(names) == len(set(names)) > 9
    assert {one.peer for one in quick.duels()} == set(quick.PEERS)


def test_slower_by_more_than_a_tenth_is_said() -> None:
    _, slower = quick.compare({"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 1.09, "b": 1.11})
    assert slower == ["b"]


def test_recorded_ratios_are_compared_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(quick, "RECORDED", tmp_path / "quick.json")
    monkeypatch.setattr(quick, "duels", lambda: iter([duel()]))
    monkeypatch.setattr(quick, "measure", lambda one: 2.0)
    assert quick.main([]) == 0
    assert quick.main(["--record"]) == 0
    assert json.loads((tmp_path / "quick.json").read_text())["ratios"] == {"a": 2.0}
    monkeypatch.setattr(quick, "measure", lambda one: 1.5)
    assert quick.main([]) == 1
    assert "Slower by more than 10 %: a" in capsys.readouterr().out
    assert quick.main(["--only", "b"]) == 0


def test_the_quickest_run_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = iter([2.0, 6.0, 1.0, 9.0, 3.0, 5.0])
    monkeypatch.setattr(quick, "seconds", lambda job: next(spent))
    assert quick.measure(duel()) == 5.0


@pytest.mark.parametrize("name", ["letters", "words"])
def test_tables_have_their_shape(name: str) -> None:
    X, y = quick.table(name, 200)
    assert X.shape[0] == len(y) == 200
    assert len(set(y)) == (2 if name == "words" else 26)
