"""Leaves that are refitted: Newton steps of several scores, and directions that hold."""

import numpy as np
import pytest

from coterie import HistGradientBoostingRegressor
from coterie.boosting.gradient.leaves import bounded_leaves, vector_leaves
from tests.boosting.gradient.tables import numbers


def test_vector_leaves_are_newton_steps_of_each_score():
    rng = np.random.default_rng(0)
    gradient, hessian = rng.normal(size=(50, 3)), rng.uniform(0.1, 1, size=(50, 3))
    leaves = rng.integers(0, 4, 50).astype(np.int32)
    values = vector_leaves(gradient, hessian, leaves, 5, 0.7)
    for leaf in range(4):
        rows = leaves == leaf
        expected = -gradient[rows].sum(axis=0) / (hessian[rows].sum(axis=0) + 0.7)
        np.testing.assert_allclose(values[leaf], expected)
    assert not vector_leaves(gradient, hessian, leaves, 5, 0.0)[4].any()


def test_bounds_change_nothing_that_is_in_order():
    X, y = numbers()
    model = HistGradientBoostingRegressor(max_iter=1, monotonic_cst=[1, 0, 0, 0, 0]).fit(X, y)
    forest = model.pool_.forest
    values = forest.values[:, 0]
    bounded = bounded_leaves(forest, values, np.array([1, 0, 0, 0, 0], dtype=np.int8))
    np.testing.assert_array_equal(bounded, values)


@pytest.mark.parametrize("direction", [1, -1])
def test_bounds_put_any_values_in_order(direction):
    X, y = numbers()
    forest = HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=5).fit(X, y).pool_.forest
    monotone = np.array([direction, 0, 0, 0, 0], dtype=np.int8)
    assert (forest.features[forest.nodes["left"] >= 0] == 0).any()
    values = np.random.default_rng(0).normal(size=len(forest.values))
    bounded = forest.with_values(bounded_leaves(forest, values, monotone)[:, None])
    grid = np.repeat(X[:50], 60, axis=0)
    grid[:, 0] = np.tile(np.linspace(-3, 3, 60), 50)
    steps = np.diff(bounded.predict(grid).reshape(50, 60), axis=1)
    assert (direction * steps >= 0).all()
    assert steps.any()
