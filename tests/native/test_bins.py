"""Binning: few values exactly, many by weight, any memory layout."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_breast_cancer

from coterie.native import Bins, check_table, encode, find_bins, row_hashes

finite = st.floats(-1e6, 1e6, width=32)


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 60), st.integers(1, 4)), elements=finite))
def test_few_distinct_values_are_kept_apart(X):
    bins = find_bins(X)
    codes = encode(X, bins)
    for j in range(X.shape[1]):
        values, expected = np.unique(X[:, j] + 0.0, return_inverse=True)
        np.testing.assert_array_equal(bins[[j]].lower, values)
        np.testing.assert_array_equal(codes[:, j], expected)


@given(
    hnp.arrays(np.float32, st.tuples(st.integers(1, 200), st.just(1)), elements=finite),
    st.integers(2, 9),
)
def test_codes_ascend_with_values_and_lie_within_their_bins(X, max_bins):
    bins = find_bins(X, max_bins=max_bins)
    codes = encode(X, bins)[:, 0].astype(int)
    assert bins.counts[0] <= max_bins
    order = np.argsort(X[:, 0], kind="stable")
    assert (np.diff(codes[order]) >= 0).all()
    assert (bins.lower[codes] <= X[:, 0]).all()
    assert (X[:, 0] <= bins.upper[codes]).all()


def test_bins_hold_about_equal_weight():
    x = np.random.default_rng(0).normal(size=(20_000, 1))
    counts = np.bincount(encode(x, find_bins(x))[:, 0], minlength=255)
    assert counts.min() > 0.8 * counts.mean()
    assert counts.max() < 1.2 * counts.mean()


def test_weights_move_the_quantiles():
    x = np.arange(1000.0)[:, None]
    weight = np.where(np.arange(1000) < 500, 9.0, 1.0)
    upper = find_bins(x, weight=weight, max_bins=10).upper
    share = weight[: int(upper[4]) + 1].sum() / weight.sum()
    assert share == pytest.approx(0.5, abs=0.01)
    assert upper[7] < 500 < upper[9]


@pytest.mark.parametrize("scale", [1.0, 1 / 569, 1 - 1e-16, 1e-12, 3e7])
def test_the_scale_of_the_weights_does_not_matter(scale):
    X, _ = load_breast_cancer(return_X_y=True)
    plain = find_bins(X, max_bins=100)
    scaled = find_bins(X, max_bins=100, weight=np.full(len(X), scale))
    np.testing.assert_array_equal(plain.upper, scaled.upper)


@pytest.mark.parametrize("distinct", [10, 30])
def test_weights_count_however_few_values_there_are(distinct):
    x = np.repeat(np.arange(float(distinct)), 20)[:, None]
    weight = np.where(x[:, 0] == distinct - 1, 1000.0, 1.0)
    bins = find_bins(x, weight=weight, max_bins=3)
    assert bins.lower[-1] == distinct - 1  # the heavy value fills a bin by itself


def test_a_large_column_is_sampled_but_rare_values_are_not_lost():
    x = np.zeros((300_000, 2), dtype=np.float32)
    x[:, 1] = np.random.default_rng(1).normal(size=len(x))
    x[123_456, 0] = 5.0
    bins = find_bins(x)
    np.testing.assert_array_equal(bins[[0]].lower, [0.0, 5.0])
    assert bins.counts[1] == 255


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_memory_layout_gives_the_same_codes(dtype):
    X = np.random.default_rng(2).normal(size=(300, 6)).astype(dtype)
    bins = find_bins(X)
    expected = encode(X, bins)
    wide = np.empty((600, 12), dtype=dtype)
    wide[::2, ::2] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    packed = np.zeros(300, dtype=[("pad", "u1"), ("x", dtype, (6,))])
    packed["x"] = X
    for same in (np.asfortranarray(X), wide[::2, ::2], X[::-1][::-1], read_only, packed["x"]):
        np.testing.assert_array_equal(encode(same, find_bins(same)), expected)
    np.testing.assert_array_equal(encode(X, bins, order="F"), expected)


def test_threads_do_not_change_codes():
    X = np.random.default_rng(3).normal(size=(5000, 7))
    one, four = find_bins(X), find_bins(X, n_threads=4)
    np.testing.assert_array_equal(one.lower, four.lower)
    np.testing.assert_array_equal(encode(X, one), encode(X, four, n_threads=4))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_codes_are_found_however_values_are_spread(dtype):
    # More rows and columns than are encoded together, evenly spread values and others.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(17_000, 18)).astype(dtype)
    X[:, 3] = np.exp(8 * X[:, 3])
    X[:, 17] = np.round(X[:, 17])
    X[::50, 16] = np.nan
    bins = find_bins(X, max_bins=1_000)
    codes = encode(X, bins)
    for j in range(X.shape[1]):
        part = slice(bins.offsets[j], bins.offsets[j + 1])
        code = np.searchsorted(bins.upper[part], X[:, j].astype(float))
        np.testing.assert_array_equal(codes[:, j], code)


def test_missing_values_and_wide_codes():
    X = np.arange(1000.0)[:, None]
    X[7] = np.nan
    bins = find_bins(X, max_bins=65_535)
    codes = encode(X, bins)
    assert codes.dtype == np.uint16
    assert codes[7, 0] == bins.counts[0] == 999
    assert codes[8, 0] == 7
    # One code more than there are bins: that of missing values.
    assert find_bins(X[:256], max_bins=256).dtype is np.uint8
    assert find_bins(X[:257], max_bins=256).dtype is np.uint16
    nothing = np.full((5, 1), np.nan)
    assert find_bins(nothing).counts[0] == 0
    assert (encode(nothing, find_bins(nothing)) == 0).all()


def test_categories_keep_their_codes_and_strangers_are_missing():
    X = np.array([[0.0], [3.0], [np.nan]])
    bins = find_bins(X, categorical=np.array([True]))
    new = np.array([[3.0], [4.0], [-1.0], [1e300], [np.nan], [0.0]])
    np.testing.assert_array_equal(encode(new, bins)[:, 0], [3, 4, 4, 4, 4, 0])
    with pytest.raises(ValueError, match="whole codes"):
        find_bins(np.array([[0.5]]), categorical=np.array([True]))


def test_extreme_values_stay_apart():
    X = np.array([[-1.7e308], [1.7e308], [5e-324], [-5e-324], [0.0]])
    np.testing.assert_array_equal(encode(X, find_bins(X))[:, 0], [0, 4, 3, 1, 2])


def test_columns_can_be_chosen_and_joined():
    X = np.random.default_rng(4).integers(0, 9, size=(50, 3)).astype(float)
    bins = find_bins(X)
    joined = Bins.concatenate([bins[:1], bins[1:]])
    for field in ("offsets", "lower", "upper", "categorical"):
        np.testing.assert_array_equal(getattr(joined, field), getattr(bins, field))
    assert len(bins[[]].lower) == 0


def test_bad_arguments_are_named():
    X = np.zeros((3, 2))
    with pytest.raises(ValueError, match="max_bins"):
        find_bins(X, max_bins=1)
    with pytest.raises(ValueError, match="one number per row"):
        find_bins(X, weight=np.ones(2))
    with pytest.raises(ValueError, match="number of columns"):
        encode(X[:, :1], find_bins(X))
    with pytest.raises(TypeError):
        find_bins(X.astype(int))


def test_codes_from_outside_are_checked():
    X = np.array([[0.0], [1.0]])
    bins = find_bins(X)
    check_table(encode(X, bins), bins)
    with pytest.raises(ValueError, match="outside the bins"):
        check_table(np.array([[9]], dtype=np.uint8), bins)


@settings(max_examples=25)
@given(st.permutations(range(12)))
def test_hashes_follow_rows_not_places(order):
    codes = np.random.default_rng(5).integers(0, 4, size=(12, 3)).astype(np.uint8)
    bits = np.arange(12, dtype=np.uint64)
    bins = find_bins(codes.astype(float))
    hashes = row_hashes(codes, bins, bits)
    np.testing.assert_array_equal(row_hashes(codes[order], bins, bits[order]), hashes[order])
    assert len(np.unique(hashes)) == 12
