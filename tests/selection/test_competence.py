"""Competences: five neighbours by hand, and one query after the other."""

import numpy as np
import pytest

from coterie.selection import a_posteriori, a_priori, lca, mcb, mla, ola, rank, similarity
from tests.selection.hand import AWAY, HITS, LABELS, NEAR, SAID, Y, random_pool


def column(found):
    return found[:, 0].tolist()


def test_ola_by_hand():
    assert column(ola(HITS, NEAR)) == pytest.approx([0.8, 0.6, 0.6])


def test_lca_by_hand():
    assigned = lca(LABELS, Y, NEAR, SAID)
    assert column(assigned) == pytest.approx([0.75, 0.5, 2 / 3])
    true = lca(LABELS, Y, NEAR, SAID, subset="true")
    assert column(true) == pytest.approx([1, 1, 2 / 3])


def test_mla_by_hand():
    assert column(mla(LABELS, Y, NEAR, AWAY, SAID)) == pytest.approx([0.875, 0.5, 0.6])
    true = mla(LABELS, Y, NEAR, AWAY, SAID, subset="true")
    assert column(true) == pytest.approx([1, 1, 3 / 7])


def test_ranks_by_hand():
    assert column(rank(HITS, NEAR)) == [3, 1, 0]


def test_similarities_by_hand():
    assert similarity(LABELS, NEAR, SAID)[0] == pytest.approx([1 / 3, 1, 2 / 3, 2 / 3, 1])
    # Only the second and the last neighbour are similar enough.
    assert column(mcb(HITS, LABELS, NEAR, SAID)) == [1, 0, 1]
    # Nothing is that similar: all neighbours count.
    assert column(mcb(HITS, LABELS, NEAR, SAID, threshold=1.0)) == column(ola(HITS, NEAR))


def test_a_priori_by_hand():
    chances = np.array([[0.9, 0.6], [0.2, 0.5]])
    found = a_priori(chances, [[0, 1]], [[0.5, 1.0]])
    assert column(found) == pytest.approx([(2 * 0.9 + 0.6) / 3, (2 * 0.2 + 0.5) / 3])


def test_a_posteriori_by_hand():
    chances = np.array([[[0.8, 0.2], [0.4, 0.6], [0.1, 0.9]]])
    near, away = [[0, 1, 2]], [[0.5, 1.0, 1.0]]
    # It says class 1; the rows of class 1 are the second and the third.
    found = a_posteriori(chances, [0, 1, 1], near, away, [[1]])
    assert found[0, 0] == pytest.approx((0.6 + 0.9) / (2 * 0.2 + 0.6 + 0.9))
    # No probability at all for what it says.
    chances = np.array([[[1.0, 0.0]]])
    assert a_posteriori(chances, [1], [[0]], [[1.0]], [[1]])[0, 0] == 0


def test_nobody_was_given_that_class():
    assert lca([[0, 0]], [0, 0], [[0, 1]], [[1]])[0, 0] == 0


def one_by_one(pool):
    """All competences by plain loops over queries and members."""
    found = {name: [] for name in ("ola", "lca", "mla", "rank", "a_priori", "a_posteriori", "mcb")}
    for q, (near, away) in enumerate(zip(pool["near"], pool["away"], strict=True)):
        alike = [j for j in near if np.mean(pool["labels"][:, j] == pool["said"][:, q]) > 0.7]
        rows = {name: [] for name in found}
        for t, right in enumerate(pool["hits"]):
            say = pool["said"][t, q]
            own = [
                (j, 1 / d) for j, d in zip(near, away, strict=True) if pool["labels"][t, j] == say
            ]
            sure = [
                (pool["chances"][t, j], 1 / d, pool["y"][j])
                for j, d in zip(near, away, strict=True)
            ]
            rows["ola"].append(np.mean([right[j] for j in near]))
            rows["lca"].append(np.mean([right[j] for j, _ in own]) if own else 0.0)
            near_mass = sum(w for _, w in own)
            rows["mla"].append(sum(w * right[j] for j, w in own) / near_mass if own else 0.0)
            run = 0
            for j in near:
                if not right[j]:
                    break
                run += 1
            rows["rank"].append(run)
            rows["a_priori"].append(sum(w * p[c] for p, w, c in sure) / sum(w for _, w, _ in sure))
            mass = sum(w * p[say] for p, w, _ in sure)
            rows["a_posteriori"].append(sum(w * p[say] for p, w, c in sure if c == say) / mass)
            rows["mcb"].append(np.mean([right[j] for j in (alike or near)]))
        for name, row in rows.items():
            found[name].append(row)
    return {name: np.array(rows).T for name, rows in found.items()}


def test_all_queries_at_once_are_the_queries_one_by_one():
    pool = random_pool(n_classes=2, n_members=9)
    near, away, said = pool["near"], pool["away"], pool["said"]
    expected = one_by_one(pool)
    own = pool["chances"][:, np.arange(len(pool["y"])), pool["y"]]
    found = {
        "ola": ola(pool["hits"], near),
        "lca": lca(pool["labels"], pool["y"], near, said),
        "mla": mla(pool["labels"], pool["y"], near, away, said),
        "rank": rank(pool["hits"], near),
        "a_priori": a_priori(own, near, away),
        "a_posteriori": a_posteriori(pool["chances"], pool["y"], near, away, said),
        "mcb": mcb(pool["hits"], pool["labels"], near, said),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, err_msg=name)


@pytest.mark.parametrize("measure", [ola, lambda h, n, w: mcb(h, h, n, h[:, :15], weights=w)])
def test_a_weight_of_two_is_two_neighbours(measure):
    pool = random_pool(k=3)
    twice = np.repeat(pool["near"], [1, 2, 1], axis=1)
    weights = np.tile([1, 2, 1], (len(pool["near"]), 1))
    weighted = measure(pool["hits"], pool["near"], weights)
    repeated = measure(pool["hits"], twice, None)
    np.testing.assert_allclose(weighted, repeated)


def test_unknown_subsets_are_refused():
    with pytest.raises(ValueError, match="subset"):
        lca(LABELS, Y, NEAR, SAID, subset="all")


def test_neighbours_count_what_they_weigh():
    chances = [[[0.75, 0.25], [0.25, 0.75]]]
    found = a_posteriori(chances, [0, 1], [[0, 1]], [[1.0, 1.0]], [[0]], [[3.0, 1.0]])
    np.testing.assert_allclose(found, [[0.9]])
