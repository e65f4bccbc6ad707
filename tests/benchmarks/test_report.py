"""The Markdown and JSON that are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.contenders import CONTENDERS

FACTS = {
    "suite": "tiny",
    "date": "2001-02-03",
    "machine": report.machine(cores=2, load=0.5),
    "versions": {"coterie": "1.0", "scikit-learn": "1.9"},
    "repeats": 1,
}


def forest(contender: str, seconds: float, **more: Any) -> dict[str, Any]:
    """A record of a forest with every figure."""
    return {
        "case": "forest/higgs/10k",
        "family": "forest",
        "table": "higgs",
        "task": "classification",
        "case_trees": 10,
        "contender": contender,
        "threads": 1,
        "repeat": 0,
        "trees": 10,
        "rows": 10_000,
        "columns": 28,
        "base_mb": 100.0,
        "fit_wall": seconds,
        "fit_cpu": seconds,
        "fit_peak": 20.0,
        "batch_wall": seconds / 10,
        "batch_cpu": seconds / 10,
        "batch_peak": 0.0,
        "row_median": 100.0,
        "row_p99": 200.0,
        "row_cpu": 100.0,
        "row_calls": 50,
        "model_mb": 3.0,
        "score": 0.75,
        "log_loss": 0.5,
        **more,
    }


RECORDS = [forest("coterie", 0.5), forest("scikit-learn", 4.0)]


def cells(text: str, heading: str, contender: str) -> dict[str, str]:
    """The line of a contender in the table under a heading, by column name."""
    section = text.split(f"## {heading}")[1].split("\n## ")[0]
    table = [s.strip("|").split("|") for s in section.splitlines() if s.startswith("|")]
    header, *body = [[c.strip() for c in line] for line in table]
    (line,) = (b for b in body if contender in b)
    return dict(zip(header, line, strict=True))


def test_markdown_shows_ratios_beside_times() -> None:
    text = report.markdown(RECORDS, FACTS)
    fit = cells(text, "Fitting", "coterie")
    assert (fit["CPU s"], fit["CPU s/tree"], fit["CPU"]) == ("0.500", "0.0500", "8.00x")
    assert (fit["accuracy, R2"], fit["log loss"]) == ("0.7500", "0.5000")
    assert cells(text, "Prediction, all held-out rows", "coterie")["wall ms"] == "50.0"
    assert cells(text, "Prediction, one row at a time", "coterie")["median"] == "1.00x"
    assert "Nowhere" in text


def test_every_line_of_a_table_is_equally_wide() -> None:
    table = report.fitting(report.summarise(RECORDS)).splitlines()
    assert len({len(line) for line in table}) == 1


def test_scores_and_predictions_of_fewer_trees_are_left_out() -> None:
    text = report.markdown([*RECORDS, forest("LightGBM", 1.0, trees=2)], FACTS)
    assert cells(text, "Fitting", "LightGBM")["accuracy, R2"] == "–"
    assert "LightGBM" not in text.split("## Prediction")[1]
    assert "| LightGBM" not in text.split("## Where")[1].split("## Settings")[0]


def test_losses_and_failures_are_listed() -> None:
    slower = [forest("coterie", 8.0), forest("scikit-learn", 4.0)]
    failed = forest("XGBoost", 1.0) | {"error": "given up after 300 s"}
    text = report.markdown([*slower, failed], FACTS)
    where = text.split("## Where coterie is worse")[1].split("\n## ")[0]
    assert "fit, CPU" in where
    assert "2.00 times" in where
    assert "XGBoost: given up after 300 s" in text


def test_without_ours_nothing_is_claimed() -> None:
    assert "coterie was not measured" in report.markdown(RECORDS[1:], FACTS)


def test_settings_of_every_contender_are_printed() -> None:
    text = report.markdown(RECORDS, FACTS)
    for name, contender in CONTENDERS.items():
        shown = f"| {name} " in text.split("## Settings")[1]
        assert shown == (contender.families != ("gradient",))  # which has a report of its own
    assert "## Settings" not in report.markdown(RECORDS, FACTS, appendix=False)


def test_files_hold_records_and_summary(tmp_path: Path) -> None:
    report.write(RECORDS, FACTS, tmp_path)
    assert (tmp_path / "tiny.md").read_text(encoding="utf-8") == report.markdown(RECORDS, FACTS)
    found = json.loads((tmp_path / "tiny.json").read_text(encoding="utf-8"))
    assert found["records"] == RECORDS
    assert found["summary"][0]["ratios"]["fit_wall"] == 8.0
    assert found["versions"]["scikit-learn"] == "1.9"
