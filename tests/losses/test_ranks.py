"""Weighted quantiles and expectiles of leaves."""

import numpy as np
import pytest
from scipy.optimize import brentq

from coterie.losses.ranks import leaf_expectiles, leaf_means, leaf_quantiles, quantile, ranked


def slow_quantile(values, weight, level):
    """The least value with at least `level` of the weight at or below it."""
    order = np.argsort(values)
    share = np.cumsum(weight[order]) / weight.sum()
    return values[order][np.flatnonzero(share >= level - 1e-12)[0]]


@pytest.mark.parametrize("level", [0.05, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("n_leaves", [7, 70_000])
def test_quantiles_of_leaves(level, n_leaves):
    rng = np.random.default_rng(0)
    values, weight = rng.normal(size=300).round(1), rng.integers(0, 4, 300).astype(float)
    leaves = rng.integers(0, 6, 300) * (n_leaves // 7)
    found = leaf_quantiles(values, weight, leaves, n_leaves, level)
    for number in range(6):
        here = leaves == number * (n_leaves // 7)
        assert found[number * (n_leaves // 7)] == slow_quantile(values[here], weight[here], level)
    assert found[-1] == 0


@pytest.mark.parametrize("level", [1e-9, 0.05, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("scale", [1.0, 0.1, 1e-9])
@pytest.mark.parametrize("n_leaves", [1, 6])
def test_rows_of_equal_weight_are_not_sorted(level, scale, n_leaves):
    """They are as with a row of another weight in a leaf of its own, which makes all be sorted."""
    rng = np.random.default_rng(0)
    values, leaves = rng.normal(size=1000).round(2), rng.integers(0, max(n_leaves - 1, 1), 1000)
    weight = np.full(1000, scale)
    given = values.copy()
    found = leaf_quantiles(values, weight, leaves, n_leaves, level)
    np.testing.assert_array_equal(values, given)
    more = np.append(values, 7.0), np.append(weight, 2 * scale), np.append(leaves, n_leaves)
    sorted_ = leaf_quantiles(*more, n_leaves + 1, level)
    np.testing.assert_array_equal(found, sorted_[:-1])


@pytest.mark.parametrize("scale", [1.0, 0.1, 1 / 3, 1e-9])
def test_the_middle_of_an_even_number_is_the_lower_one(scale):
    values = np.arange(10.0)
    assert quantile(values, np.full(10, scale), 0.5) == 4.0
    assert quantile(values, np.full(10, scale), 0.3) == 2.0


def test_rows_without_weight_are_not_there():
    values = np.array([-5.0, 1.0, 2.0, 9.0])
    assert quantile(values, np.array([0.0, 1.0, 1.0, 0.0]), 0.01) == 1.0
    assert leaf_quantiles(values, np.zeros(4), np.zeros(4, int), 2, 0.5).tolist() == [0, 0]
    assert leaf_expectiles(values, np.zeros(4), np.zeros(4, int), 2, 0.5).tolist() == [0, 0]


@pytest.mark.parametrize("level", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_expectiles_balance(level, shift):
    rng = np.random.default_rng(1)
    values, weight = rng.normal(size=200) + shift, rng.uniform(0, 2, 200)
    leaves = rng.integers(0, 5, 200)
    leaves[leaves > 2] = 2
    leaves[0] = 4  # nobody in 3, one row in 4
    found = leaf_expectiles(values, weight, leaves, 5, level)
    for number in (0, 1, 2):
        v, w = values[leaves == number], weight[leaves == number]

        def balance(e, v=v, w=w):
            above = w @ np.maximum(v - e, 0)
            return level * above - (1 - level) * (w @ np.maximum(e - v, 0))

        assert found[number] == pytest.approx(brentq(balance, v.min(), v.max()), rel=1e-12)
    assert found[3] == 0
    assert found[4] == pytest.approx(values[0], rel=1e-15)


def test_middle_expectile_is_the_mean():
    rng = np.random.default_rng(2)
    values, weight, leaves = rng.normal(size=50), rng.uniform(size=50), np.arange(50) % 4
    means = leaf_means(ranked(values, weight, leaves, 4))
    np.testing.assert_allclose(leaf_expectiles(values, weight, leaves, 4, 0.5), means, rtol=1e-12)
    for number in range(4):
        here = leaves == number
        mean = np.average(values[here], weights=weight[here])
        assert means[number] == pytest.approx(mean, rel=1e-12)
