import numpy as np
import pytest

from coterie.distributed.course import Course, Found, layout_of
from coterie.distributed.remote_growth import RemoteGround
from coterie.native import NewtonGrowth, NewtonTable, Slopes, encode, find_bins, grow_newton
from tests.distributed.models import Direct

N = 2000


def test_what_holders_find_adds_up():
    one = Found(np.array([1, 2]), [np.array([1.0, 2.0])], [np.array([3])])
    one.add(Found(np.array([10, 20]), [np.array([10.0, 20.0])], [np.array([30])]))
    lefts, (histogram,), (codes,) = one
    assert lefts.tolist() == [11, 22]
    assert histogram.tolist() == [11.0, 22.0]
    assert codes.tolist() == [33]


def test_nodes_are_looked_at_ahead():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4))
    bins = find_bins(X)
    holders = Direct(encode(X, bins), bins, [900])
    found = np.empty(N, dtype=np.int32)
    ground = RemoteGround(None, NewtonGrowth(), 1, layout_of(bins), found, holders)
    tree = ground.grow(Slopes(X[:, 0] * X[:, 1] + X[:, 2]), 0)
    assert len(tree.values) == 31
    # One by one: four to begin, open, sum and tell the leaves, and one for every split.
    assert holders.asked < 20


@pytest.mark.parametrize("precision", ["packed", "exact"])
def test_the_larger_part_of_a_node_tells_the_smaller_one(precision):
    """Few rows that weigh much: parts of less weight, which are counted, have more rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3)).round(2)
    bins = find_bins(X)
    codes = encode(X, bins)
    slopes = Slopes(X[:, 0] * X[:, 1] + X[:, 2], np.where(X[:, 0] + X[:, 1] > 1.5, 20.0, 0.5))
    growth = NewtonGrowth(max_leaf_nodes=12, precision=precision)
    table, leaves = NewtonTable(codes, np.asfortranarray(codes), bins), np.empty(N, dtype=np.int32)
    whole = grow_newton(table, slopes, growth, leaves=leaves)
    holders = Direct(codes, bins, [600, 1300])
    told = []
    real = Course._tell
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            Course,
            "_tell",
            lambda course, counted: (
                told.append(set(course.decider.to_count()) - counted.keys()),
                real(course, counted),
            ),
        )
        ground = RemoteGround(None, growth, 1, layout_of(bins), leaves, holders)
        tree = ground.grow(slopes, 0)
    assert any(told), "Weights never mislead"
    np.testing.assert_array_equal(tree.nodes, whole.nodes)
    np.testing.assert_array_equal(tree.values, whole.values)
