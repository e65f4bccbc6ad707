"""Votes of independent members: published values, enumeration, Condorcet's theorem."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import theory
from coterie.data.errors import DataError
from tests.diversity.pools import PATTERNS


@pytest.mark.parametrize(
    ("n_members", "error", "exact", "bound"),
    [
        (3, 0.4, 0.352, 0.941765),
        (5, 0.3, 0.16308, 0.670320),
        (11, 0.25, 0.034328, 0.252840),
        (21, 0.3, 0.026390, 0.186374),
        (25, 0.35, 0.060445, 0.324652),
        (101, 0.45, 0.156245, 0.603506),
        (4, 0.3, 0.3483, np.exp(-0.32)),
        (11, 0.6, 0.753498, 1.0),
        (11, 0.5, 0.5, 1.0),
    ],
)
def test_published_values(n_members, error, exact, bound):
    assert theory.vote_error(n_members, error) == pytest.approx(exact, abs=5e-7)
    assert theory.hoeffding_bound(n_members, error) == pytest.approx(bound, abs=5e-7)


def test_ties():
    assert theory.vote_error(4, 0.3, tie="half") == pytest.approx(0.2160)
    number = np.arange(1, 40, 2)
    odd, even = (theory.vote_error(n, 0.3, tie="half") for n in (number, number + 1))
    np.testing.assert_allclose(even, odd, rtol=1e-12)


def test_the_bound_holds():
    number, error = np.arange(1, 102)[:, None], np.linspace(0, 0.499, 60)
    assert (theory.vote_error(number, error) <= theory.hoeffding_bound(number, error)).all()


@pytest.mark.parametrize(("error", "sign"), [(0.4, -1), (0.6, 1)])
def test_condorcet(error, sign):
    odd = theory.vote_error(np.arange(1, 200, 2), error)
    assert (sign * np.diff(odd) > 0).all()
    accuracy = theory.jury_accuracy(np.arange(1, 200, 2), 1 - error)
    np.testing.assert_allclose(accuracy, 1 - odd, atol=1e-15)
    assert theory.vote_error([1, 2], 0.0).tolist() == [0, 0]
    assert theory.vote_error([1, 2], 1.0).tolist() == [1, 1]


@given(st.floats(0.01, 0.49), st.floats(1e-6, 0.9))
def test_jury_size_is_the_smallest(error, target):
    size = theory.jury_size(error, target)
    assert size % 2 == 1
    assert theory.vote_error(size, error) <= target * (1 + 1e-12)
    assert size == 1 or theory.vote_error(size - 2, error) > target * (1 - 1e-12)


@given(
    st.lists(st.floats(0.01, 0.99), min_size=1, max_size=6),
    st.lists(st.integers(-2, 3), min_size=6, max_size=6).filter(any),
    st.sampled_from(["wrong", "half"]),
)
def test_unequal_members_by_enumeration(errors, weights, tie):
    weights = weights[: len(errors)]
    total = 0.0
    for right in product([0, 1], repeat=len(errors)):
        chance = np.prod([1 - e if r else e for e, r in zip(errors, right, strict=True)])
        score = sum(w if r else -w for w, r in zip(weights, right, strict=True))
        total += chance * (score < 0 or (score == 0) * (0.5 if tie == "half" else 1.0))
    assert theory.pool_vote_error(errors, weights, tie=tie) == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("n_members", [1, 10, 51])
def test_equal_members_are_binomial(n_members):
    for tie in ("wrong", "half"):
        found = theory.pool_vote_error(np.full(n_members, 0.3), tie=tie)
        assert found == pytest.approx(theory.vote_error(n_members, 0.3, tie=tie), rel=1e-12)


@pytest.mark.parametrize(
    ("accuracies", "plain", "best"),
    [
        ((0.9, 0.6, 0.6), 0.792, 0.9),
        ((0.8, 0.7, 0.7), 0.826, 0.826),
        ((0.9, 0.9, 0.6, 0.6, 0.6), 0.87696, 0.92664),
    ],
)
def test_log_odds_are_the_best_weights(accuracies, plain, best):
    errors = 1 - np.array(accuracies)
    assert 1 - theory.pool_vote_error(errors) == pytest.approx(plain)
    odds = np.log((1 - errors) / errors)
    assert 1 - theory.pool_vote_error(errors, odds) == pytest.approx(best)
    rng = np.random.default_rng(0)
    tried = [theory.pool_vote_error(errors, w) for w in rng.normal(size=(200, len(errors)))]
    assert min(tried) >= 1 - best - 1e-12


@pytest.mark.slow
def test_too_many_sums_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(DataError, match="different sums"):
        theory.pool_vote_error(np.full(30, 0.3), rng.random(30))


def test_limits():
    assert theory.vote_limits(3, 0.6) == (pytest.approx(0.4), pytest.approx(0.9))
    for place, pool in enumerate(["failure", "success"]):
        vote = (np.sum(PATTERNS[pool], axis=0) > 1).mean()
        assert theory.vote_limits(3, 0.6)[place] == pytest.approx(vote)
    assert theory.vote_limits(5, 0.1) == (0, pytest.approx(1 / 6))
    assert theory.vote_limits(5, 1.0) == (1, 1)
    # Four members: 30 % of the samples with four right and the others with two.
    assert theory.vote_limits(4, 0.65)[0] == pytest.approx(0.3)


def test_refusals():
    for n_members in (0, 2.5, -1):
        with pytest.raises(DataError, match="integers"):
            theory.vote_error(n_members, 0.3)
    with pytest.raises(DataError, match="between zero and one"):
        theory.vote_error(3, 1.2)
    with pytest.raises(DataError, match="between zero and one"):
        theory.hoeffding_bound(3, np.nan)
    with pytest.raises(ValueError, match="tie"):
        theory.vote_error(3, 0.2, tie="first")
    for error, target in [(0.5, 0.1), (0.2, 0.0)]:
        with pytest.raises(DataError, match="better than chance"):
            theory.jury_size(error, target)
