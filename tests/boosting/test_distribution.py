"""Quantiles that do not cross and cover what they say; deviations that follow the noise."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_pinball_loss

from coterie import (
    DecisionTreeRegressor,
    FunctionalGradientBoostingRegressor,
    NormalBoostingRegressor,
    QuantileBoostingRegressor,
)

X_REAL, Y_REAL = load_diabetes(return_X_y=True)


def noisy(n, seed):
    """Rows whose mean follows one column and whose deviation another."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 4))
    mean, std = 2 * np.sin(3 * X[:, 0]), np.exp(X[:, 1])
    return X, mean + std * rng.normal(size=n), mean, std


X, Y, _, _ = noisy(3000, 0)
X_NEW, Y_NEW, MEAN_NEW, STD_NEW = noisy(4000, 1)
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False])
def test_quantiles_never_cross(shared):
    tree = DecisionTreeRegressor(max_depth=6)  # overfits, so that scores do cross
    levels = np.linspace(0.05, 0.95, 19)
    model = QuantileBoostingRegressor(tree, quantiles=levels, n_estimators=30, shared=shared)
    model.fit(X_REAL[:150], Y_REAL[:150])
    new = np.random.default_rng(0).normal(scale=X_REAL.std(), size=(500, X_REAL.shape[1]))
    raw, found = model._raw(new), model.predict_quantiles(new)
    assert (np.diff(raw, axis=1) < 0).any()
    assert (np.diff(found, axis=1) >= 0).all()
    for stage in model.staged_predict_quantiles(new):
        assert (np.diff(stage, axis=1) >= 0).all()
    np.testing.assert_allclose(stage, found, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False])
def test_quantiles_cover_what_they_say(shared):
    model = QuantileBoostingRegressor(quantiles=LEVELS, shared=shared).fit(X, Y)
    found = model.predict_quantiles(X_NEW)
    covered = (Y_NEW[:, np.newaxis] <= found).mean(axis=0)
    np.testing.assert_allclose(covered, LEVELS, atol=0.04)
    # and better than the quantiles of y alone do
    for j, level in enumerate(LEVELS):
        alone = np.full(len(Y_NEW), np.quantile(Y, level))
        ours, theirs = (mean_pinball_loss(Y_NEW, q, alpha=level) for q in (found[:, j], alone))
        assert ours < 0.9 * theirs
    width = found[:, -1] - found[:, 0]
    assert np.corrcoef(width, STD_NEW)[0, 1] > 0.8


@pytest.mark.slow
def test_one_quantile_is_quantile_boosting():
    model = QuantileBoostingRegressor(DecisionTreeRegressor(max_depth=3), quantiles=[0.3])
    single = FunctionalGradientBoostingRegressor(loss="quantile", alpha=0.3)
    expected = single.fit(X_REAL, Y_REAL).predict(X_REAL)
    np.testing.assert_array_equal(model.fit(X_REAL, Y_REAL).predict(X_REAL), expected)


def test_separate_trees_are_models_side_by_side():
    tree = DecisionTreeRegressor(max_depth=2)
    params = {"n_estimators": 10, "max_bins": 500}
    both = QuantileBoostingRegressor(tree, quantiles=(0.2, 0.8), shared=False, **params)
    singles = [
        FunctionalGradientBoostingRegressor(tree, loss="quantile", alpha=level, **params)
        for level in (0.2, 0.8)
    ]
    expected = np.column_stack([one.fit(X_REAL, Y_REAL).predict(X_REAL) for one in singles])
    found = both.fit(X_REAL, Y_REAL).predict_quantiles(X_REAL)
    np.testing.assert_allclose(found, np.sort(expected, axis=1), rtol=1e-12)


def test_quantiles_come_in_the_order_asked_for():
    there = QuantileBoostingRegressor(quantiles=(0.1, 0.5, 0.9), n_estimators=10).fit(X, Y)
    back = QuantileBoostingRegressor(quantiles=[0.9, 0.1, 0.5], n_estimators=10).fit(X, Y)
    expected = there.predict_quantiles(X)
    np.testing.assert_array_equal(back.predict_quantiles(X), expected[:, [2, 0, 1]])
    np.testing.assert_array_equal(back.predict(X), expected[:, 1])


def test_shared_trees_hold_a_step_for_every_quantile():
    model = QuantileBoostingRegressor(n_estimators=3).fit(X, Y)
    start = model.origin_.constant
    steps = sum(tree.predict(X) for tree in model.estimators_)
    assert steps.shape == (len(X), 3)
    np.testing.assert_allclose(
        model.predict_quantiles(X), np.sort(start + 0.1 * steps, axis=1), rtol=1e-9
    )


@pytest.mark.parametrize("levels", [(), (0.5, 0.5), (0.0, 0.5), (0.5, 1.0), 0.5, "0.5", [None]])
def test_levels_that_make_no_sense(levels):
    with pytest.raises(ValueError, match="quantiles"):
        QuantileBoostingRegressor(quantiles=levels).fit(X, Y)


