import numpy as np
import pytest

from coterie.core import Bootstrap, Columns, Grouped, RowAxis, Subsample, Wag
from coterie.core.bag_rows import Bags

AXIS = RowAxis.lay(np.arange(4), None)


def bags(**changes):
    parts = {"seeds": np.arange(3), "draw": Bootstrap(AXIS, 4), "n_rows": 4}
    return Bags(**parts | changes)


def test_bags_are_drawn_again():
    first, again = bags(), bags()
    assert len(first) == 3
    assert all(first.counts(t).sum() == 4 for t in range(3))
    assert all(np.array_equal(first.counts(t), again.counts(t)) for t in range(3))
    np.testing.assert_array_equal(bags(draw=None).counts(2), np.ones(4))


def test_samples_repeat_rows():
    for member, rows in enumerate(bags().samples()):
        assert rows.dtype == np.int32
        np.testing.assert_array_equal(np.bincount(rows, minlength=4), bags().counts(member))
    weighed = bags(draw=Wag(AXIS))
    assert all(rows.tolist() == [0, 1, 2, 3] for rows in weighed.samples())


def test_rows_without_weight_are_in_no_bag():
    some = bags(n_rows=7, kept=np.array([0, 2, 3, 6]))
    assert all(some.counts(t)[[1, 4, 5]].sum() == 0 for t in range(3))
    assert np.all(some.outside()[[1, 4, 5]])
    np.testing.assert_array_equal(some.counts(0)[some.kept], bags().counts(0))


def test_outside():
    outside = bags().outside()
    assert outside.shape == (4, 3)
    np.testing.assert_array_equal(outside[:, 0], bags().counts(0) == 0)
    assert not bags(draw=None).outside().any()


def test_more_bags_come_after():
    more = bags(seeds=np.arange(3, 5)).after(bags())
    assert len(more) == len(more.seeds) == 5
    np.testing.assert_array_equal(more.counts(1), bags().counts(1))
    assert len(more[:4]) == 4
    assert len(more[:9]) == 5


def test_bags_drawn_in_another_way():
    fewer = bags(seeds=np.arange(3, 5), draw=Bootstrap(AXIS, 2)).after(bags())
    assert [fewer.counts(t).sum() for t in range(5)] == [4, 4, 4, 2, 2]
    fewer.check_judges()
    assert [part.counts(len(part) - 1).sum() for part in (fewer[:2], fewer[:4])] == [4, 2]
    with pytest.raises(ValueError, match="first members"):
        fewer[1:]


def test_bags_of_other_rows():
    other = bags(n_rows=2, draw=Bootstrap(RowAxis.lay(np.arange(2), None), 2))
    mixed = other.after(bags())
    assert len(mixed) == 6
    assert [mixed.seed(t) for t in range(6)] == [0, 1, 2] * 2
    assert [len(mixed.counts(t)) for t in range(6)] == [4] * 3 + [2] * 3
    np.testing.assert_array_equal(mixed.counts(1), bags().counts(1))
    np.testing.assert_array_equal(mixed.counts(4), other.counts(1))
    assert len(other.after(mixed)) == 9
    with pytest.raises(ValueError, match="same rows"):
        mixed.check_judges()


@pytest.mark.parametrize("draw", [None, Wag(AXIS), Subsample(AXIS, 4)])
def test_bags_that_leave_nothing_out_judge_nothing(draw):
    with pytest.raises(ValueError, match="bootstrap=True"):
        bags(draw=draw).check_judges()


@pytest.mark.parametrize("draw", [Bootstrap(AXIS, 4), Subsample(AXIS, 3), Wag(AXIS, "poisson")])
def test_bags_that_leave_rows_out_judge(draw):
    bags(draw=draw).check_judges()


def test_bags_of_some_members():
    earlier, whole = bags(), bags(draw=Subsample(AXIS, 2), seeds=np.arange(10, 14))
    both = whole.after(earlier)
    some = both.take(np.array([1, 2, 5]))
    assert len(some) == 3
    for number, member in enumerate((1, 2, 5)):
        np.testing.assert_array_equal(some.counts(number), both.counts(member))
        assert some.seed(number) == both.seed(member)


def test_groups_are_whole():
    groups = np.array([0, 0, 1, 2], dtype=np.int32)
    drawn = bags(draw=Grouped(Bootstrap(RowAxis.lay(np.arange(3), None), 3), groups))
    counts = np.array([drawn.counts(t) for t in range(3)])
    np.testing.assert_array_equal(counts[:, 0], counts[:, 1])
    drawn.check_judges()
    more = bags(seeds=np.arange(3, 5), draw=drawn.draw).after(drawn)
    assert more.before is None


def test_columns_are_drawn_again():
    choice = Columns(10, 4)
    with_columns = bags(choice=choice)
    assert bags().columns(0) is None
    chosen = with_columns.columns(1)
    assert len(set(chosen.tolist())) == 4
    np.testing.assert_array_equal(with_columns.columns(1), chosen)
    # Rows do not depend on whether columns are drawn.
    np.testing.assert_array_equal(with_columns.counts(1), bags().counts(1))
    assert with_columns.after(bags()).columns(1) is None
