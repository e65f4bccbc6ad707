"""The best way to combine what a search has found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coterie.automl.candidates import DEFAULT
from coterie.automl.combine import (
    Learn,
    ScoredBlend,
    affordable_rows,
    alone,
    best_single,
    choose,
    judge,
)
from coterie.automl.search import Search
from coterie.automl.splits import N_PARTS, deal_parts
from coterie.automl.trial import noise_of
from coterie.data.errors import counted


def choose_combination(
    search: Search,
    folds: NDArray[np.intp],
    ways: Sequence[Learn],
    *,
    hold_out: bool,
    simple: bool = False,
) -> tuple[ScoredBlend, list[ScoredBlend]]:
    """The chosen way to combine the trials, and all that were judged.

    Parameters
    ----------
    search : Search
        At its end.
    folds : ndarray of int of shape (n_rows,)
        The fold of each row.
    ways : sequence of callables
        What is tried.
    hold_out : bool
        Whether only the first fold was held out.
    simple : bool, default=False
        Whether something simpler is wanted if the best is not clearly better.
    """
    number = len(search.trials)
    search.tell("combine", message=counted(number, "member"))
    oof = search.out_of_fold()
    known = None if hold_out or search.owed else folds[search.material.covered]
    parts = deal_parts(len(oof.truth), known, search.situation.seed)
    most = affordable_rows(oof, ways, search.clock, N_PARTS)
    if not most:
        ways, most = [best_single], len(oof.truth)
    judged = judge(oof, parts, ways, most)
    names = [trial.name for trial in search.trials]
    if DEFAULT in names and len(names) > 1:
        # Nothing is chosen that is not as good as this.
        judged[:0] = alone(oof, names.index(DEFAULT), f"{DEFAULT} alone")
    return choose(judged, oof, simple=simple, noise=noise_of(search.trials)), judged
