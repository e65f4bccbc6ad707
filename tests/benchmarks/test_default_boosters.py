"""Default boosters: splits, one measurement, and the report."""

import json

import numpy as np
import pandas as pd
import pytest

from benchmarks.boosters_report import markdown
from benchmarks.default_boosters import OURS, Listed, measure, missing, read_list, split
from benchmarks.tables import Real

TABLE = Listed("t", Real("t.csv", "classification", 60, 2), "choose")


def data(n=80):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": pd.Categorical(["x", "y"] * (n // 2))})
    return frame, (frame["a"].to_numpy() + rng.normal(size=n) > 0).astype(int)


def test_lists_leave_out_survival():
    text = (
        "| adult2 | binary | 1,000 | 5 (2) | - | confirm |\n"
        "| surv | survival | 100 | 5 (2) | - | choose |\n"
        "| many | 9 classes | 100 | 600 (0) | 7 | choose |\n"
    )
    found = read_list(text)
    assert [(t.name, t.real.rows, t.real.classes, t.half) for t in found] == [
        ("adult2", 750, 2, "confirm"),
        ("many", 75, 9, "choose"),
    ]
    assert found[1].splits == 1


def test_rows_are_never_shared():
    _, y = data()
    train, test = split(TABLE, y, 1)
    assert not set(train) & set(test)
    assert len(test) == 20
    assert not np.array_equal(split(TABLE, y, 2)[0], train)


def test_measurements_are_made_once():
    known = [{"contender": "a", "table": "t", "split": 0}]
    left = [(name, seed) for name, _, seed in missing(known, [TABLE], ["a", "b"])]
    assert left == [("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)]


def test_a_failure_becomes_a_record():
    record = measure("NoSuch", TABLE, data(), 0)
    assert "AttributeError" in record["error"]


@pytest.mark.slow
def test_report_of_a_forest_and_a_rival():
    found = measure("RandomForest", TABLE, data(), 0)
    assert 0 < found["loss"] < 36
    assert found["prior"] < 0.8
    ours = {**found, "contender": OURS, "loss": found["loss"] / 2, "cpu": 1.0}
    rival = {**found, "contender": "CatBoost", "cpu": 4.0}
    text = markdown(json.loads(json.dumps([found, ours, rival])))
    assert "## Choosing half: 1 tables" in text
    row = next(line for line in text.splitlines() if line.startswith(f"| {OURS} |"))
    assert "| 1.00 |" in row
    assert "1, 0, 0" in row
    assert "0.25" in row
    assert "| 1.00 | – | – |" in markdown([ours])


def test_efforts_are_set_beside_the_default_and_do_not_change_ranks():
    base = {"table": "t", "half": "choose", "split": 0, "prior": 0.0}
    given = {OURS: (0.5, 1.0), "CatBoost": (0.4, 4.0), f"{OURS}, best": (0.25, 3.0)}
    found = [{**base, "contender": n, "loss": v, "cpu": c} for n, (v, c) in given.items()]
    text = markdown(found)
    assert "| choose | best | 1 | -0.693 (-0.693 to -0.693) | 1, 0, 0 | 3.00 |" in text
    ranked = [line for line in text.splitlines() if line.startswith("| CatBoost | 1.00 |")]
    assert len(ranked) == 1
