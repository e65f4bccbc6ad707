"""Groups of rows that belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError


def read_groups(
    groups: Any, n_rows: int, kept: NDArray[np.intp] | None
) -> NDArray[np.int32] | None:
    """Number of the group of every row, groups counted in the order of their labels.

    Parameters
    ----------
    groups : array-like of shape (n_rows,) or None
        A label per row; rows of one label belong together.
    n_rows : int
        Rows that were given.
    kept : ndarray or None
        The rows that are used, or None for all.

    Examples
    --------
    >>> read_groups(["b", "a", "b"], 3, None)
    array([1, 0, 1], dtype=int32)
    """
    if groups is None:
        return None
    labels = np.asarray(groups)
    if labels.shape != (n_rows,):
        raise DataError(
            f"groups has shape {labels.shape}, expected {(n_rows,)}: pass one label per row of X."
        )
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise DataError("groups contains NaN. Assign every row to a group.")
    try:
        _, numbers = np.unique(labels if kept is None else labels[kept], return_inverse=True)
    except TypeError as error:
        raise DataError(
            f"The labels in groups cannot be compared with one another ({error}). Use labels of "
            "one type, all numbers or all text."
        ) from error
    return numbers.astype(np.int32)
