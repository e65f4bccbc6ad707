"""Class weights as one factor per row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight

from coterie.core import Allowed, ParameterError, balance, instance_of, one_of
from coterie.data import Target

a_class_weight: Allowed = one_of("balanced", None) | instance_of(dict, list)


def class_factors(
    class_weight: str | Mapping[Any, float] | list[Mapping[Any, float]] | None,
    target: Target,
    weight: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """What each row's weight is multiplied by, or None for nothing.

    Parameters
    ----------
    class_weight : {"balanced", "balanced_subsample"}, dict, list of dicts, or None
        A weight per class (1 where none is given), one dict per output; "balanced" gives every
        class the same total weight.
    target : Target
        Labels.
    weight : ndarray of shape (n_rows,) or None
        The rows' weights, which "balanced" counts.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        return balance(target, weight)
    labels = target.decode(target.codes)
    factors = compute_sample_weight(class_weight, labels)
    if not np.all(np.isfinite(factors) & (factors >= 0)) or not factors.any():
        raise ParameterError(
            f"class_weight={class_weight!r} is not allowed; give finite weights >= 0, at least "
            "one of them positive."
        )
    return factors


def times(
    first: NDArray[np.float64] | None, second: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Product of two weights of which None stands for ones."""
    if first is None or second is None:
        return second if first is None else first
    return first * second
