"""Target statistics: sums over earlier rows only, and no leak."""

import numpy as np
import pytest

from coterie.data.ordered import TargetStatistics, ordered_statistics


@pytest.mark.parametrize("weighted", [False, True])
def test_ordered_statistics_are_sums_over_earlier_rows(weighted):
    rng = np.random.default_rng(0)
    n, smooth = 80, 2.5
    codes, values = rng.integers(-1, 6, n), rng.normal(size=(n, 2)) + 100
    weight = rng.uniform(0, 2, n) if weighted else None
    known = np.ones(n) if weight is None else weight
    order = rng.permutation(n)
    result = ordered_statistics(codes, values, weight, order, smooth=smooth)
    prior = np.average(values, axis=0, weights=weight)
    for place, row in enumerate(order):
        before = order[:place][codes[order[:place]] == codes[row]]
        total = (known[before, None] * values[before]).sum(axis=0)
        expected = (total + smooth * prior) / (known[before].sum() + smooth)
        np.testing.assert_allclose(result[row], expected, rtol=1e-12)


def test_own_target_does_not_matter():
    """A row's statistic changes with its target only as the mean of all rows does."""
    rng = np.random.default_rng(0)
    codes, values, order = rng.integers(0, 5, 50), rng.normal(size=(50, 1)), rng.permutation(50)
    first = ordered_statistics(codes, values, None, order, smooth=1.0)
    row = order[20]
    moved, balanced = values.copy(), order[-1]
    moved[row] += 7.0
    moved[balanced] -= 7.0  # the last row is in nobody's sum, so the mean stays
    second = ordered_statistics(codes, moved, None, order, smooth=1.0)
    assert second[row] == pytest.approx(first[row], abs=1e-12)
    later = order[21:][codes[order[21:]] == codes[row]]
    assert (np.abs(second[later] - first[later]) > 0.1).all()


def test_full_statistics():
    codes = np.array([0, 0, 2, -1, -1])
    values = np.array([[1.0], [3.0], [5.0], [7.0], [9.0]])
    weight = np.array([1.0, 2.0, 1.0, 1.0, 1.0])
    learnt = TargetStatistics.learn(codes, values, weight, n_levels=3, smooth=2.0)
    prior = (1 + 6 + 5 + 7 + 9) / 6
    expected = [(7 + 2 * prior) / 5, prior, (5 + 2 * prior) / 3, (16 + 2 * prior) / 4]
    np.testing.assert_allclose(learnt.of(np.array([0, 1, 2, -1])).ravel(), expected)


def test_unseen_categories_without_smoothing_get_the_prior():
    learnt = TargetStatistics.learn(
        np.array([0, 0]), np.array([[1.0], [2.0]]), None, n_levels=2, smooth=0.0
    )
    np.testing.assert_allclose(learnt.of(np.array([0, 1, -1])).ravel(), [1.5, 1.5, 1.5])
