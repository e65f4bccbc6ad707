"""Tuples, overlaps and co-association."""

import numpy as np
import pytest

from coterie.clustering import Labellings, co_association
from coterie.clustering.labellings import contingency
from tests.clustering.seven import LABELS


def test_co_association_by_hand():
    similar = co_association(LABELS)
    pairs = {(1, 2): 0.75, (1, 3): 0.5, (2, 3): 0.5, (4, 5): 0.5, (6, 7): 0.75}
    pairs |= {(1, 4): 0.25, (3, 4): 0.25, (2, 5): 0.25, (5, 6): 0.25, (5, 7): 0.25}
    expected = np.zeros((7, 7))
    for (i, j), share in pairs.items():
        expected[i - 1, j - 1] = expected[j - 1, i - 1] = share
    np.testing.assert_allclose(similar - np.diag(np.diag(similar)), expected)
    available = co_association(LABELS, missing="available")
    assert available[5, 6] == 1.0
    assert available[0, 1] == 0.75


def test_tuples_do_not_depend_on_the_order_of_rows():
    order = np.random.default_rng(0).permutation(7)
    found, places = Labellings.read(LABELS)
    other, moved = Labellings.read(LABELS[:, order])
    np.testing.assert_array_equal(other.codes, found.codes)
    np.testing.assert_array_equal(moved, places[order])
    assert found.counts.tolist() == other.counts.tolist()
    assert found.n_tuples == 6
    assert found.counts.max() == 2  # rows 6 and 7


def test_overlaps_are_products_of_the_incidence():
    found, _ = Labellings.read(LABELS)
    dense = found.incidence.toarray()
    np.testing.assert_allclose(found.overlaps, dense.T @ (dense * found.counts[:, None]))
    assert found.n_all == 11
    assert found.owners.tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 2


def test_contingency_leaves_out_what_is_missing():
    table = contingency(np.array([0, 1, -1]), np.array([0, -1, 0]), (2, 1), np.array([2.0, 3, 4]))
    assert table.tolist() == [[2.0], [0.0]]


@pytest.mark.parametrize("labels", [[[0.5, 1.0]], [["a", "b"]], np.zeros((0, 3), dtype=int)])
def test_labels_are_whole_numbers(labels):
    with pytest.raises(ValueError, match="labels must be integers"):
        Labellings.read(labels)


def test_weights_are_one_per_member():
    with pytest.raises(ValueError, match="weights must be 4 numbers"):
        Labellings.read(LABELS, [1.0, 2.0])
