"""What part of the time that is left a further candidate may take, by what the first one took."""

from __future__ import annotations

from collections.abc import Sequence

from coterie.automl.candidates import Candidate
from coterie.automl.clock import MOMENT, Clock
from coterie.automl.lanes import Lanes
from coterie.automl.trial import Trial

MOST = 0.6  # of the time left, for a booster
_HALF, _LEAST = 0.5, 0.25  # of what the first booster took: what another should have, and must have
_BRIEFLY = 0.04  # of the time left, for measuring what only helps to choose


def took(trials: Sequence[Trial]) -> float:
    """Seconds that the first booster took for all splits; zero if there is none.

    Parameters
    ----------
    trials : sequence of Trial
        What there is so far.
    """
    return trials[0].fit_seconds if trials and trials[0].recipe.rounds else 0.0


def share_of(candidate: Candidate, trials: Sequence[Trial], left: float, usual: float) -> float:
    """The share of the time left that a candidate may take.

    What is no booster takes little, and differs most from what there is. A booster should have half
    of what the first one took, where that is not too much: of less it learns little.

    Parameters
    ----------
    candidate : Candidate
        What is tried.
    trials : sequence of Trial
        What there is so far.
    left : float
        Seconds.
    usual : float
        The share where there is ample time.
    """
    if not candidate.rounds:
        return 2 * usual
    return min(max(usual, _HALF * took(trials) / max(left, MOMENT)), MOST)


def is_late_for_boosters(trials: Sequence[Trial], clock: Clock) -> bool:
    """Whether a further booster could not learn enough in the time left to be of use.

    Parameters
    ----------
    trials : sequence of Trial
        What there is so far.
    clock : Clock
        The time that is left.
    """
    return clock.measured and MOST * clock.searching < _LEAST * took(trials)


def can_measure(trial: Trial, n_splits: int, clock: Clock) -> bool:
    """Whether one more model of a trial takes little of the time that is left.

    Parameters
    ----------
    trial : Trial
        What came of a candidate.
    n_splits : int
        That it was fitted to.
    clock : Clock
        The time that is left.
    """
    seconds = trial.fit_seconds / Lanes(n_splits).rounds(n_splits)
    return not clock.measured or seconds < _BRIEFLY * clock.searching
