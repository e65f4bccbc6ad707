"""A candidate fitted to every split and asked about the held-out rows.

The first splits tell what it is worth and how long the others will take, so that whoever runs a
search can leave it at that.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.automl.candidates import Candidate
from coterie.automl.clock import Clock, Deadline, OutOfTime
from coterie.automl.combine import NOTHING
from coterie.automl.lanes import Lanes
from coterie.automl.material import Material, fit_clone
from coterie.automl.metrics import Metric
from coterie.automl.situation import Situation
from coterie.automl.splits import Rows
from coterie.automl.time_estimates import LEAST_WAY, shrink_to_limit, smaller
from coterie.combining.folds import mean_answers
from coterie.learners import ForeignMember
from coterie.native import stop_if_told

Array = NDArray[np.float64]

#: What may become of a fit to a table that nobody has looked at.
FAILURES = (OutOfTime, ValueError, ArithmeticError, MemoryError, np.linalg.LinAlgError)
OPENED = 2  # splits that tell what a candidate is worth
SHARE = 0.5  # of the time left that one candidate may take, by default
LARGE_SHARE = 0.6  # the same where there are few candidates
_PATIENCE = 2.5  # rounds times learning rate without improvement
_ONE_SHAPE = 0.3  # of what models of two shapes gain from their mean, what those of one gain, about
_USUAL_GAIN = 0.01  # of the loss, of the mean of models of two shapes; it varies about as much
_UNWATCHED = 50  # rounds where no row can tell


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
        Remarks.
    recipe : Recipe
        How the same models are fitted again.
    noise : float
        What the mean of all models gains over one of them, as far as it was measured.
    """

    name: str
    family: str
    unseen: Array
    models: list[ForeignMember] = field(default_factory=list)
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    note: str = ""
    recipe: Recipe = field(default_factory=lambda: Recipe())
    noise: float = 0.0


