"""A parameter chosen on rows that the members have not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from coterie.core.axis import RowAxis
from coterie.core.rule import Array
from coterie.data import Table, Target

T = TypeVar("T")

#: Folds of small tables, and what is enough: of more rows than this one fold judges, and of more
#: than that only as many are looked at.
_FOLDS, _MANY, _MOST = 3, 2_000, 5_000
#: A difference of a mistake in a hundred rows is chance, and may be rounding.
_EQUAL = 0.01


class Rows(NamedTuple):
    """Rows of a classification, and their weights."""

    table: Table
    target: Target
    weight: Array | None


def choose(
    candidates: Sequence[T], losses: Callable[[T, Rows, Rows], NDArray[np.bool_]], rows: Rows
) -> T:
    """The candidate of least loss on held-out rows; among those that are about equal, the first.

    Folds depend on what rows hold: neither their order nor whether a row is repeated or has a
    whole number as weight changes the choice.

    Parameters
    ----------
    candidates : sequence
        What to choose from. The first one is taken if no rows can be held out.
    losses : callable
        From a candidate, rows to learn from and rows to judge by to the loss of each of the latter.
    rows : Rows
        The rows.
    """
    lost, judged = np.zeros(len(candidates)), 0.0
    for learn, held in splits(rows) if len(candidates) > 1 else []:
        weight = np.ones(held.table.n_rows) if held.weight is None else held.weight
        judged += float(weight.sum())
        lost += [weight @ losses(candidate, learn, held) for candidate in candidates]
    return candidates[int(np.flatnonzero(lost <= lost.min() + _EQUAL * judged)[0])]


def splits(rows: Rows, n_folds: int = _FOLDS) -> list[tuple[Rows, Rows]]:
    """Rows to learn from and to judge by, of as many folds as there is time for.

    A row of weight three is three rows: its copies may be in different folds.

    Parameters
    ----------
    rows : Rows
        Rows with one class each.
    n_folds : int
        Folds of small tables.
    """
    table, target, weight = rows
    axis, importance = RowAxis.of(table.bin(weight=weight), target, weight)
    units = axis.rows
    parts = -(-len(units) // _MOST)
    place = np.empty(len(units), dtype=np.intp)
    place[np.argsort(target.codes[units, 0], kind="stable")] = np.arange(len(units))
    few = len(units) <= _MANY
    n_folds = n_folds if few else _FOLDS
    place %= parts * n_folds
    found = []
    for fold in range(n_folds) if few else (0,):
        held = place == fold
        learn = (place < n_folds) & ~held
        # Without a second class there is nothing to learn.
        if held.any() and len(np.unique(target.codes[units[learn], 0])) > 1:
            found.append(
                (_drawn(rows, units[learn], importance), _drawn(rows, units[held], importance))
            )
    return found


def _drawn(rows: Rows, units: NDArray[np.integer], importance: Array | None) -> Rows:
    """The rows as often as they were drawn."""
    chosen, counts = np.unique(units, return_counts=True)
    weight = counts.astype(np.float64) if importance is None else importance[chosen]
    table, target = rows.table.take(chosen), rows.target.take(chosen)
    return Rows(table, target, None if (weight == 1.0).all() else weight)
