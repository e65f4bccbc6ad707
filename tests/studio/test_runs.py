"""Finished fits, and two of them side by side."""

import json

import pytest

from coterie.serve.problems import Problem
from coterie.studio.runs import compare_runs, list_runs
from tests.studio.scenes import facts


@pytest.fixture
def root(tmp_path):
    runs = {
        "one": facts({"forest": 0.5, "boosting": 0.6}),
        "two": facts({"forest": 0.4, "bag": 0.7}),
        "other": facts({"forest": 0.4}, target="z"),
        "metric": facts({"forest": 0.4}, metric="brier"),
    }
    for name, content in runs.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "facts.json").write_text(json.dumps(content), encoding="utf-8")
    for name, text in (("broken", "{"), ("empty", "{}"), ("list", "[]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "facts.json").write_text(text, encoding="utf-8")
    return tmp_path


def test_broken_runs_are_left_out(root):
    assert [run["directory"] for run in list_runs(root)] == ["metric", "one", "other", "two"]


def test_two_runs_side_by_side(root):
    found = compare_runs(root, "one", "two")
    assert [run["score"] for run in found["runs"]] == [0.5, 0.4]
    assert found["runs"][0]["curve"] == [[3.0, 0.5]]
    assert found["measures"][0]["values"] == [0.5, 0.6]
    assert {one["name"]: one["scores"] for one in found["candidates"]} == {
        "forest": [0.5, 0.4],
        "boosting": [0.6, None],
        "bag": [None, 0.7],
    }


def test_what_cannot_be_compared_is_not(root):
    assert compare_runs(root, "one", "metric")["candidates"] == []
    with pytest.raises(Problem, match="different targets"):
        compare_runs(root, "one", "other")
    for name in ("broken", "../one", "", "/etc"):
        with pytest.raises(Problem, match="no run"):
            compare_runs(root, "one", name)
