"""Sample weights."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.data import DataError, read_weight


def test_no_weights_stay_none():
    assert read_weight(None, 3) == (None, None)


@pytest.mark.parametrize(
    "weight",
    [
        [1, 2, 3],
        (1.0, 2.0, 3.0),
        np.array([1, 2, 3], dtype=np.float32),
        np.array([1, 2, 3], dtype=">i2"),
        np.array([1, 0, 2, 0, 3])[::2],
        np.array([1, 2, 3], dtype=object),
        pd.Series([1, 2, 3], index=[7, 8, 9]),
        pd.Series([1, 2, 3], dtype="Int64"),
        pl.Series([1, 2, 3]),
    ],
)
def test_weights_of_any_container_become_float64(weight):
    weights, kept = read_weight(weight, 3)
    assert weights.dtype == np.float64
    assert weights.flags.c_contiguous
    assert weights.tolist() == [1, 2, 3]
    assert kept is None


@pytest.mark.parametrize("number", [2, 2.0, np.float32(2), True + 1])
def test_a_number_is_everyones_weight(number):
    assert read_weight(number, 3)[0].tolist() == [2, 2, 2]


def test_rows_of_zero_weight_are_left_out():
    weights, kept = read_weight([0.0, 3.0, -0.0, 0.5], 4)
    assert weights.tolist() == [3, 0.5]
    assert kept.tolist() == [1, 3]


def test_booleans_choose_rows():
    weights, kept = read_weight(np.array([True, False, True]), 3)
    assert weights.tolist() == [1, 1]
    assert kept.tolist() == [0, 2]


def test_given_weights_are_left_alone():
    given_weights = np.array([1e300, 0.0, 1.0])
    read_weight(given_weights, 3)
    assert given_weights.tolist() == [1e300, 0, 1]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1, 2], r"Negative values in data passed.*-1.0 in row 1.*zero to ignore a row"),
        ([-1, -2, -3], r"Negative values in data passed"),
        (-1.0, r"Negative values in data passed"),
        ([0, 0, 0], r"weights.*zero"),
        (0, r"weights.*zero"),
        ([1, np.nan, 2], r"sample_weight contains NaN or infinity: nan in row 1"),
        ([1, 2, np.inf], r"sample_weight contains NaN or infinity: inf in row 2"),
        ([1, -np.inf, 1], r"infinity"),
        ([1, None, 2], r"NaN"),
        (np.ma.array([1, 2, 3], mask=[0, 1, 0]), r"NaN"),
        ([1, 2], r"sample_weight.shape == \(2,\), expected \(3,\)"),
        ([1, 2, 3, 4], r"expected \(3,\)"),
        ([[1], [2], [3]], r"must be 1D array or scalar, got 2D array"),
        (np.array(2.0), r"at least 1 dimension"),
        (["1", "2", "3"], r"sample_weight contains text"),
        (["a", 1, 2], r"sample_weight"),
        ([1j, 1, 1], r"[Cc]omplex"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(DataError, match=message):
        read_weight(weight, 3)


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e308, 5e-324])
def test_extreme_weights_keep_their_ratios(scale):
    weights, kept = read_weight(np.array([1.0, 1.0, 1.0]) * scale, 3)
    assert kept is None
    assert 1e-30 < weights.sum() < 1e30
    assert weights[0] == weights[1] == weights[2]


def test_extreme_weights_are_scaled_exactly():
    given_weights = np.random.default_rng(0).uniform(1, 1e300, 50)
    weights, _ = read_weight(given_weights, 50)
    np.testing.assert_array_equal(np.frexp(weights)[0], np.frexp(given_weights)[0])
    assert len(set(np.frexp(given_weights)[1] - np.frexp(weights)[1])) == 1
    assert np.isfinite((weights**2).sum())


@pytest.mark.parametrize("weight", [[1.0, 1e-300], [1e30, 1e-30], [1e-30, 1e-300]])
def test_moderate_weights_are_not_scaled(weight):
    assert read_weight(weight, 2)[0].tolist() == weight


def test_weights_too_far_apart_are_refused():
    with pytest.raises(DataError, match="too wide a range.*Use zero"):
        read_weight([1e300, 1e-300], 2)


@given(st.lists(st.floats(0, 1e30), min_size=1, max_size=20).filter(any))
def test_kept_weights_are_those_above_zero(weight):
    weights, kept = read_weight(weight, len(weight))
    rows = np.arange(len(weight)) if kept is None else kept
    assert (weights > 0).all()
    assert rows.tolist() == np.flatnonzero(weight).tolist()
    expected = np.array(weight)[rows]
    np.testing.assert_array_equal(weights / weights.max(), expected / expected.max())
