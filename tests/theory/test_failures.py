"""The profile of failures: areas that add up, hand-made pools, independent members."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from coterie import diversity, fusion, theory
from coterie.data.errors import DataError
from tests.diversity.pools import FIGURE, forest_pool, random_pool


def areas(profile):
    """Every number again, by integrating the steps of the picture."""
    right = np.cumsum(profile.shares)
    left = right - profile.shares
    below = (right - left) * profile.failing
    above = (right - left) * (1 - profile.failing)
    return below[profile.lost].sum(), below[~profile.lost].sum(), above[profile.lost].sum()


def check(profile):
    together, good, bad = areas(profile)
    assert profile.together == pytest.approx(together, abs=1e-12)
    assert profile.good == pytest.approx(good, abs=1e-12)
    assert profile.bad == pytest.approx(bad, abs=1e-12)
    assert profile.mean_error == pytest.approx(together + good, abs=1e-12)
    assert profile.mean_error == pytest.approx(profile.member_errors.mean(), abs=1e-12)
    assert profile.error == pytest.approx(together + bad, abs=1e-12)
    assert profile.mean_error - profile.error == pytest.approx(profile.gain, abs=1e-12)
    assert sorted(profile.order) == list(range(len(profile.order)))
    assert not (np.diff(profile.lost.astype(int)) > 0).any()
    for part in (profile.lost, ~profile.lost):
        assert (np.diff(profile.failing[part]) <= 0).all()


@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(1, 4), st.booleans())
@settings(deadline=None)
def test_areas_of_random_pools(seed, n_members, n_classes, weighted):
    labels, y = random_pool(seed, n_members, 30, n_classes)
    rng = np.random.default_rng(seed)
    weight = rng.random(30) + 1e-3 if weighted else None
    # The identity holds for any vote, even one by lot.
    for vote in (None, fusion.plurality(labels), rng.integers(0, n_classes, 30)):
        profile = theory.dissent(labels, y, vote=vote, sample_weight=weight)
        check(profile)
        if vote is not None:
            wrong = np.average(vote != y, weights=weight)
            assert profile.error == pytest.approx(wrong, abs=1e-12)


@pytest.mark.parametrize("table", ["german_credit", "tic_tac_toe"])
def test_areas_of_real_trees(table):
    labels, y = forest_pool(table)
    profile = theory.dissent(labels, y)
    check(profile)
    parts = theory.good_bad_diversity(labels, y)
    found = (profile.mean_error, profile.good, profile.bad, profile.error)
    expected = (parts.mean_error, parts.good, parts.bad, parts.error)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(profile.member_errors, (labels != y).mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(profile.failing, (labels != y).mean(axis=0)[profile.order])
    assert 0 < profile.dependence() < 1
    assert profile.independent_error() < profile.error


@pytest.mark.parametrize(
    ("pool", "together", "good", "bad"),
    [("helps", 0, 1 / 3, 0), ("nothing", 1 / 3, 0, 0), ("hurts", 2 / 3, 0, 1 / 3)],
)
def test_the_figure(pool, together, good, bad):
    profile = theory.dissent(FIGURE[pool])
    check(profile)
    assert (profile.together, profile.good, profile.bad) == pytest.approx((together, good, bad))


def test_pools_that_no_measure_of_pairs_tells_apart():
    even = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]])
    odd = 1 - even
    for measure in (diversity.kappa, diversity.disagreement, diversity.double_fault):
        np.testing.assert_array_equal(measure(even), measure(odd))
    maps = [theory.vote_ambiguity(hits, [1] * 4) for hits in (even, odd)]
    np.testing.assert_allclose(maps[0].member_ambiguities, maps[1].member_ambiguities)
    assert (theory.dissent(even).error, theory.dissent(odd).error) == (0.25, 0.75)


def test_order_within_the_parts():
    hits = [[1, 0, 0, 1], [1, 0, 1, 0], [1, 0, 1, 0]]
    profile = theory.dissent(hits, sample_weight=[1, 2, 3, 4])
    assert profile.order.tolist() == [1, 3, 2, 0]
    assert profile.failing == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert profile.shares == pytest.approx([0.2, 0.4, 0.3, 0.1])
    # A vote that is right where all members fail.
    other = theory.dissent(hits, vote=[1, 1, 0, 0], sample_weight=[1, 2, 3, 4])
    assert other.order.tolist() == [3, 2, 1, 0]
    assert other.error == pytest.approx(0.7)


def test_failures_of_independent_members():
    np.testing.assert_allclose(
        theory.failure_chances([0.3] * 12), binom.pmf(np.arange(13), 12, 0.3), atol=1e-15
    )
    np.testing.assert_allclose(theory.failure_chances([0.1, 1.0, 0.5]), [0, 0.45, 0.5, 0.05])
    errors = np.random.default_rng(0).random(300)
    chances = theory.failure_chances(errors)
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    assert chances @ np.arange(301) == pytest.approx(errors.sum(), abs=1e-9)
    spread = chances @ np.arange(301) ** 2 - errors.sum() ** 2
    assert spread == pytest.approx((errors * (1 - errors)).sum(), abs=1e-6)


@pytest.mark.parametrize("n_members", [4, 5])
def test_majority_of_independent_members(n_members):
    hits = np.random.default_rng(n_members).random((n_members, 50)) < 0.7
    profile = theory.dissent(hits)
    failing, shares = profile.independent()
    assert shares @ failing == pytest.approx(profile.mean_error, abs=1e-12)
    expected = theory.pool_vote_error(profile.member_errors)
    assert profile.independent_error() == pytest.approx(expected, abs=1e-12)


def test_dependence():
    copies = np.tile(np.arange(10) < 7, (6, 1))
    assert theory.dissent(copies).dependence() == pytest.approx(1)
    # All combinations once: independent exactly.
    every = (np.arange(16)[:, None] >> np.arange(4) & 1).T
    assert theory.dissent(every).dependence() == pytest.approx(0, abs=1e-12)
    assert np.isnan(theory.dissent([[1, 0, 0]]).dependence())
    assert np.isnan(theory.dissent([[1, 1], [1, 1]]).dependence())
    # Half of the samples independent, half alike.
    mixed = theory.dissent(np.hstack([every, np.tile(np.arange(16) < 8, (4, 1))]))
    assert mixed.dependence() == pytest.approx(0.5)


def test_refusals():
    with pytest.raises(DataError, match="3 samples, but 2 votes"):
        theory.dissent([[1, 0, 1]], vote=[1, 0])
    with pytest.raises(DataError, match="between zero and one"):
        theory.failure_chances([0.5, 1.5])
    with pytest.raises(DataError, match="also pass y"):
        theory.dissent([["a", "b"]])
