"""Sums whose bits do not depend on how many rows are asked for at a time.

BLAS adds in an order that depends on the shape of the table, so that a row alone and the same row
among others can differ in the last bits. These add term by term, for every row alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

__all__ = ["row_product", "sum_of_members"]


def sum_of_members(weights: Array, members: Array) -> Array:
    """Weighted sum of arrays, in the order of the members.

    Parameters
    ----------
    weights : ndarray of shape (n_members,)
        The weights.
    members : ndarray of shape (n_members, ...)
        What is added up.

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> sum_of_members(np.array([1.0, 0.5]), np.array([[1.0, 2.0], [4.0, 6.0]]))
    array([3., 5.])
    """
    total = np.zeros(members.shape[1:])
    for weight, part in zip(weights, members, strict=True):
        total += weight * part
    return total


def row_product(rows: Array, coef: Array) -> Array:
    """``rows @ coef``, column by column.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        The rows.
    coef : ndarray of shape (n_columns,) or (n_columns, n_outputs)
        What columns are multiplied by.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, n_outputs)

    Examples
    --------
    >>> row_product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([10.0, 1.0]))
    array([12., 34.])
    """
    total = np.zeros((len(rows), *coef.shape[1:]))
    for column, factor in zip(rows.T, coef, strict=True):
        total += np.multiply.outer(column, factor)
    return total
