"""Effective numbers of members: copies count once, independent ones fully."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import theory
from coterie.data.errors import DataError


def test_variance_of_mean():
    assert theory.variance_of_mean(10, 0.3) == pytest.approx(0.37)
    assert theory.variance_of_mean(4, 0.0, variance=8.0) == 2
    assert theory.variance_of_mean(5, -0.25) == pytest.approx(0, abs=1e-15)
    with pytest.raises(DataError, match=r"between -0\.25 and 1"):
        theory.variance_of_mean(5, -0.3)
    with pytest.raises(DataError, match="at least one"):
        theory.variance_of_mean(0, 0.3)


def test_weights():
    assert theory.effective_weights([2, 2, 2]) == pytest.approx(3)
    assert theory.effective_weights([0, 5e200]) == 1
    assert theory.effective_weights([1, -1]) == 2
    with pytest.raises(DataError, match="zero"):
        theory.effective_weights([0, 0])


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_equally_correlated_members(rho):
    # Members with exactly this covariance over the samples.
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(50, 7)) - 0.0)[0]
    basis = np.linalg.qr(basis - basis.mean(axis=0))[0]
    members = np.sqrt(rho) * basis[:, :1] + np.sqrt(1 - rho) * basis[:, 1:]
    found = theory.effective_members(members.T)
    assert found == pytest.approx(6 / (1 + 5 * rho))
    assert found == pytest.approx(1 / theory.variance_of_mean(6, rho))


@given(st.integers(0, 10**6))
def test_at_least_one(seed):
    rng = np.random.default_rng(seed)
    outputs, y = rng.normal(size=(5, 12, 2)), rng.normal(size=(12, 2))
    weights = rng.random(5)
    found = theory.effective_members(outputs, y, weights, sample_weight=rng.random(12))
    assert found >= 1 - 1e-12
    moved = theory.effective_members(outputs + 3.0, y, 2 * weights)
    assert moved == pytest.approx(theory.effective_members(outputs, y, weights))


def test_limits():
    assert theory.effective_members([[1, -1], [-1, 1]]) == np.inf
    assert np.isnan(theory.effective_members([[1, 1], [2, 2]]))
    # Copies of one member are one member.
    assert theory.effective_members([[1.0, 2.0, 5.0]] * 4, [0, 1, 1]) == pytest.approx(1)
