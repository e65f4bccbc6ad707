"""Which learner fits a member, and what cannot be one."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Perceptron
from sklearn.naive_bayes import GaussianNB

from coterie import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.boosting.learner import member_learner
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
