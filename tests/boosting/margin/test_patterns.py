import numpy as np
import pytest

from coterie.boosting.margin.patterns import Patterns


def test_columns_are_the_distinct_hits():
    rng = np.random.default_rng(0)
    initial = rng.dirichlet(np.ones(60))
    U = rng.choice([-1.0, 0.0, 1.0], size=(4, 60))
    patterns = Patterns(initial)
    sizes = [1]
    for hits in U:
        before = patterns.hits[:, patterns.column]
        parents = patterns.split(hits)
        sizes.append(len(patterns.prior))
        assert len(parents) == sizes[-1] - sizes[-2]
        # What new columns say of earlier members is what their parents said.
        assert np.array_equal(patterns.hits[:-1, sizes[-2] :], patterns.hits[:-1, parents])
        assert np.array_equal(patterns.hits[:-1, patterns.column], before)
    assert np.array_equal(patterns.hits[:, patterns.column], U)
    assert len(patterns.prior) == len(np.unique(U, axis=1).T)
    assert patterns.prior == pytest.approx(np.bincount(patterns.column, weights=initial))


def test_weights_go_there_and_back():
    patterns = Patterns(np.array([0.1, 0.2, 0.3, 0.4]))
    patterns.split(np.array([1.0, 1.0, -1.0, -1.0]))
    weight = patterns.spread(np.array([0.5, 0.5]))
    assert weight == pytest.approx([1 / 6, 1 / 3, 3 / 14, 2 / 7])
    assert patterns.gather(weight) == pytest.approx([0.5, 0.5])


def test_order_and_repetition_of_rows_change_no_bit():
    rng = np.random.default_rng(1)
    times = rng.integers(1, 4, 50)
    U = rng.choice([-1.0, 1.0], size=(3, 50))
    order = rng.permutation(times.sum())
    plain, shuffled = Patterns(times / times.sum()), Patterns(np.full(len(order), 1 / len(order)))
    for hits in U:
        plain.split(hits)
        shuffled.split(np.repeat(hits, times)[order] + rng.normal(size=len(order)) * 1e-15)
    assert np.array_equal(plain.hits, shuffled.hits)
    assert np.array_equal(plain.prior, shuffled.prior)
