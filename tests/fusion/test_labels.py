"""Labels as votes, and members of mixed kinds."""

import numpy as np
import pytest

from coterie import fusion
from coterie.data.errors import DataError
from tests.diversity.pools import random_pool


def test_one_hot():
    labels, _ = random_pool(0)
    np.testing.assert_array_equal(fusion.one_hot(labels), np.eye(3)[labels])
    np.testing.assert_array_equal(fusion.one_hot(labels[0]), np.eye(3)[labels[0]])
    wide = fusion.one_hot([["b"]], ["a", "b", "c"])
    assert wide.tolist() == [[[0, 1, 0]]]
    # A class that no member names keeps its column.
    assert fusion.one_hot([[2, 0]], [0, 1, 2]).tolist() == [[[0, 0, 1], [1, 0, 0]]]


def test_mixed_members():
    votes = fusion.hard_votes([["no", "yes"], [[0.2, 0.8], [0.5, 0.5]]], ["no", "yes"])
    assert votes.tolist() == [["no", "yes"], ["yes", "no"]]
    assert fusion.hard_votes([[[0.2, 0.8]], [0]]).tolist() == [[1], [0]]
    assert fusion.plurality(votes).tolist() == ["no", "no"]


def test_refusals():
    with pytest.raises(DataError, match="'d', which is not one of"):
        fusion.one_hot([["d"]], ["a", "b"])
    with pytest.raises(DataError, match="increasing order"):
        fusion.one_hot([["a"]], ["b", "a"])
    with pytest.raises(DataError, match="pass `classes`"):
        fusion.hard_votes([["no", "yes"], [[0.2, 0.8], [0.5, 0.5]]])
    with pytest.raises(DataError, match="2 columns for 3 classes"):
        fusion.hard_votes([[[0.2, 0.8]]], ["a", "b", "c"])
    with pytest.raises(DataError, match="same samples"):
        fusion.hard_votes([["a"], ["a", "b"]])
    with pytest.raises(DataError, match="same samples"):
        fusion.hard_votes([])
    with pytest.raises(DataError, match="Member 0 must return labels"):
        fusion.hard_votes([3])
