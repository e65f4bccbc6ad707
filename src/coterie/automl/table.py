"""The best ensemble for a table, in one call."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict, Unpack, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.automl.candidates import did_you_mean
from coterie.automl.clock import counting
from coterie.automl.dates import DateColumns, moments_or_values
from coterie.automl.estimators import Given, TableClassifier, TableRegressor
from coterie.automl.preparation import Preparation
from coterie.automl.progress_line import default_progress
from coterie.automl.records import Column
from coterie.automl.targets import TableModels
from coterie.base.elsewhere import brought_here
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
    simple: bool
    work: float | None
    groups: Any
    weight: str | None
    drop: Sequence[str]
    time_column: str | None
    cost: Mapping[str, float] | None
    random_state: Any
    n_jobs: int | None
    progress: Any
    verbose: int | None
    journal: Any


# What is not None if it is not given.
DEFAULTS: dict[str, Any] = {
    **{"task": "auto", "metric": "auto", "time_limit": 60.0, "members": "auto"},
    **{"interpretable": False, "simple": False, "drop": (), "random_state": 0},
}
_OF_MODELS = {f.name for kind in (TableClassifier, TableRegressor) for f in fields(kind)}


@counting()
def fit_table(table: Any, target: str | Sequence[str], **settings: Unpack[Settings]) -> Any:
    """Fit the best ensemble for a table within a time limit.

    Parameters
    ----------
    table : data frame
        A pandas, polars or pyarrow data frame, or one of another library that narwhals supports; it
        includes the target. A Dask data frame is fetched, and the folds of every candidate are
        fitted on the workers of its cluster.
    target : str or sequence of str
        Name of the column to predict. Rows without a value there are ignored. Of several targets,
        each has a model of its own, which does not see the other targets, and an equal share of
        the time.
    task : {"auto", "classification", "regression"}, default="auto"
        By default, text, booleans and integers with few distinct values are classes; other numbers
        are regression targets.
    metric : str, default="auto"
        The metric to optimise; by default the log-loss, or the root mean squared error.
    time_limit : float or None, default=60.0
        Time limit in seconds of wall-clock time.
    members : {"auto", "native", "fast"} or list, default="auto"
        The candidates; see `TableClassifier`.
    interpretable : bool, default=False
        Whether the model must be interpretable.
    simple : bool, default=False
        Whether to prefer a simpler model if the best combination is not clearly better.
    work : float, optional
        A budget of work instead of time, which gives the same model on any machine; see
        `TableClassifier`.
    groups : str or array-like, optional
        Groups of rows that must not be split between training and validation: the name of a column,
        which is not used otherwise, or one label for each row.
    weight : str, optional
        Name of a column of sample weights >= 0, which is not used otherwise.
    drop : sequence of str, default=()
        Columns to drop.
    time_column : str, optional
        Name of a column with the time of each row. The model is evaluated on contiguous blocks of
        time, the latest first; it may also use the column.
    cost : dict, optional
        Costs of errors with two classes, such as ``{"fp": 1, "fn": 5}``; see `TableClassifier`.
    random_state : int, default=0
        Source of randomness.
    n_jobs : int, optional
        Threads of native members.
    progress : callable, optional
        Called with an `Event` for every step of the search.
    verbose : int, optional
        Whether to show a progress line on standard error if `progress` is not given: 0 for no, 1
        for yes; by default, only in terminals and notebooks.
    journal : Journal, optional
        Where finished candidates are recorded, so that a killed fit can be resumed.

    Returns
    -------
    TableClassifier, TableRegressor or TableModels
        Fitted; `TableModels` for several targets.

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
    with brought_here(table) as rows:
        if isinstance(target, list | tuple):
            return TableModels(dict(_fit_each(rows, target, task, settings)))
        return _fit_opened(rows, cast(str, target), task, settings)


