"""The loop of all semi-supervised ensembles: members that are taught rows without labels.

1. A `Scene` is a table of rows with and without labels, binned once, and fits members to
   `Lesson` s: some of its rows, the labels to learn of them, and weights.
2. `teach` fits the first members to the labelled rows: the supervised ensemble.
3. Each round a `Method` looks at the members and says what each is taught next (a `Round`).
   All of them are then fitted at once.
4. When nobody learns anything new, or there were enough rounds, the members are `Taught`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from coterie.bagging.bag import TreeEffort, tree_learner
from coterie.base import JoblibExecutor
from coterie.core import BootstrapSampler, Draw, Learner, Member, Pool, View, lay_bags, member_seeds
from coterie.core.axis import cell_order
from coterie.core.seeds import growing_stream, shaking_stream
from coterie.core.trace import Trace
from coterie.data import Table, Target
from coterie.learners import ForeignLearner, ForeignMember, adapt, fit_member, seeded
from coterie.trees.single import is_native

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
Positions = NDArray[np.intp]


class Lesson(NamedTuple):
    """Rows of a table, the classes to learn of them, and how much each counts.

    Attributes
    ----------
    rows : ndarray of int
        Positions in the table.
    codes : ndarray of int32
        Class codes.
    weight : ndarray of float or None
        Weights, None for ones.
    """

    rows: Positions
    codes: Codes
    weight: Array | None = None

    def after(self, first: Lesson) -> Lesson:
        """Another lesson, and this one behind it."""
        rows = np.concatenate([first.rows, self.rows])
        codes = np.concatenate([first.codes, self.codes])
        if first.weight is None and self.weight is None:
            return Lesson(rows, codes)
        parts = [
            np.ones(len(part.rows)) if part.weight is None else part.weight
            for part in (first, self)
        ]
        return Lesson(rows, codes, np.concatenate(parts))


@dataclass(frozen=True)
class Scene:
    """Rows with and without labels, and how members are fitted to them.

    Parameters
    ----------
    table : Table
        All rows, binned.
    target : Target
        Their labels, -1 where there is none.
    weight : ndarray of shape (n_rows,) or None
        Positive weights.
    entropy : int
        Where all randomness comes from.
    executor : JoblibExecutor
        Where members are fitted.
    n_threads : int
        Native threads.
    """

    table: Table
    target: Target
    weight: Array | None
    entropy: int
    executor: JoblibExecutor = field(default_factory=lambda: JoblibExecutor(None))
    n_threads: int = 1

    @property
    def codes(self) -> Codes:
        """Class codes, -1 for rows without a label."""
        return self.target.codes[:, 0]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.target.n_classes[0]

    @cached_property
    def labelled(self) -> Positions:
        """The rows with labels, as they were given."""
        return np.flatnonzero(self.codes >= 0)

    @cached_property
    def unlabelled(self) -> Positions:
        """The rows without, in an order that depends on what they hold only."""
        rows = np.flatnonzero(self.codes < 0)
        return rows[cell_order(self.table.take(rows))] if len(rows) else rows

    def hide(self, rows: Positions) -> Scene:
        """The same scene in which some rows have no label."""
        codes = self.target.encoded.copy()
        codes[rows] = -1
        return replace(self, target=replace(self.target, encoded=codes))

    def take(self, rows: Positions) -> Table:
        """Some of the rows; the table itself if these are all in order."""
        every = len(rows) == self.table.n_rows and bool((rows == np.arange(len(rows))).all())
        return self.table if every else self.table.take(rows)

    def weighing(self, rows: Positions, factor: Array | None = None) -> Array | None:
        """Weights of some rows, times a factor of each."""
        if self.weight is None:
            return factor
        own = self.weight[rows]
        return own if factor is None else own * factor

    def given(self) -> Lesson:
        """The labelled rows."""
        rows = self.labelled
        return Lesson(rows, self.codes[rows], self.weighing(rows))

    @cached_property
    def _bagging(self) -> tuple[View, Draw]:
        rows = self.labelled
        view = View(self.take(rows), self.target.take(rows), self.weighing(rows))
        view, draw = lay_bags(view, None, BootstrapSampler(repeats=True))
        assert draw is not None
        return view, draw

    def bag(self, seed: int) -> tuple[Lesson, NDArray[np.bool_]]:
        """A bootstrap of the labelled rows, and which of them are not in it."""
        view, draw = self._bagging
        counts = np.asarray(draw.counts(shaking_stream(seed)), dtype=np.float64)
        weight = counts if view.weight is None else counts * view.weight
        rows = self.labelled
        return Lesson(rows, self.codes[rows], weight), counts == 0

    def seeds(self, n_members: int) -> NDArray[np.int64]:
        """A seed for every member."""
        return member_seeds(self.entropy, 0, n_members)

    def stream(self, *key: int) -> Generator:
        """A stream of random numbers of its own, beside those of members."""
        return np.random.default_rng(SeedSequence(self.entropy, spawn_key=(2**32 - 1, *key)))

    def fit(
        self, learners: Sequence[Learner], lessons: Sequence[Lesson], seeds: Sequence[Any]
    ) -> list[Member]:
        """A member per lesson; a seed is a number, or a number with that of the round."""

        def fit_one(number: int) -> Member:
            rows, codes, weight = lessons[number]
            target = replace(self.target, encoded=np.ascontiguousarray(codes[:, None]))
            rng = _stream(seeds[number])
            return learners[number].fit(self.take(rows), target, weight, rng)

        return self.executor.map(fit_one, range(len(lessons)))

    def votes(self, member: Member, rows: Positions) -> Array:
        """What a member says of some rows, shape (n_rows, n_classes)."""
        if not len(rows):
            return np.zeros((0, self.n_classes))
        return Pool.of([member]).raw(self.take(rows), n_threads=self.n_threads)

    def learner(
        self, owner: Any, estimator: Any, columns: Positions | None = None, *, native: bool = True
    ) -> Learner:
        """What fits an estimator to rows of this table; bins are shared by those that use bins.

        Parameters
        ----------
        owner : Committee
            Named in messages.
        estimator : estimator
            What to fit.
        columns : ndarray of int or None
            The columns it may use; None for all.
        native : bool, default=True
            Whether native trees may end up in one flat forest; they must not if others join them.
        """
        if native and is_native(estimator):
            view = View(self.table, self.target)
            effort = TreeEffort(1, self.executor.stop)
            tree = tree_learner(owner, estimator, view, None, effort)
            return tree if columns is None else tree.among(columns)
        own = type(estimator).fit.__module__.startswith("coterie.")
        if own and getattr(estimator, "learns_from_bins", False):
            return BinnedLearner(estimator, columns)
        return ForeignLearner(estimator, columns=columns)


def _stream(seed: Any) -> Generator:
    """The stream of a first fit, or of the fit in a later round."""
    if isinstance(seed, tuple):
        return np.random.default_rng(SeedSequence(int(seed[0]), spawn_key=(1, int(seed[1]))))
    return growing_stream(int(seed))


@dataclass(frozen=True)
class BinnedLearner:
    """Fits clones of an ensemble that learns from bins alone: no round cuts columns anew.

    Parameters
    ----------
    estimator : Committee
        What to clone.
    columns : ndarray of int or None
        The columns to show, or None for all.
    name : str, int or None
        What the user calls the member, or its position; named in errors.
    """

    estimator: Any
    columns: Positions | None = None
    name: str | int | None = None

    def numbered(self, number: int) -> BinnedLearner:
        """The same learner for the member at a position."""
        return replace(self, name=number)

    def fit(
        self, table: Table, target: Target, weight: Array | None, rng: Generator
    ) -> ForeignMember:
        """A fitted clone."""
        if weight is not None and not weight.all():
            inside = np.flatnonzero(weight)
            table, target, weight = table.take(inside), target.take(inside), weight[inside]
        part = table if self.columns is None else table[:, self.columns]
        rows = part.binned_rows()
        twin = seeded(self.estimator, rng)
        fitted = fit_member(twin, rows, target, weight, name=self.name, constant=False)
        return adapt(fitted, target.classes, None, self.columns, self.name)


class Round(NamedTuple):
    """What a method says after a look at the members.

    Attributes
    ----------
    lessons : mapping of int to Lesson
        What members learn next, by their numbers; a new number is a new member.
    taken : ndarray of int
        The unlabelled rows in these lessons.
    facts : list of dict
        What the trace notes, a row per member that was judged.
    stop : str
        Why teaching ends, or an empty string.
    """

    lessons: Mapping[int, Lesson]
    taken: Positions
    facts: list[dict[str, float]]
    stop: str = ""


class Method(Protocol):
    """One algorithm: how it begins, and what it makes of each round.

    Attributes
    ----------
    learners : sequence of Learner
        What fits each member; the last one fits all later members.
    """

    learners: Sequence[Learner]

    def begin(self, scene: Scene) -> list[Lesson]:
        """What the first members learn: labelled rows."""
        ...

    def look(self, scene: Scene, members: list[Member], number: int) -> Round:
        """What members learn in this round, the first being 1."""
        ...

    def end(self, scene: Scene, taught: Taught) -> Taught:
        """What is kept."""
        ...


@dataclass(frozen=True)
class Taught:
    """Members, and how they came about.

    Attributes
    ----------
    first : list of members
        The supervised ensemble.
    members : list of members
        After all rounds.
    weights : ndarray or None
        Weights of the members, None for ones.
    rounds : ndarray of int16 of shape (n_rows,)
        The round in which a row was last taught: 0 for labelled rows, -1 for never.
    reason : str
        Why teaching ended.
    n_rounds : int
        Rounds that were begun.
    trace : Trace
        Facts by round and member.
    facts : mapping
        What else the method knows, by name.
    """

    first: list[Member]
    members: list[Member]
    weights: Array | None
    rounds: NDArray[np.int16]
    reason: str
    n_rounds: int
    trace: Trace
    facts: Mapping[str, Any] = field(default_factory=dict)


def teach(scene: Scene, method: Method, max_iter: int) -> Taught:
    """Fit members to labelled rows, then round by round to rows that were labelled for them.

    Parameters
    ----------
    scene : Scene
        The rows.
    method : Method
        The algorithm.
    max_iter : int
        Maximum number of rounds.
    """
    lessons = method.begin(scene)
    seeds = scene.seeds(len(lessons))
    learners = [_learner(method, number) for number in range(len(lessons))]
    members = scene.fit(learners, lessons, [int(seed) for seed in seeds])
    first = list(members)
    rounds = np.where(scene.codes >= 0, 0, -1).astype(np.int16)
    trace, reason, number = Trace(), "all_labeled", 0
    if len(scene.unlabelled):
        reason = "max_iter"
        for number in range(1, max_iter + 1):
            told = method.look(scene, members, number)
            for facts in told.facts:
                trace.append({"round": number, **facts})
            if told.stop or not told.lessons:
                reason = told.stop or "no_change"
                break
            _refit(scene, method, members, told.lessons, number)
            rounds[told.taken] = number
    trace.reason = reason
    return method.end(scene, Taught(first, members, None, rounds, reason, max(number, 1), trace))


def _refit(
    scene: Scene,
    method: Method,
    members: list[Member],
    lessons: Mapping[int, Lesson],
    number: int,
) -> None:
    """Put newly fitted members in the place of those that have lessons."""
    who = sorted(lessons)
    seeds = scene.seeds(max(who[-1] + 1, len(members)))
    fitted = scene.fit(
        [_learner(method, member) for member in who],
        [lessons[member] for member in who],
        [(int(seeds[member]), number) for member in who],
    )
    for member, new in zip(who, fitted, strict=True):
        members[member : member + 1] = [new]


def _learner(method: Method, number: int) -> Learner:
    chosen: Any = method.learners[min(number, len(method.learners) - 1)]
    named = getattr(chosen, "name", None) is not None or not hasattr(chosen, "numbered")
    return chosen if named else chosen.numbered(number)
