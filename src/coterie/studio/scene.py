"""All that a page needs to play the rounds of one ensemble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from coterie import diversity
from coterie.boosting import certificate
from coterie.core.trace import Trace
from coterie.plotting.ballots import called
from coterie.selection.pruning import ORDERS
from coterie.studio.blob import Blob
from coterie.studio.formulas import formulas_of
from coterie.studio.member_trees import trees_of
from coterie.studio.plane import Columns, Plane, join_rows
from coterie.studio.unrolled import (
    Codes,
    Unrolled,
    codes_of_scores,
    leads,
    margins_of_scores,
    plain,
    trace_columns,
    trace_for,
    unroll,
)

Array = NDArray[np.float64]
MOST_CLASSES = 32


@dataclass(frozen=True)
class Rows:
    """Training rows, and rows held out from training, if there are any."""

    X: Any
    y: Any
    X_val: Any = None
    y_val: Any = None


def scene_of(
    model: Any, rows: Rows, columns: Columns = None, *, most: int = 200, resolution: int = 96
) -> dict[str, Any]:
    """The rounds of a fitted ensemble as plain data.

    Parameters
    ----------
    model : fitted ensemble
        A booster, a bag or a forest, of classes or numbers.
    rows : Rows
        What it was trained on, and what it is measured on.
    columns : sequence of one or two columns, "pca", or None
        What the picture shows.
    most : int
        Rounds shown at most.
    resolution : int
        Cells of the picture along each axis.

    Returns
    -------
    dict
        Ready for JSON; arrays are in ``data``, at the places that ``arrays`` tells.
    """
    if columns is None and not is_classifier(model):
        columns = (0,)
    plane = Plane.over(rows.X, columns, resolution)
    everything, points = rows.X, plane.points
    if rows.X_val is not None:
        everything = join_rows(everything, rows.X_val)
        points = np.concatenate([points, plane.place(rows.X_val)])
    n_rows, n_train = len(points), len(plane.points)
    trace = trace_for(model, rows.X, rows.y)
    told = unroll(model, join_rows(everything, plane.grid), most)
    blob = Blob()
    blob.add("points", points, "f4")
    held = np.arange(n_rows) >= n_train
    scene = {
        "name": called(model),
        "task": "regression" if told.classes is None else "classification",
        "rounds": told.n_rounds,
        "of": _n_rounds(model, told, trace),
        "rows": n_rows,
        "train": n_train,
        "columns": list(plane.names),
        "flat": len(plane.drawn) == 1,
        "box": list(plane.box),
        "drawn": list(plane.drawn),
        "typical": plane.typical,
        "resolution": resolution,
        "facts": trace_columns(trace, told.n_rounds),
        "trees": trees_of(model, told.n_rounds),
        "formulas": formulas_of(model),
        "certificate": _certificate(model, told.n_rounds),
    }
    truth = rows.y if rows.y_val is None else np.concatenate([rows.y, rows.y_val])
    tell = _classes if told.classes is not None else _numbers
    scene |= tell(blob, told, np.asarray(truth), held)
    scene |= _emphasis(blob, _weights(model, trace, told, np.asarray(rows.y)))
    scene["note"] = _note(model, told, rows.X)
    return scene | {"arrays": blob.places, "data": blob.text()}


def _certificate(model: Any, n_rounds: int) -> dict[str, Any]:
    proof = certificate(model)
    values = None if proof.values is None else plain(proof.values[:n_rounds])
    return {"kind": proof.kind, "words": proof.words, "values": values}


def _n_rounds(model: Any, told: Unrolled, trace: Trace | None) -> int:
    if trace is not None:
        return max(told.n_rounds, len(trace))
    members = getattr(model, "estimators_", None)
    return told.n_rounds if members is None else max(told.n_rounds, len(members))


def _classes(blob: Blob, told: Unrolled, y: Any, held: Any) -> dict[str, Any]:
    """Regions, decisions, margins and diversity of a classifier."""
    classes, n = told.classes, len(y)
    assert classes is not None
    if len(classes) > MOST_CLASSES:
        raise ValueError(
            f"{len(classes)} classes are too many to draw; at most {MOST_CLASSES} are possible."
        )
    truth = np.searchsorted(classes, y)
    if not np.array_equal(classes[np.minimum(truth, len(classes) - 1)], y):
        raise ValueError("y contains labels that the model does not know.")
    decided, said = codes_of_scores(told.scores), codes_of_scores(told.votes)
    blob.add("truth", truth, "u1")
    blob.add("decided", decided[:, :n], "u1")
    blob.add("said", said[:, :n], "u1")
    blob.add("region", _shaded(told.scores[:, n:], len(classes)), "u1")
    blob.add("cut", _shaded(told.votes[:, n:], len(classes)), "u1")
    scale, words = _margin_scale(told)
    margins = margins_of_scores(told.scores[:, :n], truth) / scale[:, None]
    blob.add("margin", np.clip(np.round(127 * margins), -127, 127), "i1")
    wrong = decided[:, :n] != truth
    measures = _diversity(blob, said[:, :n], truth, held)
    return {
        "classes": [str(label) for label in classes],
        "measure": "error",
        "margins": words,
        "errors": _by_part(wrong.astype(np.float64), held),
    } | measures


def _margin_scale(told: Unrolled) -> tuple[Array, str]:
    """What margins of each round are divided by, and what that means."""
    if told.scores.shape[-1] > 1 and told.bounded and np.abs(told.scores).max() <= 1 + 1e-9:
        return np.ones(told.n_rounds), "votes for the true class minus the best other class"
    reach = np.maximum(leads(told.scores).max(axis=1), 1e-12)
    if told.bounded:
        # The largest possible score: all members of one mind, by their weights.
        reach = np.maximum(reach, np.abs(np.cumsum(_weights_seen(told))))
        return reach, "y·F(x) divided by the weights of the members"
    return reach, "y·F(x) divided by the largest score of the round"


def _weights_seen(told: Unrolled) -> Array:
    """Size of what each round added, as far as it is a weight times a vote."""
    added = np.abs(np.diff(told.scores, axis=0, prepend=0.0)).max(axis=(1, 2))
    return np.asarray(added)


def _shaded(scores: Array, n_classes: int) -> NDArray[np.uint8]:
    """A class and how clear it is in one byte: classes share out the 256 values evenly.

    >>> _shaded(np.array([[[-1.0], [0.5]]]), 2)
    array([[127, 192]], dtype=uint8)
    """
    steps = 256 // n_classes
    lead = leads(scores)
    reach = np.quantile(lead, 0.98, axis=-1, keepdims=True)
    share = np.clip(lead / np.where(reach > 0, reach, 1.0), 0.0, 1.0)
    codes = codes_of_scores(scores) * steps + np.round(share * (steps - 1))
    return np.asarray(codes, dtype=np.uint8)


def _by_part(loss: Array, held: Any) -> dict[str, Any]:
    """Mean loss by round, of the training rows and of those held out."""
    found: dict[str, Any] = {"train": plain(loss[:, ~held].mean(axis=1)), "held": None}
    if held.any():
        found["held"] = plain(loss[:, held].mean(axis=1))
    return found


def _diversity(blob: Blob, said: Codes, truth: Codes, held: Any) -> dict[str, Any]:
    """κ and error of all pairs, what dissent there is, and the order of pruning."""
    if len(said) < 2:
        return {"pruned": None}
    part = held if held.sum() >= 20 else ~held
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa = np.nan_to_num(diversity.kappa(said[:, part]))
    blob.add("kappa", kappa, "f4")
    blob.add("differ", diversity.disagreement(said[:, part]), "f4")
    errors = (said[:, part] != truth[part]).mean(axis=1)
    order = ORDERS["reduced_error"](said[:, part], truth[part])
    return {
        "member_errors": plain(errors),
        "pruned": [int(member) for member in order],
        "diversity_rows": "held-out rows" if part is held else "training rows",
    }


def _numbers(blob: Blob, told: Unrolled, y: Any, held: Any) -> dict[str, Any]:
    """Curves and residuals of a regressor."""
    n, y = len(y), np.asarray(y, dtype=np.float64)
    blob.add("truth", y, "f4")
    blob.add("fitted", told.scores[:, :n, 0], "f4")
    blob.add("curve", told.scores[:, n:, 0], "f4")
    blob.add("member_curve", told.votes[:, n:, 0], "f4")
    loss = (told.scores[:, :n, 0] - y) ** 2
    low, high = float(y.min()), float(y.max())
    room = 0.08 * (high - low) or 1.0
    return {
        "classes": [],
        "measure": "mean squared error",
        "reach": [low - room, high + room],
        "errors": _by_part(loss, held),
        "adds": bool(np.allclose(np.diff(told.scores, axis=0), told.votes[1:])),
        "pruned": None,
    }


def _note(model: Any, told: Unrolled, X: Any) -> str:
    """A word where the members' vote is not what the model says, as in stacks."""
    if told.classes is None or hasattr(model, "staged_decision_function"):
        return ""
    said = told.classes[codes_of_scores(told.scores[-1, : len(X)])]
    if np.array_equal(said, np.asarray(model.predict(X))):
        return ""
    return "The plot shows the vote of the members; the model combines them differently."