@dataclass
class Attempt:
    """A candidate on its way through the splits.

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
    share : float, optional
        Of the time left, that all splits together may take.
    """

    candidate: Candidate
    situation: Situation
    material: Material
    clock: Clock
    thorough: bool = False
    share: float | None = None
    params: dict[str, Any] = field(default_factory=dict)
    models: list[Any] = field(default_factory=list)
    seconds: float = 0.0
    note: str = ""
    cut: bool = False  # whether time ended boosting
    _most: int | None = None  # rounds, if so

    def open(self) -> None:
        """Fit the first splits.

        Raises
        ------
        OutOfTime
            When the time does not suffice.
        """
        share = self.share or (LARGE_SHARE if self.situation.binned else SHARE)
        deadline = self.clock.until(share * self.clock.searching)
        with self._working():
            self.params, self.note = shrink_to_limit(
                self.candidate,
                self.candidate.make(self.situation),
                self.situation,
                self.material,
                deadline,
                thorough=self.thorough,
            )
            self._fit_splits(range(min(OPENED, self._n_splits)), deadline)
        if self.cut:
            rate = self._estimator(0).learning_rate
            self._most = min(len(model.pool_) for model in self.models)
            if self.thorough and self._most * rate < LEAST_WAY:
                raise OutOfTime(f"{self._most} rounds of the first split were done")

    def finish(self) -> Trial:
        """Fit the other splits, and ask all models about the held-out rows.

        Raises
        ------
        OutOfTime
            When the time does not suffice.
        """
        with self._working():
            left = range(len(self.models), self._n_splits)
            self._fit_splits(left, self.clock.until(self.clock.searching))
            rounds = self._cut_to_best() if self.candidate.rounds else []
            seats = [_seated(model, self.material) for model in self.models]
        start = time.monotonic()
        with _quiet():
            unseen = ask_unseen(seats, self.material)
        if not np.isfinite(unseen).all():
            raise ValueError("predicts values that are not finite")
        asking = time.monotonic() - start
        name, family = self.candidate.name, self.candidate.family
        recipe = Recipe(self.params, rounds)
        return Trial(name, family, unseen, seats, self.seconds, asking, self.note, recipe)

    @property
    def rest_seconds(self) -> float:
        """What the splits that are left will take, as far as the first ones tell."""
        done, left = len(self.models), self._n_splits - len(self.models)
        if not left:
            return 0.0
        lanes = Lanes(self._n_splits)
        return self.seconds / lanes.rounds(done) * lanes.rounds(left)

    def shrink(self, share: float) -> None:
        """Let the splits that are left take a share of their time, by fewer trees or epochs.

        Raises
        ------
        OutOfTime
            When they would be too few.
        """
        fewer, note = smaller(self._estimator(0), share)
        self.params, self.note = self.params | fewer, note

    @cached_property
    def opening(self) -> Material:
        """The rows, with the first splits alone."""
        return replace(self.material, splits=self.material.splits[:OPENED])

    def said(self) -> Array:
        """What the models say of the rows of `opening` that were held out."""
        with _quiet():
            models = self._best_models()[0] if self.candidate.rounds else self.models
            return ask_unseen([self.material.seat(model) for model in models], self.opening)

    @property
    def _n_splits(self) -> int:
        return len(self.material.splits)

    def _estimator(self, number: int) -> Any:
        return prepared(self.candidate, self.situation, self.params, number)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Without warnings; the time is counted."""
        start = time.monotonic()
        with _quiet():
            yield
        self.seconds += time.monotonic() - start

    def _fit_splits(self, numbers: Sequence[int], deadline: Deadline) -> None:
        splits, boosts = self.material.splits, self.candidate.rounds
        lanes, start = Lanes(len(numbers), apart=not boosts), time.monotonic()
        done: list[int] = []

        # It may run in another process, which knows nothing of the others.
        def fit(number: int) -> tuple[Any, bool]:
            if boosts:
                behind = lanes.rounds(self._n_splits - number)
                return self._boost(number, deadline.share(max(1, behind)))
            seconds, ready = time.monotonic() - start, len(done)
            expected = seconds / max(1, lanes.rounds(ready)) * lanes.rounds(len(numbers) - ready)
            if ready and expected > self.clock.until(self.clock.searching).left:
                raise OutOfTime(f"{numbers[0] + ready} of {len(splits)} splits were done")
            model = fit_clone(self._estimator(number), self.material, splits[number][0])
            done.append(number)
            return model, False

        fitted = lanes.map(fit, numbers)
        self.models += [model for model, _ in fitted]
        self.cut |= any(cut for _, cut in fitted)

    def _boost(self, number: int, deadline: Deadline) -> tuple[Any, bool]:
        """A booster that held-out rows stop, or the time, and whether it was time.

        All of its rounds are kept.
        """
        train, test = self.material.splits[number]
        estimator = self._estimator(number)
        estimator.set_params(callbacks=[deadline])
        if self._most is not None:
            estimator.set_params(max_iter=self._most)
        more = watched_rows(self.material, train, test)
        _stop_early(estimator, more, keep_best=False)
        model = fit_clone(estimator, self.material, train, **more)
        model.callbacks = None
        cut = deadline.left <= 0 and len(model.pool_) < estimator.max_iter
        if cut and self._most is not None and len(model.pool_) < 0.7 * self._most:
            raise OutOfTime(f"{number} of {self._n_splits} splits were done")
        return model, cut

    def _best_models(self) -> tuple[list[Any], list[int]]:
        """Models of the rounds that are best for all held-out rows of their shape, and how many.

        A round that is best for one part alone is so by chance.
        """
        n_turns = len(self.candidate.turns) or 1
        sizes = [len(test) for _, test in self.material.splits[: len(self.models)]]
        chosen = []
        for turn in range(min(n_turns, len(self.models))):
            curves = [-model.validation_score_[1:] for model in self.models[turn::n_turns]]
            chosen.append(best_round(curves, sizes[turn::n_turns]) or len(self.models[turn].pool_))
        models = []
        for number, model in enumerate(self.models):
            best = chosen[number % n_turns]
            models.append(model[:best] if len(model.pool_) > best else model)
        return models, chosen

    def _cut_to_best(self) -> list[int]:
        """Keep the best rounds alone, and tell how many each model has."""
        self.models, chosen = self._best_models()
        counts = " and ".join(map(str, chosen))
        rounds = f"{counts} round" if counts == "1" else f"{counts} rounds"
        self.note = rounds + (" for lack of time" if self.cut else "") + self.note
        return [len(model.pool_) for model in self.models]


def prepared(
    candidate: Candidate, situation: Situation, params: dict[str, Any], number: int
) -> Any:
    """What is fitted to a split: the candidate's estimator, in the shape whose turn it is."""
    estimator = candidate.make(situation)
    turn = candidate.turns[number % len(candidate.turns)] if candidate.turns else {}
    return estimator.set_params(**{**turn, **params})


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
    attempt = Attempt(candidate, situation, material, clock, thorough)
    attempt.open()
    return attempt.finish()


