"""Rows of a round: how many, which ones, and what they stand for."""

import numpy as np
import pytest

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.boosting.gradient.rows import Draw, Goss, SomeRows
from tests.boosting.gradient.tables import SMALL, numbers, two_classes


@pytest.mark.slow
def test_some_rows_are_distinct_ascending_and_fair():
    rng = np.random.default_rng(0)
    seen = np.zeros(50)
    for _ in range(2000):
        rows = SomeRows(0.3)(np.zeros((50, 1)), 0, rng).rows
        assert rows.dtype == np.int32
        assert len(rows) == 15
        assert (np.diff(rows) > 0).all()
        seen[rows] += 1
    np.testing.assert_allclose(seen / 2000, 0.3, atol=0.05)


def test_goss_keeps_the_largest_and_scales_the_others():
    gradient = np.random.default_rng(1).normal(size=(100, 2))
    draw = Goss(0.2, 0.1)(gradient, 0, np.random.default_rng(0))
    size = np.abs(gradient).sum(axis=1)
    assert set(np.argsort(size)[80:]) <= set(draw.rows.tolist())
    assert len(draw.rows) == 30
    assert len(draw.scaled) == 10
    assert set(draw.scaled.tolist()) <= set(draw.rows.tolist())
    assert draw.factor == pytest.approx((1 - 0.2) / 0.1)


@pytest.mark.slow
def test_goss_expects_the_sums_of_all_rows():
    rng = np.random.default_rng(0)
    gradient, hessian = rng.normal(size=(200, 1)), rng.uniform(0.1, 1, size=(200, 1))
    sums = []
    for _ in range(3000):
        draw = Goss(0.3, 0.2)(gradient, 0, rng)
        g, h = draw.scale(gradient.copy(), hessian)
        sums.append((g[draw.rows].sum(), h[draw.rows].sum()))
    expected = [gradient.sum(), hessian.sum()]
    error = np.std(sums, axis=0) / np.sqrt(3000)
    assert (np.abs(np.mean(sums, axis=0) - expected) < 4 * error).all()


def test_goss_waits_for_its_first_round():
    gradient = np.random.default_rng(0).normal(size=(100, 1))
    goss = Goss(0.2, 0.1, begin=3)
    rng = np.random.default_rng(0)
    assert goss(gradient, 2, rng).rows is None
    assert len(goss(gradient, 3, rng).rows) == 30


@pytest.mark.parametrize("weighted", [False, True])
def test_goss_that_keeps_all_is_plain(weighted):
    X, y = two_classes()
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else None
    plain = HistGradientBoostingClassifier(**SMALL).fit(X, y, weight)
    goss = HistGradientBoostingClassifier(boosting="goss", top_rate=0.4, other_rate=0.6, **SMALL)
    assert np.array_equal(goss.fit(X, y, weight).decision_function(X), plain.decision_function(X))


def test_scaling_leaves_the_weights_alone():
    weight = np.ones((4, 1))
    draw = Draw(np.array([0, 1], dtype=np.int32), np.array([1], dtype=np.int32), 3.0)
    gradient, hessian = draw.scale(np.ones((4, 1)), weight)
    assert gradient.ravel().tolist() == hessian.ravel().tolist() == [1, 3, 1, 1]
    assert weight.ravel().tolist() == [1, 1, 1, 1]
    assert draw.weigh(np.ones(4)).tolist() == [1, 3, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_leaves_are_those_of_the_drawn_rows(loss):
    """A row that no round draws leaves no trace, wherever its target lies."""
    X, y = numbers(200)
    settings = {**SMALL, "max_iter": 1, "subsample": 0.5, "init": "zero", "loss": loss}
    first = HistGradientBoostingRegressor(**settings).fit(X, y)
    same = []
    for row in range(40):
        far = y.copy()
        far[row] += 1.0
        model = HistGradientBoostingRegressor(**settings).fit(X, far)
        same.append(np.array_equal(first.predict(X), model.predict(X)))
    assert 8 <= sum(same) <= 32
