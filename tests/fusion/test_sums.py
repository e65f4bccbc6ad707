"""Sums that are the same for a row alone as among others."""

import numpy as np
import pytest

from coterie.fusion.sums import row_product, sum_of_members

RNG = np.random.default_rng(0)


def test_they_are_the_products_they_stand_for():
    rows, coef, weights = RNG.normal(size=(50, 9)), RNG.normal(size=(9, 2)), RNG.normal(size=9)
    np.testing.assert_allclose(row_product(rows, coef), rows @ coef)
    np.testing.assert_allclose(row_product(rows > 0, weights), (rows > 0) @ weights)
    members = RNG.normal(size=(9, 50, 3))
    np.testing.assert_allclose(
        sum_of_members(weights, members), np.tensordot(weights, members, axes=1)
    )
    assert row_product(np.empty((4, 0)), np.empty((0, 2))).tolist() == [[0.0, 0.0]] * 4


@pytest.mark.slow
def test_a_row_alone_is_the_row_among_others():
    rows, coef = RNG.normal(size=(300, 40)), RNG.normal(size=(40, 3))
    whole = row_product(rows, coef)
    members = np.moveaxis(rows[:, :, None] * coef, 1, 0)
    mean = sum_of_members(coef[:, 0], members)
    for size in (1, 7, 100):
        parts = [slice(i, i + size) for i in range(0, 300, size)]
        alone = np.concatenate([row_product(rows[part], coef) for part in parts])
        np.testing.assert_array_equal(alone, whole)
        alone = np.concatenate([sum_of_members(coef[:, 0], members[:, part]) for part in parts])
        np.testing.assert_array_equal(alone, mean)
