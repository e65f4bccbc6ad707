"""Times and events in whatever form they come, as one number per row.

The number is the time of the event, or minus the time up to which the row was followed without
one: times are positive, so that the sign is free.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError

Array = NDArray[np.float64]

_FORMS = (
    "Pass times and events as a structured array, a data frame or an array with two columns, "
    "time and event, a pair (event, time), or the times as y and the events as event="
)


def make_outcomes(event: Any, time: Any) -> NDArray[Any]:
    """A structured array of events and times, as in scikit-survival.

    Parameters
    ----------
    event : array-like of shape (n,)
        Whether the event happened; otherwise the row is censored at its time.
    time : array-like of shape (n,)
        Time of the event, or of censoring.

    Returns
    -------
    structured ndarray of shape (n,) with the fields "event" and "time"

    Examples
    --------
    >>> make_outcomes([True, False], [2.0, 5.0])
    array([( True, 2.), (False, 5.)], dtype=[('event', '?'), ('time', '<f8')])
    """
    outcomes = np.empty(len(np.asarray(time)), dtype=[("event", "?"), ("time", "<f8")])
    outcomes["event"], outcomes["time"] = np.asarray(event), np.asarray(time)
    return outcomes


def signed_times(y: Any, event: Any = None) -> Any:
    """Times of events, and minus the times of censored rows; None stays None.

    Parameters
    ----------
    y : structured array, frame, array-like of shape (n, 2) or (n,), or pair
        Times and events. A column of truth values is the events; otherwise the first column is
        the times. Of a single column all rows are events, unless `event` says otherwise.
    event : array-like of shape (n,), optional
        The events, if `y` holds the times only.

    Examples
    --------
    >>> signed_times([2.0, 5.0], event=[1, 0])
    array([ 2., -5.])
    >>> signed_times((np.array([True, False]), np.array([2.0, 5.0])))
    array([ 2., -5.])
    """
    if y is None:
        return None
    time, happened = _columns(y)
    if event is not None:
        if happened is not None:
            raise DataError("y already contains events; omit event, or pass only the times as y.")
        happened = np.asarray(event)
    time = _numbers(time)
    time = np.where(time < 0, 0.0, time)  # the sign is needed; both are refused alike
    if happened is None:
        return time
    if happened.shape != time.shape:
        raise DataError(
            f"There are {time.shape[0]} times, but {happened.shape[0]} events. {_FORMS}."
        )
    known = _numbers(happened)
    odd = known[~np.isin(known, (0.0, 1.0))]
    if len(odd):
        raise DataError(
            f"An event is {odd[0]:g}; events must be 1 (it happened) or 0 (censored). y should "
            "be a 1d array of times, or contain times and events."
        )
    return np.where(known == 1.0, time, -time)


def _numbers(values: NDArray[Any]) -> Array:
    """Times or events as floats."""
    if values.dtype.kind == "c":
        raise DataError("Complex data not supported: y contains complex numbers instead of times.")
    if values.dtype.kind in "Mm":
        raise DataError(
            "y contains dates. Pass times as numbers, such as days since the start of observation."
        )
    return values.astype(np.float64)


def _columns(y: Any) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Times, and events if there are any."""
    if nw.dependencies.is_into_dataframe(y):
        frame = nw.from_native(y, eager_only=True)
        return _of_two([column.to_numpy() for column in frame.iter_columns()])
    if nw.dependencies.is_into_series(y):
        return nw.from_native(y, series_only=True).to_numpy(), None
    if isinstance(y, tuple) and len(y) == 2 and np.ndim(y[0]) == 1:
        return np.asarray(y[1]), np.asarray(y[0])
    array = np.asarray(y)
    if array.ndim == 1 and array.dtype.names is not None:
        return _of_two([array[name] for name in array.dtype.names])
    if array.ndim == 1:
        return array, None
    if array.ndim == 2 and array.dtype.names is None:
        return _of_two(list(array.T)) if array.shape[1] > 1 else (array[:, 0], None)
    raise DataError(f"y should be a 1d array, got one of shape {array.shape}. {_FORMS}.")


def _of_two(columns: list[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    if len(columns) != 2:
        raise DataError(f"y has {len(columns)} columns instead of two. {_FORMS}.")
    first, second = columns
    return (second, first) if first.dtype.kind == "b" else (first, second)


def check_times(signed: Array) -> None:
    """Refuse times that are not positive, and outcomes without an event.

    `signed` comes from a reader that has refused NaN.
    """
    if (signed == 0).any():
        raise DataError(
            f"{int((signed == 0).sum())} of {len(signed)} times are 0 or negative. Times must be "
            "positive: drop those rows, or add a small time to all."
        )
    if not (signed > 0).any():
        raise DataError("No row has an event, so nothing can be learnt about event times.")


def read_outcomes(y: Any) -> tuple[NDArray[np.bool_], Array]:
    """Events and times of outcomes in any form, checked."""
    signed = signed_times(y)
    if not np.isfinite(signed).all():
        raise DataError("y contains NaN: some times are missing. Drop those rows.")
    if (signed == 0).any():
        raise DataError("Some times are 0 or negative. Times must be positive.")
    return signed > 0, np.abs(signed)


def entry_numbers(entry: Any, n_rows: int) -> Array:
    """When rows came under observation, as one number each; what is below 0 is 0.

    Examples
    --------
    >>> entry_numbers([-1, 3], 2)
    array([0., 3.])
    """
    since = _numbers(np.asarray(entry))
    if since.shape != (n_rows,):
        raise DataError(
            f"entry must contain one time for each of the {n_rows} rows; its shape is "
            f"{since.shape}."
        )
    return np.maximum(since, 0.0)


def check_entries(since: Array, time: Array) -> None:
    """Refuse rows that come under observation when they are gone already."""
    if np.isnan(since).any():
        raise DataError("entry contains NaN. Use 0 for rows that are observed from the start.")
    late = np.flatnonzero(since >= time)
    if len(late):
        row = late[0]
        raise DataError(
            f"Row {row} comes under observation at {since[row]:g}, which is not before its time "
            f"{time[row]:g}."
        )


def read_entries(entry: Any, time: Array) -> Array:
    """When rows came under observation, checked to be before their times.

    Examples
    --------
    >>> read_entries([0, 3], np.array([2.0, 5.0]))
    array([0., 3.])
    """
    since = entry_numbers(entry, len(time))
    check_entries(since, time)
    return since


def mass_from(since: Array, mass: Array, times: Array) -> Array:
    """At each of some times, the mass of what comes at it or later."""
    order = np.argsort(since, kind="stable")
    before = np.concatenate([[0.0], np.cumsum(mass[order])])
    return np.asarray(before[-1] - before[np.searchsorted(since[order], times, side="left")])
