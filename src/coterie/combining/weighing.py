"""Weights of members by name, learnt from what they say of rows they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie import fusion

Array = NDArray[np.float64]


def _errors(profile: Array, codes: Array, weight: Array | None) -> Array:
    """Share of the rows that each member gets wrong."""
    wrong = profile.argmax(axis=2) != codes
    return np.average(wrong, axis=1, weights=weight)


def _accuracy(profile: Array, codes: Array, weight: Array | None) -> Array:
    right = 1.0 - _errors(profile, codes, weight)
    return fusion.accuracy_weights(right) if right.any() else np.ones(len(right)) / len(right)


def _log_odds(profile: Array, codes: Array, weight: Array | None) -> Array:
    right = 1.0 - _errors(profile, codes, weight)
    n_rows = len(codes) if weight is None else max(1, round(weight.sum() / weight.max()))
    n_classes = max(2, profile.shape[2])
    return fusion.log_odds_weights(right, n_classes=n_classes, n_samples=n_rows)


def _inverse_error(profile: Array, codes: Array, weight: Array | None) -> Array:
    return fusion.inverse_error_weights(_errors(profile, codes, weight))


def _log_loss(profile: Array, codes: Array, weight: Array | None) -> Array:
    return fusion.log_loss_weights(profile, codes, sample_weight=weight)


def _brier(profile: Array, codes: Array, weight: Array | None) -> Array:
    hot = np.eye(profile.shape[2])[codes]
    return fusion.simplex_weights(profile, hot, sample_weight=weight)


#: Weights for votes: functions of (members, rows, classes), codes of the labels, and weights.
VOTE_WEIGHTS: dict[str, Callable[..., Array]] = {
    "accuracy": _accuracy,
    "log_odds": _log_odds,
    "inverse_error": _inverse_error,
    "log_loss": _log_loss,
    "simplex": _brier,
}


def _inverse_squares(profile: Array, y: Array, weight: Array | None) -> Array:
    squares = np.average((profile - y) ** 2, axis=1, weights=weight)
    return fusion.inverse_error_weights(squares)


def _covariance(profile: Array, y: Array, weight: Array | None) -> Array:
    return fusion.covariance_weights(fusion.error_covariance(profile, y, sample_weight=weight))


def _nnls(profile: Array, y: Array, weight: Array | None) -> Array:
    return fusion.nnls_weights(profile, y, sample_weight=weight)


def _simplex(profile: Array, y: Array, weight: Array | None) -> Array:
    return fusion.simplex_weights(profile, y, sample_weight=weight)


#: Weights for averages: functions of (members, rows), the truth, and weights.
AVERAGE_WEIGHTS: dict[str, Callable[..., Array]] = {
    "inverse_error": _inverse_squares,
    "covariance": _covariance,
    "nnls": _nnls,
    "simplex": _simplex,
}


def read_weights(given: Any, dropped: list[bool]) -> Array | None:
    """Weights that the user gave, without those of dropped members.

    Parameters
    ----------
    given : array-like of shape (n_estimators,) or None
        One for each estimator, dropped ones included.
    dropped : list of bool
        Which of them are dropped.

    Examples
    --------
    >>> read_weights([1, 2, 3], [False, True, False])
    array([1., 3.])
    """
    if given is None:
        return None
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (len(dropped),):
        raise ValueError(
            "Number of `estimators` and weights must be equal; got "
            f"{weights.size} weights, {len(dropped)} estimators"
        )
    if not np.isfinite(weights).all():
        raise ValueError("weights must be finite numbers.")
    chosen = weights[~np.array(dropped)]
    if not chosen.any():
        raise ValueError("the weights of all members that are not dropped are zero.")
    return chosen


def scaled(values: Array) -> tuple[Array, float]:
    """Numbers at the scale of one, and what to multiply by: squares of huge ones overflow."""
    size = float(np.abs(values).max(initial=0.0))
    size = 1.0 if size == 0.0 or 1e-60 < size < 1e60 else size
    return values / size, size
