"""Which rows are held out, and how often."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.automl.situation import booster_seconds
from coterie.automl.twins import Twins
from coterie.boosting.gradient.default_rules import TableFacts
from coterie.boosting.gradient.default_rules import folds as default_folds
from coterie.combining.splits import deal
from coterie.core.axis import cell_keys
from coterie.data import Table
from coterie.data.hashes import ODD

Rows = NDArray[np.intp]

# Work (rows x columns x classes) up to which there are as many folds.
_ONE_SPLIT = 40_000_000
_FOUR_FOLDS = 4_000_000
_FOR_FOLDS, _FOR_REPEATS = 1, 200  # boosters that there is time for
_HELD_OUT = 5_000_000  # rows that are held out, times classes
_LEAST_HELD_OUT = 500
_LARGE = 400_000  # rows from which one part is enough to judge by
#: Of the held-out rows; each is scored by what is learnt from the others.
N_PARTS = 4


@dataclass(frozen=True)
class Plan:
    """How rows are split.

    Parameters
    ----------
    n_folds : int
        Parts of the rows; each is held out once.
    n_repeats : int
        How often the rows are dealt anew.
    hold_out : bool
        Whether only the first part is held out.
    in_order : bool
        Whether a part is a block of consecutive rows, the first of them the latest.
    """

    n_folds: int
    n_repeats: int = 1
    hold_out: bool = False
    in_order: bool = False

    @property
    def words(self) -> str:
        """For people."""
        if self.hold_out:
            which = "the last " if self.in_order else ""
            return f"{which}1/{self.n_folds} of the rows held out"
        if self.in_order:
            return f"{self.n_folds} blocks of consecutive rows"
        again = f", {self.n_repeats} times" if self.n_repeats > 1 else ""
        return f"{self.n_folds} folds{again}"


def plan_splits(
    n_rows: int,
    n_columns: int,
    n_classes: int,
    *,
    fast: bool = False,
    in_order: bool = False,
    seconds: float = np.inf,
) -> Plan:
    """Many folds for small tables, one part that is held out for large ones.

    So it is, too, where there are too few `seconds` for a single booster, by what boosters take on
    tables of such a size. There are at least as many folds as `BoostedTrees*` has of such a table.

    Rows in the order of time are split into blocks: rows of the same day are alike, and a model
    for days to come must not be judged by days it knows.

    Examples
    --------
    >>> plan_splits(200, 60, 2).words, plan_splits(1_000_000, 30, 2).hold_out
    ('8 folds, 2 times', True)
    >>> plan_splits(15_000, 16, 26, seconds=10).words
    '1/6 of the rows held out'
    """
    if fast:
        return Plan(3, in_order=in_order)
    boosters = seconds / booster_seconds(n_rows, n_columns, n_classes)
    if boosters < _FOR_FOLDS:
        return Plan(6, hold_out=True, in_order=in_order)
    work = n_rows * max(n_columns, 10) * (n_classes if n_classes > 2 else 1)
    if n_rows > _LARGE or work > _ONE_SPLIT:
        return Plan(8 if n_rows > _LARGE else 6, hold_out=True, in_order=in_order)
    if in_order:
        return Plan(5, in_order=True)
    usual = max(5, default_folds(TableFacts(n_rows, n_columns, n_classes, "default")).value)
    if work > _FOUR_FOLDS:
        return Plan(4)
    if n_rows > 2_000 or boosters < _FOR_REPEATS / 4:
        return Plan(usual)
    if n_rows > 1_200 or boosters < _FOR_REPEATS:
        return Plan(8)
    return Plan(8 if n_rows <= 500 else 6, 2)


def make_folds(
    table: Table,
    strata: NDArray[np.intp],
    plan: Plan,
    seed: int,
    groups: Any = None,
    twins: Twins | None = None,
    order: NDArray[np.intp] | None = None,
) -> list[NDArray[np.intp]]:
    """The fold of every row, for each repeat.

    Rows are dealt by what they hold, so folds do not depend on the order of rows. Copies are in one
    fold; folds then do not depend on whether rows are repeated or weighted either.

    Parameters
    ----------
    table : Table
        The rows.
    strata : ndarray of int
        Rows of one stratum are spread evenly: codes of classes, or zeros.
    plan : Plan
        How many folds.
    seed : int
        Another one deals other folds.
    groups : ndarray of int, optional
        Rows of one group stay together.
    twins : Twins, optional
        Which of the rows that repeat stay together; all rows of equal features if not given.
    order : ndarray of int, optional
        The rank of each row in time; they are in order if not given.
    """
    if plan.in_order:
        ranks = np.arange(table.n_rows, dtype=np.intp) if order is None else order
        back = table.n_rows - 1 - ranks
        return [back * plan.n_folds // table.n_rows]
    if groups is not None:
        keys = groups.astype(np.uint64)
    elif twins is not None:
        keys = twins.keys + twins.tags.astype(np.uint64) * ODD
    else:
        keys = cell_keys(table)
    rng = np.random.default_rng(seed)
    folds = []
    for _ in range(plan.n_repeats):
        factor = rng.integers(0, 2**63, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        mixed = (keys + ODD) * factor
        mixed = (mixed ^ (mixed >> np.uint64(31))) * ODD
        dealt = strata if groups is None else np.zeros_like(strata)
        folds.append(deal(mixed, dealt, plan.n_folds))
    return folds


def further_splits(
    folds: list[NDArray[np.intp]], plan: Plan, again: NDArray[np.intp] | None
) -> list[tuple[Rows, Rows]]:
    """Splits that nothing is judged by, for more models of the final members.

    Parameters
    ----------
    folds : list of ndarray of int
        The folds of all repeats.
    plan : Plan
        How rows are split.
    again : ndarray of int or None
        The folds of another deal; taken where all parts of the first ones are held out.
    """
    if plan.hold_out:
        return splits_of(
            [np.where(folds[0] == 0, plan.n_folds, folds[0]) - 1],
            replace(plan, n_folds=plan.n_folds - 1, hold_out=False),
        )
    return [] if again is None else splits_of([again], plan)


def splits_of(folds: list[NDArray[np.intp]], plan: Plan) -> list[tuple[Rows, Rows]]:
    """Training and held-out rows of every split that has both."""
    found = []
    for fold in folds:
        for number in range(1 if plan.hold_out else plan.n_folds):
            inside = fold == number
            if inside.any() and not inside.all():
                found.append((np.flatnonzero(~inside), np.flatnonzero(inside)))
    return found


def thinned(splits: list[tuple[Rows, Rows]], n_classes: int) -> list[tuple[Rows, Rows]]:
    """The same with fewer held-out rows, where so many classes would take too much memory.

    Examples
    --------
    >>> rows = np.arange(100_000)
    >>> [(_, test)] = thinned([(rows, rows)], 5_000)
    >>> len(test)
    1000
    """
    most = max(_LEAST_HELD_OUT, _HELD_OUT // max(1, n_classes))
    step = -(-sum(len(test) for _, test in splits) // most)
    return [(train, test[:: max(1, step)]) for train, test in splits]


def deal_parts(n_rows: int, folds: NDArray[np.intp] | None, seed: int) -> NDArray[np.intp]:
    """Parts of the held-out rows, for judging what is learnt from what is said of them.

    Parameters
    ----------
    n_rows : int
        Rows that were held out.
    folds : ndarray of int or None
        Their folds, if they are of all folds: whole folds are then in a part.
    seed : int
        By which they are dealt otherwise.

    Examples
    --------
    >>> deal_parts(6, np.array([0, 0, 1, 4, 5, 5]), 0).tolist()
    [0, 0, 1, 0, 1, 1]
    """
    if folds is not None and len(np.unique(folds % N_PARTS)) > 1:
        return folds % N_PARTS
    order = np.random.default_rng(seed % 2**32).permutation(n_rows)
    return np.asarray(order % min(N_PARTS, max(2, n_rows)))
