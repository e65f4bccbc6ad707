"""A candidate fitted to every split and asked about the rows held out."""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from coterie.automl.candidates import Candidate
from coterie.automl.clock import Clock, Deadline, OutOfTime
from coterie.automl.lanes import Lanes
from coterie.automl.material import Material, fit_clone
from coterie.automl.situation import Situation
from coterie.automl.splits import Rows
from coterie.automl.time_estimates import LEAST_WAY, shrink_to_limit
from coterie.combining.folds import mean_answers
from coterie.fusion.row_losses import log_loss_rows
from coterie.learners import ForeignMember
from coterie.native import stop_if_told

Array = NDArray[np.float64]

_PATIENCE = 40  # rounds without improvement on the first held-out part
_EDGE = 1e-15
_SHARE = 0.4  # of the time left that one candidate may take
_LARGE_SHARE = 0.6  # the same where there are few candidates


@dataclass(frozen=True)
class Recipe:
    """What time and held-out rows have decided about the models of a trial.

    Parameters
    ----------
    params : dict
        Parameters that differ from the candidate's.
    rounds : list of int
        Rounds of gradient boosting in each split.
    """

    params: dict[str, Any] = field(default_factory=dict)
    rounds: list[int] = field(default_factory=list)


@dataclass
class Trial:
    """What came of a candidate.

    Parameters
    ----------
    name, family : str
        The candidate.
    unseen : ndarray of shape (n_covered, n_outputs)
        What its models say of rows they have not seen, the mean over repeats: one row for each of
        those that were held out, `Material.covered`.
    models : list of ForeignMember
        One for each split; empty if they were not kept.
    fit_seconds, predict_seconds : float
        Time of all splits together.
    note : str
        What else to know.
    recipe : Recipe
        How the same models are fitted again.
    """

    name: str
    family: str
    unseen: Array
    models: list[ForeignMember] = field(default_factory=list)
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    note: str = ""
    recipe: Recipe = field(default_factory=lambda: Recipe())


def run_trial(
    candidate: Candidate,
    situation: Situation,
    material: Material,
    clock: Clock,
    *,
    thorough: bool = False,
) -> Trial:
    """Fit the candidate to every split, within its share of the time that is left.

    Parameters
    ----------
    candidate : Candidate
        What is tried.
    situation, material : Situation, Material
        The table.
    clock : Clock
        The time that is left.
    thorough : bool, default=False
        Whether boosting that cannot come near its end is given up, since there are other members.

    Raises
    ------
    OutOfTime
        When the time does not suffice.
    """
    estimator = candidate.make(situation)
    deadline = clock.until((_LARGE_SHARE if situation.binned else _SHARE) * clock.searching)
    start = time.monotonic()
    with _quiet():
        params, note = shrink_to_limit(
            candidate, estimator, situation, material, deadline, thorough=thorough
        )
        estimator.set_params(**params)
        rounds: list[int] = []
        if candidate.rounds:
            models, ended = _boost(estimator, material, deadline, thorough=thorough)
            rounds, note = [len(model.pool_) for model in models], ended + note
        else:
            models = _fit_folds(estimator, material, clock)
        seats = [_seated(model, material) for model in models]
        fit_seconds = time.monotonic() - start
        start = time.monotonic()
        unseen = ask_unseen(seats, material)
    if not np.isfinite(unseen).all():
        raise ValueError("it predicts numbers that are not finite")
    seconds = time.monotonic() - start
    recipe = Recipe(params, rounds)
    return Trial(
        candidate.name, candidate.family, unseen, seats, fit_seconds, seconds, note, recipe
    )


def fit_again(
    candidate: Candidate, situation: Situation, material: Material, recipe: Recipe
) -> list[ForeignMember]:
    """The models of a trial, from what was noted of it."""
    estimator = candidate.make(situation).set_params(**recipe.params)
    seats = []
    with _quiet():
        for number, (train, _) in enumerate(material.splits):
            if recipe.rounds:
                estimator.set_params(max_iter=recipe.rounds[number])
            seats.append(_seated(fit_clone(estimator, material, train), material))
    return seats


def _seated(model: Any, material: Material) -> ForeignMember:
    # How long each round took would make two fits of the same model differ.
    vars(model).pop("trace_", None)
    return material.seat(model)


def ask_unseen(models: list[ForeignMember], material: Material, matrix: Any = None) -> Array:
    """The mean of what models say of the rows held out for them, in order of these rows."""
    cells = material.matrix if matrix is None else matrix
    tests = [test for _, test in material.splits]
    said = []
    for model, test in zip(models, tests, strict=True):
        stop_if_told()
        said.append(model.ask(cells[test]))
    places = [np.searchsorted(material.covered, test) for test in tests]
    return mean_answers(len(material.covered), places, said)


