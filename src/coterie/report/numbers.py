"""Facts of predicted numbers: how far they are off, and where."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.report.measures import Array
from coterie.report.plain import plain, thinned

POINTS = 200
BINS = 30
STEPS = 101


def facts_of_numbers(truth: Array, predictions: Array) -> dict[str, Any]:
    """Everything the report shows of predicted numbers.

    Parameters
    ----------
    truth, predictions : ndarray of shape (n,)
        What was true, and what was predicted of rows the model had not seen.
    """
    return {"residuals": residuals(truth, predictions), "tolerance": tolerance(truth, predictions)}


def residuals(truth: Array, predictions: Array) -> dict[str, Any]:
    """A sample of the rows, a histogram of what is left over, and its quantiles."""
    rest = truth - predictions
    # Evenly spread over the order of the predictions, so that both ends are among the points.
    kept = np.argsort(predictions, kind="stable")[thinned(len(truth), POINTS)]
    low, high = np.quantile(rest, (0.005, 0.995))
    reach = max(abs(float(low)), abs(float(high))) or 1.0
    counts, edges = np.histogram(np.clip(rest, -reach, reach), bins=BINS, range=(-reach, reach))
    half, nine = np.quantile(np.abs(rest), (0.5, 0.9))
    return {
        "points": plain(np.column_stack((predictions[kept], truth[kept])), 5),
        "counts": counts.tolist(),
        "edges": plain(edges, 5),
        "mean": plain(rest.mean(), 4),
        "half_within": plain(half, 4),
        "nine_in_ten_within": plain(nine, 4),
        "largest": plain(np.abs(rest).max(), 4),
        "range": plain((truth.min(), truth.max()), 5),
        "bands": _bands(rest, predictions),
    }


def _bands(rest: Array, predictions: Array, n_bands: int = 10) -> list[dict[str, Any]]:
    """Median and middle four fifths of the residuals, in tenths of the predictions."""
    found = []
    for part in np.array_split(np.argsort(predictions, kind="stable"), min(n_bands, len(rest))):
        low, middle, high = np.quantile(rest[part], (0.1, 0.5, 0.9))
        at = float(np.median(predictions[part]))
        found.append(plain({"at": at, "low": low, "middle": middle, "high": high}, 5))
    return found


def tolerance(truth: Array, predictions: Array) -> dict[str, Any]:
    """Share of the rows whose prediction is off by no more than a tolerance."""
    off = np.sort(np.abs(truth - predictions))
    grid = np.linspace(0.0, float(np.quantile(off, 0.99)) or 1.0, STEPS)
    share = np.searchsorted(off, grid, side="right") / len(off)
    return {"tolerance": plain(grid, 4), "share": plain(share, 4)}
