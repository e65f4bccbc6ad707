import numpy as np
import pytest
from scipy import sparse

from coterie.data import Table, Target
from coterie.learners.shown import cut_params, one_class, rows_given, show

TARGET = Target.labels(np.array(["a", "b"])[np.arange(10) // 5])
RNG = np.random.default_rng(0)


def test_counts_repeat_rows():
    weight = np.array([2.0, 0, 1, 0, 0, 0, 0, 3, 0, 0])
    rows, told = show(TARGET, weight, RNG, weighs=False)
    assert rows.tolist() == [0, 0, 2, 7, 7, 7]
    assert told is None


def test_importances_draw_rows_of_positive_weight():
    weight = np.array([0.5, 0, 1.5, 0, 0, 0, 0, 3.0, 0, 0])
    rows, told = show(TARGET, weight, RNG, weighs=False)
    assert len(rows) == 10
    assert set(rows.tolist()) <= {0, 2, 7}
    assert told is None


def test_huge_counts_are_drawn_rather_than_repeated():
    rows, _ = show(TARGET, np.full(10, 1e6), RNG, weighs=False)
    assert len(rows) == 10


def test_draws_have_two_classes_if_they_can():
    weight = np.where(np.arange(10) < 5, 0.1, 0.3)
    for seed in range(60):
        rows, _ = show(TARGET, weight, np.random.default_rng(seed), weighs=False)
        assert not one_class(TARGET.take(rows))
    rows, _ = show(TARGET, np.where(np.arange(10) < 5, 0.0, 0.3), RNG, weighs=False)
    assert one_class(TARGET.take(rows))


def test_weights_go_with_their_rows():
    weight = np.where(np.arange(10) % 2, 1.5, 0.0)
    rows, told = show(TARGET, weight, RNG, weighs=True)
    assert rows.tolist() == [1, 3, 5, 7, 9]
    assert told.tolist() == [1.5] * 5
    rows, told = show(TARGET, weight + 1, RNG, weighs=True)
    assert rows is None
    assert told.tolist() == (weight + 1).tolist()
    assert show(TARGET, None, RNG, weighs=True) == (None, None)


def test_one_class():
    assert one_class(Target.labels(["a", "a"]))
    assert not one_class(TARGET)
    assert not one_class(Target.numbers(np.ones(3)))


def test_rows_and_columns_as_given():
    values = np.arange(12.0).reshape(4, 3)
    table = Table.read(values)
    assert rows_given(table) is values
    rows, columns = np.array([2, 0]), np.array([0, 2, 2])
    np.testing.assert_array_equal(rows_given(table, rows, columns), values[np.ix_(rows, columns)])
    given = rows_given(Table.read(sparse.csr_array(values)), rows, np.array([0, 2]))
    np.testing.assert_array_equal(given.toarray(), values[np.ix_(rows, [0, 2])])
    part = table[:, [0, 1]]  # has no source
    np.testing.assert_array_equal(rows_given(part, rows), values[np.ix_(rows, [0, 1])])
    frames = pytest.importorskip("pandas")
    table = Table.read(frames.DataFrame(values, columns=list("abc")))
    given = rows_given(table, rows, columns)
    assert given.columns.tolist() == ["a", "c"]
    assert given["a"].tolist() == [6.0, 0.0]
    bare = rows_given(table, rows, columns, bare=True)
    np.testing.assert_array_equal(bare, values[np.ix_(rows, columns)])


@pytest.mark.parametrize(
    "kind", [sparse.csr_array, sparse.csr_matrix, sparse.csc_matrix, sparse.csc_array]
)
def test_sparse_rows_stay_in_the_kind_of_container_given(kind):
    given = kind(np.eye(10))
    for rows in (None, np.array([1, 1, 4])):
        for columns in (None, np.array([0, 4])):
            shown = rows_given(Table.read(given), rows, columns)
            assert type(shown) is kind
            expected = np.eye(10) if rows is None else np.eye(10)[rows]
            expected = expected if columns is None else expected[:, columns]
            np.testing.assert_array_equal(shown.toarray(), expected)


def test_only_what_has_a_value_per_row_is_cut():
    params = {"a": np.arange(4), "b": [1, 2], "c": "word", "d": 3}
    cut = cut_params(params, np.array([3, 3, 0]), 4)
    assert cut["a"].tolist() == [3, 3, 0]
    assert {name: cut[name] for name in "bcd"} == {"b": [1, 2], "c": "word", "d": 3}
    assert cut_params(params, None, 4) == params
