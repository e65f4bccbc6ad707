"""A candidate fitted to every split and asked about the rows held out."""

from __future__ import annotations

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
from coterie.automl.metrics import own_chance
from coterie.automl.situation import Situation
from coterie.automl.splits import Rows
from coterie.combining.members import Seat
from coterie.learners import takes_weight

Array = NDArray[np.float64]

_PATIENCE = 40  # rounds without improvement on the first held-out part
_EDGE = 1e-15
_PROBE_WORK = 4_000_000  # cells from which time is estimated on some rows first
_PROBE_ROWS = 3_000
_PROBE_ROUNDS = 3
_RATE_TIMES_ROUNDS = 15.0  # what boosting needs about to come to its end
_SHARE = 0.4  # of the time left that one candidate may take
# By which attribute they are known, what is made smaller, how far, and what it is called.
_SHRINKING = (
    ("n_estimators", "n_estimators", 20, "trees"),
    ("hidden_layer_sizes", "max_iter", 6, "epochs"),
)


@dataclass(frozen=True)
class Material:
    """All that candidates are fitted on.

    Parameters
    ----------
    matrix : ndarray or sparse array of shape (n_rows, n_columns)
        Numbers, codes of categories, NaN where something is missing.
    truth : ndarray of shape (n_rows,)
        Codes of classes, or numbers.
    splits : list of (train, test)
        Training and held-out rows.
    n_classes : int
        None for numbers.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    """

    matrix: Any
    truth: NDArray[Any]
    splits: list[tuple[Rows, Rows]]
    n_classes: int
    weight: Array | None = None

    def seat(self, estimator: Any) -> Seat:
        """A fitted estimator whose answers are in the order of the classes."""
        if not self.n_classes:
            return Seat(estimator, None, "predict")
        return Seat(estimator, np.arange(self.n_classes), "predict_proba")

    def weights(self, rows: Rows) -> Array | None:
        """Weights of some rows."""
        return None if self.weight is None else self.weight[rows]


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
    unseen : ndarray of shape (n_rows, n_outputs)
        What its models say of rows they have not seen, the mean over repeats; NaN in rows that
        were never held out.
    models : list of Seat
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
    models: list[Seat] = field(default_factory=list)
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    note: str = ""
    recipe: Recipe = field(default_factory=lambda: Recipe())


def run_trial(
    candidate: Candidate, situation: Situation, material: Material, clock: Clock
) -> Trial:
    """Fit the candidate to every split, within its share of the time that is left.

    Raises
    ------
    OutOfTime
        When the time does not suffice.
    """
    estimator = candidate.make(situation)
    deadline = clock.until(_SHARE * clock.searching)
    start = time.monotonic()
    with _quiet():
        params, note = _haste(candidate, estimator, situation, material, deadline)
        estimator.set_params(**params)
        rounds: list[int] = []
        if candidate.rounds:
            models, ended = _boost(estimator, material, deadline)
            rounds, note = [len(model.pool_) for model in models], ended + note
        else:
            models = _fit_folds(estimator, material, clock)
        seats = [_seated(model, material) for model in models]
        fit_seconds = time.monotonic() - start
        start = time.monotonic()
        unseen = ask_unseen(seats, material)
    if not np.isfinite(unseen[covered_rows(material)]).all():
        raise ValueError("it predicts numbers that are not finite")
    seconds = time.monotonic() - start
    recipe = Recipe(params, rounds)
    return Trial(
        candidate.name, candidate.family, unseen, seats, fit_seconds, seconds, note, recipe
    )


def fit_again(
    candidate: Candidate, situation: Situation, material: Material, recipe: Recipe
) -> list[Seat]:
    """The models of a trial, from what was noted of it."""
    estimator = candidate.make(situation).set_params(**recipe.params)
    seats = []
    with _quiet():
        for number, (train, _) in enumerate(material.splits):
            if recipe.rounds:
                estimator.set_params(max_iter=recipe.rounds[number])
            seats.append(_seated(_fit(estimator, material, train), material))
    return seats


def _seated(model: Any, material: Material) -> Seat:
    # How long each round took would make two fits of the same model differ.
    vars(model).pop("trace_", None)
    return material.seat(model)


def covered_rows(material: Material) -> NDArray[np.bool_]:
    """Rows that are held out at least once."""
    covered = np.zeros(len(material.truth), dtype=bool)
    for _, test in material.splits:
        covered[test] = True
    return covered


def ask_unseen(models: list[Seat], material: Material, matrix: Any = None) -> Array:
    """The mean of what models say of the rows held out for them; NaN for other rows."""
    cells = material.matrix if matrix is None else matrix
    total = np.zeros((len(material.truth), max(1, material.n_classes)))
    times = np.zeros(len(total))
    for model, (_, test) in zip(models, material.splits, strict=True):
        total[test] += model.ask(cells[test])
        times[test] += 1
    total[times == 0] = np.nan
    return np.asarray(total / np.maximum(times, 1)[:, None])


def _fit(estimator: Any, material: Material, rows: Rows, **more: Any) -> Any:
    """A fitted clone."""
    twin = clone(estimator)
    weight = material.weights(rows)
    if weight is not None:
        more |= _weight_argument(twin, weight)
    return twin.fit(material.matrix[rows], material.truth[rows], **more)


def _weight_argument(estimator: Any, weight: Array) -> dict[str, Any]:
    steps = getattr(estimator, "steps", None)
    if steps is None:
        return {"sample_weight": weight}
    return {f"{steps[-1][0]}__sample_weight": weight}


