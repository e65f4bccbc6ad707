import pytest

from coterie.report.words import more_rows, summary, way, why_alone


def said(found):
    return {part["title"]: part["text"].replace("\u00a0", " ") for part in summary(found)}


def test_summary_of_classes(binary_facts):
    found = binary_facts
    words = said(found)
    assert words["What it predicts"].startswith("Whether credit is “good” (70 %) or “bad” (30 %)")
    row = next(row for row in found["measures"] if row["name"] == "accuracy")
    assert f"right in {100 * row['value']:.1f} % of all cases" in words["How well it predicts"]
    assert "Always predicting “good” would be right in 70.0 %" in words["How well it predicts"]
    assert "lower is better" in words["How well it predicts"]
    assert f"“{found['members'][0]['name']}” has the largest weight" in words["The model"]
    assert words["Warnings"] == "duration gives the target away."


def test_summary_of_many_classes(multiclass_facts):
    words = said(multiclass_facts)
    assert words["What it predicts"].startswith("digit, one of 10 classes")
    assert "and 7 more" in words["What it predicts"]


def test_summary_of_numbers(regression_facts):
    words = said(regression_facts)
    assert "a number between 25.0 and 346" in words["What it predicts"]
    assert "Always predicting the mean, 152, would be off by" in words["How well it predicts"]
    assert "Half of its predictions are within" in words["How reliable it is"]


def test_no_better_than_chance_is_said(found):
    changed = found | {"score": {"score": 0.6, "low": 0.5, "high": 0.7}}
    changed["baseline"] = found["baseline"] | {"score": 0.65}
    assert "not significantly worse" in said(changed)["How well it predicts"]


def test_nothing_to_beware_of(found):
    quiet = found | {"findings": [], "stopped": "finished"}
    if found["task"] != "regression":
        quiet["calibration"] = found["calibration"] | {"error": 0.01}
    assert said(quiet)["Warnings"].startswith("No problems")


def test_a_single_member(found):
    alone = found | {"members": found["members"][:1], "n_members": 1}
    assert said(alone)["The model"].startswith("A single model")


def entry(name, kind="ensemble"):
    return {"name": name, "kind": kind}


@pytest.mark.parametrize(
    ("entries", "left_out", "reason"),
    [
        ([entry("a", "member"), entry("best single")], 0, "no other candidate was fitted"),
        ([entry("a", "member"), entry("best single")], 3, "candidates were not combined"),
        ([entry("a", "member"), entry("b", "member")], 0, "candidates were not combined"),
        ([*map(entry, ("a alone", "stacking, calibrated"))], 0, "no combination of candidates was"),
    ],
)
def test_the_reason_for_a_single_member_is_what_happened(entries, left_out, reason):
    assert why_alone({"leaderboard": entries, "left_out": left_out}).startswith(reason)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("stacking", "second-level"),
        ("ensemble selection, calibrated", "then calibrated"),
        ("something new", ""),
    ],
)
def test_ways_to_combine_are_explained(found, name, word):
    assert word in way(found | {"final_name": name})


@pytest.mark.parametrize(
    ("gain", "error", "said"),
    [
        (0.1, 0.01, "more rows would probably help"),
        (0.1, 0.09, "more rows may well help"),
        (0.1, 0.11, "unclear whether more rows would help"),
        (-0.1, 0.01, "which is unusual"),
        (None, None, "400 training rows."),
    ],
)
def test_more_rows(regression_facts, gain, error, said):
    curve = regression_facts["learning_curve"] | {"gain": gain, "error": error}
    text = more_rows(regression_facts | {"learning_curve": curve})
    assert "from 0.700 to 0.600 from 200 to 400 training rows" in text
    assert said in text
    assert more_rows(regression_facts | {"learning_curve": None}) == ""
