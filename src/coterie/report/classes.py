"""Facts of predicted classes: mistakes, calibration, and what thresholds would change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie import fusion
from coterie.combining import risk_coverage
from coterie.report.measures import Array
from coterie.report.plain import cut, plain, thinned

Codes = NDArray[np.intp]
#: Classes that a confusion matrix shows; others are counted as one.
MOST_CLASSES = 30
STEPS = 101
BINS = 10
TOP = 0.1  # share of the rows, of which the lift is told


def facts_of_classes(truth: Codes, chances: Array, labels: list[str]) -> dict[str, Any]:
    """Everything the report shows of predicted classes.

    Parameters
    ----------
    truth : ndarray of int of shape (n,)
        The true classes, as columns of `chances`.
    chances : ndarray of shape (n, K)
        Probabilities, of rows the model had not seen.
    labels : list of str
        What the classes are called.
    """
    found = {
        "classes": per_class(truth, chances, labels),
        "confusion": confusion(truth, chances, labels),
        "calibration": calibration(truth, chances, labels),
        "coverage": coverage(truth, chances),
    }
    if len(labels) == 2:
        found["chances"] = histogram(truth, chances[:, 1])
        found["thresholds"] = thresholds(truth, chances[:, 1], labels)
        if 0 < truth.sum() < len(truth):
            found["curves"] = curves(truth, chances[:, 1])
    return found


def per_class(truth: Codes, chances: Array, labels: list[str]) -> list[dict[str, Any]]:
    """Rows, precision and recall of each class, the most frequent first."""
    said = chances.argmax(axis=1)
    k = len(labels)
    rows, named = np.bincount(truth, minlength=k), np.bincount(said, minlength=k)
    right = np.bincount(truth[said == truth], minlength=k)
    order = np.argsort(-rows, kind="stable")[: 2 * MOST_CLASSES]
    return [
        {
            "label": cut(labels[c], 60),
            "rows": int(rows[c]),
            "share": plain(rows[c] / len(truth)),
            "precision": plain(right[c] / named[c]) if named[c] else None,
            "recall": plain(right[c] / rows[c]) if rows[c] else None,
        }
        for c in order
    ]


def confusion(truth: Codes, chances: Array, labels: list[str]) -> dict[str, Any]:
    """Counts of true and predicted classes; rare classes of very many are counted as one."""
    said, k = chances.argmax(axis=1), len(labels)
    # Pairs that occur: of thousands of classes, a square of counts would not fit into memory.
    pairs, times = np.unique(truth.astype(np.int64) * k + said, return_counts=True)
    names = [cut(label, 60) for label in labels]
    worst = _worst(np.divmod(pairs, k), times, names, np.bincount(truth, minlength=k))
    place, shown = np.arange(k), names
    if k > MOST_CLASSES:
        rows = np.bincount(truth, minlength=k)
        kept = np.sort(np.argsort(-rows, kind="stable")[: MOST_CLASSES - 1])
        place = np.full(k, len(kept))
        place[kept] = np.arange(len(kept))
        shown = [*(names[c] for c in kept), f"{k - len(kept)} others"]
    counts = np.zeros((len(shown), len(shown)), dtype=np.int64)
    np.add.at(counts, (place[pairs // k], place[pairs % k]), times)
    return {"labels": shown, "counts": counts.tolist(), "worst": worst, "lumped": k > MOST_CLASSES}


def _worst(
    pairs: tuple[Codes, Codes], times: Codes, names: list[str], rows: Codes, most: int = 10
) -> list[dict[str, Any]]:
    """The most frequent mistakes."""
    true, said = pairs
    wrong = np.where(true == said, 0, times)
    return [
        {
            "true": names[true[at]],
            "said": names[said[at]],
            "rows": int(wrong[at]),
            "share": plain(wrong[at] / rows[true[at]]),
        }
        for at in np.argsort(-wrong, kind="stable")[:most]
        if wrong[at]
    ]


def calibration(truth: Codes, chances: Array, labels: list[str]) -> dict[str, Any]:
    """Bins of a reliability diagram, and how far probabilities are from frequencies.

    With two classes, it is about the probability of the second; of more, of the most probable one.
    """
    p = np.clip(chances, 0.0, 1.0)
    binary = len(labels) == 2
    event: Any = (p[:, 1], truth == 1) if binary else (p, truth)
    curve = fusion.reliability_curve(*event, n_bins=BINS)
    bins = zip(curve.mean, curve.frequency, curve.mass, strict=True)
    sure = p.max(axis=1).mean() - (p.argmax(axis=1) == truth).mean()
    return {
        "of": cut(labels[1], 60) if binary else None,
        "bins": [plain({"mean": m, "frequency": f, "share": s}) for m, f, s in bins],
        "error": plain(fusion.calibration_error(*event, n_bins=BINS)),
        "too_sure": plain(sure),
    }


def coverage(truth: Codes, chances: Array) -> dict[str, Any]:
    """Share of rows answered and share of errors among them, by how sure the model must be."""
    sure, hits = chances.max(axis=1), chances.argmax(axis=1) == truth
    curve = risk_coverage(sure, hits)
    asked = np.linspace(1 / chances.shape[1], 1.0, STEPS)
    # The last step of the curve, which falls in confidence, that still is sure enough.
    last = np.searchsorted(-curve.thresholds, -asked + 1e-12, side="right") - 1
    share = np.where(last >= 0, curve.coverage[last], 0.0)
    risk = [float(curve.risk[at]) if at >= 0 else None for at in last]
    return {"threshold": plain(asked, 4), "coverage": plain(share, 4), "risk": plain(risk, 4)}


def histogram(truth: Codes, p: Array) -> dict[str, Any]:
    """How often the second class was given which probability, for rows of each class."""
    bins = np.minimum((p * 2 * BINS).astype(np.intp), 2 * BINS - 1)
    counts = [np.bincount(bins[truth == c], minlength=2 * BINS).tolist() for c in (0, 1)]
    return {"counts": counts}


def curves(truth: Codes, p: Array) -> dict[str, Any]:
    """Points of the ROC, precision-recall and gain curves of the second class.

    Rows of equal probability are taken together, so that their order does not matter.
    """
    order = np.argsort(-p, kind="stable")
    ends = np.flatnonzero(np.diff(p[order], append=-np.inf))
    found = np.cumsum(truth[order] == 1)[ends]
    asked = ends + 1
    recall, precision = found / found[-1], found / asked
    false = (asked - found) / (len(truth) - found[-1])
    rows = asked / len(truth)
    at = int(np.searchsorted(rows, TOP - 1e-12).clip(max=len(rows) - 1))
    shown = thinned(len(ends), STEPS)

    def points(x: Array, y: Array, start: tuple[float, float]) -> list[Any]:
        return plain([start, *zip(x[shown], y[shown], strict=True)], 4)

    return {
        "roc": points(false, recall, (0.0, 0.0)),
        "precision_recall": points(recall, precision, (0.0, float(precision[0]))),
        "gain": points(rows, recall, (0.0, 0.0)),
        "share": plain(found[-1] / len(truth)),
        "average_precision": plain(np.diff(recall, prepend=0.0) @ precision),
        "top": plain({"rows": rows[at], "found": recall[at], "lift": recall[at] / rows[at]}),
    }


def thresholds(truth: Codes, p: Array, labels: list[str]) -> dict[str, Any]:
    """Counts of hits and mistakes for every threshold on the probability of the second class."""
    grid = np.linspace(0.0, 1.0, STEPS)
    yes, no = np.sort(p[truth == 1]), np.sort(p[truth == 0])
    missed = np.searchsorted(yes, grid - 1e-12)
    spared = np.searchsorted(no, grid - 1e-12)
    return {
        "labels": [cut(label, 60) for label in labels],
        "threshold": plain(grid, 4),
        "true_positives": (len(yes) - missed).tolist(),
        "false_negatives": missed.tolist(),
        "false_positives": (len(no) - spared).tolist(),
        "true_negatives": spared.tolist(),
    }
