"""Medians, ratios and losses from records made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.summary import losses, ratios, summarise, targets

Record = dict[str, Any]


def record(contender: str, repeat: int = 0, **figures: Any) -> Record:
    """A measurement of a forest of ten trees."""
    return {
        "case": "forest/higgs/1M",
        "family": "forest",
        "table": "higgs",
        "task": "classification",
        "case_trees": 10,
        "contender": contender,
        "threads": 1,
        "repeat": repeat,
        "trees": 10,
        "rows": 1_000_000,
        **figures,
    }


@pytest.fixture
def records() -> list[Record]:
    """Two contenders measured three times, and one with fewer trees."""
    ours = [1.0, 9.0, 2.0]  # a disturbed run must not count
    theirs = [12.0, 10.0, 11.0]
    found = [record("coterie", i, fit_cpu=s, fit_peak=50.0, score=0.70) for i, s in enumerate(ours)]
    found += [
        record("scikit-learn", i, fit_cpu=s, fit_peak=40.0, score=0.71)
        for i, s in enumerate(theirs)
    ]
    found.append(record("LightGBM", trees=1, fit_cpu=0.1, fit_peak=1.0, score=0.9))
    return found


def row_of(rows: list[Record], contender: str) -> Record:
    """The summary of one contender."""
    (row,) = (r for r in rows if r["contender"] == contender)
    return row


def test_figures_are_medians_and_ratios_are_theirs_over_ours(records: list[Record]) -> None:
    ours = row_of(summarise(records), "coterie")
    assert ours["runs"] == 3
    assert ours["fit_cpu"] == 2.0
    assert ours["ratios"] == {"fit_cpu": pytest.approx(5.5), "fit_peak": pytest.approx(0.8)}
    assert row_of(summarise(records), "scikit-learn")["ratios"]["fit_cpu"] == 1.0


def test_with_fewer_trees_only_the_time_per_tree_is_compared(records: list[Record]) -> None:
    other = row_of(summarise(records), "LightGBM")
    assert other["ratios"] == {"fit_cpu": pytest.approx((11.0 / 10) / (0.1 / 1))}


def test_losses_name_every_worse_figure(records: list[Record]) -> None:
    found = {(r["contender"], r["what"]): r["times"] for r in losses(summarise(records))}
    assert found == {
        ("LightGBM", "fit, CPU"): pytest.approx(2.0),
        ("scikit-learn", "fit, peak memory"): pytest.approx(1.25),
        ("scikit-learn", "score lower"): pytest.approx(0.01),
    }


def test_a_few_megabytes_or_percent_are_not_a_loss() -> None:
    rows = summarise(
        [
            record("coterie", fit_cpu=1.02, fit_peak=5.0, score=0.700),
            record("scikit-learn", fit_cpu=1.0, fit_peak=1.0, score=0.702),
        ]
    )
    assert losses(rows) == []


def test_a_failure_has_no_ratios_and_spoils_no_others(records: list[Record]) -> None:
    rows = summarise([*records, record("XGBoost", error="MemoryError")])
    failed = row_of(rows, "XGBoost")
    assert failed["error"] == "MemoryError"
    assert failed["ratios"] == {}
    assert failed["runs"] == 0
    assert row_of(rows, "coterie")["ratios"]["fit_cpu"] == pytest.approx(5.5)
    losses(rows)


def test_without_scikit_learn_there_are_no_ratios() -> None:
    assert ratios({"trees": 1, "fit_cpu": 1.0}, None) == {}


def test_targets_say_met_missed_or_not_measured(records: list[Record]) -> None:
    found = {(t["target"], t["table"]): t for t in targets(summarise(records))}
    assert found["random forest, fit 5x", "higgs"]["met"] is True
    assert found["random forest, half the peak memory", "higgs"]["met"] is False
    assert found["random forest, fit 5x", "covertype"]["met"] is None


def test_boosting_has_targets_of_its_own() -> None:
    where = {"case": "stumps/higgs/100k", "family": "stumps", "rows": 100_000}
    measured = [
        record("coterie", fit_cpu=1.0, **where),
        record("scikit-learn", fit_cpu=60.0, **where),
    ]
    found = {t["target"]: t["met"] for t in targets(summarise(measured))}
    assert found == {
        "100 boosted stumps, fit 50x": True,
        "50 boosted depth-3 trees, fit 20x": None,
    }
