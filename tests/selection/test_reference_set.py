import pickle

import numpy as np
import pytest

from coterie.base import Admitted
from coterie.data import Table, Target
from coterie.selection.reference_set import Order, ReferenceSet, divide


def rows(X, y, weight=None, numbers=False):
    target = Target.numbers(y) if numbers else Target.labels(y)
    weight = None if weight is None else np.asarray(weight, dtype=float)
    return Admitted(Table.read(np.asarray(X, dtype=float)), target, weight, None)


def test_a_division_has_its_share_of_every_class():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), np.repeat([0, 1, 2], [100, 60, 40])
    learn, judge = divide(rows(X, y), 0.25, 7)
    assert np.bincount(y[judge]).tolist() == [25, 15, 10]
    assert sorted([*learn, *judge]) == list(range(200))
    assert set(divide(rows(X, y), 0.25, 8)[1]) != set(judge)


def test_equal_rows_stay_together():
    X, y = np.repeat(np.arange(20), 3)[:, None], np.zeros(60)
    learn, judge = divide(rows(X, y), 0.5, 0)
    assert not set(X[learn, 0]) & set(X[judge, 0])
    assert len(judge) == 30


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    mixed = rng.permutation(50)
    one, other = divide(rows(X, y), 0.5, 0)[1], divide(rows(X[mixed], y[mixed]), 0.5, 0)[1]
    np.testing.assert_array_equal(X[one], X[mixed][other])


def test_one_row_judges_itself_with_a_warning():
    with pytest.warns(UserWarning, match="held out"):
        learn, judge = divide(rows([[1.0], [1.0]], [0, 0]), 0.5, 0)
    assert learn.tolist() == judge.tolist()


def test_orders_group_equal_rows():
    order = Order.settle(rows([[1.0], [2.0], [1.0]], [0, 0, 1]), 0)
    assert len(order.starts) == 3  # another class is another row
    assert len(Order.settle(rows([[1.0], [2.0], [1.0]], [0, 0, 0]), 0).starts) == 2


def test_repeated_rows_take_as_many_places():
    X, y = [[0.0], [1.0], [10.0]], [0, 1, 0]
    weighted, first = ReferenceSet.lay(rows(X, y, [1, 3, 1]), 8, "exact")
    repeated, again = ReferenceSet.lay(
        rows(np.repeat(X, [1, 3, 1], axis=0), np.repeat(y, [1, 3, 1])), 8, "exact"
    )
    for ground in (weighted, repeated):
        near = ground.near(ground.place(Table.read([[0.1]])), 4)
        values = ground.encoded[near.neighbours[0]]
        assert values.tolist() == [0, 1, 1, 1]
        assert np.ptp(near.distances[0, 1:]) == 0
    np.testing.assert_array_equal(weighted.points, repeated.points)
    assert len(first) == len(again) == 3


def test_there_are_no_more_neighbours_than_rows():
    ground, _ = ReferenceSet.lay(rows([[0.0], [1.0]], [0, 1], [1, 2]), 8, "exact")
    assert ground.near(np.zeros((1, 1)), 7).neighbours.shape == (1, 3)


def test_other_weights_are_importances():
    ground, first = ReferenceSet.lay(rows([[0.0], [1.0]], [0, 1], [0.5, 1.5]), 8, "exact")
    near = ground.near(ground.points, 2)
    assert near.importance[0].sum() == pytest.approx(2)
    by_row = dict(zip(first.tolist(), ground.importance, strict=True))
    assert by_row[1] == pytest.approx(3 * by_row[0])


def test_a_row_is_not_its_own_neighbour():
    X = np.arange(5.0)[:, None]
    ground, _ = ReferenceSet.lay(rows(X, np.zeros(5)), 8, "exact")
    near = ground.near(ground.points, 2, np.arange(5)).neighbours
    assert not (near == np.arange(5)[:, None]).any()


def test_other_searches_and_pickles():
    from sklearn.neighbors import NearestNeighbors

    X = np.random.default_rng(0).normal(size=(60, 3))
    theirs, _ = ReferenceSet.lay(rows(X, np.zeros(60)), 8, NearestNeighbors())
    ours, _ = ReferenceSet.lay(rows(X, np.zeros(60)), 8, "exact")
    a, b = theirs.near(ours.points, 4), ours.near(ours.points, 4)
    np.testing.assert_array_equal(a.neighbours, b.neighbours)
    again = pickle.loads(pickle.dumps(ours))
    assert "index" not in vars(again)
    np.testing.assert_array_equal(again.near(ours.points, 4).neighbours, b.neighbours)


def test_parts_have_their_weights():
    admitted = rows([[0.0], [1.0]], [5, 6], [0.5, 2]).take(np.array([1]))
    assert admitted.weight.tolist() == [2]
    assert admitted.target.decode(admitted.target.encoded).tolist() == [6]
