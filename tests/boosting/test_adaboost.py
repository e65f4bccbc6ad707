"""AdaBoost: worked examples, identities of every round, parity with scikit-learn."""

import tracemalloc

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier as Reference

from coterie import DecisionTreeClassifier
from coterie.boosting import AdaBoostClassifier
from coterie.boosting.adaboost import AdaBoost
from coterie.core.boost import boost
from coterie.data import Table, Target
from coterie.learners import TreeLearner
from coterie.native import Growth
from tests.boosting.points import (
    SEVEN_X,
    SEVEN_Y,
    TEN_ERRORS,
    TEN_X,
    TEN_Y,
    error_stump,
    iris_pair,
)


def test_ten_points():
    model = AdaBoostClassifier(error_stump(), n_estimators=3, trace="weights").fit(TEN_X, TEN_Y)
    np.testing.assert_allclose(model.estimator_errors_, TEN_ERRORS)
    np.testing.assert_allclose(model.estimator_weights_, [0.423649, 0.649641, 0.922913], atol=1e-6)
    np.testing.assert_allclose(
        model.trace_["normaliser"], [0.916515, 0.820652, 0.686349], atol=1e-6
    )
    weights = np.array(model.trace_.weights)
    np.testing.assert_allclose(weights[0], 0.1)
    np.testing.assert_allclose(weights[1], [1 / 14] * 2 + [1 / 6] * 3 + [1 / 14] * 5)
    np.testing.assert_allclose(weights[2], [1 / 22] * 2 + [7 / 66] * 3 + [1 / 6] * 3 + [1 / 22] * 2)
    scores = [0.150377] * 2 + [1.148906] * 3 + [-0.696921] * 3 + [-0.150377, -1.996204]
    np.testing.assert_allclose(model.decision_function(TEN_X), scores, atol=1e-6)
    assert model.trace_["bound"][-1] == pytest.approx(0.516230, abs=1e-6)
    assert model.score(TEN_X, TEN_Y) == 1.0
    margin = TEN_Y * model.decision_function(TEN_X) / model.estimator_weights_.sum()
    assert margin.min() == pytest.approx(0.075332, abs=1e-6)


def test_a_heavier_point_changes_the_first_error():
    model = AdaBoostClassifier(error_stump(), n_estimators=1)
    model.fit(TEN_X, TEN_Y, sample_weight=[2.0] + [1.0] * 9)
    assert model.estimator_errors_[0] == pytest.approx(3 / 11)


def test_seven_points():
    model = AdaBoostClassifier(n_estimators=10, trace="weights").fit(SEVEN_X, SEVEN_Y)
    errors = [2 / 7, 0.3, 9 / 28, 121 / 342, 0.285068, 0.280364, 0.347398, 0.294612, 0.344013]
    np.testing.assert_allclose(model.estimator_errors_[:9], errors, atol=1e-6)
    weights = np.array(model.trace_.weights)
    np.testing.assert_allclose(weights[1][:3], [0.25, 0.25, 0.1])
    np.testing.assert_allclose(
        weights[:10, 0],
        [
            1 / 7,
            0.25,
            0.178571,
            0.131579,
            0.185950,
            0.130048,
            0.231926,
            0.177693,
            0.301572,
            0.229862,
        ],
        atol=1e-6,
    )
    np.testing.assert_allclose(np.ptp(weights[:, 4:], axis=1), 0, atol=1e-12)  # crosses share one
    np.testing.assert_allclose(weights[:, 2], weights[:, 3])
    mistakes = model.trace_["train_error"] * 7
    np.testing.assert_allclose(mistakes, [2, 2, 1, 1, 0, 1, 0, 1, 0, 0], atol=1e-9)


def test_published_values_on_iris():
    X, y = iris_pair()
    model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    np.testing.assert_allclose(
        model.estimator_errors_,
        [0.06, 0.120567375886525, 0.145932163187856, 0.248108033048671, 0.369028016476793],
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        model.estimator_weights_,
        [
            1.375767656520975,
            0.993534110774411,
            0.883434373403998,
            0.554364192108758,
            0.268194447432047,
        ],
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        model.decision_function(X)[[0, 20, 50]],
        [1.772037138568098, -0.979498174473852, -2.966566396022673],
        rtol=1e-12,
    )
    half = AdaBoostClassifier(n_estimators=4, learning_rate=0.5).fit(X, y)
    np.testing.assert_allclose(
        half.estimator_weights_,
        [0.687883828260487, 0.595450620008897, 0.406803001473525, 0.320537560668013],
        rtol=1e-12,
    )


@pytest.mark.parametrize("depth", [1, 2])
def test_identities_of_every_round(depth):
    X, y = load_breast_cancer(return_X_y=True)
    initial = np.random.default_rng(0).random(len(y)) + 0.1
    initial /= initial.sum()
    model = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=depth), n_estimators=25, trace="weights"
    ).fit(X, y, sample_weight=initial)
    trace, sign = model.trace_, 2 * y - 1
    np.testing.assert_allclose(
        trace["normaliser"], 2 * np.sqrt(trace["error"] * (1 - trace["error"]))
    )
    for t, member in enumerate(model.estimators_[:-1]):
        wrong = member.predict(X) != y
        assert trace.weights[t][wrong].sum() == pytest.approx(trace["error"][t])
        assert trace.weights[t + 1][wrong].sum() == pytest.approx(0.5)
    scores = model.decision_function(X)
    assert trace["bound"][-1] == pytest.approx((initial * np.exp(-sign * scores)).sum())
    assert (trace["train_error"] <= trace["bound"] + 1e-12).all()
    gamma = 0.5 - trace["error"]
    assert (trace["bound"] <= np.exp(-2 * np.cumsum(gamma**2)) + 1e-12).all()


