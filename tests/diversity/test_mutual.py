"""Information: the exclusive or, exact identities, pairs against joint tables, bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from coterie import diversity
from coterie.data.errors import DataError
from coterie.diversity import mutual
from coterie.diversity.mutual import InformationParts, information
from tests.diversity.pools import forest_pool, random_pool


def joint_information(labels, y):
    """Mutual information of all members together and the truth, by another route."""
    tuples = np.unique(labels, axis=1, return_inverse=True)[1].ravel()
    return mutual_info_score(tuples, y) / np.log(2)


def test_exclusive_or():
    parts = information([[0, 0, 1, 1], [0, 1, 0, 1]], [0, 1, 1, 0])
    assert parts.relevancies.tolist() == [0, 0]
    assert (parts.redundancy, parts.conditional_redundancy) == (0, 1)
    assert (parts.total, parts.target_entropy, parts.n_classes) == (1, 1, 2)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4))
def test_the_parts_add_up(seed, n_members, n_classes):
    labels, y = random_pool(seed, n_members, 40, n_classes)
    parts = information(labels, y, method="joint")
    assert parts.total == pytest.approx(joint_information(labels, y), abs=1e-12)
    for member, relevancy in zip(labels, parts.relevancies, strict=True):
        assert relevancy == pytest.approx(mutual_info_score(member, y) / np.log(2), abs=1e-12)
    assert parts.redundancy >= -1e-12
    assert parts.conditional_redundancy >= -1e-12


def test_real_trees():
    labels, y = forest_pool()
    parts = information(labels, y)
    assert parts.total == pytest.approx(joint_information(labels, y), abs=1e-12)
    assert parts.total <= parts.target_entropy


@pytest.mark.parametrize("correction", [None, "miller_madow"])
def test_pairs_are_exact_for_two_members(correction):
    labels, y = random_pool(0, n_members=2)
    joint = information(labels, y, method="joint", correction=correction)
    pairs = information(labels, y, method="pairs", correction=correction)
    assert pairs.redundancy == pytest.approx(joint.redundancy, abs=1e-12)
    assert pairs.conditional_redundancy == pytest.approx(joint.conditional_redundancy, abs=1e-12)


def test_pairs_are_sums_over_pairs(monkeypatch):
    labels, y = random_pool(1, n_members=12)
    two = [information(labels[[i, j]], y) for i in range(12) for j in range(i)]
    many = information(labels, y)
    assert many.redundancy == pytest.approx(sum(part.redundancy for part in two), abs=1e-12)
    conditional = sum(part.conditional_redundancy for part in two)
    assert many.conditional_redundancy == pytest.approx(conditional, abs=1e-12)
    monkeypatch.setattr(mutual, "_TABLE_CELLS", 12 * 27 * 5)
    assert information(labels, y).diversity == pytest.approx(many.diversity, abs=1e-12)


def test_correction():
    # Two halves: one bit, and one more cell than one.
    parts = information([[0, 0, 1, 1]], [0, 0, 1, 1], correction="miller_madow")
    assert parts.target_entropy == pytest.approx(1 + 1 / 8 / np.log(2))
    assert parts.total == pytest.approx(parts.target_entropy)


@pytest.mark.slow
def test_bounds():
    # Nothing known of eight equal classes: the error is at least (3 - 1) / 3 and at most one.
    blind = InformationParts(np.zeros(2), 0.0, 0.0, 3.0, 8)
    assert blind.error_bounds() == (pytest.approx(2 / 3), 1.0)
    assert InformationParts(np.ones(1), 0.0, 0.0, 1.0, 2).error_bounds() == (0.0, 0.0)
    assert InformationParts(np.zeros(1), 0.0, 0.0, 0.0, 1).error_bounds() == (0.0, 0.0)
    labels, y = forest_pool("tic_tac_toe")
    parts = information(labels, y)
    # The best that can be made of the tuples of labels, on these rows.
    _, place = np.unique(labels, axis=1, return_inverse=True)
    table = np.zeros((place.max() + 1, 2))
    np.add.at(table, (place.ravel(), (y == y[0]).astype(int)), 1)
    best = 1 - table.max(axis=1).sum() / len(y)
    lower, upper = parts.error_bounds()
    assert lower <= best <= upper


def test_refusals():
    with pytest.raises(ValueError, match="method"):
        information([[0, 1]], [0, 1], method="all")
    with pytest.raises(ValueError, match="correction"):
        information([[0, 1]], [0, 1], correction="jackknife")
    with pytest.raises(DataError, match="pass y"):
        diversity.information([[0, 1]], None)
