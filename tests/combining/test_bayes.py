"""Weights by Bayes."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge

from coterie import (
    BayesianModelAveragingClassifier,
    BayesianModelAveragingRegressor,
    fusion,
)
from coterie.combining.bayes import likely_mean, normal_mixture
from tests.combining.test_selecting import QuotingClasses

ROWS, TRUTH = np.arange(100.0)[:, None], np.zeros(100, dtype=int)
TRUTH[50:] = 1


def member(mistakes, shift=0):
    said = np.where(TRUTH == 1, 1.0, 0.0)
    wrong = (np.arange(mistakes) + shift) % 100
    said[wrong] = 1 - said[wrong]
    return QuotingClasses(tuple(said)).fit(ROWS, TRUTH)


def committee(*mistakes):
    return [(f"m{t}", member(m, 17 * t)) for t, m in enumerate(mistakes)]


def test_averaging_nearly_takes_the_best():
    model = BayesianModelAveragingClassifier(committee(10, 12, 20), cv="prefit", noise=0.1)
    np.testing.assert_allclose(model.fit(ROWS, TRUTH).weights_, [0.987805, 0.012195, 0], atol=1e-6)
    model.set_params(noise="mean").fit(ROWS, TRUTH)
    logs = fusion.noise_log_likelihood([10, 12, 20], 100)
    np.testing.assert_allclose(model.weights_, fusion.posterior_weights(logs))
    own = model.set_params(noise="own").fit(ROWS, TRUTH).weights_
    logs = fusion.noise_log_likelihood([10, 12, 20], 100, noise=np.array([11, 13, 21]) / 102)
    np.testing.assert_allclose(own, fusion.posterior_weights(logs))
    turned = model.set_params(noise=0.1, prior=[0, 1, 1]).fit(ROWS, TRUTH).weights_
    assert turned[0] == 0
    assert turned[1] > 0.99


def test_combination_is_that_of_the_functions():
    model = BayesianModelAveragingClassifier(
        committee(10, 12, 20), cv="prefit", method="combination", random_state=0
    ).fit(ROWS, TRUTH)
    labels = np.stack([m.predict(ROWS) for _, m in committee(10, 12, 20)])
    np.testing.assert_allclose(model.weights_, fusion.combination_weights(labels, TRUTH))
    alike = [("a", member(10)), ("b", member(10))]
    even = BayesianModelAveragingClassifier(alike, cv="prefit", method="combination", n_draws=4000)
    np.testing.assert_allclose(even.fit(ROWS, TRUTH).weights_, [0.5, 0.5], atol=0.02)


def test_weighted_rows_of_combinations():
    draws = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    labels = np.random.default_rng(1).integers(0, 3, (3, 40))
    truth, times = np.arange(40) % 3, np.arange(40) % 4
    weighted = likely_mean(draws, labels, truth, times.astype(float), 3)
    long = np.repeat(labels, times, axis=1)
    repeated = likely_mean(draws, long, np.repeat(truth, times), np.ones(times.sum()), 3)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-12)


def test_mixture_is_ever_more_likely():
    rng = np.random.default_rng(0)
    # Three quarters of the rows follow the first member, the others the second.
    first = rng.random(4000) < 0.75
    noise = rng.normal(size=4000)
    off = np.stack([noise + np.where(first, 0, 8), noise + np.where(first, 8, 0)])
    weights, sigma, track = normal_mixture(off, np.ones(4000))
    np.testing.assert_allclose(weights, [0.75, 0.25], atol=0.02)
    assert sigma == pytest.approx(1, abs=0.03)
    assert (np.diff(track) >= -1e-12).all()
    assert len(track) > 2


@pytest.mark.slow
def test_regressor():
    X, y = load_diabetes(return_X_y=True)
    members = [("ridge", Ridge(0.1)), ("mean", DummyRegressor())]
    for method in ("averaging", "combination", "mixture"):
        model = BayesianModelAveragingRegressor(members, method=method, random_state=0).fit(X, y)
        assert model.weights_[0] > 0.7
        assert model.weights_.sum() == pytest.approx(1)
        mean, spread = model.predict(X, return_std=True)
        np.testing.assert_array_equal(mean, model.predict(X))
        # About two thirds of the rows are within one deviation.
        assert 0.6 < (np.abs(y - mean) < spread).mean() < 0.78
    assert (spread >= model.sigma_).all()
