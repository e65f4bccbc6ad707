"""The weighted median."""

import numpy as np
from sklearn.ensemble import AdaBoostRegressor

from coterie.boosting.median import RunningMedian, middle, weighted_median


def slow(votes, weights):
    """Straight from the definition."""
    order = sorted(range(len(votes)), key=lambda t: votes[t])
    reached = 0.0
    for t in order:
        reached += weights[t]
        if reached >= weights.sum() / 2:
            return votes[t]
    raise AssertionError


def test_is_the_first_to_reach_half_of_the_weight():
    rng = np.random.default_rng(0)
    votes, weights = rng.integers(0, 5, (200, 7)).astype(float), rng.uniform(0.1, 2, 7)
    found = weighted_median(votes, weights)
    np.testing.assert_array_equal(found, [slow(row, weights) for row in votes])
    np.testing.assert_array_equal(weighted_median(votes, np.ones(7)), np.median(votes, axis=1))


def test_exactly_half_is_enough():
    assert weighted_median(np.array([[1.0, 2.0]]), np.array([1.0, 1.0])).tolist() == [1.0]


def test_members_of_weight_zero_are_not_there():
    rng = np.random.default_rng(0)
    votes, weights = rng.normal(size=(50, 6)), rng.uniform(0.1, 2, 6)
    known = np.where(np.arange(6) < 4, weights, 0.0)
    found = middle(votes, np.argsort(votes, axis=1), known)
    np.testing.assert_array_equal(found, weighted_median(votes[:, :4], weights[:4]))


def test_equals_scikit_learns():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    model = AdaBoostRegressor(n_estimators=15, random_state=0).fit(X, y)
    votes = np.stack([member.predict(X) for member in model.estimators_], axis=1)
    weights = model.estimator_weights_[: votes.shape[1]]
    np.testing.assert_array_equal(weighted_median(votes, weights), model.predict(X))


def test_watching_takes_votes_out_of_their_sums():
    rng = np.random.default_rng(0)
    votes, alphas = rng.normal(size=(20, 5)), rng.uniform(0.1, 2, 5)
    running, raw = RunningMedian(), np.zeros((20, 2))
    for t, alpha in enumerate(alphas):
        raw += alpha * np.column_stack([votes[:, t], np.ones(20)])
        expected = weighted_median(votes[:, : t + 1], alphas[: t + 1])
        np.testing.assert_allclose(running(raw), expected[:, None])
