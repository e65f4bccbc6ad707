import json
from types import SimpleNamespace

import numpy as np
import pytest

from coterie.automl.records import Column, Entry
from coterie.report import facts
from coterie.report.collect import MOST_COLUMNS, MOST_ENTRIES, final_of


def test_facts_are_json_and_small(found):
    text = json.dumps(found, allow_nan=False)
    assert json.loads(text) == found
    assert len(text) < 60_000


def test_score_and_baseline_are_those_of_the_metric(binary, binary_facts):
    found = binary_facts
    shares = np.bincount(binary.truth_) / len(binary.truth_)
    assert found["baseline"]["score"] == pytest.approx(-(shares * np.log(shares)).sum(), rel=1e-4)
    assert found["baseline"]["value"] == "good"
    assert found["baseline"]["share"] == 0.7
    assert found["score"]["score"] == pytest.approx(
        next(e.score for e in binary.leaderboard_ if e.kind == "ensemble"), rel=1e-4
    )


def test_the_mean_is_the_baseline_of_numbers(regression, regression_facts):
    found = regression_facts
    assert found["baseline"]["value"] == pytest.approx(regression.truth_.mean(), rel=1e-4)
    assert found["baseline"]["score"] == pytest.approx(regression.truth_.std(), rel=1e-4)


def test_measures_have_intervals_around_them(found):
    rows = [row for row in found["measures"] if row["low"] is not None]
    assert len(rows) >= 3
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)


def test_rows_in_no_fold_are_left_out(binary):
    changed = SimpleNamespace(**vars(binary))
    changed.out_of_fold_ = binary.out_of_fold_.copy()
    changed.out_of_fold_[::2] = np.nan
    found = facts(changed)
    assert (found["rows"], found["scored_rows"]) == (1000, 500)
    assert np.sum(found["confusion"]["counts"]) == 500


def test_long_lists_are_cut(binary):
    changed = SimpleNamespace(**vars(binary))
    changed.columns_ = [Column(f"c{i}", "number", 0.0, 2) for i in range(1000)]
    changed.importances_ = {f"c{i}": (i / 1000, 0.0) for i in range(1000)}
    changed.leaderboard_ = binary.leaderboard_ * 50
    changed.history_ = binary.history_ * 200
    found = facts(changed)
    assert len(found["columns"]) == MOST_COLUMNS
    assert found["columns_left_out"] == 1000 - MOST_COLUMNS
    assert found["importances"][0]["name"] == "c999"
    assert len(found["leaderboard"]) >= MOST_ENTRIES
    assert found["left_out"] + len(found["leaderboard"]) == 300
    assert len(json.dumps(found)) < 130_000


def test_the_final_model_is_the_ensemble_that_was_chosen():
    member = Entry("a", "f", "member", 0.1, 0, 1, 0, 0, 1.0, True)
    other = Entry("b", "f", "ensemble", 0.2, 0, 1, 0, 0)
    chosen = Entry("c", "f", "ensemble", 0.3, 0, 1, 0, 0, 1.0, True)
    assert final_of([member, other, chosen]) is chosen
    assert final_of([other, member]) is member


def test_something_else_is_refused():
    with pytest.raises(TypeError, match="fit_table"):
        facts(SimpleNamespace(task_="binary"))


def test_no_predictions_are_refused(binary):
    changed = SimpleNamespace(**vars(binary))
    changed.out_of_fold_ = np.full_like(binary.out_of_fold_, np.nan)
    with pytest.raises(ValueError, match="out-of-fold"):
        facts(changed)
