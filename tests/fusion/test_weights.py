"""Weights for averaging: hand-computed cases, optimality, copies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes

from coterie import RandomForestRegressor, fusion
from coterie.data.errors import DataError

FIRST = np.array([[1, 2, 3, 4], [1.5, 2.5, 4.5, 5]])
SECOND = np.array([[1.0, 2, 3, 4], [2, 1, 4, 3]])


@pytest.mark.parametrize(
    ("power", "expected"),
    [(1, (0.571429, 0.285714, 0.142857)), (2, (0.761905, 0.190476, 0.047619))],
)
def test_inverse_error(power, expected):
    found = fusion.inverse_error_weights([0.1, 0.2, 0.4], power)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_members_without_error_share():
    assert fusion.inverse_error_weights([0, 0.1, 0]).tolist() == [0.5, 0, 0.5]
    tiny = fusion.inverse_error_weights([1e-300, 2e-300], 2)
    np.testing.assert_allclose(tiny, [0.8, 0.2])


@pytest.mark.parametrize(
    ("matrix", "weights", "value"),
    [
        ([[1, 0], [0, 4]], (0.8, 0.2), 0.8),
        ([[1, 0.5], [0.5, 4]], (0.875, 0.125), 0.9375),
        ([[1, 1.5], [1.5, 4]], (1.25, -0.25), 0.875),
    ],
)
def test_covariance_by_hand(matrix, weights, value):
    found = fusion.covariance_weights(matrix)
    np.testing.assert_allclose(found, weights)
    assert found @ matrix @ found == pytest.approx(value)


def test_copies_share_their_weight():
    found = fusion.covariance_weights([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(found, [0.25, 0.25, 0.5], atol=1e-5)
    with pytest.warns(UserWarning, match="equal weights are used"):
        assert fusion.covariance_weights(np.zeros((2, 2))).tolist() == [0.5, 0.5]
    with pytest.warns(UserWarning, match="equal weights are used"):
        assert fusion.covariance_weights([[1, 2], [2, 1]]).tolist() == [0.5, 0.5]


def test_error_covariance():
    rng = np.random.default_rng(0)
    outputs, y = rng.normal(size=(3, 40)), rng.normal(size=40)
    matrix = fusion.error_covariance(outputs, y)
    weights = np.array([0.5, 0.7, -0.2])
    error = ((fusion.average(outputs, weights) - y) ** 2).mean()
    assert weights @ matrix @ weights == pytest.approx(error, rel=1e-12)
    centred = fusion.error_covariance(outputs, y, centre=True)
    np.testing.assert_allclose(centred, np.cov(outputs - y, ddof=0), atol=1e-14)
    weight = rng.integers(1, 4, 40)
    repeated = fusion.error_covariance(np.repeat(outputs, weight, axis=1), np.repeat(y, weight))
    np.testing.assert_allclose(fusion.error_covariance(outputs, y, sample_weight=weight), repeated)
    wide = fusion.error_covariance(np.stack([outputs, outputs], axis=2), np.stack([y, y], axis=1))
    np.testing.assert_allclose(wide, matrix)


@pytest.mark.parametrize(
    ("outputs", "y", "nnls", "simplex"),
    [
        (FIRST, [1, 2, 3, 4.2], (1.026667, 0), (0.946667, 0.053333)),
        (SECOND, [1.2, 1.8, 3.2, 3.8], (0.8, 0.2), (0.8, 0.2)),
    ],
)
def test_least_squares_by_hand(outputs, y, nnls, simplex):
    np.testing.assert_allclose(fusion.nnls_weights(outputs, y), nnls, atol=1e-6)
    np.testing.assert_allclose(fusion.simplex_weights(outputs, y), simplex, atol=1e-6)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 40))
def test_simplex_is_optimal(seed, n_members, n_samples):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n_samples)
    outputs = y + rng.normal(size=(n_members, n_samples)) + rng.normal(size=(n_members, 1))
    weights = fusion.simplex_weights(outputs, y)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    # Kuhn and Tucker: no used member could take weight from another with profit.
    slope = fusion.error_covariance(outputs, y) @ weights
    value = weights @ slope
    assert (slope >= value - 1e-9).all()
    np.testing.assert_allclose(slope[weights > 1e-9], value, atol=1e-9)


def test_nnls_is_optimal_on_real_trees():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(8, random_state=0).fit(X[::2], y[::2])
    outputs, truth = np.stack([t.predict(X[1::2]) for t in forest.estimators_]), y[1::2]
    weights = fusion.nnls_weights(outputs, truth)
    found = ((fusion.weighted_sum(outputs, weights) - truth) ** 2).sum()
    best = minimize(
        lambda w: ((w @ outputs - truth) ** 2).sum() / found,
        np.full(8, 1 / 8),
        bounds=[(0, None)] * 8,
    )
    assert best.fun >= 1 - 1e-9
    shares = fusion.nnls_weights(outputs, truth, normalise=True)
    np.testing.assert_allclose(shares, weights / weights.sum())
    simplex = fusion.simplex_weights(outputs, truth)
    errors = ((outputs - truth) ** 2).mean(axis=1)
    assert ((simplex @ outputs - truth) ** 2).mean() <= errors.min()


def test_weights_are_repetition():
    rng = np.random.default_rng(1)
    y = rng.normal(size=30)
    outputs = y + rng.normal(size=(3, 30))
    weight = rng.integers(0, 4, 30)
    for function in (fusion.nnls_weights, fusion.simplex_weights):
        weighted = function(outputs, y, sample_weight=weight)
        repeated = function(np.repeat(outputs, weight, axis=1), np.repeat(y, weight))
        np.testing.assert_allclose(weighted, repeated, atol=1e-10)


def test_probabilities_use_all_classes():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 50)
    hot = np.eye(3)[y]
    good = 0.7 * hot + 0.3 * rng.dirichlet(np.ones(3), 50)
    bad = rng.dirichlet(np.ones(3), 50)
    weights = fusion.simplex_weights([good, bad], hot)
    assert weights[0] > 0.9


def test_edges():
    assert fusion.simplex_weights([[1.0, 2.0], [1.0, 2.0]], [1.0, 2.0]).tolist() == [0.5, 0.5]
    with pytest.warns(UserWarning, match="No member helps"):
        assert fusion.nnls_weights([[-1.0, -2.0], [-2.0, -1.0]], [1.0, 2.0]).tolist() == [0.5, 0.5]
    # More members than samples.
    weights = fusion.simplex_weights(np.random.default_rng(0).normal(size=(9, 3)), [0, 1, 2])
    assert weights.sum() == pytest.approx(1)


def test_refusals():
    with pytest.raises(DataError, match="not be negative"):
        fusion.inverse_error_weights([-0.1])
    with pytest.raises(ValueError, match="power"):
        fusion.inverse_error_weights([0.1], 0)
    for matrix in ([[1, 2], [0, 1]], [[1, 2]]):
        with pytest.raises(DataError, match="symmetric"):
            fusion.covariance_weights(matrix)
    with pytest.raises(DataError, match="y must have shape"):
        fusion.nnls_weights([[1.0, 2.0]], [1.0])
