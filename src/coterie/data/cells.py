"""One column of cells, as numbers or as labels with codes.

Whatever a column came from, it is one of three: `Numbers` (a numeric array), `Texts` (a list of
strings) or `Levels` (a frame's text or categorical column, counted by the frame itself). All three
have two verbs: ``learn()`` gives the sorted distinct labels and the code of every cell, ``match``
gives the codes under labels learnt before; a missing or unknown cell has code -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import KindError, at_start
from coterie.data.numbers import as_float

__all__ = [
    "NUMBERS",
    "Cells",
    "Levels",
    "Numbers",
    "Texts",
    "as_moments",
    "cells_of_array",
    "cells_of_objects",
    "cells_of_series",
    "cells_with_dates",
    "changed_kind",
    "from_days",
    "in_days",
    "kind_of",
]

Array = NDArray[Any]
Codes = NDArray[np.int32]

_FEW = 500  # so many cells are looked up one by one sooner than a frame joins them
_DAY = 86_400e6  # microseconds
_YEARS = -719_162.0, 2_932_896.0  # days of the first and the last year that Python knows
_OBJECT = np.dtype(object)
_NUMBERS = (bool, int, float, np.number, np.bool_, Decimal, Fraction)
_MISSING = ("NoneType", "NAType", "NaTType")  # names of types
NUMBERS = "numbers"
_MIXTURE_CURE = "Convert all values to text, for example with str, or all to numbers."


@dataclass(frozen=True, slots=True)
class Numbers:
    """Cells of a boolean, integer or floating dtype; NaN is missing.

    Examples
    --------
    >>> import numpy as np
    >>> labels, codes = Numbers(np.array([7.0, 0.0, np.nan, 7.0]), "y").learn()
    >>> labels.tolist(), codes.tolist()
    ([0.0, 7.0], [1, 0, -1, 1])
    """

    values: Array
    where: str
    kind: str = NUMBERS  # or what they stand for, see `kind_of`

    def __len__(self) -> int:
        return len(self.values)

    @property
    def all_missing(self) -> bool:
        """Whether not one cell has a value."""
        return self.values.dtype.kind == "f" and bool(np.isnan(self.values).all())

    def learn(self) -> tuple[Array, Codes]:
        """Sorted distinct numbers, and codes."""
        if self.values.dtype.kind in "biu":
            counted = _count_integers(self.values)
            if counted is not None:
                return counted
        known = _known(self.values)
        present = self.values if known is None else self.values[known]
        labels, inverse = np.unique(present, return_inverse=True)
        return labels, _scatter(inverse, known, len(self.values))

    def match(self, labels: Array) -> Codes:
        """Codes under `labels`."""
        if not len(labels) or self.all_missing:
            return np.full(len(self.values), -1, dtype=np.int32)
        if labels.dtype.kind not in "biuf":
            raise changed_kind(self.where, "text", "numbers")
        at = np.minimum(np.searchsorted(labels, self.values), len(labels) - 1)
        return np.where(labels[at] == self.values, at, -1).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Texts:
    """Cells that are strings, or missing (anything that is not a string).

    Examples
    --------
    >>> labels, codes = Texts(["b", None, "a", "b"], "y").learn()
    >>> labels.tolist(), codes.tolist()
    (['a', 'b'], [1, -1, 0, 1])
    """

    values: Sequence[Any]
    where: str
    dtype: np.dtype[Any] = _OBJECT

    def __len__(self) -> int:
        return len(self.values)

    def learn(self) -> tuple[Array, Codes]:
        """Sorted distinct strings, and codes."""
        labels = np.array(
            sorted(cell for cell in dict.fromkeys(self.values) if isinstance(cell, str)),
            dtype=self.dtype,
        )
        return labels, self.match(labels)

    def match(self, labels: Array) -> Codes:
        """Codes under `labels`."""
        numbers = len(labels) > 0 and labels.dtype.kind in "biuf"
        if numbers and any(isinstance(cell, str) for cell in self.values):
            raise changed_kind(self.where, "numbers", "text")
        lookup = {label: code for code, label in enumerate(labels.tolist())}
        codes = map(lookup.get, self.values, repeat(-1))
        return np.fromiter(codes, dtype=np.int32, count=len(self.values))


@dataclass(frozen=True, slots=True)
class Levels:
    """A frame's column of text or categories; null is missing.

    The frame finds the distinct values and replaces them by codes: no Python object per row.
    """

    series: nw.Series[Any]
    where: str

    def __len__(self) -> int:
        return len(self.series)

    def learn(self) -> tuple[Array, Codes]:
        """Sorted distinct labels, and codes."""
        distinct = self._texts()
        if distinct is None:
            return self._objects().learn()
        labels = np.array(sorted(distinct), dtype=object)
        return labels, self._replace(distinct, labels)

    def match(self, labels: Array) -> Codes:
        """Codes under `labels`."""
        distinct = self._texts() if len(self) > _FEW else None
        if distinct is None:
            return self._objects().match(labels)
        if distinct and labels.dtype.kind in "biuf" and len(labels):
            raise changed_kind(self.where, "numbers", "text")
        return self._replace(distinct, labels)

    def _texts(self) -> list[str] | None:
        """The distinct values, or None if they are not all text (categories may be numbers)."""
        distinct = [v for v in self.series.drop_nulls().unique().to_list() if v == v]
        return distinct if all(isinstance(v, str) for v in distinct) else None

    def _objects(self) -> Cells:
        """The cells one by one; categories such as intervals by what they are called."""
        known = self.series.drop_nulls().to_list()
        types = set(map(type, known))
        if not types or any(issubclass(kind, (str, *_NUMBERS)) for kind in types):
            return cells_of_objects(self.series.to_list(), self.where)
        # Beside a missing cell, pandas has intervals of integers as intervals of floats.
        values = np.full(len(self), None, dtype=object)
        values[~self.series.is_null().to_numpy()] = [str(v) for v in known]
        return Texts(values.tolist(), self.where)

    def _replace(self, distinct: list[str], labels: Array) -> Codes:
        if not distinct:
            return np.full(len(self.series), -1, dtype=np.int32)
        lookup = {label: float(code) for code, label in enumerate(labels.tolist())}
        # Floats, because every frame library turns their nulls into NaN; with a name, because
        # old versions of narwhals join by it.
        named = self.series.alias("cells")
        codes = named.replace_strict(
            distinct, [lookup.get(v, -1.0) for v in distinct], return_dtype=nw.Float64
        ).to_numpy()
        return np.where(np.isnan(codes), -1.0, codes).astype(np.int32)


Cells: TypeAlias = Numbers | Texts | Levels


def cells_of_array(values: Array, where: str) -> Cells:
    """A one-dimensional array as cells; objects are taken for what they evidently are."""
    kind = values.dtype.kind
    if kind in "biufc":
        return Numbers(values if kind != "c" else as_float(values, where), where)
    if kind in "UT":
        return Texts(values.tolist(), where, values.dtype)
    if kind == "O":
        return cells_of_objects(values.tolist(), where)
    raise _unusable(where, str(values.dtype))


def cells_of_series(series: nw.Series[Any], where: str) -> Cells:
    """A frame's column as cells; of dates and durations see `cells_with_dates`."""
    dtype = series.dtype
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum):
        return Levels(series, where)
    if isinstance(dtype, nw.Object | nw.Unknown):
        return cells_of_array(series.to_numpy(), where)
    if isinstance(dtype, nw.Boolean):
        values = series.to_numpy()
        known = values.dtype == bool
        return Numbers(values if known else series.cast(nw.Float64).to_numpy(), where)
    if not dtype.is_numeric():
        raise _unusable(where, str(dtype))
    if isinstance(dtype, nw.Decimal | nw.Int128 | nw.UInt128):  # NumPy has no such numbers
        series = series.cast(nw.Float64)
    return Numbers(series.to_numpy(), where)


