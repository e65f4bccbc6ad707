import numpy as np
import pytest
from sklearn.datasets import make_moons

from coterie import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    TwiceLearningClassifier,
    TwiceLearningRegressor,
)
from coterie.data import Table
from coterie.interpretation.teaching import agreement, unseen_votes


def test_unseen_votes_are_out_of_bag_votes():
    X, y = make_moons(80, noise=0.3, random_state=0)
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    said = forest.predict_proba(X)
    votes = unseen_votes(forest, Table.read(X), said, np.arange(80))
    np.testing.assert_allclose(votes, forest.oob_features(X))
    # A row that was given twice is seen if its twin is.
    twins = np.repeat(np.arange(40), 2)
    forest.fit(X[twins], y[twins])
    said = forest.predict_proba(X[twins])
    votes = unseen_votes(forest, Table.read(X[twins]), said, twins)
    np.testing.assert_allclose(votes[::2], votes[1::2])
    free = forest.bags_.outside().reshape(40, 2, -1).all(axis=1)
    each = np.stack([tree.predict_proba(X[:40]) for tree in forest.estimators_])
    wanted = np.average(each[:, 3], axis=0, weights=free[3])
    np.testing.assert_allclose(votes[6], wanted)


def test_teachers_without_bags_say_what_they_say():
    X, y = make_moons(60, noise=0.3, random_state=0)
    table = Table.read(X)
    for teacher in (AdaBoostClassifier(n_estimators=5), DecisionTreeClassifier()):
        said = teacher.fit(X, y).predict_proba(X)
        assert unseen_votes(teacher, table, said, np.arange(60)) is said


def test_agreement():
    chances = np.array([[0.2, 0.8], [0.6, 0.4], [0.9, 0.1]])
    assert agreement(chances, chances[::-1], "classification") == pytest.approx(1 / 3)
    numbers = np.array([[0.0], [1.0], [2.0]])
    assert agreement(numbers, numbers, "regression") == 1.0
    assert agreement(np.ones((3, 1)), numbers, "regression") == 0.0


def test_a_fitted_teacher_may_know_more_classes():
    X, y = make_moons(90, noise=0.1, random_state=0)
    y = y + (X[:, 0] > 1.5)
    teacher = RandomForestClassifier(20, random_state=0).fit(X, y)
    few = y < 2
    model = TwiceLearningClassifier(teacher, prefit=True, mu=2, random_state=0)
    model.fit(X[few], y[few])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X).shape == (90, 3)
    assert model.predict_proba(X)[:, 2].max() > 0  # the teacher has doubts near its third class


def test_teachers_that_cannot_teach():
    X, y = make_moons(30, random_state=0)
    with pytest.raises(TypeError, match="is not a classifier"):
        TwiceLearningClassifier(RandomForestRegressor()).fit(X, y)
    with pytest.raises(TypeError, match="is not a regressor"):
        TwiceLearningRegressor(RandomForestClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="needs a fitted teacher"):
        TwiceLearningClassifier(prefit=True).fit(X, y)
