from itertools import combinations

import numpy as np
import pytest

from coterie import fusion
from coterie.selection import (
    least_subset,
    pair_costs,
    quadratic_numbers_subsets,
    quadratic_subsets,
)
from coterie.selection.pruning.quadratic import _capped, _exchanged, _relaxed, some_sizes
from tests.selection.pruning.signatures import LABELS, Y, random_votes


def form(costs, members):
    return costs[np.ix_(members, members)].sum()


def test_costs_by_hand():
    # Errors of 0 and 1: three each, two of them common. Of 2: four.
    costs = pair_costs(LABELS, Y)
    np.testing.assert_allclose(np.diag(costs), np.array([3, 3, 4, 4, 3]) / 8)
    assert costs[0, 1] == pytest.approx(2 / 3)
    assert costs[0, 2] == pytest.approx((2 / 3 + 2 / 4) / 2)
    assert costs[0, 4] == 0
    assert form(costs, [1, 3, 4]) == pytest.approx(2.416667, abs=1e-6)
    assert form(costs, [0, 1, 4]) == pytest.approx(2.458333, abs=1e-6)
    assert least_subset(costs, 3).tolist() == [0, 3, 4]  # as good as 1, 3, 4, and first


def test_many_members_against_enumeration():
    labels, y = random_votes(20, 80, seed=1)
    costs = pair_costs(labels, y)
    found = least_subset(costs, 3)
    best = min(form(costs, list(some)) for some in combinations(range(20), 3))
    assert form(costs, found) <= best * 1.05
    # No exchange of two members makes it better.
    for t in found:
        for other in set(range(20)) - set(found):
            swapped = [other if member == t else member for member in found]
            assert form(costs, swapped) >= form(costs, found) - 1e-12


def test_exchanges_and_shares():
    labels, y = random_votes(20, 80, seed=2)
    costs = pair_costs(labels, y)
    worst = np.argsort(-np.diag(costs))[:5]
    assert form(costs, _exchanged(costs, worst)) < form(costs, worst)
    shares = _relaxed(costs, 5)
    assert shares.sum() == pytest.approx(5)
    assert shares.min() >= 0
    assert shares.max() <= 1
    np.testing.assert_allclose(_capped(np.array([3.0, 0.4, 0.2, -9.0]), 2), [1, 0.6, 0.4, 0])


def test_subsets_of_numbers_have_least_squared_error():
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    said = y + rng.normal(size=(9, 60)) * rng.uniform(0.5, 2, (9, 1))
    (found,) = quadratic_numbers_subsets(said, y, sizes=[4])
    products = fusion.error_covariance(said, y)
    best = min(combinations(range(9), 4), key=lambda some: form(products, list(some)))
    assert found.tolist() == list(best)


def test_sizes():
    assert some_sizes(4, None) == [1, 2, 3, 4]
    assert some_sizes(200, None)[0] == 1
    assert some_sizes(200, None)[-1] == 200
    assert [len(s) for s in quadratic_subsets(LABELS, Y, sizes=(2, 4))] == [2, 4]
    with pytest.raises(ValueError, match="size"):
        least_subset(np.eye(3), 4)
