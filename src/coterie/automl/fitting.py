"""From a table and a target to a fitted ensemble, step by step.

The life of a fit:

1. Columns are looked at; identifiers, constants and sentences are left out (`columns`).
2. Traps are searched for and told (`findings`).
3. Rows are dealt to folds by what they hold, so that equal rows stay together (`splits`).
4. Candidates are fitted to every split within the time, and asked about the rows held out
   (`candidates`, `trial`, `search`).
5. Ways to combine them are judged on rows that neither members nor combination have seen
   (`combine`).
6. The chosen members keep the models of all splits, which answer with their mean.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats
from sklearn.dummy import DummyClassifier

from coterie.automl.candidates import FAST, Candidate, choose_candidates
from coterie.automl.clock import Clock
from coterie.automl.columns import Reading, read_columns
from coterie.automl.combine import WAYS, Blend
from coterie.automl.dates import DateColumns
from coterie.automl.findings import Subject, find_traps
from coterie.automl.importances import permutation_importances
from coterie.automl.journal import Journal, Page
from coterie.automl.leaderboard import make_leaderboard, size_curve
from coterie.automl.metrics import Metric
from coterie.automl.records import Event, Finding, TableMember
from coterie.automl.search import Search
from coterie.automl.seats import TableSeat
from coterie.automl.situation import Situation, Task
from coterie.automl.splits import Plan, make_folds, plan_splits, splits_of
from coterie.automl.trial import Material, Trial, covered_rows, fit_again
from coterie.base import Admitted
from coterie.core import Pool

_FEWEST = 8  # rows below which nothing can be held out
_LONG_TAIL = 1.5  # skewness


@dataclass(frozen=True)
class Wishes:
    """What the user asked for, checked.

    Parameters
    ----------
    metric : Metric
        What is to be good.
    time_limit : float
        Seconds.
    members : str or list
        See `choose_candidates`.
    interpretable : bool
        Whether the model must be one that people can read.
    seed : int
        Where randomness comes from.
    max_bins : int
        Groups of a column of numbers.
    progress : callable or None
        Gets an `Event` for all that happens.
    """

    metric: Metric
    time_limit: float
    members: Any
    interpretable: bool
    seed: int
    max_bins: int
    progress: Callable[[Event], Any] | None = None


def fit_draft(
    draft: Any, admitted: Admitted, wishes: Wishes, *, groups: Any = None, journal: Any = None
) -> None:
    """Fit, and set all results on the draft."""
    clock = Clock(wishes.time_limit)
    table, truth = admitted.table, _truth(admitted)
    names = list(table.names or [f"x{j}" for j in range(table.n_columns)])
    dates: DateColumns = draft.dates_
    reading = read_columns(table, names, dates.origin(names))
    classes = [str(c) for c in admitted.target.classes[0]] if admitted.target.classes else []
    findings = find_traps(Subject(table, truth, classes, reading, names))
    candidates = choose_candidates(wishes.members, interpretable=wishes.interpretable)
    fast = candidates is FAST
    plan = plan_splits(table.n_rows, table.n_columns, len(classes), fast=fast)
    situation = _situation(admitted, reading, wishes, truth)
    strata = truth if classes else np.zeros(len(truth), dtype=np.intp)
    folds = make_folds(table, strata, plan, situation.seed, groups)
    splits = splits_of(folds, plan)
    matrix = _matrix(table, reading.used)
    material = Material(matrix, truth, splits, len(classes), admitted.weight)
    print_ = fingerprint(matrix, truth, names)
    page = _page(journal, print_, draft, clock)
    search = Search(situation, material, wishes.metric, clock, wishes.progress, page)
    search.tell("start", message=plan.words)
    for finding in findings:
        search.tell("finding", finding.kind, message=finding.message)
    if len(truth) < _FEWEST or len(classes) == 1 or not splits:
        findings.append(_too_few(len(truth), len(classes)))
        _fit_blindly(draft, search, candidates, reading.used)
    else:
        search.run(candidates)
        _finish(draft, search, folds[0], plan, wishes, reading)
    _publish(draft, search, reading, findings, names)
    draft.made_ |= {"fingerprint": print_, "splits": plan.words, "seed": wishes.seed}
    search.tell("end", draft.metric_, message=search.stopped)


def _truth(admitted: Admitted) -> NDArray[Any]:
    target = admitted.target
    if target.classes:
        return target.codes[:, 0].astype(np.intp)
    return target.encoded[:, 0].astype(np.float64)


def _matrix(table: Any, used: NDArray[np.intp]) -> Any:
    """The cells members see; the table's own array if they see all columns."""
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
        sparse=table.values is None,
        weighted=admitted.weight is not None,
        positive=positive,
        seed=int(np.random.SeedSequence(wishes.seed).generate_state(1)[0]),
        max_bins=wishes.max_bins,
        metric=wishes.metric.name,
    )


def fingerprint(matrix: Any, truth: NDArray[Any], names: list[str]) -> str:
    """A number that another content of the table would not have."""
    parts = [matrix] if isinstance(matrix, np.ndarray) else [matrix.data, matrix.indices]
    digest = hashlib.sha256(repr((names, matrix.shape)).encode())
    for part in (*parts, truth):
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


