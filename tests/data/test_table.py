"""The table."""

import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from coterie.data import DataError, Table
from coterie.native import SparseCodes

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


def mixed_frame(make=pd.DataFrame):
    columns = {
        "number": [1.5, None, -2.0, 4.0],
        "whole": [3, 1, 2, 1],
        "flag": [True, False, True, True],
        "text": ["b", "a", None, "b"],
    }
    return make(columns)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("view", [lambda x: x, np.asfortranarray, lambda x: x[::-1, ::2]])
def test_floats_are_kept_without_a_copy(dtype, view):
    X = view(np.arange(20, dtype=dtype).reshape(5, 4))
    X.flags.writeable = False
    table = Table.read(X)
    assert table.values is X
    assert table.admit(X).values is X
    np.testing.assert_array_equal(table.bin().codes, Table.read(X.copy()).bin().codes)


SAME_NUMBERS = {
    "list": lambda x: x.tolist(),
    "int": lambda x: x.astype(int),
    "int8": lambda x: x.astype(np.int8),
    "float16": lambda x: x.astype(np.float16),
    "big-endian": lambda x: x.astype(">f8"),
    "object": lambda x: x.astype(object),
    "negative strides": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "masked": np.ma.array,
    "csr": sparse.csr_array,
    "csc matrix": sparse.csc_matrix,
    "coo": sparse.coo_array,
    "frame": pd.DataFrame,
}


@pytest.mark.parametrize("form", SAME_NUMBERS.values(), ids=SAME_NUMBERS)
def test_the_same_numbers_give_the_same_table_in_any_form(form):
    X = np.random.default_rng(0).integers(0, 4, size=(30, 5)).astype(float)
    expected = Table.read(X).bin()
    table = Table.read(form(X)).bin()
    assert table.shape == (30, 5)
    np.testing.assert_array_equal(np.vstack([block for _, block in table.blocks()]), X)
    np.testing.assert_array_equal(table.codes, expected.codes)
    np.testing.assert_array_equal(table.bins.lower, expected.bins.lower)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_of_all_libraries_give_the_same_table(make):
    table = Table.read(mixed_frame(make))
    assert table.names == ("number", "whole", "flag", "text")
    assert [c if c is None else c.tolist() for c in table.categories] == [None] * 3 + [["a", "b"]]
    np.testing.assert_array_equal(
        table.values, [[1.5, 3, 1, 1], [np.nan, 1, 0, 0], [-2, 2, 1, np.nan], [4, 1, 1, 1]]
    )
    for other in FRAMES.values():
        np.testing.assert_array_equal(table.admit(mixed_frame(other)).values, table.values)


NAMES = ["number", "whole", "flag", "text", "level"]
CELLS = st.tuples(
    st.one_of(st.none(), st.floats(-1e6, 1e6)),
    st.one_of(st.none(), st.integers(-1000, 1000)),
    st.one_of(st.none(), st.booleans()),
    st.one_of(st.none(), st.text("abcé ", max_size=3)),
    st.one_of(st.none(), st.sampled_from(["low", "mid", "high"])),
)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.lists(CELLS, min_size=1, max_size=12))
def test_any_rows_give_the_same_table_in_every_frame_library(rows):
    columns = {name: [row[k] for row in rows] for k, name in enumerate(NAMES)}
    pandas = pd.DataFrame(
        {
            "number": pd.array(columns["number"], dtype="Float64"),
            "whole": pd.array(columns["whole"], dtype="Int64"),
            "flag": pd.array(columns["flag"], dtype="boolean"),
            "text": pd.array(columns["text"], dtype="string"),
            "level": pd.Categorical(columns["level"], categories=["mid", "low", "high"]),
        }
    )
    kinds = [pl.Float64, pl.Int64, pl.Boolean, pl.String, pl.Categorical]
    polars = pl.DataFrame(columns, schema=dict(zip(columns, kinds, strict=True)))
    level = pa.array(columns["level"], pa.string()).dictionary_encode()
    types = [pa.float64(), pa.int64(), pa.bool_(), pa.string()]
    arrays = [pa.array(columns[n], t) for n, t in zip(columns, types, strict=False)] + [level]
    tables = [Table.read(f) for f in (pandas, polars, pa.table(arrays, names=list(columns)))]
    for table in tables[1:]:
        np.testing.assert_array_equal(table.values, tables[0].values)
        for ours, theirs in zip(table.categories, tables[0].categories, strict=True):
            assert (ours is None) == (theirs is None)
            assert ours is None or ours.tolist() == theirs.tolist()
    np.testing.assert_array_equal(tables[0].admit(polars).values, tables[0].values)


