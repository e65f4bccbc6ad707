"""Dates as numbers that members can use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.automl.amounts import check_text, no_value
from coterie.data.cells import as_moments, changed_kind, kind_of
from coterie.data.column_types import column_types
from coterie.data.errors import KindError
from coterie.tags import tagged

Array = NDArray[np.float64]

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?Z?")
_LOOKED_AT = 100  # texts of a column by which it is told whether it holds dates
# Other ways to write a day, with or without a time of day.
_DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d"),
    *("%d %b %Y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S")
_FORMATS = tuple(day + time for day in _DAYS for time in _TIMES)
_LIKE_A_DATE = re.compile(r"(?=.*\d)(?=.*[-./ ]).{8,30}")
PARTS = ("days", "month", "weekday", "hour")


@tagged
@dataclass(frozen=True)
class DateColumns:
    """Columns of dates, each replaced by four columns of numbers.

    They are the days since 1970 with their fraction, the month, the day of the week from Monday,
    and the hour. Nothing is learnt from the rows, so new ones need no care.

    Parameters
    ----------
    names : tuple of str
        The columns.
    formats : tuple of str, default=()
        How texts are written in each of them, as `datetime.strptime` has it; "" for ISO dates.
    kinds : tuple of str, default=()
        What each of them held, see `~coterie.data.cells.kind_of`; "" for text. Dates with a time
        zone cannot stand for dates without one, nor the reverse.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"when": ["1970-01-02 12:00", "2024-02-29 00:00"], "x": [1, 2]})
    >>> DateColumns.find(frame).apply(frame).columns.tolist()
    ['when.days', 'when.month', 'when.weekday', 'when.hour', 'x']
    """

    names: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    @classmethod
    def find(cls, X: Any) -> DateColumns:
        """The columns of a frame that hold dates, as such or as text; none of an array."""
        if not nw.dependencies.is_into_dataframe(X) or not has_plain_names(X):
            return cls()
        frame = nw.from_native(X, eager_only=True)
        # By type first: most columns need no look, and there may be very many.
        kinds = (nw.Datetime, nw.Date, nw.String, nw.Object, nw.Unknown)
        some = [name for name, dtype in column_types(frame).items() if isinstance(dtype, kinds)]
        columns = {name: as_moments(frame[name]) for name in some}
        found = {name: _format(column) for name, column in columns.items()}
        found = {name: how for name, how in found.items() if how is not None}
        formats = tuple(str(how) for how in found.values())
        held = tuple(_date_kind(columns[name].dtype) for name in found)
        return cls(tuple(found), formats if any(formats) else (), held)

    def apply(self, X: Any) -> Any:
        """The frame with its dates replaced; anything without these columns as it is."""
        if not self.names or not nw.dependencies.is_into_dataframe(X):
            return X
        frame = nw.from_native(X, eager_only=True)
        columns = set(frame.columns)
        nothing = [""] * len(self.names)
        made = {}
        for name, how, kind in zip(
            self.names, self.formats or nothing, self.kinds or nothing, strict=True
        ):
            if name not in columns:
                continue
            column = as_moments(frame[name])
            _check_dates(column, how, kind)
            parts = date_parts(_moments(column, how))
            made[name] = {f"{name}.{p}": v for p, v in zip(PARTS, parts, strict=True)}
        return with_made(frame, made)

    def origin(self, names: Sequence[str]) -> list[str]:
        """For each column after `apply`, the one it was made of."""
        made = {f"{name}.{part}": name for name in self.names for part in PARTS}
        return [made.get(name, name) for name in names]


def moments_or_values(series: nw.Series[Any]) -> NDArray[Any]:
    """Something that rows can be sorted by: moments of dates, however written, or the values."""
    series = as_moments(series)
    how = _format(series)
    return series.to_numpy() if how is None else _moments(series, how)


def date_parts(moments: NDArray[np.datetime64]) -> tuple[Array, Array, Array, Array]:
    """Days since 1970, month, day of the week and hour; NaN where there is no date.

    Examples
    --------
    >>> date_parts(np.array(["2024-02-29T18:00"], dtype="datetime64[s]"))
    (array([19782.75]), array([2.]), array([3.]), array([18.]))
    """
    seconds = moments.astype("datetime64[s]")
    gone = np.isnat(seconds)
    count = seconds.astype(np.int64).astype(np.float64)
    days = count / 86_400.0
    month = (seconds.astype("datetime64[M]").astype(np.int64) % 12 + 1).astype(np.float64)
    whole = np.floor(days)
    parts = (days, month, (whole + 3) % 7, np.floor((days - whole) * 24))
    for part in parts:
        part[gone] = np.nan
    return parts


def with_made(frame: nw.DataFrame[Any], made: dict[str, dict[str, Array]]) -> Any:
    """The frame, of its own library, with columns replaced by others; new ones come last.

    Parameters
    ----------
    frame : narwhals DataFrame
        The rows.
    made : dict of str to dict of str to ndarray
        For a column those that take its place, by their names.
    """
    series = [
        nw.new_series(label, np.ascontiguousarray(values), backend=frame.implementation)
        for parts in made.values()
        for label, values in parts.items()
    ]
    index = nw.maybe_get_index(frame)
    if index is not None:
        series = [nw.maybe_set_index(one, index=index) for one in series]
    every = [*frame.columns, *(name for name in made if name not in set(frame.columns))]
    order = [label for name in every for label in made.get(name, [name])]
    return frame.with_columns(*series).select(order).to_native()


def has_plain_names(X: Any) -> bool:
    """Whether all columns of a frame have names of their own, which are text."""
    labels = list(X.column_names if hasattr(X, "column_names") else X.columns)
    return all(isinstance(label, str) for label in labels) and len(set(labels)) == len(labels)


def _format(series: nw.Series[Any]) -> str | None:
    """How the dates of a column are written, "" if as such or in ISO form; None if it has none."""
    if series.dtype in (nw.Datetime, nw.Date):
        return ""
    if series.dtype != nw.String and series.dtype != nw.Object:
        return None
    some = series.drop_nulls().head(_LOOKED_AT).to_list()
    if not some or not all(isinstance(t, str) and _LIKE_A_DATE.fullmatch(t) for t in some):
        return None
    if all(_ISO.fullmatch(t) for t in some):
        every = series.drop_nulls().unique().to_list()
        return "" if all(_ISO.fullmatch(str(t)) for t in every) else None
    possible = [how for how in _FORMATS if all(_parsed(t, how) is not None for t in some)]
    if possible:
        every = series.drop_nulls().unique().to_list()
        possible = [how for how in possible if all(_parsed(t, how) is not None for t in every)]
    # Where days could be months as well, nobody knows.
    return possible[0] if len(possible) == 1 else None


def _date_kind(dtype: Any) -> str:
    """What a column of dates holds; "" for text, or anything else."""
    kind = kind_of(dtype)
    return kind if kind.startswith("dates") else ""


def _check_dates(series: nw.Series[Any], how: str, then: str) -> None:
    """Refuse what cannot stand for the dates of the fit: it would all be taken for missing."""
    where, now = f"Column {series.name!r}", _date_kind(series.dtype)
    if now:
        if then and now != then and not series.is_null().all():
            raise changed_kind(where, then, now)
    elif isinstance(series.dtype, nw.String | nw.Categorical | nw.Enum | nw.Object):
        known = [cell for cell in series.drop_nulls().unique().to_list() if not no_value(cell)]
        if known and not any(_is_written(cell, how) for cell in known):
            form = f" of the form {how!r}" if how else " such as '2024-02-29' or '2024-02-29 18:00'"
            raise KindError(
                f"{where} contained dates at fit, but contains {known[0]!r:.60} now, which is not "
                f"a date{form}. Write dates as they were at fit, or convert them, for example "
                "with pandas.to_datetime."
            )
    else:
        check_text(series, where, "dates")


def _is_written(cell: Any, how: str) -> bool:
    """Whether a cell looks like a date."""
    if how:
        return _parsed(cell, how) is not None
    return isinstance(cell, str) and _ISO.fullmatch(cell) is not None


def _parsed(text: Any, how: str) -> datetime | None:
    try:
        return datetime.strptime(text, how)
    except (TypeError, ValueError):
        return None


def _moments(series: nw.Series[Any], how: str = "") -> NDArray[np.datetime64]:
    """The dates of a series, without their time zone."""
    if series.dtype == nw.Datetime:
        zone = getattr(series.dtype, "time_zone", None)
        plain = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zone else series
        return np.asarray(plain.to_numpy(), dtype="datetime64[s]")
    if series.dtype == nw.Date:
        return np.asarray(series.cast(nw.Datetime("us")).to_numpy(), dtype="datetime64[s]")
    if how:
        moments = [_parsed(text, how) for text in series.to_list()]
        return np.array(["NaT" if m is None else m for m in moments], dtype="datetime64[s]")
    texts = [_readable(t) for t in series.to_list()]
    return np.array(texts, dtype="datetime64[s]")


def _readable(text: Any) -> str:
    if not isinstance(text, str) or not _ISO.fullmatch(text):
        return "NaT"
    try:
        np.datetime64(text.rstrip("Z"), "s")
    except ValueError:  # a day that does not exist
        return "NaT"
    return text.rstrip("Z")