@pytest.mark.slow
def test_enough_rounds_for_a_wanted_error():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=200).fit(X, y)
    gamma = (0.5 - model.estimator_errors_).min()
    needed = int(np.ceil(np.log(len(y)) / (2 * gamma**2))) + 1
    assert needed > 0
    # The theorem is about any number of rounds up to which the edge held.
    rounds = min(needed, model.n_rounds_)
    assert model.trace_["train_error"][rounds - 1] <= np.exp(-2 * gamma**2 * rounds)


def test_samme_moves_weight_to_the_mistakes():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=6, trace="weights").fit(X, y)
    np.testing.assert_allclose(
        model.estimator_errors_, [0.333333, 0.18, 0.114122, 0.237005, 0.160428, 0.149137], atol=1e-6
    )
    np.testing.assert_allclose(
        model.estimator_weights_,
        [1.386294, 2.209495, 2.742456, 1.862318, 2.348196, 2.434534],
        atol=1e-6,
    )
    for t, member in enumerate(model.estimators_[:-1]):
        wrong = member.predict(X) != y
        assert model.trace_.weights[t + 1][wrong].sum() == pytest.approx(2 / 3)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits, load_breast_cancer])
def test_parity_with_scikit_learn(load):
    X, y = load(return_X_y=True)
    ours = AdaBoostClassifier(n_estimators=8, max_bins=65_535).fit(X, y)  # exact splits
    theirs = Reference(n_estimators=8, random_state=0).fit(X, y)
    factor = 2 if len(ours.classes_) == 2 else 1
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(
        factor * ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9
    )
    for mine, yours in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        np.testing.assert_array_equal(mine, yours)


def test_probabilities_are_the_link_of_the_scores():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], expit(2 * model.decision_function(X)), rtol=1e-12
    )
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    ratio = np.log(p[:, 0] / p[:, 1])
    scores = model.decision_function(X)
    np.testing.assert_allclose(ratio, (scores[:, 0] - scores[:, 1]) * 2 / 3, rtol=1e-9)


def test_a_perfect_member_is_kept_dropped_or_begun_again():
    X, y = load_breast_cancer(return_X_y=True)
    deep = DecisionTreeClassifier()
    keep = AdaBoostClassifier(deep, n_estimators=5).fit(X, y)
    assert keep.n_rounds_ == 1
    assert keep.stop_reason_ == "perfect"
    assert keep.estimator_weights_[0] == pytest.approx(0.5 * np.log(2 * len(y) - 1))
    again = AdaBoostClassifier(deep, n_estimators=5, perfect="restart", random_state=0).fit(X, y)
    assert again.n_rounds_ == 5
    assert len({m.get_n_leaves() for m in again.estimators_}) > 1
    stump = AdaBoostClassifier(error_stump(), n_estimators=9, perfect="drop")
    one_sided = np.array([[0.0], [1.0], [2.0], [3.0]])
    assert stump.fit(one_sided, [0, 0, 1, 1]).n_rounds_ == 1  # the first is never dropped


def test_useless_members_leave_the_prior():
    X = np.zeros((10, 1))
    y = np.array([0] * 5 + [1] * 5)
    model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    assert model.stop_reason_ == "too_weak"
    assert len(model.estimators_) == 0
    np.testing.assert_allclose(model.predict_proba(X), 0.5)
    tilted = AdaBoostClassifier(n_estimators=5).fit(X, y, sample_weight=np.where(y, 2.0, 1.0))
    np.testing.assert_allclose(tilted.predict_proba(X)[:, 1], 2 / 3)


def test_a_round_takes_few_arrays_of_the_rows():
    """Scores, weights, weights at mean one, a vote and leaves: about five numbers a row."""
    rng = np.random.default_rng(0)
    n = 200_000
    X = rng.normal(size=(n, 2)).astype(np.float32)
    y = X[:, 0] + rng.normal(size=n) > 0
    table, target = Table.read(X).bin(), Target.labels(y)
    learner = TreeLearner(Growth("gini", max_depth=1))
    tracemalloc.start()
    boost(AdaBoost(), learner, table, target, None, seeds=np.arange(3))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / n < 40


def test_a_perfect_member_of_weighted_rows_counts_as_of_repeated_ones():
    X, y, times = (
        np.arange(6.0)[:, None],
        np.array([0, 0, 1, 1, 0, 1]),
        np.array([2, 3, 2, 4, 2, 2]),
    )
    deep = DecisionTreeClassifier(max_depth=5)
    weighted = AdaBoostClassifier(deep).fit(X, y, times)
    repeated = AdaBoostClassifier(deep).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.estimator_weights_, repeated.estimator_weights_)
