"""A cascade: levels of ensembles, each of which sees what the level before it said.

1. A level's ensembles are fitted to the columns of the table and the answers of the level before.
2. What a level passes on are honest answers: of rows outside bags, or outside folds.
3. Levels are added while honest answers get better; those after the best are dropped.

The table is binned once; a level bins the few columns that it adds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.base import Committee, JoblibExecutor
from coterie.base.oob_estimates import OutOfBag
from coterie.combining.splits import Split
from coterie.data import Schema, Table, Target
from coterie.learners import ForeignLearner, ForeignMember, fit_member, seeded
from coterie.native import Bins, encode, find_bins
from coterie.tags import tagged

Array = NDArray[np.float64]

_LEFT = 10  # rows that are too few for a level of their own


@tagged
@dataclass(frozen=True)
class TreesMember:
    """A fitted ensemble of native trees that averages their answers.

    Parameters
    ----------
    estimator : Committee
        The ensemble.
    """

    estimator: Any

    def predict(self, table: Table, n_threads: int = 1) -> Array:
        """Mean answer of its trees, shape (n_rows, n_outputs); classes are those of the fit."""
        pool = self.estimator.pool_
        return np.asarray(pool.raw(table, n_threads=n_threads) / pool.weights.sum())


@tagged
@dataclass(frozen=True)
class Level:
    """The ensembles of a level.

    Parameters
    ----------
    members : tuple of tuples of members
        Of each ensemble the fitted ones: one, or one per fold.
    threshold : float
        Rows whose most probable class has at least as much leave with it; infinity for none.
    """

    members: tuple[tuple[Any, ...], ...]
    threshold: float = np.inf

    def answers(self, table: Table, n_threads: int = 1) -> Array:
        """What each ensemble says, side by side, shape (n_rows, n_ensembles * n_outputs)."""

        def ask(member: Any) -> Array:
            own = {"n_threads": n_threads} if isinstance(member, TreesMember) else {}
            return np.asarray(member.predict(table, **own))

        return np.hstack([np.mean([ask(one) for one in own], axis=0) for own in self.members])

    def mean(self, answers: Array) -> Array:
        """The mean of what its ensembles say."""
        return mean_answer(answers, len(self.members))


def mean_answer(answers: Array, n_ensembles: int) -> Array:
    """The mean over ensembles of answers side by side, shape (n_rows, n_outputs)."""
    return np.asarray(answers.reshape(len(answers), n_ensembles, -1).mean(axis=1))


@tagged
@dataclass(frozen=True)
class Cascade:
    """Fitted levels.

    Parameters
    ----------
    levels : tuple of Level
        The levels.
    predictor : member or None
        What answers in place of the last level.
    """

    levels: tuple[Level, ...]
    predictor: Any = None

    def predict(self, table: Table, n_threads: int = 1) -> Array:
        """Answers for the rows of a table, shape (n_rows, n_outputs)."""
        cells = dense(table)
        found: Array | None = None
        left = np.arange(len(cells))
        answers: Array | None = None
        for number, level in enumerate(self.levels):
            rows = extended(table.schema, cells[left], answers)
            answers = level.answers(rows, n_threads)
            mean = level.mean(answers)
            if found is None:
                found = np.zeros((len(cells), mean.shape[1]))
            found[left] = mean
            stay = mean.max(axis=1) < level.threshold
            if number < len(self.levels) - 1 and not stay.all():
                left, answers = left[stay], answers[stay]
                if not len(left):
                    break
        if self.predictor is not None and len(left):
            assert found is not None
            found[left] = self.predictor.predict(extended(table.schema, cells[left], answers))
        assert found is not None
        return found


def dense(table: Table) -> Array:
    """All cells as numbers, in one array."""
    blocks = [np.asarray(block, dtype=np.float64) for _, block in table.blocks()]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def extended(schema: Schema, cells: Array, answers: Array | None) -> Table:
    """A table of cells and of answers beside them; columns have no names."""
    more = 0 if answers is None else answers.shape[1]
    wide = Schema(schema.n_columns + more, None, schema.labels)
    return Table(wide, cells if answers is None else np.hstack([cells, answers]))


@dataclass(frozen=True)
class Stand:
    """The rows that levels are fitted to.

    Parameters
    ----------
    table : Table
        Binned.
    target : Target
        Labels or numbers.
    weight : ndarray or None
        Positive weights.
    kept : ndarray of int or None
        Positions of the rows among those that were given; None if these are all.
    """

    table: Table
    target: Target
    weight: Array | None
    kept: NDArray[np.intp] | None = None

    def take(self, rows: Any) -> Stand:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        every = np.arange(self.table.n_rows) if self.kept is None else self.kept
        return Stand(self.table.take(rows), self.target.take(rows), weight, every[rows])

    def beside(self, answers: Array | None, max_bins: int) -> Stand:
        """The same rows with answers beside their columns; only these are cut into bins."""
        plain = extended(self.table.schema, dense(self.table), answers)
        known = self.table.binned_rows()
        bins, codes = known.bins, known.codes
        if answers is not None:
            new = find_bins(answers, weight=self.weight, max_bins=max_bins)
            bins = Bins.concatenate([bins, new])
            shown = encode(answers, new).astype(bins.dtype)
            codes = np.hstack([codes.astype(bins.dtype), shown])
        return replace(self, table=replace(plain, bins=bins, codes=np.ascontiguousarray(codes)))


@dataclass(frozen=True)
class LevelFit:
    """How a level is fitted.

    Parameters
    ----------
    ensembles : sequence of (name, estimator)
        What to fit.
    splits : callable
        Makes splits of a stand.
    bags : bool
        Whether ensembles with rows outside bags are asked about these instead.
    executor : JoblibExecutor
        Where ensembles are fitted.
    """

    ensembles: Sequence[tuple[Any, Any]]
    splits: Callable[[Stand], list[Split]]
    bags: bool = True
    executor: JoblibExecutor = field(default_factory=lambda: JoblibExecutor(None))

    def fit(self, stand: Stand, rngs: Sequence[Generator]) -> tuple[Level, Array]:
        """A level, and honest answers for its rows."""
        jobs = list(zip(self.ensembles, rngs, strict=True))
        fitted = self.executor.map(lambda job: self._ensemble(stand, *job[0], job[1]), jobs)
        level = Level(tuple(members for members, _ in fitted))
        return level, np.hstack([honest for _, honest in fitted])

    def _ensemble(
        self, stand: Stand, name: Any, estimator: Any, rng: Generator
    ) -> tuple[tuple[Any, ...], Array]:
        """The fitted copies of an ensemble, and what it says of rows it has not seen."""
        if self.bags and has_bags(estimator):
            member = fit_one(name, estimator, stand, rng, oob=True)
            return (member,), _out_of_bag(member, stand)
        splits = self.splits(stand)
        if not splits:  # nothing can be held out
            member = fit_one(name, estimator, stand, rng)
            return (member,), member.predict(stand.table)
        members, honest = [], np.zeros((0, 0))
        for (train, test), own in zip(splits, rng.spawn(len(splits)), strict=True):
            members.append(fit_one(name, estimator, stand.take(train), own))
            said = members[-1].predict(stand.table.take(test))
            if not honest.size:
                honest = np.full((stand.table.n_rows, said.shape[1]), np.nan)
            honest[test] = said
        return tuple(members), _filled(honest, stand)


def has_bags(estimator: Any) -> bool:
    """Whether an estimator has rows outside bags to judge by."""
    return isinstance(estimator, OutOfBag) and getattr(estimator, "bootstrap", False) is True


def fit_one(
    name: Any, estimator: Any, stand: Stand, rng: Generator, *, oob: bool = False
) -> TreesMember | ForeignMember:
    """A fitted copy of an estimator.

    Parameters
    ----------
    name : str or int
        Named in errors.
    estimator : estimator
        Ensembles of native trees share the bins of the table; others see numbers.
    stand : Stand
        The rows.
    rng : Generator
        Seeds the copy.
    oob : bool, default=False
        Whether it is judged out of bag.
    """
    table, target = stand.table, stand.target
    if not _averages_trees(estimator) or _one_class(target):
        learner = ForeignLearner(estimator, name=name)
        return learner.fit(table, target, stand.weight, rng)
    twin = seeded(estimator, rng)
    if oob:
        twin.set_params(oob_score=True)
    rows = table.binned_rows()
    with warnings.catch_warnings():
        # Rows in all bags get the shares of the classes below.
        warnings.filterwarnings("ignore", message=".*out-of-bag|.*OOB|Some inputs do not have")
        fitted = fit_member(twin, rows, target, stand.weight, name=name)
    # A class that is not in these rows is there with probability zero.
    if target.kind == "labels" and len(fitted.classes_) < target.n_classes[0]:
        return ForeignMember(fitted, target.classes, "predict_proba", name=name)
    return TreesMember(fitted)


def _one_class(target: Target) -> bool:
    return target.kind == "labels" and bool((target.codes == target.codes[0]).all())


def _averages_trees(estimator: Any) -> bool:
    own = type(estimator).fit.__module__.startswith("coterie.")
    mean = isinstance(estimator, Committee) and estimator.answers_by == "mean"
    return own and mean and estimator.learns_from_bins


def _out_of_bag(member: Any, stand: Stand) -> Array:
    """Out-of-bag answers of a fitted ensemble."""
    fitted = member.estimator
    said = getattr(fitted, "oob_decision_function_", None)
    if said is None:
        said = getattr(fitted, "oob_prediction_", None)
    if said is None:  # rows of one class
        return np.asarray(member.predict(stand.table))
    honest = np.asarray(said, dtype=np.float64).reshape(stand.table.n_rows, -1)
    if stand.target.kind == "labels" and honest.shape[1] < stand.target.n_classes[0]:
        wide = np.zeros((len(honest), stand.target.n_classes[0]))
        wide[:, np.searchsorted(stand.target.classes[0], fitted.classes_)] = honest
        honest = np.where(np.isnan(honest[:, :1]), np.nan, wide)
    return _filled(honest, stand)


def _filled(honest: Array, stand: Stand) -> Array:
    """Answers in which rows that nobody can judge have the mean target."""
    gone = np.isnan(honest[:, 0])
    if gone.any():
        honest = honest.copy()
        honest[gone] = _prior(stand)
    return honest


def _prior(stand: Stand) -> Array:
    target, weight = stand.target, stand.weight
    if target.kind == "labels":
        mass = np.bincount(target.codes[:, 0], weights=weight, minlength=target.n_classes[0])
        return np.asarray(mass / mass.sum())
    return np.average(target.values, axis=0, weights=weight)


@dataclass(frozen=True)
class Growth:
    """When levels are added, and what becomes of rows that are clear.

    Parameters
    ----------
    max_layers : int
        Maximum number of levels.
    patience : int
        Levels without improvement that are borne.
    tol : float
        Smallest improvement that counts.
    screening : bool
        Whether clear rows leave the cascade early.
    max_bins : int
        Groups that answers are cut into.
    """

    max_layers: int
    patience: int
    tol: float = 0.0
    screening: bool = False
    max_bins: int = 65_535


@dataclass(frozen=True)
class Grown:
    """A cascade and how it came about.

    Attributes
    ----------
    cascade : Cascade
        Up to the best level.
    scores : list of float
        Of all levels that were fitted.
    honest : ndarray of shape (n_rows, n_outputs)
        Answers of the best level for training rows that it had not seen.
    last : tuple of Stand and rows
        What a predictor is fitted to: the rows left, with the answers of the best level.
    """

    cascade: Cascade
    scores: list[float]
    honest: Array
    last: Stand


def grow(
    stand: Stand,
    fit: LevelFit,
    growth: Growth,
    rng: Generator,
    score: Callable[[Array, Cascade], float],
    accuracy: Callable[[Array, Cascade], float] | None = None,
) -> Grown:
    """Add levels while they help.

    Parameters
    ----------
    stand : Stand
        The rows.
    fit : LevelFit
        How a level is fitted.
    growth : Growth
        When to stop.
    rng : Generator
        Seeds levels.
    score : callable
        Of honest answers and the cascade so far; larger is better.
    accuracy : callable or None, default=None
        What screening goes by, if `score` is something else.
    """
    levels: list[Level] = []
    scores: list[float] = []
    best: tuple[int, Array, Stand] | None = None
    left = np.arange(stand.table.n_rows)
    answers: Array | None = None
    honest = np.zeros((0, 0))
    for _ in range(growth.max_layers):
        own = stand if len(left) == stand.table.n_rows else stand.take(left)
        seen = own.beside(answers, growth.max_bins)
        level, answers = fit.fit(seen, rng.spawn(len(fit.ensembles)))
        mean = level.mean(answers)
        honest = honest.copy() if honest.size else np.zeros((len(left), mean.shape[1]))
        honest[left] = mean
        so_far = Cascade((*levels, level))
        scores.append(score(honest, so_far))
        if best is None or scores[-1] > scores[best[0]] + growth.tol:
            best = len(levels), honest, own.beside(answers, growth.max_bins)
        if growth.screening:
            right = scores[-1] if accuracy is None else accuracy(honest, so_far)
            level = replace(level, threshold=clear_threshold(mean, own, right))
        levels.append(level)
        if len(levels) - 1 - best[0] >= growth.patience:
            break
        stay = mean.max(axis=1) < level.threshold
        left, answers = left[stay], answers[stay]
        if len(left) < _LEFT or _one_class(stand.target.take(left)):
            break
    assert best is not None
    number, honest, last = best
    return Grown(Cascade(tuple(levels[: number + 1])), scores, honest, last)


def clear_threshold(mean: Array, stand: Stand, accuracy: float) -> float:
    """The least confidence above which a third of the usual mistakes are made (Pang et al. 2018).

    Parameters
    ----------
    mean : ndarray of shape (n_rows, n_classes)
        Honest probabilities.
    stand : Stand
        The rows.
    accuracy : float
        That of the level.
    """
    confidence = mean.max(axis=1)
    right = mean.argmax(axis=1) == stand.target.codes[:, 0]
    order = np.argsort(-confidence, kind="stable")
    share = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    last = np.append(confidence[order][1:] != confidence[order][:-1], True)
    good = np.flatnonzero(last & (share >= 1 - (1 - accuracy) / 3))
    return float(confidence[order[good[-1]]]) if len(good) else np.inf
