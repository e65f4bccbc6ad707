import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier

from coterie import DecisionTreeClassifier
from coterie.boosting import AdaBoostClassifier

X, Y = load_iris(return_X_y=True)


def test_members_are_fitted_trees_with_the_labels_of_the_booster():
    names = np.array(["se", "ve", "vi"])[Y]
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=4).fit(X, names)
    members = model.estimators_
    assert len(members) == 4
    assert "4 fitted DecisionTreeClassifier" in repr(members)
    tree = members[-1]
    assert tree.get_depth() == 2
    assert tree.tree_.node_count == 7 or tree.tree_.node_count == 5
    assert set(tree.predict(X)) <= set(names)
    assert tree.predict_proba(X).shape == (150, 3)
    assert len(members[1:3]) == 2
    with pytest.raises(IndexError):
        members[4]


def test_the_vote_of_a_member_is_its_prediction():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    votes = model.pool_.votes(model._admit(X))
    for vote, member in zip(votes, model.estimators_, strict=True):
        np.testing.assert_array_equal(vote.argmax(axis=1), member.predict(X))
        np.testing.assert_allclose(vote.sum(axis=1), 0, atol=1e-12)


def test_members_have_seeds_of_their_own():
    X, y = load_iris(return_X_y=True)
    for seed in (None, 0):
        model = AdaBoostClassifier(n_estimators=5, random_state=seed).fit(X, y)
        assert len({member.random_state for member in model.estimators_}) == 5


def test_rows_that_are_no_table_go_to_members():
    cubes = np.random.default_rng(0).normal(size=(40, 3, 3))
    y = np.arange(40) % 2
    model = AdaBoostClassifier(DummyClassifier(strategy="most_frequent")).fit(cubes, y)
    assert model.predict_proba(cubes).shape == (40, 2)
