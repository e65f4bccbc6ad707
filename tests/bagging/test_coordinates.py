"""Tables as points: standardised numbers, indicators, holes."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from coterie.bagging.coordinates import Coordinates, Rows, settle_rows
from coterie.data import Table, Target


def settled(X, y=None, weight=None, **settings):
    table = Table.read(X)
    target = Target.numbers(np.zeros(table.n_rows) if y is None else y)
    return table, settle_rows(table, target, weight, **settings)


def learnt(X, weight=None, max_levels=32):
    table, rows = settled(X, weight=weight)
    return table, Coordinates.learn(rows, table.schema, max_levels)


def test_shuffled_and_repeated_rows_are_the_same_rows():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(50, 2)).astype(float), rng.integers(0, 2, 50).astype(float)
    X[::7, 0] = np.nan
    times = rng.integers(1, 4, 50)
    order = rng.permutation(times.sum())
    _, weighted = settled(X, y, times.astype(float), merge=True)
    _, repeated = settled(
        np.repeat(X, times, axis=0)[order], np.repeat(y, times)[order], merge=True
    )
    for one, other in zip(weighted, repeated, strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(weighted.cells) < 50
    assert weighted.weight.sum() == times.sum()


def test_without_merging_every_row_stays():
    _, rows = settled(np.array([[2.0], [1.0], [2.0]]), np.array([5.0, 4.0, 5.0]))
    np.testing.assert_array_equal(rows.cells.ravel(), [1, 2, 2])
    np.testing.assert_array_equal(rows.weight, 1)


def test_numbers_are_standardised():
    rng = np.random.default_rng(0)
    X = rng.normal(3, 7, size=(60, 4))
    X[:, 2] = 5.0  # constant
    table, coordinates = learnt(X)
    np.testing.assert_allclose(coordinates(table), StandardScaler().fit_transform(X), atol=1e-12)


def test_weights_count_in_mean_and_deviation():
    X, times = np.array([[1.0], [2.0], [7.0]]), np.array([1, 4, 2])
    table, coordinates = learnt(X, times.astype(float))
    repeated = StandardScaler().fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(coordinates(table), repeated.transform(X))


def test_holes_are_the_mean_and_marked():
    X = np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0]])
    table, coordinates = learnt(X)
    placed = coordinates(table)
    np.testing.assert_allclose(placed[:, 0], [-1, 0, 1])
    np.testing.assert_array_equal(placed[:, 2], [0, 1, 0])
    np.testing.assert_array_equal(coordinates.columns, [0, 1, 0])


def test_categories_are_indicators_of_their_levels():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "c": list("abca")}).astype(
        {"c": "category"}
    )
    table, coordinates = learnt(frame)
    np.testing.assert_array_equal(
        coordinates(table)[:, 1:], [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    )
    np.testing.assert_array_equal(coordinates.columns, [0, 1, 1, 1])
    unknown = table.admit(frame.assign(c="z").astype({"c": "category"}))
    np.testing.assert_array_equal(coordinates(unknown)[:, 1:], 0)
    _, short = learnt(frame, max_levels=1)
    np.testing.assert_array_equal(short(table)[:, 1:], [[1], [0], [0], [1]])


@pytest.mark.parametrize("size", [1e308, 5e-324, 1e-200])
def test_extreme_numbers_stay_finite(size):
    X = np.array([[-1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]) * size
    table, coordinates = learnt(X)
    assert np.isfinite(coordinates(table)).all()
    assert np.isfinite(coordinates(table.admit(np.full((1, 2), 1e308)))).all()


def test_directions_of_few_rows_keep_all_products():
    rng = np.random.default_rng(0)
    table, coordinates = learnt(rng.normal(size=(5, 40)))
    placed = coordinates(table)
    short = coordinates.along_rows(placed)
    inputs = short(table)
    assert inputs.shape == (5, 5)
    np.testing.assert_allclose(inputs @ inputs.T, placed @ placed.T, atol=1e-9)
    assert coordinates.along_rows(np.zeros((50, 40))) is coordinates


def test_rows_are_a_tuple_of_equal_lengths():
    _, rows = settled(np.ones((1, 2)), merge=True)
    assert isinstance(rows, Rows)
    assert {len(part) for part in rows} == {1}
