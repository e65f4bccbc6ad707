"""The axes along which time is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import scaling


@pytest.mark.parametrize("size", ["quick", "default"])
def test_one_thing_changes_along_each_axis(size: str) -> None:
    points = scaling.points(size)  # type: ignore[arg-type]
    for axis in ("rows", "columns", "threads"):
        along = [p for p in points if p.axis == axis]
        assert [p.at for p in along] == sorted({p.at for p in along})
        assert axis == "rows" or len({p.case.rows for p in along}) == 1
        assert axis == "columns" or {p.case.table for p in along} == {"higgs"}
        assert axis == "threads" or {p.threads for p in along} == {1}


def test_lines_are_sorted_and_failures_left_out() -> None:
    records = [
        {"axis": "rows", "at": 20, "contender": "a", "fit_cpu": 2.0},
        {"axis": "rows", "at": 10, "contender": "a", "fit_cpu": 1.0},
        {"axis": "rows", "at": 10, "contender": "b", "error": "MemoryError"},
        {"axis": "columns", "at": 10, "contender": "b", "fit_cpu": 1.0},
    ]
    assert scaling.series(records, "rows", "fit_cpu") == {"a": [(10, 1.0), (20, 2.0)]}


@pytest.mark.slow
def test_the_same_records_draw_the_same_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    records = [
        {"axis": a, "at": n, "contender": "coterie", "fit_cpu": n / 10, "fit_wall": n / 10}
        for a in ("rows", "columns", "threads")
        for n in (1, 2)
    ]
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        scaling.draw(records, path, "a note")
    first, again = (p.read_text(encoding="utf-8") for p in paths)
    assert first == again
    assert "coterie" in first
