"""Weights for members by their votes on rows they did not see."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from coterie.data import Target

Array = NDArray[np.float64]


def weigh(
    votes: Array, target: Target, weight: Array | None, method: Literal["score", "stack"]
) -> Array:
    """Weights of members, summing to one.

    Parameters
    ----------
    votes : ndarray of shape (n_members, n_rows, n_outputs)
        NaN where a member has no vote on a row.
    target : Target
        The truth.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    method : {"score", "stack"}
        By each member's own score, or by least squares of the weighted vote.
    """
    if method not in ("score", "stack"):
        raise ValueError(f"method={method!r} is not allowed; use 'score' or 'stack'.")
    rows = np.ones(target.n_rows) if weight is None else weight
    if method == "score":
        return _by_score(votes, target, rows)
    truth = one_hot(target) if target.kind == "labels" else target.values
    products = error_products(votes - truth, rows)
    return simplex_least_squares(products, np.zeros(len(votes)))


def error_products(errors: Array, rows: Array) -> Array:
    r"""Mean products of the errors of two members, on the rows that both have a vote on.

    The squared error of a weighted vote is :math:`\sum_{st} w_s w_t C_{st}` with these products
    :math:`C`. Few rows are outside both of two bags, so they are noisy: errors of one member, and
    of two, are each drawn towards their mean by the share of their spread that is noise. Negative
    eigenvalues are set to zero.

    Parameters
    ----------
    errors : ndarray of shape (n_members, n_rows, n_outputs)
        NaN where a member has no vote.
    rows : ndarray of shape (n_rows,)
        Weights of the rows.
    """
    heard = ~np.isnan(errors[:, :, 0])
    known = np.where(heard[:, :, None], errors, 0.0)
    mass, count = (heard * rows) @ heard.T, heard.astype(np.float64) @ heard.T
    flat = (known * np.sqrt(rows)[:, None]).reshape(len(errors), -1)
    norms = (known**2).sum(axis=2)
    safe = np.maximum(mass, np.finfo(float).tiny)
    products = np.where(mass > 0, flat @ flat.T / safe, np.nan)
    noise = ((norms * rows) @ norms.T / safe - products**2) / np.maximum(count, 1.0)
    diagonal = np.eye(len(products), dtype=bool)
    for kind in (diagonal, ~diagonal):
        products[kind] = drawn_together(products[kind], noise[kind])
    values, vectors = np.linalg.eigh(products)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def drawn_together(values: Array, noise: Array) -> Array:
    """Values drawn towards their mean by the share of their variance that is noise.

    Unknown ones (NaN) become the mean.

    Examples
    --------
    >>> drawn_together(np.array([1.0, 3.0]), np.array([0.5, 0.5]))
    array([1.5, 2.5])
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros_like(values)
    mean, spread = float(values[known].mean()), float(values[known].var())
    blur = float(np.clip(noise[known], 0.0, None).mean())
    share = 1.0 if spread <= blur else blur / spread
    return np.where(known, mean + (1.0 - share) * (values - mean), mean)


def _by_score(votes: Array, target: Target, rows: Array) -> Array:
    """Accuracy above chance, or one over the mean squared error; members not heard get the mean."""
    scores = np.full(len(votes), np.nan)
    ends = np.cumsum(target.n_classes)[:-1]
    for number, vote in enumerate(votes):
        heard = ~np.isnan(vote[:, 0])
        if not heard.any():
            continue
        if target.kind == "labels":
            guess = [part.argmax(axis=1) for part in np.split(vote[heard], ends, axis=1)]
            right = (np.column_stack(guess) == target.codes[heard]).all(axis=1)
            chance = 1.0 / np.prod(target.n_classes)
            scores[number] = max(0.0, float(np.average(right, weights=rows[heard])) - chance)
        else:
            loss = ((vote[heard] - target.values[heard]) ** 2).mean(axis=1)
            # A member without any error must not take all the weight there is.
            floor = 1e-12 * max(float(target.values.var()), np.finfo(float).tiny)
            scores[number] = 1.0 / max(float(np.average(loss, weights=rows[heard])), floor)
    if not np.nansum(scores) > 0:
        return np.full(len(votes), 1.0 / len(votes))
    scores = np.where(np.isnan(scores), np.nanmean(scores), scores)
    return scores / scores.sum()


def one_hot(target: Target) -> Array:
    """Ones where a row is of a class, outputs side by side."""
    parts = [np.eye(n)[codes] for n, codes in zip(target.n_classes, target.codes.T, strict=True)]
    return np.concatenate(parts, axis=1)


def simplex_least_squares(gram: Array, moment: Array, n_rounds: int = 2000) -> Array:
    r"""The `w` of least :math:`w^T G w / 2 - c^T w` with :math:`w \ge 0`, :math:`\sum w = 1`.

    Accelerated projected gradient with restarts.

    Examples
    --------
    >>> simplex_least_squares(np.eye(2), np.array([1.0, 0.5])).round(3)
    array([0.75, 0.25])
    """
    step = 1.0 / max(float(np.linalg.norm(gram, 2)), np.finfo(float).tiny)
    weights = np.full(len(moment), 1.0 / len(moment))
    ahead, pace = weights, 1.0
    for _ in range(n_rounds):
        new = project(ahead - step * (gram @ ahead - moment))
        if np.dot(ahead - new, new - weights) > 0:
            pace = 1.0  # going uphill: momentum is spent
        faster = (1.0 + np.sqrt(1.0 + 4.0 * pace**2)) / 2.0
        ahead = new + (pace - 1.0) / faster * (new - weights)
        moved, weights, pace = float(np.abs(new - weights).max()), new, faster
        if moved < 1e-10:
            break
    return weights


def project(point: Array) -> Array:
    """The nearest point whose coordinates are at least zero and sum to one.

    Examples
    --------
    >>> project(np.array([0.6, 0.6, -1.0]))
    array([0.5, 0.5, 0. ])
    """
    falling = np.sort(point)[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(point) + 1)
    last = int(np.flatnonzero(falling > excess)[-1])
    return np.maximum(point - excess[last], 0.0)
