"""Fitting one boosted member and seeing how it votes on its own training rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core.learner import Foreign, Member
from coterie.core.pool import Cast
from coterie.core.rule import Array, Ask
from coterie.data import Table, Target
from coterie.native import Forest


class Trainer(Protocol):
    """A learner that also returns its member's votes on the table it was fitted on."""

    def train(
        self, table: Table, target: Target, weight: NDArray[np.float64], rng: Generator, cast: Cast
    ) -> tuple[Member, Array]:
        """The member, and its vote for every row of the table, weight zero or not."""
        ...


@runtime_checkable
class LabelWeightTrainer(Trainer, Protocol):
    """A trainer whose members can be told which mistakes matter, row by row."""

    def train_plausible(
        self, table: Table, ask: Ask, weight: NDArray[np.float64], rng: Generator, cast: Cast
    ) -> tuple[Member, Array]:
        """As `train`, for a member that says of every class whether it is plausible."""
        ...


@dataclass(frozen=True)
class SideBySide:
    """Several foreign members as one: the k-th votes on score k."""

    members: tuple[Foreign, ...]

    def predict(self, table: Table) -> Array:
        """The last output of each member, shape (n_rows, n_members)."""
        return np.stack([member.predict(table)[:, -1] for member in self.members], axis=1)


@contextmanager
def scaled(weight: Array, scale: float) -> Iterator[Array]:
    """The weights times `scale` for a while, in the same memory if it can be written to.

    Examples
    --------
    >>> weight = np.array([0.25, 0.75])
    >>> with scaled(weight, 2.0) as double:
    ...     print(double)
    [0.5 1.5]
    >>> weight
    array([0.25, 0.75])
    """
    if scale == 1.0 or not weight.flags.writeable:
        yield weight if scale == 1.0 else weight * scale
        return
    weight *= scale
    try:
        yield weight
    finally:
        weight /= scale


def train(
    trainer: Trainer, table: Table, ask: Ask, rng: Generator, cast: Cast
) -> tuple[Member, Array]:
    """A member as asked for, and its vote on all training rows, shape (n_rows, n_scores).

    One column of weights per output makes one member per output, side by side; the vote of each
    is the last column of what `cast` makes of its output.
    """
    with scaled(ask.weight, ask.scale) as weight:
        if ask.merits is not None and isinstance(trainer, LabelWeightTrainer):
            return trainer.train_plausible(table, ask, weight, rng, cast)
        if weight.ndim == 1:
            return trainer.train(table, ask.target, weight, rng, cast)
        parts = [
            trainer.train(table, ask.target.output(k), weight[:, k], rng, cast)
            for k in range(weight.shape[1])
        ]
    votes = np.stack([vote[:, -1] for _, vote in parts], axis=1)
    members = [member for member, _ in parts]
    native = [member for member in members if isinstance(member, Forest)]
    if native:
        return Forest.concatenate(native), votes
    return SideBySide(tuple(m for m in members if not isinstance(m, Forest))), votes
