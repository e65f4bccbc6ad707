"""Changing what members learn, not what they see: outputs altered anew for every member."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.bagging.bag import BAG, TRUTH, Bag
from coterie.base import Admitted, JoblibExecutor
from coterie.base.bagged import Plan
from coterie.core import (
    Allowed,
    Draw,
    RowAxis,
    View,
    content_order,
    repetitions,
)
from coterie.data import Table, Target

Array = NDArray[np.float64]
Change = Callable[[Target, Generator], Target]

OUTPUTS: dict[str, Allowed] = BAG | {"bootstrap": TRUTH}


@dataclass(frozen=True)
class Altered:
    """A shake that alters the outputs of the rows a member sees.

    Every repetition of a row is altered by itself, in an order that depends on what rows hold
    only: a row of weight three is three rows with outputs of their own.

    Parameters
    ----------
    axis : RowAxis
        The rows and their repetitions.
    draw : Draw or None
        How a bag is drawn first; None when every member sees every row.
    change : callable
        ``(target, rng) -> target`` of the rows in that order.
    """

    axis: RowAxis
    draw: Draw | None
    change: Change

    def __call__(self, view: View, rng: Generator) -> View:
        """The same rows with other outputs."""
        order, ends = self.axis.order, self.axis.ends
        if self.draw is not None:
            times = self.draw.counts(rng)[order]
        else:
            times = np.ones(len(order), np.int64) if ends is None else np.diff(ends, prepend=0)
        rows = np.repeat(order, times)
        target = self.change(view.target.take(rows), rng)
        if np.all(times == 1):
            encoded = np.empty_like(target.encoded)
            encoded[rows] = target.encoded
            return replace(view, target=replace(target, encoded=encoded))
        weight = None if view.weight is None else view.weight[rows]
        return View(view.table.take(rows), target, weight)


@dataclass(eq=False, repr=False, kw_only=True)
class OutputBag(Bag):
    """Members of the same rows and altered outputs.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of members; single members are poor, so many are needed.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement too; then there are out-of-bag rows.
    """

    n_estimators: int = 100
    bootstrap: bool = False

    def _change(self, target: Target, weight: Array | None) -> Change:
        """What alters outputs, for this target and these weights."""
        raise NotImplementedError

    def _rows(
        self,
        table: Table,
        target: Target,
        weight: Array | None,
        groups: NDArray[np.int32] | None,
    ) -> tuple[View, Draw | None]:
        view, draw = super()._rows(table, target, weight, groups)
        if draw is None and repetitions(weight) is not None:
            view = replace(view, weight=None)  # repetitions are there as rows
        return view, draw

    def _plan(
        self,
        admitted: Admitted,
        groups: NDArray[np.int32] | None,
        n_members: int,
        executor: JoblibExecutor,
    ) -> Plan:
        plan = super()._plan(admitted, groups, n_members, executor)
        weight = plan.view.weight
        grouped = groups is not None and plan.draw is not None
        repeats = None if grouped else repetitions(admitted.weight)
        axis = RowAxis.lay(content_order(plan.view.table, admitted.target, weight), repeats)
        change = self._change(admitted.target, admitted.weight)
        return replace(plan, shake=Altered(axis, plan.draw, change))


def class_shares(target: Target, weight: Array | None) -> Array:
    """Share of each class in the weight of the rows."""
    totals = np.bincount(target.codes[:, 0], weights=weight, minlength=target.n_classes[0])
    return np.asarray(totals / totals.sum())
