"""GentleBoost: published values, identities of every round, pairs of row and class."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from coterie import DecisionTreeRegressor
from coterie.boosting.gentle import GentleBoostClassifier
from tests.boosting.points import TEN_X, TEN_Y, iris_pair


def test_iris_pair():
    X, y = iris_pair()
    model = GentleBoostClassifier(n_estimators=3).fit(X, y)
    published = [0.220611916264090, 0.327133481554914, 0.606925714189402]
    np.testing.assert_allclose(model.estimator_errors_, published, rtol=1e-12)
    scores = [2.112004327552702, -0.903893073252190, -2.537346885979990]
    np.testing.assert_allclose(model.decision_function(X)[[0, 20, 50]], scores, rtol=1e-12)


def test_ten_points():
    model = GentleBoostClassifier(n_estimators=2, trace="weights").fit(TEN_X, TEN_Y)
    first = next(model.staged_decision_function(TEN_X))
    np.testing.assert_allclose(first, [1, 1] + [-0.25] * 8)
    following = [0.043373] * 2 + [0.151385] * 3 + [0.091820] * 5
    np.testing.assert_allclose(model.trace_.weights[1], following, atol=1e-6)


@pytest.mark.slow
def test_every_round():
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = GentleBoostClassifier(n_estimators=25, trace="weights").fit(X, y, weight)
    initial, signs = weight / weight.sum(), 2 * y - 1
    D, before = initial, np.zeros(len(y))
    for t, F in enumerate(model.staged_decision_function(X)):
        np.testing.assert_allclose(model.trace_.weights[t], D)
        f = F - before
        assert np.abs(f).max() <= 1 + 1e-12
        for leaf in np.unique(model.estimators_[t].apply(X)):
            rows = model.estimators_[t].apply(X) == leaf
            np.testing.assert_allclose(f[rows], D[rows] @ signs[rows] / D[rows].sum())
        assert model.trace_["error"][t] == pytest.approx(D @ (signs - f) ** 2)
        loss = initial @ np.exp(-signs * F)
        assert model.trace_["loss"][t] == pytest.approx(loss)
        assert model.trace_["bound"][t] == pytest.approx(loss)
        assert model.trace_["train_error"][t] <= loss
        D, before = initial * np.exp(-signs * F), F
        D /= D.sum()
    assert (np.diff(model.trace_["loss"]) <= 0).all()


def test_probabilities_are_the_link_of_the_score():
    X, y = load_breast_cancer(return_X_y=True)
    model = GentleBoostClassifier(n_estimators=9, learning_rate=0.3).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], expit(2 * model.decision_function(X)), rtol=1e-12
    )


def test_many_classes_are_pairs():
    X, y = load_iris(return_X_y=True)
    model = GentleBoostClassifier(n_estimators=4, trace="weights").fit(X, y)
    signs = 2.0 * np.eye(3)[y] - 1
    F, D = np.zeros((150, 3)), np.full((150, 3), 1 / 450)
    for t, scores in enumerate(model.staged_decision_function(X)):
        np.testing.assert_allclose(model.trace_.weights[t], D)
        for k in range(3):
            stump = DecisionTreeRegressor(max_depth=1).fit(X, signs[:, k], D[:, k])
            F[:, k] += stump.predict(X)
        np.testing.assert_allclose(scores, F, rtol=1e-9)
        D = np.exp(-signs * F)
        assert model.trace_["loss"][t] == pytest.approx(D.mean())
        D /= D.sum()
    chance = expit(2 * F)
    np.testing.assert_allclose(model.predict_proba(X), chance / chance.sum(axis=1, keepdims=True))


@pytest.mark.slow
def test_digits():
    X, y = load_digits(return_X_y=True)
    model = GentleBoostClassifier(DecisionTreeRegressor(max_depth=3), n_estimators=20)
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    assert model.decision_function(X[:3]).shape == (3, 10)


def test_nothing_to_learn():
    model = GentleBoostClassifier().fit(np.zeros((6, 1)), [0, 0, 0, 1, 1, 1])
    assert (model.n_rounds_, model.stop_reason_) == (0, "too_weak")
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 1))), [[0.5, 0.5]])


def test_ends_when_one_row_holds_all_weight():
    # The twins disagree, so whichever is wrong gains weight in every round.
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = GentleBoostClassifier(n_estimators=500)
    model.fit(X, [0, 0, 1, 1], sample_weight=[1, 1e-13, 1e-13, 1e-13])
    assert model.stop_reason_ == "no_improvement"
    assert model.n_rounds_ == 1


@pytest.mark.parametrize("member", [Ridge(alpha=100.0), KNeighborsRegressor(15)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_members_of_other_kinds(member, n_classes):
    X, y = load_iris(return_X_y=True)
    rows = y < n_classes
    model = GentleBoostClassifier(member, n_estimators=8, random_state=0).fit(X[rows], y[rows])
    assert model.score(X[rows], y[rows]) > 0.8


def test_a_classifier_is_no_member():
    from coterie import DecisionTreeClassifier

    with pytest.raises(ValueError, match="DecisionTreeRegressor"):
        GentleBoostClassifier(DecisionTreeClassifier()).fit(TEN_X, TEN_Y)
