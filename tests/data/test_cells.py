"""One column of cells."""

import datetime
from decimal import Decimal
from fractions import Fraction

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import DecisionTreeClassifier
from coterie.data.cells import (
    Levels,
    Numbers,
    Texts,
    cells_of_array,
    cells_of_series,
    cells_with_dates,
    from_days,
    in_days,
)
from coterie.data.errors import KindError

TEXT = ["b", None, "a", "zz", "b"]
TEXT_SERIES = {
    "pandas str": lambda v: pd.Series(v, dtype="string"),
    "pandas object": lambda v: pd.Series(v, dtype=object),
    "pandas category": lambda v: pd.Series(pd.Categorical(v)),
    "pandas reversed category": lambda v: pd.Series(
        pd.Categorical(v, categories=sorted({x for x in v if x is not None}, reverse=True))
    ),
    "polars string": lambda v: pl.Series("c", v, dtype=pl.String),
    "polars categorical": lambda v: pl.Series("c", v, dtype=pl.Categorical),
    "polars enum": lambda v: pl.Series("c", v, dtype=pl.Enum(["zz", "b", "a", "unused"])),
    "arrow string": lambda v: pa.chunked_array([pa.array(v, pa.string())]),
    "arrow dictionary": lambda v: pa.chunked_array([pa.array(v, pa.string()).dictionary_encode()]),
}


@pytest.fixture(params=["by the frame", "one by one"])
def _both_ways(request, monkeypatch):
    if request.param == "by the frame":
        monkeypatch.setattr("coterie.data.cells._FEW", 0)


def series_of(values):
    return cells_of_series(nw.from_native(values, series_only=True), "column 'c'")


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("make", TEXT_SERIES.values(), ids=TEXT_SERIES)
def test_text_of_any_frame_has_sorted_labels_and_null_is_missing(make):
    labels, codes = series_of(make(TEXT)).learn()
    assert labels.tolist() == ["a", "b", "zz"]
    assert codes.dtype == np.int32
    assert codes.tolist() == [1, -1, 0, 2, 1]


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("make", TEXT_SERIES.values(), ids=TEXT_SERIES)
def test_labels_are_matched_by_name_and_unknown_ones_are_missing(make):
    cells = series_of(make(TEXT))
    assert cells.match(np.array(["0", "b", "zz"], dtype=object)).tolist() == [1, -1, -1, 2, 1]
    for nothing in (np.array([], dtype=object), np.array([], dtype=float)):
        assert cells.match(nothing).tolist() == [-1] * 5
    with pytest.raises(
        KindError, match="Column 'c' contained numbers at fit, but contains text now"
    ):
        cells.match(np.array([1.0, 2.0]))


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("make", TEXT_SERIES.values(), ids=TEXT_SERIES)
def test_a_column_of_nothing_has_no_labels_and_matches_any(make):
    cells = series_of(make([None, None]))
    labels, codes = cells.learn()
    assert len(labels) == 0
    assert codes.tolist() == [-1, -1]
    assert cells.match(np.array([1.0])).tolist() == [-1, -1]
    assert cells.match(np.array(["a"], dtype=object)).tolist() == [-1, -1]


def test_arrow_dictionaries_may_differ_by_chunk():
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["a", None]).dictionary_encode()]
    labels, codes = series_of(pa.chunked_array(chunks)).learn()
    assert labels.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, 0, -1]


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize(
    ("values", "labels"),
    [([3, None, 1], [1, 3]), ([0.5, None, -1.0], [-1.0, 0.5]), ([True, None, False], [0, 1])],
)
def test_categories_may_be_numbers(values, labels):
    cells = series_of(pd.Series(pd.Categorical(values)))
    assert isinstance(cells, Levels)
    found, codes = cells.learn()
    assert found.tolist() == labels
    assert codes.tolist() == [labels.index(values[0]), -1, labels.index(values[2])]
    assert Numbers(np.array(labels, dtype=float), "x").match(found).tolist() == [0, 1]
    with pytest.raises(KindError, match="contained text at fit, but contains numbers now"):
        cells.match(np.array(["a"], dtype=object))


