"""Class weights as one factor per row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight

from coterie.core import Allowed, ParameterError, balance, instance_of, one_of, repetitions
from coterie.data import Target

#: The overlap of rows that "effective" class weights assume.
_OVERLAP = 0.999

a_class_weight: Allowed = one_of("balanced", None) | instance_of(dict, list)


def class_factors(
    class_weight: str | Mapping[Any, float] | list[Mapping[Any, float]] | None,
    target: Target,
    weight: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """What each row's weight is multiplied by, or None for nothing.

    Parameters
    ----------
    class_weight : {"balanced", "balanced_subsample", "effective"}, dict, list of dicts, or None
        A weight per class (1 where none is given), one dict per output; "balanced" gives every
        class the same total weight, "effective" see `effective_balance`.
    target : Target
        Labels.
    weight : ndarray of shape (n_rows,) or None
        The rows' weights, which "balanced" counts.
    """
    if class_weight is None:
        return None
    if class_weight == "effective":
        return effective_balance(target, weight)
    if isinstance(class_weight, str):
        return balance(target, weight)
    labels = target.decode(target.codes)
    factors = compute_sample_weight(class_weight, labels)
    if not np.all(np.isfinite(factors) & (factors >= 0)) or not factors.any():
        raise ParameterError(
            f"class_weight={class_weight!r} is not allowed; use finite weights >= 0, at least "
            "one of them positive."
        )
    return factors


def effective_balance(target: Target, weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    r"""Factors inverse to the effective number of rows of each class, at mean one.

    Rows of a class overlap more and more in what they say, so n of them count as
    :math:`(1 - \beta^n) / (1 - \beta)`, here with :math:`\beta = 0.999`: classes of far more than a
    thousand rows weigh alike by row, rare ones as much as if they were balanced.

    Parameters
    ----------
    target : Target
        Labels; factors of several outputs are multiplied.
    weight : ndarray of shape (n_rows,) or None
        The rows' weights. Integers are numbers of rows, others are taken at mean one.

    References
    ----------
    .. [1] Cui et al., "Class-balanced loss based on effective number of samples", CVPR (2019).
    """
    mass = np.ones(target.n_rows) if weight is None else weight
    if repetitions(weight) is None:
        mass = mass / mass.mean()
    factors = np.ones(target.n_rows)
    for codes, n_classes in zip(target.codes.T, target.n_classes, strict=True):
        counts = np.bincount(codes, weights=mass, minlength=n_classes)
        known = (1.0 - _OVERLAP**counts) / (1.0 - _OVERLAP)
        share = np.divide(1.0, known, out=np.zeros(n_classes), where=known > 0)[codes]
        factors *= share * (mass.sum() / (mass @ share))
    return factors


def times(
    first: NDArray[np.float64] | None, second: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Product of two weights of which None stands for ones."""
    if first is None or second is None:
        return second if first is None else first
    return first * second