def best_round(curves: Sequence[Array], sizes: Sequence[int]) -> int:
    """The round after which the mean of the losses is least; 0 if there is no curve.

    A curve that ended early stays where it was.

    Parameters
    ----------
    curves : sequence of ndarray
        Losses of held-out rows after every round.
    sizes : sequence of int
        How many rows each of them is of.

    Examples
    --------
    >>> best_round([np.array([3.0, 1.0, 2.0]), np.array([3.0, 2.0])], [10, 10])
    2
    """
    known = [(curve, size) for curve, size in zip(curves, sizes, strict=True) if len(curve)]
    if not known:
        return 0
    longest = max(len(curve) for curve, _ in known)
    padded = [np.pad(curve, (0, longest - len(curve)), mode="edge") for curve, _ in known]
    mean = np.average(padded, axis=0, weights=[size for _, size in known])
    return int(np.nanargmin(mean)) + 1 if np.isfinite(mean).any() else longest


def fit_again(
    candidate: Candidate,
    situation: Situation,
    material: Material,
    recipe: Recipe,
    numbers: Sequence[int] | None = None,
) -> list[ForeignMember]:
    """The models of a trial, from what was noted of it; or those of other splits.

    Parameters
    ----------
    candidate, situation, material, recipe : Candidate, Situation, Material, Recipe
        The trial, and its table.
    numbers : sequence of int, optional
        Which splits, in the order of `Material.splits` and `Material.further`; the former if not
        given.
    """
    splits = [*material.splits, *material.further]
    numbers = range(len(material.splits)) if numbers is None else numbers
    n_turns = len(candidate.turns) or 1

    def fit(number: int) -> ForeignMember:
        estimator, more = prepared(candidate, situation, recipe.params, number), {}
        known = number if number < len(recipe.rounds) else number % n_turns
        if known < len(recipe.rounds):
            estimator.set_params(max_iter=recipe.rounds[known])
        elif recipe.rounds:  # of a shape that nothing is known of
            more = watched_rows(material, *splits[number])
            _stop_early(estimator, more)
        return _seated(fit_clone(estimator, material, splits[number][0], **more), material)

    with _quiet():
        return Lanes(len(numbers)).map(fit, numbers)


