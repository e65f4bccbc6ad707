"""A parameter chosen on rows that the members have not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from coterie.core.rule import Array
from coterie.data import Table, Target
from coterie.data.folds import deal, row_keys

T = TypeVar("T")

#: Folds of small tables, and what is enough: of more rows than this one fold judges, and of more
#: than that only as many are looked at.
_FOLDS, _MANY, _MOST = 3, 2_000, 5_000


class Rows(NamedTuple):
    """Rows of a classification, and their weights."""

    table: Table
    target: Target
    weight: Array | None

    def take(self, chosen: NDArray[np.bool_]) -> Rows:
        """Some of them."""
        places = np.flatnonzero(chosen)
        weight = None if self.weight is None else self.weight[places]
        return Rows(self.table.take(places), self.target.take(places), weight)


def choose(
    candidates: Sequence[T], losses: Callable[[T, Rows, Rows], NDArray[np.bool_]], rows: Rows
) -> T:
    """The candidate of least loss on rows held out; among equals, the first.

    Folds depend on what rows hold: neither their order nor whether a row is repeated or has a
    weight changes the choice.

    Parameters
    ----------
    candidates : sequence
        What to choose from. The first one is taken if no rows can be held out.
    losses : callable
        From a candidate, rows to learn from and rows to judge by to the loss of each of the latter.
    rows : Rows
        The rows.
    """
    lost = np.zeros(len(candidates))
    for learn, held in _splits(rows) if len(candidates) > 1 else []:
        for number, candidate in enumerate(candidates):
            loss = losses(candidate, learn, held)
            lost[number] += loss.sum() if held.weight is None else held.weight @ loss
    # Sums of the same losses may differ by rounding.
    return candidates[int(np.flatnonzero(lost <= lost.min() * (1 + 1e-9))[0])]


def _splits(rows: Rows) -> list[tuple[Rows, Rows]]:
    """Rows to learn from and to judge by, of as many folds as there is time for."""
    strata = rows.target.codes[:, 0].astype(np.intp)
    parts = -(-len(strata) // _MOST)
    place = deal(row_keys(rows.table), strata, parts * _FOLDS)
    folds = range(_FOLDS) if len(strata) <= _MANY else (0,)
    found = []
    for fold in folds:
        held, looked_at = place == fold, place < _FOLDS
        learn = looked_at & ~held
        # Without a second class there is nothing to learn.
        if held.any() and len(np.unique(strata[learn])) > 1:
            found.append((rows.take(learn), rows.take(held)))
    return found
