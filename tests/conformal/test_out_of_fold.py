import numpy as np
import pytest

from coterie.conformal import kept_coverage, kept_limit, kept_sets


def test_limits_are_scores_of_the_rank():
    chances = np.array([[0.6, 0.4], [0.3, 0.7], [0.9, 0.1], [np.nan, np.nan], [0.2, 0.8]])
    truth = np.array([0, 0, 0, 0, 1])
    # Scores .4, .7, .1, .2: the third of four at a half.
    assert kept_limit(truth, chances, 0.5) == pytest.approx(0.4)
    assert kept_limit([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], 0.3) == 3.0
    assert kept_limit([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], 0.1) == np.inf


def test_sets_are_never_empty():
    sets = kept_sets(0.1, [[0.5, 0.3, 0.2]])
    assert sets.tolist() == [[True, False, False]]


def test_coverage_is_judged_by_the_other_half():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 2000)
    truth = np.array([rng.choice(3, p=row) for row in p])
    row = kept_coverage(truth, p, 0.1)
    assert 0.88 < row.coverage < 0.92
    assert 1.0 < row.size < 3.0
    numbers = kept_coverage(rng.normal(size=500), np.zeros(500), 0.2)
    assert 0.74 < numbers.coverage < 0.86
    assert kept_coverage(truth[:10], p[:10], 0.1) is None
