import math

import numpy as np
import pytest

from coterie.theory import conformal_quantile, conformal_quantiles, needed_rows, ranks_of


@pytest.mark.parametrize(
    ("n", "alpha", "rank"),
    [(9, 0.1, 9), (10, 0.1, 10), (19, 0.1, 18), (99, 0.1, 90), (100, 0.1, 91), (1000, 0.1, 901)],
)
def test_ranks_as_in_the_specification(n, alpha, rank):
    assert ranks_of(n, alpha)[1] == rank


def test_shares_are_decimal_fractions():
    assert ranks_of(99, 0.45) == (45, 55)
    assert ranks_of(99, 0.29)[0] == 29
    assert math.floor(0.29 * 100) == 28  # what floating point would say
    assert [needed_rows(a) for a in (0.1, 0.05, 0.01, 0.3)] == [9, 19, 99, 3]


def test_quantiles():
    scores = np.array([3.0, 1.0, 2.0, 4.0])
    assert conformal_quantile(scores, 0.5) == 3.0
    assert conformal_quantile(scores, 0.1) == math.inf
    with pytest.raises(ValueError, match="alpha=1.5"):
        conformal_quantile(scores, 1.5)


@pytest.mark.parametrize("alpha", [0.1, 0.2, 0.45, 0.5])
def test_equal_weights_change_nothing(alpha):
    scores = np.random.default_rng(0).normal(size=57)
    plain = conformal_quantile(scores, alpha)
    assert conformal_quantile(scores, alpha, np.ones(57)) == plain
    assert conformal_quantile(scores, alpha, np.full(57, 0.3), 0.3) == plain


def test_heavy_rows_count_more():
    scores, weight = np.arange(10.0), np.r_[np.full(9, 0.1), 9.0]
    assert conformal_quantile(scores, 0.5, weight) == 9.0
    assert conformal_quantile(scores, 0.5, weight[::-1]) == 0.0
    assert conformal_quantile(scores, 0.5, weight, own_weight=100.0) == math.inf


def test_many_new_rows_have_the_limits_of_each():
    rng = np.random.default_rng(1)
    scores, weight, own = rng.normal(size=40), rng.uniform(0, 2, 40), rng.uniform(0, 60, 30)
    each = [conformal_quantile(scores, 0.3, weight, float(w)) for w in own]
    found = conformal_quantiles(scores, 0.3, weight, own)
    np.testing.assert_array_equal(found, each)
    assert np.isinf(found).any()
    assert len(np.unique(found)) > 5
    # By the definition: the least score whose share of the mass is enough.
    for limit, w in zip(found, own, strict=True):
        share = weight[scores <= limit].sum() / (weight.sum() + w)
        assert np.isinf(limit) or share >= 0.7 > share - weight[scores == limit][0] / (
            weight.sum() + w
        )
    assert conformal_quantile([], 0.3, [], 1.0) == math.inf