def kind_of(dtype: Any) -> str:
    """What the numbers of a frame's column stand for, in the words of messages.

    Examples
    --------
    >>> kind_of(nw.Datetime("us", "UTC")), kind_of(nw.Duration()), kind_of(nw.Int8())
    ('dates with a time zone', 'durations', 'numbers')
    """
    if isinstance(dtype, nw.Duration):
        return "durations"
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        return "dates with a time zone"
    return "dates" if isinstance(dtype, nw.Datetime | nw.Date) else NUMBERS


def cells_with_dates(series: nw.Series[Any], where: str) -> Cells:
    """A frame's column as cells, dates and durations as numbers of days."""
    series = as_moments(series)
    kind = kind_of(series.dtype)
    if kind == NUMBERS:
        return cells_of_series(series, where)
    return Numbers(in_days(series).to_numpy(), where, kind)


def as_moments(series: nw.Series[Any]) -> nw.Series[Any]:
    """Python's own dates and pandas' periods as moments; any other column as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> when = pd.Series([date(2024, 2, 29), None], dtype=object)
    >>> as_moments(nw.from_native(when, series_only=True)).dtype
    Datetime(time_unit='us', time_zone=None)
    """
    if isinstance(series.dtype, nw.Unknown) and str(series.to_native().dtype)[:7] == "period[":
        return nw.from_native(series.to_native().dt.to_timestamp(), series_only=True)
    if not isinstance(series.dtype, nw.Object):
        return series
    values = [None if _is_missing(v) else v for v in series.to_list()]
    first = next((v for v in values if v is not None), None)
    zone = getattr(first, "tzinfo", None)
    alike = (
        isinstance(v, date) and (getattr(v, "tzinfo", None) is None) == (zone is None)
        for v in values
        if v is not None
    )
    if first is None or not all(alike):
        return series
    if zone is not None:
        values = [None if v is None else v.astimezone(UTC).replace(tzinfo=None) for v in values]
    moments = [
        v if v is None or isinstance(v, datetime) else datetime(v.year, v.month, v.day)
        for v in values
    ]
    made = nw.new_series(series.name, moments, nw.Datetime("us"), backend=series.implementation)
    return made if zone is None else made.dt.replace_time_zone("UTC")