@settings(deadline=None)
@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.float64, np.int16, np.int32, np.bool_, np.float16]),
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=8),
    )
)
def test_admitting_the_training_rows_gives_the_same_values(X):
    if X.dtype.kind == "f" and np.isinf(X).any():
        with pytest.raises(DataError, match="infinity"):
            Table.read(X)
        return
    table = Table.read(X).bin()
    again = table.admit(X).bin()
    np.testing.assert_array_equal(table.values, X.astype(float))
    np.testing.assert_array_equal(again.values, table.values)
    np.testing.assert_array_equal(again.codes, table.codes)
    assert again.bins is table.bins


def test_admitted_rows_use_the_bins_of_the_table():
    table = Table.read(np.array([[1.0], [2.0], [4.0]])).bin()
    new = table.admit(np.array([[-9.0], [1.9], [100.0], [np.nan]]))
    assert new.codes is None
    assert new.bin().codes.ravel().tolist() == [0, 1, 2, 3]


def test_binning_is_done_once():
    table = Table.read(np.ones((3, 2)))
    assert table.codes is None
    binned = table.bin()
    assert binned.bin(max_bins=2) is binned
    assert table.codes is None


def test_missing_cells_have_a_code_of_their_own():
    binned = Table.read(np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])).bin()
    assert binned.codes[:, 0].tolist() == [0, 2, 1]
    assert len(set(binned.codes[:, 1])) == 1
    assert (binned.codes[:, 1] == binned.bins.counts[1]).all()


def test_categories_are_binned_as_they_are():
    binned = Table.read(mixed_frame()).bin()
    assert binned.bins.categorical.tolist() == [False, False, False, True]
    assert binned.codes[:, 3].tolist() == [1, 0, 2, 1]


def test_many_categories_take_wide_codes():
    names = [f"{k:04d}" for k in range(5000)]
    binned = Table.read(pd.DataFrame({"c": names, "x": 1.0})).bin()
    assert binned.codes.dtype == np.uint16
    assert binned.codes[:, 0].tolist() == list(range(5000))


@pytest.mark.parametrize("max_bins", [4, 255, 1000])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_width_of_codes_follows_the_bins(max_bins, form):
    X = np.random.default_rng(0).normal(size=(600, 3))
    binned = Table.read(form(X)).bin(max_bins=max_bins)
    assert binned.codes.dtype == binned.bins.dtype
    assert binned.codes.dtype == (np.uint16 if max_bins > 255 else np.uint8)
    assert binned.codes.max() < max_bins
    np.testing.assert_array_equal(binned.codes, Table.read(X).bin(max_bins=max_bins).codes)
    few = Table.read(form(X.round())).bin(max_bins=max_bins)
    assert few.codes.dtype == few.bins.dtype == np.uint8


@pytest.mark.parametrize(("columns", "order"), [(64, "C"), (65, "F")])
@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_layout_of_codes(columns, order, form):
    table = Table.read(form(np.arange(80.0 * columns).reshape(80, columns)))
    assert table.bin().codes.flags[f"{order}_CONTIGUOUS"]
    assert table.bin(order="C").codes.flags.c_contiguous
    assert table.bin(order="F").codes.flags.f_contiguous


def test_weights_move_the_quantiles():
    X = np.arange(1000.0)[:, None]
    weight = np.where(X[:, 0] < 900, 1e-6, 1.0)
    table = Table.read(X).bin(weight=weight, max_bins=10)
    assert np.median(table.bins.lower) > 900
    packed = Table.read(sparse.csr_array(X)).bin(weight=weight, max_bins=10)
    np.testing.assert_array_equal(packed.codes.toarray(), table.codes)


