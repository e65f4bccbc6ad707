"""The loop for members that do not need one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from coterie.core.executor import Executor, Serial
from coterie.core.learner import Learner, Member, numbered
from coterie.core.seeds import growing_stream, shaking_stream
from coterie.core.shake import Shake, View, untouched

Watch = Callable[[int, Member], bool]


def gather(
    learner: Learner,
    view: View,
    *,
    seeds: NDArray[np.int64],
    shake: Shake = untouched,
    executor: Executor | None = None,
    watches: Sequence[Watch] = (),
    batch: int = 16,
    first: int = 0,
) -> list[Member]:
    """Fit one member per seed, each on its own shake of `view`.

    Parameters
    ----------
    learner : Learner
        Fits a member.
    view : View
        Table, target and weights.
    seeds : ndarray of shape (n_members,)
        One seed per member; a member depends on its own seed only.
    shake : callable
        ``(view, rng) -> view``, what a member gets to see.
    executor : Executor, optional
        Where members are fitted; one after the other when not given.
    watches : sequence of callables
        Each is told ``(number, member)`` of every new member in order; a true answer ends the
        loop.
    batch : int
        Members handed to the executor at a time when somebody watches, so that few are fitted in
        vain; which members there are in the end does not depend on it.
    first : int
        Position of the first member, named in errors.

    Returns
    -------
    list of members
        In the order of `seeds`.
    """
    jobs = list(enumerate(map(int, seeds), first))
    fit = partial(_fit_job, learner, view, shake)
    executor = executor or Serial()
    members: list[Member] = []
    step = batch if watches else max(1, len(seeds))
    for start in range(0, len(seeds), step):
        for member in executor.map(fit, jobs[start : start + step]):
            members.append(member)
            if any([watch(len(members), member) for watch in watches]):
                return members
    return members


def _fit_job(learner: Learner, view: View, shake: Shake, job: tuple[int, int]) -> Member:
    number, seed = job
    return fit_member(numbered(learner, number), view, shake, seed)


def fit_member(learner: Learner, view: View, shake: Shake, seed: int) -> Member:
    """Fit the member of `seed`.

    One with columns of its own is told so (`among`), and so is one with rows to check itself on
    (`watching`).
    """
    shaken = shake(view, shaking_stream(seed))
    if shaken.columns is not None:
        learner = learner.among(shaken.columns)  # type: ignore[attr-defined]  # see Choosy
    if shaken.spare is not None:
        learner = learner.watching(shaken.spare)  # type: ignore[attr-defined]  # see Careful
    return learner.fit(shaken.table, shaken.target, shaken.weight, growing_stream(seed))
