"""Bias and variance by round, measured by training on other samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from coterie.studio.blob import Blob
from coterie.studio.fitting import fit_with_weights, hold_out_rows
from coterie.studio.plane import Plane, join_rows, take_rows
from coterie.studio.scene import Rows
from coterie.studio.unrolled import Array, Unrolled, codes_of_scores, plain, unroll
from coterie.theory import bias_variance, domingos

#: How often each model is trained at most, for one answer.
MOST_REPEATS = 100


def retrained(
    model: Any,
    rows: Rows,
    drawn: Sequence[int],
    *,
    most: int = 200,
    resolution: int = 96,
    repeats: int = 20,
) -> dict[str, Any]:
    """Train a model on random halves of its rows, and decompose the error of every round.

    Parameters
    ----------
    model : estimator
        Clones of it are trained.
    rows : Rows
        Halves of the training rows are drawn; the error is measured on the held-out rows.
    drawn : sequence of int
        Columns of the picture; numbers over one column also get the curve of each training.
    most : int
        Rounds shown at most.
    resolution : int
        Points of a curve.
    repeats : int
        How often the model is trained.

    Returns
    -------
    dict
        ``bias``, ``variance`` and ``error`` by round, and packed arrays as in a scene.
    """
    if not 2 <= repeats <= MOST_REPEATS:
        raise ValueError(f"repeats must lie between 2 and {MOST_REPEATS}, not {repeats}.")
    if rows.X_val is None:
        rows = hold_out_rows(rows, stratified=is_classifier(model))
    if rows.X_val is None:
        raise ValueError("Bias and variance can only be measured with 60 rows or more.")
    asked, n_test = rows.X_val, len(rows.y_val)
    curves = len(drawn) == 1 and not is_classifier(model)
    if curves:
        asked = join_rows(asked, Plane.over(rows.X, drawn, resolution).grid)
    told = [unroll(fitted, asked, most) for fitted in _trained(model, rows, repeats)]
    n_rounds = max(one.n_rounds for one in told)
    said = np.stack([_labels(one, n_rounds)[:, :n_test] for one in told], axis=1)
    parts = [_parts(now, rows.y_val, is_classifier(model)) for now in said]
    blob = Blob()
    if curves:
        blob.add("curves", np.stack([_labels(one, n_rounds)[:, n_test:] for one in told]), "f4")
    bias, error = (plain(values) for values in zip(*parts, strict=True))
    variance = plain(whole - part for part, whole in parts)
    return {
        "bias": bias,
        "variance": variance,
        "error": error,
        "repeats": repeats,
        "half": len(rows.y) // 2,
        "rounds": n_rounds,
        "arrays": blob.places,
        "data": blob.text(),
    }


def _trained(model: Any, rows: Rows, repeats: int) -> Iterator[Any]:
    """The model, fitted to one random half of the training rows after the other."""
    rng, n = np.random.default_rng(0), len(rows.y)
    for _ in range(repeats):
        half = np.sort(rng.permutation(n)[: n // 2])
        yield fit_with_weights(model, take_rows(rows.X, half), rows.y[half])


def _labels(told: Unrolled, n_rounds: int) -> Any:
    """Predictions by round; an ensemble that stopped early stays as it is."""
    if told.classes is None:
        said: Any = told.scores[:, :, 0]
    else:
        said = told.classes[codes_of_scores(told.scores)]
    return said[np.minimum(np.arange(n_rounds), told.n_rounds - 1)]


def _parts(said: Any, truth: Any, classes: bool) -> tuple[float, float]:
    """Bias and error; what is left of the error is what variance adds to it."""
    found = domingos(said, truth) if classes else bias_variance(said, truth)
    bias: Array = found.bias
    return float(bias.mean()), float(found.error.mean())