def test_categories_of_other_kinds_have_names():
    cells = series_of(pd.Series(pd.cut([1.0, 5.0, np.nan, 1.5], [0, 2, 6])))
    labels, codes = cells.learn()
    assert labels.tolist() == ["(0, 2]", "(2, 6]"]
    assert codes.tolist() == [0, 1, -1, 0]
    assert cells.match(labels).tolist() == codes.tolist()


def test_categories_of_text_and_numbers_are_refused():
    with pytest.raises(KindError, match="Column 'c' mixes text and numbers"):
        series_of(pd.Series(pd.Categorical(["a", 1]))).learn()


NUMBER_SERIES = {
    "pandas float": pd.Series([1.0, np.nan, 0.0]),
    "pandas Int64": pd.Series([1, None, 0], dtype="Int64"),
    "pandas UInt8": pd.Series([1, None, 0], dtype="UInt8"),
    "pandas Float64": pd.Series([1, None, 0], dtype="Float64"),
    "pandas boolean": pd.Series([True, None, False], dtype="boolean"),
    "pandas object int": pd.Series([1, None, 0], dtype=object),
    "pandas object bool": pd.Series([True, None, False], dtype=object),
    "pandas object NA": pd.Series([1, pd.NA, 0], dtype=object),
    "pandas object Decimal": pd.Series([Decimal(1), None, Fraction(0)], dtype=object),
    "pandas arrow": pd.Series([1, None, 0], dtype="int64[pyarrow]"),
    "pandas sparse": pd.Series(pd.arrays.SparseArray([1.0, np.nan, 0.0])),
    "polars int": pl.Series("c", [1, None, 0]),
    "polars float": pl.Series("c", [1.0, float("nan"), 0.0]),
    "polars bool": pl.Series("c", [True, None, False]),
    "polars decimal": pl.Series("c", [Decimal("1.0"), None, Decimal("0.0")]),
    "arrow int": pa.chunked_array([[1, None, 0]]),
    "arrow float": pa.chunked_array([[1.0], [None, 0.0]]),
    "arrow bool": pa.chunked_array([[True, None, False]]),
    "arrow decimal": pa.chunked_array([[Decimal("1.0"), None, Decimal("0.0")]]),
}


@pytest.mark.parametrize("series", NUMBER_SERIES.values(), ids=NUMBER_SERIES)
def test_numbers_of_any_frame_with_null_as_nan(series):
    cells = series_of(series)
    assert isinstance(cells, Numbers)
    np.testing.assert_array_equal(cells.values.astype(float), [1, np.nan, 0])


@pytest.mark.parametrize("series", [pl.Series("c", [None, None]), pa.chunked_array([pa.nulls(2)])])
def test_a_column_without_a_type_is_missing_throughout(series):
    assert np.isnan(series_of(series).values).all()


def test_booleans_stay_booleans():
    for series in (pd.Series([True, False]), pl.Series([True, False]), pa.chunked_array([[True]])):
        assert series_of(series).values.dtype == bool


BAD_SERIES = {
    "datetime": pd.Series(pd.to_datetime(["2020-01-01"])),
    "timedelta": pd.Series(pd.to_timedelta([1])),
    "period": pd.Series(pd.period_range("2020", periods=1)),
    "complex": pd.Series([1j]),
    "nested object": pd.Series([[1]]),
    "bytes": pd.Series([b"a"]),
    "polars date": pl.Series([1]).cast(pl.Date),
    "polars time": pl.Series([1]).cast(pl.Time),
    "polars duration": pl.Series([1]).cast(pl.Duration),
    "polars list": pl.Series([[1]]),
    "polars struct": pl.Series([{"a": 1}]),
    "polars binary": pl.Series([b"a"]),
    "arrow list": pa.chunked_array([[[1]]]),
    "arrow date": pa.chunked_array([pa.array([1], pa.date32())]),
}


