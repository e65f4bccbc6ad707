import numpy as np
import pytest

from coterie.selection import METHODS, LocalClassAccuracy, Probable, Region, rrc_chance
from tests.selection.hand import AWAY, HITS, LABELS, NEAR, SAID, Y, random_pool
from tests.selection.test_meta_des import region_of

CHANCES = np.where(np.eye(2, dtype=bool)[LABELS], 0.8, 0.2)


def hand_region(able=None, importance=None):
    said = np.where(np.eye(2, dtype=bool)[SAID], 0.8, 0.2)
    return Region(
        HITS, Y, LABELS, CHANCES, 2, NEAR, AWAY, importance, NEAR[:, ::-1], SAID, said, able
    )


def learnt(method, region):
    return (
        method.learn(region, np.ones(region.said.shape[1])) if hasattr(method, "learn") else method
    )


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("ola", [1, 0, 0]),
        ("lca", [1, 0, 0]),
        ("mla", [1, 0, 0]),
        ("rank", [1, 0, 0]),
        # Right about both similar neighbours.
        ("mcb", [1, 0, 1]),
        # Sums of 0.8 and 0.2, near ones first: 4.5, 3.5 and 2 of 5 are right.
        ("a_priori", [1, 0, 0]),
        ("knora_e", [1, 0, 0]),
        ("knora_u", [4, 3, 3]),
        ("knora_w", [4.5, 3.5, 2]),
        ("knop", [4, 3, 3]),
        ("des_p", [0.3, 0.1, 0.1]),
        ("des_knn", [1, 0, 0]),
        ("des_mi", [0, 1, 0]),
    ],
)
def test_weights_by_hand(name, weights):
    assert METHODS[name](hand_region())[:, 0] == pytest.approx(weights)


def test_important_neighbours_decide():
    """Only the first member is wrong about the fourth neighbour."""
    region = hand_region(importance=np.array([[1e-9, 1e-9, 1e-9, 1.0, 1e-9]]))
    assert METHODS["a_priori"](region)[:, 0].tolist() == [0, 1, 1]


def test_rrc_works_its_chances_out_once():
    region = hand_region()
    method = METHODS["rrc"].learn(region, np.ones(1))
    np.testing.assert_array_equal(method.chance, rrc_chance(CHANCES, Y))
    near = np.exp(-(AWAY[0] ** 2))
    wanted = (method.chance * near).sum(axis=1) / near.sum()
    found = method(region)[:, 0]
    assert found[wanted > 0.5] == pytest.approx(wanted[wanted > 0.5])


@pytest.mark.parametrize("name", METHODS)
def test_pruned_members_have_no_vote(name):
    pool = random_pool(n_members=8)
    region = region_of(pool)
    method = learnt(METHODS[name], region_of(pool | {"said": pool["labels"][:, :15]}))
    able = np.ones((8, 15), dtype=bool)
    able[2:] = False
    pruned = Region(**{**vars(region), "able": able})
    weights = method(pruned)
    assert weights.shape == (8, 15)
    whole = (weights == 1).all(axis=0)  # nobody was left
    assert (weights[2:, ~whole] == 0).all()
    everybody = Region(**{**vars(region), "able": np.ones((8, 15), dtype=bool)})
    np.testing.assert_array_equal(method(everybody), method(region))


@pytest.mark.parametrize("name", METHODS)
def test_some_member_always_votes(name):
    region = region_of(random_pool(seed=5))
    weights = learnt(METHODS[name], region)(region)
    assert (weights >= 0).all()
    assert (weights.sum(axis=0) > 0).all()


def test_options_of_objects():
    # By local recall the first two are perfect; the first of them is taken.
    assert LocalClassAccuracy(subset="true")(hand_region())[:, 0].tolist() == [1, 0, 0]
    assert Probable(posterior=False, margin=1.0)(hand_region())[:, 0].tolist() == [1, 1, 1]


def test_importance_counts():
    importance = np.array([[0.0, 0.0, 0.0, 1.0, 0.0]])  # only the row that the first gets wrong
    assert METHODS["ola"](hand_region(importance=importance))[:, 0].tolist() == [0, 1, 0]
    assert METHODS["knora_u"](hand_region(importance=importance))[:, 0].tolist() == [0, 1, 1]
