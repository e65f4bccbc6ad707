import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

import coterie
from coterie import ConformalRegressor
from coterie.conformal import plus_interval
from coterie.theory import ranks_of

X, y = load_diabetes(return_X_y=True)
FOREST = coterie.RandomForestRegressor(n_estimators=60, min_samples_leaf=3, random_state=0)


class Zero(RegressorMixin, BaseEstimator):
    """Always says 0, so that scores are the targets themselves."""

    def fit(self, X, y):
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict(self, X):
        return np.zeros(len(X))


def coverage(model, alpha=0.1):
    return model.coverage_report(X[300:], y[300:], alpha).coverage


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["split", "cv+", "minmax", "jackknife+ab", "oob", "cqr", "cqr-oob"]
)
def test_every_method_covers_about_as_often_as_asked(method):
    model = ConformalRegressor(FOREST, method=method, cv=4, random_state=0).fit(X[:300], y[:300])
    assert model.method_ == method
    # 142 rows: three standard errors are .075.
    assert 0.82 < coverage(model) < 0.99


@pytest.mark.slow
def test_coverage_of_split_sets_is_that_of_the_rank():
    """Nine rows for calibration and ten to fit on: the next row is in with a chance of 9/10."""
    rng = np.random.default_rng(0)
    n, hits = 9, []
    for _ in range(2000):
        rows, targets = rng.normal(size=(n, 1)), rng.normal(size=n)
        model = ConformalRegressor(Zero().fit(rows, targets), prefit=True)
        model.calibrate(rows, targets)
        low, high = model.predict_interval(np.zeros((1, 1)), 0.1)[0]
        hits.append(low <= rng.normal() <= high)
    expected = ranks_of(n, 0.1)[1] / (n + 1)
    assert abs(np.mean(hits) - expected) < 3.5 * np.sqrt(expected * (1 - expected) / 2000)


def test_plus_intervals_as_in_the_specification():
    without = np.array([2.0, 2.6, 1.8, 2.3])[:, None]
    residuals = [0.5, 1.0, 0.3, 0.7]
    np.testing.assert_allclose(plus_interval(without, residuals, 0.25), [[1.5], [3.6]])
    np.testing.assert_allclose(plus_interval(without, residuals, 0.25, minmax=True), [[0.8], [3.6]])
    np.testing.assert_array_equal(plus_interval(without, residuals, 0.1), [[-np.inf], [np.inf]])
    wide = plus_interval(without, residuals, 0.1, minmax=True)
    np.testing.assert_array_equal(wide, [[-np.inf], [np.inf]])


def test_plus_intervals_of_equal_models_are_split_ones():
    residuals = np.random.default_rng(0).exponential(size=50)
    low, high = plus_interval(np.full((50, 1), 3.0), residuals, 0.2)
    rank = ranks_of(50, 0.2)[1]
    assert high[0] == 3.0 + np.sort(residuals)[rank - 1]
    assert low[0] == 3.0 - np.sort(residuals)[50 - ranks_of(50, 0.2)[0]]


@pytest.mark.slow
def test_bags_are_used_again():
    model = ConformalRegressor(FOREST, random_state=0).fit(X[:300], y[:300])
    assert model.method_ == "jackknife+ab"
    plain = coterie.JackknifePlusIntervals(model.estimator_, X[:300], y[:300])
    np.testing.assert_allclose(
        model.predict_interval(X[300:], 0.1).T, plain.interval(X[300:], 0.1), rtol=1e-12
    )


def test_other_models_are_fitted_by_folds():
    model = ConformalRegressor(LinearRegression(), cv=5, random_state=0).fit(X[:300], y[:300])
    assert model.method_ == "cv+"
    assert len(model.models_) == 5
    mine = model.folds_ == 2
    said = model.models_[2].predict(X[:300][mine])
    np.testing.assert_allclose(model.conformity_scores_[mine], np.abs(y[:300][mine] - said))


