"""Sparse matrices are checked before compiled code sees them."""

import numpy as np
import pytest
from scipy import sparse

from coterie.data.errors import DataError
from coterie.data.sparse import by_column, infinite_cell, read_sparse, row_blocks

DENSE = np.array([[0.0, 2.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 3.0, 0.0, np.nan]])
FORMATS = ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"]
KINDS = {"array": sparse.coo_array, "matrix": sparse.coo_matrix}


def made(format, kind="array"):
    return KINDS[kind](DENSE).asformat(format)


@pytest.mark.every_case
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_read(format, kind):
    read = read_sparse(made(format, kind))
    assert read.format in ("csr", "csc")
    assert read.dtype == np.float64
    np.testing.assert_array_equal(read.toarray(), DENSE)


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_not_copied(format, dtype):
    X = made(format).astype(dtype)
    read = read_sparse(X)
    assert read.format == format
    assert np.shares_memory(read.data, X.data)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_both_widths_of_indices_are_read(index):
    X = made("csr")
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    np.testing.assert_array_equal(read_sparse(X).toarray(), DENSE)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.uint16, ">f8"])
def test_other_numbers_become_floats(dtype):
    X = sparse.csr_array(np.array([[0, 1], [1, 0]]))
    X.data = X.data.astype(dtype)
    read = read_sparse(X)
    assert read.dtype in (np.float32, np.float64)
    assert read.dtype.isnative
    assert read.toarray().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("build", [sparse.csr_array, sparse.csc_array])
def test_duplicates_are_summed_and_the_given_matrix_left_alone(build):
    X = build((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3, 3])), shape=(2, 2))
    expected = X.toarray()
    assert read_sparse(X).has_canonical_format
    np.testing.assert_array_equal(read_sparse(X).toarray(), expected)
    assert X.data.tolist() == [1, 2, 4]


def test_unused_room_behind_the_last_pointer_is_ignored():
    X = made("csr")
    expected = X.toarray()
    X.data = np.append(X.data, [np.inf, 9.0])
    X.indices = np.append(X.indices, [999, -4]).astype(np.int32)
    read = read_sparse(X)
    assert infinite_cell(read) is None
    np.testing.assert_array_equal(read.toarray(), expected)


def spoiled(format, **arrays):
    X = made(format)
    for name, value in arrays.items():
        setattr(X, name, np.asarray(value))
    return X


@pytest.mark.parametrize("format", ["csr", "csc", "bsr"])
@pytest.mark.parametrize(
    ("name", "spoil", "message"),
    [
        ("indices", lambda a: np.r_[a[:-1], 1000], "indices from"),
        ("indices", lambda a: np.r_[a[:-1], len(a)], "indices from"),
        ("indices", lambda a: np.r_[a[:-1], -1], "indices from -1"),
        ("indices", lambda a: a.astype(float), "expected integers"),
        ("indices", lambda a: a[:-1], "only . stored entries"),
        ("indptr", lambda a: np.r_[a[:-1], 1000], "pointers up to 1000"),
        ("indptr", lambda a: np.r_[a[:-1], -1], "do not increase from 0"),
        ("indptr", lambda a: np.r_[1, a[1:]], "do not increase from 0"),
        ("indptr", lambda a: np.r_[0, a[-1], a[2:-1] * 0, a[-1]], "do not increase from 0"),
        ("indptr", lambda a: a[:-1], "pointers of shape"),
        ("indptr", lambda a: a.astype(float), "expected . integers"),
        ("data", lambda a: a[:-1], "only . stored entries"),
    ],
)
def test_wrong_indices_and_pointers_are_refused(format, name, spoil, message):
    before = getattr(made(format), name)
    with pytest.raises(DataError, match=f"(?s)Sparse X.*{message}.*Rebuild it"):
        read_sparse(spoiled(format, **{name: spoil(before)}))


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("wrong", [-1, "one too many", 3000])
def test_wrong_coordinates_are_refused(place, wrong):
    X = made("coo")
    X.coords[place][0] = X.shape[place] if wrong == "one too many" else wrong
    with pytest.raises(DataError, match="indices from"):
        read_sparse(X)


def test_missing_coordinates_are_refused():
    X = made("coo")
    X.data = X.data[:-1]
    with pytest.raises(DataError, match="5 values|4 values"):
        read_sparse(X)


def test_wrong_rows_of_lists_are_refused():
    X = made("lil")
    X.rows[0][0] = 77
    with pytest.raises(ValueError, match="77"):
        read_sparse(X)


@pytest.mark.parametrize("values", [[[1j, 0]], np.array([["a", "b"]], dtype=object)])
def test_cells_that_are_not_numbers_are_refused(values):
    values = np.asarray(values)
    X = sparse.coo_array(np.ones(values.shape)).tocsr()
    X.data = values.ravel()[: X.nnz]
    with pytest.raises(TypeError, match="sparse X"):
        read_sparse(X)


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("cell", [(0, 1), (2, 3), (1, 0)])
def test_the_infinite_cell_is_found(format, cell):
    dense = DENSE.copy()
    dense[cell] = -np.inf
    assert infinite_cell(read_sparse(sparse.coo_array(dense).asformat(format))) == cell
    assert infinite_cell(read_sparse(made(format))) is None


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("max_cells", [1, 3, 4, 8, 100])
def test_blocks_together_are_the_matrix(format, max_cells):
    X = read_sparse(made(format))
    parts = list(row_blocks(X, max_cells))
    np.testing.assert_array_equal(np.concatenate([b for _, b in parts]), DENSE)
    assert [s.start for s, _ in parts[1:]] == [s.stop for s, _ in parts[:-1]]
    assert all(len(b) == s.stop - s.start for s, b in parts)
    assert all(b.size <= max(max_cells, DENSE.shape[1]) for _, b in parts)


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_cells_given_twice_are_added_up_by_column_and_left_alone_in_the_matrix(format):
    X = getattr(sparse, f"{format}_array")(
        (np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2)
    )
    assert by_column(X).nnz == 2
    np.testing.assert_array_equal(by_column(X).toarray(), X.toarray())
    assert X.nnz == 3
