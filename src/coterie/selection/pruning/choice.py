"""An order of members, and a size that is chosen by other rows than the order is."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from coterie.selection.pruning.ballots import Array, Ints
from coterie.selection.pruning.curve import (
    Judgement,
    PruningCurve,
    candidates,
    is_order,
    losses,
    mean_losses,
)
from coterie.selection.pruning.methods import Find


class Pruning(NamedTuple):
    """What was found.

    Attributes
    ----------
    order : ndarray of int of shape (members,) or None
        Members, the first to keep first; None if sub-ensembles of different sizes are not parts of
        one another.
    subsets : list of ndarray of int
        Sub-ensembles to choose from.
    curve : PruningCurve
        Their errors.
    """

    order: Ints | None
    subsets: list[Ints]
    curve: PruningCurve

    def subset(self, size: int) -> Ints:
        """The largest sub-ensemble of at most this size, in the order of the pool."""
        return np.sort(self.subsets[_at(self.curve.sizes, size)])


def prune(
    judged: Judgement,
    find: Find,
    member: Array,
    *,
    labels: bool,
    n_folds: int = 2,
    most: int | None = None,
) -> Pruning:
    """Order members by all judged rows, and tell by cross-fitting what each size is worth.

    The rows are dealt to folds. For each fold, members are ordered by the rows of the others, and
    sub-ensembles of every size are judged by its own: no row judges an order that it has made.

    Parameters
    ----------
    judged : Judgement
        The rows.
    find : callable
        From votes, truth and weights to an order or a list of sub-ensembles.
    member : ndarray of shape (members,)
        What each vote counts.
    labels : bool
        Whether classes are predicted.
    n_folds : int, default=2
        Number of folds; fewer if there are fewer rows.
    most : int, optional
        The largest size that may be chosen, to which the others are compared.
    """
    n_members, n_rows = judged.votes.shape[:2]
    found = ask(find, judged, member)
    subsets = candidates(found, n_members)
    sizes = np.array([len(subset) for subset in subsets])
    own = mean_losses(losses(judged, subsets, member, labels), judged.weight)[0]
    apart = np.full((len(sizes), n_rows), np.nan)
    fold = np.arange(n_rows) % max(2, min(n_folds, n_rows))
    for number in range(fold.max() + 1 if n_rows > 1 else 0):
        inside = fold == number
        others = candidates(ask(find, judged.take(np.flatnonzero(~inside)), member), n_members)
        test = judged.take(np.flatnonzero(inside))
        known = np.array([len(subset) for subset in others])
        match = [_at(known, size) for size in sizes]
        apart[:, inside] = losses(test, others, member, labels)[match]
    chosen, deviation = mean_losses(apart, judged.weight)
    curve = PruningCurve(sizes, own, chosen, deviation, np.zeros(len(sizes)))
    least = apart[_at(sizes, curve.best(most=most))]
    curve = replace(curve, gap_deviation=mean_losses(apart - least, judged.weight)[1])
    order = np.asarray(found) if is_order(found) else None
    return Pruning(order, subsets, curve)


def ask(find: Find, judged: Judgement, member: Array) -> Any:
    """An order or sub-ensembles; unequal weights are told to functions that take them."""
    extra: dict[str, Any] = {}
    if np.ptp(member) > 0 and "member_weight" in inspect.signature(find).parameters:
        extra["member_weight"] = member
    return find(judged.votes, judged.truth, sample_weight=judged.weight, **extra)


def _at(sizes: Ints, size: int) -> int:
    """Position of the largest size that is at most `size`; the first if all are larger."""
    return max(0, int(np.searchsorted(sizes, size, side="right")) - 1)
