"""Averages: what they are at their limits."""

import numpy as np
import pytest

from coterie import fusion
from coterie.data.errors import DataError

ROWS = np.array([[[0.7, 0.2, 0.1]], [[0.3, 0.4, 0.3]], [[0.15, 0.5, 0.35]]])


def test_means():
    np.testing.assert_allclose(fusion.average(ROWS), [[0.383333, 0.366667, 0.25]], atol=1e-6)
    np.testing.assert_allclose(fusion.average(ROWS, [2, 0, 0]), ROWS[0])
    np.testing.assert_allclose(fusion.weighted_sum(ROWS, [2, 0, 0]), 2 * ROWS[0])
    np.testing.assert_allclose(fusion.average([[1.0], [2.0]], [3, -1]), [0.5])
    np.testing.assert_array_equal(fusion.median(ROWS), [[0.3, 0.4, 0.3]])
    np.testing.assert_allclose(fusion.median([[1.0], [9.0], [2.0], [4.0]]), [3])


def test_trimmed_mean_is_between_mean_and_median():
    rng = np.random.default_rng(0)
    outputs = rng.normal(size=(11, 20))
    np.testing.assert_allclose(fusion.trimmed_mean(outputs, 0.0), outputs.mean(axis=0))
    np.testing.assert_allclose(fusion.trimmed_mean(outputs, 5 / 11), np.median(outputs, axis=0))
    ranked = np.sort(outputs, axis=0)
    np.testing.assert_allclose(fusion.trimmed_mean(outputs, 0.2), ranked[2:9].mean(axis=0))
    # Shares that floating point rounds down still drop as many.
    many = np.arange(100.0)[:, None] ** 2
    np.testing.assert_allclose(fusion.trimmed_mean(many, 0.29), many[29:71].mean(axis=0))


def test_ordered_average():
    outputs = np.random.default_rng(0).normal(size=(4, 6))
    np.testing.assert_allclose(fusion.ordered_average(outputs, [1, 0, 0, 0]), outputs.max(axis=0))
    np.testing.assert_allclose(fusion.ordered_average(outputs, [0, 0, 0, 2]), outputs.min(axis=0))
    np.testing.assert_allclose(fusion.ordered_average(outputs, [1, 1, 1, 1]), outputs.mean(axis=0))
    np.testing.assert_allclose(
        fusion.ordered_average(outputs, [0, 1, 1, 0]), np.median(outputs, axis=0)
    )


def test_probabilities_add_up():
    chances = np.random.default_rng(0).dirichlet(np.ones(4), (5, 30))
    for found in (fusion.median(chances), fusion.trimmed_mean(chances)):
        np.testing.assert_allclose(found.sum(axis=1), 1)
    raw = fusion.median(chances, normalise=False)
    np.testing.assert_array_equal(raw, np.median(chances, axis=0))
    # Where no class has a median above zero the average stands in.
    veto = np.eye(3)[:, None]
    np.testing.assert_allclose(fusion.median(veto), [[1 / 3] * 3])
    np.testing.assert_allclose(fusion.median(np.zeros((3, 1, 2))), [[0.5, 0.5]])


def test_numbers_of_several_outputs_are_not_normalised():
    outputs = np.array([[[-1.0, 5.0]], [[2.0, 6.0]], [[3.0, 9.0]]])
    np.testing.assert_array_equal(fusion.median(outputs, normalise=False), [[2, 6]])
    with pytest.raises(DataError, match="normalise=False"):
        fusion.median(outputs)


def test_refusals():
    with pytest.raises(DataError, match="sum to zero"):
        fusion.average([[1.0], [2.0]], [1, -1])
    with pytest.raises(ValueError, match="cut"):
        fusion.trimmed_mean([[1.0]], 0.5)
    with pytest.raises(DataError, match="NaN or infinity"):
        fusion.average([[np.nan]])
