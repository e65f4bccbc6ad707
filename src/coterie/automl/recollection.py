"""What a journal keeps of a candidate that was tried, and the trial that it makes again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.automl.candidates import Candidate
from coterie.automl.situation import Situation
from coterie.automl.trial import Recipe, Trial
from coterie.learners import ForeignMember

_AT_THE_END = 0.95  # of the most rounds: as many as could be had


def facts_of(trial: Trial, n_splits: int, elapsed: float) -> dict[str, Any]:
    """What is noted of a trial besides what it says and its models.

    Parameters
    ----------
    trial : Trial
        What came of a candidate.
    n_splits : int
        That it was judged by.
    elapsed : float
        Seconds of the search until then.
    """
    return {
        "fit_seconds": trial.fit_seconds,
        "predict_seconds": trial.predict_seconds,
        "note": trial.note,
        "recipe": asdict(trial.recipe),
        "splits": n_splits,
        "noise": trial.noise,
        "elapsed": elapsed,
    }


def recalled(
    candidate: Candidate,
    facts: dict[str, Any],
    unseen: NDArray[np.float64],
    models: list[ForeignMember],
) -> Trial:
    """The trial that facts were noted of.

    Parameters
    ----------
    candidate : Candidate
        What was tried.
    facts : dict
        See `facts_of`.
    unseen : ndarray
        What was said of held-out rows.
    models : list of ForeignMember
        Those that were kept.
    """
    trial = Trial(candidate.name, candidate.family, unseen, models, facts["fit_seconds"])
    trial.predict_seconds, trial.note = facts["predict_seconds"], facts["note"]
    trial.recipe, trial.noise = Recipe(**facts["recipe"]), facts.get("noise", 0.0)
    return trial


def would_go_on(trial: Trial, candidates: Sequence[Candidate], situation: Situation) -> bool:
    """Whether a booster was best with as many rounds as it may have, or nearly so.

    Parameters
    ----------
    trial : Trial
        What came of it.
    candidates : sequence of Candidate
        Among which it is.
    situation : Situation
        The table.
    """
    rounds = trial.recipe.rounds
    known = [c for c in candidates if c.name == trial.name and rounds]
    return any(max(rounds) >= _AT_THE_END * c.make(situation).max_iter for c in known)
