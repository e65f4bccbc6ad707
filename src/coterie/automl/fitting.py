"""From a table and a target to a fitted ensemble, step by step.

Steps of a fit:

1. Dates, texts, amounts and lists become numbers (`preparation`); columns are looked at, and
   identifiers and constants are left out (`columns`).
2. Traps are searched for and told (`findings`).
3. Rows are dealt to folds by what they hold, so that copies stay together, or in blocks if they
   are in the order of time (`twins`, `splits`, `order`).
4. The first candidate is fitted to every split within the time, others to a few splits first and to
   all of them if that adds something (`candidates`, `trial`, `race`, `search`, `second_layer`).
5. Ways to combine them are judged on rows that neither members nor combination have seen
   (`combine`).
6. The chosen members keep the models of all splits, and get more of them as long as there is time
   (`widening`); they answer with their mean.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from coterie.automl.binned import (
    PLAN,
    hold_out_last,
    is_binned,
    look_at_some,
    member_rows,
)
from coterie.automl.candidates import (
    FAST,
    NATIVE,
    PORTFOLIO,
    Candidate,
    choose_candidates,
    drawn,
    in_turn,
)
from coterie.automl.choice import choose_combination
from coterie.automl.clock import Clock
from coterie.automl.columns import Reading, of_the_table, read_columns
from coterie.automl.combine import Blend, ScoredBlend
from coterie.automl.findings import Subject, find_traps
from coterie.automl.fold_models import TableFoldMember
from coterie.automl.importances import permutation_importances
from coterie.automl.insights import Columns, explain
from coterie.automl.journal import Journal, Page
from coterie.automl.leaderboard import make_leaderboard, size_curve
from coterie.automl.listing import Listing
from coterie.automl.material import Material
from coterie.automl.metrics import check_metric
from coterie.automl.order import column_of_time
from coterie.automl.outcome import announce, find_doubts, find_shortage
from coterie.automl.prior import PriorClassifier
from coterie.automl.records import Finding, TableMember
from coterie.automl.search import Search
from coterie.automl.situation import Situation, Task
from coterie.automl.splits import (
    Plan,
    Rows,
    further_splits,
    make_folds,
    plan_splits,
    splits_of,
    thinned,
)
from coterie.automl.trial import Trial
from coterie.automl.twins import Twins, find_twins
from coterie.automl.widening import widen, with_models
from coterie.automl.wishes import Wishes
from coterie.base import Admitted
from coterie.core import Pool
from coterie.data import BinnedRows

_FEWEST = 8  # rows below which nothing can be held out
_LONG_TAIL = 1.5  # skewness
_SAID = 3  # times that each row held out is kept: what the ensemble says, and a few members
_BAG = 0.15  # share of the time for further models, where one part alone was held out
_EXPLAINING = 0.05  # share of the time for explanations, whatever else is to be done
_LOOKING = 0.1  # share of the time for columns that tell the target


def fit_draft(
    draft: Any,
    admitted: Admitted,
    wishes: Wishes,
    *,
    groups: Any = None,
    order: Any = None,
    journal: Any = None,
) -> None:
    """Fit, and set all results on the draft."""
    clock = wishes.clock()
    table, truth = admitted.table, admitted.target.encoded[:, 0]
    names = list(table.names or [f"x{j}" for j in range(table.n_columns)])
    classes = [str(c) for c in admitted.target.classes[0]] if admitted.target.classes else []
    check_metric(wishes.metric, truth, len(classes))
    grouped = groups is not None
    reading, findings, twins = _look(draft, admitted, wishes, names, classes, grouped, clock)
    candidates = _candidates(wishes, table)
    planned = wishes if journal is None else _as_planned(wishes, journal)
    dealing = {"fast": candidates is FAST, "order": order}
    plan, folds, splits, further = _deal(admitted, planned, groups, twins, **dealing)
    matrix = _matrix(table, reading.used)
    material = Material(matrix, truth, splits, len(classes), admitted.weight, further)
    print_ = fingerprint(matrix, truth, names)
    page = _page(journal, print_ + plan.words, draft, clock, groups)
    situation = _situation(admitted, reading, wishes, truth)
    _keep_time(clock, situation, material, len(names), plan)
    search = Search(situation, material, wishes.metric, clock, wishes.progress, page)
    announce(search, plan, findings)
    if len(truth) < _FEWEST or len(classes) == 1 or not splits:
        findings.append(_too_few(len(truth), len(classes)))
        _fit_blindly(draft, search, candidates, reading.used)
    else:
        _run(search, candidates, wishes)
        best, trials = _finish(draft, search, folds, plan, wishes, reading)
        findings += [*find_shortage(search), *find_doubts(search, best)]
        _go_on(draft, search, best, trials, wishes, Columns.of(table.schema, reading, draft))
    _publish(draft, search, reading, findings, names)
    draft.made_ |= {"fingerprint": print_, "splits": search.words(plan), "seed": wishes.seed}
    search.tell("end", draft.metric_, message=search.stopped)


def _go_on(
    draft: Any,
    search: Search,
    best: ScoredBlend,
    trials: list[Trial],
    wishes: Wishes,
    columns: Columns,
) -> None:
    """Explain the ensemble, and spend what time is left on more models of its members."""
    explain(draft, search, best, trials, columns, wishes)
    material = search.material
    done = len(material.splits) + search.owed
    numbers = range(done, len(material.splits) + len(material.further))
    if widen(search, draft.members_, trials, wishes, numbers):
        draft.pool_ = _pool(draft.members_, material, draft.pool_.members[0].used)


def _candidates(wishes: Wishes, table: Any) -> tuple[Candidate, ...]:
    return choose_candidates(
        wishes.members, interpretable=wishes.interpretable, binned=is_binned(table)
    )


def _keep_time(
    clock: Clock, situation: Situation, material: Material, n_columns: int, plan: Plan
) -> None:
    """Keep time for what comes after the search: further models, writing."""
    if plan.hold_out and material.further:
        clock.share += _BAG
    n_rows = len(material.covered if situation.compact else material.truth)
    clock.keep_for_writing(_SAID * n_rows * max(1, material.n_classes), n_columns)


def _run(search: Search, candidates: tuple[Candidate, ...], wishes: Wishes) -> None:
    """Try the candidates, and of a whole portfolio a second layer and further ones, too."""
    # What is to be exported to ONNX has no second layer.
    search.stacks = candidates == PORTFOLIO
    further = drawn(wishes.seed) if candidates in (PORTFOLIO, NATIVE) else None
    search.run(in_turn(candidates, search.situation), further)
    if isinstance(wishes.members, str):  # those who name members want these
        search.add_prior()


def _look(
    draft: Any,
    admitted: Admitted,
    wishes: Wishes,
    names: list[str],
    classes: list[str],
    grouped: bool,
    clock: Clock,
) -> tuple[Reading, list[Finding], Twins | None]:
    """What the columns hold, and what to beware of."""
    table, truth = admitted.table, admitted.target.encoded[:, 0]
    counts = np.bincount(truth, minlength=len(classes)) if classes else None
    binned = is_binned(table)
    if binned:
        table, truth = look_at_some(table, truth)
    origin = draft.preparation_.origin(names)
    reading = read_columns(table, names, draft.preparation_.made_of(names))
    if binned:  # to leave columns out would take a copy
        reading = reading.using_all()
    reading = replace(reading, columns=[*reading.columns, *wishes.left_out])
    distinct = [column.distinct for column in reading.columns[: table.n_columns]]
    # Rows that differ may have the same bins.
    twins = None if binned else find_twins(table, truth, distinct)
    looking = clock.until(min(_LOOKING * clock.limit, 0.5 * clock.left))
    own = of_the_table(reading.columns[: len(names)], origin, lambda name: "")
    subject = Subject(
        table,
        truth,
        classes,
        Reading([*own, *reading.columns[len(names) :]], reading.used),
        names,
        counts,
        binned,
        grouped,
        twins,
        lambda: looking.left,
        origin,
    )
    findings = find_traps(subject)
    return reading, findings, twins


def _deal(
    admitted: Admitted,
    wishes: Wishes,
    groups: Any,
    twins: Twins | None,
    *,
    fast: bool,
    order: Any = None,
) -> tuple[Plan, NDArray[np.intp], list[tuple[Rows, Rows]], list[tuple[Rows, Rows]]]:
    """How rows are split, the fold of every row, the splits, and further ones."""
    table, target = admitted.table, admitted.target
    n_classes = len(target.classes[0]) if target.classes else 0
    if is_binned(table):
        none: NDArray[np.intp] = np.broadcast_to(np.intp(0), table.n_rows)
        return PLAN, none, thinned(hold_out_last(table.n_rows), n_classes), []
    in_order = order is not None
    if groups is None and not in_order:
        in_order = bool(column_of_time(table, table.names or ()))
    plan = plan_splits(
        table.n_rows,
        table.n_columns,
        n_classes,
        fast=fast,
        in_order=in_order,
        seconds=wishes.limit,
    )
    strata = np.zeros(table.n_rows, dtype=np.intp)
    if n_classes:
        strata = target.codes[:, 0].astype(np.intp)
    # One more deal, whose models nothing is judged by.
    again = replace(plan, n_repeats=plan.n_repeats + 1)
    folds = make_folds(table, strata, again, _seed(wishes), groups, twins, order)
    more = None if fast or plan.in_order else folds.pop()
    further = [] if fast else further_splits(folds, plan, more)
    return plan, folds[0], thinned(splits_of(folds[: plan.n_repeats], plan), n_classes), further


def _matrix(table: Any, used: NDArray[np.intp]) -> Any:
    """The cells members see; the table's own array if they see all columns."""
    if is_binned(table):
        return member_rows(table)
    if table.values is None:
        return sparse.csr_array(table.sparse)
    return table.values if len(used) == table.n_columns else table.values[:, used]


