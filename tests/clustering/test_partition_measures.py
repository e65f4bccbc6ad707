"""Measures by hand, and against scikit-learn."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from coterie.clustering import adjusted_rand, anmi, consistency, nmi, quadratic_information
from tests.clustering.seven import EXPECTED, LABELS


def test_seven_objects():
    each = [nmi(EXPECTED, row) for row in LABELS]
    np.testing.assert_allclose(each, [1, 1, 0.563636, 0], atol=1e-6)
    assert anmi(EXPECTED, LABELS) == pytest.approx(0.640909, abs=1e-6)
    # Another partition agrees more: agreement is not what makes the expected one right.
    assert anmi([0, 0, 0, 1, 2, 2, 2], LABELS) == pytest.approx(0.682928, abs=1e-6)


def test_against_scikit_learn():
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(0, 4, 50), rng.integers(0, 3, 50)
        theirs = normalized_mutual_info_score(a, b, average_method="geometric")
        assert nmi(a, b) == pytest.approx(theirs, abs=1e-12)
        assert adjusted_rand(a, b) == pytest.approx(adjusted_rand_score(a, b), abs=1e-12)


def test_a_single_cluster_says_nothing():
    assert nmi([0, 0, 0], [0, 1, 1]) == 0
    assert adjusted_rand([0, 0, 0], [0, 0, 0]) == 1


def test_consistency():
    assert consistency(LABELS[:2]) == pytest.approx(1.0)
    assert consistency(LABELS[:1]) == 1.0
    assert 0 < consistency(LABELS[:3]) < 1


def test_quadratic_information_by_hand_and_as_k_means():
    members = LABELS[:3]
    assert quadratic_information(EXPECTED, members) == pytest.approx(1.625850, abs=1e-6)
    other = quadratic_information([0, 0, 1, 1, 2, 2, 2], members)
    assert other == pytest.approx(1.292517, abs=1e-6)
    points = np.hstack([np.eye(4)[row] for row in members])
    points -= points.mean(axis=0)
    codes = np.array(EXPECTED)
    within = sum(
        ((points[codes == c] - points[codes == c].mean(axis=0)) ** 2).sum() for c in range(3)
    )
    explained = ((points**2).sum() - within) / 7
    assert quadratic_information(codes, members) == pytest.approx(explained, abs=1e-14)


@pytest.mark.slow
def test_no_partition_into_three_has_more_quadratic_information():
    best = quadratic_information(EXPECTED, LABELS[:3])
    for codes in itertools.product(range(3), repeat=5):
        assert quadratic_information((0, *codes, codes[-1]), LABELS[:3]) <= best + 1e-12


def test_other_numbers_of_rows():
    with pytest.raises(ValueError, match="but have 2 and 3"):
        nmi([0, 1], [0, 1, 1])
