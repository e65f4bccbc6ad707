"""One fit of gradient boosting, from admitted rows to the members."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.base import Admitted, class_factors, thread_count, times
from coterie.base.scoring import (
    OWN,
    Validation,
    stops_early,
)
from coterie.boosting.gradient.board import Array, Board
from coterie.boosting.gradient.classic import Monitor
from coterie.boosting.gradient.eval_sets import ONLY
from coterie.boosting.gradient.loop import GradientRun, Plan
from coterie.boosting.gradient.rates import read_rates
from coterie.boosting.gradient.settings import (
    check_vector,
    resolve_dart,
    resolve_linear,
    resolve_newton,
    resolve_rows,
    resolve_shares,
)
from coterie.boosting.gradient.start import (
    constant_start,
    fit_init,
    model_scores,
    read_init_score,
)
from coterie.boosting.gradient.statistics import OrderedColumns, many_labels, order_stream
from coterie.boosting.gradient.watch import Callbacks, Judge, Panels, check_value
from coterie.core import ParameterError, Pool, member_seeds
from coterie.core.trace import Trace
from coterie.core.watch import Progress, RoundWatch
from coterie.data import Table, Target


class Fold(NamedTuple):
    """Rows to learn from, and rows to watch, by number."""

    learn: NDArray[np.intp]
    watched: NDArray[np.intp]


class Given(NamedTuple):
    """What `fit` takes besides the training rows; `n_rows` counts those, weightless ones too.

    A `fold` says which of the rows to watch, and `ordered` what has taken the place of categories
    in the training rows already. `board` keeps the scores, and `run` goes through the rounds: here,
    or where the rows are.
    """

    n_rows: int
    validation: Validation | None = None
    eval_sets: Mapping[str, Validation] = MappingProxyType({})
    init_score: Any = None
    init_score_val: Any = None
    monitor: Any = None
    fold: Fold | None = None
    ordered: OrderedColumns | None = None
    board: Callable[..., Board] = Board.at
    run: Callable[..., GradientRun] = GradientRun


#: Nothing but the training rows.
ALONE = Given(0)


def loss_target(target: Target) -> NDArray[Any]:
    """A target as losses take it, of shape (n_rows,) or (n_rows, n_outputs).

    More than two classes are given by their codes: nobody reckons with those, and a copy of them as
    numbers would take twice their memory.
    """
    if target.n_outputs == 1 and target.kind == "labels" and target.n_classes[0] > 2:
        return target.codes[:, 0]
    if target.n_outputs == 1:
        return np.ascontiguousarray(target.encoded[:, 0], dtype=np.float64)
    return np.asfortranarray(target.encoded, dtype=np.float64)


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
    def y(self) -> NDArray[Any]:
        """The target as losses take it: of several outputs, column by column in memory."""
        return loss_target(self.target)

    def start(self, draft: Any) -> Array:
        """The scores before any tree."""
        start = draft.start_ if self.init is None else draft.start_ + self.init
        model = draft._init_model
        if model is None:
            return np.asarray(start)
        return start + model_scores(
            model, self.table.given(), draft.loss_, getattr(draft, "classes_", None)
        )


#: Parts to watch by name.
Watched = dict[str, Part]


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
    learn, watch = _order_categories(params, draft, learn, watch, given)
    plan = _plan(params, draft, learn)
    # By columns, as rows are parted; what is counted row by row is often narrower.
    settings = {"max_bins": params.max_bins, "n_threads": plan.n_threads, "order": "F"}
    board = given.board(
        learn.table.bin(weight=learn.weight, **settings), learn.y, learn.weight, learn.start(draft)
    )
    held = [Board.at(part.table, part.y, part.weight, part.start(draft)) for part in watch.values()]
    targets = {name: part.target for name, part in watch.items()}
    judge = _judge(
        params, draft, (board, learn.target), dict(zip(watch, held, strict=True)), targets
    )
    judges = [*draft._judges(board, plan), *([] if judge is None else [judge])]
    run = given.run(plan, board, held, judges)
    run.watches = _watches(params, draft, run, judge, given.monitor)
    seeds = member_seeds(draft.entropy_, 0, params.max_iter)
    if earlier is not None:
        run.replay(earlier.pool, earlier.trace, seeds)
    run.boost(seeds[len(run.members) :])
    _publish(params, draft, run, judge)


def _parts(params: Any, draft: Any, admitted: Admitted, given: Given) -> tuple[Part, Watched]:
    """The rows to learn from, and those to watch by name; the last of these decide."""
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
            "Set early_stopping to 'auto' or True, or omit X_val and y_val."
        )
    if given.eval_sets and given.init_score is not None:
        raise ValueError(
            "init_score cannot be combined with eval_set, because its rows would also need "
            "scores. Use X_val and init_score_val."
        )
    sets = dict(given.eval_sets)
    if given.validation is not None:
        sets[ONLY] = given.validation
    some = next(iter(sets.values()), None)
    draft.do_early_stopping_ = stops_early(params.early_stopping, some, target.n_rows)
    if sets:
        return learn, {name: _given_part(draft, given, rows) for name, rows in sets.items()}
    if not draft.do_early_stopping_ or params.validation_fraction is None:
        return learn, {}
    if given.fold is not None:
        return learn.take(given.fold.learn), {ONLY: learn.take(given.fold.watched)}
    seed = params.held_out_by(draft.entropy_)
    rows, watched = draft._hold_out(target, params.validation_fraction, seed)
    return learn.take(rows), {ONLY: learn.take(watched)}


def _of_size(weight: Array | None, params: Any) -> Array | None:
    """Weights so small that no leaf could ever reach `min_child_weight`, scaled to mean one."""
    if weight is None or weight.sum() >= 2 * params.min_child_weight:
        return weight
    return weight / weight.mean()


def _given_part(draft: Any, given: Given, rows: Validation) -> Part:
    """The rows to watch that the user gave."""
    table, target, weight, kept = draft._admit_other(rows)
    n_rows = table.n_rows if kept is None else len(rows.sample_weight)
    n_scores = draft.n_trees_per_iteration_
    init = read_init_score(given.init_score_val, n_rows, n_scores, "init_score_val", kept)
    if (given.init_score is None) != (init is None):
        raise ValueError("init_score and init_score_val must be given together with X_val.")
    return Part(table, target, weight, init)


def _start(params: Any, draft: Any, learn: Part, given: Given, earlier: Earlier | None) -> None:
    """Set the score that everything starts from."""
    if earlier is not None:
        draft.start_, draft._init_model = earlier.start, earlier.init
        return
    draft._init_model = None
    if hasattr(params.init, "fit"):
        rows = learn.table, learn.target, learn.weight
        draft._init_model = fit_init(params.init, *rows, draft.entropy_, strict=params.strict)
    # Scores that the user starts from already hold the level of the target.
    init = "zero" if given.init_score is not None and params.init is None else params.init
    draft.start_ = constant_start(
        init, draft.loss_, learn.y, learn.weight, draft.n_trees_per_iteration_
    )


def _order_categories(
    params: Any, draft: Any, learn: Part, watch: Watched, given: Given
) -> tuple[Part, Watched]:
    """Replace columns of very many categories, if that is asked for."""
    draft.ordered_, table = given.ordered, learn.table
    if draft.ordered_ is None:
        if params.high_cardinality == "split":
            return learn, watch
        many = many_labels(learn.table, params.max_bins)
        draft.ordered_, table = OrderedColumns.learn(
            learn.table, learn.target, learn.weight, many, order_stream(draft.entropy_)
        )
    elif not given.validation and not given.eval_sets:
        return learn, watch  # they are some of the training rows
    shown = {name: draft.ordered_.apply(part.table) for name, part in watch.items()}
    watch = {name: replace(part, table=shown[name]) for name, part in watch.items()}
    return replace(learn, table=table), watch


def _plan(params: Any, draft: Any, learn: Part) -> Plan:
    schema = draft.schema_
    origin = np.arange(schema.n_columns)
    if draft.ordered_ is not None:
        origin = draft.ordered_.origin(schema.n_columns)
    draft.origin_ = origin
    growth, columns = resolve_newton(params, schema, learn.target, origin)
    wanted = getattr(params, "multiclass", getattr(params, "multioutput", "auto"))
    vector = wanted == "vector" and draft.n_trees_per_iteration_ > 1
    if vector:
        check_vector(growth)
        draft.n_trees_per_iteration_ = 1
    return Plan(
        draft.loss_,
        growth,
        read_rates(params.learning_rate, params.max_iter),
        resolve_rows(params),
        columns,
        resolve_dart(params),
        vector,
        params.splits == "gradient",
        resolve_shares(params),
        float(params.ccp_alpha),
        thread_count(params.n_jobs),
        resolve_linear(params, learn.table, draft.loss_, vector),
    )


def _judge(
    params: Any,
    draft: Any,
    train: tuple[Board, Target],
    held: Mapping[str, Board],
    targets: Mapping[str, Target],
) -> Judge | None:
    """What judges the rounds, if anything does."""
    if not draft.do_early_stopping_ and not held:
        return None
    board, target = train
    scorings = draft._scorings(target)
    check_value(draft.loss_, scorings)
    panels = Panels(scorings, draft._answers(), board.settled(draft.loss_))
    if not held:
        return Judge([panels.of("train", board, target)], draft._raw_by)
    watched = [panels.of(name, held[name], targets[name]) for name in held]
    known = [panels.sample(board, target)] if params.judges_training else []
    return Judge([*known, *watched], draft._raw_by)


def _watches(
    params: Any, draft: Any, run: GradientRun, judge: Judge | None, monitor: Any
) -> Sequence[RoundWatch]:
    watches: list[RoundWatch] = draft._watches(run)
    if monitor is not None:
        watches.append(Monitor(monitor, draft, run))
    if judge is not None and draft.do_early_stopping_:
        patience = params.n_iter_no_change, float(params.tol)
        watches.append(params.ends_by(judge, draft.loss_, *patience))
    if params.callbacks:
        if not all(callable(function) for function in params.callbacks):
            raise ParameterError("callbacks must be functions of the round number and the trace.")
        watches.append(Callbacks(params.callbacks))
    if params.verbose:
        watches.append(Progress(params.max_iter))
    return watches


def _publish(params: Any, draft: Any, run: GradientRun, judge: Judge | None) -> None:
    """Set the results, up to the best round if that is wanted and rounds were judged."""
    # A score that is never a number has no best round: then all are kept.
    best = len(run.members) if judge is None else judge.size or len(run.members)
    size = best if params.keep_best else len(run.members)
    pool = run.pool(size)
    if judge is not None and judge.size and params.keep_best:
        # DART goes on changing weights after the best round.
        pool = replace(pool, weights=np.array(judge.weights))
    trace = Trace(run.trace.rounds[:size], reason=run.trace.reason)
    draft.pool_, draft.trace_, draft.stop_reason_ = pool, trace, trace.reason
    draft.n_iter_, draft.best_iteration_ = size, best
    draft._publish_scores(trace, judge)
    draft.evals_result_ = {} if judge is None else judge.results(trace)