def _page(journal: Journal | None, print_: str, draft: Any, clock: Clock) -> Page | None:
    """The journal of this very search, whose time goes on where it was."""
    if journal is None:
        return None
    settings = repr(sorted((k, repr(v)) for k, v in draft.get_params(deep=False).items()))
    whole = f"{print_} {settings} {version('coterie')}"
    page = journal.open(hashlib.sha256(whole.encode()).hexdigest())
    clock.spent = page.elapsed
    return page


def _too_few(n_rows: int, n_classes: int) -> Finding:
    what = "one class only" if n_classes == 1 else f"{n_rows} rows, too few to hold some out"
    return Finding(
        "too few rows",
        "danger",
        [],
        f"There is {what}: one model is fitted to all rows, and nothing is known of its worth.",
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
    draft.leaderboard_, draft.size_curve_, draft.importances_ = [], [], {}
    shape = (rows, material.n_classes) if material.n_classes else (rows,)
    draft.out_of_fold_ = np.full(shape, np.nan)
    draft.member_out_of_fold_ = np.full((1, rows, max(1, material.n_classes)), np.nan)


def _one_model(estimator: Any, material: Material) -> Any:
    if material.n_classes == 1:
        estimator = DummyClassifier(strategy="prior")
    weight = {} if material.weight is None else {"sample_weight": material.weight}
    return estimator.fit(material.matrix, material.truth, **weight)


def _pool(members: list[TableMember], material: Material, used: NDArray[np.intp]) -> Pool:
    seats = [
        TableSeat(tuple(material.seat(model) for model in member.models), used)
        for member in members
    ]
    return Pool(tuple(seats), np.array([member.weight for member in members]))


def _finish(
    draft: Any, search: Search, folds: Any, plan: Plan, wishes: Wishes, reading: Reading
) -> None:
    """Combine, and set the ensemble and what is known of it on the draft."""
    material, metric = search.material, search.metric
    ways = WAYS[:1] if wishes.interpretable else WAYS
    if isinstance(wishes.members, str) and wishes.members == "fast":
        ways = ways[:2]
    best, judged = search.combine(folds, ways, hold_out=plan.hold_out)
    blend = best.blend
    rows = covered_rows(material)
    chosen = np.flatnonzero(blend.weights)
    order = chosen[np.argsort(-blend.weights[chosen], kind="stable")]
    share = blend.weights / blend.weights.sum()
    trials = [_with_models(search, search.trials[t], wishes) for t in order]
    draft.blend_ = replace(blend, weights=blend.weights[order])
    draft.members_ = [
        TableMember(trial.name, trial.family, float(share[t]), [s.estimator for s in trial.models])
        for t, trial in zip(order, trials, strict=True)
    ]
    draft.pool_ = _pool(draft.members_, material, reading.used)
    panel = search.panel()
    draft.leaderboard_ = make_leaderboard(search, panel, judged, best)
    draft.size_curve_ = size_curve(panel, best, order)
    full = np.full((len(rows), best.nested.shape[1]), np.nan)
    full[rows] = best.nested
    draft.out_of_fold_ = full if material.n_classes else full[:, 0]
    draft.member_out_of_fold_ = np.stack([trial.unseen for trial in trials])
    # Most of what was kept for the end; combining took some of it.
    limit = wishes.time_limit
    deadline = search.clock.until(max(0.04 * limit, min(0.08 * limit, search.clock.left)))
    found = permutation_importances(
        draft.blend_,
        [trial.models for trial in trials],
        material,
        metric,
        deadline,
        search.situation.seed,
    )
    columns = [reading.columns[j].name for j in reading.used]
    draft.importances_ = {columns[j]: value for j, value in found.items()}


def _with_models(search: Search, trial: Trial, wishes: Wishes) -> Trial:
    """The trial with its models, which are fitted again if the journal did not keep them."""
    if trial.models:
        return trial
    candidates = choose_candidates(wishes.members, interpretable=wishes.interpretable)
    candidate = next(c for c in candidates if c.name == trial.name)
    trial.models = fit_again(candidate, search.situation, search.material, trial.recipe)
    return trial


def _publish(
    draft: Any, search: Search, reading: Reading, findings: list[Finding], names: list[str]
) -> None:
    situation, metric = search.situation, search.metric
    draft.task_ = situation.task
    draft.metric_, draft.greater_is_better_ = metric.name, metric.greater_is_better
    draft.findings_, draft.columns_ = findings, reading.columns
    draft.history_, draft.stopped_ = search.history, search.stopped
    draft.truth_ = search.material.truth
    packages = ("coterie", "numpy", "scipy", "scikit-learn")
    versions = {name: version(name) for name in packages} | {"python": platform.python_version()}
    settings = {k: v for k, v in draft.get_params(deep=False).items() if _plain(v)}
    draft.made_ = {
        "versions": versions,
        "rows": len(draft.truth_),
        "columns": len(names),
        "seconds": search.clock.elapsed,
        "settings": settings,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