def _fit_each(
    table: Any, targets: Sequence[str], task: str, settings: Settings
) -> Iterator[tuple[str, Any]]:
    """Fit a model of each target, which does not see the others, one after the other."""
    if not targets or len(set(targets)) < len(targets):
        raise ParameterError(
            f"target={targets!r} is not valid. Pass the name of a column, or a list of different "
            "names."
        )
    given: dict[str, Any] = {**settings}
    for name in ("time_limit", "work"):
        limit = given.get(name, DEFAULTS.get(name))
        given[name] = limit / len(targets) if isinstance(limit, int | float) else limit
    for name in targets:
        others = [other for other in targets if other != name]
        with counting(time.monotonic()):
            yield name, _fit_opened(table, name, task, cast(Settings, given), others)


def _fit_opened(
    table: Any, target: str, task: str, settings: Settings, others: Sequence[str] = ()
) -> Any:
    """Fit to a table that is here; `others` are targets, too, which no model of it sees."""
    given: dict[str, Any] = {**settings}
    roles = {k: given[k] for k in ROLES if k in given}
    opened = _open(table, Roles(target, **roles, others=others))
    if task == "auto":
        task = guess_task(opened.y)
    model = _model(task, settings)
    model.fit(
        opened.frame.to_native(),
        _readable(opened.y, target, task),
        opened.weight,
        groups=opened.groups,
        times=opened.times,
        progress=settings.get("progress") or default_progress(settings.get("verbose")),
        journal=settings.get("journal"),
    )
    model.target_name_ = target
    return model


def _signature() -> inspect.Signature:
    """All settings by name, with their defaults, for help and for notebooks."""
    plain = inspect.signature(fit_table)
    first = [one for one in plain.parameters.values() if one.kind is not one.VAR_KEYWORD]
    named = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name))
        for name in Settings.__annotations__
    ]
    return plain.replace(parameters=[*first, *named])


cast(Any, fit_table).__signature__ = _signature()


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

    Only coterie's own models are used as members, since others need the original numbers. The last
    tenth of the rows is held out, so the rows must be in random order; see ``held_out`` of
    `~coterie.data.RowStream`.

    Parameters
    ----------
    rows : BinnedRows
        The columns to learn from.
    y : array-like of shape (n_rows,)
        Class labels or numbers, none missing, in the order of the rows.
    target : str, default="target"
        Name of the target.
    classes : array-like, optional
        Sorted labels, if `y` contains their positions.
    dates : sequence of str
        Columns of dates that `DateColumns` replaced before rows were binned; the model does the
        same with new rows.
    left_out : sequence of Column
        Columns that are not part of the rows, to be reported.
    **settings : dict
        Settings of `fit_table`, except `groups`, `weight`, `drop` and `time_column`; `task` is
        required.

    Returns
    -------
    TableClassifier or TableRegressor
        The fitted model; it predicts data frames with the same columns.

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
    if task == "auto" or any(settings.get(name) for name in ROLES):
        raise ParameterError(f"fit_rows needs a task, and does not accept {', '.join(ROLES)}.")
    if task == "classification":
        _check_kinds(np.unique(y) if classes is None else np.asarray(classes), target)
    model = _model(task, settings)
    model._fit(
        rows,
        y,
        None,
        reading=Given(
            Preparation(DateColumns(tuple(dates))),
            left_out,
            None if classes is None else np.asarray(classes),
            progress=settings.get("progress"),
            journal=settings.get("journal"),
        ),
    )
    model.target_name_ = target
    return model


def _check_settings(settings: Settings, owner: str) -> str:
    """The task; an error if a setting is not known."""
    unknown = sorted(set(settings) - set(Settings.__annotations__))
    if unknown:
        raise TypeError(
            f"{owner} has no parameter {unknown[0]!r}; it accepts "
            f"{', '.join(Settings.__annotations__)}."
        )
    task = settings.get("task", "auto")
    if task not in ("auto", "classification", "regression"):
        raise ParameterError(
            f"task={task!r} is not allowed; use 'auto', 'classification' or 'regression'."
        )
    return task