@pytest.mark.parametrize("series", BAD_SERIES.values(), ids=BAD_SERIES)
def test_other_kinds_of_columns_are_refused_by_name(series):
    with pytest.raises(TypeError, match="[Cc]olumn 'c'"):
        series_of(series)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2], np.int64),
        ([True, False], np.bool_),
        ([1, 2.5], np.float64),
        ([1, None], np.float64),
        ([None, None], np.float64),
        ([np.float32(1), np.float32(2)], np.float32),
        ([2**70, 1], np.float64),
        ([], np.float64),
    ],
)
def test_objects_become_the_numbers_they_are(values, expected):
    cells = cells_of_array(np.array(values, dtype=object), "y")
    assert isinstance(cells, Numbers)
    assert cells.values.dtype == expected
    assert cells.values.tolist() == pytest.approx(
        [np.nan if v is None else v for v in values], nan_ok=True
    )


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_objects_that_are_text_may_be_missing(missing):
    cells = cells_of_array(np.array(["b", missing, "a"], dtype=object), "y")
    labels, codes = cells.learn()
    assert labels.tolist() == ["a", "b"]
    assert codes.tolist() == [1, -1, 0]


@pytest.mark.parametrize("values", [["a", 1], [1.5, "a"], [True, "a"], ["a", None, np.int64(3)]])
def test_text_mixed_with_numbers_is_refused(values):
    with pytest.raises(TypeError, match="y mixes text and numbers.*Convert all values to text"):
        cells_of_array(np.array(values, dtype=object), "y")


@pytest.mark.parametrize("junk", [{"foo": "bar"}, [1], b"a", 1j, object(), pd.Timestamp(0)])
def test_other_objects_are_refused_in_scikit_learns_words(junk):
    values = np.empty(2, dtype=object)
    values[:] = [1.0, junk]
    with pytest.raises(TypeError, match="argument must be .* string.* number"):
        cells_of_array(values, "column 0")


def test_an_integer_that_no_float_holds_is_refused():
    with pytest.raises(ValueError, match="Column 0 contains an integer too large"):
        cells_of_array(np.array([10**400, 1], dtype=object), "column 0")


def test_fixed_width_text_keeps_its_dtype():
    labels, codes = cells_of_array(np.array(["bb", "a", "bb"]), "y").learn()
    assert labels.dtype == np.dtype("<U2")
    assert labels.tolist() == ["a", "bb"]
    assert codes.tolist() == [1, 0, 1]


def test_variable_width_text_is_read():
    labels, _ = cells_of_array(np.array(["bb", "a"], dtype=np.dtypes.StringDType()), "y").learn()
    assert labels.tolist() == ["a", "bb"]


@pytest.mark.parametrize(
    "values",
    [
        np.array([7, 0, 2, 7]),
        np.array([-1, 1, 1], dtype=np.int8),
        np.array([-128, 127], dtype=np.int8),
        np.array([2**63 - 1, -(2**63)]),
        np.array([2**64 - 1, 2**64 - 3], dtype=np.uint64),
        np.array([True, False, True]),
        np.array([True]),
        np.array([0.5, -2.0, 0.5], dtype=np.float32),
        np.array([0.0, -0.0]),
        np.array([3, 1], dtype=">i4"),
    ],
)
def test_labels_of_numbers_are_those_of_unique(values):
    expected, inverse = np.unique(values, return_inverse=True)
    labels, codes = Numbers(values, "y").learn()
    assert labels.dtype.kind == values.dtype.kind
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(codes, inverse)
    np.testing.assert_array_equal(Numbers(values, "y").match(labels), codes)


def test_numbers_match_by_value_across_dtypes():
    labels = np.array([1, 3, 7])
    assert Numbers(np.array([3.0, 2.0, np.nan, 7.5, 8.0, 1.0]), "x").match(labels).tolist() == [
        1, -1, -1, -1, -1, 0,
    ]  # fmt: skip
    assert Numbers(np.array([True, False]), "x").match(labels).tolist() == [0, -1]
    with pytest.raises(KindError, match="x contained text at fit, but contains numbers now"):
        Numbers(np.array([1.0]), "x").match(np.array(["a"], dtype=object))


