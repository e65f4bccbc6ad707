"""MadaBoost: the worked example, capped weights, probabilities."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_iris

from coterie.boosting.adaboost import AdaBoostClassifier
from coterie.boosting.mada import MadaBoostClassifier
from coterie.losses import MARGIN_LOSSES
from tests.boosting.points import TEN_X, TEN_Y, error_stump


def test_ten_points():
    model = MadaBoostClassifier(error_stump(), n_estimators=4).fit(TEN_X, TEN_Y)
    errors, alphas = [0.3, 0.259010, 0.159991, 0.216493], [0.423649, 0.525561, 0.829146, 0.643110]
    np.testing.assert_allclose(model.estimator_errors_, errors, atol=1e-6)
    np.testing.assert_allclose(model.estimator_weights_, alphas, atol=1e-6)
    mass = [0.758258, 0.725751, 0.546165]
    np.testing.assert_allclose(model.trace_["mass"][:3], mass, atol=1e-6)
    votes = np.array([tree.predict(TEN_X) for tree in model.estimators_])
    wrong = [np.flatnonzero(vote != TEN_Y).tolist() for vote in votes]
    assert wrong == [[2, 3, 4], [5, 6, 7], [0, 1, 8], [2, 3, 4]]


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_every_round(load):
    X, y = load(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = MadaBoostClassifier(n_estimators=20, trace="weights").fit(X, y, weight)
    initial, K = weight / weight.sum(), len(np.unique(y))
    np.testing.assert_allclose(model.trace_.weights[0], initial)
    for t, F in enumerate(model.staged_decision_function(X)):
        margin = (2 * y - 1) * F if K == 2 else F[np.arange(len(y)), y] * (K - 1) / K
        capped = initial * np.minimum(1, np.exp(-margin))
        assert model.trace_["mass"][t] == pytest.approx(capped.sum())
        loss = initial @ MARGIN_LOSSES["madaboost"].value(margin)
        assert model.trace_["loss"][t] == pytest.approx(loss)
        if t + 1 < model.n_rounds_:
            np.testing.assert_allclose(model.trace_.weights[t + 1], capped / capped.sum())
    assert model.n_rounds_ > 3


def test_first_round_is_that_of_adaboost():
    X, y = load_breast_cancer(return_X_y=True)
    mada, ada = (cls(n_estimators=1).fit(X, y) for cls in (MadaBoostClassifier, AdaBoostClassifier))
    np.testing.assert_array_equal(mada.decision_function(X), ada.decision_function(X))


def test_mislabelled_rows_do_not_take_over():
    X, y = load_breast_cancer(return_X_y=True)
    noisy = y.copy()
    noisy[::10] = 1 - noisy[::10]
    mada, ada = (
        cls(n_estimators=30, trace="weights").fit(X, noisy)
        for cls in (MadaBoostClassifier, AdaBoostClassifier)
    )
    assert mada.trace_.weights[-1].max() < ada.trace_.weights[-1].max()


def test_ends_when_all_rows_are_beyond_the_margin():
    X, y = load_breast_cancer(return_X_y=True)
    model = MadaBoostClassifier(n_estimators=500, min_mass=0.05).fit(X, y)
    assert model.stop_reason_ == "no_improvement"
    assert model.trace_["mass"][-1] <= 0.05 < model.trace_["mass"][-2]


def test_probabilities_have_factor_one():
    X, y = load_breast_cancer(return_X_y=True)
    model = MadaBoostClassifier(n_estimators=9).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], expit(model.decision_function(X)), rtol=1e-12
    )
    X, y = load_iris(return_X_y=True)
    model = MadaBoostClassifier(n_estimators=9).fit(X, y)
    chance = model.predict_proba(X)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    np.testing.assert_array_equal(chance.argmax(axis=1), model.predict(X))


def test_policies_for_a_perfect_member_are_those_of_adaboost():
    X = np.arange(8.0)[:, None]
    y = X[:, 0] > 3
    assert MadaBoostClassifier().fit(X, y).stop_reason_ == "perfect"
    assert MadaBoostClassifier(perfect="restart", n_estimators=5).fit(X, y).n_rounds_ > 1
