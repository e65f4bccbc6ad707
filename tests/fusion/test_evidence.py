"""Dempster's rule: the classical cases, and against sums over all intersections."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import fusion
from coterie.data.errors import DataError


def by_definition(masses):
    """Combine masses given as dictionaries of sets, two at a time."""
    combined = masses[0]
    for other in masses[1:]:
        found = {}
        for (a, m), (b, n) in product(combined.items(), other.items()):
            found[a & b] = found.get(a & b, 0.0) + m * n
        conflict = found.pop(frozenset(), 0.0)
        combined = {a: m / (1 - conflict) for a, m in found.items()}
    return combined


def test_by_hand():
    masses, conflict = fusion.dempster([[[0.6, 0.0, 0.4]], [[0.5, 0.3, 0.2]]])
    np.testing.assert_allclose(masses, [[0.756098, 0.146341, 0.097561]], atol=1e-6)
    np.testing.assert_allclose(conflict, [0.18])


def test_zadeh():
    masses, conflict = fusion.dempster([[[0.99, 0.01, 0, 0]], [[0, 0.01, 0.99, 0]]])
    np.testing.assert_allclose(masses, [[0, 1, 0, 0]], atol=1e-12)
    np.testing.assert_allclose(conflict, [0.9999])


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 4))
def test_definition(seed, n_members, n_classes):
    masses = np.random.default_rng(seed).dirichlet(np.ones(n_classes + 1), (n_members, 1))
    every = frozenset(range(n_classes))
    sets = [frozenset([k]) for k in range(n_classes)] + [every]
    given_ = []
    for row in masses[:, 0]:
        one = {}
        for part, mass in zip(sets, row, strict=True):
            one[part] = one.get(part, 0.0) + mass
        given_.append(one)
    expected = by_definition(given_)
    found = fusion.dempster(masses).masses[0]
    if n_classes > 1:
        np.testing.assert_allclose(found, [expected[part] for part in sets], atol=1e-12)
    assert found.sum() == pytest.approx(1)


def test_nobody_knows():
    masses, conflict = fusion.dempster([[[0, 0, 1]], [[0.2, 0.3, 0.5]]])
    np.testing.assert_allclose(masses, [[0.2, 0.3, 0.5]])
    assert conflict.tolist() == [0]


def test_many_members_do_not_underflow():
    masses, _ = fusion.dempster(np.tile([[[0.3, 0.2, 0.1, 0.4]]], (3000, 1, 1)))
    np.testing.assert_allclose(masses, [[1, 0, 0, 0]], atol=1e-9)


def test_total_conflict():
    masses = [[[1, 0, 0], [1, 0, 0]], [[1, 0, 0], [0, 1, 0]]]
    with pytest.raises(DataError, match="in sample 1"):
        fusion.dempster(masses)
    found = fusion.dempster(masses, on_conflict="ignorance")
    assert found.masses.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert found.conflict.tolist() == [0, 1]


def test_support():
    masses = [[0.5, 0.3, 0.2]]
    np.testing.assert_allclose(fusion.support_of_masses(masses), [[0.6, 0.4]])
    np.testing.assert_allclose(fusion.support_of_masses(masses, "belief"), [[0.5, 0.3]])
    np.testing.assert_allclose(fusion.support_of_masses(masses, "plausibility"), [[0.7, 0.5]])


def test_refusals():
    with pytest.raises(DataError, match="sum to one"):
        fusion.dempster([[[0.5, 0.2]]])
    with pytest.raises(DataError, match="negative"):
        fusion.dempster([[[1.5, -0.5]]])
    with pytest.raises(ValueError, match="on_conflict"):
        fusion.dempster([[[0.5, 0.5]]], on_conflict="uniform")
    with pytest.raises(ValueError, match="by must be"):
        fusion.support_of_masses([[0.5, 0.5]], "doubt")