def _situation(
    admitted: Admitted, reading: Reading, wishes: Wishes, truth: NDArray[Any]
) -> Situation:
    table = admitted.table
    labels = [0 if c is None else max(1, len(c)) for c in table.categories]
    n_classes = len(admitted.target.classes[0]) if admitted.target.classes else 0
    task: Task = "regression" if not n_classes else "binary" if n_classes <= 2 else "multiclass"
    positive = not n_classes and bool(truth.min() > 0) and len(truth) > 20
    if positive:
        positive = bool(np.ptp(truth) > 0 and stats.skew(truth) > _LONG_TAIL)
    return Situation(
        task,
        table.n_rows,
        n_classes,
        np.array(labels)[reading.used],
        missing=any(reading.columns[j].missing > 0 for j in reading.used),
        sparse=table.sparse is not None,
        binned=is_binned(table),
        weighted=admitted.weight is not None,
        positive=positive,
        seed=_seed(wishes),
        max_bins=wishes.max_bins,
        metric=wishes.metric.name,
    )


def _seed(wishes: Wishes) -> int:
    return int(np.random.SeedSequence(wishes.seed).generate_state(1)[0])


def fingerprint(matrix: Any, truth: NDArray[Any], names: list[str]) -> str:
    """A number that another content of the table would not have."""
    parts = [matrix]
    if isinstance(matrix, BinnedRows):
        parts = [matrix.codes, matrix.bins.lower]
    elif sparse.issparse(matrix):
        parts = [matrix.data, matrix.indices]
    digest = hashlib.sha256(repr((names, matrix.shape)).encode())
    for part in (*parts, truth):
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