def _emphasis(blob: Blob, found: tuple[Array | None, str]) -> dict[str, Any]:
    """What each member was made to look at: weights, copies in its bag, or residuals."""
    weights, words = found
    if weights is None:
        return {"emphasis": None}
    share = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300) * weights.shape[1]
    # A dot's radius is the root of its weight, in thousandths of that of the mean.
    blob.add("weights", np.minimum(np.round(np.sqrt(share) * 1000), 65_535), "u2")
    return {"emphasis": words}


def _weights(model: Any, trace: Trace | None, told: Unrolled, y: Any) -> tuple[Array | None, str]:
    n = told.n_rounds
    if trace is not None and trace.weights and len(trace.weights[0]) == len(y):
        rows = [one.reshape(len(one), -1).sum(axis=1) for one in trace.weights[:n]]
        return np.array(rows), "weight before the round"
    samples = getattr(model, "estimators_samples_", None)
    if samples is not None:
        counts = [np.bincount(bag, minlength=len(y)) for bag in samples[:n]]
        return np.array(counts, dtype=np.float64), "number of times in the member's bag"
    if trace is not None:
        return _residuals(told, y), "residual before the round"
    return None, ""


def _residuals(told: Unrolled, y: Any) -> Array:
    """How far the rounds before were from the truth, of gradient boosting."""
    n = len(y)
    if told.classes is None:
        start = np.abs(y - y.mean())
        now = np.abs(told.scores[:, :n, 0] - y)
    else:
        truth = np.searchsorted(told.classes, y)
        start = 1.0 - np.bincount(truth, minlength=told.n_classes)[truth] / n
        now = 1.0 - _chances(told.scores[:, :n], truth)
    return np.concatenate([start[None], now[:-1]])


def _chances(scores: Array, truth: Codes) -> Array:
    """Probability of the true class by the logistic link, which residuals are measured with."""
    full = np.concatenate([np.zeros_like(scores), scores], axis=-1)
    full = full if scores.shape[-1] == 1 else scores
    grown = np.exp(full - full.max(axis=-1, keepdims=True))
    own = np.eye(full.shape[-1], dtype=bool)[truth]
    return np.asarray((grown * own).sum(axis=-1) / grown.sum(axis=-1))
