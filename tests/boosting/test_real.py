"""Real AdaBoost: published values, identities of every round, SAMME.R."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from coterie import DecisionTreeClassifier
from coterie.boosting.adaboost import AdaBoostClassifier
from coterie.boosting.real import RealAdaBoostClassifier
from tests.boosting.points import TEN_X, TEN_Y, iris_pair

TINY = 1e-16


def test_iris_pair():
    X, y = iris_pair()
    model = RealAdaBoostClassifier(n_estimators=3, smoothing=TINY).fit(X, y)
    np.testing.assert_allclose(
        model.trace_["normaliser"], [0.447214, 0.564027, 0.718018], atol=1e-6
    )
    assert model.trace_["bound"][-1] == pytest.approx(0.181113, abs=1e-6)
    scores = model.decision_function(X)[[0, 20, 50]]
    np.testing.assert_allclose(scores, [2.440486, -0.604036, -3.148309], atol=1e-6)


@pytest.mark.slow
def test_every_round():
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = RealAdaBoostClassifier(n_estimators=25, smoothing=TINY, trace="weights")
    model.fit(X, y, weight)
    initial, signs = weight / weight.sum(), 2 * y - 1
    np.testing.assert_allclose(model.trace_.weights[0], initial)
    stages = model.staged_decision_function(X)
    for t, (D, F) in enumerate(zip(model.trace_.weights, stages, strict=True)):
        leaves = model.estimators_[t].apply(X)
        plus = [D[(leaves == leaf) & (y == 1)].sum() for leaf in np.unique(leaves)]
        minus = [D[(leaves == leaf) & (y == 0)].sum() for leaf in np.unique(leaves)]
        Z = model.trace_["normaliser"][t]
        assert pytest.approx(2 * np.sqrt(np.multiply(plus, minus)).sum(), rel=1e-6) == Z
        error = np.minimum(plus, minus).sum()
        assert model.trace_["error"][t] == pytest.approx(error, abs=1e-9)
        assert 2 * np.sqrt(error * (1 - error)) + 1e-12 >= Z
        loss = initial @ np.exp(-signs * F)
        assert model.trace_["loss"][t] == pytest.approx(loss, rel=1e-9)
        assert model.trace_["bound"][t] == pytest.approx(loss, rel=1e-9)
        assert model.trace_["train_error"][t] <= loss
        if t + 1 < len(model.trace_.weights):
            following = initial * np.exp(-signs * F)
            np.testing.assert_allclose(model.trace_.weights[t + 1], following / following.sum())


def test_loss_is_no_more_than_that_of_adaboost():
    X, y = load_breast_cancer(return_X_y=True)
    real = RealAdaBoostClassifier(n_estimators=1, smoothing=TINY).fit(X, y)
    discrete = AdaBoostClassifier(n_estimators=1).fit(X, y)
    assert real.trace_["loss"][0] < discrete.trace_["loss"][0]


def test_probabilities_are_the_link_of_the_score():
    X, y = load_breast_cancer(return_X_y=True)
    model = RealAdaBoostClassifier(n_estimators=9).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], expit(2 * model.decision_function(X)), rtol=1e-12
    )


def test_smoothing_bounds_the_vote():
    strong, weak = (
        RealAdaBoostClassifier(n_estimators=1, smoothing=s)
        .fit(TEN_X, TEN_Y)
        .decision_function(TEN_X)
        for s in (1e-9, 0.1)
    )
    # The left leaf of the first split holds only the two first points.
    assert strong[0] == pytest.approx(0.5 * np.log((1 + 1e-9) / 1e-9))
    assert weak[0] == pytest.approx(0.5 * np.log(1.1 / 0.1))


def test_learning_rate_scales_every_vote():
    X, y = load_breast_cancer(return_X_y=True)
    full, half = (
        RealAdaBoostClassifier(n_estimators=1, learning_rate=rate).fit(X, y) for rate in (1.0, 0.5)
    )
    np.testing.assert_allclose(half.decision_function(X), full.decision_function(X) / 2)


def test_pure_leaves_end_boosting():
    X = np.arange(8.0)[:, None]
    model = RealAdaBoostClassifier().fit(X, X[:, 0] > 3)
    assert (model.n_rounds_, model.stop_reason_) == (1, "perfect")


def test_members_that_are_too_sure_are_kept():
    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier()
    model = RealAdaBoostClassifier(tree, n_estimators=10, subsample=0.5, random_state=0).fit(X, y)
    # Each is certain of rows it has not seen, and sometimes wrong.
    assert model.trace_["normaliser"].max() > 1
    assert model.n_rounds_ > 1
    assert model.score(X, y) > 0.95


def test_nothing_to_learn():
    model = RealAdaBoostClassifier().fit(np.zeros((6, 1)), [0, 0, 0, 1, 1, 1])
    assert (model.n_rounds_, model.stop_reason_) == (0, "too_weak")
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 1))), [[0.5, 0.5]])
    three = RealAdaBoostClassifier().fit(np.zeros((8, 1)), [0, 0, 0, 0, 1, 1, 2, 2])
    np.testing.assert_allclose(
        three.predict_proba(np.zeros((1, 1))), [[0.5, 0.25, 0.25]], rtol=1e-2
    )


def samme_r(X, y, proba, rounds, p_min):
    """SAMME.R from its definition; `proba` fits and predicts under weights."""
    K = len(np.unique(y))
    code = np.where(np.eye(K)[y] == 1, 1.0, -1 / (K - 1))
    D, F, errors = np.full(len(y), 1 / len(y)), np.zeros((len(y), K)), []
    for _ in range(rounds):
        p = proba(X, y, D)
        errors.append(D[p.argmax(axis=1) != y].sum())
        log = np.log(np.clip(p, p_min, None))
        F += (K - 1) * (log - log.mean(axis=1, keepdims=True))
        D = D * np.exp(-(K - 1) / K * (code * log).sum(axis=1))
        D /= D.sum()
    return errors, F


def test_iris_as_samme_r():
    X, y = load_iris(return_X_y=True)
    stump = DecisionTreeClassifier(max_depth=1)
    model = RealAdaBoostClassifier(stump, n_estimators=6, smoothing=np.finfo(float).eps).fit(X, y)
    published = [0.333333, 0.060002, 0.333355, 0.120397, 0.333354, 0.000246]
    np.testing.assert_allclose(model.trace_["error"], published, atol=1e-6)


@pytest.mark.slow
def test_many_classes_follow_the_definition():
    X, y = load_digits(n_class=5, return_X_y=True)

    def proba(X, y, D):
        return GaussianNB(var_smoothing=0.1).fit(X, y, D * len(y)).predict_proba(X)

    model = RealAdaBoostClassifier(GaussianNB(var_smoothing=0.1), n_estimators=4, smoothing=TINY)
    model.fit(X, y)
    errors, scores = samme_r(X, y, proba, 4, TINY)
    np.testing.assert_allclose(model.trace_["error"], errors, atol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(model.decision_function(X).sum(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(
        model.predict_proba(X), softmax(model.decision_function(X) / 4, axis=1), atol=1e-12
    )


def test_two_classes_are_samme_r_of_two():
    X, y = load_breast_cancer(return_X_y=True)

    def proba(X, y, D):
        tree = DecisionTreeClassifier(max_depth=2, min_samples_leaf=20, max_bins=999)
        return tree.fit(X, y, D * len(y)).predict_proba(X)

    tree = DecisionTreeClassifier(max_depth=2, min_samples_leaf=20, max_bins=999)
    model = RealAdaBoostClassifier(tree, n_estimators=3, smoothing=TINY, max_bins=999).fit(X, y)
    errors, scores = samme_r(X, y, proba, 3, TINY)
    np.testing.assert_allclose(model.trace_["error"], errors, atol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), scores[:, 1], rtol=1e-6)


def test_members_of_other_kinds():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    member = LogisticRegression(C=1e-3)
    model = RealAdaBoostClassifier(member, n_estimators=5).fit(X, y)
    assert model.score(X, y) >= member.fit(X, y).score(X, y)
