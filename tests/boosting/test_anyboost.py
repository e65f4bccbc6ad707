"""AnyBoost: AdaBoost as a case of it, the line search, losses of the user."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression

from coterie import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.boosting.adaboost import AdaBoostClassifier
from coterie.boosting.anyboost import AnyBoostClassifier, margin_loss
from coterie.losses import MARGIN_LOSSES, FunctionLoss, Logistic
from tests.boosting.points import SEVEN_X, SEVEN_Y, TEN_X, TEN_Y, error_stump, iris_pair

CONVEX = [name for name, loss in MARGIN_LOSSES.items() if loss.convex]
MONOTONE = ["exponential", "logistic", "logistic1", "madaboost", "squared_hinge", "savage"]


def check_same(first, second, X):
    np.testing.assert_allclose(first.estimator_errors_, second.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(first.estimator_weights_, second.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(
        first.decision_function(X), second.decision_function(X), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(first.predict_proba(X), second.predict_proba(X), rtol=1e-9)
    assert first.stop_reason_ == second.stop_reason_


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.5, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_exponential_loss_is_adaboost(rate, weighted):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else None
    check_same(
        AnyBoostClassifier(loss="exponential", learning_rate=rate).fit(X, y, weight),
        AdaBoostClassifier(learning_rate=rate).fit(X, y, weight),
        X,
    )


def test_exponential_loss_is_adaboost_on_the_worked_examples():
    for X, y in ((TEN_X, TEN_Y), (SEVEN_X, SEVEN_Y), iris_pair()):
        stump = error_stump() if len(X) == 10 else None
        any_, ada = (
            cls(stump, n_estimators=9, **own).fit(X, y)
            for cls, own in (
                (AnyBoostClassifier, {"loss": "exponential"}),
                (AdaBoostClassifier, {}),
            )
        )
        check_same(any_, ada, X)


def test_perfect_member_is_that_of_adaboost():
    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier()
    any_ = AnyBoostClassifier(tree, loss="exponential", random_state=0).fit(X, y)
    check_same(any_, AdaBoostClassifier(tree, random_state=0).fit(X, y), X)
    assert any_.stop_reason_ == "perfect"


def test_numerical_slopes_will_do():
    X, y = iris_pair()
    own, pair, named = (
        AnyBoostClassifier(loss=loss, n_estimators=10).fit(X, y)
        for loss in (
            lambda z: np.exp(-z),
            (lambda z: np.exp(-z), lambda z: -np.exp(-z)),
            "exponential",
        )
    )
    np.testing.assert_allclose(pair.estimator_weights_, named.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(own.estimator_weights_, named.estimator_weights_, rtol=1e-6)


@pytest.mark.parametrize("name", MONOTONE)
def test_next_weights_leave_the_member_no_edge(name):
    X, y = load_breast_cancer(return_X_y=True)
    model = AnyBoostClassifier(loss=name, n_estimators=12, trace="weights").fit(X, y)
    assert model.n_rounds_ == 12
    for t in range(11):
        right = np.where(model.estimators_[t].predict(X) == y, 1.0, -1.0)
        assert model.trace_.weights[t + 1] @ right == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", [n for n in MARGIN_LOSSES if n != "exponential"])
def test_every_round(name):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = AnyBoostClassifier(loss=name, n_estimators=8, trace="weights").fit(X, y, weight)
    loss, initial, signs = MARGIN_LOSSES[name], weight / weight.sum(), 2 * y - 1
    F = np.zeros(len(y))
    for t, scores in enumerate(model.staged_decision_function(X)):
        pull = -initial * loss.slope(signs * F)
        np.testing.assert_allclose(
            model.trace_.weights[t], np.abs(pull) / np.abs(pull).sum(), atol=1e-12
        )
        F = scores
        assert model.trace_["loss"][t] == pytest.approx(initial @ loss.value(signs * F))
    np.testing.assert_array_equal(model.predict(X), (F > 0).astype(int))


@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("rate", [0.3, 1.0])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_convex_loss_never_rises(name, rate, load):
    X, y = load(return_X_y=True)
    model = AnyBoostClassifier(loss=name, n_estimators=20, learning_rate=rate).fit(X, y)
    assert (np.diff(model.trace_["loss"]) <= 1e-15).all()
    assert model.score(X, y) > 0.9


def test_labels_are_turned_where_the_loss_rises():
    X, y = load_breast_cancer(return_X_y=True)
    model = AnyBoostClassifier(loss="tangent", n_estimators=15).fit(X, y)
    margin = np.abs(model.decision_function(X))
    # Beyond tan(1/2) a margin is too large for this loss; without turning it would only grow.
    assert np.median(margin) == pytest.approx(np.tan(0.5), abs=0.3)
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize("name", [n for n in MARGIN_LOSSES if n != "sigmoid"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_probabilities_are_the_link_of_the_loss(name, load):
    X, y = load(return_X_y=True)
    model = AnyBoostClassifier(loss=name, n_estimators=10).fit(X, y)
    chance = model.predict_proba(X)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    linked = MARGIN_LOSSES[name].link(model.decision_function(X))
    if linked.ndim == 1:
        np.testing.assert_allclose(chance[:, 1], linked, rtol=1e-12)
    else:
        known = linked.sum(axis=1) > 0
        expected = linked[known] / linked[known].sum(axis=1, keepdims=True)
        np.testing.assert_allclose(chance[known], expected, rtol=1e-12)


def test_no_probabilities_without_a_link():
    X, y = iris_pair()
    for loss in ("sigmoid", lambda z: np.exp(-z)):
        model = AnyBoostClassifier(loss=loss, n_estimators=3).fit(X, y)
        assert model.score(X, y) > 0.9
        assert not hasattr(model, "predict_proba")
        assert not hasattr(model, "predict_log_proba")
        with pytest.raises(ValueError, match="does not provide probabilities"):
            next(model.staged_predict_proba(X))


def test_many_classes_are_pairs_with_one_weight():
    X, y = load_iris(return_X_y=True)
    model = AnyBoostClassifier(loss="exponential", n_estimators=5, trace="weights").fit(X, y)
    signs, F, D = 2.0 * np.eye(3)[y] - 1, np.zeros((150, 3)), np.full((150, 3), 1 / 450)
    for t, scores in enumerate(model.staged_decision_function(X)):
        np.testing.assert_allclose(model.trace_.weights[t], D)
        h = np.stack(
            [
                DecisionTreeClassifier(max_depth=1).fit(X, signs[:, k], D[:, k] * 450).predict(X)
                for k in range(3)
            ],
            axis=1,
        )
        edge = (D * signs * h).sum()
        alpha = 0.5 * np.log((1 + edge) / (1 - edge))
        assert model.estimator_weights_[t] == pytest.approx(alpha)
        F = F + alpha * h
        np.testing.assert_allclose(scores, F)
        D = np.exp(-signs * F)
        D /= D.sum()


def test_nothing_to_learn():
    nothing = np.zeros((8, 1))
    model = AnyBoostClassifier(loss="logistic").fit(nothing, [0, 0, 0, 0, 1, 1, 1, 1])
    assert (model.n_rounds_, model.stop_reason_) == (0, "too_weak")
    np.testing.assert_allclose(model.predict_proba(nothing[:1]), [[0.5, 0.5]])
    uneven = AnyBoostClassifier(loss="logistic").fit(nothing, [0, 1, 1, 1, 1, 1, 1, 1])
    np.testing.assert_allclose(uneven.predict_proba(nothing[:1]), [[1 / 8, 7 / 8]])


def test_no_row_left_to_learn_from():
    X = np.arange(8.0)[:, None]
    model = AnyBoostClassifier(loss="squared_hinge").fit(X, X[:, 0] > 3)
    assert (model.n_rounds_, model.stop_reason_) == (1, "perfect")
    np.testing.assert_allclose(np.abs(model.decision_function(X)), 1)


def test_losses_of_all_kinds():
    assert margin_loss("savage") is MARGIN_LOSSES["savage"]
    own = Logistic(scale=3.0)
    assert margin_loss(own) is own
    assert margin_loss(np.exp) == FunctionLoss(np.exp)
    assert margin_loss((np.exp, np.cos)) == FunctionLoss(np.exp, np.cos)
    model = AnyBoostClassifier(loss=own)
    assert clone(model).loss == own
    X, y = iris_pair()
    fitted = pickle.loads(pickle.dumps(model.fit(X, y)))
    np.testing.assert_array_equal(fitted.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("loss", ["hinge", None, 3, (np.exp,), ("exponential", np.exp)])
def test_losses_that_are_none(loss):
    with pytest.raises(ValueError, match="loss"):
        AnyBoostClassifier(loss=loss).fit(TEN_X, TEN_Y)


@pytest.mark.parametrize("flat", [np.ones_like, lambda z: np.full_like(z, np.nan)])
def test_losses_with_nothing_to_descend(flat):
    with pytest.raises(ValueError, match="boosting cannot start"):
        AnyBoostClassifier(loss=flat).fit(TEN_X, TEN_Y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_members_of_other_kinds(n_classes):
    X, y = load_iris(return_X_y=True)
    rows = y < n_classes
    model = AnyBoostClassifier(LogisticRegression(C=0.01), n_estimators=5).fit(X[rows], y[rows])
    assert model.score(X[rows], y[rows]) > 0.85


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("loss", ["exponential", "logistic", "squared_hinge", "savage"])
def test_gradient_is_fitted_and_searched_along(load, loss):
    X, y = load(return_X_y=True)
    model = AnyBoostClassifier(
        DecisionTreeRegressor(max_depth=2), loss=loss, direction="gradient", n_estimators=20
    ).fit(X, y)
    assert (np.diff(model.trace_["loss"]) <= 1e-12).all()
    assert model.score(X, y) > 0.96


def test_gradient_of_the_squared_loss_is_the_residual():
    """Then a tree's own leaves are best, and the line search finds their full length."""
    X, y = load_breast_cancer(return_X_y=True)
    signs = 2.0 * y - 1
    model = AnyBoostClassifier(loss="squared", direction="gradient", n_estimators=2).fit(X, y)
    first = DecisionTreeRegressor(max_depth=1, max_bins=255).fit(X, signs).predict(X)
    second = DecisionTreeRegressor(max_depth=1, max_bins=255).fit(X, signs - first).predict(X)
    np.testing.assert_allclose(model.decision_function(X), first + second, rtol=1e-9)
    np.testing.assert_allclose(model.estimator_weights_, 0.5)  # the gradient is twice the residual


@pytest.mark.slow
def test_gradients_take_regressors():
    X, y = load_iris(return_X_y=True)
    model = AnyBoostClassifier(LinearRegression(), direction="gradient", n_estimators=30)
    assert model.fit(X, y).score(X, y) > 0.8
    with pytest.raises(ValueError, match="DecisionTreeRegressor"):
        AnyBoostClassifier(DecisionTreeClassifier(), direction="gradient").fit(X, y)
    with pytest.raises(ValueError, match="direction"):
        AnyBoostClassifier(direction="newton").fit(X, y)


def test_gradient_of_what_is_easily_told_apart():
    X = np.arange(8.0)[:, None]
    model = AnyBoostClassifier(loss="logistic", direction="gradient").fit(X, X[:, 0] > 3)
    assert model.score(X, X[:, 0] > 3) == 1
    assert np.isfinite(model.decision_function(X)).all()