def _model(task: str, settings: Settings) -> Any:
    own: dict[str, Any] = {k: v for k, v in settings.items() if k in _OF_MODELS}
    if task != "classification" and own.get("cost", 0) is None:
        del own["cost"]
    return (TableClassifier if task == "classification" else TableRegressor)(**own)


ROLES = ("groups", "weight", "time_column", "drop")


@dataclass(frozen=True)
class Roles:
    """What columns are for, besides being learnt from.

    Parameters
    ----------
    target : str
        What is predicted.
    groups : str, array-like or None
        Which rows belong together.
    weight, time_column : str or None
        How much rows count, and when they were.
    drop : sequence of str
        What is left out.
    others : sequence of str
        Further targets.
    """

    target: str
    groups: Any = None
    weight: str | None = None
    time_column: str | None = None
    drop: Sequence[str] = ()
    others: Sequence[str] = ()

    def check(self, names: list[str]) -> None:
        """Say which column is not there, or has two roles."""
        known: dict[str, str | None] = {"target": self.target, "weight": self.weight}
        known["time"] = self.time_column
        if isinstance(self.groups, str):
            known["groups"] = self.groups
        for what, name in known.items():
            if name is not None:
                _check_name(name, names, what)
            if name in (self.target, *self.others) and what != "target":
                raise DataError(
                    f"The {what} {'are' if what == 'groups' else 'is'} in the target column, "
                    f"{name!r}. Choose another column."
                )
        for name in self.others:
            _check_name(name, names, "target")
        for name in self.drop:
            _check_name(name, names, "dropped")
            if name in known.values():
                raise DataError(f"Column {name!r} has another role and cannot be dropped.")

    @property
    def apart(self) -> set[str]:
        """Columns that members do not see."""
        named = [role for role in (self.groups, self.weight) if isinstance(role, str)]
        return {self.target, *self.others, *self.drop, *named}


@dataclass(frozen=True)
class OpenedTable:
    """The rows that have a target: columns to learn from, and what else is known of them."""

    frame: nw.DataFrame[Any]
    y: nw.Series[Any]
    groups: Any
    weight: Any
    times: Any


def _open(table: Any, roles: Roles) -> OpenedTable:
    """The columns to learn from, the target and the rest, of rows that have a target."""
    if not nw.dependencies.is_into_dataframe(table):
        raise TypeError(
            "table must be a data frame (pandas, polars, pyarrow), not a "
            f"{type(table).__name__}. For X and y, use TableClassifier or TableRegressor."
        )
    frame = nw.from_native(table, eager_only=True)
    names = list(frame.columns)
    roles.check(names)
    known = np.flatnonzero(~_missing(frame[roles.target]))
    if len(known) < _FEWEST:
        raise DataError(
            f"The table has {len(known)} rows with a value in {roles.target!r}; at least "
            f"{_FEWEST} are needed to fit an ensemble and to evaluate it."
        )
    if len(known) < len(frame):
        frame = frame[known]
    groups = roles.groups
    if isinstance(groups, str):
        groups = np.asarray(frame[groups].cast(nw.String).fill_null("").to_numpy(), dtype=str)
    elif groups is not None:
        groups = np.asarray(groups)[known]
    weight = None if roles.weight is None else _weights(frame[roles.weight], roles.weight)
    times = None if roles.time_column is None else moments_or_values(frame[roles.time_column])
    seen = [name for name in names if name not in roles.apart]
    if not seen:
        raise DataError(f"The table has no columns other than the target {roles.target!r}.")
    return OpenedTable(frame.select(seen), frame[roles.target], groups, weight, times)


def _weights(series: nw.Series[Any], name: str) -> NDArray[np.float64]:
    if not series.dtype.is_numeric() or _missing(series).any():
        raise DataError(
            f"The weight column {name!r} must contain a number in every row that has a target."
        )
    return np.asarray(series.to_numpy(), dtype=np.float64)


def _check_name(name: str, names: list[str], what: str) -> None:
    if name in names:
        return
    hint = did_you_mean(name, names)
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
                f"The target {target!r} contains {y.dtype}, not numbers. Use task='classification'."
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
