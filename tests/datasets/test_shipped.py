from dataclasses import replace

import numpy as np
import pytest

from coterie.datasets import load_table, shipped, table_names

SHAPES = {
    "german_credit": (1000, 20, 13, {"good": 700, "bad": 300}),
    "magic": (19020, 10, 0, {"g": 12332, "h": 6688}),
    "tic_tac_toe": (958, 9, 9, {"positive": 626, "negative": 332}),
    "watermelon": (17, 2, 0, {"ripe": 8, "unripe": 9}),
}


def test_every_table_is_described_here():
    assert set(SHAPES) == set(table_names())


@pytest.mark.parametrize("name", SHAPES)
def test_shape_columns_and_classes(name):
    rows, columns, categorical, classes = SHAPES[name]
    table = load_table(name)
    assert table.name == name
    assert table.X.shape == (rows, columns)
    assert table.X.dtype == np.float64
    assert len(set(table.feature_names)) == columns
    assert table.categorical.sum() == categorical
    labels, counts = np.unique(table.y, return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == classes


def test_watermelon_holds_the_printed_values():
    X, y = load_table("watermelon", return_X_y=True)
    np.testing.assert_allclose(X[y == "ripe"].mean(axis=0), [0.57375, 0.27875])
    np.testing.assert_allclose(X[y == "unripe"].mean(axis=0), [0.496111, 0.154222], atol=5e-7)


@pytest.mark.parametrize("library", [True, "polars", "pyarrow"])
def test_frames_hold_what_the_matrix_holds(library):
    pytest.importorskip("pandas" if library is True else library)
    plain, framed = load_table("german_credit"), load_table("german_credit", as_frame=library)
    assert replace(plain, X=None, y=None) == replace(framed, X=None, y=None)
    columns = framed.X.to_pydict() if library == "pyarrow" else framed.X
    for name, codes in zip(plain.feature_names, plain.X.T, strict=True):
        labels = plain.categories.get(name)
        expected = codes if labels is None else np.array(labels)[codes.astype(int)]
        assert list(columns[name]) == list(expected)


def test_frames_mark_categories_and_whole_numbers():
    pytest.importorskip("pandas")
    dtypes = load_table("german_credit", as_frame=True).X.dtypes
    assert (dtypes == "category").sum() == 13
    assert (dtypes == "int64").sum() == 7
    melons = load_table("watermelon"), load_table("watermelon", as_frame=True)
    np.testing.assert_array_equal(melons[0].X, melons[1].X)


def test_an_empty_field_is_missing():
    values, labels = shipped._column(["2", "", "3"])
    np.testing.assert_array_equal(values, [2, np.nan, 3])
    assert labels is None
    values, labels = shipped._column(["b", "", "a"])
    np.testing.assert_array_equal(values, [1, np.nan, 0])
    assert labels == ("a", "b")


def test_an_unknown_name_lists_the_known():
    with pytest.raises(ValueError, match=r"'iris'.*german_credit, magic"):
        load_table("iris")
