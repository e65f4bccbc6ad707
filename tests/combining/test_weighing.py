"""Weights by name."""

import numpy as np
import pytest

from coterie import fusion
from coterie.combining.weighing import AVERAGE_WEIGHTS, VOTE_WEIGHTS, read_weights, scaled


def votes(*rows):
    return np.eye(2)[np.array(rows)]


def test_by_accuracy():
    truth = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    good, fair = truth.copy(), truth.copy()
    good[0], fair[:4] = 1, 1 - fair[:4]
    profile = votes(good, fair)
    np.testing.assert_allclose(VOTE_WEIGHTS["accuracy"](profile, truth, None), [0.6, 0.4])
    odds = VOTE_WEIGHTS["log_odds"](profile, truth, None)
    np.testing.assert_allclose(odds, [2.197225, 0.405465], atol=1e-6)
    np.testing.assert_allclose(VOTE_WEIGHTS["inverse_error"](profile, truth, None), [0.8, 0.2])
    # A row that counts twice is two rows.
    twice = np.r_[2.0, np.ones(9)]
    again = votes(np.r_[good, good[:1]], np.r_[fair, fair[:1]])
    np.testing.assert_allclose(
        VOTE_WEIGHTS["accuracy"](profile, truth, twice),
        VOTE_WEIGHTS["accuracy"](again, np.r_[truth, truth[:1]], None),
    )


def test_by_squares():
    Z = np.array([[1, 2, 3, 4], [1.5, 2.5, 4.5, 5]])
    y = np.array([1, 2, 3, 4.2])
    np.testing.assert_allclose(AVERAGE_WEIGHTS["nnls"](Z, y, None), [1.026667, 0], atol=1e-6)
    np.testing.assert_allclose(
        AVERAGE_WEIGHTS["simplex"](Z, y, None), [0.946667, 0.053333], atol=1e-6
    )
    covariance = fusion.error_covariance(Z, y)
    np.testing.assert_allclose(
        AVERAGE_WEIGHTS["covariance"](Z, y, None), fusion.covariance_weights(covariance)
    )
    squares = ((Z - y) ** 2).mean(axis=1)
    np.testing.assert_allclose(
        AVERAGE_WEIGHTS["inverse_error"](Z, y, None), (1 / squares) / (1 / squares).sum()
    )


def test_given_weights():
    assert read_weights(None, [False]) is None
    with pytest.raises(ValueError, match="got 1 weights, 2 estimators"):
        read_weights([1], [False, False])
    with pytest.raises(ValueError, match="finite"):
        read_weights([np.nan, 1], [False, False])
    with pytest.raises(ValueError, match="are zero"):
        read_weights([0, 1], [False, True])


def test_scale():
    values, size = scaled(np.array([1e100, -3e100]))
    assert size == 3e100
    assert np.abs(values).max() == 1
    assert scaled(np.array([1.0, 2.0]))[1] == 1.0
    assert scaled(np.zeros(2))[1] == 1.0
