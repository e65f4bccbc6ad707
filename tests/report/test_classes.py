import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_curve

from coterie.report.classes import (
    MOST_CLASSES,
    calibration,
    confusion,
    coverage,
    curves,
    facts_of_classes,
    histogram,
    per_class,
    thresholds,
)

TRUTH = np.array([0, 0, 0, 1, 1])
P = np.array([0.1, 0.4, 0.7, 0.6, 0.9])
CHANCES = np.column_stack((1 - P, P))


def test_confusion_by_hand():
    found = confusion(TRUTH, CHANCES, ["no", "yes"])
    assert found["counts"] == [[2, 1], [0, 2]]
    assert found["worst"] == [
        {"true": "no", "said": "yes", "rows": 1, "share": pytest.approx(1 / 3, abs=1e-5)}
    ]


def test_very_many_classes_are_counted_together():
    rng = np.random.default_rng(0)
    k = MOST_CLASSES + 20
    truth = rng.integers(0, k, 3000)
    chances = rng.dirichlet(np.ones(k), 3000)
    found = confusion(truth, chances, [f"c{i}" for i in range(k)])
    assert found["lumped"]
    assert len(found["labels"]) == len(found["counts"]) == MOST_CLASSES
    assert np.sum(found["counts"]) == 3000
    assert found["labels"][-1] == "21 others"
    kept = [int(label[1:]) for label in found["labels"][:-1]]
    assert [sum(row) for row in found["counts"][:-1]] == np.bincount(truth)[kept].tolist()


def test_precision_and_recall_by_hand():
    first, second = per_class(TRUTH, CHANCES, ["no", "yes"])
    assert (first["label"], first["rows"], first["precision"]) == ("no", 3, 1.0)
    assert second["recall"] == 1.0
    assert second["precision"] == pytest.approx(2 / 3, abs=1e-5)


def test_a_class_that_is_never_named_has_no_precision():
    always = np.tile([0.9, 0.1], (5, 1))
    never = per_class(TRUTH, always, ["no", "yes"])[1]
    assert (never["precision"], never["recall"]) == (None, 0.0)


@pytest.mark.parametrize("at", [0, 10, 40, 50, 60, 61, 90, 100])
def test_thresholds_count_what_they_say(at):
    found = thresholds(TRUTH, P, ["no", "yes"])
    said = at / 100 <= P
    assert found["true_positives"][at] == (said & (TRUTH == 1)).sum()
    assert found["false_positives"][at] == (said & (TRUTH == 0)).sum()
    assert found["false_negatives"][at] == (~said & (TRUTH == 1)).sum()
    assert found["true_negatives"][at] == (~said & (TRUTH == 0)).sum()


def test_coverage_counts_what_it_says():
    found = coverage(TRUTH, CHANCES)
    sure, right = CHANCES.max(axis=1), CHANCES.argmax(axis=1) == TRUTH
    for asked, cover, risk in zip(*found.values(), strict=True):
        answered = sure >= asked - 1e-9
        assert cover == pytest.approx(answered.mean(), abs=1e-4)
        if answered.any():
            assert risk == pytest.approx((~right[answered]).mean(), abs=1e-4)
        else:
            assert risk is None


def test_calibration_tells_too_sure_from_too_cautious():
    rng = np.random.default_rng(0)
    truth = (rng.random(4000) < 0.8).astype(int)
    for p, sign in ((0.99, 1), (0.6, -1)):
        found = calibration(truth, np.tile([1 - p, p], (4000, 1)), ["no", "yes"])
        assert np.sign(found["too_sure"]) == sign
        assert found["error"] == pytest.approx(abs(p - truth.mean()), abs=1e-5)
        assert found["of"] == "yes"


def test_histogram_counts_every_row_once():
    counts = histogram(TRUTH, np.array([0.0, 0.05, 0.5, 1.0, 0.999]))["counts"]
    assert [sum(rows) for rows in counts] == [3, 2]
    assert counts[0][:2] == [1, 1]
    assert counts[1][-1] == 2


def test_only_two_classes_have_a_threshold():
    three = np.column_stack((CHANCES / 2, np.full(5, 0.5)))
    assert "thresholds" in facts_of_classes(TRUTH, CHANCES, ["no", "yes"])
    assert "thresholds" not in facts_of_classes(TRUTH, three, list("abc"))


def test_curves_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 80)
    p = np.round(np.clip(0.3 * truth + rng.uniform(size=80), 0, 1), 1)  # with ties
    found = curves(truth, p)
    false, true, _ = roc_curve(truth, p, drop_intermediate=False)
    np.testing.assert_allclose(found["roc"], np.c_[false, true], atol=1e-4)
    expected = average_precision_score(truth, p)
    np.testing.assert_allclose(found["average_precision"], expected, rtol=1e-5)
    assert found["gain"][-1] == [1.0, 1.0]
    top = found["top"]
    rows = p >= np.sort(p)[::-1][round(top["rows"] * 80) - 1]
    np.testing.assert_allclose(top["found"], truth[rows].sum() / truth.sum(), rtol=1e-4)
    np.testing.assert_allclose(top["lift"], truth[rows].mean() / truth.mean(), rtol=1e-4)
