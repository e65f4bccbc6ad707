"""Measures of whole pools: published tables, and the identities that tie them to the pairs."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coterie import diversity
from coterie.data.errors import DataError
from tests.diversity.pools import FIGURE, PATTERNS, forest_pool, random_pool

MEASURES = [
    diversity.entropy,
    diversity.kohavi_wolpert_variance,
    diversity.interrater_agreement,
    diversity.difficulty,
    diversity.generalised_diversity,
    diversity.coincident_failure_diversity,
]
TABLE = {
    "helps": (1, 2 / 9, -0.5, 0, 1, 1),
    "nothing": (0, 0, 1, 2 / 9, 0, 0),
    "hurts": (1, 2 / 9, -0.5, 0, 0.5, 0.5),
    "success": (0.9, 0.2, -0.25, 0.04, 0.75, 0.9),
    "failure": (0.6, 2 / 15, 1 / 6, 8 / 75, 0.5, 0.5),
    "identical": (0, 0, 1, 0.24, 0, 0),
}


@pytest.mark.parametrize("pool", TABLE)
def test_known_pools(pool):
    hits = {**FIGURE, **PATTERNS}[pool]
    np.testing.assert_allclose([m(hits) for m in MEASURES], TABLE[pool], atol=1e-14)


def check_identities(hits, weight=None):
    n_members = len(hits)
    accuracy = np.average(np.mean(hits, axis=0), weights=weight)
    dis = diversity.mean_disagreement(hits, sample_weight=weight)
    fault = diversity.mean_double_fault(hits, sample_weight=weight)
    variance = diversity.kohavi_wolpert_variance(hits, sample_weight=weight)
    close = {"abs": 1e-12, "rel": 1e-12}
    assert variance == pytest.approx((n_members - 1) / (2 * n_members) * dis, **close)
    theta = diversity.difficulty(hits, sample_weight=weight)
    assert theta == pytest.approx(accuracy * (1 - accuracy) - variance, **close)
    assert dis == pytest.approx(2 * (1 - accuracy - fault), **close)
    if 0 < accuracy < 1:
        rater = diversity.interrater_agreement(hits, sample_weight=weight)
        assert rater == pytest.approx(1 - dis / (2 * accuracy * (1 - accuracy)), **close)
    if accuracy < 1:
        general = diversity.generalised_diversity(hits, sample_weight=weight)
        assert general == pytest.approx(1 - fault / (1 - accuracy), **close)


@given(arrays(np.bool_, st.tuples(st.integers(2, 7), st.integers(1, 30))))
def test_identities(hits):
    check_identities(hits)


@pytest.mark.parametrize("table", ["german_credit", "tic_tac_toe"])
def test_identities_on_real_trees(table):
    labels, y = forest_pool(table)
    check_identities(labels == y)
    check_identities(labels == y, np.random.default_rng(0).random(len(y)))


@given(arrays(np.bool_, st.tuples(st.integers(2, 6), st.integers(1, 25))), st.integers(0, 9))
def test_order_does_not_matter(hits, seed):
    rng = np.random.default_rng(seed)
    moved = hits[rng.permutation(len(hits))][:, rng.permutation(hits.shape[1])]
    for measure in MEASURES:
        np.testing.assert_allclose(measure(moved), measure(hits), atol=1e-12)


@given(arrays(np.bool_, st.tuples(st.integers(2, 6), st.integers(1, 25))))
def test_ranges(hits):
    assert 0 <= diversity.entropy(hits) <= 1 + 1e-12
    assert 0 <= diversity.kohavi_wolpert_variance(hits) <= 0.25 + 1e-12
    assert 0 <= diversity.coincident_failure_diversity(hits) <= 1 + 1e-12
    assume(not hits.all())
    assert -1e-12 <= diversity.generalised_diversity(hits) <= 1 + 1e-12


@pytest.mark.parametrize("measure", [*MEASURES, diversity.distinct_failure_diversity])
def test_weights_are_repetition(measure):
    labels, y = random_pool(0)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    repeated = measure(np.repeat(labels, weight, axis=1), np.repeat(y, weight))
    assert measure(labels, y, sample_weight=weight) == pytest.approx(repeated, rel=1e-12)


def test_vote_entropy():
    labels = [list("aab"), list("aba"), list("aca"), list("abb")]
    assert diversity.vote_entropy(labels) == pytest.approx((0 + 1.5 + 1) / 3)
    assert diversity.vote_entropy(labels, base=np.e) == pytest.approx(2.5 / 3 * np.log(2))
    assert diversity.vote_entropy(labels, sample_weight=[0, 1, 0]) == pytest.approx(1.5)


def test_distinct_failures_by_hand():
    # Sample 1: three give b. Sample 2: one b, two c. Sample 3: one b. t = (2/4, 1/4, 1/4).
    labels, y = [list("bbb"), list("bca"), list("bca")], list("aaa")
    assert diversity.distinct_failure_diversity(labels, y) == pytest.approx(2 / 4 + 1 / 8)
    assert diversity.distinct_failure_diversity([y, y], y) == 0
    # Of two classes a distinct failure is a failure.
    labels, y = forest_pool()
    coincident = diversity.coincident_failure_diversity(labels, y)
    assert diversity.distinct_failure_diversity(labels, y) == pytest.approx(coincident)


def test_undefined():
    one = [[1, 0, 1]]
    assert np.isnan([diversity.entropy(one), diversity.interrater_agreement(one)]).all()
    assert np.isnan(diversity.generalised_diversity(one))
    assert np.isnan(diversity.coincident_failure_diversity(one))
    assert np.isnan(diversity.distinct_failure_diversity(one, [1, 1, 1]))
    for perfect in (np.ones((3, 4)), np.zeros((3, 4))):
        assert np.isnan(diversity.interrater_agreement(perfect))
    assert np.isnan(diversity.generalised_diversity(np.ones((3, 4))))
    assert diversity.coincident_failure_diversity(np.ones((3, 4))) == 0
    with pytest.raises(DataError, match="pass y"):
        diversity.distinct_failure_diversity(one, None)
