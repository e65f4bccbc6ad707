"""Votes: the textbook's cases, ties of every kind, rejects that survive any label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import fusion
from coterie.data.errors import DataError
from tests.diversity.pools import FIGURE, forest_pool, random_pool


def test_two_of_four():
    votes = [["a"], ["a"], ["b"], ["c"]]
    assert fusion.majority(votes).tolist() == [None]
    assert fusion.plurality(votes).tolist() == ["a"]


@pytest.mark.parametrize(
    ("pool", "right"), [("helps", [1, 1, 1]), ("nothing", [1, 1, 0]), ("hurts", [0, 0, 0])]
)
def test_the_figure(pool, right):
    assert fusion.plurality(FIGURE[pool]).tolist() == right
    assert fusion.majority(FIGURE[pool]).tolist() == right


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4))
def test_counting(seed, n_members, n_classes):
    labels, _ = random_pool(seed, n_members, 20, n_classes)
    weights = np.random.default_rng(seed).random(n_members)
    counted, classes = fusion.tally(labels, weights)
    expected = [(weights[:, None] * (labels == k)).sum(axis=0) for k in classes]
    np.testing.assert_allclose(counted.T, expected, atol=1e-12)
    soft, _ = fusion.tally(fusion.one_hot(labels), weights)
    np.testing.assert_allclose(soft, counted, atol=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 4))
def test_majority_is_a_sure_plurality(seed, n_members, n_classes):
    labels, _ = random_pool(seed, n_members, 20, n_classes)
    plural, major = fusion.plurality(labels), fusion.majority(labels)
    share = (labels == plural).mean(axis=0)
    np.testing.assert_array_equal(major, np.where(share > 0.5, plural, -1))
    np.testing.assert_array_equal(fusion.rejected(labels), share <= 0.5)
    everyone = fusion.majority(labels, threshold=max(0.5, (n_members - 0.5) / n_members))
    if n_members > 1:
        np.testing.assert_array_equal(everyone != -1, (labels == labels[0]).all(axis=0))


def test_order_of_members_does_not_matter():
    labels, _ = forest_pool()
    weights = np.random.default_rng(0).random(len(labels))
    order = np.random.default_rng(1).permutation(len(labels))
    np.testing.assert_array_equal(
        fusion.plurality(labels, weights), fusion.plurality(labels[order], weights[order])
    )


def test_real_trees_vote_better_than_one():
    labels, y = forest_pool()
    vote = fusion.plurality(labels)
    good = (labels == "good").sum(axis=0)
    np.testing.assert_array_equal(vote, np.where(good > 4, "good", "bad"))
    assert (vote == y).mean() > (labels == y).mean()


def test_ties_that_differ_by_rounding():
    # 0.1 + 0.2 is not 0.3 in floating point, but the votes are tied.
    assert fusion.plurality([["a"], ["b"], ["b"]], [0.3, 0.1, 0.2]).tolist() == ["a"]
    assert fusion.majority([["a"], ["b"], ["b"]], [0.3, 0.1, 0.2]).tolist() == [None]


def test_random_ties():
    votes = np.array([[0] * 6000, [2] * 6000, [1] * 5000 + [0] * 1000])
    found = fusion.plurality(votes, ties="random", random_state=1)
    assert (found[5000:] == 0).all()
    shares = np.bincount(found[:5000]) / 5000
    np.testing.assert_allclose(shares, 1 / 3, atol=0.03)
    again = fusion.plurality(votes, ties="random", random_state=1)
    np.testing.assert_array_equal(found, again)
    other = fusion.plurality(votes, ties="random", random_state=2)
    assert (found[:5000] != other[:5000]).mean() > 0.5


def test_random_ties_follow_the_key():
    rng = np.random.default_rng(0)
    votes = np.array([[0] * 200, [1] * 200])
    keys = rng.integers(-(2**62), 2**62, 200)
    found = fusion.plurality(votes, ties="random", keys=keys)
    order = rng.permutation(200)
    moved = fusion.plurality(votes[:, order], ties="random", keys=keys[order])
    np.testing.assert_array_equal(moved, found[order])
    assert 0.3 < found.mean() < 0.7


def test_ties_by_scores():
    votes = [["a", "a"], ["b", "b"], ["b", "a"], ["a", "b"]]
    assert fusion.plurality(votes, ties=[0.2, 0.8]).tolist() == ["b", "b"]
    assert fusion.plurality(votes, ties=[[0.2, 0.8], [0.9, 0.1]]).tolist() == ["b", "a"]
    # Scores decide among tied classes only.
    assert fusion.plurality([["a"], ["a"], ["b"]], ties=[0, 1]).tolist() == ["a"]


def test_start_and_negative_weights():
    votes = [["a", "b"], ["b", "b"]]
    assert fusion.plurality(votes, [1, 1], start=[2.5, 0]).tolist() == ["a", "a"]
    assert fusion.plurality(votes, [-1, 0.5]).tolist() == ["b", "a"]


@pytest.mark.parametrize(
    ("labels", "mark"),
    [
        (np.array([["x", "y"], ["z", "y"]]), None),
        (np.array([["x", "y"], ["z", "y"]], dtype=object), None),
        (np.array([[1, 2], [3, 2]]), -1),
        (np.array([[1, 2], [3, 2]], dtype=np.uint8), -1),
        (np.array([[True, False], [False, False]]), None),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_rejects_of_any_kind(labels, mark):
    found = fusion.majority(labels)
    assert found[0] == mark or (found[0] is None and mark is None)
    assert found[1] == labels[0, 1]
    chosen = fusion.majority(labels, reject="none of them")
    assert chosen.tolist() == ["none of them", labels[0, 1]]


def test_rejects_of_numbers():
    found = fusion.majority(np.array([[0.5, 2.5], [1.5, 2.5]]))
    assert np.isnan(found[0])
    assert found[1] == 2.5
    with pytest.raises(DataError, match="-1 is one of the classes"):
        fusion.majority([[-1, 1], [1, 1]])
    assert fusion.majority([[-1, 1], [1, 1]], reject=-9).tolist() == [-9, 1]


def test_soft_votes():
    chances = [[[0.6, 0.4], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]]]
    assert fusion.plurality(chances).tolist() == [1, 1]
    assert fusion.plurality(chances, [3, 1], classes=["no", "yes"]).tolist() == ["no", "yes"]
    assert fusion.majority(chances, threshold=0.6, classes=["no", "yes"]).tolist() == [None, "yes"]


def test_refusals():
    with pytest.raises(ValueError, match="threshold"):
        fusion.majority([[1]], threshold=0.4)
    with pytest.raises(ValueError, match="ties"):
        fusion.plurality([[1]], ties="last")
    with pytest.raises(DataError, match="breaks ties"):
        fusion.plurality([[1, 2]], ties=[1, 2, 3])
    with pytest.raises(DataError, match="keys"):
        fusion.plurality([[1, 2]], ties="random", keys=[1])
    with pytest.raises(DataError, match="negative"):
        fusion.majority([[1], [2]], [-1, 2])
    with pytest.raises(DataError, match="2 columns for 3 classes"):
        fusion.tally([[[0.1, 0.9]]], classes=[1, 2, 3])
    with pytest.raises(DataError, match="start has 1"):
        fusion.tally([[1, 2]], start=[1])
    with pytest.raises(DataError, match="3 weights for 1"):
        fusion.plurality([[1, 2]], [1, 2, 3])
