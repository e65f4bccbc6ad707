"""Second levels that know what their inputs are."""

import numpy as np
import pytest
from scipy.optimize import nnls

from coterie.combining.meta import (
    ConvexStack,
    FeatureWeightedStack,
    LinearStack,
    as_probabilities,
    products,
    risks,
)

rng = np.random.default_rng(0)


def profile(n_members=3, n_rows=60, n_classes=3):
    return rng.dirichlet(np.ones(n_classes), size=(n_members, n_rows))


def truth(n_rows=60, n_classes=3):
    return np.eye(n_classes)[np.arange(n_rows) % n_classes]


def test_models_of_all_classes_add_up_to_one():
    stack = LinearStack.learn(profile(), truth())
    np.testing.assert_allclose(stack(profile(n_rows=9)).sum(axis=1), 1, rtol=1e-9)


def test_of_two_classes_both_inputs_are_the_same():
    said, wanted, new = profile(n_classes=2), truth(n_classes=2), profile(n_rows=9, n_classes=2)
    every = LinearStack.learn(said, wanted, inputs="all")
    own = LinearStack.learn(said, wanted, inputs="class")
    np.testing.assert_allclose(every(new), own(new), rtol=1e-9)
    assert own.coef.shape == (2, 3)
    assert every.coef.shape == (2, 6)


def test_least_squares_by_hand():
    said, wanted = profile(), truth()
    own = LinearStack.learn(said, wanted, inputs="class")
    table = np.column_stack([said[:, :, 1].T, np.ones(60)])
    expected = np.linalg.lstsq(table, wanted[:, 1], rcond=None)[0]
    np.testing.assert_allclose([*own.coef[1], own.intercept[1]], expected, rtol=1e-8)
    positive = LinearStack.learn(said, wanted, inputs="class", nonneg=True, fit_intercept=False)
    np.testing.assert_allclose(positive.coef[1], nnls(said[:, :, 1].T, wanted[:, 1])[0], atol=1e-9)
    assert (positive.coef >= 0).all()
    assert not positive.intercept.any()


@pytest.mark.parametrize("nonneg", [False, True])
def test_weights_are_repetitions(nonneg):
    said, wanted, times = profile(), truth(), rng.integers(1, 4, 60)
    weighted = LinearStack.learn(said, wanted, times.astype(float), nonneg=nonneg)
    repeated = LinearStack.learn(
        np.repeat(said, times, axis=1), np.repeat(wanted, times, axis=0), nonneg=nonneg
    )
    np.testing.assert_allclose(weighted(said), repeated(said), rtol=1e-8, atol=1e-12)


def test_meta_features():
    said, wanted = profile(), truth()
    ones = np.ones((60, 1))
    plain = FeatureWeightedStack.learn(said, wanted, None, ones, alphas=[0.3])
    # With a constant only it is a ridge regression on the members.
    Z = said[:, :, 0].T
    ridge = np.linalg.solve(Z.T @ Z + 0.3 * np.eye(3), Z.T @ wanted[:, 0])
    np.testing.assert_allclose(plain.coef[0], ridge, rtol=1e-8)
    # A feature that is there twice has its coefficients in two equal halves.
    meta = np.hstack([ones, rng.normal(size=(60, 1))])
    twice = FeatureWeightedStack.learn(said, wanted, None, meta[:, [0, 1, 1]], alphas=[0.3])
    parts = twice.coef.reshape(3, 3, 3)
    np.testing.assert_allclose(parts[:, :, 1], parts[:, :, 2], rtol=1e-7)
    assert products(Z.T, meta).shape == (60, 6)


def test_super_learner():
    said = profile()
    said[0] = 0.6 * said[0] + 0.4 * truth()
    stack = ConvexStack.learn(said, truth())
    losses = risks(np.concatenate([said, stack(said)[None]]), truth())
    assert losses[-1] <= losses[:-1].min() + 1e-9
    best = ConvexStack.learn(said, truth(), discrete=True)
    assert best.weights.tolist() == np.eye(3)[losses[:-1].argmin()].tolist()
    numbers = rng.normal(size=(2, 30, 1))
    wanted = 0.3 * numbers[0] + 0.7 * numbers[1]
    np.testing.assert_allclose(ConvexStack.learn(numbers, wanted).weights, [0.3, 0.7], atol=1e-9)


def test_probabilities():
    support = np.array([[0.5, -0.2, 0.5], [-1.0, -2.0, 0.0]])
    np.testing.assert_allclose(as_probabilities(support), [[0.5, 0, 0.5], [1 / 3] * 3])