def test_numbers_that_are_all_missing_match_any_labels():
    nothing = Numbers(np.array([np.nan, np.nan]), "x")
    for labels in (np.array(["a"], dtype=object), np.array([1.0]), np.array([], dtype=object)):
        assert nothing.match(labels).tolist() == [-1, -1]


@given(st.lists(st.one_of(st.text(max_size=3), st.none()), max_size=20))
def test_decoding_text_gives_the_text(values):
    labels, codes = Texts(values, "y").learn()
    assert labels.tolist() == sorted({v for v in values if v is not None})
    assert [labels[c] if c >= 0 else None for c in codes] == values
    assert Texts(values, "y").match(labels).tolist() == codes.tolist()


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5), min_size=1, max_size=30))
def test_decoding_integers_gives_the_integers(values):
    labels, codes = Numbers(np.array(values, dtype=np.int64), "y").learn()
    assert labels[codes].tolist() == values
    assert labels.tolist() == sorted(set(values))


def test_moments_are_days_whatever_the_frame():
    when = pd.Series(pd.to_datetime(["2024-01-31 06:00", None]))
    series = [when, when.dt.tz_localize("UTC"), pl.from_pandas(when)]
    for one in series:
        days = in_days(nw.from_native(one, series_only=True)).to_numpy()
        np.testing.assert_array_equal(days, [19753.25, np.nan])
    date = pl.Series([datetime.date(1970, 1, 3)])
    length = pl.Series([datetime.timedelta(hours=12)])
    for one, expected in ((date, 2.0), (length, 0.5)):
        assert in_days(nw.from_native(one, series_only=True)).to_list() == [expected]


def test_plain_estimators_take_dates():
    frame = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=40)})
    model = DecisionTreeClassifier().fit(frame, np.arange(40) >= 20)
    assert model.predict(frame[18:22]).tolist() == [False, False, True, True]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_dates_of_python_are_moments(missing):
    days = [datetime.date(1970, 1, 3), datetime.datetime(1970, 1, 2, 12), missing]
    cells = cells_with_dates(nw.from_native(pd.Series(days, dtype=object), series_only=True), "c")
    assert (cells.kind, cells.values[:2].tolist()) == ("dates", [2.0, 1.5])
    assert np.isnan(cells.values[2])
    zone = datetime.timezone(datetime.timedelta(hours=6))
    aware = [datetime.datetime(1970, 1, 2, tzinfo=zone), missing]
    cells = cells_with_dates(nw.from_native(pd.Series(aware, dtype=object), series_only=True), "c")
    assert (cells.kind, cells.values[0]) == ("dates with a time zone", 0.75)


def test_periods_are_moments():
    months = pd.Series(pd.PeriodIndex(["1970-01", None, "1970-03"], freq="M"))
    cells = cells_with_dates(nw.from_native(months, series_only=True), "c")
    assert cells.kind == "dates"
    np.testing.assert_array_equal(cells.values, [0.0, np.nan, 59.0])
    frame = pd.DataFrame({"month": pd.period_range("2024-01", periods=40, freq="M")})
    model = DecisionTreeClassifier().fit(frame, np.arange(40) >= 20)
    assert model.predict(frame[18:22]).tolist() == [False, False, True, True]


@pytest.mark.parametrize("other", [datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC), 3.0, b"x"])
def test_dates_beside_anything_else_are_refused(other):
    mixed = pd.Series([datetime.datetime(1970, 1, 2), other], dtype=object)
    with pytest.raises(KindError, match="[Cc]olumn 'c' contains datetime"):
        cells_with_dates(nw.from_native(mixed, series_only=True), "column 'c'")


@pytest.mark.parametrize("of", [pd.Series, pl.Series])
def test_days_become_moments_again(of):
    when = datetime.datetime(2024, 1, 31, 6)
    zone = datetime.UTC
    for one in (when, when.replace(tzinfo=zone), datetime.timedelta(hours=36)):
        series = nw.from_native(of([one, None]), series_only=True)
        days = in_days(series).to_numpy()
        made = from_days(days, series)
        assert made.dtype == series.dtype
        np.testing.assert_array_equal(in_days(made).to_numpy(), days)
