"""Shakes: how the data is varied for each independent member.

A shake is a function ``(view, rng) -> view``. Rows are drawn by weights, never copied: a
bootstrap sample is the same table with the counts as weights.

Draws are points on an axis of rows (`coterie.core.axis`), so that bags do not depend on the order
of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core.axis import RowAxis
from coterie.core.seeds import side_stream
from coterie.data import Table, Target
from coterie.tags import tagged

_CHUNK = 1 << 22


@dataclass(frozen=True)
class View:
    """What a member is fitted on.

    Attributes
    ----------
    table, target, weight : Table, Target, ndarray or None
        Rows, what to learn of them, and how much each counts.
    columns : ndarray or None
        The columns it may use, all when None.
    spare : ndarray of bool or None
        Rows outside its bag that it may check itself on.
    """

    table: Table
    target: Target
    weight: NDArray[np.float64] | None = None
    columns: NDArray[np.intp] | None = None
    spare: NDArray[np.bool_] | None = None


Shake = Callable[[View, Generator], View]


def untouched(view: View, rng: Generator) -> View:
    """Every member sees the same rows with the same weights."""
    return view


class Draw(Protocol):
    """A shake that says how often each row is in the bag, and can say so again.

    Attributes
    ----------
    axis : RowAxis
        The units to draw from.
    spares : bool
        Whether bags leave rows out.
    """

    @property
    def axis(self) -> RowAxis:
        """The units to draw from."""
        ...

    @property
    def spares(self) -> bool:
        """Whether bags leave rows out."""
        ...

    def counts(self, rng: Generator) -> NDArray[Any]:
        """How often each row is in the bag."""
        ...

    def __call__(self, view: View, rng: Generator) -> View:
        """The same rows, weighted by how often each is in the bag."""
        ...


@tagged
@dataclass(frozen=True)
class Bootstrap:
    """Draw `n_draws` rows with replacement."""

    axis: RowAxis
    n_draws: int
    spares = True

    def counts(self, rng: Generator) -> NDArray[np.int64]:
        """How often each row is in the bag."""
        counts = np.zeros(len(self.axis.order), dtype=np.int64)
        for start in range(0, self.n_draws, _CHUNK):
            size = min(_CHUNK, self.n_draws - start)
            counts += self.axis.count(self.axis.points(rng, size))
        return counts

    def picks(self, rng: Generator) -> NDArray[np.integer]:
        """The rows in the bag one by one, for bags much smaller than the table."""
        return self.axis.rows_at(self.axis.points(rng, self.n_draws))

    def __call__(self, view: View, rng: Generator) -> View:
        """The same rows, weighted by how often each is in the bag."""
        return weighted(view, self.counts(rng))


@tagged
@dataclass(frozen=True)
class Subsample:
    """Draw `n_draws` rows without replacement."""

    axis: RowAxis
    n_draws: int

    @property
    def spares(self) -> bool:
        """Whether the sample is not everything."""
        return self.n_draws < self.axis.length

    def counts(self, rng: Generator) -> NDArray[np.int64]:
        """How often each row is in the sample; more than once only if it is repeated."""
        return self.axis.distinct(rng, self.n_draws)

    def picks(self, rng: Generator) -> NDArray[np.integer]:
        """The rows in the sample one by one, for samples much smaller than the table."""
        if self.axis.weighs:
            return np.flatnonzero(self.counts(rng))
        return self.axis.rows_at(self.axis.distinct_points(rng, self.n_draws))

    def __call__(self, view: View, rng: Generator) -> View:
        """The same rows, weighted by whether each is in the sample."""
        return weighted(view, self.counts(rng))


@tagged
@dataclass(frozen=True)
class Wag:
    r"""Weigh all rows at random instead of drawing some of them.

    "exponential" is :math:`-\ln U`, rescaled to add up to the number of
    rows (Webb 2000): the Bayesian bootstrap. "poisson" counts as an endless stream of rows would,
    "gaussian" is :math:`\max(0, 1 + 2 N(0, 1))` (Bauer & Kohavi 1999). No exponential weight is
    zero, so nothing is out of bag.

    Parameters
    ----------
    axis : RowAxis
        The rows.
    kind : {"exponential", "poisson", "gaussian"}
        Distribution of the weights.
    """

    axis: RowAxis
    kind: Literal["exponential", "poisson", "gaussian"] = "exponential"

    @property
    def spares(self) -> bool:
        """Whether weights may be zero."""
        return self.kind != "exponential"

    def counts(self, rng: Generator) -> NDArray[np.float64]:
        """The weight of every row."""
        size = self.axis.length
        if self.kind == "poisson":
            units = rng.poisson(1.0, size).astype(np.float64)
        elif self.kind == "gaussian":
            units = np.maximum(0.0, 1.0 + 2.0 * rng.normal(size=size))
        else:
            units = rng.exponential(size=size)
            units *= size / units.sum()
        if not units.any():  # a member needs something to learn from
            units[rng.integers(size)] = 1.0
        return self.axis.total(units)

    def __call__(self, view: View, rng: Generator) -> View:
        """The same rows under random weights."""
        return weighted(view, self.counts(rng))


@tagged
@dataclass(frozen=True)
class Grouped:
    """Draw groups of rows: a group is in the bag as a whole or not at all.

    Parameters
    ----------
    draw : Draw
        Draws from the groups.
    groups : ndarray of int of shape (n_rows,)
        Group of each row.
    """

    draw: Draw
    groups: NDArray[np.integer]

    @property
    def axis(self) -> RowAxis:
        """The groups of the rows, which tell one table from another."""
        return RowAxis(self.groups)

    @property
    def spares(self) -> bool:
        """Whether groups are left out."""
        return self.draw.spares

    def counts(self, rng: Generator) -> NDArray[Any]:
        """How often the group of each row was drawn."""
        counts: NDArray[Any] = self.draw.counts(rng)[self.groups]
        return counts

    def __call__(self, view: View, rng: Generator) -> View:
        """The same rows, weighted by how often their group is in the bag."""
        return weighted(view, self.counts(rng))


@tagged
@dataclass(frozen=True)
class Reserve:
    """Leave a part of the rows outside the bag to the member, to check itself on.

    The rest is unseen by the member in every way, and can judge it.

    Parameters
    ----------
    draw : Draw
        How bags are drawn.
    share : float
        Chance of a row outside the bag, or of its group, to be the member's.
    """

    draw: Draw
    share: float

    @property
    def axis(self) -> RowAxis:
        """The units to draw from."""
        return self.draw.axis

    @property
    def spares(self) -> bool:
        """Whether any rows are left to judge the member."""
        return self.draw.spares and self.share < 1.0

    def counts(self, rng: Generator) -> NDArray[Any]:
        """How often each row is in the bag."""
        return self.draw.counts(rng)

    def seen(self, rng: Generator) -> NDArray[np.bool_]:
        """Rows the member was fitted to or checked itself on."""
        mine = self._mine(rng)
        return mine | (self.draw.counts(rng) > 0)

    def _mine(self, rng: Generator) -> NDArray[np.bool_]:
        """Rows that are the member's if they are outside its bag."""
        lots = side_stream(rng, 1)
        if isinstance(self.draw, Grouped):
            groups = lots.random(self.draw.draw.axis.length) < self.share
            return np.asarray(groups[self.draw.groups])
        mine = np.empty(len(self.axis.order), dtype=bool)
        mine[self.axis.order] = lots.random(len(mine)) < self.share
        return mine

    def __call__(self, view: View, rng: Generator) -> View:
        """The view of the draw, with the rows the member may check itself on."""
        mine, shaken = self._mine(rng), self.draw(view, rng)
        assert shaken.weight is not None
        return replace(shaken, spare=mine & (shaken.weight == 0))


