"""Decompositions of zero-one loss: published values and exact sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import diversity, theory
from coterie.data.errors import DataError
from tests.diversity.pools import FIGURE, forest_pool, random_pool


def chances(seed, n_classes, n_samples=20):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), n_samples)


@given(st.integers(0, 10**6), st.integers(2, 5), st.booleans())
def test_kohavi_wolpert_adds_up(seed, n_classes, unbiased):
    runs, y = random_pool(seed, 6, 20, n_classes)
    for truth in (y, chances(seed, n_classes)):
        parts = theory.kohavi_wolpert(runs, truth, unbiased=unbiased)
        total = parts.noise + parts.bias + parts.variance
        np.testing.assert_allclose(total, parts.error, atol=1e-12)
    parts = theory.kohavi_wolpert(runs, y)
    np.testing.assert_allclose(parts.noise, 0)
    np.testing.assert_allclose(parts.error, (runs != y).mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("table", ["german_credit", "tic_tac_toe"])
def test_kohavi_wolpert_of_real_trees(table):
    labels, y = forest_pool(table)
    parts = theory.kohavi_wolpert(labels, y)
    np.testing.assert_allclose(parts.bias + parts.variance, parts.error, atol=1e-12)
    # Of members instead of runs, it is the ambiguity decomposition of the averaged vote; of two
    # classes its variance is the measure of diversity of the same name.
    split = theory.vote_ambiguity(labels, y)
    assert parts.means["bias"] == pytest.approx(split.error, abs=1e-12)
    assert parts.means["variance"] == pytest.approx(split.mean_ambiguity, abs=1e-12)
    same = diversity.kohavi_wolpert_variance(labels, y)
    assert parts.means["variance"] == pytest.approx(same, abs=1e-12)


def test_unbiased_is_unbiased():
    # All pairs of runs drawn from two equally likely labels: the variance is 1/4 on average.
    parts = [theory.kohavi_wolpert([[a], [b]], [0], unbiased=True) for a in (0, 1) for b in (0, 1)]
    assert np.mean([part.variance for part in parts]) == pytest.approx(0.25)
    assert np.mean([part.bias for part in parts]) == pytest.approx(0.25)


@given(st.integers(0, 10**6), st.integers(2, 5))
def test_domingos_adds_up(seed, n_classes):
    runs, y = random_pool(seed, 6, 20, n_classes)
    for truth in (y, chances(seed, n_classes)):
        parts = theory.domingos(runs, truth)
        total = parts.noise_factor * parts.noise + parts.bias
        total += parts.variance_factor * parts.variance
        np.testing.assert_allclose(total, parts.error, atol=1e-12)
    parts = theory.domingos(runs, y)
    split = parts.bias.mean() + parts.unbiased_variance - parts.biased_variance
    assert split == pytest.approx((runs != y).mean(), abs=1e-12)


@pytest.mark.parametrize(("right", "error"), [(7, 0.34), (3, 0.66)])
def test_domingos_with_noise(right, error):
    runs = [["yes"]] * right + [["no"]] * (10 - right)
    parts = theory.domingos(runs, [[0.1, 0.9]], classes=["no", "yes"])
    assert parts.error[0] == pytest.approx(error)
    assert parts.noise_factor[0] == pytest.approx(2 * right / 10 - 1)
    assert parts.variance_factor[0] == pytest.approx(1 if right == 7 else -1)


def test_real_trees_as_runs():
    labels, y = forest_pool()
    parts = theory.domingos(labels, y)
    split = parts.bias.mean() + parts.unbiased_variance - parts.biased_variance
    assert split == pytest.approx((labels != y).mean(), abs=1e-12)
    # Of two classes and an odd number, the main prediction is the vote.
    vote = np.where((labels == "good").sum(axis=0) > 4, "good", "bad")
    np.testing.assert_array_equal(parts.bias, vote != y)


@given(st.integers(0, 10**6), st.sampled_from([1, 3, 4, 7]))
def test_good_and_bad_diversity_add_up(seed, n_members):
    hits = np.random.default_rng(seed).random((n_members, 15)) < 0.6
    parts = theory.good_bad_diversity(hits)
    assert parts.error == pytest.approx((2 * hits.sum(axis=0) <= n_members).mean())
    assert parts.error == pytest.approx(parts.mean_error - parts.good + parts.bad, abs=1e-12)


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ("helps", (1 / 3, 1 / 3, 0, 0)),
        ("nothing", (1 / 3, 0, 0, 1 / 3)),
        ("hurts", (2 / 3, 0, 1 / 3, 1)),
    ],
)
def test_the_figure(pool, expected):
    parts = theory.good_bad_diversity(FIGURE[pool])
    found = (parts.mean_error, parts.good, parts.bad, parts.error)
    np.testing.assert_allclose(found, expected, atol=1e-15)


def test_good_and_bad_diversity_of_real_trees():
    labels, y = forest_pool()
    weight = np.random.default_rng(0).random(len(y))
    parts = theory.good_bad_diversity(labels, y, sample_weight=weight)
    assert parts.error == pytest.approx(parts.mean_error - parts.good + parts.bad, abs=1e-12)


def test_refusals():
    with pytest.raises(DataError, match="At least two runs"):
        theory.kohavi_wolpert([[0, 1]], [0, 1], unbiased=True)
    with pytest.raises(DataError, match="sum to one"):
        theory.domingos([[0]], [[0.5, 0.6]])
    with pytest.raises(DataError, match="only for probabilities"):
        theory.domingos([[0]], [0], classes=[0])
    with pytest.raises(DataError, match="pass y"):
        theory.domingos([[0]], None)
    with pytest.raises(DataError, match="not one of the classes"):
        theory.domingos([[2]], [[0.5, 0.5]])
    with pytest.raises(DataError, match=r"\(runs, 1\)"):
        theory.domingos([[0, 1]], [[0.5, 0.5]])
