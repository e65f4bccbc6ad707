import numpy as np
import pytest

from coterie.data import DataError
from coterie.selection import (
    best,
    des_knn,
    des_mi,
    des_p,
    knora_e,
    knora_u,
    knora_w,
    near_best,
    ola,
    or_all,
)
from tests.selection.hand import AWAY, HITS, NEAR, Y, random_pool


def column(found):
    return found[:, 0].tolist()


def test_knora_by_hand():
    assert column(knora_e(HITS, NEAR)) == [1, 0, 0]
    assert column(knora_u(HITS, NEAR)) == [4, 3, 3]
    assert column(knora_w(HITS, NEAR, AWAY)) == pytest.approx([4.5, 3.5, 2])


def test_des_p_by_hand():
    assert column(des_p(HITS, NEAR, 2)) == pytest.approx([0.3, 0.1, 0.1])
    # Nobody beats 0.9: all vote.
    assert column(des_p(HITS, NEAR, 1)) == [1, 1, 1]


def test_all_wrong_is_the_whole_pool():
    wrong = np.zeros((3, 5), dtype=bool)
    for weights in (
        knora_e(wrong, NEAR),
        knora_u(wrong, NEAR),
        knora_w(wrong, NEAR, AWAY),
        des_p(wrong, NEAR, 2),
    ):
        assert column(weights) == [1, 1, 1]
    assert or_all([[0.0, 0.0], [0.0, 2.0]]).tolist() == [[1, 0], [1, 2]]


def test_knora_e_shrinks_the_region():
    pool = random_pool(k=9, n_members=5)
    found = knora_e(pool["hits"], pool["near"])
    for q, near in enumerate(pool["near"]):
        for k in range(len(near), -1, -1):
            able = pool["hits"][:, near[:k]].all(axis=1)
            if able.any():
                break
        assert found[:, q].tolist() == able.astype(float).tolist()


def test_all_right_is_a_plain_vote():
    right = np.ones((4, 5), dtype=bool)
    assert len(set(column(knora_u(right, NEAR)))) == 1
    assert column(knora_e(right, NEAR)) == [1] * 4


def test_des_knn_equals_a_search_over_pairs():
    pool = random_pool(n_members=10, k=8, seed=3)
    found = des_knn(pool["hits"], pool["near"])
    accuracy = ola(pool["hits"], pool["near"])
    for q, near in enumerate(pool["near"]):
        first = sorted(range(10), key=lambda t, q=q: (-accuracy[t, q], t))[:5]
        wrong = ~pool["hits"][:, near]
        faults = {t: sum((wrong[t] & wrong[s]).sum() for s in first if s != t) for t in first}
        chosen = sorted(first, key=lambda t, faults=faults: (faults[t], t))[:3]
        assert np.flatnonzero(found[:, q]).tolist() == sorted(chosen)


def test_des_mi_by_hand():
    # Class 0 three times, class 1 twice: u = 1 / (1 + exp(0.9 n)).
    u = 1 / (1 + np.exp(0.9 * np.array([3, 3, 2, 2, 3])))
    competence = (HITS * u).sum(axis=1) / u.sum()
    assert competence.argmax() == 1  # it knows class 1; by plain accuracy it would be the first
    assert column(des_mi(HITS, NEAR, Y)) == [0, 1, 0]
    assert column(des_mi(HITS, NEAR, Y, scale=0.0)) == [1, 0, 0]
    # By given counts class 0 is the rare one.
    assert column(des_mi(HITS, NEAR, Y, counts=[10, 4000])) == [1, 0, 0]
    assert column(des_mi(HITS, NEAR, Y, share_kept=1.0)) == [1, 1, 1]


def test_best_and_near_best():
    assert best([[0.5], [0.5], [0.4]]).T.tolist() == [[1, 0, 0]]
    assert near_best([[0.5], [0.4], [0.39]]).T.tolist() == [[1, 1, 0]]
    assert near_best([[0.5], [0.39]], margin=0.2).T.tolist() == [[1, 1]]


def test_no_classes_are_refused():
    with pytest.raises(DataError, match="n_classes"):
        des_p(HITS, NEAR, 0)
