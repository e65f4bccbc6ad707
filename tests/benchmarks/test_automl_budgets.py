"""The report on budgets of time."""

import pytest

from benchmarks.automl_budgets import BOOSTER, curves, draw, markdown


def _record(contender, loss, budget, **more):
    said = {"table": "t", "half": "choose", "contender": contender, "loss": loss}
    return said | {"budget": budget} | more


def test_losses_stand_beside_those_of_others():
    records = [
        _record(BOOSTER, 0.5, None, cpu=3.0),
        _record("fit_table", 0.55, 5.0),
        _record("fit_table", 0.4, 10.0),
        _record("AutoGluon", 0.5, 10.0),
        {
            "table": "t",
            "half": "choose",
            "contender": "AutoGluon",
            "budget": 5.0,
            "error": "exit 1",
        },
    ]
    text = markdown(records, "On a quiet machine.")
    assert "On a quiet machine." in text
    assert "| t | choose | fit_table | 0.55 | 0.4 | 0.5 (3 s) |" in text
    assert "| t | choose | AutoGluon | – | 0.5 | 0.5 (3 s) |" in text
    assert "5 s +9.5 % (worse on 1 of 1); 10 s -22.3 % (worse on 0 of 1)" in text
    assert "| AutoGluon | choose | 10 s | 1 of 1 | 1.00 | -20.0 % |" in text
    assert "| AutoGluon | both | 10 s | 1 of 1 | 1.00 | -20.0 % |" in text
    assert "| AutoGluon | choose | 5 s |" not in text


def test_a_few_tables_are_worth_an_interval():
    pairs = {"a": 0.4, "b": 0.5, "c": 0.6}
    records = []
    for table, loss in pairs.items():
        records += [
            {**_record("fit_table", loss, 20.0), "table": table},
            {**_record("AutoGluon", 0.5, 20.0), "table": table},
        ]
    text = markdown(records)
    # A table where both are level counts half.
    assert "| AutoGluon | choose | 20 s | 1 of 3 | 1.50 | -1.4 % (-20.0 to +20.0) |" in text


def test_curves_are_drawn_beside_the_booster(tmp_path):
    records = [
        _record(BOOSTER, 0.5, None, cpu=3.0),
        _record("fit_table", 0.4, 10.0),
        _record("fit_table", 0.55, 5.0),
        _record("AutoGluon", 0.6, 10.0),
        {**_record("fit_table", 1.0, 5.0), "table": "without a booster"},
    ]
    found = curves(records)
    assert list(found) == ["fit_table", "AutoGluon"]
    (line,) = found["fit_table"].values()
    assert [budget for budget, _ in line] == [5.0, 10.0]
    assert [change for _, change in line] == pytest.approx([10.0, -20.0])
    draw(records, tmp_path / "curves.svg", "note")
    text = (tmp_path / "curves.svg").read_text(encoding="utf-8")
    draw(records, tmp_path / "again.svg", "note")
    assert (tmp_path / "again.svg").read_text(encoding="utf-8") == text
