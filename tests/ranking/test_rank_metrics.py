"""Measures of rankings."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score

from coterie.ranking import (
    expected_reciprocal_rank,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg,
)
from coterie.ranking.rank_metrics import gains_of

Y, S = np.array([1, 3, 0, 2]), np.array([0.5, -0.2, 0.3, 0.1])


def queries(seed=0, n=60):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, n), np.round(rng.normal(size=n), 1), rng.integers(0, 7, n)


def test_ndcg_of_four_documents():
    assert abs(ndcg(Y, S) - 0.587124) < 1e-6
    assert abs(ndcg(Y, S, k=2) - 0.112451) < 1e-6
    assert abs(ndcg(Y, S, gain="linear") - 0.691333) < 1e-6
    assert abs(ndcg(Y, np.zeros(4)) - 0.714222) < 1e-6
    assert abs(ndcg(Y, np.zeros(4), ties="average") - 0.749981) < 1e-6


@pytest.mark.parametrize("k", [None, 1, 3])
def test_ndcg_is_that_of_scikit_learn(k):
    y, s, q = queries()
    each = [ndcg_score([y[q == g]], [s[q == g]], k=k) for g in range(7)]
    assert abs(ndcg(y, s, q, k=k, gain="linear", ties="average") - np.mean(each)) < 1e-12


def test_the_mean_of_queries_is_weighted():
    y, s, q = queries()
    weight = np.random.default_rng(1).uniform(size=len(y))
    each = [ndcg(y[q == g], s[q == g]) for g in range(7)]
    mass = [weight[q == g].mean() for g in range(7)]
    assert abs(ndcg(y, s, q, sample_weight=weight) - np.average(each, weights=mass)) < 1e-12


def test_queries_without_a_good_document():
    y, s, q = [0, 0, 1, 0], [1, 2, 1, 2], [0, 0, 1, 1]
    second = ndcg([1, 0], [1, 2])
    assert ndcg(y, s, q) == (1 + second) / 2
    assert ndcg(y, s, q, empty=0.0) == second / 2
    assert ndcg(y, s, q, empty=None) == second
    assert mean_average_precision(y, s, q, empty=None) == 0.5
    assert mean_reciprocal_rank(y, s, q) == 0.75
    assert np.isnan(ndcg([0, 0], [1, 2], empty=None))


def test_average_precision_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 30), rng.permutation(30)
    assert abs(mean_average_precision(y, s) - average_precision_score(y, s)) < 1e-12
    # Three relevant of five, of which two places are seen: 1, and none at the second.
    assert mean_average_precision([1, 0, 1, 1, 0], [5, 4, 3, 2, 1], k=2) == 0.5


def test_reciprocal_ranks():
    y, s, q = [0, 2, 0, 0, 1, 1], [3, 2, 1, 3, 2, 1], [0, 0, 0, 1, 1, 1]
    assert mean_reciprocal_rank(y, s, q) == 0.5
    assert mean_reciprocal_rank(y, s, q, k=1) == 0.0
    # Grades 2 and 1 of highest 2 satisfy with 3/4 and 1/4.
    by_hand = 0.25 / 1 + 0.75 * 0.75 / 2
    assert abs(expected_reciprocal_rank([1, 2], [2, 1]) - by_hand) < 1e-12
    assert expected_reciprocal_rank([1, 2], [2, 1], k=1) == 0.25


def test_gains_of_the_user():
    assert gains_of(np.array([0.0, 2.0]), [0.0, 1.0, 5.0]).tolist() == [0.0, 5.0]
    with pytest.raises(ValueError, match="2 entries, but there is a grade 2"):
        gains_of(np.array([2.0]), [0.0, 1.0])
    with pytest.raises(ValueError, match="'exponential', 'linear'"):
        ndcg(Y, S, gain="steep")


def test_bad_input():
    with pytest.raises(ValueError, match="shapes"):
        ndcg(Y, S[:-1])
    with pytest.raises(ValueError, match="NaN"):
        ndcg(Y, [0, np.nan, 1, 2])
