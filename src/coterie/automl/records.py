"""What a search leaves behind, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from coterie.tags import tagged

Level = Literal["info", "warning", "danger"]
Kind = Literal["start", "finding", "try", "done", "skipped", "failed", "combine", "end"]


@dataclass(frozen=True)
class Event:
    """Something that happened during a search, for whoever shows its progress.

    Parameters
    ----------
    kind : {"start", "finding", "try", "done", "skipped", "failed", "combine", "end"}
        What happened.
    name : str
        The candidate, or what else it is about.
    score : float or None
        The metric on rows that were not seen, once it is known.
    seconds : float
        How long this took.
    elapsed, time_limit : float
        Seconds since the search began, and those it may take.
    message : str
        A sentence for people.
    """

    kind: Kind
    name: str = ""
    score: float | None = None
    seconds: float = 0.0
    elapsed: float = 0.0
    time_limit: float = 0.0
    message: str = ""


@tagged
@dataclass(frozen=True)
class Finding:
    """Something about the table that its owner should know.

    Parameters
    ----------
    kind : str
        What was found, as "identifier", "target copy" or "imbalance".
    level : {"info", "warning", "danger"}
        How bad it is; "danger" means that scores may be too good to be true.
    columns : list of str
        Where.
    message, advice : str
        What was seen, and what to do.
    """

    kind: str
    level: Level
    columns: list[str]
    message: str
    advice: str


@tagged
@dataclass(frozen=True)
class Column:
    """What a column holds.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"number", "category", "date", "text"}
        How it is read.
    missing : float
        Share of the rows without a value.
    distinct : int
        Different values; of long tables, in a part of the rows.
    used : bool
        Whether members see it.
    note : str
        Why not, or what else to know.
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
        The candidate and what it is made of.
    kind : {"member", "ensemble"}
        One candidate, or a combination of several.
    score, low, high : float
        The metric on rows that were not seen, with a 95 % interval.
    fit_seconds, predict_seconds : float
        Time to fit all of its models, and to predict the rows that were held out.
    weight : float
        Its share in the final ensemble.
    chosen : bool
        Whether the final model is made of it.
    note : str
        What else to know.
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


@tagged
@dataclass(frozen=True)
class TableMember:
    """A member of the final ensemble.

    Parameters
    ----------
    name, family : str
        The candidate and what it is made of.
    weight : float
        Its share.
    models : list of estimators
        One for each split of the rows; they answer with their mean.
    """

    name: str
    family: str
    weight: float
    models: list[Any] = field(default_factory=list)
