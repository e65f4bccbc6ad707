"""Which rows each member saw, drawn again from its seed instead of stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core.axis import RowAxis
from coterie.core.seeds import shaking_stream, side_stream
from coterie.core.shake import Columns, Draw, Reserve, View
from coterie.tags import tagged


@tagged
@dataclass(frozen=True)
class UnknownDraw:
    """The draw of members that were put into an ensemble after the fit."""

    @property
    def axis(self) -> RowAxis:
        """Nobody knows what was drawn from."""
        raise ValueError(_UNKNOWN)

    @property
    def spares(self) -> bool:
        """Nobody knows which rows were left out."""
        raise ValueError(_UNKNOWN)

    def counts(self, rng: Generator) -> NDArray[Any]:
        """Nobody knows what was drawn."""
        raise ValueError(_UNKNOWN)

    def __call__(self, view: View, rng: Generator) -> View:
        """Nothing is drawn."""
        raise ValueError(_UNKNOWN)


_UNKNOWN = (
    "estimators_ was changed after the fit, so it is not known which rows its members have seen. "
    "Refit the ensemble to get out-of-bag estimates."
)


@tagged
@dataclass(frozen=True)
class Bags:
    """The bags of an ensemble.

    Parameters
    ----------
    seeds : ndarray of shape (n_members,)
        Seed of each member.
    draw : Draw or None
        How a bag is drawn; None when every member saw every row.
    n_rows : int
        Rows of the training data.
    kept : ndarray or None
        Rows of positive weight when some have none; the others are in no bag.
    choice : Columns or None
        The sampler of a member's columns; None if it uses all of them.
    before : Bags or None
        Bags of the members before these, if they were drawn in another way.
    """

    seeds: NDArray[np.int64]
    draw: Draw | None
    n_rows: int
    kept: NDArray[np.intp] | None = None
    choice: Columns | None = None
    before: Bags | None = None

    def __len__(self) -> int:
        """Number of members."""
        return len(self.seeds) + (0 if self.before is None else len(self.before))

    def __getitem__(self, part: slice) -> Bags:
        """The bags of the first members, ``bags[:t]``."""
        start, stop, step = part.indices(len(self))
        if start != 0 or step != 1:
            raise ValueError("only the first members of an ensemble have bags of their own")
        n_before = 0 if self.before is None else len(self.before)
        if self.before is not None and stop <= n_before:
            return self.before[:stop]
        return replace(self, seeds=self.seeds[: stop - n_before])

    def take(self, members: NDArray[np.integer[Any]]) -> Bags:
        """The bags of some members, whose numbers increase."""
        n_before = 0 if self.before is None else len(self.before)
        here = replace(self, seeds=self.seeds[members[members >= n_before] - n_before])
        if self.before is None:
            return here
        return replace(here, before=self.before.take(members[members < n_before]))

    def of(self, seeds: list[int]) -> Bags:
        """The bags of members with these seeds; unknown ones if some of them are not of these."""
        numbers = {self.seed(member): member for member in range(len(self))}
        members = np.array([numbers.get(seed, -1) for seed in seeds], dtype=np.intp)
        if len(members) and members[0] >= 0 and np.all(np.diff(members) > 0):
            return self.take(members)
        known = np.array(seeds, dtype=np.int64)
        return Bags(known, UnknownDraw(), self.n_rows, self.kept)

    def seed(self, member: int) -> int:
        """Seed of a member."""
        bags, member = self._home(member)
        return int(bags.seeds[member])

    def after(self, earlier: Bags) -> Bags:
        """These bags behind those of an earlier fit."""
        same = _same_draw(self.draw, earlier.draw) and self.choice == earlier.choice
        if not same or not self._same_rows(earlier):
            return replace(self, before=earlier)
        seeds = np.concatenate([earlier.seeds, self.seeds])
        return replace(self, seeds=seeds, before=earlier.before)

    def columns(self, member: int) -> NDArray[np.intp] | None:
        """The columns a member may use, or None for all."""
        bags, member = self._home(member)
        if bags.choice is None:
            return None
        return bags.choice.draw(side_stream(shaking_stream(int(bags.seeds[member])), 0))

    def drawn(self, member: int) -> NDArray[Any]:
        """How often each row of positive weight is in the bag of a member."""
        bags, member = self._home(member)
        if bags.draw is None:
            return np.ones(bags.n_rows if bags.kept is None else len(bags.kept), dtype=np.int64)
        return bags.draw.counts(shaking_stream(int(bags.seeds[member])))

    def unseen(self, member: int) -> NDArray[np.bool_]:
        """Which rows of positive weight a member has not seen in any way, and may be judged on."""
        bags, number = self._home(member)
        if isinstance(bags.draw, Reserve):
            return ~bags.draw.seen(shaking_stream(int(bags.seeds[number])))
        unseen: NDArray[np.bool_] = self.drawn(member) == 0
        return unseen

    def counts(self, member: int) -> NDArray[Any]:
        """How often each training row is in the bag of a member."""
        bags, _ = self._home(member)
        drawn = self.drawn(member)
        if bags.kept is None:
            return drawn
        counts = np.zeros(bags.n_rows, dtype=drawn.dtype)
        counts[bags.kept] = drawn
        return counts

    def samples(self) -> Iterator[NDArray[np.int32]]:
        """The rows in each bag, repeated as often as they were drawn.

        Random weights that are no integers show a row once.
        """
        for member in range(len(self)):
            counts = self.counts(member)
            times = np.where(counts % 1, 1, counts).astype(np.int64)
            yield np.repeat(np.arange(len(counts), dtype=np.int32), times)

    def outside(self) -> NDArray[np.bool_]:
        """Whether each row is outside each bag, shape (n_rows, n_members)."""
        outside = np.empty((self.n_rows, len(self)), dtype=bool, order="F")
        for member in range(len(self)):
            outside[:, member] = self.free(member)
        return outside

    def free(self, member: int) -> NDArray[np.bool_]:
        """Which training rows may judge a member; rows of weight zero always may."""
        bags, _ = self._home(member)
        unseen = self.unseen(member)
        if bags.kept is None:
            return unseen
        free = np.ones(bags.n_rows, dtype=bool)
        free[bags.kept] = unseen
        return free

    @property
    def repeats(self) -> bool:
        """Whether weights were repetitions of rows, which then count so out of bags too."""
        axis = None if self.draw is None else self.draw.axis
        return axis is not None and axis.ends is not None and not axis.weighs

    @property
    def spares(self) -> bool:
        """Whether any bag leaves rows out."""
        mine = self.draw is not None and self.draw.spares
        return mine or (self.before is not None and self.before.spares)

    def check_judges(self) -> None:
        """Refuse to judge rows by members whose bags say nothing about them."""
        if not self.spares:
            raise ValueError(
                "Out of bag estimation only available if bootstrap=True, or if bags leave out "
                "rows in another way, but here every member saw every row."
            )
        before = self.before
        while before is not None:
            if not self._same_rows(before):
                raise ValueError(
                    "Out of bag estimation needs members whose bags were drawn from the same "
                    "rows, but a warm start fitted some of them to other rows."
                )
            before = before.before

    def _home(self, member: int) -> tuple[Bags, int]:
        """The bags a member belongs to, and its number there."""
        n_before = 0 if self.before is None else len(self.before)
        if self.before is not None and member < n_before:
            return self.before._home(member)
        return self, member - n_before

    def _same_rows(self, other: Bags) -> bool:
        if self.n_rows != other.n_rows or not _equal(self.kept, other.kept):
            return False
        if self.draw is None or other.draw is None:
            return self.draw is other.draw
        mine, theirs = self.draw.axis, other.draw.axis
        return _equal(mine.order, theirs.order) and _equal(mine.ends, theirs.ends)


def _same_draw(first: Draw | None, second: Draw | None) -> bool:
    """Whether two draws from the same rows are made in the same way."""
    if first is None or second is None or type(first) is not type(second):
        return first is second
    plain = (str, int, float, bool, tuple)
    facts = [
        {name: value for name, value in vars(draw).items() if isinstance(value, plain)}
        for draw in (first, second)
    ]
    inner = [getattr(draw, "draw", None) for draw in (first, second)]
    samplers = [getattr(draw, "sampler", None) for draw in (first, second)]
    return facts[0] == facts[1] and samplers[0] == samplers[1] and _same_draw(*inner)


def _equal(first: NDArray[Any] | None, second: NDArray[Any] | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)
