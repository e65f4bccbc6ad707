"""Leaks and traps of a table, found before anything is fitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.automl.columns import Reading
from coterie.automl.order import column_of_time
from coterie.automl.records import Finding
from coterie.automl.twins import Twins
from coterie.data import Table
from coterie.data.errors import counted
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor

_SAMPLE = 4_000
_MOST_COLUMNS = 300
_FEWEST = 40  # rows below which chance explains too much
_PERFECT = 0.99  # share of the error that a single column takes away
_IMBALANCED = 10.0
_RARE = 10
_MISSING = 0.5
_WEAK, _STRONG = 0.1, 0.2  # correlations of the target with the place of a row
_LONGEST = 60  # characters of a name that is shown


@dataclass(frozen=True)
class Subject:
    """A table with its target, as detectors see it.

    Parameters
    ----------
    table : Table
        The rows.
    truth : ndarray of shape (n_rows,)
        Codes of classes, or numbers.
    classes : list of str
        Names of the classes; none for numbers.
    reading : Reading
        What the columns hold.
    names : list of str
        Names of the columns.
    counts : ndarray of int of shape (n_classes,), optional
        Rows of each class, of which `truth` may be a sample.
    binned : bool, default=False
        Whether rows that differ may look equal.
    grouped : bool, default=False
        Whether the user said which rows belong together.
    twins : Twins, optional
        Rows that repeat others.
    left : callable
        Seconds that are left for looking.
    origin : sequence of str, optional
        What the user calls each column: parts of a date have its name.
    """

    table: Table
    truth: NDArray[Any]
    classes: list[str]
    reading: Reading
    names: list[str]
    counts: NDArray[np.intp] | None = None
    binned: bool = False
    grouped: bool = False
    twins: Twins | None = None
    left: Callable[[], float] = lambda: math.inf
    origin: Sequence[str] | None = None

    @property
    def own_names(self) -> Sequence[str]:
        """What the user calls the columns."""
        return self.names if self.origin is None else self.origin


def find_traps(subject: Subject) -> list[Finding]:
    """All that the owner of the table should know before believing a score.

    The search for columns that tell the target comes last, since it takes longest.
    """
    detectors = (_left_out, _gaps, _duplicates, _imbalance, _drift, _order, _dates)
    found = [finding for detect in detectors for finding in detect(subject)]
    return [*_copies(subject), *found]


def _left_out(s: Subject) -> Iterator[Finding]:
    kinds = {
        "identifier": (
            "identifier", "warning", "has a different value in (nearly) every row",
            "An identifier carries no information about new rows. Remove it from the table.",
        ),
        "free text": (
            "text", "warning", "contains free text, which no member can use",
            "If the text matters, convert it to numbers first.",
        ),
        "too many categories": (
            "text", "warning", "has a distinct value in more than half of the rows",
            "If the column matters, merge its values into fewer categories.",
        ),
        "constant": (
            "constant", "info", "has only one value", "Remove it from the table.",
        ),
        "no values": ("constant", "info", "has no values", "Remove it from the table."),
    }  # fmt: skip
    for note, (kind, level, saw, advice) in kinds.items():
        names = [c.name for c in s.reading.columns if c.note == note]
        if names:
            used = [c.name for c in s.reading.columns if c.note == note and c.used]
            many = len(names) > 1
            verb, rest = saw.split(" ", 1)
            verb = {"has": "have", "contains": "contain"}[verb] if many else verb
            end = "." if used else f", and {'are' if many else 'is'} not used."
            message = f"{_listed(names)} {verb} {rest}{end}"
            yield Finding(kind, level, names, message, advice)  # type: ignore[arg-type]  # any word


def _gaps(s: Subject) -> Iterator[Finding]:
    names = [c.name for c in s.reading.columns if _MISSING < c.missing < 1]
    if names:
        yield Finding(
            "missing",
            "info",
            names,
            f"More than half of the values are missing in {_listed(names)}.",
            "Make sure that they are missing as often in new rows, and for the same reasons.",
        )


def _copies(s: Subject) -> Iterator[Finding]:
    """A column that alone tells the target: a leak, more often than not."""
    values, n = s.table.values, len(s.truth)
    if values is None or n < _FEWEST or (s.classes and len(s.classes) < 2):
        return
    step = max(1, n // _SAMPLE)
    truth = s.truth[::step]
    half = np.random.default_rng(0).permutation(len(truth)) < len(truth) // 2
    if s.classes:
        tree: Any = DecisionTreeClassifier(max_leaf_nodes=max(8, 2 * len(s.classes)))
        base = 1 - np.bincount(truth[half]).max() / half.sum()
    else:
        tree = DecisionTreeRegressor(min_samples_leaf=2)
        base = float(np.var(truth[~half]))
    if base <= 0 or (s.classes and len(np.unique(truth[~half])) < 2):
        return
    labels, found, unseen = s.table.schema.labels, [], 0
    columns = s.reading.used[:_MOST_COLUMNS]
    for number, j in enumerate(columns):
        if s.left() <= 0:
            unseen = len(columns) - number
            break
        own = tree.set_params(categorical_features=[0] if j in labels else None)
        cells = values[::step, [j]]
        said = own.fit(cells[~half], truth[~half]).predict(cells[half])
        left = np.mean(said != truth[half]) if s.classes else np.mean((said - truth[half]) ** 2)
        if left <= (1 - _PERFECT) * base:
            found.append(s.own_names[j])
    if unseen:
        yield _not_looked_at(unseen, len(columns))
    if found:
        verb = "predicts" if len(found) == 1 else "each predict"
        yield Finding(
            "target copy",
            "danger",
            found,
            f"{_listed(found)} alone {verb} the target almost perfectly.",
            "This may be leakage. Check that the column is known before the target is. If not, "
            "remove it and fit again; otherwise the scores are too good to be true.",
        )


def _not_looked_at(number: int, of: int) -> Finding:
    return Finding(
        "no time",
        "info",
        [],
        f"There was no time to check whether {number} of {of} columns leak the target.",
        "Allow more time if you do not know where the columns come from.",
    )


def _duplicates(s: Subject) -> Iterator[Finding]:
    twins = s.twins
    if twins is None or not twins.repeated:
        return
    n = len(s.truth)
    if twins.copies:
        share = twins.whole / n
        pairs = "1 pair of rows is" if twins.pairs == 1 else f"{twins.pairs} pairs of rows are"
        yield Finding(
            "duplicates",
            "warning" if share > 0.01 else "info",
            [],
            f"{counted(twins.whole, 'row')} ({share:.1%}) seem to be duplicates: {pairs} equal in "
            f"every column and in the target; by chance there would be about {twins.chance:.2g}.",
            "Duplicates are kept in the same fold, so that they do not inflate the scores. "
            "Remove them if they are a mistake.",
        )
        return
    clash = twins.clashing
    verb = "repeats" if twins.repeated == 1 else "repeat"
    other = f", {clash} of them with a different target" if clash else ""
    yield Finding(
        "duplicates",
        "info",
        [],
        f"{counted(twins.repeated, 'row')} ({twins.repeated / n:.1%}) {verb} the features of "
        f"another row{other}.",
        "They do not look like accidental duplicates, so they are assigned to folds like any "
        "other rows. If they are repeated measurements of the same thing, pass `groups`; "
        "otherwise the scores are too optimistic.",
    )


def _imbalance(s: Subject) -> Iterator[Finding]:
    if not s.classes:
        return
    counts = s.counts
    if counts is None:
        counts = np.bincount(s.truth, minlength=len(s.classes))
    rare = [s.classes[k] for k in np.flatnonzero(counts < _RARE)]
    if rare and len(s.classes) > 1:
        yield Finding(
            "rare class",
            "warning",
            [],
            f"There are fewer than {_RARE} rows of {_listed(rare)}.",
            "Results for such small classes are unreliable. Collect more rows, or merge classes.",
        )
    if len(counts) > 1 and counts.max() > _IMBALANCED * counts.min():
        yield Finding(
            "imbalance",
            "info",
            [],
            f"The most frequent class has {counted(counts.max(), 'row')}, "
            f"the rarest {counts.min()}.",
            "Accuracy is misleading here: look at log_loss, roc_auc or balanced_accuracy.",
        )


def _drift(s: Subject) -> Iterator[Finding]:
    """Whether the target changes along the rows."""
    n = len(s.truth)
    if n < 100:
        return
    place = np.linspace(-1, 1, n)
    truths = [s.truth == k for k in range(len(s.classes))] if s.classes else [_ranks(s.truth)]
    strongest = 0.0
    for truth in truths[:50]:
        centred = truth - truth.mean()
        size = np.sqrt((centred @ centred) * (place @ place))
        strongest = max(strongest, abs(centred @ place) / size if size > 0 else 0.0)
    if strongest * np.sqrt(n) > 6 and strongest > _WEAK:
        yield Finding(
            "time order",
            "warning" if strongest > _STRONG else "info",
            [],
            f"The target drifts along the rows (correlation {strongest:.2f}).",
            "If the rows are in time order, future rows may differ from all of these, and random "
            "folds give optimistic scores. If the rows are sorted by the target, ignore this.",
        )


def _order(s: Subject) -> Iterator[Finding]:
    name = column_of_time(s.table, s.names)
    if name and not s.binned and not s.grouped:
        name = s.own_names[s.names.index(name)]
        yield Finding(
            "time order",
            "info",
            [name],
            f"The rows are ordered by {name!r}, so blocks of consecutive rows are held out.",
            "If their order does not matter, shuffle the rows; if rows belong to groups, pass "
            "`groups`.",
        )


def _dates(s: Subject) -> Iterator[Finding]:
    names = [c.name for c in s.reading.columns if c.kind == "date"]
    holds = "holds" if len(names) == 1 else "hold"
    if names:
        yield Finding(
            "time order",
            "info",
            names,
            f"{_listed(names)} {holds} dates, which are converted to numbers.",
            "If the model will predict the future, evaluate it on rows that are later than the "
            "training rows.",
        )


def _ranks(truth: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.argsort(np.argsort(truth, kind="stable")).astype(np.float64)


def _listed(names: list[str], most: int = 5) -> str:
    shown = ", ".join(repr(_cut(name)) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def _cut(name: str) -> str:
    """A name, or its beginning: a cell may hold a whole text."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
