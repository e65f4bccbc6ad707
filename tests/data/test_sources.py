"""Containers of X."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from coterie.data.errors import DataError, KindError
from coterie.data.schema import learn_schema
from coterie.data.sources import (
    ArraySource,
    FrameSource,
    ListSource,
    SparseSource,
    TextSource,
    open_source,
    open_texts,
)

COLUMNS = {"a": [1.0, 2.0], "b": ["x", None]}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


class OnlyArray:
    """Something NumPy can read, and nothing else is known of."""

    def __array__(self, dtype=None, copy=None):
        return np.array([[1.0, 2.0]], dtype=dtype)


def test_arrays_are_opened_as_they_are():
    X = np.ones((3, 2))
    source = open_source(X)
    assert isinstance(source, ArraySource)
    assert source.values is X
    assert source.names is None
    assert source.shape == (3, 2)
    assert open_source(source) is source


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("kind", [list, tuple, OnlyArray, np.asmatrix])
def test_whatever_numpy_reads_is_an_array(kind):
    source = open_source(kind() if kind is OnlyArray else kind([[1.0, 2.0]]))
    assert type(source.values) is np.ndarray
    assert source.values.tolist() == [[1, 2]]


def test_a_mixed_list_is_not_turned_into_text():
    assert open_source([[1, "a"], [2, "b"]]).values.tolist() == [[1, "a"], [2, "b"]]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_have_names(make):
    source = open_source(make(COLUMNS))
    assert isinstance(source, FrameSource)
    assert source.names == ("a", "b")
    assert source.shape == (2, 2)
    assert source.n_rows == 2


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("rows", [[2, 0], [1]])
def test_rows_are_taken_from_every_container(make, rows):
    rows = np.array(rows)
    dense = np.arange(6.0).reshape(3, 2)
    frame = open_source(make({"a": dense[:, 0], "b": dense[:, 1]})).take(rows)
    array = open_source(dense).take(rows)
    packed = open_source(sparse.csc_array(dense)).take(rows)
    np.testing.assert_array_equal(frame.matrix(), dense[rows])
    np.testing.assert_array_equal(array.matrix(), dense[rows])
    np.testing.assert_array_equal(packed.values.toarray(), dense[rows])
    assert frame.names == ("a", "b")


def test_rows_of_a_pandas_frame_are_taken_by_position():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=[2, 1, 0])
    assert open_source(frame).take(np.array([0])).matrix().tolist() == [[1]]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_frame_of_floats_is_one_matrix(make):
    source = open_source(make({"a": [1.0, np.nan], "b": [2.0, 3.0]}))
    np.testing.assert_array_equal(source.matrix(), [[1, 2], [np.nan, 3]])
    assert open_source(make(COLUMNS)).matrix() is None


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("whole", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_a_frame_of_floats_and_integers_is_one_matrix(make, whole):
    numbers, wholes = np.array([0.1, np.nan]), np.array([100, 0], dtype=whole)
    matrix = open_source(make({"a": numbers, "b": wholes, "c": wholes})).matrix()
    np.testing.assert_array_equal(matrix, [[0.1, 100, 100], [np.nan, 0, 0]])
    only = open_source(make({"b": wholes, "c": wholes})).matrix()
    np.testing.assert_array_equal(only, [[100, 100], [0, 0]])


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_short_integers_of_several_types_stay_short(make):
    short = [np.array([1, 2], dtype=t) for t in (np.int8, np.int16, np.uint16, np.float32)]
    matrix = open_source(make({f"c{k}": column for k, column in enumerate(short)})).matrix()
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [[1] * 4, [2] * 4]


@pytest.mark.parametrize("frame", [pl.DataFrame({"a": [1, None]}), pa.table({"a": [1, None]})])
def test_integers_with_nulls_are_read_by_column(frame):
    [cells] = open_source(frame).cells()
    np.testing.assert_array_equal(cells.values, [1, np.nan])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_floats_of_a_pandas_frame_are_not_copied(dtype):
    frame = pd.DataFrame(np.ones((4, 3), dtype=dtype), columns=list("abc"))
    assert np.shares_memory(open_source(frame).matrix(), frame.to_numpy())


@pytest.mark.parametrize("dtype", ["Float64", "float64[pyarrow]"])
def test_nullable_floats_become_nan(dtype):
    frame = pd.DataFrame({"a": [1.0, None], "b": [2.0, 3.0]}, dtype=dtype)
    source = open_source(frame)
    columns = [cells.values for cells in source.cells()]
    np.testing.assert_array_equal(np.column_stack(columns), [[1, 2], [np.nan, 3]])
    matrix = source.matrix()
    assert matrix is None or matrix.dtype == np.float64


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.table([[1], [2], [3]], names=["a", "b", "a"]),
        pd.DataFrame([[1, 2, 3]], columns=["a", "a", "a"]),
    ],
)
def test_duplicate_names_are_refused_by_name(X):
    with pytest.raises(DataError, match="more than one column named 'a'. Rename"):
        open_source(X)


def test_names_that_are_not_text_are_no_names():
    assert open_source(pd.DataFrame(np.ones((2, 2)))).names is None
    assert open_source(pd.DataFrame(np.ones((2, 2)), columns=[("a", 1), ("b", 2)])).names is None
    with pytest.raises(TypeError, match="Feature names are only supported if all input features"):
        open_source(pd.DataFrame(np.ones((1, 2)), columns=["a", 1]))


def test_odd_names_are_kept():
    names = ["", " ", "naïve", "a\nb", "0", "%s{}", "columns"]
    source = open_source(pd.DataFrame(np.ones((1, 7)), columns=names))
    assert source.names == tuple(names)


def test_lazy_frames_are_refused():
    with pytest.raises(KindError, match="lazy frame.*Collect it first"):
        open_source(pl.LazyFrame(COLUMNS))


@pytest.mark.parametrize(
    "X",
    [
        np.arange(3.0),
        [1.0, 2.0],
        pd.Series([1.0]),
        pl.Series([1.0]),
        np.float64(3),
        "text",
        None,
        {"a": [1]},
    ],
)
def test_fewer_than_two_dimensions_are_refused(X):
    with pytest.raises(DataError, match="Expected 2D array.*Reshape your data"):
        open_source(X)


def test_more_than_two_dimensions_are_refused():
    with pytest.raises(DataError, match="Found array with dim 3"):
        open_source(np.ones((2, 2, 2)))


def test_ragged_lists_are_refused():
    with pytest.raises(DataError, match="same number of values"):
        open_source([[1, 2], [3]])


EMPTY_ROWS = [
    np.empty((0, 3)),
    sparse.csr_array((0, 3)),
    pd.DataFrame({"a": [], "b": [], "c": []}),
    pl.DataFrame({"a": [], "b": [], "c": []}),
]
EMPTY_COLUMNS = [np.empty((12, 0)), sparse.csr_array((12, 0)), pd.DataFrame(index=range(12))]


@pytest.mark.parametrize("X", EMPTY_ROWS)
def test_no_rows_are_refused(X):
    message = r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required by Forest\."
    with pytest.raises(DataError, match=message):
        open_source(X, owner="Forest")


@pytest.mark.parametrize("X", EMPTY_COLUMNS)
def test_no_columns_are_refused(X):
    with pytest.raises(DataError, match=r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1"):
        open_source(X)


def test_sparse_input_is_checked_at_once():
    X = sparse.csr_array(np.eye(3))
    assert isinstance(open_source(X), SparseSource)
    X.indices[0] = 5
    with pytest.raises(DataError, match="indices"):
        open_source(X)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, pl.Series])
def test_texts_are_given_on_as_a_sequence(kind):
    source = open_texts(kind(["a b", "c", "d"]))
    assert isinstance(source, TextSource)
    assert open_source(source).shape == (3, 1)
    assert source.native().tolist() == ["a b", "c", "d"]
    assert source.take(np.array([2, 0])).native().tolist() == ["d", "a b"]


@pytest.mark.parametrize(
    "X", [[], "word", ["a", 1], [["a"]], [["a", "b"]], np.array([["a"]]), {"a": [1]}, None]
)
def test_what_is_no_sequence_of_texts_is_left_alone(X):
    assert open_texts(X) is X


def test_lists_are_read_like_a_frame():
    columns = {"a": [1.5, None, 3.0], "b": ["x", None, "y"], "c": [True, False, True]}
    lists = ListSource(tuple(columns.values()), tuple(columns))
    assert open_source(lists) is lists
    schema, values = learn_schema(open_source(pa.table(columns)))
    np.testing.assert_array_equal(schema.read(lists), values)
    some = np.array([2, 0])
    np.testing.assert_array_equal(schema.read(lists.take(some)), values[some])
    assert lists.native().to_pydict() == columns
    with pytest.raises(KindError, match="'a'"):
        schema.read(ListSource((["z"], ["x"], [True]), tuple(columns)))
