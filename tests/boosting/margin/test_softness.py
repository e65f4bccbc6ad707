import numpy as np
import pytest

from coterie.boosting.margin.corrective import soft_minimum
from coterie.boosting.margin.softness import break_even, softness


@pytest.mark.parametrize("seed", range(5))
def test_the_soft_margin_is_zero_at_the_share_that_breaks_even(seed):
    rng = np.random.default_rng(seed)
    hits, weight = rng.uniform(-0.8, 1.0, 50), rng.dirichlet(np.ones(50))
    share = break_even(hits, weight)
    assert 0 < share < 1
    assert soft_minimum(hits, weight, 1 / share) == pytest.approx(0, abs=1e-12)


def test_shares_of_members_that_are_always_or_never_right():
    even = np.full(4, 0.25)
    assert break_even(np.full(4, 0.5), even) == 0
    assert break_even(np.full(4, -0.5), even) == 1
    assert break_even(np.zeros(4), even) == 1  # says nothing of any row
    assert softness(np.ones(4), even) == (0.1,)
    assert softness(-np.ones(4), even) == (0.75, 1.0, 0.95, 0.5, 0.1)


def test_twice_the_error_of_hard_votes():
    hits = np.repeat([1.0, -1.0], [70, 30])
    assert break_even(hits, np.full(100, 0.01)) == pytest.approx(0.6)
    assert softness(hits, np.full(100, 0.01)) == (0.45, 0.66, 0.57, 0.3, 0.1)