def takes_weights(estimator: Any) -> bool:
    """Whether the estimator, or the last step of a pipeline, takes weights of rows."""
    steps = getattr(estimator, "steps", None)
    return takes_weight(estimator if steps is None else steps[-1][1])


def _fit_folds(estimator: Any, material: Material, clock: Clock) -> list[Any]:
    models: list[Any] = []
    start = time.monotonic()
    for train, _ in material.splits:
        done = len(models)
        to_do = len(material.splits) - done
        if done and (time.monotonic() - start) / done * to_do > clock.searching:
            raise OutOfTime(f"{done} of {len(material.splits)} splits were done")
        models.append(_fit(estimator, material, train))
    return models


def _haste(
    candidate: Candidate,
    estimator: Any,
    situation: Situation,
    material: Material,
    deadline: Deadline,
) -> tuple[dict[str, Any], str]:
    """Parameters that make a candidate faster, if a short trial says that time is short."""
    train = material.splits[0][0]
    if situation.work < _PROBE_WORK or len(train) < 2 * _PROBE_ROWS:
        return {}, ""
    start, left = time.monotonic(), deadline.left
    if candidate.rounds:
        _fit(clone(estimator).set_params(max_iter=_PROBE_ROUNDS), material, train)
        seconds = (time.monotonic() - start) / _PROBE_ROUNDS
        affordable = left / (seconds * len(material.splits))
        rate = float(np.clip(_RATE_TIMES_ROUNDS / affordable, estimator.learning_rate, 0.3))
        if rate <= estimator.learning_rate:
            return {}, ""
        return {"learning_rate": rate}, f", learning rate {rate:.2f}"
    some = train[:: len(train) // _PROBE_ROWS]
    _fit(estimator, material, some)
    seconds = time.monotonic() - start
    expected = 1.3 * seconds * len(train) / len(some) * len(material.splits)
    return ({}, "") if expected <= left else _smaller(estimator, left / expected)


def _smaller(estimator: Any, share: float) -> tuple[dict[str, Any], str]:
    """Fewer members or rounds.

    Raises
    ------
    OutOfTime
        When they would be too few.
    """
    place, inner = getattr(estimator, "steps", [("", estimator)])[-1]
    for mark, name, least, word in _SHRINKING:
        if hasattr(inner, mark):
            number = int(getattr(inner, name) * share)
            if number >= least:
                path = f"{place}__{name}" if place else name
                return {path: number}, f"{number} {word} for lack of time"
    raise OutOfTime(f"{share:.0%} of what it would need")


def _boost(estimator: Any, material: Material, deadline: Deadline) -> tuple[list[Any], str]:
    """Gradient boosting of as many rounds as are best for all held-out rows together.

    The first split stops early, which tells about how many rounds are worth it; the others go a
    bit beyond. The number is the same for all of them, so that it fits no held-out part by chance.
    """
    splits, limit = material.splits, estimator.max_iter
    first, in_time = _boost_first(estimator, material, deadline)
    models, curves, best = [first], [], int(first.n_iter_)
    longest = min(limit, int(1.4 * best) + 20) if in_time else best
    for number, (train, test) in enumerate(splits[1:], start=1):
        own = deadline.share(len(splits) - number)
        model = clone(estimator).set_params(max_iter=longest, callbacks=[own])
        model = _fit(model, material, train)
        model.callbacks = None
        if len(model.pool_) < 0.7 * best:
            raise OutOfTime(f"{number} of {len(splits)} splits were done")
        curves.append(_held_out_curve(model, material, test))
        models.append(model)
    if curves:
        shortest = min(len(curve) for curve in curves)
        best = int(np.sum([curve[:shortest] for curve in curves], axis=0).argmin()) + 1
    for model in models:
        _cut(model, best)
    note = f"{best} rounds" + ("" if in_time else " for lack of time")
    return models, note


def _boost_first(estimator: Any, material: Material, deadline: Deadline) -> tuple[Any, bool]:
    """The model of the first split, stopped by its held-out rows or by its share of the time."""
    train, test = material.splits[0]
    # Others take a bit longer, since they do not stop early.
    own = deadline.share(1.3 * len(material.splits) if len(material.splits) > 1 else 1.0)
    stopping = clone(estimator).set_params(
        early_stopping=True, n_iter_no_change=_PATIENCE, callbacks=[own]
    )
    known = test
    if material.n_classes:
        known = test[np.isin(material.truth[test], material.truth[train])]
    more: dict[str, Any] = {}
    if len(known):
        more = {"X_val": material.matrix[known], "y_val": material.truth[known]}
        weight = material.weights(known)
        if weight is not None:
            more["sample_weight_val"] = weight
    else:
        stopping.set_params(early_stopping=False, max_iter=50)
    model = _fit(stopping, material, train, **more)
    model.callbacks = None
    return model, own.left > 0


def _held_out_curve(model: Any, material: Material, test: Rows) -> Array:
    """Loss of the held-out rows after every round: log-loss, or squared error."""
    X, truth, weight = material.matrix[test], material.truth[test], material.weights(test)
    share = np.ones(len(test)) if weight is None else weight
    losses = []
    if not material.n_classes:
        for said in model.staged_predict(X):
            losses.append(share @ (said - truth) ** 2)
        return np.array(losses)
    place = np.full(material.n_classes, -1)
    place[model.classes_] = np.arange(len(model.classes_))
    known = place[truth] >= 0
    codes, share = place[truth[known]], share[known]
    for said in model.staged_predict_proba(X):
        losses.append(-share @ np.log(np.maximum(own_chance(codes, said[known]), _EDGE)))
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