def _fit_folds(estimator: Any, material: Material, clock: Clock) -> list[Any]:
    splits = material.splits
    lanes, start, done = Lanes(len(splits), apart=True), time.monotonic(), itertools.count(1)
    progress = [0]

    def fit(train: Rows) -> Any:
        seconds, ready = time.monotonic() - start, progress[0]
        expected = seconds / max(1, lanes.rounds(ready)) * lanes.rounds(len(splits) - ready)
        if ready and expected > clock.searching:
            raise OutOfTime(f"{ready} of {len(splits)} splits were done")
        model = fit_clone(estimator, material, train)
        progress[0] = next(done)
        return model

    return lanes.map(fit, [train for train, _ in splits])


def _boost(
    estimator: Any, material: Material, deadline: Deadline, *, thorough: bool
) -> tuple[list[Any], str]:
    """Gradient boosting of as many rounds as are best for all held-out rows together.

    The first split stops early, which tells about how many rounds are worth it; the others go a
    bit beyond. The number is the same for all of them, so that it fits no held-out part by chance.
    """
    splits, limit = material.splits, estimator.max_iter
    lanes = Lanes(len(splits) - 1)
    first, in_time = _boost_first(estimator, material, deadline, lanes)
    best = int(first.n_iter_)
    if thorough and not in_time and best * estimator.learning_rate < LEAST_WAY:
        raise OutOfTime(f"{best} rounds of the first split were done")
    longest = min(limit, int(1.4 * best) + 20) if in_time else best

    def boost(number: int) -> tuple[Any, Array]:
        train, test = splits[number]
        own = deadline.share(lanes.rounds(len(splits) - number))
        model = clone(estimator).set_params(max_iter=longest, callbacks=[own])
        model = fit_clone(model, material, train)
        model.callbacks = None
        if len(model.pool_) < 0.7 * best:
            raise OutOfTime(f"{number} of {len(splits)} splits were done")
        return model, _held_out_curve(model, material, test)

    found = lanes.map(boost, range(1, len(splits)))
    models, curves = [first, *(model for model, _ in found)], [curve for _, curve in found]
    if curves:
        shortest = min(len(curve) for curve in curves)
        best = int(np.sum([curve[:shortest] for curve in curves], axis=0).argmin()) + 1
    for model in models:
        _cut(model, best)
    note = "1 round" if best == 1 else f"{best} rounds"
    note += "" if in_time else " for lack of time"
    return models, note


def _boost_first(
    estimator: Any, material: Material, deadline: Deadline, lanes: Lanes
) -> tuple[Any, bool]:
    """The model of the first split, stopped by its held-out rows or by its share of the time."""
    train, test = material.splits[0]
    # Others take a bit longer, since they do not stop early.
    own = deadline.share(1.0 + 1.4 * (len(material.splits) - 1) / lanes.number)
    stopping = clone(estimator).set_params(
        early_stopping=True, n_iter_no_change=_PATIENCE, callbacks=[own]
    )
    known = test
    if material.n_classes:
        there = np.bincount(material.truth[train], minlength=material.n_classes) > 0
        known = test[there[material.truth[test]]]
    more: dict[str, Any] = {}
    if len(known):
        more = {"X_val": material.matrix[known], "y_val": material.truth[known]}
        weight = material.weights(known)
        if weight is not None:
            more["sample_weight_val"] = weight
    else:
        stopping.set_params(early_stopping=False, max_iter=50)
    model = fit_clone(stopping, material, train, **more)
    model.callbacks = None
    return model, own.left > 0


def _held_out_curve(model: Any, material: Material, test: Rows) -> Array:
    """Loss of the held-out rows after every round: log-loss, or squared error."""
    X, truth, weight = material.matrix[test], material.truth[test], material.weights(test)
    share = np.ones(len(test)) if weight is None else weight
    losses = []
    if not material.n_classes:
        for said in model.staged_predict(X):
            stop_if_told()
            losses.append(share @ (said - truth) ** 2)
        return np.array(losses)
    place = np.full(material.n_classes, -1)
    place[model.classes_] = np.arange(len(model.classes_))
    known = place[truth] >= 0
    codes, share = place[truth[known]], share[known]
    for said in model.staged_predict_proba(X):
        stop_if_told()
        losses.append(share @ log_loss_rows(said[known], codes, _EDGE))
    return np.array(losses)


def _cut(model: Any, n_rounds: int) -> None:
    """Keep the first rounds of a fitted model only."""
    if len(model.pool_) > n_rounds:
        model.pool_ = model.pool_[:n_rounds]
        model.n_iter_ = n_rounds


@contextmanager
def _quiet() -> Iterator[None]:
    """No warnings: members are tried on tables nobody has looked at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