def test_bands_as_in_the_specification():
    class Band(Zero):
        def predict_quantiles(self, X):
            return X[:, :2]

    ends = np.array([[1.0, 3.0], [2.0, 4.0], [0.0, 2.0], [3.0, 6.0], [1.0, 2.0]])
    truth = np.array([3.5, 3.0, 1.9, 2.0, 1.5])
    model = ConformalRegressor(Band().fit(ends, truth), prefit=True).calibrate(ends, truth)
    np.testing.assert_allclose(model.conformity_scores_, [0.5, -1.0, -0.1, 1.0, -0.5])
    np.testing.assert_allclose(model.predict_interval(ends[:1], 0.2), [[0.0, 4.0]])
    crossed = model.predict_interval(np.array([[0.0, 0.2]]), 0.7)
    np.testing.assert_allclose(crossed, [[0.1, 0.1]])
    both = ConformalRegressor(Band().fit(ends, truth), prefit=True, asymmetric=True)
    both.calibrate(ends, truth)
    # Lower ends are off by -2.5, -1, -1.9, 1, -.5; upper ends by .5, -1, -.1, -4, -.5.
    np.testing.assert_allclose(both.predict_interval(ends[:1], 0.4), [[0.0, 3.5]])


def test_quantile_models_are_conformalised():
    quantiles = coterie.QuantileBoostingRegressor(quantiles=(0.05, 0.95), n_estimators=30)
    model = ConformalRegressor(quantiles, random_state=0).fit(X[:300], y[:300])
    assert model.method_ == "cqr"
    assert model.n_calibration_ == 75
    assert 0.8 < coverage(model) < 0.99


@pytest.mark.slow
def test_bands_out_of_bag_are_of_all_rows():
    model = ConformalRegressor(FOREST, method="cqr-oob", quantiles=(0.2, 0.8)).fit(X, y)
    assert model.n_calibration_ == len(y)
    band = coterie.QuantilePredictor(FOREST.fit(X, y), X, y)
    low, high = band.predict_oob([0.2, 0.8]).T
    scores = np.maximum(low - y, y - high)
    np.testing.assert_allclose(model.conformity_scores_, scores)
    move = np.sort(scores)[ranks_of(len(y), 0.1)[1] - 1]
    expected = band.predict(X[:9], [0.2, 0.8]) + np.array([-move, move])
    np.testing.assert_allclose(model.predict_interval(X[:9], 0.1), expected)
    # Ends that move alone.
    model.set_params(asymmetric=True).fit(X, y)
    up = np.sort(y - high)[ranks_of(len(y), 0.05)[1] - 1]
    expected = band.predict(X[:9], [0.8])[:, 0] + up
    np.testing.assert_allclose(model.predict_interval(X[:9], 0.1)[:, 1], expected)


def test_kept_out_of_fold_predictions_are_used():
    class Keeper(Zero):
        def fit(self, X, y):
            self.truth_, self.out_of_fold_ = np.asarray(y), np.asarray(y) + 2.0
            return super().fit(X, y)

    model = ConformalRegressor(Keeper()).fit(X, y)
    assert model.method_ == "oof"
    np.testing.assert_allclose(model.predict_interval(X[:1], 0.1), [[-2.0, 2.0]])


@pytest.mark.slow
def test_normalised_intervals_follow_the_spread_of_the_members():
    model = ConformalRegressor(FOREST, method="oob", normalize=True).fit(X[:300], y[:300])
    width = np.diff(model.predict_interval(X[300:], 0.1), axis=1)[:, 0]
    spread = model.estimator_.pool_.votes(model.estimator_._admit(X[300:]))[:, :, 0].std(axis=0)
    assert np.corrcoef(width, spread)[0, 1] > 0.999
    assert 0.8 < coverage(model) < 0.99
    with pytest.raises(ValueError, match="LinearRegression has no members"):
        ConformalRegressor(LinearRegression(), method="split", normalize=True).fit(X, y)


def test_groups_have_their_own_intervals():
    rows = np.c_[X[:, :2], np.arange(len(X)) % 2]
    targets = np.where(rows[:, 2] == 1, 100.0, 1.0) * np.random.default_rng(0).normal(size=len(X))
    for method in ("split", "cv+"):
        model = ConformalRegressor(LinearRegression(), method=method, by=2, cv=4, random_state=0)
        ends = model.fit(rows, targets).predict_interval(rows, 0.1)
        width = np.diff(ends, axis=1)[:, 0]
        assert width[rows[:, 2] == 1].min() > 5 * width[rows[:, 2] == 0].max()
    with pytest.raises(ValueError, match="by='class' is for classifiers"):
        ConformalRegressor(by="class").fit(X, y)