@tagged
@dataclass(frozen=True)
class Columns:
    """Draw `n_draws` of `n_columns` columns."""

    n_columns: int
    n_draws: int
    replace: bool = False

    def draw(self, rng: Generator) -> NDArray[np.intp]:
        """The columns in their order; with replacement, one may be there more than once."""
        chosen = rng.choice(self.n_columns, self.n_draws, replace=self.replace)
        return np.sort(chosen).astype(np.intp)


@tagged
@dataclass(frozen=True)
class Patch:
    """After another shake, keep the member to columns of its own.

    Columns come from a stream of their own, so that the bag of a member is the same with and
    without them.
    """

    shake: Shake
    columns: Columns

    def __call__(self, view: View, rng: Generator) -> View:
        """The view of the inner shake with the columns that were drawn."""
        columns = self.columns.draw(side_stream(rng, 0))
        return replace(self.shake(view, rng), columns=columns)


@tagged
@dataclass(frozen=True)
class Balanced:
    """After another shake, give every class of the sample the same total weight."""

    shake: Shake

    def __call__(self, view: View, rng: Generator) -> View:
        """The view of the inner shake with balanced weights."""
        shaken = self.shake(view, rng)
        weight = np.ones(len(view.target.codes)) if shaken.weight is None else shaken.weight
        return replace(shaken, weight=weight * balance(view.target, weight))


def balance(target: Target, weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    r"""Factors that give every class the same total weight: :math:`W / (K W_k)`, per output.

    Classes without weight get the factor 0 and do not count among the K.
    """
    codes = target.codes
    factors = np.ones(len(codes))
    for column, classes in zip(codes.T, target.classes, strict=True):
        totals = np.bincount(column, weights=weight, minlength=len(classes)).astype(np.float64)
        present = totals > 0
        share = np.zeros(len(classes))
        share[present] = totals.sum() / (present.sum() * totals[present])
        factors *= share[column]
    return factors


def weighted(view: View, counts: NDArray[Any]) -> View:
    """The same rows under their weights times the counts of a bag."""
    weight = counts.astype(np.float64)
    return replace(view, weight=weight if view.weight is None else weight * view.weight)
