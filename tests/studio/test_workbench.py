"""A search from the workbench is `coterie fit`."""

import time

import pytest

from coterie.serve.problems import Problem
from coterie.studio.workbench import Workbench, tried


@pytest.fixture
def bench(tmp_path):
    text = "a,b,y\n" + "".join(
        f"{k // 2},{(k * 7) % 5},{'yes' if k > 20 else 'no'}\n" for k in range(40)
    )
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    made = Workbench(tmp_path.resolve())
    made.open("t.csv")
    yield made
    made.close()


def finished(bench, seconds=120):
    end = time.monotonic() + seconds
    while bench.status()["state"] == "running" and time.monotonic() < end:
        time.sleep(0.2)
    return bench.status()


@pytest.mark.slow
def test_search_to_the_end_and_what_if(bench, tmp_path, call):
    assert bench.fit({"target": "y", "seconds": 5})["state"] == "running"
    with pytest.raises(Problem, match="is running"):
        bench.fit({"target": "y"})
    status = finished(bench)
    assert status["state"] == "finished", status
    assert status["tried"]
    assert status["target"] == "y"
    assert set(status["inputs"]) == {"a", "b"}
    assert any(one["chosen"] for one in status["leaderboard"])
    found = bench.whatif({"a": 19, "b": 1})
    assert found["answer"]["prediction"] == "yes"
    assert found["members"]
    chance = found["answer"]["probability_yes"]
    assert abs(found["adds"]["values"]["a"]) > abs(found["adds"]["values"]["b"])
    if found["adds"]["method"] == "sampled":
        total = found["adds"]["base"] + sum(found["adds"]["values"].values())
        assert total == pytest.approx(chance, abs=1e-6)
    assert all(int(float(one["row"]["a"])) >= 10 for one in found["nearest"][:1])
    with pytest.raises(Problem):
        bench.whatif([1])
    # It is a directory of `coterie fit`, and is listed beside others.
    assert bench.result("model").name == "model.coterie"
    (run,) = bench.runs()
    assert run["directory"] == status["directory"]
    # The command finds it finished.
    out = tmp_path / status["directory"]
    same = ("--target", "y", "--time", "5s", "--out", out, "--resume")
    assert "already finished" in call("fit", tmp_path / "t.csv", *same).out


@pytest.mark.slow
def test_stopping_keeps_the_best(bench):
    bench.fit({"target": "y", "seconds": 600})
    end = time.monotonic() + 60
    while not bench.status()["tried"] and time.monotonic() < end:
        time.sleep(0.1)
    assert bench.stop()["stopped"]
    status = finished(bench)
    assert status["state"] == "finished", status
    assert status["elapsed"] < 300
    assert bench.result("report").exists()


def test_without_a_search_there_is_no_result(bench):
    assert bench.status() == {"state": "none"}
    for call in (lambda: bench.result("model"), bench.stop, lambda: bench.whatif({})):
        with pytest.raises(Problem, match="No search"):
            call()


def test_lines_of_other_kinds_are_not_scores():
    lines = ["reading", "    1.5 s  trying forest", "    2.0 s  svm       failed  out of memory"]
    assert tried(lines) == []
