"""What people ask of a fitted ensemble: what columns do, whom it fails, if more rows would help."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import rankdata

from coterie.automl.candidates import Candidate
from coterie.automl.clock import Deadline
from coterie.automl.columns import Reading
from coterie.automl.combine import Blend, OutOfFold, ScoredBlend
from coterie.automl.importances import Part
from coterie.automl.listing import Listing
from coterie.automl.material import Material, fit_clone
from coterie.automl.metrics import Metric
from coterie.automl.records import Contribution, Effect, LearningCurve, Subgroup
from coterie.automl.second_layer import FAMILY
from coterie.automl.situation import Situation
from coterie.automl.trial import FAILURES, Trial, prepared, watched_rows
from coterie.automl.widening import candidate_of
from coterie.automl.wishes import Wishes
from coterie.data import BinnedRows, Schema
from coterie.interpretation.drawn_orders import draw_turns, mean_changes
from coterie.learners import ForeignMember

if TYPE_CHECKING:
    from coterie.automl.search import Search

Array = NDArray[np.float64]

_PARTS, _ROWS, _CURVES = 3, 60, 30  # splits, rows of each, and those that are shown one by one
_POINTS, _TAIL = 13, 0.02  # values of a column of numbers; quantiles from which to which
_CLASSES, _CATEGORIES = 3, 10  # that are shown, the most frequent first
_FEW = 30  # rows of a category that say too little
_SHARES = (0.125, 0.25, 0.5)  # of the training rows
_LEAST_ROWS = 200
_ORDERS, _FEWEST = 12, 20  # orders of the columns that are drawn, and rows that are worth a picture
_SHOWN = 6  # columns, the most important first
_LOOKING, _FITTING = 0.03, 0.05  # shares of the time limit


@dataclass(frozen=True)
class Columns:
    """Columns that members see as they are in the table.

    Parameters
    ----------
    positions : dict of str to int
        Where members find them.
    labels : dict of str to ndarray
        The categories of those that have some.
    """

    positions: dict[str, int]
    labels: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, schema: Schema, reading: Reading, draft: Any) -> Columns:
        """All columns but those that are parts of a date, a text or a list."""
        names = [reading.columns[j].name for j in reading.used]
        origin = draft.preparation_.origin(names)
        times = Counter(origin)
        positions = {name: j for j, name in enumerate(origin) if times[name] == 1}
        known = {name: schema.labels.get(int(reading.used[j])) for name, j in positions.items()}
        return cls(positions, {name: some for name, some in known.items() if some is not None})

    def first(self, names: Iterable[str]) -> dict[str, int]:
        """Positions of some, as far as they are there."""
        there = (name for name in names if name in self.positions)
        return {name: self.positions[name] for name in itertools.islice(there, _SHOWN)}


def explain(
    draft: Any,
    search: Search,
    best: ScoredBlend,
    trials: list[Trial],
    columns: Columns,
    wishes: Wishes,
) -> None:
    """Measure effects, subgroups and a learning curve, and set them on the draft.

    Parameters
    ----------
    draft : TableClassifier or TableRegressor
        Members, blend and importances are known.
    search : Search
        What was tried.
    best : ScoredBlend
        The chosen combination.
    trials : list of Trial
        Its members, those of the largest weight first.
    columns : Columns
        What can be shown of the table.
    wishes : Wishes
        What the user asked for.
    """
    material, clock = search.material, search.clock
    ranked = sorted(draft.importances_, key=lambda name: -draft.importances_[name][0])
    models = [trial.models for trial in trials]
    deadline = clock.until(min(_LOOKING * wishes.limit, max(0.0, 0.3 * clock.ending)))
    draft.effects_ = measure_effects(
        draft.blend_, models, material, columns.first(ranked), columns.labels, deadline
    )
    draft.contributions_ = measure_contributions(
        draft.blend_, models, material, columns.first(ranked), columns.labels, deadline.share(2)
    )
    draft.subgroups_, draft.learning_curve_ = Listing(), None
    if not _is_plain(material):
        return
    worded = columns.first(name for name in ranked if name in columns.labels)
    codes = {name: material.matrix[material.covered, j] for name, j in worded.items()}
    oof = search.out_of_fold()
    draft.subgroups_ = Listing(score_subgroups(oof, best.nested, codes, columns.labels, deadline))
    trial = trials[0]
    usual = search.situation.booster_seconds if not clock.measured else trial.fit_seconds
    seconds = 2 * sum(_SHARES) * usual / len(material.splits)
    if trial.family == FAMILY or seconds > min(_FITTING * wishes.limit, 0.3 * clock.ending):
        return
    with suppress(*FAILURES), clock.ending_after(clock.ending):
        candidate = candidate_of(search, trial, wishes)
        draft.learning_curve_ = learning_curve(
            trial, candidate, search.situation, material, search.metric
        )


def measure_effects(
    blend: Blend,
    members: Sequence[list[ForeignMember]],
    material: Material,
    columns: Mapping[str, int],
    labels: Mapping[str, NDArray[Any]],
    deadline: Deadline,
) -> list[Effect]:
    """Partial dependence [1]_ and individual curves [2]_ of some columns, on held-out rows.

    Parameters
    ----------
    blend : Blend
        How members are combined.
    members : sequence of lists of ForeignMember
        The models of each member, one for each split.
    material : Material
        The rows.
    columns : mapping of str to int
        Names and positions of the columns.
    labels : mapping of str to ndarray
        Categories of the columns that have some.
    deadline : Deadline
        When to stop; columns without time are left out.

    References
    ----------
    .. [1] Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
       Statistics 29 (2001).
    .. [2] Goldstein, Kapelner, Bleich & Pitkin, "Peeking inside the black box: visualizing
       statistical learning with plots of individual conditional expectation", Journal of
       Computational and Graphical Statistics 24 (2015).
    """
    if not _is_plain(material):
        return []
    rng = np.random.default_rng(0)
    numbers = range(min(_PARTS, len(material.splits)))
    parts = [Part.of(number, members, material, rng, _ROWS) for number in numbers]
    outputs = _outputs(material)
    found = []
    for name, position in columns.items():
        if deadline.left <= 0:
            break
        cells = np.concatenate([part.cells[:, position] for part in parts])
        grid = _grid(cells, name in labels)
        if len(grid) < 2:
            continue
        said = np.concatenate([_said(part, position, grid, blend) for part in parts], axis=1)
        values = [str(labels[name][int(v)]) for v in grid] if name in labels else grid.tolist()
        mean = said.mean(axis=1).T[outputs]
        found.append(
            Effect(name, values, outputs, mean.tolist(), said[:, :_CURVES, outputs[0]].T.tolist())
        )
    return found


def measure_contributions(
    blend: Blend,
    members: Sequence[list[ForeignMember]],
    material: Material,
    columns: Mapping[str, int],
    labels: Mapping[str, NDArray[Any]],
    deadline: Deadline,
) -> list[Contribution]:
    """Shapley values of some columns for held-out rows, by drawing orders of the columns.

    All other columns count as one more, which is known at some moment like the rest.

    Parameters
    ----------
    blend, members, material, columns, labels, deadline
        As for `measure_effects`. What could not be asked in time is left out.
    """
    if not _is_plain(material) or not columns:
        return []
    rng, output = np.random.default_rng(0), _outputs(material)[0]
    names, width = list(columns), material.matrix.shape[1]
    player = np.full(width, len(names))  # to which column each cell belongs
    player[list(columns.values())] = np.arange(len(names))
    values, cells = [], []
    for number in range(min(_PARTS, len(material.splits))):
        part = Part.of(number, members, material, rng, _ROWS)
        for row in part.cells[:_CURVES]:
            if deadline.left <= 0:
                break
            values.append(_contributions(row, part, player, blend, output, rng))
            cells.append(row)
    if len(values) < _FEWEST:
        return []
    said, known = np.array(values), np.array(cells)
    found = []
    for k, name in enumerate(names):
        column = known[:, columns[name]]
        level = np.full(len(column), np.nan)
        if name not in labels:
            there = np.isfinite(column)
            level[there] = (rankdata(column[there]) - 1) / max(1, there.sum() - 1)
        found.append(Contribution(name, output, said[:, k].tolist(), level.tolist()))
    return found


def _contributions(
    row: Array,
    part: Part,
    player: NDArray[np.intp],
    blend: Blend,
    output: int,
    rng: np.random.Generator,
) -> Array:
    """Shapley values of one row; others of the same split are the background."""
    n_players = int(player.max()) + 1
    turns = draw_turns(n_players, _ORDERS, rng)
    start = part.cells[rng.integers(0, len(part.cells), _ORDERS)]
    known = turns[:, None, player] <= np.arange(n_players + 1)[:, None]
    asked = np.where(known, row, start[:, None]).reshape(-1, len(row))
    said = blend(np.stack([model.ask(asked) for model in part.models]))[:, output]
    return mean_changes(said.reshape(_ORDERS, n_players + 1), turns)


def _is_plain(material: Material) -> bool:
    return not (sparse.issparse(material.matrix) or isinstance(material.matrix, BinnedRows))


def _outputs(material: Material) -> list[int]:
    """Columns of the prediction that are shown: the second of two classes, the largest of many."""
    if material.n_classes == 2:
        return [1]
    counts = np.bincount(material.truth) if material.n_classes else np.ones(1)
    return [int(k) for k in np.argsort(-counts, kind="stable")[:_CLASSES]]


def _grid(cells: Array, categories: bool) -> Array:
    """Values that a column is set to: its usual range, or its most frequent categories."""
    known = cells[np.isfinite(cells)]
    if not len(known):
        return known
    if categories:
        values, counts = np.unique(known, return_counts=True)
        return np.asarray(values[np.argsort(-counts, kind="stable")[:_CATEGORIES]])
    return np.unique(np.quantile(known, np.linspace(_TAIL, 1 - _TAIL, _POINTS), method="nearest"))


def _said(part: Part, position: int, grid: Array, blend: Blend) -> Array:
    """What the ensemble says of the rows with each value in turn, (values, rows, outputs)."""
    copies = np.repeat(part.cells[None], len(grid), axis=0)
    copies[:, :, position] = grid[:, None]
    cells = copies.reshape(-1, copies.shape[2])
    said = blend(np.stack([model.ask(cells) for model in part.models]))
    return said.reshape(len(grid), len(part.cells), -1)


def score_subgroups(
    oof: OutOfFold,
    said: Array,
    codes: Mapping[str, Array],
    labels: Mapping[str, NDArray[Any]],
    deadline: Deadline,
) -> list[Subgroup]:
    """Scores of rows that share a category, for all categories with enough rows.

    Parameters
    ----------
    oof : OutOfFold
        The truth and the metric.
    said : ndarray of shape (n_rows, n_outputs)
        What the ensemble says of the rows.
    codes : mapping of str to ndarray of shape (n_rows,)
        The cells of columns that have categories.
    labels : mapping of str to ndarray
        The categories.
    deadline : Deadline
        When to stop.
    """
    found = []
    for name, cells in codes.items():
        known = np.where(np.isfinite(cells), cells, -1.0).astype(np.intp)
        counts = np.bincount(known[known >= 0], minlength=1)
        for code in np.argsort(-counts, kind="stable")[:_CATEGORIES]:
            if counts[code] < _FEW or deadline.left <= 0:
                break
            inside = np.flatnonzero(known == code)
            own = oof.take(inside)
            own_said = own.shaped(said[inside])
            score = oof.metric(own.truth, own_said, own.weight)
            low, high = oof.metric.interval(own.truth, own_said, own.weight)
            if np.isfinite([score, low, high]).all() and counts[code] < len(cells):
                label = str(labels[name][code])
                found.append(Subgroup(name, label, int(counts[code]), score, low, high))
    return found


def learning_curve(
    trial: Trial, candidate: Candidate, situation: Situation, material: Material, metric: Metric
) -> LearningCurve | None:
    """The score of a member fitted to an eighth, a quarter, half and all of the training rows.

    Parameters
    ----------
    trial : Trial
        The member, with its models.
    candidate : Candidate
        What it is a trial of.
    situation, material : Situation, Material
        The table.
    metric : Metric
        What is measured.
    """
    splits = material.splits[: min(2, len(trial.models))]
    if not _is_plain(material) or len(splits[0][0]) < _LEAST_ROWS:
        return None
    tests = np.concatenate([test for _, test in splits])
    rng = np.random.default_rng(0)
    orders = [rng.permutation(train) for train, _ in splits]
    losses, sizes, scores = [], [], []
    for share in (*_SHARES, 1.0):
        models = trial.models[: len(splits)]
        if share < 1:
            models = [
                _fit_part(candidate, situation, material, trial, number, order, share)
                for number, order in enumerate(orders)
            ]
        asked = zip(models, splits, strict=True)
        said = np.concatenate([model.ask(material.matrix[test]) for model, (_, test) in asked])
        said = said if material.n_classes else said[:, 0]
        truth, weight = material.truth[tests], material.weights(tests)
        sizes.append(int(share * len(orders[0])))
        scores.append(metric(truth, said, weight))
        if metric.rows is not None:
            losses.append(metric.rows(truth, said))
    gaps = losses[-2] - losses[-1] if losses else np.array([np.nan])
    error = float(gaps.std() / np.sqrt(len(gaps)))
    return LearningCurve(trial.name, sizes, scores, float(gaps.mean()), error)


def _fit_part(
    candidate: Candidate,
    situation: Situation,
    material: Material,
    trial: Trial,
    number: int,
    order: NDArray[np.intp],
    share: float,
) -> ForeignMember:
    """A model of some of the training rows of a split; boosting stops by the held-out rows."""
    rows = np.sort(order[: int(share * len(order))])
    estimator = prepared(candidate, situation, trial.recipe.params, number)
    more: dict[str, Any] = {}
    if trial.recipe.rounds:
        more = watched_rows(material, rows, material.splits[number][1])
        rounds = trial.recipe.rounds[number]
        estimator.set_params(max_iter=rounds, early_stopping=bool(more), keep_best=True)
    return material.seat(fit_clone(estimator, material, rows, **more))
