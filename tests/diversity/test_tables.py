"""Tables of pairs: counts by hand, blocks, weights as repetition."""

import numpy as np
import pytest

from coterie.data.errors import DataError
from coterie.diversity import tables
from coterie.diversity.tables import agreement, pair_counts
from tests.diversity.pools import random_pool

FIRST, SECOND = list("++--++"), list("+--+++")
Y = list("+++---")


def cells(counts):
    return [float(cell[0, 1]) for cell in counts]


def test_by_hand():
    plus = (np.array([FIRST, SECOND]) == "+").astype(int)
    assert cells(pair_counts(plus)) == [3, 1, 1, 1]
    # "+" sorts before "-", so that yes is "-".
    assert cells(pair_counts([FIRST, SECOND])) == [1, 1, 1, 3]
    # Right: the first on samples 1, 2, 4; the second on 1 only.
    assert cells(pair_counts([FIRST, SECOND], Y)) == [1, 2, 0, 3]
    assert cells(pair_counts([FIRST, SECOND], Y, outputs="labels")) == [1, 1, 1, 3]


def test_hits_are_the_table_of_correctness():
    labels, y = random_pool(0)
    for given in (labels == y, (labels == y).astype(int)):
        for ours, same in zip(
            pair_counts(given), pair_counts(labels, y, outputs="oracle"), strict=True
        ):
            np.testing.assert_array_equal(ours, same)


@pytest.mark.parametrize("value", [0, 1])
def test_hits_of_one_kind_keep_their_meaning(value):
    hits = np.full((2, 3), value)
    expected = [3, 0, 0, 0] if value else [0, 0, 0, 3]
    assert cells(pair_counts(hits)) == expected
    assert cells(pair_counts(hits.astype(bool))) == expected


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 9])
def test_agreement_is_a_count(n_classes):
    labels, _ = random_pool(1, n_samples=150, n_classes=n_classes)
    same, shares, total = agreement(labels)
    np.testing.assert_array_equal(same, (labels[:, None] == labels).sum(axis=2))
    for k in range(n_classes):
        np.testing.assert_array_equal(shares[:, k], (labels == k).sum(axis=1))
    assert total == labels.shape[1]


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_change_nothing(monkeypatch, weighted):
    labels, _ = random_pool(2, n_samples=100)
    weight = np.arange(100.0) if weighted else None
    whole = agreement(labels, sample_weight=weight)
    monkeypatch.setattr(tables, "_BLOCK_CELLS", 7 * 13)
    monkeypatch.setattr(tables, "_BLOCK_BITS", 30)
    assert len(tables.blocks(100, 7)) == 8
    np.testing.assert_allclose(agreement(labels, sample_weight=weight).same, whole.same)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_weights_are_repetition(n_classes):
    labels, _ = random_pool(3, n_classes=n_classes)
    weight = np.random.default_rng(0).integers(0, 4, labels.shape[1])
    ours = agreement(labels, sample_weight=weight)
    repeated = agreement(np.repeat(labels, weight, axis=1))
    for first, second in zip(ours, repeated, strict=True):
        np.testing.assert_array_equal(first, second)


def test_weighted_cells_that_are_empty_are_zero():
    hits = [[1, 1, 0], [1, 1, 0]]
    counts = pair_counts(hits, sample_weight=[0.1, 0.2, 0.3])
    assert (counts.b == 0).all()
    assert (counts.c == 0).all()


def test_refusals():
    with pytest.raises(DataError, match="two classes, but there are 3 labels"):
        pair_counts([[0, 1, 2]])
    with pytest.raises(ValueError, match='outputs must be "labels" or "oracle"'):
        pair_counts([[0, 1]], outputs="hits")
