"""Weights by Bayes: published values, and the known weakness of averaging."""

import numpy as np
import pytest

from coterie import fusion
from coterie.data.errors import DataError
from tests.diversity.pools import random_pool


def test_information_criterion():
    found = fusion.posterior_weights(-np.array([100, 102, 110]) / 2)
    np.testing.assert_allclose(found, [0.727475, 0.267623, 0.004902], atol=1e-6)
    far = fusion.posterior_weights([-1e6, -1e6 - 1])
    np.testing.assert_allclose(far, [1 / (1 + np.exp(-1)), 1 / (1 + np.e)])


def test_prior():
    np.testing.assert_allclose(fusion.posterior_weights([0, 0], [3, 1]), [0.75, 0.25])
    assert fusion.posterior_weights([0, 5], [1, 0]).tolist() == [1, 0]
    assert fusion.posterior_weights([-np.inf, -np.inf]).tolist() == [0.5, 0.5]


def test_uniform_noise():
    logs = fusion.noise_log_likelihood([10, 12, 20], 100, noise=0.1)
    expected = [0.987805, 0.012195, 0]
    np.testing.assert_allclose(fusion.posterior_weights(logs), expected, atol=1e-6)
    by_hand = 90 * np.log(0.9) + 10 * np.log(0.05)
    assert fusion.noise_log_likelihood([10], 100, n_classes=3)[0] == pytest.approx(by_hand)
    each = fusion.noise_log_likelihood([10, 20], 100, noise=[0.1, 0.2])
    assert each[1] == pytest.approx(80 * np.log(0.8) + 20 * np.log(0.2))
    assert np.isfinite(fusion.noise_log_likelihood([0], 10)).all()


def test_combination():
    labels, y = random_pool(0, n_members=5, n_samples=200)
    weights = fusion.combination_weights(labels, y, random_state=1)
    assert weights.sum() == pytest.approx(1)
    again = fusion.combination_weights(labels, y, random_state=1)
    np.testing.assert_array_equal(weights, again)
    copies = fusion.combination_weights(np.repeat(labels[:1], 4, axis=0), y, n_draws=4000)
    np.testing.assert_allclose(copies, 0.25, atol=0.02)


def test_combination_spreads_where_averaging_does_not():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    labels = np.where(rng.random((5, 2000)) < 0.7, y, 1 - y)
    wrong = (labels != y).sum(axis=1)
    averaging = fusion.posterior_weights(fusion.noise_log_likelihood(wrong, 2000))
    combining = fusion.combination_weights(labels, y)
    assert averaging.max() > combining.max()
    vote = fusion.plurality(labels, combining)
    assert (vote == y).mean() > (labels == y).mean(axis=1).max() + 0.05


def test_members_that_are_always_wrong_are_not_likely():
    y = np.tile([0, 1], 50)
    labels = np.stack([y, 1 - y, 1 - y])
    weights = fusion.combination_weights(labels, y, n_draws=3000)
    assert weights[0] > 0.5


def test_refusals():
    with pytest.raises(DataError, match="log_likelihoods"):
        fusion.posterior_weights([np.nan])
    with pytest.raises(DataError, match="at most n_samples"):
        fusion.noise_log_likelihood([11], 10)
    with pytest.raises(ValueError, match="n_draws"):
        fusion.combination_weights([[0, 1]], [0, 1], n_draws=0)
    with pytest.raises(DataError, match="pass y"):
        fusion.combination_weights([[0, 1]], None)
