"""Wins, ranks, and one small table measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import automl
from benchmarks.tables import available


def record(table: str, contender: str, loss: float) -> dict[str, Any]:
    """A measured loss."""
    return {"table": table, "contender": contender, "seed": 0, "loss": loss, "seconds": 1.0}


RECORDS = [
    record("a", automl.OURS, 0.5),
    record("a", "XGBoost", 0.6),
    record("a", "CatBoost", 0.7),
    record("b", automl.OURS, 0.5),
    record("b", "XGBoost", 0.4),
    record("b", "CatBoost", 0.6),
    record("c", "XGBoost", 0.1),
    {"table": "c", "contender": automl.OURS, "seed": 0, "error": "took too long"},
]


def test_a_win_is_to_be_at_least_as_good_as_all() -> None:
    found = automl.outcome(RECORDS)
    assert found["won"] == ["a"]
    assert set(found["tables"]) == {"a", "b"}
    assert found["mean_ranks"] == {automl.OURS: 1.5, "XGBoost": 1.5, "CatBoost": 3.0}


def test_report_names_winners_and_failures(tmp_path: Path) -> None:
    automl.save(RECORDS, tmp_path / "automl.json")
    text = (tmp_path / "automl.md").read_text(encoding="utf-8")
    assert "| a | **0.5000** | – | – | – | 0.6000 | 0.7000 | 1 | 1.0 |" in text
    assert "Best on 1 of 2 tables" in text
    assert "took too long" in text


def test_scores_are_clipped_as_by_scikit_learn() -> None:
    from sklearn.metrics import log_loss

    y, chances = np.array([0, 1, 1]), np.array([[0.9, 0.1], [1.0, 0.0], [0.2, 0.8]])
    assert automl.score(y, chances) == pytest.approx(log_loss(y, chances))


@pytest.mark.skipif(not available("sonar"), reason="no shared tables")
def test_one_table_is_measured() -> None:
    job = {"table": "sonar", "contender": "HistGradientBoosting", "seed": 0, "threads": 1}
    assert 0.2 < automl.measure(job)["loss"] < 0.6
