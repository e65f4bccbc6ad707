"""RobustBoost: its two equations, members that fade, its promise."""

from functools import partial

import numpy as np
import pytest
from scipy.special import erf
from sklearn.datasets import load_breast_cancer, load_iris

from coterie.boosting.generic import BoostingClassifier
from coterie.boosting.robust import (
    RobustBoost,
    RobustBoostClassifier,
    RobustLine,
    RobustPotential,
    robust_weight,
)
from tests.boosting.points import TEN_X, TEN_Y, error_stump

#: With whole steps, as in the paper.
AS_PUBLISHED = partial(RobustBoostClassifier, learning_rate=1.0)


def test_potential():
    potential = RobustPotential()
    assert potential.rho == pytest.approx(0.860405, abs=1e-6)
    assert potential.mean(0.0) == pytest.approx(-2.956838, abs=1e-6)
    assert potential.width(0.0) == pytest.approx(2.542233, abs=1e-6)
    for goal, theta, sigma in [(0.1, 0.0, 0.1), (0.3, 0.5, 0.2), (0.01, 1.0, 0.05)]:
        other = RobustPotential(goal, theta, sigma)
        assert other.value(np.zeros(1), 0.0)[0] == pytest.approx(goal, abs=1e-12)
        assert other.mean(1.0) == pytest.approx(theta, abs=1e-12)
        assert other.width(1.0) == pytest.approx(sigma, abs=1e-12)


def test_potential_solves_its_differential_equation():
    potential, h = RobustPotential(0.15, 0.2, 0.1), 1e-3
    margin = np.linspace(0.3, 2.0, 9)
    for time in (0.1, 0.5):
        above = potential.mean(time) + margin
        values = {dm: potential.value(above + dm * h, time) for dm in (-1, 0, 1)}
        by_time = (potential.value(above, time + h) - potential.value(above, time - h)) / (2 * h)
        slope = (values[1] - values[-1]) / (2 * h)
        bend = (values[1] - 2 * values[0] + values[-1]) / h**2
        residual = by_time + (2 * potential.rho - above) * slope + bend / 2
        np.testing.assert_allclose(residual, 0, atol=1e-5)


@pytest.mark.slow
def test_first_root_and_first_minimum():
    """Against a fine search, without any of the shortcuts of the solver."""
    rng = np.random.default_rng(1)
    margin, right = rng.normal(0.2, 0.4, 40), np.where(rng.random(40) < 0.3, -1.0, 1.0)
    weight = np.full(40, 1 / 40)
    line = RobustLine(RobustPotential(0.2), margin, right, weight, 0.3)
    step, elapsed = line.meet()
    steps = np.linspace(1e-4, 2.0, 1001)

    def lowest(time):
        values = [line.mean_potential(s, time) for s in steps]
        first = next(k for k in range(len(values)) if values[k + 1] > values[k])
        return steps[first], values[first]

    assert lowest(elapsed)[0] == pytest.approx(step, abs=2e-3)
    assert lowest(elapsed)[1] == pytest.approx(line.level, abs=1e-5)
    assert all(lowest(time)[1] < line.level for time in np.linspace(0, 0.95, 8) * elapsed)


def test_weights_are_one_sided():
    weight = robust_weight(np.array([-1.0, 0.0, 1.0, 2.0]))
    np.testing.assert_allclose(weight, [0, 0, 1, np.exp(-3)])
    assert not robust_weight(np.array([-1.0, -2.0])).any()
    np.testing.assert_allclose(robust_weight(np.array([40.0, 41.0])), [1, np.exp(-81)])


def test_ten_points():
    model = AS_PUBLISHED(error_stump(), error_goal=0.1).fit(TEN_X, TEN_Y)
    steps = [0.438674, 0.557620, 0.574077, 0.334980, 0.161271]
    times = [0.074990, 0.152044, 0.278494, 0.180620, 0.313852]
    np.testing.assert_allclose(model.trace_["alpha"], steps, atol=1e-6)
    np.testing.assert_allclose(model.trace_["elapsed"], times, atol=1e-6)
    assert (model.stop_reason_, model.trace_["time"][-1]) == ("time_exhausted", 1.0)
    votes = np.array([stump.predict(TEN_X) for stump in model.estimators_])
    wrong = [np.flatnonzero(vote != TEN_Y).tolist() for vote in votes]
    assert wrong == [[2, 3, 4], [5, 6, 7], [0, 1, 8], [2, 3, 4], [5, 6, 7]]
    margin = TEN_Y * model.decision_function(TEN_X)
    expected = np.full(10, 0.350126)
    expected[[0, 1, 8]], expected[9] = 0.487258, 1.187510
    np.testing.assert_allclose(margin, expected, atol=1e-6)


