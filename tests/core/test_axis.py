import numpy as np

from coterie.core.axis import (
    RowAxis,
    cell_keys,
    cell_order,
    content_order,
    repetitions,
    uniforms,
)
from coterie.data import Table, Target


def table_of(X, y):
    return Table.read(X).bin(), Target.numbers(y)


def axis(n, repeats=None):
    return RowAxis.lay(np.arange(n), repeats)


def test_content_order_tells_targets_apart():
    X = np.zeros((40, 2))
    y = np.tile([0.0, 1.0, -0.0, 2.0], 10)
    order = content_order(*table_of(X, y))
    assert np.count_nonzero(np.diff(y[order])) == 2  # equal rows are side by side, -0.0 is 0.0


def test_importance_tells_equal_rows_apart():
    weight = np.array([0.5, 2.5, 1.5, 0.5])
    same = table_of(np.zeros((4, 2)), np.zeros(4))
    assert weight[content_order(*same, weight)].tolist() == [0.5, 0.5, 1.5, 2.5]


def test_what_counts_as_repetition():
    assert repetitions(None) is None
    assert repetitions(np.array([1.0, 2.5])) is None
    assert repetitions(np.full(3, 1e6)) is None
    np.testing.assert_array_equal(repetitions(np.array([1.0, 200.0, 3.0])), [1, 200, 3])


def test_units_of_length_are_added_up():
    units = np.arange(6.0)
    np.testing.assert_array_equal(axis(6).total(units), units)
    order = np.array([2, 0, 1])
    laid = RowAxis.lay(order, np.array([1, 3, 2]))  # rows 2, 2, 0, 1, 1, 1 on the axis
    np.testing.assert_array_equal(laid.total(units), [2, 3 + 4 + 5, 0 + 1])


def test_points_fall_on_rows():
    laid = RowAxis.lay(np.array([2, 0, 1]), np.array([1, 3, 2]))  # rows 2, 2, 0, 1, 1, 1
    assert laid.length == 6
    np.testing.assert_array_equal(laid.count(np.array([0, 1, 2, 5, 5])), [1, 2, 2])
    np.testing.assert_array_equal(axis(3).count(np.array([1, 1, 2])), [0, 2, 1])


def test_rows_are_ordered_by_their_cells_without_bins():
    X = np.random.default_rng(0).normal(size=(50, 2))
    order = np.random.default_rng(1).permutation(50)
    first, second = cell_order(Table.read(X)), cell_order(Table.read(X[order]))
    np.testing.assert_array_equal(X[first], X[order][second])
    equal = Table.read(np.zeros((3, 1)))
    np.testing.assert_array_equal(cell_order(equal, np.array([3.0, 1.0, 2.0])), [1, 2, 0])


def test_keys_are_of_what_rows_hold():
    X = np.random.default_rng(0).normal(size=(60, 3))
    keys = cell_keys(Table.read(X))
    assert len(set(keys.tolist())) == 60
    np.testing.assert_array_equal(cell_keys(Table.read(np.asfortranarray(X))), keys)
    assert (cell_keys(Table.read(X[:, ::-1].copy())) != keys).all()
    odd = Table.read([[0.0, np.nan], [-0.0, -np.nan], [1.0, np.nan]])
    a, b, c = cell_keys(odd)
    assert a == b != c


def test_random_numbers_belong_to_rows():
    table = Table.read(np.random.default_rng(0).normal(size=(60, 2)))
    u = uniforms(table, 0)
    np.testing.assert_array_equal(u[[7]], uniforms(table.take([7]), 0))
    assert 0.0 <= u.min() <= u.max() < 1.0
    assert abs(u.mean() - 0.5) < 0.15
    assert (u != uniforms(table, 1)).all()