def gain_of_mean(
    candidate: Candidate,
    situation: Situation,
    material: Material,
    trial: Trial,
    metric: Metric,
) -> tuple[float, float]:
    r"""What the mean of the models of all splits gains over one of them, and its standard error.

    Each row that was held out is asked about once, or :math:`r` times if rows are dealt so often;
    so what is known of a member is how good :math:`r` of its models are, but in the end all answer
    with their mean. A second model of the first split, in the shape whose turn is next, tells what
    the mean of two gains. Were models' errors apart from what they have in common independent, the
    mean of :math:`k` would gain

    .. math:: 2 (1/r - 1/k) \Big( \tfrac{1}{2} (L_1 + L_2) - L_{12} \Big)

    Parameters
    ----------
    candidate, situation, material : Candidate, Situation, Material
        What was tried, and its table.
    trial : Trial
        What came of it.
    metric : Metric
        What is to be good.
    """
    (train, test), number = material.splits[0], len(trial.recipe.rounds)
    estimator = prepared(candidate, situation, trial.recipe.params, 1)
    estimator.set_params(max_iter=trial.recipe.rounds[1])
    with _quiet():
        other = _seated(fit_clone(estimator, material, train), material)
        said = [model.ask(material.matrix[test]) for model in (trial.models[0], other)]
    if not material.n_classes:
        said = [one[:, 0] for one in said]
    truth, weight, mean = material.truth[test], material.weights(test), np.mean(said, axis=0)
    apart = np.mean([metric.loss(truth, one, weight) for one in said])
    asked = sum(len(rows) for _, rows in material.splits) / len(material.covered)
    left = 1 / asked - 1 / number
    gain = max(0.0, 2 * left * float(apart - metric.loss(truth, mean, weight)))
    error = 1.0  # as a share
    if metric.rows is not None:
        of_rows = np.mean([metric.rows(truth, one) for one in said], axis=0)
        of_rows = of_rows - metric.rows(truth, mean)
        error = of_rows.std() / max(abs(of_rows.mean()), NOTHING) / np.sqrt(len(test))
    return gain, float(gain * error)


def likely_gain(loss: float, measured: tuple[float, float] | None = None) -> float:
    """What the mean of the models is likely to gain, by what it gains on other tables.

    Parameters
    ----------
    loss : float
        Of one model.
    measured : tuple of float, optional
        What was measured, and its standard error: of a few rows, that is hardly more than a guess.

    Examples
    --------
    >>> round(likely_gain(1.0), 3), round(likely_gain(1.0, (0.03, 0.001)), 3)
    (0.01, 0.03)
    """
    usual = _USUAL_GAIN * abs(loss)
    if measured is None or not usual:
        return usual
    gain, error = measured
    trust = usual**2 / (usual**2 + error**2)
    return trust * gain + (1 - trust) * usual


def noise_of(trials: Sequence[Trial]) -> Array:
    """What each member gains from the mean of its models, about.

    It was measured of models of two shapes, which differ more than those of one.

    Parameters
    ----------
    trials : sequence of Trial
        The members.
    """
    most = max(trial.noise for trial in trials)
    return np.array([trial.noise or _ONE_SHAPE * most for trial in trials])


def _stop_early(estimator: Any, watched: dict[str, Any], *, keep_best: bool = True) -> None:
    """Let rows stop boosting, if there are any."""
    if not watched:
        estimator.set_params(max_iter=_UNWATCHED)
        return
    patience = round(_PATIENCE / estimator.learning_rate)
    estimator.set_params(early_stopping=True, n_iter_no_change=patience, keep_best=keep_best)


def _seated(model: Any, material: Material) -> ForeignMember:
    # How long each round took would make two fits of the same model differ.
    vars(model).pop("trace_", None)
    return material.seat(model)


def ask_unseen(models: list[ForeignMember], material: Material, matrix: Any = None) -> Array:
    """The mean of what models say of the held-out rows for them, in order of these rows."""
    cells = material.matrix if matrix is None else matrix
    tests = [test for _, test in material.splits]
    said = []
    for model, test in zip(models, tests, strict=True):
        stop_if_told()
        said.append(model.ask(cells[test]))
    places = [np.searchsorted(material.covered, test) for test in tests]
    return mean_answers(len(material.covered), places, said)


def watched_rows(material: Material, train: Rows, test: Rows) -> dict[str, Any]:
    """Arguments of a fit that stops by held-out rows, those of classes it knows; none if none."""
    if material.n_classes:
        there = np.bincount(material.truth[train], minlength=material.n_classes) > 0
        test = test[there[material.truth[test]]]
    if not len(test):
        return {}
    rows = {"X_val": material.matrix[test], "y_val": material.truth[test]}
    weight = material.weights(test)
    return rows if weight is None else rows | {"sample_weight_val": weight}


@contextmanager
def _quiet() -> Iterator[None]:
    """No warnings: members are tried on tables nobody has looked at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
