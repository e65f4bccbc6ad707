"""Altered outputs: which rows are altered, and that repetitions are altered one by one."""

from dataclasses import replace

import numpy as np

from coterie.bagging.outputs import Altered, class_shares
from coterie.core import Bootstrap, RowAxis, View
from coterie.data import Table, Target


def number_rows(target, rng):
    """In place of an output, the number of the row in the order it comes."""
    return replace(target, encoded=np.arange(target.n_rows, dtype=float)[:, None])


def view(n_rows, weight=None):
    table = Table.read(np.arange(float(n_rows))[:, None]).bin()
    return View(table, Target.numbers(np.zeros(n_rows)), weight)


def test_every_row_once_stays_in_its_place():
    axis = RowAxis.lay(np.array([2, 0, 1]), None)
    before = view(3)
    after = Altered(axis, None, number_rows)(before, np.random.default_rng(0))
    assert after.table is before.table, "no copy of the table"
    np.testing.assert_array_equal(after.target.values.ravel(), [1, 2, 0])


def test_repetitions_are_altered_one_by_one():
    axis = RowAxis.lay(np.array([2, 0, 1]), np.array([1, 1, 3]))
    after = Altered(axis, None, number_rows)(view(3), np.random.default_rng(0))
    np.testing.assert_array_equal(after.table.values.ravel(), [2, 2, 2, 0, 1])
    np.testing.assert_array_equal(after.target.values.ravel(), [0, 1, 2, 3, 4])


def test_bag_is_that_of_the_draw_alone():
    axis = RowAxis.lay(np.arange(20), None)
    draw = Bootstrap(axis, 20)
    weight = np.linspace(1, 2, 20)
    after = Altered(axis, draw, number_rows)(view(20, weight), np.random.default_rng(5))
    rows = after.table.values.ravel().astype(int)
    np.testing.assert_array_equal(
        np.bincount(rows, minlength=20), draw.counts(np.random.default_rng(5))
    )
    np.testing.assert_array_equal(after.weight, weight[rows])


def test_shares_of_classes_count_weights():
    target = Target.labels(["a", "b", "b"])
    np.testing.assert_allclose(class_shares(target, None), [1 / 3, 2 / 3])
    np.testing.assert_allclose(class_shares(target, np.array([2.0, 1.0, 1.0])), [0.5, 0.5])
