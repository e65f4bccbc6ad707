"""The best ensemble for a table, in one call."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.automl.clock import counting
from coterie.automl.dates import DateColumns
from coterie.automl.estimators import Given, TableClassifier, TableRegressor
from coterie.automl.records import Column
from coterie.core import ParameterError
from coterie.data import BinnedRows, DataError

_FEWEST = 10  # rows
_FEW_VALUES = 20  # whole numbers of at most as many kinds are taken for classes


class Settings(TypedDict, total=False):
    """What `fit_table` takes besides the table and the target."""

    task: str
    metric: str
    time_limit: float | None
    members: Any
    interpretable: bool
    groups: Any
    random_state: Any
    n_jobs: int | None
    progress: Any
    journal: Any


@counting()
def fit_table(table: Any, target: str, **settings: Unpack[Settings]) -> Any:
    """Fit the best ensemble for a table within a time limit.

    Parameters
    ----------
    table : data frame
        Of pandas, polars, pyarrow or another library narwhals knows; it holds the target too.
    target : str
        Name of the column to predict. Rows without a value there are left out.
    **settings : dict
        Any of the following.
    task : {"auto", "classification", "regression"}, default="auto"
        Text, booleans and whole numbers of few kinds are classes, other numbers are not.
    metric : str, default="auto"
        What is to be good: the log-loss, or the root of the mean squared error, by default.
    time_limit : float or None, default=60.0
        Seconds of wall-clock time.
    members : {"auto", "native", "fast"} or list, default="auto"
        What is tried; see `TableClassifier`.
    interpretable : bool, default=False
        Whether the model must be one that people can read.
    groups : str or array-like, optional
        Rows of one group are never on both sides of a split: a column, which is not used
        otherwise, or one label for each row.
    random_state : int, default=0
        Where randomness comes from.
    n_jobs : int, optional
        Threads of native members.
    progress : callable, optional
        Gets an `Event` for all that happens.
    journal : Journal, optional
        Where finished candidates are noted, so that a killed fit can go on.

    Returns
    -------
    TableClassifier or TableRegressor
        Fitted.

    Examples
    --------
    >>> import pandas as pd
    >>> from coterie import datasets, fit_table
    >>> frame = pd.DataFrame({"x": range(60), "y": ["low"] * 30 + ["high"] * 30})
    >>> frame["x"] = frame["x"] * 0.5
    >>> model = fit_table(frame, "y", members="fast")
    >>> model.predict(pd.DataFrame({"x": [1.0, 29.0]})).tolist()
    ['low', 'high']
    """
    task = _check_settings(settings, "fit_table")
    frame, y, groups = _open(table, target, settings.get("groups"))
    if task == "auto":
        task = guess_task(y)
    y = _readable(y, target, task)
    model = _model(task, settings)
    model.fit(
        frame.to_native(),
        y,
        groups=groups,
        progress=settings.get("progress"),
        journal=settings.get("journal"),
    )
    model.target_name_ = target
    return model


@counting()
def fit_rows(
    rows: BinnedRows,
    y: Any,
    target: str = "target",
    *,
    classes: Any = None,
    dates: Sequence[str] = (),
    left_out: Sequence[Column] = (),
    **settings: Unpack[Settings],
) -> Any:
    """Fit the best ensemble for rows that were read block by block, as `fit_table` does.

    Members are coterie's own, since others need the numbers of which only bins were kept. The last
    tenth of the rows is held out: rows must be in no order, see ``held_out`` of
    `~coterie.data.RowStream`.

    Parameters
    ----------
    rows : BinnedRows
        The columns to learn from.
    y : array-like of shape (n_rows,)
        Class labels or numbers, none missing, in the order of the rows.
    target : str, default="target"
        What is predicted, for people.
    classes : array-like, optional
        Sorted labels, of which `y` holds positions.
    dates : sequence of str
        Columns of dates that `DateColumns` replaced before rows were binned; the model does the
        same with new rows.
    left_out : sequence of Column
        Columns that are not among the rows, to be told of.
    **settings : dict
        Those of `fit_table` but `groups`; a `task` is needed.

    Returns
    -------
    TableClassifier or TableRegressor
        Fitted; it answers for frames with the same columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from coterie.data import RowStream
    >>> frame = pd.DataFrame({"x": [k % 60 * 0.5 for k in range(600)]})
    >>> stream = RowStream(held_out=0.1)
    >>> stream.look(frame)
    >>> stream.add(frame)
    >>> y = (frame["x"] > 15).to_numpy()[stream.order]
    >>> model = fit_rows(stream.rows(), y, task="classification", members="fast")
    >>> model.predict(pd.DataFrame({"x": [1.0, 29.0]}))
    array([False,  True])
    """
    task = _check_settings(settings, "fit_rows")
    if task == "auto" or settings.get("groups") is not None:
        raise ParameterError("fit_rows needs a task, and does not take groups.")
    if task == "classification":
        _check_kinds(np.unique(y) if classes is None else np.asarray(classes), target)
    model = _model(task, settings)
    model._fit(
        rows,
        y,
        None,
        reading=Given(
            DateColumns(tuple(dates)), left_out, None if classes is None else np.asarray(classes)
        ),
        progress=settings.get("progress"),
        journal=settings.get("journal"),
    )
    model.target_name_ = target
    return model


def _check_settings(settings: Settings, owner: str) -> str:
    """The task; an error if a setting is not known."""
    unknown = sorted(set(settings) - set(Settings.__annotations__))
    if unknown:
        raise TypeError(
            f"{owner} got {unknown[0]!r}; it takes {', '.join(Settings.__annotations__)}."
        )
    task = settings.get("task", "auto")
    if task not in ("auto", "classification", "regression"):
        raise ParameterError(
            f"task={task!r} is not allowed; give 'auto', 'classification' or 'regression'."
        )
    return task


def _model(task: str, settings: Settings) -> Any:
    own: dict[str, Any] = {
        name: value
        for name, value in settings.items()
        if name not in ("task", "groups", "progress", "journal")
    }
    return (TableClassifier if task == "classification" else TableRegressor)(**own)


def _open(table: Any, target: str, groups: Any) -> tuple[nw.DataFrame[Any], Any, Any]:
    """The columns to learn from, the target and the groups, of rows that have a target."""
    if not nw.dependencies.is_into_dataframe(table):
        raise TypeError(
            f"table is a {type(table).__name__}. Give a data frame (pandas, polars, pyarrow), or "
            "use TableClassifier or TableRegressor with X and y."
        )
    frame = nw.from_native(table, eager_only=True)
    names = list(frame.columns)
    _check_name(target, names, "target")
    if isinstance(groups, str):
        _check_name(groups, names, "groups")
        labels: Any = np.asarray(frame[groups].cast(nw.String).fill_null("").to_numpy(), dtype=str)
        names.remove(groups)
    else:
        labels = None if groups is None else np.asarray(groups)
    y = frame[target]
    known = ~_missing(y)
    rows = np.flatnonzero(known)
    if len(rows) < _FEWEST:
        raise DataError(
            f"The table has {len(rows)} rows with a value in {target!r}; at least {_FEWEST} are "
            "needed to fit an ensemble and to tell how good it is."
        )
    names.remove(target)
    if not names:
        raise DataError(f"The table has no column besides {target!r} to learn from.")
    frame = frame.select(names)
    if len(rows) < len(y):
        frame, y = frame[rows], y[rows]
        labels = None if labels is None else labels[rows]
    return frame, y, labels


def _check_name(name: str, names: list[str], what: str) -> None:
    if name in names:
        return
    lower = {str(known).lower(): known for known in names}
    near = difflib.get_close_matches(str(name).lower(), list(lower), n=1)
    hint = f" Did you mean {lower[near[0]]!r}?" if near else ""
    raise DataError(
        f"The {what} column {name!r} is not in the table. Its columns are {', '.join(names[:20])}"
        f"{' ...' if len(names) > 20 else ''}.{hint}"
    )


def _missing(y: nw.Series[Any]) -> NDArray[np.bool_]:
    gone = np.asarray(y.is_null().to_numpy(), dtype=bool)
    if y.dtype.is_float():
        gone = gone | np.asarray(y.is_nan().fill_null(False).to_numpy(), dtype=bool)
    return gone


def guess_task(y: nw.Series[Any]) -> str:
    """Whether a target holds classes or numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> guess_task(nw.from_native(pd.Series([0.5, 1.5, 3.25] * 9), series_only=True))
    'regression'
    """
    return guess_by_values(y.to_numpy()) if y.dtype.is_numeric() else "classification"


def guess_by_values(y: NDArray[Any]) -> str:
    """Whether the values of a target are classes or numbers.

    Examples
    --------
    >>> guess_by_values(np.array([0, 1, 1, 0, 0, 1, 0, 1, 0, 1]))
    'classification'
    """
    if y.dtype.kind not in "iuf":
        return "classification"
    if y.dtype.kind == "f" and not np.array_equal(y, np.floor(y)):
        return "regression"
    most = 2 if y.dtype.kind == "f" else min(_FEW_VALUES, len(y) // 5)
    return "classification" if len(np.unique(y)) <= most else "regression"


def _readable(y: nw.Series[Any], target: str, task: str) -> Any:
    if task == "regression":
        if not y.dtype.is_numeric():
            raise DataError(
                f"The target {target!r} holds {y.dtype}, not numbers; use task='classification'."
            )
        return np.asarray(y.to_numpy(), dtype=np.float64)
    labels = np.asarray(y.to_list()) if not y.dtype.is_numeric() else np.asarray(y.to_numpy())
    _check_kinds(np.unique(labels), target)
    return labels


def _check_kinds(kinds: NDArray[Any], target: str) -> None:
    if len(kinds) < 2:
        raise DataError(
            f"The target {target!r} has only one class, {kinds.tolist()[0]!r}, so there is nothing "
            "to predict."
        )
