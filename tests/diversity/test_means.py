"""Means over pairs are the means of the matrices."""

import numpy as np
import pytest

from coterie import diversity
from tests.diversity.pools import forest_pool, random_pool

NAMES = ["disagreement", "correlation", "q_statistic", "kappa", "double_fault"]


@pytest.mark.parametrize("name", NAMES)
def test_mean_of_the_matrix(name):
    labels, y = random_pool(0)
    weight = np.arange(60)
    matrix = getattr(diversity, name)(labels, y, sample_weight=weight)
    mean = getattr(diversity, f"mean_{name}")(labels, y, sample_weight=weight)
    assert mean == pytest.approx(np.mean([matrix[i, j] for i in range(7) for j in range(i)]))


@pytest.mark.parametrize("name", NAMES[:4])
def test_of_labels_or_of_correctness(name):
    labels, y = forest_pool()
    mean = getattr(diversity, f"mean_{name}")
    assert mean(labels) == mean(labels, y, outputs="labels")
    assert mean(labels, y) == mean(labels == y) == mean(labels, y, outputs="oracle")
    assert (mean(labels) == mean(labels, y)) == (name == "disagreement")


def test_options_are_passed_on():
    assert diversity.mean_kappa([[1, 1], [1, 1], [1, 0]], zero_division=1.0) == pytest.approx(1 / 3)
    assert diversity.mean_kappa([[1, 1], [1, 1], [1, 0]]) == 0
    labels, y = [list("bc"), list("bb")], list("aa")
    assert diversity.mean_double_fault(labels, y, mistakes="same") == 0.5


@pytest.mark.parametrize("name", NAMES)
def test_one_member_has_no_diversity(name):
    with pytest.warns(UserWarning, match="no pairs"):
        assert np.isnan(getattr(diversity, f"mean_{name}")([[1, 0, 1]]))
