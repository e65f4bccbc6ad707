"""Which learner fits a member, and what cannot be one."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Perceptron
from sklearn.naive_bayes import GaussianNB

from coterie import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.boosting import (
    AdaBoostClassifier,
    AdaBoostM2Classifier,
    BoostByFilteringClassifier,
    CostSensitiveBoostClassifier,
    MadaBoostClassifier,
    MultiBoostClassifier,
    RealAdaBoostClassifier,
)
from coterie.boosting.learner import member_bins, member_learner
from coterie.core import ParameterError
from coterie.data import Table, Target
from coterie.learners import ForeignLearner, TreeLearner

TABLE = Table.read(np.arange(8.0).reshape(4, 2)).bin()
LABELS = Target.labels([0, 1, 0, 1])
NUMBERS = Target.numbers([0.5, 1.0, 2.0, 4.0])


def test_native_trees_grow_on_bins():
    tree = DecisionTreeClassifier(max_depth=2, min_weight_fraction_leaf=0.1, ccp_alpha=0.5)
    learner = member_learner("me", tree, "label", TABLE, LABELS, 2)
    assert isinstance(learner, TreeLearner)
    assert (learner.growth.max_depth, learner.growth.criterion) == (2, "gini")
    assert (learner.min_weight_fraction, learner.ccp_alpha, learner.n_threads) == (0.1, 0.5, 2)
    # Members that give numbers learn from others than labels.
    regression = member_learner("me", DecisionTreeRegressor(), "score", TABLE, LABELS)
    assert regression.growth.criterion == "squared_error"


def test_others_are_cloned():
    member = GaussianNB()
    assert member_learner("me", member, "proba", TABLE, LABELS) == ForeignLearner(
        member, "predict_proba"
    )
    linear = LinearRegression()
    assert member_learner("me", linear, "score", TABLE, NUMBERS) == ForeignLearner(
        linear, "predict"
    )


@pytest.mark.parametrize(
    ("member", "gives", "target", "message"),
    [
        (DecisionTreeRegressor(), "label", LABELS, "me cannot.*DecisionTreeClassifier"),
        (DecisionTreeClassifier(), "score", LABELS, "me cannot.*DecisionTreeRegressor"),
        (DecisionTreeClassifier(), "score", NUMBERS, "predict numbers"),
        (Perceptron(), "proba", LABELS, "me needs members with predict_proba"),
    ],
)
def test_what_cannot_be_a_member(member, gives, target, message):
    with pytest.raises(ValueError, match=message):
        member_learner("me", member, gives, TABLE, target)


@pytest.mark.parametrize(
    "booster", [AdaBoostClassifier, MultiBoostClassifier, BoostByFilteringClassifier]
)
def test_the_max_bins_of_a_member_is_used(booster):
    X = np.random.default_rng(0).normal(size=(300, 2))
    y = (X[:, 0] > 0.3).astype(int)
    coarse = DecisionTreeClassifier(max_depth=1, max_bins=4)
    own = booster(coarse, random_state=0).fit(X, y)
    shared = booster(DecisionTreeClassifier(max_depth=1), max_bins=4, random_state=0).fit(X, y)
    fine = booster(DecisionTreeClassifier(max_depth=1), random_state=0).fit(X, y)
    np.testing.assert_array_equal(own.predict_proba(X), shared.predict_proba(X))
    assert not np.array_equal(own.predict_proba(X), fine.predict_proba(X))
    with pytest.raises(ParameterError, match="max_bins=8 of .* contradicts max_bins=4 of its"):
        booster(coarse, max_bins=8).fit(X, y)


def test_whose_max_bins_counts():
    assert member_bins("me", 64, DecisionTreeClassifier()) == 64
    assert member_bins("me", 64, DecisionTreeClassifier(max_bins=64)) == 64
    assert member_bins("me", 255, DecisionTreeRegressor(max_bins=64)) == 64


@pytest.mark.parametrize(
    ("cls", "least"),
    [
        (MultiBoostClassifier, 0.8),
        (RealAdaBoostClassifier, 0.8),
        (AdaBoostM2Classifier, 0.8),
        (MadaBoostClassifier, 0.6),
        (CostSensitiveBoostClassifier, 0.6),
    ],
)
def test_default_members_tell_many_classes_apart(real_table, cls, least):
    """Stumps do not: of 19 diseases of soybeans, boosted stumps recognise one row in three."""
    X, y = real_table("soybean")
    model = cls(random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > least
    assert model.estimator_.max_depth >= 6
    two = cls(random_state=0).fit(X, y < 3)
    assert two.estimator_.max_depth == (3 if cls is MultiBoostClassifier else 1)
