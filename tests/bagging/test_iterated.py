"""Iterated bagging: plain bagging at first, less bias with every stage."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.linear_model import Ridge

from coterie import BaggingRegressor, DecisionTreeRegressor
from coterie.bagging import IteratedBaggingRegressor

STUMP = DecisionTreeRegressor(max_depth=1)


@pytest.mark.slow
@pytest.mark.parametrize("tree", [None, STUMP])
def test_first_stage_is_plain_bagging(tree):
    X, y = load_diabetes(return_X_y=True)
    bag = BaggingRegressor(tree, n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    model = IteratedBaggingRegressor(tree, random_state=0).fit(X, y)
    assert model.stage_errors_[0] == pytest.approx(np.mean((y - bag.oob_prediction_) ** 2))
    one = IteratedBaggingRegressor(tree, n_stages=1, random_state=0).fit(X, y)
    np.testing.assert_allclose(one.predict(X), bag.predict(X))
    np.testing.assert_allclose(next(model.staged_predict(X)), bag.predict(X))


@pytest.mark.slow
def test_second_stage_learns_what_was_left_out_of_bag():
    X, y = load_diabetes(return_X_y=True)
    bag = BaggingRegressor(STUMP, n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    model = IteratedBaggingRegressor(STUMP, n_stages=2, random_state=0).fit(X, y)
    left = y - bag.oob_prediction_
    first, second = model.estimators_[50], model.estimators_[51]
    rows = model.bags_.counts(50), model.bags_.counts(51)
    for member, counts in zip((first, second), rows, strict=True):
        again = DecisionTreeRegressor(max_depth=1).fit(X, left, counts)
        np.testing.assert_allclose(member.predict(X), again.predict(X))


@pytest.mark.slow
def test_takes_away_bias():
    X, y = make_friedman1(900, noise=1.0, random_state=0)
    plain = BaggingRegressor(STUMP, n_estimators=50, random_state=0).fit(X[:600], y[:600])
    model = IteratedBaggingRegressor(STUMP, random_state=0).fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > plain.score(X[600:], y[600:]) + 0.4
    assert np.all(np.diff(model.stage_errors_[:5]) < 0)


@pytest.mark.slow
def test_stages_after_the_best_are_thrown_away():
    X, y = load_diabetes(return_X_y=True)
    model = IteratedBaggingRegressor(STUMP, random_state=0).fit(X, y)
    errors = model.stage_errors_
    assert model.n_stages_ == errors.argmin() + 1
    assert errors[-1] > 1.1 * errors.min() or len(errors) == 10
    assert np.all(errors[:-1] <= 1.1 * np.minimum.accumulate(errors[:-1]))
    assert len(model.estimators_) == len(model.pool_) == 50 * model.n_stages_
    stages = list(model.staged_predict(X))
    assert len(stages) == model.n_stages_
    np.testing.assert_allclose(stages[-1], model.predict(X))


@pytest.mark.slow
def test_error_of_stages_is_that_of_new_rows():
    X, y = make_friedman1(1000, noise=1.0, random_state=1)
    tree = DecisionTreeRegressor(max_depth=3)
    model = IteratedBaggingRegressor(tree, random_state=0).fit(X[:500], y[:500])
    fresh = [np.mean((y[500:] - stage) ** 2) for stage in model.staged_predict(X[500:])]
    # Rather too large than too small: a third of the members judges each row.
    ratio = model.stage_errors_[: model.n_stages_] / fresh
    assert np.all((ratio > 0.85) & (ratio < 1.5))


@pytest.mark.slow
def test_copies_in_the_bag_are_not_out_of_bag():
    X, y = load_diabetes(return_X_y=True)
    once = IteratedBaggingRegressor(n_stages=1, random_state=0).fit(X, y)
    thrice = IteratedBaggingRegressor(n_stages=1, random_state=0)
    thrice.fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    bag = BaggingRegressor(n_estimators=50, oob_score=True, random_state=0)
    naive = bag.fit(np.repeat(X, 3, axis=0), np.repeat(y, 3)).oob_prediction_
    assert np.mean((np.repeat(y, 3) - naive) ** 2) < 0.7 * once.stage_errors_[0]
    assert thrice.stage_errors_[0] > 0.9 * once.stage_errors_[0]


def test_few_members_leave_rows_without_a_judge():
    X, y = load_diabetes(return_X_y=True)
    model = IteratedBaggingRegressor(STUMP, n_members=2, random_state=0).fit(X, y)
    assert np.isfinite(model.stage_errors_).all()
    alone = IteratedBaggingRegressor(n_members=2).fit(X[:1], y[:1])
    assert np.isnan(alone.stage_errors_[0])
    assert alone.predict(X[:1]) == y[0]


def test_target_that_nothing_is_left_of():
    X, _ = load_diabetes(return_X_y=True)
    model = IteratedBaggingRegressor(random_state=0).fit(X, np.full(len(X), 3.0))
    assert len(model.stage_errors_) == 1
    np.testing.assert_allclose(model.predict(X), 3.0)


@pytest.mark.slow
def test_any_regressor():
    X, y = load_diabetes(return_X_y=True)
    model = IteratedBaggingRegressor(Ridge(), n_members=30, random_state=0).fit(X, y)
    assert isinstance(model.estimators_[0], Ridge)
    assert model.score(X, y) > 0.4


@pytest.mark.slow
def test_several_outputs():
    X, y = load_diabetes(return_X_y=True)
    both = IteratedBaggingRegressor(STUMP, random_state=0).fit(X, np.column_stack([y, -y]))
    assert both.predict(X).shape == (len(y), 2)
    np.testing.assert_allclose(both.predict(X)[:, 0], -both.predict(X)[:, 1])
