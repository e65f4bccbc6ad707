import numpy as np
import pytest
from scipy.stats import binomtest

from coterie.data import DataError
from coterie.diagnosis.case import Case, Estimate, truth_of, wilson
from coterie.diagnosis.ensemble_predictions import Answers

LABELS = Answers("some", np.array([0, 1, 1, 0]), np.array([0, 1]), None)


@pytest.mark.parametrize(("right", "size"), [(0, 10), (3, 10), (50, 50), (7, 1000)])
def test_intervals_are_scipys(right, size):
    found = binomtest(right, size).proportion_ci(method="wilson")
    np.testing.assert_allclose(
        wilson(right / size, size, 1.959963984540054), (found.low, found.high), atol=1e-12
    )


def test_means_by_hand():
    case = Case.of(LABELS, [0, 1, 0, 0], [1.0, 1.0, 2.0, 0.0])
    loss = case.loss(LABELS.vote)
    assert loss.tolist() == [0, 0, 1, 0]
    mean = case.mean(loss)
    assert mean.value == pytest.approx(0.5)
    assert mean.deviation == pytest.approx(np.sqrt(0.25 + 0.25 + 4 * 0.25) / 4)
    assert case.size == pytest.approx(16 / 6)
    assert case.guess().tolist() == [0, 0, 0, 0]


def test_a_guess_of_numbers_is_their_mean():
    case = Case.of(Answers("some", np.zeros(2), None, None), [1.0, 4.0], [2.0, 1.0])
    assert case.guess().tolist() == [2.0, 2.0]
    assert case.loss(case.answers.vote).tolist() == [1.0, 16.0]


def test_clear_is_two_standard_errors():
    assert Estimate(0.2, 0.1).clear
    assert not Estimate(0.19, 0.1).clear
    assert not Estimate(0.0, 0.0).clear


@pytest.mark.parametrize(
    ("y", "word"),
    [
        ([0, 1, 2, 0], "contains 2, which is not one of the classes"),
        ([0, 1], "X has 4 rows, but y has 2 values"),
        (np.zeros((4, 2)), "only one target"),
    ],
)
def test_bad_truth(y, word):
    with pytest.raises(DataError, match=word):
        Case.of(LABELS, y)


def test_missing_labels():
    words = Answers("some", np.array(["a", "b"]), np.array(["a", "b"]), None)
    with pytest.raises(DataError, match="labels like 'a', but"):
        Case.of(words, np.array(["a", None], dtype=object))
    assert Case.of(words, np.array(["b", "a"], dtype=object)).codes.tolist() == [1, 0]


def test_bad_numbers():
    with pytest.raises(DataError, match="contains other values"):
        truth_of(["a"], None, 1)
    with pytest.raises(DataError, match="missing or infinite"):
        truth_of([np.nan], None, 1)
    with pytest.raises(DataError, match="no rows"):
        truth_of([], None, 0)
    assert truth_of([[1.0], [2.0]], None, 2).tolist() == [1.0, 2.0]
