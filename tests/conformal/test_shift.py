"""Weights of rows when new ones come from elsewhere."""

import numpy as np
import pytest
from scipy import stats

from coterie import ConformalRegressor
from coterie.conformal import density_ratio
from tests.conformal.test_interval_regressor import Zero


@pytest.mark.slow
def test_rows_like_the_new_ones_weigh_more():
    rng = np.random.default_rng(0)
    X, new = rng.normal(0, 1, (800, 1)), rng.normal(0.7, 1, (400, 1))
    weight, of_new = density_ratio(X, new, n_trees=60, random_state=0)
    assert (weight.shape, of_new.shape) == ((800,), (400,))
    truth = np.exp(0.7 * X[:, 0] - 0.245)
    assert stats.spearmanr(weight, truth).statistic > 0.9
    assert 0.8 < weight.mean() < 1.25  # a density ratio has mean one
    assert 0.8 < np.median(weight / truth) < 1.25


def test_without_a_shift_all_weigh_alike():
    X = np.random.default_rng(1).normal(size=(600, 2))
    weight, _ = density_ratio(X[:400], X[400:], n_trees=40, random_state=0)
    assert 0.5 < np.quantile(weight, 0.1) < np.quantile(weight, 0.9) < 1.8


@pytest.mark.slow
def test_shifted_rows_are_covered_with_weights_only():
    """The noise grows to the right, where the new rows are."""
    rng = np.random.default_rng(2)
    X, new = rng.normal(0, 1, (1500, 1)), rng.normal(1, 1, (1500, 1))
    y, truth = (np.exp(rows[:, 0]) * rng.normal(size=1500) for rows in (X, new))
    weight, of_new = density_ratio(X, new, n_trees=60, random_state=0)
    model = ConformalRegressor(Zero().fit(X, y), prefit=True)
    found = []
    for given, own in ((None, None), (weight, of_new)):
        low, high = model.calibrate(X, y, given).predict_interval(new, 0.1, own).T
        found.append(np.mean((low <= truth) & (truth <= high)))
    assert found[0] < 0.84
    assert abs(found[1] - 0.9) < 0.03


def test_frames_with_categories():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    frames = [
        pandas.DataFrame({"kind": rng.choice(["a", "b", "c"], 200, p=p), "x": rng.normal(size=200)})
        for p in ([0.6, 0.3, 0.1], [0.1, 0.3, 0.6])
    ]
    weight, _ = density_ratio(*frames, n_trees=20, random_state=0)
    means = [weight[frames[0]["kind"] == kind].mean() for kind in "abc"]
    assert means[0] < 0.5 < means[1] < 2 < means[2]