def _as_planned(wishes: Wishes, journal: Journal) -> Wishes:
    """The wishes with the time limit by which rows were split."""
    if journal.planned is None or wishes.work is not None:
        return wishes
    return replace(wishes, time_limit=journal.planned)


def _page(
    journal: Journal | None, print_: str, draft: Any, clock: Clock, groups: Any
) -> Page | None:
    """The journal of this very search, whose time goes on where it was."""
    if journal is None:
        return None
    given = draft.get_params(deep=False)
    # The number of threads does not change results, and more time may go on with what there is.
    free = ("n_jobs", "time_limit")
    settings = repr(sorted((k, repr(v)) for k, v in given.items() if k not in free))
    digest = hashlib.sha256(f"{print_} {settings} {version('coterie')}".encode())
    if groups is not None:
        digest.update(np.ascontiguousarray(groups).data)
    page = journal.open(digest.hexdigest())
    clock.spent = page.elapsed
    return page


def _too_few(n_rows: int, n_classes: int) -> Finding:
    what = "only one class" if n_classes == 1 else f"only {n_rows} rows, too few to hold any out"
    return Finding(
        "too few rows",
        "danger",
        [],
        f"There is {what}: one model is fitted to all rows, and its accuracy is unknown.",
        "Collect more rows.",
    )


