import pytest

from coterie.report.reader_warnings import beats_baseline, warnings


def test_the_worst_stands_first(found):
    levels = [one["level"] for one in warnings(found)]
    assert levels[0] == "danger"
    assert levels == sorted(levels, key=["danger", "warning", "info"].index)


def test_a_model_that_is_no_better_than_none_is_a_danger(found):
    assert beats_baseline(found)
    useless = found | {"score": {"score": 0.6, "low": 0.5, "high": 0.7}}
    useless["baseline"] = found["baseline"] | {"score": 0.65}
    assert not beats_baseline(useless)
    assert any("better than the baseline" in one["message"] for one in warnings(useless))


def test_without_a_baseline_nothing_is_said(found):
    unknown = found | {"baseline": found["baseline"] | {"score": None}}
    assert beats_baseline(unknown)


@pytest.mark.parametrize(("stopped", "level"), [("interrupted", "warning"), ("time", "info")])
def test_a_search_that_ended_early_is_mentioned(found, stopped, level):
    said = [one for one in warnings(found | {"stopped": stopped}) if "search" in one["message"]]
    assert [one["level"] for one in said] == [level]


def test_a_finished_search_is_not(found):
    assert not any("search" in one["message"] for one in warnings(found | {"stopped": "finished"}))


def test_rows_without_a_score_are_counted(found):
    said = warnings(found | {"scored_rows": found["rows"] - 3})
    assert any(one["message"].startswith("3 rows of") for one in said)


def test_a_class_that_is_never_recognised_is_named(binary_facts):
    found = binary_facts
    lost = [found["classes"][0], found["classes"][1] | {"recall": 0.0}]
    assert any(
        "Never predicted correctly: bad" in one["message"]
        for one in warnings(found | {"classes": lost})
    )


def test_bad_calibration_is_a_warning(binary_facts):
    found = binary_facts
    off = found | {"calibration": found["calibration"] | {"error": 0.2, "too_sure": -0.1}}
    assert any("under-confident" in one["message"] for one in warnings(off))
