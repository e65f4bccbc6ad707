import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_friedman1

import coterie
from coterie import PrunedEnsembleClassifier, PrunedEnsembleRegressor
from coterie.selection import NUMBER_ORDERS, ORDERS

X, Y = load_breast_cancer(return_X_y=True)
NAMES = np.array(["harmless", "tumour"])[Y]


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_prunes(order):
    bag = coterie.BaggingClassifier(n_estimators=25, random_state=0)
    model = PrunedEnsembleClassifier(bag, order=order, max_size=0.4, random_state=0)
    model.fit(X[::2], NAMES[::2])
    assert 1 <= model.size_ <= 10
    assert model.score(X[1::2], NAMES[1::2]) > 0.88
    assert model.classes_.tolist() == ["harmless", "tumour"]
    # As if the members were asked one by one.
    hands = np.mean([tree.predict_proba(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), hands)
    np.testing.assert_array_equal(model.predict(X), model.ensemble_.predict(X))


@pytest.mark.parametrize("order", NUMBER_ORDERS)
def test_every_order_prunes_numbers(order):
    X, y = make_friedman1(400, random_state=0)
    bag = coterie.BaggingRegressor(n_estimators=25, random_state=0)
    model = PrunedEnsembleRegressor(bag, order=order, max_size=0.4, random_state=0)
    model.fit(X[::2], y[::2])
    assert 1 <= model.size_ <= 10
    assert model.score(X[1::2], y[1::2]) > 0.6
    hands = np.mean([tree.predict(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict(X), hands)


def test_useless_members_are_left_out():
    # Half of the trees learn nothing: a chosen half is better than all.
    rng = np.random.default_rng(0)
    good = [coterie.DecisionTreeClassifier(max_depth=3, random_state=t) for t in range(6)]
    learn, judge, test = X[:200], X[200:400], X[400:]
    fitted = [tree.fit(learn, Y[:200]) for tree in good]
    noise = [
        coterie.DecisionTreeClassifier(random_state=t).fit(learn, rng.permutation(Y[:200]))
        for t in range(12)
    ]
    model = PrunedEnsembleClassifier(fitted + noise, prefit=True).fit(judge, Y[200:400])
    everyone = PrunedEnsembleClassifier(fitted + noise, size=1.0, prefit=True)
    everyone.fit(judge, Y[200:400])
    assert model.score(test, Y[400:]) > everyone.score(test, Y[400:]) + 0.02
    assert model.order_[0] < 6


def test_weights_of_rows_decide():
    # Members that know one class each; rows of the other weigh nearly nothing.
    rows = [np.flatnonzero(Y == 0), np.flatnonzero(Y == 1)]
    always = [coterie.DecisionTreeClassifier().fit(X[some], Y[some]) for some in rows]
    for k in (0, 1):
        weight = np.full(len(Y), 0.01)
        weight[rows[k]] = 1.0
        model = PrunedEnsembleClassifier(always, size=1, prefit=True).fit(X, Y, weight)
        assert model.members_.tolist() == [k]


def test_a_pool_that_knows_more_classes():
    forest = coterie.RandomForestClassifier(n_estimators=10, random_state=0).fit(X, Y)
    model = PrunedEnsembleClassifier(forest, size=4, prefit=True).fit(X[Y == 1], Y[Y == 1])
    assert model.classes_.tolist() == [0, 1]
    assert model.predict_proba(X).shape == (len(X), 2)
