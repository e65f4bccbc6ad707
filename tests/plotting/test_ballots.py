"""What members of any ensemble say: against asking them one by one."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor

from coterie import (
    GentleBoostClassifier,
    LogitBoostClassifier,
    NegativeCorrelationClassifier,
    RandomForestClassifier,
)
from coterie.plotting.ballots import ballot_of, called, pushes, soft_vote
from tests.plotting.pictures import fitted, rows


@pytest.mark.parametrize("ensemble", ["forest of scikit-learn", "AdaBoost of scikit-learn"])
def test_members_are_asked_one_by_one(ensemble):
    model, (X, _) = fitted(ensemble), rows("test")
    ballot = ballot_of(model, X)
    said = np.stack([member.predict(X) for member in model.estimators_])
    said = said if said.dtype.kind == "U" else model.classes_[said.astype(int)]
    np.testing.assert_array_equal(ballot.labels, said)
    np.testing.assert_array_equal(ballot.vote, model.predict(X))
    assert ballot.name == type(model).__name__


def test_members_that_see_some_columns():
    X, y = load_iris(return_X_y=True)
    names = np.array(["x", "y", "z"])[y]
    model = BaggingClassifier(n_estimators=4, max_features=2, random_state=0).fit(X, names)
    said = [
        model.classes_[member.predict(X[:, columns])]
        for member, columns in zip(model.estimators_, model.estimators_features_, strict=True)
    ]
    np.testing.assert_array_equal(ballot_of(model, X).labels, said)


def test_members_of_gradient_boosters_vote_for_what_they_raise():
    X, y = load_iris(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=3, init="zero").fit(X, y)
    raised = np.stack([[tree.predict(X) for tree in round_] for round_ in model.estimators_])
    assert pushes(model)
    np.testing.assert_array_equal(ballot_of(model, X).labels, raised.argmax(axis=1))
    two = GradientBoostingClassifier(n_estimators=3, init="zero").fit(X, y == 1)
    up = np.stack([round_[0].predict(X) > 0 for round_ in two.estimators_])
    np.testing.assert_array_equal(ballot_of(two, X).labels, up)


@pytest.mark.parametrize("booster", [LogitBoostClassifier, GentleBoostClassifier])
def test_members_that_move_scores_vote_for_what_they_raise(booster):
    X, y = load_iris(return_X_y=True)
    model = booster(n_estimators=1).fit(X, y)
    (said,) = ballot_of(model, X).said
    np.testing.assert_array_equal(said.argmax(axis=1), model.decision_function(X).argmax(axis=1))


def test_lists_vote_by_plurality():
    X, _ = rows("test")
    models = fitted("named list")
    ballot = ballot_of(models, X)
    said = np.stack([model.predict(X) for _, model in models])
    np.testing.assert_array_equal(ballot.labels, said)
    for labels, vote in zip(said.T, ballot.vote, strict=True):
        values, counts = np.unique(labels, return_counts=True)
        assert vote == values[counts.argmax()]
    assert (ballot.name, ballot.hard) == ("3 models", True)
    chances, classes = soft_vote(models, X)
    np.testing.assert_allclose(chances, np.mean([m.predict_proba(X) for _, m in models], axis=0))
    assert classes.tolist() == ["se", "ve", "vi"]


def test_numbers():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(3, random_state=0).fit(X, y)
    ballot = ballot_of(forest, X)
    np.testing.assert_allclose(ballot.labels, [tree.predict(X) for tree in forest.estimators_])
    np.testing.assert_allclose(list(ballot.staged())[-1], forest.predict(X))
    models = [LinearRegression().fit(X, y), DecisionTreeRegressor(max_depth=2).fit(X, y)]
    mean = np.mean([model.predict(X) for model in models], axis=0)
    np.testing.assert_allclose(ballot_of(models, X).vote, mean)
    with pytest.raises(TypeError, match="Pass classifiers"):
        soft_vote(models, X)


@pytest.mark.slow
def test_weights_and_hard_votes():
    X, _ = rows("test")
    soft = ballot_of(fitted("probabilities of scikit-learn"), X)
    assert soft.weights.tolist() == [1, 2, 2]
    assert not soft.hard
    assert soft.counted() is soft.said
    hard = ballot_of(fitted("votes of scikit-learn"), X)
    assert hard.hard
    np.testing.assert_array_equal(hard.counted().sum(axis=2), 1)
    assert called(fitted("forest")) == "RandomForestClassifier"


def test_a_data_frame():
    pandas = pytest.importorskip("pandas")
    X, y = rows("train")
    frame = pandas.DataFrame(X, columns=["width", "length"])
    model = RandomForestClassifier(3, random_state=0).fit(frame, y)
    assert ballot_of(model, frame).labels.shape == (3, 75)
    named = [GaussianNB().fit(frame, y)]
    np.testing.assert_array_equal(ballot_of(named, frame).labels[0], named[0].predict(frame))


def test_refusals():
    X, _ = rows("test")
    with pytest.raises(NotFittedError):
        ballot_of([GaussianNB()], X)
    with pytest.raises(NotFittedError):
        ballot_of(RandomForestClassifier(), X)
    with pytest.raises(ValueError, match="list is empty"):
        ballot_of([], X)


@pytest.mark.slow
def test_members_that_are_no_estimators_are_asked_as_a_pool():
    X, y = load_iris(return_X_y=True)
    model = NegativeCorrelationClassifier(n_members=3, random_state=0).fit(X, y)
    ballot = ballot_of(model, X)
    assert ballot.said.shape == (3, 150, 3)
    np.testing.assert_array_equal(ballot.vote, model.predict(X))