def _fit_blindly(
    draft: Any, search: Search, candidates: tuple[Candidate, ...], used: NDArray[np.intp]
) -> None:
    """One native member on all rows; there is nothing to judge it by."""
    material, situation = search.material, search.situation
    candidate = next((c for c in candidates if c.native and not c.rounds), FAST[1])
    model = _one_model(candidate.make(situation), material)
    rows = len(material.truth)
    draft.members_ = [TableMember(candidate.name, candidate.family, 1.0, [model])]
    draft.blend_ = Blend("best single", np.ones(1))
    draft.pool_ = _pool(draft.members_, material, used)
    draft.leaderboard_, draft.size_curve_, draft.importances_ = Listing(), [], {}
    draft.effects_, draft.contributions_ = [], []
    draft.subgroups_, draft.learning_curve_ = Listing(), None
    shape = (rows, material.n_classes) if material.n_classes else (rows,)
    draft.out_of_fold_ = np.full(shape, np.nan)
    draft.member_out_of_fold_ = np.full((1, rows, max(1, material.n_classes)), np.nan)


def _one_model(estimator: Any, material: Material) -> Any:
    if material.n_classes == 1:
        estimator = PriorClassifier()
    weight = {} if material.weight is None else {"sample_weight": material.weight}
    return estimator.fit(material.matrix, material.truth, **weight)


def _pool(members: list[TableMember], material: Material, used: NDArray[np.intp]) -> Pool:
    seats = [
        TableFoldMember(tuple(material.seat(model) for model in member.models), used)
        for member in members
    ]
    return Pool(tuple(seats), np.array([member.weight for member in members]))


def _finish(
    draft: Any, search: Search, folds: Any, plan: Plan, wishes: Wishes, reading: Reading
) -> tuple[ScoredBlend, list[Trial]]:
    """Combine, and set the ensemble and what is known of it on the draft."""
    material = search.material
    best, judged = choose_combination(
        search, folds, wishes.ways, hold_out=plan.hold_out, simple=wishes.simple
    )
    blend = best.blend
    chosen = np.flatnonzero(blend.weights)
    order = chosen[np.argsort(-blend.weights[chosen], kind="stable")]
    share = blend.weights / blend.weights.sum()
    trials = [with_models(search, search.trials[t], wishes) for t in order]
    draft.blend_ = replace(blend, weights=blend.weights[order])
    draft.members_ = [
        TableMember(trial.name, trial.family, float(share[t]), [s.estimator for s in trial.models])
        for t, trial in zip(order, trials, strict=True)
    ]
    _pay(search, draft.members_, trials, wishes)
    draft.pool_ = _pool(draft.members_, material, reading.used)
    oof = search.out_of_fold()
    draft.leaderboard_ = Listing(make_leaderboard(search, oof, judged, best))
    draft.size_curve_ = size_curve(oof, best, order)
    draft.baseline_ = search.baseline
    full = _spread(best.nested[None], search)[0]
    draft.out_of_fold_ = full if material.n_classes else full[:, 0]
    draft.member_out_of_fold_ = _spread(np.stack([trial.unseen for trial in trials]), search)
    left = _measure_columns(draft, search, trials, wishes.limit, reading)
    if not search.situation.sparse:
        _mark(reading, left)
    return best, trials


