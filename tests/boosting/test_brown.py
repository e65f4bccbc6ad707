"""BrownBoost: its two equations, its limits, its promise."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import erf, erfc
from sklearn.datasets import load_breast_cancer, load_iris

from coterie.boosting.adaboost import AdaBoostClassifier
from coterie.boosting.brown import BrownBoostClassifier, BrownLine, brown_time, brown_weight
from tests.boosting.points import TEN_X, TEN_Y, error_stump


@pytest.mark.parametrize(("error", "c"), [(0.3, 0.537097), (0.1, 1.352772), (0.05, 1.920729)])
def test_time_for_a_target(error, c):
    assert brown_time(error) == pytest.approx(c, abs=1e-6)


def test_ten_points():
    model = BrownBoostClassifier(error_stump(), target_error=0.3).fit(TEN_X, TEN_Y)
    alpha = [0.232151, 0.341015, 0.491822, 0.387036, 0.110226]
    time = [0.047026, 0.097323, 0.202134, 0.124716, 0.065898]
    np.testing.assert_allclose(model.estimator_weights_, alpha, atol=1e-6)
    np.testing.assert_allclose(model.trace_["elapsed"], time, atol=1e-6)
    assert model.stop_reason_ == "time_exhausted"
    assert model.trace_["left"][-1] == 0
    assert model.score(TEN_X, TEN_Y) == 1
    margin = TEN_Y * model.decision_function(TEN_X)
    c = brown_time(0.3)
    assert np.mean(1 - erf(margin / np.sqrt(c))) == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize(("error", "rounds"), [(0.1, 11), (0.05, 16)])
def test_rounds_on_the_ten_points(error, rounds):
    model = BrownBoostClassifier(error_stump(), target_error=error).fit(TEN_X, TEN_Y)
    assert (model.n_rounds_, model.stop_reason_) == (rounds, "time_exhausted")


def test_the_equations_are_those_of_the_differential_equation():
    right, c = np.where(np.arange(10) < 7, 1.0, -1.0), brown_time(0.1)
    line = BrownLine(np.full(10, c), right, np.full(10, 0.1), c)
    alpha, time = line.meet(c)
    assert (alpha, time) == pytest.approx((0.219085, 0.044831), abs=1e-6)

    def edge(_, passed):
        weight = np.exp(-((c + _ * right - passed[0]) ** 2) / c)
        return [weight @ right / weight.sum()]

    followed = solve_ivp(edge, (0, alpha), [0.0], rtol=1e-11, atol=1e-13)
    assert followed.y[0, -1] == pytest.approx(time, abs=1e-9)
    assert edge(alpha, [time])[0] == pytest.approx(0, abs=1e-9)


def _noisy(load):
    """A table with some labels changed, and unequal weights."""
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(0)
    changed = rng.random(len(y)) < 0.1
    y = np.where(changed, (y + 1) % (y.max() + 1), y)
    return X, y, rng.uniform(0.5, 2.0, len(y))


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_equations_hold_in_every_round(load):
    X, y, weight = _noisy(load)
    model = BrownBoostClassifier(n_estimators=40, target_error=0.15, trace="weights")
    model.fit(X, y, weight)
    K, c = len(model.classes_), brown_time(0.15)
    signs = (2 * y - 1)[:, None] if K == 2 else np.where(np.arange(K) == y[:, None], 1, -1)
    share = np.ones(1) if K == 2 else np.where(signs > 0, 0.5, 0.5 / (K - 1))
    pairs = (weight / weight.sum())[:, None] * share
    before, left = np.zeros(signs.shape), c
    for t, raw in enumerate(model.staged_decision_function(X)):
        raw = raw.reshape(signs.shape)
        right = signs * np.sign(raw - before)
        left -= model.trace_["elapsed"][t]
        reach = signs * raw + left
        now = pairs * np.exp(-(reach**2) / c)
        assert np.sum(pairs * erfc(reach / np.sqrt(c))) == pytest.approx(0.15, abs=1e-9)
        if t + 1 < model.n_rounds_:
            assert np.sum(now * right) == pytest.approx(0, abs=1e-9)
            weights = model.trace_.weights[t + 1].reshape(now.shape)
            np.testing.assert_allclose(weights, now / now.sum(), rtol=1e-6, atol=1e-12)
        before = raw
    assert model.n_rounds_ > 20
    assert left == pytest.approx(model.trace_["left"][-1], abs=1e-10)


def test_promise_is_kept():
    X, y, weight = _noisy(load_breast_cancer)
    model = BrownBoostClassifier(target_error=0.2).fit(X, y, weight)
    assert model.stop_reason_ == "time_exhausted"
    wrong = np.average(model.predict(X) != y, weights=weight)
    assert wrong <= 0.2
    assert wrong == pytest.approx(model.trace_["train_error"][-1])


@pytest.mark.parametrize(
    ("error", "alpha"), [(1e-2, 0.214677), (1e-4, 0.213057), (1e-6, 0.212601), (1e-9, 0.212321)]
)
def test_towards_adaboost(error, alpha):
    model = BrownBoostClassifier(error_stump(), n_estimators=1, target_error=error)
    assert model.fit(TEN_X, TEN_Y).estimator_weights_ == pytest.approx([alpha], abs=1e-6)


def test_with_much_time_it_is_adaboost_with_half_the_weights():
    brown = BrownBoostClassifier(error_stump(), n_estimators=6, c=500.0).fit(TEN_X, TEN_Y)
    ada = AdaBoostClassifier(error_stump(), n_estimators=6).fit(TEN_X, TEN_Y)
    np.testing.assert_allclose(brown.estimator_weights_, ada.estimator_weights_ / 2, rtol=0.02)
    np.testing.assert_allclose(brown.estimator_errors_, ada.estimator_errors_, rtol=0.02)
    # The further, the nearer: the next term is of the order 1/c.
    gaps = [
        abs(model.fit(TEN_X, TEN_Y).estimator_weights_[0] - 0.25 * np.log(7 / 3))
        for model in (BrownBoostClassifier(error_stump(), n_estimators=1, c=c) for c in (50, 500))
    ]
    assert gaps[1] == pytest.approx(gaps[0] / 10, rel=0.2)


def test_perfect_member_takes_all_of_the_time():
    X = np.arange(10.0)[:, None]
    model = BrownBoostClassifier(c=0.7).fit(X, X[:, 0] > 4)
    np.testing.assert_allclose(model.estimator_weights_, [0.7], rtol=1e-12)
    assert model.stop_reason_ == "time_exhausted"


def test_rows_far_on_the_wrong_side_are_given_up():
    weight = brown_weight(np.array([-5.0, -1.0, 0.0, 1.0, 5.0]), 1.0)
    assert weight.argmax() == 2
    np.testing.assert_allclose(weight, weight[::-1])


def test_shorter_steps_keep_the_potential():
    X, y, _ = _noisy(load_breast_cancer)
    model = BrownBoostClassifier(target_error=0.2, learning_rate=0.3, n_estimators=30).fit(X, y)
    np.testing.assert_allclose(model.trace_["potential"], 0.2, atol=1e-12)
    whole = BrownBoostClassifier(target_error=0.2, n_estimators=1).fit(X, y)
    assert model.estimator_weights_[0] == pytest.approx(0.3 * whole.estimator_weights_[0])


def test_probabilities():
    X, y = load_breast_cancer(return_X_y=True)
    model = BrownBoostClassifier(c=1.5).fit(X, y)
    score = model.decision_function(X)
    expected = (1 + erf(score / np.sqrt(1.5))) / 2
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected)
    np.testing.assert_array_equal(model.predict(X), score > 0)


@pytest.mark.slow
def test_warm_start_goes_on_where_it_ended():
    X, y, _ = _noisy(load_breast_cancer)
    whole = BrownBoostClassifier(target_error=0.15, n_estimators=20, random_state=0).fit(X, y)
    parts = BrownBoostClassifier(
        target_error=0.15, n_estimators=7, random_state=0, warm_start=True
    ).fit(X, y)
    parts.set_params(n_estimators=20).fit(X, y)
    np.testing.assert_array_equal(whole.decision_function(X), parts.decision_function(X))


@pytest.mark.parametrize("bad", [{"target_error": 0.0}, {"c": 501.0}, {"learning_rate": 1.5}])
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        BrownBoostClassifier(**bad).fit(TEN_X, TEN_Y)
