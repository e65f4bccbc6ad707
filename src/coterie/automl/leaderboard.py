"""What was tried, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coterie.automl.combine import OutOfFold, ScoredBlend
from coterie.automl.records import Entry

if TYPE_CHECKING:
    from coterie.automl.search import Search


def make_leaderboard(
    search: Search, oof: OutOfFold, judged: list[ScoredBlend], best: ScoredBlend
) -> list[Entry]:
    """All members and all ways to combine them, best first."""
    entries: list[Entry] = []
    share = best.blend.weights / best.blend.weights.sum()
    for trial, score, said, weight in zip(
        search.trials, search.scores, oof.profile, share, strict=True
    ):
        low, high = oof.metric.interval(oof.truth, oof.shaped(said), oof.weight)
        entries.append(
            Entry(
                trial.name,
                trial.family,
                "member",
                score,
                low,
                high,
                trial.fit_seconds,
                trial.predict_seconds,
                float(weight),
                bool(weight > 0),
                trial.note,
                *_behind(oof, said, best.nested),
            )
        )
    entries += [_ensemble(search, oof, one, best) for one in judged]
    sign = -1 if oof.metric.greater_is_better else 1
    return sorted(entries, key=lambda entry: (sign * entry.score, not entry.chosen))


def _ensemble(search: Search, oof: OutOfFold, one: ScoredBlend, best: ScoredBlend) -> Entry:
    chosen = one is best
    low, high = oof.metric.interval(oof.truth, oof.shaped(one.nested), oof.weight)
    used = np.flatnonzero(one.blend.weights)
    parts = [search.trials[t] for t in used]
    return Entry(
        one.blend.name,
        "combination",
        "ensemble",
        one.score,
        low,
        high,
        sum(part.fit_seconds for part in parts),
        sum(part.predict_seconds for part in parts),
        1.0 if chosen else 0.0,
        chosen,
        f"of {len(used)}",
        *((None, None, None) if chosen else _behind(oof, one.nested, best.nested)),
    )


def _behind(
    oof: OutOfFold, said: NDArray[np.float64], best: NDArray[np.float64]
) -> tuple[float | None, float | None, float | None]:
    """How much worse some predictions are than the best ones on the same rows, with an interval.

    Differences of the same rows vary far less than the scores themselves.
    """
    rows, metric = oof.metric.rows, oof.metric
    if rows is None:
        return None, None, None
    ours = rows(oof.truth, oof.shaped(best))
    gaps = rows(oof.truth, oof.shaped(said)) - ours
    mean, gap = (float(np.average(losses, weights=oof.weight)) for losses in (ours, gaps))
    share = 1.0 if oof.weight is None else oof.weight / oof.weight.mean()
    error = 1.96 * float(np.sqrt(np.mean((share * (gaps - gap)) ** 2) / len(gaps)))
    sign = -1.0 if metric.greater_is_better else 1.0
    low, middle, high = (
        sign * float(metric.whole(max(mean + step, 0.0)) - metric.whole(mean))
        for step in (gap - error, gap, gap + error)
    )
    return middle, low, high


def size_curve(
    oof: OutOfFold, best: ScoredBlend, order: NDArray[np.intp]
) -> list[tuple[int, float]]:
    """The score as members are added, those of the largest weight first.

    The last point is not the score of the leaderboard: these weights have seen the rows.
    """
    curve = []
    for size in range(1, len(order) + 1):
        part = order[:size]
        weights = best.blend.weights[part]
        mean = np.tensordot(weights / weights.sum(), oof.profile[part], axes=1)
        curve.append((size, oof.score(mean)))
    return curve