def _pay(search: Search, members: list[TableMember], trials: list[Trial], wishes: Wishes) -> None:
    """Fit the models of splits that there was no time for, which matter more than explanations."""
    first = len(search.material.splits)
    kept = _EXPLAINING * search.clock.limit
    widen(search, members, trials, wishes, range(first, first + search.owed), kept)


def _measure_columns(
    draft: Any, search: Search, trials: list[Trial], limit: float, reading: Reading
) -> list[int]:
    """Measure how much columns of the user's matter; positions of those without time for it."""
    # Most of what was kept for the end; combining took some of it.
    deadline = search.clock.until(max(0.04 * limit, min(0.08 * limit, search.clock.ending)))
    # Parts of a date or a text are shuffled together.
    origin = draft.preparation_.origin([reading.columns[j].name for j in reading.used])
    parts: dict[str, list[int]] = {}
    for position, name in enumerate(origin):  # one pass: there may be 100,000 columns
        parts.setdefault(name, []).append(position)
    own, groups = list(parts), [np.array(positions) for positions in parts.values()]
    found = permutation_importances(
        draft.blend_,
        [trial.models for trial in trials],
        search.material,
        search.metric,
        deadline,
        search.situation.seed,
        groups,
    )
    draft.importances_ = {own[k]: value for k, value in found.items()}
    return [reading.used[j] for k, group in enumerate(groups) if k not in found for j in group]


def _mark(reading: Reading, positions: Sequence[int]) -> None:
    """Say of columns that there was no time to measure how much they matter."""
    for j in positions:
        column = reading.columns[j]
        note = ", ".join(filter(None, (column.note, "importance not measured")))
        reading.columns[j] = replace(column, note=note)


def _spread(profile: NDArray[np.float64], search: Search) -> NDArray[np.float64]:
    """What is said of all rows: NaN of those that were not held out, which large tables lack."""
    material = search.material
    if search.situation.compact:
        return profile
    full = np.full((len(profile), len(material.truth), profile.shape[2]), np.nan)
    full[:, material.covered] = profile
    return full


def _publish(
    draft: Any, search: Search, reading: Reading, findings: list[Finding], names: list[str]
) -> None:
    situation, metric = search.situation, search.metric
    draft.task_ = situation.task
    draft.metric_, draft.greater_is_better_ = metric.name, metric.greater_is_better
    preparation, made = draft.preparation_, reading.columns[: len(names)]
    draft.findings_ = Listing(findings)
    own = of_the_table(made, preparation.origin(names), preparation.note)
    draft.columns_ = Listing([*own, *reading.columns[len(names) :]])
    draft.history_, draft.stopped_ = Listing(search.history), search.stopped
    draft.truth_ = search.material.truth
    if situation.compact:  # as out_of_fold_
        draft.truth_ = draft.truth_[search.material.covered]
    packages = ("coterie", "numpy", "scipy", "scikit-learn")
    versions = {name: version(name) for name in packages} | {"python": platform.python_version()}
    settings = {k: v for k, v in draft.get_params(deep=False).items() if _plain(v)}
    draft.made_ = {
        "versions": versions,
        "rows": situation.n_rows,
        "columns": len(names),
        "seconds": search.clock.elapsed,
        "settings": settings,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
