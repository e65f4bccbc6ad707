"""What users are told of a search: how it begins, and why it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coterie.automl.candidates import PRIOR
from coterie.automl.combine import ScoredBlend
from coterie.automl.records import Finding
from coterie.automl.splits import Plan

if TYPE_CHECKING:
    from coterie.automl.search import Search

_HASTE = "for lack of time"  # in the notes of what was made smaller


def announce(search: Search, plan: Plan, findings: Sequence[Finding]) -> None:
    """Let the user know how rows are split, and what to beware of."""
    search.tell("start", message=plan.words)
    for finding in findings:
        search.tell("finding", finding.kind, message=finding.message)


def find_shortage(search: Search) -> list[Finding]:
    """What to know if there was no time or memory for more than one candidate.

    Parameters
    ----------
    search : Search
        At its end.
    """
    tried = [trial for trial in search.trials if trial.name != PRIOR.name]
    if not tried:
        return [
            Finding(
                "no time",
                "danger",
                [],
                "No candidate could be fitted to this table within the time limit: the model "
                f"{_constant(search)} and uses no columns.",
                "Allow more time, or use fewer classes, columns or rows.",
            )
        ]
    if len(tried) > 1 or _HASTE not in tried[0].note:
        return []
    return [
        Finding(
            "no time",
            "warning",
            [],
            f"There was time for only one candidate, {tried[0].name}, which was cut short: "
            f"{tried[0].note}.",
            "With more time, the model may be much better.",
        )
    ]


def find_doubts(search: Search, best: ScoredBlend) -> list[Finding]:
    """What to know if nothing was found that predicts better than a constant.

    Parameters
    ----------
    search : Search
        At its end.
    best : ScoredBlend
        The chosen combination.
    """
    used = [search.trials[t].name for t in np.flatnonzero(best.blend.weights)]
    if used != [PRIOR.name] or len(search.trials) == 1:
        return []
    return [
        Finding(
            "no signal",
            "danger",
            [],
            "No candidate predicts held-out rows better than a constant: the model "
            f"{_constant(search)} and uses no columns.",
            "Check that the target and the columns belong together, or collect more rows or "
            "other columns.",
        )
    ]


def _constant(search: Search) -> str:
    what = "frequencies of the classes" if search.material.n_classes else "mean of the target"
    return f"predicts the {what}"
