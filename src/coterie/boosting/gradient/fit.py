"""One fit of gradient boosting, from admitted rows to the members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.base import Admitted, class_factors, thread_count, times
from coterie.base.scoring import (
    OWN,
    Validation,
    admit_validation,
    hold_out,
    hold_out_seed,
    read_scoring,
    stops_early,
)
from coterie.boosting.gradient.board import Array, Board
from coterie.boosting.gradient.loop import GradientRun, Plan
from coterie.boosting.gradient.settings import (
    check_vector,
    resolve_dart,
    resolve_newton,
    resolve_rows,
)
from coterie.boosting.gradient.start import (
    constant_start,
    fit_init,
    model_scores,
    read_init_score,
)
from coterie.boosting.gradient.statistics import OrderedColumns
from coterie.boosting.gradient.watch import Callbacks, Judge, Panels
from coterie.core import ParameterError, Pool, member_seeds
from coterie.core.trace import Trace
from coterie.core.watch import Progress, RoundWatch
from coterie.data import Table, Target


class Given(NamedTuple):
    """What `fit` takes besides the training rows; `n_rows` counts those, weightless ones too."""

    n_rows: int
    validation: Validation | None = None
    init_score: Any = None
    init_score_val: Any = None


#: Nothing but the training rows.
ALONE = Given(0)


@dataclass(frozen=True)
class Part:
    """Rows to learn from, or to watch.

    Parameters
    ----------
    table, target, weight : Table, Target, ndarray or None
        The rows.
    init : ndarray of shape (n_rows, n_scores) or None
        Where the user wants their scores to start.
    """

    table: Table
    target: Target
    weight: Array | None
    init: Array | None

    def take(self, rows: NDArray[np.intp]) -> Part:
        """Some of the rows."""
        return Part(
            self.table.take(rows),
            self.target.take(rows),
            None if self.weight is None else self.weight[rows],
            None if self.init is None else self.init[rows],
        )

    @property
    def y(self) -> Array:
        """The target as losses take it."""
        return np.ascontiguousarray(self.target.encoded[:, 0], dtype=np.float64)

    def start(self, draft: Any) -> Array:
        """The scores before any tree."""
        start = draft.start_ if self.init is None else draft.start_ + self.init
        if draft.init_ is None:
            return np.asarray(start)
        return start + model_scores(
            draft.init_, self.table.given(), draft.loss_, getattr(draft, "classes_", None)
        )


class Earlier(NamedTuple):
    """What is kept of a former fit."""

    pool: Pool
    trace: Trace
    start: Array
    init: Any


def train(
    params: Any, draft: Any, admitted: Admitted, given: Given, earlier: Earlier | None
) -> None:
    """Boost, and set the results on the draft, which already has ``loss_`` and ``entropy_``."""
    learn, watch = _parts(params, draft, admitted, given)
    _start(params, draft, learn, given, earlier)
    learn, watch = _order_categories(params, draft, learn, watch)
    plan = _plan(params, draft, learn)
    table = learn.table.bin(weight=learn.weight, max_bins=params.max_bins, n_threads=plan.n_threads)
    board = Board.at(table, learn.y, learn.weight, learn.start(draft))
    held = None
    if watch is not None:
        held = Board.at(watch.table, watch.y, watch.weight, watch.start(draft))
    judge = _judge(params, draft, (board, learn.target), (held, watch))
    run = GradientRun(plan, board, held, judge, _watches(params, judge))
    seeds = member_seeds(draft.entropy_, 0, params.max_iter)
    if earlier is not None:
        run.replay(earlier.pool, earlier.trace, seeds)
    run.boost(seeds[len(run.members) :])
    _publish(draft, run, judge)


def _parts(params: Any, draft: Any, admitted: Admitted, given: Given) -> tuple[Part, Part | None]:
    """The rows to learn from, and those to watch."""
    table, target, weight, kept = admitted
    factors = class_factors(getattr(params, "class_weight", None), target, weight)
    n_scores = draft.n_trees_per_iteration_
    init = read_init_score(given.init_score, given.n_rows, n_scores, "init_score", kept)
    if params.scoring in OWN and not hasattr(params.init, "fit"):
        # Nobody will ask for the rows as they were given: parts need not hold them twice.
        table = replace(table, source=None)
    learn = Part(table, target, _of_size(times(weight, factors), params), init)
    if given.validation is not None and params.early_stopping is False:
        raise ValueError(
            "X_val and y_val are passed to fit while at the same time early_stopping is False. "
            "Set it to 'auto' or True, or leave them out."
        )
    draft.do_early_stopping_ = stops_early(params.early_stopping, given.validation, target.n_rows)
    if not draft.do_early_stopping_:
        return learn, None
    if given.validation is not None:
        return learn, _given_part(draft, given, given.validation)
    if params.validation_fraction is None:
        return learn, None
    rows, watched = hold_out(target, params.validation_fraction, hold_out_seed(draft.entropy_))
    return learn.take(rows), learn.take(watched)


def _of_size(weight: Array | None, params: Any) -> Array | None:
    """Weights so small that no leaf could ever reach `min_child_weight`, scaled to mean one."""
    if weight is None or weight.sum() >= 2 * params.min_child_weight:
        return weight
    return weight / weight.mean()


def _given_part(draft: Any, given: Given, rows: Validation) -> Part:
    """The rows to watch that the user gave."""
    table, target, weight, kept = admit_validation(
        type(draft).__name__, draft.schema_, draft.target_, rows
    )
    n_rows = table.n_rows if kept is None else len(rows.sample_weight)
    n_scores = draft.n_trees_per_iteration_
    init = read_init_score(given.init_score_val, n_rows, n_scores, "init_score_val", kept)
    if (given.init_score is None) != (init is None):
        raise ValueError("init_score and init_score_val must be given together with X_val.")
    return Part(table, target, weight, init)


def _start(params: Any, draft: Any, learn: Part, given: Given, earlier: Earlier | None) -> None:
    """Set the score that everything starts from."""
    if earlier is not None:
        draft.start_, draft.init_ = earlier.start, earlier.init
        return
    draft.init_ = None
    if hasattr(params.init, "fit"):
        rows = learn.table, learn.target, learn.weight
        draft.init_ = fit_init(params.init, *rows, draft.entropy_)
    # Scores that the user starts from already hold the level of the target.
    init = "zero" if given.init_score is not None and params.init is None else params.init
    draft.start_ = constant_start(
        init, draft.loss_, learn.y, learn.weight, draft.n_trees_per_iteration_
    )


def _order_categories(
    params: Any, draft: Any, learn: Part, watch: Part | None
) -> tuple[Part, Part | None]:
    """Replace columns of very many categories, if that is asked for."""
    draft.ordered_ = None
    if params.high_cardinality == "split":
        return learn, watch
    rng = np.random.default_rng(np.random.SeedSequence(draft.entropy_, spawn_key=(2**31 + 1,)))
    draft.ordered_, table = OrderedColumns.learn(
        learn.table, learn.target, learn.weight, params.max_bins, rng
    )
    if watch is not None:
        watch = replace(watch, table=draft.ordered_.apply(watch.table))
    return replace(learn, table=table), watch


def _plan(params: Any, draft: Any, learn: Part) -> Plan:
    schema = draft.schema_
    origin = np.arange(schema.n_columns)
    if draft.ordered_ is not None:
        origin = draft.ordered_.origin(schema.n_columns)
    draft.origin_ = origin
    growth, columns = resolve_newton(params, schema, learn.target, origin)
    vector = getattr(params, "multiclass", "auto") == "vector" and draft.n_trees_per_iteration_ > 1
    if vector:
        check_vector(growth)
        draft.n_trees_per_iteration_ = 1
    return Plan(
        draft.loss_,
        growth,
        float(params.learning_rate),
        resolve_rows(params),
        columns,
        resolve_dart(params),
        vector,
        thread_count(params.n_jobs),
    )


def _judge(
    params: Any,
    draft: Any,
    train: tuple[Board, Target],
    held: tuple[Board | None, Part | None],
) -> Judge | None:
    """What judges the rounds, if anything does."""
    if not draft.do_early_stopping_:
        return None
    board, target = train
    scorings = read_scoring(params.scoring, target.kind)
    panels = Panels(scorings, draft._answers(), board.settled(draft.loss_))
    if held[0] is None or held[1] is None:
        return Judge([panels.of("train", board, target)], draft._raw_by)
    watched = panels.of("validation", held[0], held[1].target)
    return Judge([panels.sample(board, target), watched], draft._raw_by)


def _watches(params: Any, judge: Judge | None) -> Sequence[RoundWatch]:
    watches: list[RoundWatch] = []
    if judge is not None:
        watches.append(judge.patience(params.n_iter_no_change, float(params.tol)))
    if params.callbacks:
        if not all(callable(function) for function in params.callbacks):
            raise ParameterError("callbacks must be functions of the round and the trace.")
        watches.append(Callbacks(params.callbacks))
    if params.verbose:
        watches.append(Progress(params.max_iter))
    return watches


def _publish(draft: Any, run: GradientRun, judge: Judge | None) -> None:
    """Set the results, up to the best round if rounds were judged."""
    # A score that is never a number has no best round: then all are kept.
    size = len(run.members) if judge is None else judge.size or len(run.members)
    pool = run.pool(size)
    if judge is not None and judge.size:
        # DART goes on changing weights after the best round.
        pool = replace(pool, weights=np.array(judge.weights))
    trace = Trace(run.trace.rounds[:size], reason=run.trace.reason)
    draft.pool_, draft.trace_, draft.stop_reason_ = pool, trace, trace.reason
    draft.n_iter_ = draft.best_iteration_ = size
    for where in ("train", "validation"):
        scores = np.array([]) if judge is None else judge.scores(where, trace)
        setattr(draft, f"{where}_score_", scores)