def test_other_goals_on_the_ten_points():
    model = AS_PUBLISHED(error_stump(), error_goal=0.3).fit(TEN_X, TEN_Y)
    np.testing.assert_allclose(model.trace_["alpha"], [0.643299, 0.630683, 0.387983], atol=1e-6)
    np.testing.assert_allclose(model.trace_["elapsed"], [0.187990, 0.326168, 0.485842], atol=1e-6)
    model = AS_PUBLISHED(error_stump(), error_goal=0.05).fit(TEN_X, TEN_Y)
    assert model.n_rounds_ == 7


def _noisy(load):
    """A table with some labels changed, and unequal weights."""
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(0)
    changed = rng.random(len(y)) < 0.1
    y = np.where(changed, (y + 1) % (y.max() + 1), y)
    return X, y, rng.uniform(0.5, 2.0, len(y))


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_equations_hold_in_every_round(load):
    X, y, weight = _noisy(load)
    goal = 0.1
    model = AS_PUBLISHED(n_estimators=30, error_goal=goal, trace="weights")
    model.fit(X, y, weight)
    K, potential = len(model.classes_), RobustPotential(goal)
    signs = (2 * y - 1)[:, None] if K == 2 else np.where(np.arange(K) == y[:, None], 1, -1)
    share = np.ones(1) if K == 2 else np.where(signs > 0, 0.5, 0.5 / (K - 1))
    pairs = (weight / weight.sum())[:, None] * share
    before, time = np.zeros(signs.shape), 0.0
    for t, raw in enumerate(model.staged_decision_function(X)):
        raw, facts = raw.reshape(signs.shape), model.trace_.rounds[t]
        vote = raw - np.exp(-facts["elapsed"]) * before
        np.testing.assert_allclose(np.abs(vote), facts["alpha"], atol=1e-12)
        time += facts["elapsed"]
        distance = potential.distance(signs * raw, time)
        if time < 1 - 1e-9:
            assert np.sum(pairs * potential.value(signs * raw, time)) == pytest.approx(
                goal, abs=1e-9
            )
            now = pairs * np.where(distance > 0, np.exp(-(distance**2)), 0.0)
            assert np.sum(now * signs * np.sign(vote)) == pytest.approx(0, abs=1e-8)
            if t + 1 < model.n_rounds_:
                weights = model.trace_.weights[t + 1].reshape(now.shape)
                np.testing.assert_allclose(weights, now / now.sum(), rtol=1e-6, atol=1e-12)
        before = raw
    assert model.n_rounds_ > 5


def test_promise_is_kept_at_a_margin():
    X, y, weight = _noisy(load_breast_cancer)
    model = AS_PUBLISHED(error_goal=0.2, goal_margin=0.05).fit(X, y, weight)
    assert model.stop_reason_ == "time_exhausted"
    margin = (2 * y - 1) * model.decision_function(X)
    assert np.average(margin <= 0.05, weights=weight) <= 0.2


def test_members_fade():
    X, y, _ = _noisy(load_breast_cancer)
    model = AS_PUBLISHED(n_estimators=12, error_goal=0.1).fit(X, y)
    later = np.append(np.cumsum(model.trace_["elapsed"][:0:-1])[::-1], 0.0)
    expected = model.trace_["alpha"] * np.exp(-later)
    np.testing.assert_allclose(model.estimator_weights_, expected, rtol=1e-12)


