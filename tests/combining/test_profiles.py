"""What there is to learn from."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from coterie import DecisionTemplatesClassifier
from coterie.combining.folds import Rowset, Unseen
from coterie.combining.profiles import LevelOneData
from coterie.data import Table, Target


def test_only_rows_that_all_have_spoken_of():
    rows = Rowset(
        Table.read(np.ones((3, 1))), Target.labels(["a", "b", "a"]), np.array([1.0, 2, 3])
    )
    values = (np.eye(2)[[0, 1, 0]], np.eye(2)[[0, 0, 0]])
    level_one = LevelOneData.of(rows, Unseen(values, np.array([True, True, False])))
    assert level_one.profile.shape == (2, 2, 2)
    assert level_one.truth.tolist() == [0, 1]
    assert level_one.weight.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("weight", "counts"),
    [(None, [1, 1]), ([1.0, 3.0], [1, 3]), ([0.5, 1.5], [0.5, 1.5]), ([1e6, 3e6], [0.5, 1.5])],
)
def test_weights_are_repetitions_or_importances(weight, counts):
    weight = None if weight is None else np.array(weight)
    level_one = LevelOneData(np.zeros((1, 2, 2)), np.zeros(2), weight)
    np.testing.assert_allclose(level_one.counts(), counts)


def test_members_without_probabilities_vote():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] > 0
    model = DecisionTemplatesClassifier([("ridge", RidgeClassifier()), ("bayes", GaussianNB())])
    assert model.fit(X, y).score(X, y) > 0.9
    assert [seat.method for seat in model.pool_.members] == ["predict", "predict_proba"]
