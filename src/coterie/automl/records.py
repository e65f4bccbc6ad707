"""What a search leaves behind, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from coterie.tags import tagged

Level = Literal["info", "warning", "danger"]
_LATE = "no time"
NO_TIME = f"{_LATE} was left"
Kind = Literal["start", "finding", "try", "done", "skipped", "failed", "combine", "end"]


@dataclass(frozen=True)
class Event:
    """A step of a search, passed to the function that shows its progress.

    Parameters
    ----------
    kind : {"start", "finding", "try", "done", "skipped", "failed", "combine", "end"}
        What happened.
    name : str
        The candidate, or another subject of the event.
    score : float or None
        The metric on held-out rows, once it is known.
    seconds : float
        Duration of this step.
    elapsed, time_limit : float
        Seconds since the start of the search, and the time limit.
    message : str
        A readable message.
    """

    kind: Kind
    name: str = ""
    score: float | None = None
    seconds: float = 0.0
    elapsed: float = 0.0
    time_limit: float = 0.0
    message: str = ""

    @property
    def is_late(self) -> bool:
        """Whether a candidate was given up for lack of time."""
        return self.kind == "skipped" and self.message.startswith(_LATE)

    def of_several(self, number: int) -> Event:
        """One event in place of so many candidates that there was no time for."""
        return replace(self, name=f"{number} candidates", message=NO_TIME)


@tagged
@dataclass(frozen=True)
class Finding:
    """A pitfall found in the table, with advice.

    Parameters
    ----------
    kind : str
        Kind of finding, such as "identifier", "target copy" or "imbalance".
    level : {"info", "warning", "danger"}
        Severity; "danger" means that scores may be too good to be true.
    columns : list of str
        Where.
    message, advice : str
        The problem, and what to do about it.
    """

    kind: str
    level: Level
    columns: list[str]
    message: str
    advice: str


@tagged
@dataclass(frozen=True)
class Column:
    """The type and content of a column.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"number", "category", "date", "text"}
        How it is read.
    missing : float
        Share of the rows without a value.
    distinct : int
        Number of distinct values; in long tables, of a sample of the rows.
    used : bool
        Whether it is used by the members.
    note : str
        Why it is not used, or other remarks.
    """

    name: str
    kind: str
    missing: float
    distinct: int
    used: bool = True
    note: str = ""


@tagged
@dataclass(frozen=True)
class Entry:
    """A line of the leaderboard.

    Parameters
    ----------
    name, family : str
        Name and model family of the candidate.
    kind : {"member", "ensemble"}
        One candidate, or a combination of several.
    score, low, high : float
        The metric on held-out rows, with a 95 % interval.
    fit_seconds, predict_seconds : float
        Time to fit all of its models, and to predict the held-out rows.
    weight : float
        Its share in the final ensemble.
    chosen : bool
        Whether it is part of the final model.
    note : str
        Remarks.
    behind, behind_low, behind_high : float or None
        How much worse than the final model it is on the same rows, by the metric, with a 95 %
        interval; None for metrics that are not means over rows.
    """

    name: str
    family: str
    kind: Literal["member", "ensemble"]
    score: float
    low: float
    high: float
    fit_seconds: float
    predict_seconds: float
    weight: float = 0.0
    chosen: bool = False
    note: str = ""
    behind: float | None = None
    behind_low: float | None = None
    behind_high: float | None = None


@tagged
@dataclass(frozen=True)
class Effect:
    """How predictions change with one column: partial dependence and individual curves.

    Parameters
    ----------
    column : str
        Its name.
    values : list
        Where the column was set: numbers, or categories.
    outputs : list of int
        Columns of the prediction that are shown; classes, or 0 for numbers.
    mean : list of list of float
        For each output the mean prediction at each value, over rows the models had not seen.
    rows : list of list of float
        For the first output the predictions of some single rows.
    """

    column: str
    values: list[Any]
    outputs: list[int]
    mean: list[list[float]]
    rows: list[list[float]]


@tagged
@dataclass(frozen=True)
class Contribution:
    """What a column contributes to the predictions of single rows: estimated Shapley values.

    Parameters
    ----------
    column : str
        Its name.
    output : int
        The column of the prediction: a class, or 0 for numbers.
    values : list of float
        What it contributes to the prediction of each row.
    levels : list of float
        Where the row's value stands among the others, from 0 (the least) to 1; NaN for
        categories and where it is missing.
    """

    column: str
    output: int
    values: list[float]
    levels: list[float]


@tagged
@dataclass(frozen=True)
class Subgroup:
    """The score of the rows that share a category.

    Parameters
    ----------
    column, category : str
        Which rows.
    n_rows : int
        How many were held out.
    score, low, high : float
        The metric of the ensemble on them, with a 95 % interval.
    """

    column: str
    category: str
    n_rows: int
    score: float
    low: float
    high: float


@tagged
@dataclass(frozen=True)
class LearningCurve:
    """The score of a member by the number of training rows.

    Parameters
    ----------
    member : str
        Which one was fitted again to parts of the rows.
    n_rows : list of int
        Training rows, ascending.
    scores : list of float
        The metric on held-out rows.
    gain, error : float
        By how much the loss of a row fell on average from the last but one number of rows to the
        last, and the standard error of that; NaN for metrics that are not means over rows.
    """

    member: str
    n_rows: list[int]
    scores: list[float]
    gain: float
    error: float


@tagged
@dataclass(frozen=True)
class TableMember:
    """A member of the final ensemble.

    Parameters
    ----------
    name, family : str
        Name and model family of the candidate.
    weight : float
        Its share.
    models : list of estimators
        One for each split of the rows; their predictions are averaged.
    """

    name: str
    family: str
    weight: float
    models: list[Any] = field(default_factory=list)
