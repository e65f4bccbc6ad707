"""What boosters share that go down a slope: rows left out and held out, warm starts, stages."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from coterie import (
    DecisionTreeRegressor,
    FunctionalGradientBoostingClassifier,
    FunctionalGradientBoostingRegressor,
    NormalBoostingRegressor,
    QuantileBoostingRegressor,
)
from coterie.boosting.descender import Descender, Origin
from coterie.data import Table
from coterie.losses import SquaredError

X, Y = load_diabetes(return_X_y=True)
IRIS = load_iris(return_X_y=True)
MODELS = {
    "leaves": lambda **p: FunctionalGradientBoostingRegressor(loss="huber", **p),
    "rounds": lambda **p: FunctionalGradientBoostingRegressor(
        loss="absolute_error", line_search="round", **p
    ),
    "started": lambda **p: FunctionalGradientBoostingRegressor(init=LinearRegression(), **p),
    "foreign": lambda **p: FunctionalGradientBoostingRegressor(Ridge(alpha=1e-3), **p),
    "quantiles": lambda **p: QuantileBoostingRegressor(**p),
    "normal": lambda **p: NormalBoostingRegressor(**p),
}
every = pytest.mark.parametrize("kind", MODELS)


@every
@pytest.mark.parametrize("subsample", [1.0, 0.6])
def test_warm_start_goes_on_where_it_ended(kind, subsample):
    params = {"random_state": 3, "subsample": subsample}
    whole = MODELS[kind](n_estimators=9, **params).fit(X, Y)
    parts = MODELS[kind](n_estimators=4, warm_start=True, **params).fit(X, Y)
    parts.set_params(n_estimators=9).fit(X, Y)
    np.testing.assert_allclose(parts.predict(X), whole.predict(X), rtol=1e-9)
    np.testing.assert_allclose(parts.train_score_, whole.train_score_, rtol=1e-9)


@every
def test_stages_end_where_the_model_does(kind):
    model = MODELS[kind](n_estimators=6, random_state=0).fit(X, Y)
    stages = list(model.staged_predict(X))
    assert len(stages) == model.n_rounds_ == 6
    np.testing.assert_allclose(stages[-1], model.predict(X), rtol=1e-12)
    shorter = MODELS[kind](n_estimators=3, random_state=0).fit(X, Y)
    np.testing.assert_allclose(stages[2], shorter.predict(X), rtol=1e-12)
    assert list(model.staged_score(X, Y))[-1] == pytest.approx(model.score(X, Y))


def test_stages_of_classes():
    model = FunctionalGradientBoostingClassifier(n_estimators=4).fit(*IRIS)
    last = list(model.staged_predict_proba(IRIS[0]))[-1]
    np.testing.assert_allclose(last, model.predict_proba(IRIS[0]), rtol=1e-12)


@pytest.mark.slow
@every
def test_rows_left_out_tell_how_much_rounds_improve(kind):
    model = MODELS[kind](n_estimators=30, subsample=0.5, random_state=0).fit(X, Y)
    assert model.oob_scores_.shape == model.oob_improvement_.shape == (30,)
    if kind != "started":  # which has seen all rows already
        assert model.oob_improvement_[:5].sum() > 0
    plain = MODELS[kind](n_estimators=2).fit(X, Y)
    assert not hasattr(plain, "oob_scores_")
    assert not hasattr(plain, "oob_improvement_")


def test_what_rows_left_out_say_is_what_prediction_says():
    model = FunctionalGradientBoostingRegressor(n_estimators=3, subsample=0.5, random_state=0)
    model.fit(X, Y)
    drawn = []
    for stage in [np.full(len(Y), Y.mean()), *model.staged_predict(X)]:
        drawn.append(0.5 * (Y - stage) ** 2)
    # improvements are means over some 221 rows of differences between stages
    gain = (drawn[0] - drawn[1]).mean()
    assert model.oob_improvement_[0] == pytest.approx(gain, rel=0.3)
    assert model.train_score_[1] == pytest.approx(drawn[2].mean())


@every
def test_early_stopping_keeps_the_best_round(kind):
    model = MODELS[kind](
        n_estimators=400, learning_rate=0.4, early_stopping=True, n_iter_no_change=5, random_state=0
    ).fit(X, Y)
    held = model.trace_["validation_error"]
    assert model.stop_reason_ == "early_stopping"
    assert model.n_rounds_ == len(held) == int(np.argmin(held)) + 1 < 395


def test_given_rows_are_measured_in_the_units_of_predictions():
    learn, watch, y_learn, y_watch = train_test_split(X, Y, random_state=0)
    model = FunctionalGradientBoostingRegressor(
        n_estimators=6,
        scoring=["error", "loss", "r2", "mean_absolute_error"],
        init=LinearRegression(),
    ).fit(learn, y_learn, X_val=watch, y_val=y_watch)
    stages = list(model.staged_predict(watch))
    facts = model.trace_
    for stage, at in zip(stages, range(6), strict=True):
        assert facts["validation_r2"][at] == pytest.approx(r2_score(y_watch, stage))
        size = mean_absolute_error(y_watch, stage)
        assert facts["validation_mean_absolute_error"][at] == pytest.approx(size)
        loss = pytest.approx(np.mean((y_watch - stage) ** 2) / 2)
        assert facts["validation_error"][at] == facts["validation_loss"][at] == loss


def test_given_rows_of_classes():
    learn, watch, y_learn, y_watch = train_test_split(*IRIS, random_state=0, stratify=IRIS[1])
    model = FunctionalGradientBoostingClassifier(n_estimators=5, scoring=["error", "accuracy"])
    model.fit(learn, y_learn, X_val=watch, y_val=y_watch)
    chance = model.predict_proba(watch)
    expected = -np.log(chance[np.arange(len(watch)), y_watch]).mean()
    assert model.trace_["validation_error"][-1] == pytest.approx(expected)
    assert model.trace_["validation_accuracy"][-1] == pytest.approx(model.score(watch, y_watch))


def test_leaves_are_those_of_native_trees():
    with pytest.raises(ValueError, match="line_search='leaf'"):
        FunctionalGradientBoostingRegressor(Ridge(), line_search="leaf").fit(X, Y)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_monotone_trees_make_a_monotone_sum(loss):
    tree = DecisionTreeRegressor(max_depth=3, monotonic_cst=[0, 0, 1, -1, *[0] * 6])
    model = FunctionalGradientBoostingRegressor(tree, loss=loss, n_estimators=20).fit(X, Y)
    for column, sign in ((2, 1), (3, -1)):
        grid = np.repeat(X[:20], 30, axis=0)
        grid[:, column] = np.tile(np.linspace(X[:, column].min(), X[:, column].max(), 30), 20)
        assert (sign * np.diff(model.predict(grid).reshape(20, 30), axis=1) >= -1e-9).all()
    with pytest.raises(ValueError, match="monotonic_cst"):
        model.set_params(line_search="leaf").fit(X, Y)


@pytest.mark.parametrize("subsample", [1.0, 0.5])
def test_members_without_weights_see_every_row_once_where_weights_are_equal(subsample):
    params = {"n_estimators": 4, "subsample": subsample, "random_state": 0}
    weighted = FunctionalGradientBoostingRegressor(LinearRegression(), **params)
    unweighted = FunctionalGradientBoostingRegressor(make_pipeline(LinearRegression()), **params)
    expected = weighted.fit(X, Y).predict(X)
    np.testing.assert_allclose(unweighted.fit(X, Y).predict(X), expected, rtol=1e-9)
    weight = np.where(np.arange(len(Y)) < 100, 1.0, 1e-6)
    drawn = unweighted.fit(X, Y, weight).predict(X)
    assert np.abs(drawn - Y)[:100].mean() < np.abs(drawn - Y)[100:].mean()


def test_pruned_trees_are_fitted_anew_as_well():
    tree = DecisionTreeRegressor(max_depth=3, ccp_alpha=0.01)
    model = FunctionalGradientBoostingRegressor(tree, loss="absolute_error", n_estimators=10)
    losses = model.fit(X, Y).train_score_
    assert (np.diff(losses) <= 0).all()
    assert len(np.unique(model.estimators_[0].apply(X))) < 8


@every
def test_resampling_and_pickling(kind):
    model = MODELS[kind](n_estimators=5, weighting="resample", subsample=0.8, random_state=0)
    again = pickle.loads(pickle.dumps(model.fit(X, Y)))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert model.rule_.origin is None  # no training rows are kept


def test_at_least_one_row_is_left_out():
    few = FunctionalGradientBoostingRegressor(subsample=0.99, n_estimators=3, random_state=0)
    assert np.isfinite(few.fit(X[:5], Y[:5]).oob_scores_).all()
    one = few.fit(X[:1], Y[:1])
    assert one.predict(X[:2]).tolist() == [Y[0]] * 2
    assert not hasattr(one, "oob_scores_")


def test_rows_held_out_may_all_be_zero():
    y = np.zeros(60)
    y[:6] = 3.0
    model = FunctionalGradientBoostingRegressor(loss="poisson", n_estimators=3)
    model.fit(X[:60], y, X_val=X[:9], y_val=np.zeros(9))
    assert np.isfinite(model.trace_["validation_error"]).all()
    with pytest.raises(ValueError, match="non-negative y"):
        model.fit(X[:60], y, X_val=X[:9], y_val=-np.ones(9))


def test_criteria_of_counts_are_not_for_residuals():
    tree = DecisionTreeRegressor(criterion="poisson")
    with pytest.raises(ValueError, match="residuals"):
        FunctionalGradientBoostingRegressor(tree, loss="poisson").fit(X, np.abs(Y))


def test_importances_and_errors():
    model = FunctionalGradientBoostingRegressor(n_estimators=5).fit(X, Y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    np.testing.assert_array_equal(model.estimator_errors_, model.train_score_)


def test_origins_are_rows_of_scores():
    table = Table.read(X[:4])
    origin = Origin(SquaredError(), np.array([2.0]))
    assert origin.raw(table).tolist() == [[2.0]] * 4


def test_the_loss_is_for_subclasses():
    with pytest.raises(NotImplementedError):
        Descender()._loss(None, None)
