import itertools

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from coterie import (
    BaggingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomPatchesRegressor,
)
from coterie.bagging.intervals import (
    JackknifePlusIntervals,
    infinitesimal_jackknife,
    jackknife_variance,
    leave_one_out_variance,
)

X, y = load_diabetes(return_X_y=True)

# All 27 bags of three rows, and the mean of (1, 2, 6) in each.
BAGS = np.array([np.bincount(bag, minlength=3) for bag in itertools.product(range(3), repeat=3)])
MEANS = BAGS @ np.array([[1.0], [2.0], [6.0]]) / 3


def test_all_bags_of_three():
    covariance = (BAGS - 1).T @ (MEANS - 3) / 27
    np.testing.assert_allclose(covariance[:, 0], [-2 / 3, -1 / 3, 1])
    np.testing.assert_allclose(jackknife_variance(BAGS, MEANS, correct=False), 14 / 9)
    np.testing.assert_allclose(leave_one_out_variance(BAGS, MEANS, correct=False), 7 / 3)


def test_correction_takes_the_noise_away():
    """Means of 30 rows in 200 bags: the truth is the variance of a mean."""
    rng = np.random.default_rng(0)
    raw, corrected = [], []
    for _ in range(60):
        values = rng.uniform(size=30)
        bags = rng.multinomial(30, np.full(30, 1 / 30), size=200)
        outputs = bags @ values[:, None] / 30
        raw.append(jackknife_variance(bags, outputs, correct=False)[0])
        corrected.append(jackknife_variance(bags, outputs)[0])
    truth = 1 / 12 / 30
    assert np.mean(corrected) == pytest.approx(truth, rel=0.15)
    assert np.mean(raw) > 1.08 * np.mean(corrected)


@pytest.mark.slow
def test_variance_of_a_bagged_mean():
    """Bagging a constant: the variance of its prediction is that of the mean of the target."""
    rows = np.zeros((60, 1))
    target = np.random.default_rng(0).normal(size=60)
    model = BaggingRegressor(n_estimators=3000, random_state=0).fit(rows, target)
    variance = infinitesimal_jackknife(model, rows[:2])
    assert variance.shape == (2,)
    np.testing.assert_allclose(variance, target.var() / 60, rtol=0.15)


def test_model_and_arrays_agree():
    forest = RandomForestRegressor(50, min_samples_leaf=20, random_state=0).fit(X, y)
    outputs = np.array([tree.predict(X[:7]) for tree in forest.estimators_])
    counts = np.array([forest.bags_.counts(t) for t in range(50)])
    np.testing.assert_allclose(
        infinitesimal_jackknife(forest, X[:7], correct=False),
        jackknife_variance(counts, outputs, correct=False),
    )
    with pytest.warns(UserWarning, match="negative and set to 0"):
        corrected = infinitesimal_jackknife(forest, X[:7])
    expected = np.maximum(jackknife_variance(counts, outputs), 0)
    np.testing.assert_allclose(corrected, expected)


@pytest.mark.slow
def test_blocks_do_not_matter(monkeypatch):
    forest = RandomForestClassifier(30, random_state=0).fit(*load_iris(return_X_y=True))
    rows = load_iris().data[::10]
    whole = infinitesimal_jackknife(forest, rows, correct=False)
    assert whole.shape == (15, 3)
    monkeypatch.setattr("coterie.bagging.intervals._CELLS", 400)
    monkeypatch.setattr("coterie.bagging.intervals._MEMBERS", 7)
    np.testing.assert_allclose(infinitesimal_jackknife(forest, rows, correct=False), whole)


@pytest.mark.slow
def test_draws_without_replacement_have_a_factor():
    rows, target = np.zeros((40, 1)), np.random.default_rng(1).normal(size=40)
    model = RandomPatchesRegressor(n_estimators=4000, max_features=1.0, random_state=0)
    variance = infinitesimal_jackknife(model.fit(rows, target), rows[:1])
    # The variance of a mean of 40, whatever the size of the draws.
    np.testing.assert_allclose(variance, target.var() / 40, rtol=0.2)


@pytest.mark.slow
def test_groups_are_the_units():
    groups = np.arange(60) % 20
    target = np.random.default_rng(0).normal(size=20)[groups]
    model = BaggingRegressor(n_estimators=2000, random_state=0)
    model.fit(np.zeros((60, 1)), target, groups=groups)
    variance = infinitesimal_jackknife(model, np.zeros((1, 1)))
    np.testing.assert_allclose(variance, target.var() / 20, rtol=0.25)


def test_members_that_saw_everything_say_nothing():
    forest = RandomForestRegressor(5, bootstrap=False).fit(X, y)
    with pytest.raises(ValueError, match="bootstrap=True"):
        infinitesimal_jackknife(forest, X)
    with pytest.raises(ValueError, match="bootstrap=True"):
        JackknifePlusIntervals(forest, X, y)


@pytest.mark.slow
@pytest.mark.parametrize("random_size", [False, True])
def test_intervals_cover_what_they_promise(random_size):
    """60 rows, degree-five polynomials: about 1 - alpha are covered, never below 1 - 2 alpha."""
    rng = np.random.default_rng(0)
    learner = make_pipeline(PolynomialFeatures(5), LinearRegression())
    hits = []
    for seed in range(8):
        rows = rng.uniform(-1, 1, size=(160, 1))
        target = np.sin(3 * rows[:, 0]) + rng.normal(scale=0.3, size=160)
        model = BaggingRegressor(learner, 60, random_state=seed).fit(rows[:60], target[:60])
        intervals = JackknifePlusIntervals(
            model, rows[:60], target[:60], random_size=random_size, random_state=seed
        )
        low, high = intervals.interval(rows[60:], alpha=0.1)
        hits.append((low <= target[60:]) & (target[60:] <= high))
    assert 0.86 < np.mean(hits) < 0.97


def test_interval_ends_by_hand():
    model = BaggingRegressor(n_estimators=40, random_state=0).fit(X[:50], y[:50])
    low, high = JackknifePlusIntervals(model, X[:50], y[:50]).interval(X[50:53], alpha=0.2)
    votes = np.array([tree.predict(X) for tree in model.estimators_])
    unseen = model.bags_.outside().T
    without = np.array([votes[unseen[:, i]].mean(axis=0) for i in range(50)])
    residual = np.abs(y[:50] - without[np.arange(50), np.arange(50)])
    for query in range(3):
        down = np.sort(without[:, 50 + query] - residual)
        up = np.sort(without[:, 50 + query] + residual)
        assert low[query] == pytest.approx(down[10 - 1])  # floor of 0.2 * 51
        assert high[query] == pytest.approx(up[41 - 1])  # ceiling of 0.8 * 51


def test_too_few_rows_give_everything():
    model = BaggingRegressor(n_estimators=30, random_state=0).fit(X[:8], y[:8])
    low, high = JackknifePlusIntervals(model, X[:8], y[:8]).interval(X[8:10], alpha=0.05)
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()
    with pytest.raises(ValueError, match="alpha=2"):
        JackknifePlusIntervals(model, X[:8], y[:8]).interval(X, alpha=2)
    with pytest.raises(ValueError, match="single-output regressor"):
        JackknifePlusIntervals(RandomForestClassifier(2).fit(X[:8], [0, 1] * 4), X[:8], [0, 1] * 4)


def test_infinite_intervals_of_few_members_are_explained():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    model = BaggingRegressor(n_estimators=4, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="of 60 rows are in the bags of all 4 members"):
        low, high = JackknifePlusIntervals(model, X, y).interval(X[:2])
    assert np.isinf(low).all()
    assert np.isinf(high).all()
