"""Dates as numbers that members can use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.tags import tagged

Array = NDArray[np.float64]

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?Z?")
_LOOKED_AT = 100  # texts of a column by which it is told whether it holds dates
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

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"when": ["1970-01-02 12:00", "2024-02-29 00:00"], "x": [1, 2]})
    >>> DateColumns.find(frame).apply(frame).columns.tolist()
    ['when.days', 'when.month', 'when.weekday', 'when.hour', 'x']
    """

    names: tuple[str, ...] = ()

    @classmethod
    def find(cls, X: Any) -> DateColumns:
        """The columns of a frame that hold dates, as such or as text; none of an array."""
        if not nw.dependencies.is_into_dataframe(X) or not _plain_names(X):
            return cls()
        frame = nw.from_native(X, eager_only=True)
        # By type first: most columns need no look, and there may be very many.
        kinds = (nw.Datetime, nw.Date, nw.String, nw.Object)
        some = [name for name, dtype in frame.schema.items() if isinstance(dtype, kinds)]
        return cls(tuple(name for name in some if _is_date(frame[name])))

    def apply(self, X: Any) -> Any:
        """The frame with its dates replaced; anything without these columns as it is."""
        if not self.names or not nw.dependencies.is_into_dataframe(X):
            return X
        frame = nw.from_native(X, eager_only=True)
        columns = set(frame.columns)
        present = {name: None for name in self.names if name in columns}
        made = []
        for name in present:
            for part, values in zip(PARTS, date_parts(_moments(frame[name])), strict=True):
                label = f"{name}.{part}"
                made.append(nw.new_series(label, values, backend=frame.implementation))
        index = nw.maybe_get_index(frame)
        if index is not None:
            made = [nw.maybe_set_index(series, index=index) for series in made]
        order = [
            part
            for name in frame.columns
            for part in ([f"{name}.{p}" for p in PARTS] if name in present else [name])
        ]
        return frame.with_columns(*made).select(order).to_native()

    def origin(self, names: Sequence[str]) -> list[str]:
        """For each column after `apply`, the one it was made of."""
        made = {f"{name}.{part}": name for name in self.names for part in PARTS}
        return [made.get(name, name) for name in names]


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


def _plain_names(X: Any) -> bool:
    labels = list(X.column_names if hasattr(X, "column_names") else X.columns)
    return all(isinstance(label, str) for label in labels) and len(set(labels)) == len(labels)


def _is_date(series: nw.Series[Any]) -> bool:
    if series.dtype in (nw.Datetime, nw.Date):
        return True
    if series.dtype != nw.String and series.dtype != nw.Object:
        return False
    texts = series.drop_nulls().head(_LOOKED_AT).to_list()
    if not texts or not all(isinstance(t, str) and _ISO.fullmatch(t) for t in texts):
        return False
    return all(_ISO.fullmatch(str(t)) for t in series.drop_nulls().unique().to_list())


def _moments(series: nw.Series[Any]) -> NDArray[np.datetime64]:
    """The dates of a series, without their time zone."""
    if series.dtype == nw.Datetime:
        zone = getattr(series.dtype, "time_zone", None)
        plain = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zone else series
        return np.asarray(plain.to_numpy(), dtype="datetime64[s]")
    if series.dtype == nw.Date:
        return np.asarray(series.cast(nw.Datetime("us")).to_numpy(), dtype="datetime64[s]")
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
