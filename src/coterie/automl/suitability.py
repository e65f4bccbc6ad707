"""Which candidates are not for a table at all."""

from __future__ import annotations

from coterie.automl.candidates import Candidate
from coterie.automl.material import takes_weights
from coterie.automl.situation import Situation
from coterie.automl.time_estimates import MANY_CLASSES, takes_much_memory

_MOST_CELLS = 300_000_000  # of a table of plain numbers


def why_unfit(candidate: Candidate, situation: Situation) -> str:
    """Why a candidate is not for this table; "" if it is.

    Parameters
    ----------
    candidate : Candidate
        What might be tried.
    situation : Situation
        The table.
    """
    s = situation
    if candidate.fits is not None and not candidate.fits(s):
        return "not suited to tables of this kind or size"
    if s.binned and not candidate.native:
        return "needs the original values, but only their bins are kept"
    if s.sparse and not candidate.native:
        return "does not support sparse data"
    if not candidate.native and s.n_rows * s.width > _MOST_CELLS:
        return "would take too much memory"
    if s.n_classes > MANY_CLASSES and takes_much_memory(candidate.make(s), s):
        return "would take too much memory"
    if s.weighted and not takes_weights(candidate.make(s)):
        return "does not support sample weights"
    return ""
