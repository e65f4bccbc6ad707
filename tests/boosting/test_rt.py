"""AdaBoost.RT: identities of every round, and everyday use."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.neighbors import KNeighborsRegressor

from coterie import DecisionTreeRegressor
from coterie.boosting.rt import AdaBoostRT, AdaBoostRTRegressor
from tests.boosting.test_regression import begun, told


@pytest.mark.parametrize("power", [1, 2, 3])
def test_weight_of_the_mistakes_after_a_round(power):
    rule = AdaBoostRT(power=power)
    state = begun(rule, [1.0, 2.0, 4.0, 8.0, 10.0])
    step = told(rule, state, [1.1, 2.0, 4.9, 7.0, 10.0])  # 22 % off in the third row only
    error, beta = 0.2, 0.2**power
    assert step.facts["error"] == pytest.approx(error)
    assert step.alpha == pytest.approx(-np.log(beta))
    assert state.weight[2] == pytest.approx(error / (error + (1 - error) * beta))


def test_an_error_at_the_threshold_is_no_mistake():
    rule = AdaBoostRT(threshold=0.5)
    assert told(rule, begun(rule, [2.0, 4.0]), [3.0, 6.01]).facts["error"] == 0.5


def test_errors_in_standard_deviations():
    y = np.array([0.0, 0.0, 4.0, 4.0])  # of standard deviation 2
    rule = AdaBoostRT(threshold=0.2, error="scaled")
    assert told(rule, begun(rule, y), [0.39, 0.41, 4.0, 4.0]).facts["error"] == 0.25
    relative = AdaBoostRT(threshold=0.2)
    assert told(relative, begun(relative, y), [0.39, 0.41, 4.0, 4.0]).facts["error"] == 0.5


@pytest.mark.parametrize("error", ["relative", "scaled"])
def test_identities_of_every_round(error):
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRTRegressor(n_estimators=12, error=error, trace="weights").fit(X, y)
    unit = np.abs(y) if error == "relative" else y.std()
    assert len(model.estimators_) == 12
    for t, member in enumerate(model.estimators_):
        before = model.trace_.weights[t]
        mistaken = np.abs(member.predict(X) - y) > 0.2 * unit
        share = before[mistaken].sum()
        assert model.estimator_errors_[t] == pytest.approx(share)
        assert model.estimator_weights_[t] == pytest.approx(-2 * np.log(share))
        if t < 11:
            new = np.where(mistaken, before, before * share**2)
            np.testing.assert_allclose(model.trace_.weights[t + 1], new / new.sum())


def test_predicts_the_weighted_mean_of_its_members():
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRTRegressor(n_estimators=6).fit(X, y)
    votes = np.stack([member.predict(X) for member in model.estimators_])
    mean = np.average(votes, axis=0, weights=model.estimator_weights_)
    np.testing.assert_allclose(model.predict(X), mean)
    stages = list(model.staged_predict(X))
    np.testing.assert_array_equal(stages[0], votes[0])
    np.testing.assert_allclose(stages[-1], mean)
    shorter = AdaBoostRTRegressor(n_estimators=3).fit(X, y)
    np.testing.assert_allclose(stages[2], shorter.predict(X))


def test_a_perfect_member_ends_boosting():
    X, y = np.arange(8.0)[:, None], np.repeat([1.0, 5.0, 7.0, 2.0], 2)
    model = AdaBoostRTRegressor(DecisionTreeRegressor()).fit(X, y)
    assert (model.stop_reason_, len(model.estimators_)) == ("perfect", 1)
    np.testing.assert_allclose(model.predict(X), y)


def test_only_mistakes_end_boosting():
    rule = AdaBoostRT()
    state = begun(rule, [1.0, 2.0])
    first = told(rule, state, [9.0, 9.0])
    assert (first.keep, first.stop) == (True, "too_weak")
    state = begun(rule, [1.0, 2.0])
    assert told(rule, state, [1.0, 9.0]).keep
    before = state.weight
    assert not told(rule, state, [9.0, 9.0]).keep
    assert state.weight is before


def test_early_stopping_and_warm_start():
    X, y = make_friedman1(400, noise=3.0, random_state=0)
    stopped = AdaBoostRTRegressor(
        n_estimators=200, early_stopping=True, n_iter_no_change=3, random_state=0
    ).fit(X, y)
    assert stopped.stop_reason_ == "early_stopping"
    assert np.argmin(stopped.trace_["validation_error"]) == len(stopped.estimators_) - 1
    model = AdaBoostRTRegressor(n_estimators=4, warm_start=True).fit(X, y)
    model.set_params(n_estimators=9).fit(X, y)
    whole = AdaBoostRTRegressor(n_estimators=9).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), whole.predict(X))


def test_any_regressor_is_a_member():
    X, y = make_friedman1(200, noise=1.0, random_state=0)
    model = AdaBoostRTRegressor(KNeighborsRegressor(3), n_estimators=5, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.6
