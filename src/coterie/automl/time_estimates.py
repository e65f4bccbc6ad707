"""How long a candidate would take, and how it is made smaller if that is too long.

Members of scikit-learn cannot be interrupted, so time is estimated before they begin: networks by
their first epochs, others by some of the rows.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie.automl.candidates import Candidate
from coterie.automl.clock import MOMENT, Deadline, OutOfTime
from coterie.automl.lanes import Lanes
from coterie.automl.material import Material, fit_clone
from coterie.automl.situation import Situation, booster_seconds

_LONG = 86_400.0  # seconds that are as good as no limit
_LARGE_WORK = 4_000_000  # cells from which time is always estimated
_SECONDS_PER_CELL = 3e-5  # that no candidate should need
_ROWS, _FEW_ROWS, _EPOCH_ROWS = 1_000, 300, 8_000
_TREES = 0.04  # share of the trees that tell how long all take
MANY_CLASSES = 100  # from which a look at some rows takes too long itself
# Seconds: of a cell of the scores, of a cell that a tree looks at, of a tree; in one thread.
_SCORE, _CELL, _TREE = 1.5e-8, 1e-9, 3e-5
_ANY_SCORE, _ANY_CELL = 1e-6, 1e-6  # the same of what is no booster, all of a fit
_MEMORY = 4e9  # bytes of the leaves of a forest
_AMPLE = 0.2  # share of the time, below which an estimate need not be exact
_EPOCHS = 2
_ROUNDS = 3
_RATE_TIMES_ROUNDS = 15.0  # what boosting needs about to come to its end
LEAST_WAY = 4.0  # the same of boosting that is worth its time
_EARLY = 0.7  # share of the epochs that are needed, about, if held-out rows stop a network
# By which attribute they are known, what is made smaller, how far, and what it is called.
_SHRINKING = (
    ("n_estimators", "n_estimators", 5, "trees"),
    ("hidden_layer_sizes", "max_iter", 12, "epochs"),
)


def shrink_to_limit(
    candidate: Candidate,
    estimator: Any,
    situation: Situation,
    material: Material,
    deadline: Deadline,
    *,
    thorough: bool = False,
) -> tuple[dict[str, Any], str]:
    """Parameters that make a candidate faster, if a short trial says that time is short.

    Parameters
    ----------
    candidate : Candidate
        What is to be tried.
    estimator : estimator
        What it makes, with its own parameters.
    situation, material : Situation, Material
        The table.
    deadline : Deadline
        When it should be done with all splits.
    thorough : bool, default=False
        Whether boosting that cannot come near its end is not begun.

    Returns
    -------
    params : dict
        Parameters to be set; none if there is time enough.
    note : str
        For people.

    Raises
    ------
    OutOfTime
        When nothing that is worth it can be done in time.
    """
    if deadline.left > _LONG:
        return {}, ""
    least = least_seconds(candidate, situation, material)
    # A small model a moment late is better than none.
    if least > max(deadline.left, MOMENT):
        raise OutOfTime(f"needs at least {least:.0f} s")
    _, inner = _last_step(estimator)
    if hasattr(inner, "hidden_layer_sizes"):
        return _fewer_epochs(estimator, material, deadline)
    work, n_rows = situation.work, len(material.splits[0][0])
    known = work < _LARGE_WORK and work * _SECONDS_PER_CELL < deadline.left
    if candidate.rounds:
        # Boosting looks at the clock itself.
        usual = booster_seconds(n_rows, situation.n_columns, situation.n_classes)
        ample = usual * _fits_in_a_row(material) < _AMPLE * deadline.left
        return ({}, "") if ample else _larger_steps(estimator, material, deadline, thorough)
    if known or n_rows < _FEW_ROWS:
        return {}, ""
    if hasattr(inner, "n_estimators"):
        return _fewer_trees(estimator, material, deadline)
    return _done_in_time(estimator, material, deadline)


def least_seconds(candidate: Candidate, situation: Situation, material: Material) -> float:
    """The least that a candidate takes, as far as the size of the table tells; often zero.

    Boosting grows a tree for each class and round, and cannot be ended within a round. Where there
    are many classes, or many columns of few rows, a short trial would take too long itself.

    Parameters
    ----------
    candidate, situation, material : Candidate, Situation, Material
        What is to be tried, and the table.
    """
    n_rows, n_splits = len(material.splits[0][0]), len(material.splits)
    scores = situation.n_classes if situation.n_classes > 2 else 1
    if candidate.family == "prior":
        return 0.0
    if candidate.rounds:
        tree = n_rows * situation.n_columns * _CELL + _TREE
        return n_splits * scores * (n_rows * _SCORE + tree)
    if situation.n_classes > MANY_CLASSES:
        return n_splits * n_rows * scores * _ANY_SCORE
    if situation.work >= _LARGE_WORK and n_rows < 4 * _ROWS:
        return n_splits * situation.work * _ANY_CELL
    return 0.0


def is_quick(situation: Situation, material: Material) -> bool:
    """Whether any candidate is fitted in a moment."""
    return situation.work * len(material.splits) * _SECONDS_PER_CELL < MOMENT


def takes_much_memory(estimator: Any, situation: Situation) -> bool:
    """Whether the leaves of a forest, each with a number for every class, are too large."""
    n_trees = getattr(estimator, "n_estimators", None)
    if n_trees is None or not hasattr(estimator, "max_leaf_nodes"):
        return False
    leaves = min(situation.n_rows / 2, estimator.max_leaf_nodes or np.inf)
    return bool(n_trees * leaves * max(1, situation.n_classes) * 8 > _MEMORY)


def _larger_steps(
    estimator: Any, material: Material, deadline: Deadline, thorough: bool
) -> tuple[dict[str, Any], str]:
    """A learning rate with which boosting comes to its end in time."""
    left, train = deadline.left, material.splits[0][0]
    taken = []
    for number in (1, 1 + _ROUNDS):
        start = time.monotonic()
        brief = clone(estimator).set_params(max_iter=number, callbacks=[deadline.share(4)])
        tried = fit_clone(brief, material, train)
        taken.append(time.monotonic() - start)
    seconds = max(taken[1] - taken[0], 0.1 * taken[1]) / max(1, len(tried.pool_) - 1)
    # Each fit begins with what does not depend on rounds.
    affordable = max(0.0, left / len(material.splits) - taken[0]) / seconds
    rate = float(np.clip(_RATE_TIMES_ROUNDS / max(affordable, 1.0), estimator.learning_rate, 0.3))
    if thorough and affordable * rate < LEAST_WAY:
        raise OutOfTime(f"enough for {affordable:.0f} rounds")
    if rate <= estimator.learning_rate:
        return {}, ""
    return {"learning_rate": rate}, f", learning rate {rate:.2f}"


def _fewer_epochs(
    estimator: Any, material: Material, deadline: Deadline
) -> tuple[dict[str, Any], str]:
    """Epochs that a network has the time for.

    Batches grow with the rows, so that an epoch of some rows may take as long as one of all.
    """
    place, network = _last_step(estimator)
    train = material.splits[0][0]
    some = train[:: max(1, len(train) // _EPOCH_ROWS)]
    taken = []
    for number in (1, 1 + _EPOCHS):
        start = time.monotonic()
        fit_clone(clone(estimator).set_params(**{_path(place, "max_iter"): number}), material, some)
        taken.append(time.monotonic() - start)
    # Each fit begins with what does not depend on epochs.
    each = max(taken[1] - taken[0], 0.1 * taken[1]) / _EPOCHS
    epochs = network.max_iter * (_EARLY if network.early_stopping else 1.0)
    once = max(0.0, taken[0] - each) + each * epochs
    return _within(estimator, once * len(train) / len(some) * _fits_in_a_row(material), deadline)


def _fewer_trees(
    estimator: Any, material: Material, deadline: Deadline
) -> tuple[dict[str, Any], str]:
    """Trees that there is time for, by what a few of them take."""
    place, forest = _last_step(estimator)
    number = max(2, round(_TREES * forest.n_estimators))
    few = clone(estimator).set_params(**{_path(place, "n_estimators"): number})
    once = _seconds(few, material, material.splits[0][0]) * forest.n_estimators / number
    return _within(estimator, 1.2 * once * _fits_in_a_row(material), deadline)


def _done_in_time(
    estimator: Any, material: Material, deadline: Deadline
) -> tuple[dict[str, Any], str]:
    """Nothing, or an error: what cannot be made smaller is done as a whole or not at all."""
    train = material.splits[0][0]
    # Of a small table half is taken: of less, most of the time is what does not grow with rows.
    some = train[:: max(2, len(train) // _ROWS)]
    few = some[::2]
    brief, long = (_seconds(estimator, material, rows) for rows in (few, some))
    _, inner = _last_step(estimator)
    # Neighbours and kernel machines compare each row with each.
    pairs = any(hasattr(inner, mark) for mark in ("n_neighbors", "kernel", "regressor"))
    power = 2 if pairs else 1
    # What does not grow with the rows is not multiplied; clocks are not that exact, though.
    growing = max(long - brief, 0.3 * long) / (1 - (len(few) / len(some)) ** power)
    once = long + growing * ((len(train) / len(some)) ** power - 1)
    # What cannot be made smaller may take twice its share.
    return _within(estimator, 0.5 * 1.3 * once * _fits_in_a_row(material), deadline)


def _within(estimator: Any, expected: float, deadline: Deadline) -> tuple[dict[str, Any], str]:
    left = deadline.left
    return ({}, "") if expected <= left else smaller(estimator, left / expected)


def _fits_in_a_row(material: Material) -> int:
    n_splits = len(material.splits)
    return Lanes(n_splits).rounds(n_splits)


def _seconds(estimator: Any, material: Material, rows: Any) -> float:
    """How long it takes to fit to some rows and to ask about them."""
    start = time.monotonic()
    material.seat(fit_clone(estimator, material, rows)).ask(material.matrix[rows])
    return time.monotonic() - start


def smaller(estimator: Any, share: float) -> tuple[dict[str, Any], str]:
    """Fewer members or epochs.

    Parameters
    ----------
    estimator : estimator
        What would take too long.
    share : float
        Share of its time that there is.

    Raises
    ------
    OutOfTime
        When they would be too few.
    """
    place, inner = _last_step(estimator)
    for mark, name, least, word in _SHRINKING:
        if hasattr(inner, mark):
            number = int(getattr(inner, name) * share)
            if number >= least:
                return {_path(place, name): number}, f"{number} {word} for lack of time"
    left = f"only {share:.0%} of the time it needs" if share > 0 else "none was left"
    raise OutOfTime(left)


def _last_step(estimator: Any) -> tuple[str, Any]:
    """The name and the estimator at the end of a pipeline, or the estimator itself."""
    name, inner = getattr(estimator, "steps", [("", estimator)])[-1]
    return name, inner


def _path(place: str, name: str) -> str:
    return f"{place}__{name}" if place else name