@pytest.mark.slow
def test_stages_are_shorter_fits():
    X, y, _ = _noisy(load_breast_cancer)
    model = AS_PUBLISHED(n_estimators=12, error_goal=0.1).fit(X, y)
    stages = list(model.staged_decision_function(X))
    np.testing.assert_array_equal(stages[-1], model.decision_function(X))
    for size in (1, 5):
        shorter = AS_PUBLISHED(n_estimators=size, error_goal=0.1).fit(X, y)
        np.testing.assert_array_equal(stages[size - 1], shorter.decision_function(X))
    # The rule alone, in a booster that knows nothing of it.
    named = BoostingClassifier(
        error_stump(), n_estimators=12, rule=RobustBoost(1.0, RobustPotential(0.1))
    ).fit(X, y)
    np.testing.assert_array_equal(list(named.staged_decision_function(X)), stages)


@pytest.mark.slow
def test_rows_watched_see_members_fade():
    X, y, _ = _noisy(load_breast_cancer)
    model = AS_PUBLISHED(n_estimators=12, error_goal=0.1)
    model.fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
    errors = [1 - score for score in model.staged_score(X[1::2], y[1::2])]
    np.testing.assert_allclose(model.trace_["validation_error"], errors)
    stopped = RobustBoostClassifier(
        n_estimators=60, error_goal=0.1, early_stopping=True, n_iter_no_change=3, random_state=0
    ).fit(X, y)
    shorter = len(stopped.estimators_)
    stages = list(stopped.staged_decision_function(X))
    np.testing.assert_array_equal(stages[shorter - 1], stopped.decision_function(X))


@pytest.mark.slow
def test_warm_start_goes_on_where_it_ended():
    X, y, _ = _noisy(load_breast_cancer)
    whole = RobustBoostClassifier(error_goal=0.1, n_estimators=12, random_state=0).fit(X, y)
    parts = RobustBoostClassifier(
        error_goal=0.1, n_estimators=5, random_state=0, warm_start=True
    ).fit(X, y)
    parts.set_params(n_estimators=12).fit(X, y)
    np.testing.assert_array_equal(whole.decision_function(X), parts.decision_function(X))


def test_easy_goal_is_reached_at_once():
    """A stump that is wrong about fewer rows than the goal allows is all there will be."""
    X, y = load_breast_cancer(return_X_y=True)
    model = AS_PUBLISHED(error_goal=0.4).fit(X, y)
    assert model.stop_reason_ == "time_exhausted"
    assert model.n_rounds_ < 4


@pytest.mark.slow
def test_shorter_steps_keep_the_potential():
    X, y, _ = _noisy(load_breast_cancer)
    model = RobustBoostClassifier(error_goal=0.1, learning_rate=0.3, n_estimators=40).fit(X, y)
    np.testing.assert_allclose(model.trace_["potential"][:-1], 0.1, atol=1e-9)


@pytest.mark.slow
def test_confidence():
    X, y = load_breast_cancer(return_X_y=True)
    model = RobustBoostClassifier(error_goal=0.05, margin_sigma=0.3).fit(X, y)
    expected = (1 + erf(model.decision_function(X) / 0.3)) / 2
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected)


@pytest.mark.slow
def test_the_goal_is_chosen_by_rows_held_out():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 8))
    y = (X[:, :3].sum(axis=1) > 1.5).astype(int)
    model = RobustBoostClassifier(n_estimators=40, random_state=0).fit(X, y)
    # A goal of 0.3 is met by the first member, so boosting would end with it.
    assert model.error_goal_ < 0.3
    assert AS_PUBLISHED(error_goal=0.3).fit(X, y).n_rounds_ <= 3
    same = RobustBoostClassifier(n_estimators=40, error_goal=model.error_goal_, random_state=0)
    np.testing.assert_array_equal(same.fit(X, y).decision_function(X), model.decision_function(X))
    assert RobustBoostClassifier(error_goal=0.07).fit(X, y).error_goal_ == 0.07


@pytest.mark.slow
def test_warm_starts_keep_the_goal():
    X, y = load_breast_cancer(return_X_y=True)
    parts = RobustBoostClassifier(n_estimators=4, random_state=0, warm_start=True).fit(X, y)
    goal = parts.error_goal_
    parts.set_params(n_estimators=10).fit(X, y)
    whole = RobustBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert parts.error_goal_ == goal == whole.error_goal_
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X))