@pytest.mark.slow
def test_members_of_other_kinds_have_a_quantile_each():
    model = QuantileBoostingRegressor(LinearRegression(), n_estimators=10).fit(X_REAL, Y_REAL)
    assert len(model.estimators_[0]) == 3
    found = model.predict_quantiles(X_REAL)
    assert (np.diff(found, axis=1) >= 0).all()
    assert model.train_score_[-1] < model.train_score_[0]


@pytest.mark.slow
def test_monotone_trees_make_monotone_quantiles():
    tree = DecisionTreeRegressor(max_depth=3, monotonic_cst=[0, 0, 1, *[0] * 7])
    model = QuantileBoostingRegressor(tree, n_estimators=20).fit(X_REAL, Y_REAL)
    grid = np.repeat(X_REAL[:20], 30, axis=0)
    grid[:, 2] = np.tile(np.linspace(X_REAL[:, 2].min(), X_REAL[:, 2].max(), 30), 20)
    found = model.predict_quantiles(grid).reshape(20, 30, 3)
    assert (np.diff(found, axis=1) >= -1e-9).all()
    assert found.std(axis=1).max() > 0


@pytest.mark.slow
@pytest.mark.parametrize("search", ["auto", "leaf", None])
def test_deviations_follow_the_noise(search):
    model = NormalBoostingRegressor(line_search=search, n_estimators=80, learning_rate=0.1).fit(
        X, Y
    )
    assert np.corrcoef(np.log(model.predict_std(X_NEW)), np.log(STD_NEW))[0, 1] > 0.9
    assert np.corrcoef(model.predict(X_NEW), MEAN_NEW)[0, 1] > 0.95
    inside = np.abs(Y_NEW - model.predict(X_NEW)) < 1.645 * model.predict_std(X_NEW)
    assert 0.85 < inside.mean() < 0.93


@pytest.mark.slow
def test_two_deviations_are_better_than_one():
    model = NormalBoostingRegressor(n_estimators=80, learning_rate=0.1).fit(X, Y)
    plain = FunctionalGradientBoostingRegressor(n_estimators=60).fit(X, Y)
    even = stats.norm(plain.predict(X_NEW), np.std(Y_NEW - plain.predict(X_NEW)))
    truth = stats.norm(MEAN_NEW, STD_NEW).logpdf(Y_NEW).mean()
    assert model.log_likelihood(X_NEW, Y_NEW) > even.logpdf(Y_NEW).mean() + 0.1
    assert model.log_likelihood(X_NEW, Y_NEW) > truth - 0.1


def test_the_distribution_is_scipys():
    model = NormalBoostingRegressor(n_estimators=5).fit(X, Y)
    found = model.predict_dist(X[:9])
    np.testing.assert_array_equal(found.mean(), model.predict(X[:9]))
    np.testing.assert_allclose(found.std(), model.predict_std(X[:9]))
    weight = np.arange(1.0, 10.0)
    expected = np.average(found.logpdf(Y[:9]), weights=weight)
    assert model.log_likelihood(X[:9], Y[:9], weight) == pytest.approx(expected)
    assert model.train_score_[-1] == pytest.approx(-model.log_likelihood(X, Y))


def test_one_round_by_hand():
    tree = DecisionTreeRegressor(max_depth=2, max_bins=255)
    model = NormalBoostingRegressor(tree, n_estimators=1, line_search=None, learning_rate=0.3)
    model.fit(X, Y)
    z = (Y - Y.mean()) / Y.std()
    mean = clone(tree).fit(X, Y - Y.mean()).predict(X)
    spread = clone(tree).fit(X, 0.5 * (z**2 - 1)).predict(X)
    np.testing.assert_allclose(model.predict(X), Y.mean() + 0.3 * mean, rtol=1e-9)
    np.testing.assert_allclose(model.predict_std(X), Y.std() * np.exp(0.3 * spread), rtol=1e-9)


@pytest.mark.slow
def test_line_searches_lower_the_loss():
    losses = NormalBoostingRegressor(n_estimators=40).fit(X, Y).train_score_
    assert (np.diff(losses) < 0).all()


@pytest.mark.parametrize("y", [np.zeros(50), np.full(50, 7.0)])
def test_numbers_that_are_all_the_same(y):
    model = NormalBoostingRegressor().fit(X[:50], y)
    np.testing.assert_array_equal(model.predict(X[:50]), y)
    assert np.isfinite(model.log_likelihood(X[:50], y))


@pytest.mark.slow
def test_no_deviation_is_below_the_least():
    y = np.where(X[:, 0] > 0, 1.0, 0.0)  # can be hit exactly
    tree = DecisionTreeRegressor(max_depth=3)
    model = NormalBoostingRegressor(tree, n_estimators=60, learning_rate=0.5, min_std=0.05)
    std = model.fit(X, y).predict_std(X)
    assert std.min() == pytest.approx(0.05 * y.std(), rel=1e-6)


@pytest.mark.slow
def test_scaling_y_scales_the_answer():
    first = NormalBoostingRegressor(n_estimators=20).fit(X, Y)
    second = NormalBoostingRegressor(n_estimators=20).fit(X, 1024 * Y)
    np.testing.assert_allclose(second.predict(X), 1024 * first.predict(X), rtol=1e-7)
    np.testing.assert_allclose(second.predict_std(X), 1024 * first.predict_std(X), rtol=1e-7)
