import numpy as np
import pytest

from coterie.selection import clustered_numbers, clustered_subsets
from tests.selection.pruning.signatures import as_votes, random_votes


def test_one_of_each_copy_survives():
    labels, y = random_votes(4, 60, seed=1)
    copies = np.array([0, 1, 2, 0, 3, 1, 0, 3, 2])
    subsets = clustered_subsets(labels[copies], y)
    assert subsets[-1].tolist() == [0, 1, 2, 4]  # the first of each
    assert [len(subset) for subset in subsets] == [1, 2, 3, 4]
    errors = (labels != y).mean(axis=1)
    assert copies[subsets[0][0]] == errors.argmin()


def test_one_of_each_copy_survives_among_numbers():
    rng = np.random.default_rng(0)
    y = rng.normal(size=50)
    said = y + rng.normal(size=(3, 50))
    copies = np.array([2, 0, 1, 2, 0, 1])
    subsets = clustered_numbers(said[copies], y)
    assert subsets[-1].tolist() == [0, 1, 2]
    assert copies[subsets[0][0]] == ((said - y) ** 2).mean(axis=1).argmin()


def test_two_groups_are_told_apart():
    # Two kinds of members with a tenth of their labels turned: the best of each kind.
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 2, (2, 400))
    turned = rng.random((10, 400)) < np.linspace(0.02, 0.2, 10)[:, None]
    labels = np.where(turned, 1 - kinds[np.arange(10) % 2], kinds[np.arange(10) % 2])
    pair = next(s for s in clustered_subsets(labels, kinds[0]) if len(s) == 2)
    assert set(pair % 2) == {0, 1}
    assert 0 in pair
    medoids = next(s for s in clustered_subsets(labels, kinds[0], keep="medoid") if len(s) == 2)
    assert medoids.tolist() == [0, 1]  # those that were turned least are in the middle


def test_gaps_are_left_out():
    labels, y = random_votes(4, 400, seed=1)
    copies = labels[[0, 1, 2, 3, 0, 1]]
    rng = np.random.default_rng(0)
    gaps = np.where(rng.random(copies.shape) < 0.4, -1, copies)
    subsets = clustered_subsets(as_votes(gaps), y)
    assert {0, 4} & set(subsets[-1]) != {0, 4}
    assert len(subsets[-1]) == 4


def test_single_members_and_bad_choices():
    assert clustered_subsets([[0, 1]], [0, 1])[0].tolist() == [0]
    with pytest.raises(ValueError, match="keep"):
        clustered_subsets([[0, 1], [1, 1]], [0, 1], keep="worst")
