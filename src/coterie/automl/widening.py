"""Models of the members that were chosen: fitted again, and fitted to further splits."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import suppress

from coterie.automl.candidates import PRIOR, Candidate, choose_candidates, drawn
from coterie.automl.lanes import Lanes
from coterie.automl.records import TableMember
from coterie.automl.search import Search
from coterie.automl.second_layer import FAMILY
from coterie.automl.trial import FAILURES, Trial, fit_again
from coterie.automl.wishes import Wishes

_SAFE = 1.5  # times the time that a model is expected to take


def widen(
    search: Search,
    members: list[TableMember],
    trials: list[Trial],
    wishes: Wishes,
    numbers: Sequence[int],
    kept: float = 0.0,
) -> bool:
    """Let members have models of further splits, too, as long as there is time; whether any has.

    More models of a kind are a better mean of them. Those of the largest weight come first.

    Parameters
    ----------
    search : Search
        At its end.
    members : list of TableMember
        Those that were chosen, of the largest weight first.
    trials : list of Trial
        What they come from.
    wishes : Wishes
        What the user asked for.
    numbers : sequence of int
        Which splits, see `fit_again`.
    kept : float, default=0
        Seconds that are left for others.
    """
    material, clock, done = search.material, search.clock, False
    lanes, first = Lanes(len(material.splits)), len(material.splits)
    step, usual = lanes.number, None
    if not clock.measured:
        step, usual = 1, search.situation.booster_seconds
    for start in range(0, len(numbers), step):
        some = numbers[start : start + step]
        for member, trial in zip(members, trials, strict=True):
            seconds = usual or trial.fit_seconds / lanes.rounds(first)
            if trial.family == FAMILY or _SAFE * seconds > clock.ending - kept:
                continue
            clock.charge(seconds)
            with suppress(*FAILURES), clock.ending_after(clock.ending - kept):
                candidate = candidate_of(search, trial, wishes)
                again = fit_again(candidate, search.situation, material, trial.recipe, numbers=some)
                member.models.extend(seat.estimator for seat in again)
                done = True
    return done


def with_models(search: Search, trial: Trial, wishes: Wishes) -> Trial:
    """The trial with its models, which are fitted again if the journal did not keep them."""
    if not trial.models:
        candidate = candidate_of(search, trial, wishes)
        trial.models = fit_again(candidate, search.situation, search.material, trial.recipe)
    return trial


def candidate_of(search: Search, trial: Trial, wishes: Wishes) -> Candidate:
    """The candidate that a trial is of."""
    candidates = choose_candidates(
        wishes.members, interpretable=wishes.interpretable, binned=search.situation.binned
    )
    every = itertools.chain([*candidates, PRIOR], drawn(wishes.seed))
    return next(c for c in every if c.name == trial.name)
