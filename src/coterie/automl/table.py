"""The best ensemble for a table, in one call."""

from __future__ import annotations

import difflib
from typing import Any, TypedDict, Unpack

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.automl.estimators import TableClassifier, TableRegressor
from coterie.core import ParameterError
from coterie.data import DataError

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
    members : {"auto", "fast"} or list, default="auto"
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
    unknown = sorted(set(settings) - set(Settings.__annotations__))
    if unknown:
        raise TypeError(
            f"fit_table got {unknown[0]!r}; it takes {', '.join(Settings.__annotations__)}."
        )
    frame, y, groups = _open(table, target, settings.get("groups"))
    task = settings.get("task", "auto")
    if task not in ("auto", "classification", "regression"):
        raise ParameterError(
            f"task={task!r} is not allowed; give 'auto', 'classification' or 'regression'."
        )
    if task == "auto":
        task = guess_task(y)
    y = _readable(y, target, task)
    own: dict[str, Any] = {
        name: value
        for name, value in settings.items()
        if name not in ("task", "groups", "progress", "journal")
    }
    model: Any = (TableClassifier if task == "classification" else TableRegressor)(**own)
    model.fit(
        frame.to_native(),
        y,
        groups=groups,
        progress=settings.get("progress"),
        journal=settings.get("journal"),
    )
    model.target_name_ = target
    return model


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
    near = difflib.get_close_matches(str(name), list(map(str, names)), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise DataError(
        f"The {what} {name!r} is no column of the table; those are {', '.join(names[:20])}"
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
    if not y.dtype.is_numeric():
        return "classification"
    distinct = y.n_unique()
    if y.dtype.is_float():
        values = np.asarray(y.to_numpy(), dtype=np.float64)
        if not np.array_equal(values, np.floor(values)):
            return "regression"
        return "classification" if distinct <= 2 else "regression"
    return "classification" if distinct <= min(_FEW_VALUES, len(y) // 5) else "regression"


def _readable(y: nw.Series[Any], target: str, task: str) -> Any:
    if task == "regression":
        if not y.dtype.is_numeric():
            raise DataError(
                f"The target {target!r} holds {y.dtype}, not numbers; use task='classification'."
            )
        return np.asarray(y.to_numpy(), dtype=np.float64)
    labels = np.asarray(y.to_list()) if not y.dtype.is_numeric() else np.asarray(y.to_numpy())
    kinds = np.unique(labels)
    if len(kinds) < 2:
        raise DataError(
            f"The target {target!r} holds one class only, {kinds.tolist()[0]!r}: there is nothing "
            "to tell apart."
        )
    return labels
