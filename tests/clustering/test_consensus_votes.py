"""Votes, mixtures and k-means of labels on the seven objects."""

import warnings

import numpy as np
import pytest

from coterie.clustering import Labellings, adjusted_rand, consensus_votes, quadratic_information
from coterie.clustering.consensus_votes import (
    align,
    bic,
    fit_mixture,
    information_partition,
    information_weights,
    match_clusters,
    mixture,
    mutual_information,
    voting,
)
from tests.clustering.seven import EXPECTED, LABELS

FOUND, PLACES = Labellings.read(LABELS)


def rng():
    return np.random.default_rng(0)


def test_alignment_and_votes_by_hand():
    codes, size = align(FOUND, FOUND.codes[0])
    assert size == 3
    rows = codes[:, PLACES]
    assert rows[1].tolist() == rows[0].tolist() == EXPECTED
    assert rows[2].tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert rows[3].tolist() == [0, 1, -1, 0, 1, -1, -1]
    assert adjusted_rand(voting(FOUND, 3, rng())[PLACES], EXPECTED) == 1


def test_information_by_hand():
    phi = mutual_information(FOUND)
    found = [phi[0, 1], phi[0, 2], phi[2, 3], phi[0, 3]]
    np.testing.assert_allclose(found, [0.982141, 0.553570, 0.315465, 0], atol=1e-6)
    beta = (phi.sum(axis=1) - np.diag(phi)) / 3
    np.testing.assert_allclose(beta, [0.511904, 0.511904, 0.474201, 0.105155], atol=1e-6)
    np.testing.assert_allclose(
        (1 / beta) / (1 / beta).sum(), [0.125824, 0.125824, 0.135828, 0.612523], atol=1e-6
    )


def test_a_half_empty_member_is_not_weighed():
    with pytest.warns(UserWarning, match="1 of 4 members do not cluster many of the rows"):
        weights = information_weights(FOUND)
    assert weights[3] == 0
    assert weights.sum() == pytest.approx(1)
    assert weights[2] > weights[0]


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("selected", [True, False])
def test_four_ways_to_vote(weighted, selected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        codes = voting(FOUND, 3, rng(), weighted=weighted, selected=selected)
    assert (codes >= 0).all()
    assert codes.max() == 2


def test_greedy_matching_takes_the_largest_first():
    table = np.array([[5.0, 4.0], [4.0, 0.0]])
    assert match_clusters(table, "greedy").tolist() == [0, 1]
    assert match_clusters(table).tolist() == [1, 0]
    assert match_clusters(np.array([[3.0, 1.0, 2.0]])).tolist() == [0, 0, 0]


def test_mixture_by_hand():
    start = np.full((7, 3), 0.25)
    start[np.arange(7), LABELS[2] - 1] = 0.5
    first = np.array([int(np.flatnonzero(place == PLACES)[0]) for place in range(6)])
    found = fit_mixture(FOUND, start[first])
    curve = found.log_likelihoods
    assert curve[:2] == pytest.approx([-24.186458, -19.921937], abs=1e-6)
    assert curve[-1] == pytest.approx(-14.144619, abs=1e-6)
    assert (np.diff(curve) >= -1e-9).all()
    codes = found.responsibilities.argmax(axis=1)[PLACES]
    assert adjusted_rand(codes, [0, 0, 0, 1, 2, 2, 2]) == 1
    np.testing.assert_allclose(np.sort(found.shares), [1 / 7, 3 / 7, 3 / 7], atol=1e-6)
    assert bic(FOUND, found) == pytest.approx((2 + 3 * 7) * np.log(7) + 2 * 14.144619, abs=1e-4)


def test_mixture_of_clear_labels():
    truth = np.repeat([0, 1, 2], 20)
    noise = rng().random((8, 60)) < 0.1
    labels = np.where(noise, rng().integers(0, 3, (8, 60)), truth)
    found, places = Labellings.read(labels)
    assert adjusted_rand(mixture(found, 3, rng()).codes[places], truth) > 0.9


def test_k_means_finds_the_most_information():
    found, places = Labellings.read(LABELS[:3])
    codes = information_partition(found, 3, rng())[places]
    assert quadratic_information(codes, LABELS[:3]) == pytest.approx(1.625850, abs=1e-6)
    holes = information_partition(FOUND, 3, rng())
    assert holes.shape == (6,)


def test_what_is_missing_is_where_the_mean_is(monkeypatch):
    """The mean of each column is zero, and so are missing cells."""
    seen = []
    monkeypatch.setattr(consensus_votes, "k_means", lambda points, *_: seen.append(points))
    information_partition(FOUND, 3, rng())
    gone = (FOUND.codes < 0)[FOUND.owners].T
    whole = ~gone.any(axis=0)
    assert gone.any()
    assert (seen[0][gone] == 0).all()
    np.testing.assert_allclose(FOUND.counts @ seen[0][:, whole], 0, atol=1e-12)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("selected", [True, False])
def test_votes_are_counted_by_weights_and_members_kept(weighted, selected):
    generator = np.random.default_rng(3)
    truth = np.repeat([0, 1, 2], 20)
    noise = np.array([0.1, 0.1, 0.6, 0.7, 0.7])[:, None]
    labels = np.where(generator.random((5, 60)) < noise, generator.integers(0, 3, (5, 60)), truth)
    found, _ = Labellings.read(labels)
    codes, size = align(found, consensus_votes._reference(found, 3, rng()))
    own = information_weights(found)
    weights = own if weighted else np.ones(5)
    if selected:
        weights = np.where(own >= 1 / 5, weights, 0.0)
        assert 0 < (weights > 0).sum() < 5
    votes = np.stack([weights @ (codes == name) for name in range(size)], axis=1)
    found_codes = voting(found, 3, rng(), weighted=weighted, selected=selected)
    np.testing.assert_array_equal(found_codes, votes.argmax(axis=1))


@pytest.mark.slow
def test_the_number_of_components_has_the_least_bic():
    truth = np.repeat([0, 1, 2, 3], 25)
    noise = rng().random((6, 100)) < 0.05
    labels = np.where(noise, rng().integers(0, 4, (6, 100)), truth)
    found, places = Labellings.read(labels)
    codes = mixture(found, None, rng(), n_init=2).codes
    assert codes.max() == 3
    assert adjusted_rand(codes[places], truth) > 0.9
