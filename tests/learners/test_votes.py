import numpy as np

from coterie.learners.votes import votes_of_labels, votes_of_probabilities

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
