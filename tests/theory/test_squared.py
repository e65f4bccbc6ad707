"""Bias, variance and covariance: exact sums, and their tie to the ambiguity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes

from coterie import RandomForestRegressor, theory
from coterie.data.errors import DataError


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4))
def test_bias_and_variance_add_up(seed, n_runs, n_draws):
    rng = np.random.default_rng(seed)
    runs, y = rng.normal(size=(n_runs, 5)), rng.normal(size=(n_draws, 5))
    parts = theory.bias_variance(runs, y)
    np.testing.assert_allclose(parts.noise + parts.bias + parts.variance, parts.error, atol=1e-12)
    np.testing.assert_allclose(parts.error, ((runs[:, None] - y) ** 2).mean(axis=(0, 1)))


def test_one_observation_has_no_noise():
    parts = theory.bias_variance([[1.0, 2.0], [3.0, 2.0]], [0.0, 2.0])
    np.testing.assert_array_equal(parts.noise, 0)
    np.testing.assert_array_equal(parts.bias, [4, 0])
    np.testing.assert_array_equal(parts.variance, [1, 0])


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5))
def test_covariance_adds_up(seed, n_runs, n_members):
    rng = np.random.default_rng(seed)
    runs, y = rng.normal(size=(n_runs, n_members, 4)), rng.normal(size=4)
    parts = theory.bias_variance_covariance(runs, y)
    total = parts.bias + parts.variance / n_members + (1 - 1 / n_members) * parts.covariance
    np.testing.assert_allclose(total, parts.error, atol=1e-12)
    if n_members > 1:
        centred = runs - runs.mean(axis=0)
        table = np.einsum("rsi,rti->sti", centred, centred) / n_runs
        off = table.sum(axis=(0, 1)) - np.trace(table)
        np.testing.assert_allclose(
            parts.covariance, off / (n_members * (n_members - 1)), atol=1e-12
        )


def test_tie_to_the_ambiguity_on_real_trees():
    X, y = load_diabetes(return_X_y=True)
    runs = []
    for seed in range(4):
        rows = np.random.default_rng(seed).choice(300, 150, replace=False)
        forest = RandomForestRegressor(5, random_state=seed).fit(X[rows], y[rows])
        runs.append([tree.predict(X[300:]) for tree in forest.estimators_])
    runs = np.array(runs)
    parts = theory.bias_variance_covariance(runs, y[300:])
    splits = [theory.ambiguity(run, y[300:]) for run in runs]
    spread = parts.variance + ((runs.mean(axis=0) - runs.mean(axis=(0, 1))) ** 2).mean(axis=0)
    mean_error = np.mean([split.errors.mean(axis=0) for split in splits], axis=0)
    np.testing.assert_allclose(mean_error, parts.bias + spread, rtol=1e-10)
    mean_ambiguity = np.mean([split.ambiguities.mean(axis=0) for split in splits], axis=0)
    taken = spread - parts.variance / 5 - 0.8 * parts.covariance
    np.testing.assert_allclose(mean_ambiguity, taken, rtol=1e-8, atol=1e-6)
    single = theory.bias_variance(runs.mean(axis=1), y[300:])
    np.testing.assert_allclose(single.error, parts.error)


def test_means():
    parts = theory.bias_variance_covariance(
        [[[1.0, 1.0], [3.0, 1.0]], [[3.0, 1.0], [1.0, 1.0]]], [1, 1]
    )
    assert parts.means == {"bias": 0.5, "variance": 0.5, "covariance": -0.5, "error": 0.5}
    assert parts.n_members == 2


def test_refusals():
    with pytest.raises(DataError, match="y has 2 samples"):
        theory.bias_variance([[1.0]], [1.0, 2.0])
    with pytest.raises(DataError, match="3 axes|members, samples, outputs"):
        theory.bias_variance_covariance([[1.0]], [1.0])
