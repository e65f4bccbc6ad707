import numpy as np
import pytest
from scipy import sparse

from coterie.conformal.folds import fold_numbers, strata_of
from coterie.data import Table

X = np.random.default_rng(0).normal(size=(60, 3))
TABLE = Table.read(X)


def test_folds_are_even_and_classes_spread():
    codes = np.repeat([0, 1], [40, 20])
    folds = fold_numbers(TABLE, 5, np.random.default_rng(0), codes=codes)
    assert np.bincount(folds).tolist() == [12] * 5
    assert np.bincount(folds[codes == 1]).tolist() == [4] * 5


def test_folds_do_not_depend_on_the_order_of_rows():
    order = np.random.default_rng(1).permutation(60)
    first, second = (
        fold_numbers(Table.read(rows), 4, np.random.default_rng(0)) for rows in (X, X[order])
    )
    np.testing.assert_array_equal(first[order], second)


def test_groups_stay_together():
    groups = np.repeat(np.arange(12), 5)
    folds = fold_numbers(TABLE, 4, np.random.default_rng(0), groups=groups)
    assert all(len(set(folds[groups == g])) == 1 for g in range(12))
    assert np.bincount(folds).tolist() == [15] * 4
    with pytest.raises(ValueError, match="12 groups are too few for 13 folds"):
        fold_numbers(TABLE, 13, np.random.default_rng(0), groups=groups)


def test_strata_are_columns():
    np.testing.assert_array_equal(strata_of(X, 1), X[:, 1])
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2]})
    assert strata_of(frame, "a").tolist() == [1, 2]
    with pytest.raises(ValueError, match="by='b': X has no column"):
        strata_of(frame, "b")


def test_missing_words_are_a_group():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"city": ["Ulm", None, "Kiel", np.nan]})
    assert strata_of(frame, "city").tolist() == ["Ulm", "", "Kiel", ""]


def test_groups_are_the_same_however_numbers_are_kept():
    pandas = pytest.importorskip("pandas")
    expected = [1.0, np.inf, 2.0]
    assert strata_of(np.array([[0, 1], [0, np.nan], [0, 2]]), 1).tolist() == expected
    whole = pandas.DataFrame({"g": pandas.array([1, None, 2], dtype="Int64"), "w": list("abc")})
    assert strata_of(whole, "g").tolist() == expected
    assert strata_of(whole, 0).tolist() == expected
    objects = np.array([["a", 1], ["b", pandas.NA], ["c", 2.0]], dtype=object)
    assert strata_of(objects, 1).tolist() == expected
    assert strata_of(sparse.csr_array([[0, 1], [0, 0], [0, 2]]), 1).tolist() == [1, 0, 2]
