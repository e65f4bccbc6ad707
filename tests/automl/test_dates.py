"""Dates become numbers."""

import datetime

import numpy as np
import pytest

from coterie.automl.dates import DateColumns, date_parts
from coterie.data import KindError

pandas = pytest.importorskip("pandas")


def test_parts_are_those_of_the_standard_library():
    moments = [datetime.datetime(1969, 12, 31, 23), datetime.datetime(2024, 2, 29, 5, 30)]
    days, month, weekday, hour = date_parts(np.array(moments, dtype="datetime64[s]"))
    begun = datetime.datetime(1970, 1, 1)
    assert days.tolist() == [(m - begun).total_seconds() / 86400 for m in moments]
    assert month.tolist() == [m.month for m in moments]
    assert weekday.tolist() == [m.weekday() for m in moments]
    assert hour.tolist() == [m.hour for m in moments]


def test_all_spellings_of_a_date_agree():
    polars = pytest.importorskip("polars")
    texts = ["2024-01-31", None, "2023-07-01"]
    stamps = pandas.to_datetime(pandas.Series(texts))
    frames = [
        pandas.DataFrame({"d": texts}),
        pandas.DataFrame({"d": stamps}),
        pandas.DataFrame({"d": stamps.dt.tz_localize("UTC")}),
        polars.DataFrame({"d": texts}),
        polars.DataFrame({"d": texts}).with_columns(polars.col("d").str.to_date()),
    ]
    tables = []
    for frame in frames:
        found = DateColumns.find(frame)
        assert found.names == ("d",)
        tables.append(np.asarray(found.apply(frame).to_numpy(), dtype=float))
    for table in tables[1:]:
        np.testing.assert_array_equal(table, tables[0])
    assert np.isnan(tables[0][1]).all()


def test_other_columns_are_no_dates():
    frame = pandas.DataFrame({"a": ["2024-01-31", "x"], "b": [1.0, 2.0], "c": ["u", "v"]})
    assert DateColumns.find(frame).names == ()
    assert DateColumns.find(np.zeros((3, 2))).names == ()


def test_index_of_the_rows_does_not_matter():
    frame = pandas.DataFrame(
        {"d": pandas.to_datetime(["2024-01-01", "2024-01-03"]), "x": [1, 2]}, index=[7, 3]
    )
    made = DateColumns.find(frame).apply(frame)
    assert made["d.days"].tolist() == [19723.0, 19725.0]
    assert made["x"].tolist() == [1, 2]


def test_origin_names_the_column_a_part_was_made_of():
    assert DateColumns(("d",)).origin(["x", "d.days", "d.hour"]) == ["x", "d", "d"]


def test_a_day_that_does_not_exist_is_missing():
    frame = pandas.DataFrame({"day": ["2024-02-28", "2024-02-31"]})
    found = DateColumns.find(frame).apply(frame)
    assert np.isnan(found["day.days"]).tolist() == [False, True]


def test_only_columns_that_may_hold_dates_are_looked_at(monkeypatch):
    looked = []
    monkeypatch.setattr("coterie.automl.dates._format", lambda s: looked.append(s.name))
    frame = pandas.DataFrame({"x": [1.0], "k": [2], "text": ["a"]})
    frame["day"] = pandas.to_datetime(["2024-01-01"])
    DateColumns.find(frame)
    assert looked == ["text", "day"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["31.12.2023", "01.02.2024"], "2023-12-31"),
        (["12/31/2023 14:30", "01/02/2024 00:00"], "2023-12-31"),
        (["31 Dec 2023", "1 Feb 2024"], "2023-12-31"),
    ],
)
def test_other_ways_to_write_a_day(texts, expected):
    frame = pandas.DataFrame({"d": texts})
    made = DateColumns.find(frame).apply(frame)
    day = np.datetime64(expected, "D").astype(int)
    assert int(made["d.days"][0]) == day


def test_days_that_may_be_months_are_left_alone():
    frame = pandas.DataFrame({"d": ["01/02/2024", "03/04/2024"]})
    assert DateColumns.find(frame).names == ()


def test_a_cell_that_is_written_otherwise_is_missing_in_new_rows():
    dates = DateColumns.find(pandas.DataFrame({"d": ["31.12.2023", "30.11.2023"]}))
    made = dates.apply(pandas.DataFrame({"d": ["31.12.2023", "today", None]}))
    assert np.isnan(made["d.days"]).tolist() == [False, True, True]


def days(**column):
    frame = pandas.DataFrame(column)
    return DateColumns.find(frame), frame


WHEN = pandas.Series(pandas.date_range("2024-01-01", periods=3, freq="5h"))


@pytest.mark.parametrize(
    ("then", "now", "words"),
    [
        (WHEN, [1.0, 2.0], "Column 'd' contained dates at fit, but contains numbers now"),
        (WHEN, [True, False], "contains numbers now"),
        (WHEN, WHEN - WHEN[0], "contains durations now"),
        (WHEN, WHEN.dt.tz_localize("UTC"), "contains dates with a time zone now"),
        (WHEN.dt.tz_localize("UTC"), WHEN, "with a time zone at fit, but contains dates now"),
        (WHEN, ["soon", "n/a"], "'soon' now, which is not a date such as '2024-02-29'"),
        (WHEN, ["01.02.2024"], "not a date such as"),
        (["31.01.2024"], ["2024-01-31"], "not a date of the form '%d.%m.%Y'"),
        (["2024-01-31"], [7], "contains numbers now"),
    ],
)
def test_what_is_no_date_cannot_stand_for_one(then, now, words):
    """It would be missing in every row without a word."""
    found, _ = days(d=then)
    with pytest.raises(KindError, match=words):
        found.apply(pandas.DataFrame({"d": now}))


def test_dates_may_be_missing_or_written():
    found, frame = days(d=WHEN)
    expected = found.apply(frame)
    written = frame.assign(d=WHEN.dt.strftime("%Y-%m-%d %H:%M"))
    pandas.testing.assert_frame_equal(found.apply(written), expected)
    for nothing in (None, np.nan, "", " n/a"):
        assert found.apply(pandas.DataFrame({"d": [nothing]})).isna().all(axis=None)
    # Models of former versions do not know of time zones.
    former = DateColumns(("d",))
    assert former.apply(frame.assign(d=WHEN.dt.tz_localize("UTC"))).equals(expected)


def test_dates_of_python_are_dates():
    pandas = pytest.importorskip("pandas")
    days = [datetime.date(2024, 2, 29), None, datetime.date(2024, 3, 1)]
    frame = pandas.DataFrame({"when": pandas.Series(days, dtype=object), "x": [1, 2, 3]})
    found = DateColumns.find(frame)
    assert (found.names, found.kinds) == (("when",), ("dates",))
    made = found.apply(frame)
    np.testing.assert_array_equal(made["when.month"], [2, np.nan, 3])
    moments = frame.assign(when=pandas.to_datetime(frame["when"]))
    pandas.testing.assert_frame_equal(found.apply(moments), made)
