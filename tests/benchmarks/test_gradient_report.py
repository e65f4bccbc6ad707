"""What the report of gradient boosting says, from records made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import gradient_report, report
from benchmarks.gradient_models import SPELLS
from benchmarks.summary import summarise

FACTS = {
    "suite": "tiny",
    "date": "2001-02-03",
    "machine": report.machine(cores=2, load=0.5),
    "versions": {"coterie": "1.0"},
    "repeats": 1,
}


def record(contender: str, **figures: Any) -> dict[str, Any]:
    """A measurement with every figure the report shows."""
    return {
        "case": "gradient/higgs/1M",
        "family": "gradient",
        "table": "higgs",
        "task": "classification",
        "case_trees": 40,
        "contender": contender,
        "threads": 1,
        "repeat": 0,
        "trees": 40,
        "rows": 1_000_000,
        "fit_wall": 4.0,
        "fit_cpu": 4.0,
        "fit_peak": 100.0,
        "batch_wall": 0.1,
        "batch_cpu": 0.1,
        "row_median": 15.0,
        "model_mb": 1.0,
        "score": 0.7,
        "loss": 0.5,
        **figures,
    }


def found(*records: dict[str, Any]) -> set[tuple[str, str]]:
    """In what ours is called worse, and than whom."""
    rows = summarise(records, base=gradient_report.PEER)
    return {(r["what"], r["contender"]) for r in gradient_report.worse(rows)}


def test_costs_and_losses_beyond_noise_are_named() -> None:
    ours = record("coterie", loss=0.51)
    clear = record("LightGBM", fit_cpu=3.0, behind=0.01, behind_se=0.001)
    noise = record("XGBoost", batch_cpu=0.05, behind=0.01, behind_se=0.01)
    small = record("CatBoost", fit_peak=95.0, loss=0.509, behind=0.001, behind_se=1e-5)
    assert found(ours, clear, noise, small) == {
        ("fit, CPU", "LightGBM"),
        ("test loss", "LightGBM"),
        ("batch prediction, CPU", "XGBoost"),
    }


def test_targets_are_judged_on_a_million_rows() -> None:
    records = [
        record("coterie", fit_cpu=1.0, batch_cpu=0.02),
        record("LightGBM", fit_cpu=1.9),
        record("XGBoost", fit_cpu=2.1),
    ]
    targets = gradient_report.targets(summarise(records, base="LightGBM"))
    met = {(t["target"], t["table"]): t["met"] for t in targets}
    assert met["fit, half the time of LightGBM", "higgs"] is False
    assert met["fit, half the time of XGBoost", "higgs"] is True
    assert met["batch prediction 3x", "higgs"] is True
    assert met["peak memory no higher", "higgs"] is True
    assert met["fit, half the time of LightGBM", "energy"] is None
    assert met["one row under 20 µs", "slowest case"] is True


def test_ranks_and_best_losses_are_shown() -> None:
    defaults = [
        {"table": "a", "contender": c, "split": 0, "rows": 9, "fit_cpu": 1.0, "loss": v}
        for c, v in (("coterie", 0.25), ("LightGBM", 0.5))
    ]
    text = gradient_report.default_losses(defaults)
    lines = [[c.strip() for c in s.strip("|").split("|")] for s in text.splitlines()]
    assert ["coterie", "1.00", "1.00"] in lines
    assert ["a", "9", "1", "**0.25**", "0.5"] in lines


def test_the_report_holds_everything(tmp_path: Path) -> None:
    records = [record("coterie"), record("LightGBM", fit_cpu=8.0)]
    failed = {**record("CatBoost"), "error": "given up after 1 s"}
    gradient_report.write([*records, failed], [], FACTS, tmp_path)
    text = (tmp_path / "tiny.md").read_text(encoding="utf-8")
    assert "CatBoost: given up after 1 s" in text
    assert "2.00x" in text
    assert "Nowhere." in text
    assert "load at start 0.500" in text
    for name in SPELLS:
        assert f"| {name} " in text.split("## Settings")[1]
    plain = json.loads((tmp_path / "tiny.json").read_text(encoding="utf-8"))
    assert plain["summary"][0]["ratios"]["fit_cpu"] == pytest.approx(2.0)
