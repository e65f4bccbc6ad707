import numpy as np
import pytest

from coterie.data import DataError
from coterie.selection import closeness, frienemies
from coterie.selection.regions import around, share
from tests.selection.hand import HITS, NEAR, Y, random_pool


def test_closeness_is_finite_at_no_distance():
    assert closeness([[0.0, 2.0]]).tolist() == [[1e10, 0.5]]


def test_around_has_queries_neighbours_members():
    values = np.arange(6).reshape(2, 3)
    assert around(values, [[2, 0]]).tolist() == [[[2, 5], [0, 3]]]


def test_shares_with_weights():
    values = around([[1, 0], [0, 1]], [[0, 1]])
    assert share(values).tolist() == [[0.5], [0.5]]
    assert share(values, [[3, 1]]).tolist() == [[0.75], [0.25]]


def test_frienemies_by_hand():
    # The first is right about 0, 0, 1, 0; the second about 0, 1, 1; the third about 0, 1, 0.
    assert frienemies(HITS, NEAR, Y).T.tolist() == [[True, True, True]]
    # Of the first two neighbours, both are of one class: nobody is pruned.
    assert frienemies(HITS, NEAR[:, :2], Y).all()


def test_frienemies_equal_a_search_over_pairs():
    pool = random_pool(k=4)
    found = frienemies(pool["hits"], pool["near"], pool["y"])
    for q, near in enumerate(pool["near"]):
        able = []
        for right in pool["hits"]:
            good = [j for j in near if right[j]]
            able.append(any(pool["y"][i] != pool["y"][j] for i in good for j in good))
        expected = able if any(able) else [True] * len(able)
        assert found[:, q].tolist() == expected


def test_bad_neighbours_are_refused():
    for near in ([[5]], [[-1]], [0], [[0.5]], np.zeros((2, 0), dtype=int)):
        with pytest.raises(DataError, match="neighbours"):
            around(HITS, near)
    with pytest.raises(DataError, match="members, samples"):
        around(HITS[0], NEAR)
