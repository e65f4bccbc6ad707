"""Undersampling of large classes: how many rows of each class are drawn, and which."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core import (
    Allowed,
    Member,
    View,
    a_function,
    between,
    content_order,
    instance_of,
    one_of,
    split_weight,
)
from coterie.core.class_draw import WORDS, Counts
from coterie.core.pool import Cast
from coterie.core.rule import Array
from coterie.core.train import Trainer
from coterie.data import Table, Target
from coterie.learners import ForeignLearner

#: As in imbalanced-learn.
a_strategy: Allowed = (
    one_of(*WORDS) | between(0.0, 1.0, closed="right") | instance_of(dict) | a_function
)


@dataclass(frozen=True)
class Units:
    """Rows to draw from, each as often as it is repeated, in an order of their own.

    The order depends on what the rows hold, not on how they were given: shuffled rows, or a row of
    weight three instead of three rows, lead to the same draws.

    Attributes
    ----------
    rows : ndarray of shape (n_units,)
        The row each unit stands for.
    codes : ndarray of shape (n_units,)
        Its class.
    repeats : ndarray of shape (n_rows,)
        How many units each row has.
    n_classes : int
        Number of classes.
    importance : ndarray of shape (n_rows,) or None
        Weights that are not repetitions: they do not change what is drawn.
    """

    rows: NDArray[np.integer]
    codes: NDArray[np.int32]
    repeats: Counts
    n_classes: int
    importance: Array | None = None

    @classmethod
    def lay(cls, table: Table, target: Target, weight: Array | None) -> Units:
        """The units of a table; integer weights are repetitions."""
        repeats, importance = split_weight(weight)
        order = content_order(table.bin(weight=weight), target, importance)
        if repeats is None:
            repeats = np.ones(target.n_rows, dtype=np.int64)
        rows = np.repeat(order, repeats[order])
        return cls(rows, target.codes[rows, 0], repeats, target.n_classes[0], importance)

    @property
    def counts(self) -> Counts:
        """Number of units of each class."""
        return np.bincount(self.codes, minlength=self.n_classes)

    def keep(self, kept: NDArray[np.bool_]) -> Units:
        """Some of the units."""
        repeats = np.bincount(self.rows[kept], minlength=len(self.repeats))
        return replace(self, rows=self.rows[kept], codes=self.codes[kept], repeats=repeats)

    def draw(
        self,
        sizes: Counts,
        rng: Generator,
        weight: Array | None = None,
        again: NDArray[np.bool_] | None = None,
    ) -> Counts:
        """How often each row is in a sample of `sizes` units by class.

        Units are drawn without replacement, one after the other, with probabilities in proportion
        to the weights of their rows; with replacement where a class has fewer than asked for.

        Parameters
        ----------
        sizes : ndarray of shape (n_classes,)
            Units to draw of each class.
        rng : Generator
            Where chance comes from.
        weight : ndarray of shape (n_rows,), optional
            Weights of the rows, shared by their units; equal units when not given.
        again : ndarray of bool of shape (n_classes,), optional
            Classes to draw with replacement in any case.
        """
        share = np.ones(len(self.rows))
        if weight is not None:
            share = weight[self.rows] / self.repeats[self.rows]
        with np.errstate(divide="ignore"):
            # The first to arrive of exponential clocks is such a draw (Efraimidis & Spirakis).
            arrival = rng.exponential(size=len(self.rows)) / share
        drawn = []
        for code, size in enumerate(sizes):
            units = np.flatnonzero(self.codes == code)
            if size > len(units) or (again is not None and again[code]):
                units = rng.choice(units, size, p=share[units] / share[units].sum())
            elif size < len(units):
                units = units[np.argpartition(arrival[units], size - 1)[:size]]
            drawn.append(units)
        return np.bincount(self.rows[np.concatenate(drawn)], minlength=len(self.repeats))

    def bag(self, view: View, counts: Counts) -> View:
        """The rows as often as they were drawn, each with its importance."""
        rows = np.repeat(np.arange(len(counts)), counts)
        weight = None if self.importance is None else self.importance[rows]
        return View(view.table.take(rows), view.target.take(rows), weight)


@dataclass(frozen=True)
class Undersampled:
    """A trainer whose members see a sample of the rows, drawn anew within each class.

    Parameters
    ----------
    trainer : Trainer
        Fits a member.
    units : Units
        The units to draw from.
    sizes : ndarray of shape (n_classes,)
        Units drawn of each class.
    weighted : bool
        Whether rows are drawn alike and keep their weights, or are drawn by their weights and then
        count alike.
    again : ndarray of bool of shape (n_classes,), optional
        Classes to draw with replacement in any case.
    """

    trainer: Trainer
    units: Units
    sizes: Counts
    weighted: bool = False
    again: NDArray[np.bool_] | None = None

    def train(
        self, table: Table, target: Target, weight: Array, rng: Generator, cast: Cast
    ) -> tuple[Member, Array]:
        """A member fitted on a sample, and its vote on every row of the table."""
        drawn_by = None if self.weighted else weight
        counts = self.units.draw(self.sizes, rng, drawn_by, self.again)
        each = weight / self.units.repeats if self.weighted else np.ones(len(weight))
        if not isinstance(self.trainer, ForeignLearner):
            return self.trainer.train(table, target, counts * each, rng, cast)
        # Members that take no weights must see the very rows that were drawn.
        rows = np.repeat(np.arange(len(counts)), counts)
        member = self.trainer.fit(table.take(rows), target.take(rows), each[rows], rng)
        return member, cast(member.predict(table))