def in_days(series: nw.Series[Any]) -> Any:
    """Moments as days since 1970, UTC, and durations as days; any other column as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> when = pd.Series(pd.to_datetime(["1970-01-02 12:00", None]))
    >>> in_days(nw.from_native(when, series_only=True)).to_list()
    [1.5, nan]
    """
    dtype = series.dtype
    if not isinstance(dtype, nw.Datetime | nw.Date | nw.Duration):
        return series
    if isinstance(dtype, nw.Date):
        series = series.cast(nw.Datetime("us"))
    elif isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    # As numbers: NumPy's own moments crash polars 1.0.
    lasts = isinstance(dtype, nw.Duration)
    count = series.dt.total_microseconds() if lasts else series.dt.timestamp("us")
    days = np.asarray(count.cast(nw.Float64).to_numpy(), dtype=np.float64) / _DAY
    return nw.new_series(series.name, days, backend=series.implementation)


def from_days(days: Array, like: nw.Series[Any]) -> nw.Series[Any]:
    """Numbers of days as the moments or durations they stand for: the inverse of `in_days`.

    Parameters
    ----------
    days : ndarray of shape (n_rows,)
        NaN is missing.
    like : Series
        A column of the type to be made, whose name the new one has.

    Examples
    --------
    >>> import pandas as pd
    >>> when = nw.from_native(pd.Series(pd.to_datetime(["2024-02-29"])), series_only=True)
    >>> from_days(np.array([1.5]), when).to_list()
    [Timestamp('1970-01-02 12:00:00')]
    """
    day, dtype = timedelta(days=1), like.dtype
    origin = timedelta() if isinstance(dtype, nw.Duration) else datetime(1970, 1, 1)
    near = np.clip(days, *_YEARS).tolist()
    moments = [None if d != d else origin + d * day for d in near]
    plain = nw.Duration("us") if isinstance(dtype, nw.Duration) else nw.Datetime("us")
    made = nw.new_series(like.name, moments, plain, backend=like.implementation)
    zone = getattr(dtype, "time_zone", None)
    return (made if zone is None else made.dt.replace_time_zone("UTC")).cast(dtype)


