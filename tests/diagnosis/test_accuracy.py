import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import r2_score, recall_score, root_mean_squared_error

from coterie.diagnosis.accuracy import accuracy, recalls
from coterie.diagnosis.case import Case, wilson
from coterie.diagnosis.ensemble_predictions import Answers, answers_of
from tests.diagnosis.pools import case_of, copies, independent, numbers_case


def test_errors_by_hand():
    hits = independent(5, 300, 0.2)
    found = accuracy(case_of(hits))
    vote = hits.sum(axis=0) >= 3
    assert found.numbers["error"] == pytest.approx(1 - vote.mean())
    assert found.numbers["mean_member"] == pytest.approx(1 - hits.mean())
    assert found.numbers["best_member"] == pytest.approx((1 - hits.mean(axis=1)).min())
    low_high = wilson(1 - vote.mean(), 300)
    assert (found.numbers["low"], found.numbers["high"]) == pytest.approx(low_high)
    assert (found.verdict, found.fine, found.advice) == ("yes", True, "")


def test_noise_cannot_be_learnt():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
    forest = RandomForestClassifier(15, random_state=0).fit(X[:200], y[:200])
    found = accuracy(Case.of(answers_of(forest, X[200:]), y[200:]))
    assert (found.verdict, found.fine) == ("no", False)
    assert "not significantly better than the baseline" in found.advice


def test_one_good_member_among_coins():
    hits = np.random.default_rng(3).random((7, 500)) > 0.5
    hits[4] = np.random.default_rng(4).random(500) > 0.02
    found = accuracy(case_of(hits))
    assert found.verdict == "below best member"
    assert found.numbers["best"] == 4
    assert "member 4" in found.advice
    assert "EnsembleSelectionClassifier" in found.advice


def test_the_best_of_equals_is_no_better():
    assert accuracy(case_of(copies())).fine


def test_the_best_of_many_is_better_by_chance():
    rng = np.random.default_rng(0)
    hits = np.tile(rng.random(300) > 0.4, (30, 1)) ^ (rng.random((30, 300)) < 0.03)
    found = accuracy(case_of(hits))
    assert found.numbers["best_member"] < found.numbers["error"]
    assert (found.verdict, found.fine) == ("yes", True)


def test_numbers():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    outputs = y + rng.normal(size=(4, 200))
    found = accuracy(numbers_case(outputs, y)).numbers
    mean = outputs.mean(axis=0)
    assert found["error"] == pytest.approx(root_mean_squared_error(y, mean))
    assert found["r2"] == pytest.approx(r2_score(y, mean))
    assert found["guess"] == pytest.approx(y.std())
    assert found["low"] < found["error"] < found["high"]


def test_barely_better_than_the_mean():
    rng = np.random.default_rng(0)
    y = rng.normal(size=20_000)
    said = 0.05 * y + 0.01 * rng.normal(size=(2, 20_000))
    found = accuracy(numbers_case(said, y))
    assert (found.verdict, found.fine) == ("barely", False)


def _classes(vote, truth):
    return Case.of(Answers("some", np.asarray(vote), np.array([0, 1, 2]), None), truth)


def test_a_class_that_is_never_found():
    truth = np.repeat([0, 1, 2], [80, 60, 40])
    vote = np.where(truth == 2, 0, truth)
    found = recalls(_classes(vote, truth))
    expected = recall_score(truth, vote, average=None)
    assert list(found.numbers["recalls"].values()) == pytest.approx(list(expected))
    assert (found.verdict, found.numbers["worst_class"]) == ("no", 2)
    assert "class 2" in found.advice


def test_all_classes_are_found():
    truth = np.repeat([0, 1, 2], 40)
    assert recalls(_classes(truth, truth)).fine
    assert recalls(_classes([0] * 9, [0] * 9)).fine is None
