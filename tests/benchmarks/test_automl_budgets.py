"""The report on short budgets."""

from benchmarks.automl_budgets import BOOSTER, markdown


def test_losses_stand_beside_those_of_the_default_booster():
    records = [
        {"table": "t", "half": "choose", "contender": BOOSTER, "loss": 0.5, "cpu": 3.0},
        {"table": "t", "half": "choose", "contender": "fit_table", "budget": 5.0, "loss": 0.55},
        {"table": "t", "half": "choose", "contender": "fit_table", "budget": 10.0, "loss": 0.4},
    ]
    text = markdown(records)
    assert "| t | choose | fit_table | 0.5500 | 0.4000 | 0.5000 (3 s) |" in text
    assert "5 s +9.5% (worse on 1 of 1); 10 s -22.3% (worse on 0 of 1)" in text