def cells_of_objects(values: Sequence[Any], where: str) -> Cells:
    """Python objects as numbers or text, by their types: one of the two, and None."""
    types = set(map(type, values))
    missing = {kind for kind in types if kind.__name__ in _MISSING}
    texts = {kind for kind in types if issubclass(kind, str)}
    numbers = {kind for kind in types if issubclass(kind, _NUMBERS)}
    others = types - missing - texts - numbers
    if others:
        odd = next(value for value in values if type(value) in others)
        raise _unusable(where, f"{type(odd).__name__} ({odd!r:.60})")
    if texts and any(type(v) in numbers and v == v for v in values):
        raise KindError(f"{at_start(where)} mixes text and numbers. {_MIXTURE_CURE}")
    if texts:
        return Texts(values, where)
    if missing:
        values = [np.nan if type(v) in missing else v for v in values]
    return Numbers(_number_array(values, numbers, where), where)


def _is_missing(value: Any) -> bool:
    return type(value).__name__ in _MISSING or (isinstance(value, float) and value != value)


def _number_array(values: Sequence[Any], types: set[type], where: str) -> Array:
    """Python numbers as an array of the dtype they would have had on their own."""
    plain = all(issubclass(kind, bool | int | float | np.number | np.bool_) for kind in types)
    array = np.array(values) if plain and values else np.array([], dtype=np.float64)
    if array.dtype.kind in "biuf" and array.size:
        return array
    if array.dtype.kind == "c":
        return as_float(array, where)
    try:
        return np.array([float(v) for v in values], dtype=np.float64)
    except OverflowError:
        raise KindError(
            f"{at_start(where)} contains an integer too large for float64 (infinity). Rescale the "
            "column, or convert it to text if it is an identifier."
        ) from None


def _count_integers(values: Array) -> tuple[Array, Codes] | None:
    """Labels and codes without a sort, when the integers span no more than a few per row."""
    if not values.size:
        return None
    low, high = int(values.min()), int(values.max())
    if high - low > 2 * values.size + 1000:
        return None
    # Numbers from 0 on are their own offsets: copies of long columns take time.
    signed = values.astype(np.int64, copy=False) if values.dtype.kind != "u" else values
    offset = signed - signed.dtype.type(low) if low else signed
    present = np.zeros(high - low + 1, dtype=bool)
    present[offset] = True
    codes = (np.cumsum(present) - 1).astype(np.int32)[offset]
    labels = np.array([low + int(step) for step in np.flatnonzero(present)], dtype=values.dtype)
    return labels, codes


def _known(values: Array) -> NDArray[np.bool_] | None:
    if values.dtype.kind != "f":
        return None
    missing = np.isnan(values)
    return ~missing if missing.any() else None


def _scatter(inverse: Array, known: NDArray[np.bool_] | None, n: int) -> Codes:
    if known is None:
        return inverse.astype(np.int32)
    codes = np.full(n, -1, dtype=np.int32)
    codes[known] = inverse
    return codes


def changed_kind(where: str, then: str, now: str) -> KindError:
    """What is said of a column that is not what it was at fit."""
    return KindError(
        f"{at_start(where)} contained {then} at fit, but contains {now} now. Convert it to the "
        "type it had "
        "at fit."
    )


def _unusable(where: str, what: str) -> KindError:
    return KindError(
        f"{at_start(where)} contains {what}; every argument must be a string or a number. Convert "
        "dates "
        "and durations to numbers (for example days since a fixed date), split nested or complex "
        "values into columns, or drop the column."
    )
