"""LogitBoost: published values, two classes as a case of many, clipping."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression

from coterie import DecisionTreeRegressor
from coterie.boosting.generic import BoostingClassifier
from coterie.boosting.logit import LogitBoost, LogitBoostClassifier, centred
from coterie.core.rule import State
from tests.boosting.points import TEN_X, TEN_Y, iris_pair

ROWS = [0, 20, 50]


def test_iris_pair_with_half_steps_and_no_clipping():
    X, y = iris_pair()
    model = LogitBoostClassifier(n_estimators=3, learning_rate=0.5, z_max=np.inf).fit(X, y)
    published = [0.882447665056360, 0.883091315814675, 1.164564532959708]
    np.testing.assert_allclose(model.estimator_errors_, published, rtol=1e-12)
    scores = [1.906010018452977, 0.134673464507728, -2.170659689353640]
    np.testing.assert_allclose(2 * model.decision_function(X)[ROWS], scores, rtol=1e-12)


def test_iris_pair_with_full_steps():
    X, y = iris_pair()
    model = LogitBoostClassifier(n_estimators=3).fit(X, y)
    np.testing.assert_allclose(model.trace_["loss"], [0.260605, 0.150565, 0.120853], atol=1e-6)
    scores = [1.719209, -0.052128, -2.119097]
    np.testing.assert_allclose(model.decision_function(X)[ROWS], scores, atol=1e-6)


def test_without_clipping_a_full_step_goes_wrong():
    X, y = iris_pair()
    model = LogitBoostClassifier(n_estimators=3, z_max=np.inf).fit(X, y)
    np.testing.assert_allclose(model.trace_["loss"], [0.260605, 0.144471, 0.158699], atol=1e-6)


def test_ten_points():
    model = LogitBoostClassifier(n_estimators=1).fit(TEN_X, TEN_Y)
    np.testing.assert_allclose(model.estimators_[0].predict(TEN_X), [2, 2] + [-0.5] * 8)
    np.testing.assert_allclose(model.decision_function(TEN_X), [1, 1] + [-0.25] * 8)
    chance = model.predict_proba(TEN_X)[:, 1]
    np.testing.assert_allclose(chance, [0.880797] * 2 + [0.377541] * 8, atol=1e-6)
    assert model.trace_["loss"][0] == pytest.approx(0.554647, abs=1e-6)


class TwoScores(LogitBoost):
    """The algorithm for J classes, with J = 2."""

    def begin(self, target, weight):
        return State(
            target, weight, np.repeat(weight[:, None] / 2, 2, axis=1), np.zeros((len(weight), 2))
        )


@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_two_classes_are_a_case_of_many(rate):
    X, y = load_breast_cancer(return_X_y=True)
    one = LogitBoostClassifier(n_estimators=15, learning_rate=rate).fit(X, y)
    two = BoostingClassifier(rule=TwoScores(rate), n_estimators=15).fit(X, y)
    np.testing.assert_allclose(
        two.decision_function(X)[:, 1], one.decision_function(X), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(two.predict_proba(X), one.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(two.trace_["loss"], one.trace_["loss"], rtol=1e-9)


def test_many_classes_follow_the_definition():
    X, y = load_iris(return_X_y=True)
    model = LogitBoostClassifier(n_estimators=4, learning_rate=0.5, trace="weights").fit(X, y)
    F, hit = np.zeros((150, 3)), np.eye(3)[y]
    for t, scores in enumerate(model.staged_decision_function(X)):
        p = softmax(F, axis=1)
        w = np.maximum(p * (1 - p), 1e-10)
        np.testing.assert_allclose(model.trace_.weights[t], w / w.sum())
        z = np.clip((hit - p) / w, -4, 4)
        f = np.stack(
            [
                DecisionTreeRegressor(max_depth=1).fit(X, z[:, k], w[:, k]).predict(X)
                for k in range(3)
            ],
            axis=1,
        )
        F = F + 0.5 * (2 / 3) * (f - f.mean(axis=1, keepdims=True))
        np.testing.assert_allclose(scores, F, atol=1e-9)
        np.testing.assert_allclose(scores.sum(axis=1), 0, atol=1e-12)
        loss = -np.log(softmax(F, axis=1)[np.arange(150), y]).mean()
        assert model.trace_["loss"][t] == pytest.approx(loss)
    np.testing.assert_allclose(model.predict_proba(X), softmax(F, axis=1), atol=1e-9)


def test_small_steps_never_raise_the_loss():
    X, y = load_breast_cancer(return_X_y=True)
    model = LogitBoostClassifier(n_estimators=40, learning_rate=0.2).fit(X, y)
    assert (np.diff(model.trace_["loss"]) < 0).all()
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], expit(2 * model.decision_function(X)), rtol=1e-12
    )


def test_linear_members_make_logistic_regression():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X[:, :4] - X[:, :4].mean(axis=0)) / X[:, :4].std(axis=0)
    model = LogitBoostClassifier(LinearRegression(), n_estimators=50, z_max=np.inf).fit(X, y)
    reference = LogisticRegression(C=1e9, tol=1e-9, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), reference.predict_proba(X), atol=1e-3)


def test_ends_when_every_row_is_certain():
    X = np.arange(8.0)[:, None]
    model = LogitBoostClassifier(n_estimators=200).fit(X, X[:, 0] > 3)
    assert model.stop_reason_ == "no_improvement"
    assert model.n_rounds_ < 200
    assert model.score(X, X[:, 0] > 3) == 1


def test_nothing_to_learn():
    model = LogitBoostClassifier().fit(np.zeros((6, 1)), [0, 0, 0, 1, 1, 1])
    assert (model.n_rounds_, model.stop_reason_) == (0, "too_weak")
    three = LogitBoostClassifier(learning_rate=0.5).fit(np.zeros((8, 1)), [0, 0, 0, 0, 1, 1, 2, 2])
    np.testing.assert_allclose(
        three.predict_proba(np.zeros((1, 1))), [[0.5, 0.25, 0.25]], atol=1e-6
    )


def test_centred_scores_add_up_to_zero():
    np.testing.assert_allclose(centred(np.array([[1.0, 2.0, 6.0]])), [[-2, -1, 3]])
    single = np.array([[4.0]])
    assert centred(single) is single


def test_ends_when_the_deviance_no_longer_changes():
    X, y = np.zeros((8, 1)), [0, 0, 0, 0, 1, 1, 2, 2]
    rough, fine = (
        LogitBoostClassifier(learning_rate=0.5, min_change=change, n_estimators=500).fit(X, y)
        for change in (1e-4, 1e-12)
    )
    assert rough.stop_reason_ == fine.stop_reason_ == "no_improvement"
    assert rough.n_rounds_ < fine.n_rounds_ < 500
    steps = np.abs(np.diff(rough.trace_["loss"]))
    assert steps[-1] <= 1e-4 < steps[:-1].min()
    with pytest.raises(ValueError, match="min_change"):
        LogitBoostClassifier(min_change=-1.0).fit(X, y)
