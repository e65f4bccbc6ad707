"""Ranks at default settings, and one small table measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks import defaults
from benchmarks.tables import REAL, available


def record(table: str, contender: str, loss: float, split: int = 0) -> dict[str, Any]:
    """A measured loss."""
    return {"table": table, "contender": contender, "split": split, "loss": loss}


def test_ranks_are_of_mean_losses_and_averaged_over_tables() -> None:
    records = [
        record("a", "x", 1.0),
        record("a", "x", 3.0, 1),
        record("a", "y", 1.9),
        record("a", "y", 1.9, 1),
        record("b", "x", 5.0),
        record("b", "y", 5.0),
    ]
    assert defaults.mean_ranks(records) == {"y": 1.25, "x": 1.75}


def test_a_table_somebody_failed_on_does_not_count() -> None:
    records = [record("a", "x", 1.0), record("a", "y", 2.0), record("b", "x", 9.0)]
    records.append({"table": "b", "contender": "y", "split": 0, "error": "MemoryError"})
    assert defaults.mean_losses(records) == {"a": {"x": 1.0, "y": 2.0}}


def test_splits_hold_out_what_they_should() -> None:
    drawn = [defaults.split(REAL["vehicle"], 846, 634, seed) for seed in (0, 1)]
    for train, test in drawn:
        assert len(train) == 634
        assert np.array_equal(np.sort(np.r_[train, test]), np.arange(846))
    assert not np.array_equal(drawn[0][1], drawn[1][1])
    train, test = defaults.split(REAL["letter"], 20_000, 500, seed=3)
    assert np.array_equal(test, np.arange(16_000, 20_000))
    assert len(set(train)) == 500
    assert train.max() < 16_000


def test_the_full_plan_cuts_nothing() -> None:
    for job in defaults.plan("full"):
        assert job["rows"] == REAL[job["table"]].rows


@pytest.mark.parametrize("table", ["german", "concrete"])
def test_a_table_with_categories_is_measured(table: str) -> None:
    pytest.importorskip("pandas")
    if not available(table):
        pytest.skip("the table is not here")
    job = {"table": table, "rows": 200, "splits": 2, "threads": 1}
    found = defaults.measure({**job, "contenders": ["coterie", "scikit-learn"]})
    assert not [r for r in found if "error" in r]
    assert [(r["split"], r["contender"]) for r in found] == [
        (s, c) for s in (0, 1) for c in ("coterie", "scikit-learn")
    ]
    assert {r["rows"] for r in found} == {200}
    ours, theirs = (
        np.mean([r["loss"] for r in found if r["contender"] == c])
        for c in ("coterie", "scikit-learn")
    )
    assert ours == pytest.approx(theirs, rel=0.1)


def test_failures_become_records() -> None:
    pytest.importorskip("pandas")
    if not available("concrete"):
        pytest.skip("the table is not here")
    job = {"table": "concrete", "rows": 100, "splits": 1, "threads": 1, "contenders": ["abacus"]}
    (found,) = defaults.measure(job)
    assert found["error"].startswith("KeyError")
