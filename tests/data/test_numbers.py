"""Numbers as the engine takes them."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from coterie.data.errors import KindError
from coterie.data.numbers import (
    as_float,
    bounded,
    check_finite,
    first_infinite,
    unmask,
    warn_if_rounded,
)

SMALL = [np.bool_, np.int8, np.int16, np.uint8, np.uint16, np.float16, np.float32]
LARGE = [np.int32, np.int64, np.uint32, np.uint64, np.float64, np.longdouble]


@pytest.mark.parametrize("dtype", SMALL)
def test_what_float32_holds_exactly_becomes_float32(dtype):
    values = np.array([[0, 1], [1, 0]], dtype=dtype)
    floats = as_float(values)
    assert floats.dtype == np.float32
    np.testing.assert_array_equal(floats, values)


@pytest.mark.parametrize("dtype", LARGE)
def test_everything_else_becomes_float64(dtype):
    values = np.array([[0, 100_001], [1, 0]], dtype=dtype)
    floats = as_float(values)
    assert floats.dtype == np.float64
    np.testing.assert_array_equal(floats, values)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        np.asfortranarray,
        lambda x: x[::-1],
        lambda x: x[:, ::-2],
        lambda x: x[::3, 1:],
        lambda x: np.broadcast_to(x[:1], x.shape),
    ],
)
def test_floats_are_not_copied_whatever_their_strides(dtype, view):
    given_values = view(np.arange(30, dtype=dtype).reshape(6, 5))
    assert as_float(given_values) is given_values


def test_read_only_floats_are_not_copied():
    values = np.ones((3, 2))
    values.flags.writeable = False
    assert as_float(values) is values


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i4", ">u2", ">f2"])
def test_big_endian_numbers_become_native(dtype):
    floats = as_float(np.array([[1, 2], [3, 4]], dtype=dtype))
    assert floats.dtype.isnative
    assert floats.tolist() == [[1, 2], [3, 4]]


def test_a_field_of_a_packed_record_is_copied_to_whole_strides():
    records = np.zeros(4, dtype=[("flag", "u1"), ("value", "f8")])
    records["value"] = [1, 2, 3, 4]
    floats = as_float(records["value"])
    assert floats.strides == (8,)
    assert floats.flags.aligned
    assert floats.tolist() == [1, 2, 3, 4]
    first = np.zeros(2, dtype=[("value", "f8"), ("flag", "u1")])["value"][:1]
    assert as_float(first).strides == (8,)


def test_a_long_double_beyond_float64_becomes_infinity_without_a_warning():
    if np.finfo(np.longdouble).max == np.finfo(np.float64).max:
        pytest.skip("long double is float64 here")
    values = np.full((1, 1), np.finfo(np.longdouble).max)
    assert np.isinf(as_float(values)).all()


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (np.array([1j]), "Complex data not supported"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "datetime64"),
        (np.array([1], dtype="m8[s]"), "timedelta64"),
        (np.array([b"a"]), "not numbers"),
        (np.zeros(1, dtype=[("a", "f8")]), "not numbers"),
    ],
)
def test_other_dtypes_are_refused(values, word):
    with pytest.raises(KindError, match=word):
        as_float(values)


def test_masked_cells_are_missing():
    masked = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(as_float(masked), [[1, np.nan], [3, 4]])
    objects = np.ma.array(np.array(["a", "b"], dtype=object), mask=[True, False])
    assert unmask(objects).tolist() == [None, "b"]
    untouched = np.ma.array([1.0, 2.0])
    assert np.shares_memory(unmask(untouched), untouched.data)


def test_masked_cells_leave_the_given_array_alone():
    data = np.array([[1.0, 2.0]])
    as_float(np.ma.array(data, mask=[[True, False]]))
    assert data.tolist() == [[1, 2]]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("cell", [(0, 0), (69_999, 6), (31_234, 3)])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_one_infinite_cell_is_found_among_many(order, dtype, cell, value):
    values = np.ones((70_000, 7), dtype=dtype, order=order)
    assert first_infinite(values) is None
    values[cell] = value
    assert first_infinite(values) == cell
    values[:, 5] = np.nan
    assert first_infinite(values) == cell


@pytest.mark.parametrize("shape", [(300_000, 1), (1, 300_000), (3, 100_000)])
def test_infinity_is_found_in_narrow_and_wide_matrices(shape):
    values = np.zeros(shape)
    values[-1, -1] = np.inf
    assert first_infinite(values) == (shape[0] - 1, shape[1] - 1)
    assert first_infinite(np.asfortranarray(values)) == (shape[0] - 1, shape[1] - 1)


def test_infinities_that_cancel_are_found():
    values = np.zeros((50_000, 2))
    values[7] = [np.inf, -np.inf]
    assert first_infinite(values) == (7, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_finite_numbers_are_no_infinities(dtype):
    values = np.full((100_000, 2), np.finfo(dtype).max, dtype=dtype)
    assert first_infinite(values) is None


@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.float64]),
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    )
)
def test_first_infinite_agrees_with_numpy(values):
    found = first_infinite(values)
    assert (found is not None) == np.isinf(values).any()
    assert found is None or np.isinf(values[found])


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_search_for_infinity_makes_no_large_array(order):
    values = np.ones((200_000, 10), order=order)
    values[::2] = np.nan
    tracemalloc.start()
    first_infinite(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < values.nbytes / 20


def test_check_finite_names_the_column_and_the_cure():
    values = np.array([[1.0, 2.0], [3.0, np.inf]])
    with pytest.raises(ValueError, match=r"infinity.*column_1, row 1.*NaN is treated as missing"):
        check_finite(values, "column_{}".format)


def test_integers_beyond_float64_warn_only_if_they_are_rounded():
    with pytest.warns(UserWarning, match=r"Column 0 contains integers beyond 2\*\*53.*categorical"):
        warn_if_rounded(np.array([1, 2**53 + 1]), "column 0")
    with pytest.warns(UserWarning, match="beyond"):
        warn_if_rounded(np.array([2**64 - 1], dtype=np.uint64), "column 0")
    with pytest.warns(UserWarning, match="beyond"):
        warn_if_rounded(np.array([-(2**63) + 1]), "column 0")
    warn_if_rounded(np.array([2**60, -(2**62), -(2**63)]), "column 0")
    warn_if_rounded(np.array([2**53, -(2**53)]), "column 0")
    warn_if_rounded(np.array([], dtype=np.int64), "column 0")
    warn_if_rounded(np.array([1e300]), "column 0")


@pytest.mark.parametrize("largest", [1.0, 1e100])
def test_infinity_becomes_larger_than_all_others(largest):
    found = bounded(np.array([-np.inf, -largest, largest, np.inf]))
    assert np.isfinite(found).all()
    assert (np.diff(found) > 0).all()