def test_weights_of_calibration_stand_for_shift():
    model = ConformalRegressor(Zero().fit(X, y), prefit=True)
    scores = np.arange(1.0, 41.0)
    rows = np.zeros((40, 2))
    plain = model.calibrate(rows, scores).predict_interval(rows[:1], 0.2)
    equal = model.calibrate(rows, scores, np.full(40, 2.0))
    np.testing.assert_array_equal(equal.predict_interval(rows[:1], 0.2, [2.0]), plain)
    shifted = model.calibrate(rows, scores, np.r_[np.full(20, 0.01), np.full(20, 1.0)])
    assert shifted.predict_interval(rows[:1], 0.2)[0, 1] > plain[0, 1]
    each = shifted.predict_interval(rows[:2], 0.2, [1.0, 100.0])
    assert each[0, 1] == shifted.predict_interval(rows[:1], 0.2)[0, 1] < each[1, 1] == np.inf


def test_both_ends_of_a_band_see_the_weight_of_a_row():
    class Band(Zero):
        def predict_quantiles(self, X):
            return np.zeros((len(X), 2))

    rows, truth = np.zeros((40, 1)), np.arange(-20.0, 20.0)
    model = ConformalRegressor(Band().fit(rows, truth), prefit=True, asymmetric=True)
    model.calibrate(rows, truth, np.ones(40))
    plain, heavy = model.predict_interval(rows[:2], 0.4, [1.0, 90.0])
    np.testing.assert_array_equal(plain, model.predict_interval(rows[:1], 0.4)[0])
    assert np.isinf(heavy).all()


def test_infinite_intervals_are_told():
    model = ConformalRegressor(LinearRegression(), cv=5).fit(X[:5], y[:5])
    with pytest.warns(UserWarning, match="5 calibration rows cannot give 90% coverage"):
        ends = model.predict_interval(X[:2], 0.1)
    assert np.isinf(ends).all()


@pytest.mark.parametrize("method", ["jackknife+ab", "oob", "cqr-oob"])
def test_infinite_intervals_of_few_members_are_told(method):
    forest = coterie.RandomForestRegressor(4, random_state=0)
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = coterie.ConformalRegressor(forest, method=method).fit(X, X[:, 0])
    with pytest.warns(UserWarning, match="in the bags of all 4 members"):
        assert np.isinf(model.predict_interval(X)).all()


def test_wrong_methods_are_refused():
    with pytest.raises(ValueError, match="not LinearRegression. Use method='cv.'"):
        ConformalRegressor(LinearRegression(), method="oob").fit(X, y)
    with pytest.raises(ValueError, match="not LinearRegression. Use method='cv.'"):
        ConformalRegressor(LinearRegression(), method="cqr-oob").fit(X, y)
    with pytest.raises(ValueError, match="keeps no out-of-fold"):
        ConformalRegressor(LinearRegression(), method="oof").fit(X, y)
    with pytest.raises(ValueError, match="needs a quantile model or a forest"):
        ConformalRegressor(LinearRegression(), method="cqr").fit(X, y)
    for quantiles in ((0.9, 0.1), (0.5,), (0.0, 0.9)):
        with pytest.raises(ValueError, match="a lower and an upper level"):
            ConformalRegressor(FOREST, method="cqr", quantiles=quantiles).fit(X, y)


@pytest.mark.parametrize("method", ["split", "cv+"])
def test_rows_without_a_group_are_a_group(method):
    rng = np.random.default_rng(0)
    group = np.where(np.arange(200) % 2, 1.0, np.nan)
    rows = np.c_[rng.normal(size=200), group]
    targets = np.where(np.isnan(group), 50.0, 1.0) * rng.normal(size=200)
    model = ConformalRegressor(Zero(), method=method, by=1, cv=3, random_state=0)
    width = np.diff(model.fit(rows, targets).predict_interval(rows, 0.2), axis=1)[:, 0]
    assert width[np.isnan(group)].min() > 5 * width[group == 1].max()
    with pytest.warns(UserWarning, match="0 calibration rows"):
        assert np.isinf(model.predict_interval([[0.0, 7.0]], 0.2)).all()  # a group nobody knows


def test_many_rows_are_spoken_for_by_some():
    from coterie.conformal.interval_regressor import _some

    assert _some(np.arange(20_000)).tolist() == list(range(20_000))
    some = _some(np.arange(10, 30_010))
    assert len(np.unique(some)) == 20_000
    assert some.min() >= 10
