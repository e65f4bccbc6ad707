import numpy as np
import pytest

from coterie.diagnosis.case import Case
from coterie.diagnosis.ensemble_predictions import Answers, Stages
from coterie.diagnosis.size import size
from tests.diagnosis.pools import case_of, copies, independent, numbers_case


def test_of_copies_one_is_enough():
    found = size(case_of(copies(9)))
    assert (found.verdict, found.fine) == ("yes", False)
    assert (found.numbers["enough"], found.numbers["share"]) == (1, pytest.approx(1 / 9))
    assert found.numbers["pruned"] == 1
    assert 'PrunedEnsembleClassifier(order="reduced_error") keeps about 1 of 9' in found.advice


def test_independent_members_are_all_of_use():
    found = size(case_of(independent(11, 4000)))
    assert found.numbers["enough"] > 5
    assert found.verdict == "no, too small"
    assert "Add members" in found.advice


def test_the_curve_by_hand():
    hits = independent(5, 100)
    found = size(case_of(hits)).numbers
    assert found["sizes"] == [1, 2, 3, 4, 5]
    assert found["errors"][0] == pytest.approx(1 - hits[0].mean())
    assert found["errors"][2] == pytest.approx(1 - (hits[:3].sum(axis=0) >= 2).mean())


def test_chosen_members_are_judged_by_other_rows():
    rng = np.random.default_rng(0)
    coins = rng.random((15, 300)) > 0.5
    found = size(case_of(coins)).numbers
    # On the rows that choose them, the first of 15 coins would look far better.
    assert found["pruned_error"] == pytest.approx(0.5, abs=0.06)
    coins[7] = True
    found = size(case_of(coins)).numbers
    assert (found["pruned"], found["pruned_error"]) == (1, 0.0)


def test_numbers():
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    outputs = y + rng.normal(size=(6, 300))
    found = size(numbers_case(outputs, y)).numbers
    expected = [((outputs[:t].mean(axis=0) - y) ** 2).mean() for t in range(1, 7)]
    assert found["errors"] == pytest.approx(expected)
    assert found["pruned"] <= 6


def _rounds(wrong):
    """Rounds after each of which so many of 1000 rows are wrong."""
    said = np.stack([np.arange(1000) < number for number in wrong]).astype(int)
    stages = Stages(np.arange(1, len(wrong) + 1), said)
    answers = Answers("some", said[-1], np.array([0, 1]), None, "round", len(wrong), None, stages)
    return size(Case.of(answers, np.zeros(1000, dtype=int)))


def test_rounds_past_their_best():
    found = _rounds([300, 100, 50, 80, 150, 200])
    assert (found.verdict, found.fine, found.numbers["best"]) == ("past its best", False, 3)
    assert "Stop at about 3 rounds" in found.advice


def test_rounds_that_change_nothing():
    found = _rounds([300, 100, 50, 50, 50, 50, 50, 50])
    assert (found.verdict, found.numbers["enough"]) == ("yes", 3)
    assert "Use 3 rounds" in found.advice


def test_a_lucky_start_is_not_enough():
    # The first round errs on other rows than those after it, of which the last mend some.
    said = np.zeros((6, 1000), dtype=int)
    said[0, :100] = said[1:4, 500:700] = said[4:, 500:605] = 1
    stages = Stages(np.arange(1, 7), said)
    answers = Answers("some", said[-1], np.array([0, 1]), None, "round", 6, None, stages)
    found = size(Case.of(answers, np.zeros(1000, dtype=int))).numbers
    assert (found["best"], found["past_best"], found["enough"]) == (1, False, 5)


def test_unknown_without_stages():
    found = size(Case.of(Answers("some", np.zeros(3), None, None), np.zeros(3)))
    assert (found.fine, found.words) == (None, "It has no members that predict on their own.")


def test_rounds_that_make_probabilities_better_are_of_use():
    """Labels are right from the second round on, but the model is hardly sure of them."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1000)
    sure = np.array([0.45, 0.55, 0.7, 0.8, 0.9, 0.95])
    own = np.clip(sure[:, None] + rng.normal(0, 0.01, (6, 1000)), 0.01, 0.99)
    chances = np.where(truth[None, :, None] == np.arange(2), own[:, :, None], 1 - own[:, :, None])
    said = chances.argmax(axis=2)
    stages = Stages(np.arange(1, 7), said, chances)
    answers = Answers("some", said[-1], np.arange(2), chances[-1], "round", 6, None, stages)
    found = size(Case.of(answers, truth))
    assert (found.numbers["measure"], found.numbers["enough"]) == ("log-loss", 6)
    np.testing.assert_allclose(found.numbers["errors"], -np.log(own).mean(axis=1))
    labels = Answers(
        "some", said[-1], np.arange(2), None, "round", 6, None, Stages(stages.sizes, said)
    )
    assert size(Case.of(labels, truth)).numbers["enough"] < 4
