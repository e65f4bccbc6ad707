import numpy as np
import pytest

from coterie.learners.member_votes import (
    NO_SCORE,
    class_places,
    votes_of_labels,
    votes_of_probabilities,
    votes_of_scores,
)

CLASSES = np.array(["a", "b", "c"])


def test_a_label_is_one_vote():
    votes = votes_of_labels(["c", "a"], CLASSES)
    assert votes.tolist() == [[0, 0, 1], [1, 0, 0]]


def test_unknown_classes_are_improbable():
    given = np.array([[0.25, 0.75], [1.0, 0.0]])
    votes = votes_of_probabilities(given, ["a", "c"], CLASSES)
    assert votes.tolist() == [[0.25, 0, 0.75], [1, 0, 0]]


def test_all_classes_known_leaves_probabilities_as_they_are():
    given = np.array([[0.2, 0.3, 0.5]])
    np.testing.assert_array_equal(votes_of_probabilities(given, CLASSES, CLASSES), given)


def test_scores_of_unknown_classes_are_lowest():
    votes = votes_of_scores(np.array([0.5, -2.0]), ["a", "c"], CLASSES)
    assert votes.tolist() == [[-0.5, NO_SCORE, 0.5], [2.0, NO_SCORE, -2.0]]
    assert votes_of_scores([0.5], ["a", "b"], CLASSES[:2]).tolist() == [[0.5]]
    votes = votes_of_scores([[1.0, 2.0, 3.0]], ["a", "b", "d"], np.array(list("abcd")))
    assert votes.tolist() == [[1.0, 2.0, NO_SCORE, 3.0]]


def test_strange_labels_are_refused():
    assert class_places(CLASSES, ["b"]).tolist() == [1]
    with pytest.raises(ValueError, match="the class 'z', which is not one of the classes"):
        class_places(CLASSES, ["a", "z"])