def random_sparse(n, d, *, density, format):
    rng = np.random.default_rng(0)
    stored = rng.choice(n * d, size=round(n * d * density), replace=False)
    values = rng.normal(size=len(stored))
    return sparse.coo_array((values, (stored // d, stored % d)), shape=(n, d)).asformat(format)


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("density", [0.2, 0.05])
def test_sparse_tables_are_binned_like_dense_ones(format, dtype, density):
    X = random_sparse(300, 40, density=density, format=format).astype(dtype)
    X.data[::7] = np.nan
    dense, packed = (Table.read(form).bin(max_bins=30) for form in (X.toarray(), X))

    def codes(table):
        stays = density < 1 / 8
        assert isinstance(table.codes, SparseCodes if stays else np.ndarray)
        return table.codes.toarray() if stays else table.codes

    assert packed.values is None
    np.testing.assert_array_equal(codes(packed), dense.codes)
    np.testing.assert_array_equal(packed.bins.lower, dense.bins.lower)
    np.testing.assert_array_equal(packed.bins.offsets, dense.bins.offsets)
    np.testing.assert_array_equal(codes(packed.admit(X).bin()), dense.codes)
    np.testing.assert_array_equal(codes(dense.admit(X).bin()), dense.codes)
    np.testing.assert_array_equal(packed.admit(X.toarray()).bin().codes, dense.codes)


def test_parts_of_sparse_tables_stay_sparse():
    X = random_sparse(80, 30, density=0.05, format="csr")
    dense, packed = (Table.read(form).bin() for form in (X.toarray(), X))
    rows, columns = np.array([3, 3, 70, 0]), np.array([29, 1, 7])
    for key in ((rows, slice(None)), (slice(5, 50), columns), (rows, columns)):
        part, expected = packed[key], dense[key]
        np.testing.assert_array_equal(part.codes.toarray(), expected.codes)
        np.testing.assert_array_equal(part.sparse.toarray(), expected.values)
        np.testing.assert_array_equal(part.bins.lower, expected.bins.lower)
    again = pickle.loads(pickle.dumps(packed))
    np.testing.assert_array_equal(again.codes.toarray(), dense.codes)
    broken = replace(packed, codes=replace(packed.codes, rows=packed.codes.rows + np.uint32(80)))
    with pytest.raises(ValueError, match="outside the table"):
        pickle.loads(pickle.dumps(broken))


def test_trees_walk_sparse_rows_as_they_are():
    X = random_sparse(80, 30, density=0.05, format="csc")
    [(rows, walked)] = Table.read(X).walks()
    assert rows == slice(0, 80)
    np.testing.assert_array_equal(walked.rows.toarray(), X.toarray())
    [(rows, cells)] = Table.read(X.toarray()).walks()
    assert isinstance(cells, np.ndarray)


def test_sparse_memory_is_bounded(monkeypatch):
    X = random_sparse(2000, 5000, density=0.001, format="csr")
    monkeypatch.setattr("coterie.data.table._BLOCK_BYTES", 1 << 20)
    table = Table.read(X)
    tracemalloc.start()
    binned = table.bin()
    for _, block in table.blocks(1 << 17):
        assert block.size <= 1 << 17
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert binned.codes.shape == (2000, 5000)
    assert peak < 8 << 20  # a byte for every cell would be 10 MB


def test_blocks_of_a_dense_table_are_the_table():
    X = np.ones((5, 2))
    [(rows, block)] = Table.read(X).blocks(1)
    assert rows == slice(0, 5)
    assert block is X


def test_blocks_of_a_sparse_table_follow_each_other():
    X = random_sparse(50, 3, density=0.3, format="csc")
    parts = list(Table.read(X).blocks(30))
    assert len(parts) == 5
    np.testing.assert_array_equal(np.vstack([b for _, b in parts]), X.toarray())
    assert all(np.array_equal(X.toarray()[rows], b) for rows, b in parts)


CUTS = [
    (slice(1, 3), slice(None)),
    (slice(None, None, 2), slice(0, 2)),
    ([3, 0, 0], [1, 3]),
    (np.array([True, False, True, False]), ["text", "number"]),
    (slice(None), np.array([False, True, True, False])),
    ([-1], slice(None)),
    (2, 1),
    ([], [0]),
    (slice(0, 0), slice(None)),
]


@pytest.mark.parametrize(("rows", "columns"), CUTS)
def test_some_rows_and_columns(rows, columns):
    table = Table.read(mixed_frame()).bin()
    names = np.array(table.names)
    positions = (
        [list(names).index(c) for c in columns]
        if isinstance(columns, list) and isinstance(columns[0], str)
        else np.atleast_1d(np.arange(4)[columns])
    )
    chosen = np.atleast_1d(np.arange(4)[rows if not isinstance(rows, list) or rows else slice(0)])
    cut = table[rows, columns]
    np.testing.assert_array_equal(cut.values, table.values[np.ix_(chosen, positions)])
    np.testing.assert_array_equal(cut.codes, table.codes[np.ix_(chosen, positions)])
    assert cut.names == tuple(names[positions])
    assert cut.shape == (len(chosen), len(positions))
    np.testing.assert_array_equal(cut.bins.counts, table.bins.counts[positions])
    assert [c is None for c in cut.categories] == [table.categories[j] is None for j in positions]


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("rows", [slice(1, 3), [2, 0, 2], np.array([True, False, True, False])])
@pytest.mark.parametrize("columns", [slice(None), [1], slice(0, 2)])
def test_some_rows_and_columns_of_a_sparse_table(format, rows, columns):
    X = random_sparse(4, 3, density=0.5, format=format)
    table = Table.read(X).bin()
    cut = table[rows, columns]
    expected = X.toarray()[rows][:, columns]
    np.testing.assert_array_equal(cut.sparse.toarray(), expected)
    np.testing.assert_array_equal(cut.codes, table.codes[rows][:, columns])


def test_slices_share_memory_and_bins():
    table = Table.read(np.arange(12.0).reshape(4, 3)).bin()
    cut = table[1:, :2]
    assert np.shares_memory(cut.values, table.values)
    assert np.shares_memory(cut.codes, table.codes)
    assert table.take(slice(0, 2)).bins is table.bins
    assert table.take(slice(0, 2)).schema is table.schema


def test_columns_that_are_not_there_are_refused():
    table = Table.read(mixed_frame())
    with pytest.raises(DataError, match="no column named 'nope'"):
        table[:, ["nope"]]
    for rows in ([4], [-5], [0.5], np.array([True])):
        with pytest.raises(DataError, match="does not match|out of bounds"):
            table.take(rows)


BAD = {
    "fewer columns": (np.ones((2, 2)), np.ones((2, 1)), "X has 1 features, but Table is expecting"),
    "more columns": (np.ones((2, 2)), np.ones((2, 3)), "X has 3 features, but Table is expecting"),
    "infinity": (np.ones((2, 1)), np.array([[np.inf]]), "infinity"),
    "one dimension": (np.ones((2, 2)), np.ones(2), "Reshape your data"),
    "no rows": (np.ones((2, 2)), np.ones((0, 2)), r"0 sample\(s\)"),
    "complex": (np.ones((2, 1)), np.array([[1j]]), "Complex data not supported"),
    "text": (np.ones((2, 1)), np.array([["a"]]), "contained numbers at fit, but contains text now"),
    "renamed": (
        pd.DataFrame({"a": [1.0]}),
        pd.DataFrame({"b": [1.0]}),
        "Feature names unseen at fit time",
    ),
    "reordered": (
        pd.DataFrame({"a": [1.0], "b": [1.0]}),
        pd.DataFrame({"b": [1.0], "a": [1.0]}),
        "Feature names must be in the same order",
    ),
    "sparse": (mixed_frame(), sparse.csr_array(np.eye(4)), "Sparse X cannot have categorical"),
}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize(("fitted", "new", "message"), BAD.values(), ids=BAD)
def test_new_rows_that_do_not_fit_are_refused(fitted, new, message):
    with pytest.raises(DataError, match=message):
        Table.read(fitted).admit(new)


@pytest.mark.parametrize(
    "X",
    [
        np.full((3, 2), np.nan),
        np.array([[1e308], [-1e308], [5e-324]]),
        np.array([[1.0], [1.0 + 1e-12], [1.0]]),
        np.ones((1, 1)),
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        pd.DataFrame({"a": [None, None], "b": [1, 2]}),
    ],
)
def test_odd_but_usable_numbers_are_binned(X):
    binned = Table.read(X).bin()
    assert (binned.codes <= binned.bins.counts).all()
    assert binned.admit(X).bin().codes.tolist() == binned.codes.tolist()


def test_close_values_keep_bins_of_their_own():
    X = np.array([[1.0], [1.0 + 1e-12], [5e-324], [0.0]])
    assert Table.read(X).bin().codes.ravel().tolist() == [2, 3, 1, 0]


@pytest.mark.slow
def test_a_hundred_thousand_columns():
    X = np.random.default_rng(0).normal(size=(4, 100_000)).astype(np.float32)
    binned = Table.read(X).bin()
    assert binned.codes.shape == X.shape
    assert Table.read(X).admit(X).values is X


@pytest.mark.parametrize("X", [np.eye(3), mixed_frame(), sparse.csr_array(np.eye(3))])
def test_tables_pickle(X):
    table = Table.read(X).bin()
    again = pickle.loads(pickle.dumps(table))
    np.testing.assert_array_equal(again.codes, table.codes)
    np.testing.assert_array_equal(again.admit(X).bin().codes, table.codes)


def test_bins_alone_are_rows_of_estimators():
    cells = np.zeros((50, 30))
    cells[::7, ::5] = 2.0
    for X in (cells, sparse.csr_array(cells)):
        table = Table.read(X).bin()
        rows = table.binned_rows()
        assert rows.schema is table.schema
        np.testing.assert_array_equal(rows.native(), cells)
