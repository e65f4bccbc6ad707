import numpy as np
import pytest

from coterie.core import RowAxis
from coterie.forests.bags import Bags


def bags(**changes):
    parts = {
        "seeds": np.arange(3),
        "n_draws": np.array([4, 4, 0]),
        "axis": RowAxis.lay(np.arange(4), None),
        "n_rows": 4,
    }
    return Bags(**parts | changes)


def test_bags_are_drawn_again():
    first, again = bags(), bags()
    assert len(first) == 3
    assert all(first.counts(t).sum() == 4 for t in range(3))
    assert all(np.array_equal(first.counts(t), again.counts(t)) for t in range(3))
    np.testing.assert_array_equal(first.counts(2), np.ones(4))


def test_samples_repeat_rows():
    for tree, rows in enumerate(bags().samples()):
        assert rows.dtype == np.int32
        np.testing.assert_array_equal(np.bincount(rows, minlength=4), bags().counts(tree))


def test_rows_without_weight_are_in_no_bag():
    some = bags(n_rows=7, kept=np.array([0, 2, 3, 6]))
    assert all(some.counts(t)[[1, 4, 5]].sum() == 0 for t in range(3))
    assert np.all(some.outside()[[1, 4, 5]])
    np.testing.assert_array_equal(some.counts(0)[some.kept], bags().counts(0))


def test_outside():
    outside = bags().outside()
    assert outside.shape == (4, 3)
    assert not outside[:, 2].any()
    np.testing.assert_array_equal(outside[:, 0], bags().counts(0) == 0)


def test_more_bags_come_after():
    more = bags(seeds=np.arange(3, 5), n_draws=np.array([2, 2])).after(bags())
    assert len(more) == 5
    np.testing.assert_array_equal(more.counts(1), bags().counts(1))
    assert more.counts(4).sum() == 2


def test_bags_of_other_rows():
    other = bags(n_rows=2, axis=RowAxis.lay(np.arange(2), None), n_draws=np.full(3, 2))
    mixed = other.after(bags())
    assert len(mixed) == 6
    assert [mixed.seed(t) for t in range(6)] == [0, 1, 2] * 2
    assert [len(mixed.counts(t)) for t in range(6)] == [4] * 3 + [2] * 3
    np.testing.assert_array_equal(mixed.counts(1), bags().counts(1))
    np.testing.assert_array_equal(mixed.counts(4), other.counts(1))
    assert len(other.after(mixed)) == 9
    with pytest.raises(ValueError, match="same rows"):
        mixed.check_judges()
    bags().check_judges()
    with pytest.raises(ValueError, match="bootstrap=True"):
        bags(n_draws=np.zeros(3)).check_judges()


def test_no_draws_at_all():
    np.testing.assert_array_equal(bags(axis=None).counts(0), np.ones(4))
